/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What counting its calls costs a function that is called 20,000 times a second: by its begin alone,
 * as perf stat counts a uprobe, and with the time inside.  By turns, since what a trap costs differs
 * from minute to minute.
 */
#include "base/clock.h"
#include "figure.h"
#include "load.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EACH_US = 50, SETTLE_S = 1, MEASURE_S = 1, ROUNDS = 9 };

#define EVENT "ptop_bench"

extern const char __executable_start[]; /* the linker's: where the program is mapped */
int bench_counted(void);
int bench_timed(void);

/* Of so many ends its begin alone is probed. */
__asm__(".text\n"
	".globl bench_counted\n.type bench_counted, %function\n"
	"bench_counted:\n"
	"	nop\n"
	".rept 80\n"
	"	ret\n"
	".endr\n"
	".size bench_counted, .-bench_counted\n"
	".globl bench_timed\n.type bench_timed, %function\n"
	"bench_timed:\n"
	"	nop\n"
	"	ret\n"
	".size bench_timed, .-bench_timed\n");

/* What the load has done so far. */
struct done {
	atomic_ulong calls, ns;
};

static void
run_load(struct done *done, int (*call)(void))
{
	for (uint64_t next_ns = clock_mono_ns();; next_ns += EACH_US * 1000) {
		uint64_t begin_ns;

		while ((begin_ns = clock_mono_ns()) < next_ns)
			;
		call();
		done->ns += clock_mono_ns() - begin_ns;
		done->calls++;
	}
}

static pid_t
start(const char *const args[])
{
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		execvp(args[0], (char *const *)(uintptr_t)args);
		_exit(127);
	}
	return pid;
}

static int
finish(pid_t pid, int signal)
{
	int status = -1;

	if (signal != 0)
		kill(pid, signal);
	waitpid(pid, &status, 0);
	return status;
}

/* Nanoseconds of a call while @args runs beside it, NULL: nothing does. */
static double
measure(struct done *done, const char *const args[])
{
	pid_t pid = args != NULL ? start(args) : 0;
	unsigned long calls, ns;

	sleep(SETTLE_S);
	calls = done->calls;
	ns = done->ns;
	sleep(MEASURE_S);
	calls = done->calls - calls;
	ns = done->ns - ns;
	if (pid > 0)
		finish(pid, SIGINT);
	return calls > 0 ? (double)ns / (double)calls : NAN;
}

static void
bench(const char *what, const char *function, int (*call)(void), enum figure_rule rule)
{
	struct done *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct series by_perf = { .len = 0 }, by_ptop = { .len = 0 };
	char path[LOAD_PATH_MAX], pid[16], probe[64];
	const char *const set[] = { "perf", "probe", "-q", "-x", load_built(path, "bench/probe"),
				    probe, NULL };
	const char *const unset[] = { "perf", "probe", "-q", "-d", "probe_*:" EVENT, NULL };
	const char *const perf[] = { "perf", "stat", "-e", "probe_probe:" EVENT, "-p", pid, NULL };
	const char *const ptop[] = { load_ptop(), "-b", "-d", "1", "--count-function", function,
				     "--force-probe", "-p", pid, NULL };
	pid_t load = fork();
	bool has_perf;

	if (load == 0)
		run_load(done, call);
	snprintf(pid, sizeof(pid), "%d", (int)load);
	/* By its address: of a program with debug data perf finds no function without them. */
	snprintf(probe, sizeof(probe), EVENT "=0x%lx",
		 (unsigned long)((uintptr_t)call - (uintptr_t)__executable_start));
	has_perf = load_has_perf() && finish(start(set), 0) == 0;
	for (int i = 0; i < ROUNDS; i++) {
		double alone = measure(done, NULL);

		if (has_perf)
			series_add(&by_perf, measure(done, perf) - alone);
		series_add(&by_ptop, measure(done, ptop) - alone);
	}
	if (has_perf)
		finish(start(unset), 0);
	finish(load, SIGKILL);
	munmap(done, sizeof(*done));
	figure_print(&(struct figure){
		.what = what, .unit = "ns", .rule = rule, .limit = 1,
		.perf = series_percentile(&by_perf, 50), .ptop = series_percentile(&by_ptop, 50),
	});
}

int
main(void)
{
	bench("20,000 calls a second, counted: a call takes longer by", "bench_counted",
	      bench_counted, FIGURE_PART);
	bench("the same with the time inside", "bench_timed", bench_timed, FIGURE_INFO);
	return 0;
}
