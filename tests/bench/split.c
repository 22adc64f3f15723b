/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What it costs to tell samples of a tracepoint apart by their system call, beside a program that makes
 * 500,000 calls a second: ptop's own CPU time in a report without it and with it, by turns.
 */
#include "base/clock.h"
#include "child.h"
#include "figure.h"
#include "load.h"

#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENT "raw_syscalls:sys_enter"

enum { EACH_NS = 1000 * 1000, CALLS = 500, ROUNDS = 3 };

/* Two calls of three are one, so that there is something to tell apart. */
static void
run_load(void)
{
	for (uint64_t next_ns = clock_mono_ns();; next_ns += EACH_NS) {
		while (clock_mono_ns() < next_ns)
			;
		for (int i = 0; i < CALLS; i++)
			syscall(i % 3 == 0 ? SYS_getppid : SYS_getpid);
	}
}

int
main(void)
{
	char pid[16];
	const char *const whole[] = {
		load_ptop(), "-b", "-n", "1", "-d", "5", "-m", "2048", "-g", "none", "-e", EVENT, "--by",
		"comm", "-p", pid, NULL,
	};
	const char *const split[] = {
		load_ptop(), "-b", "-n", "1", "-d", "5", "-m", "2048", "-g", "none", "-e", EVENT, "--by",
		"comm,syscall", "-p", pid, NULL,
	};
	struct series without = { .len = 0 }, with = { .len = 0 };
	pid_t load = fork();

	if (load == 0)
		run_load();
	snprintf(pid, sizeof(pid), "%d", (int)load);
	for (int i = 0; i < ROUNDS; i++) {
		series_add(&without, child_run(whole).cpu_ms / 5);
		series_add(&with, child_run(split).cpu_ms / 5);
	}
	kill(load, SIGKILL);
	waitpid(load, NULL, 0);
	figure_print(&(struct figure){
		.what = EVENT " 500,000 times a second, by system call: CPU a second", .unit = "ms",
		.rule = FIGURE_TIMES, .limit = 1.5, .perf = NAN,
		.ptop = series_percentile(&with, 50), .base = series_percentile(&without, 50),
	});
	return 0;
}
