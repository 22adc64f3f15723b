/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { END_MS = 5000, STATUS_MAX = 16384 };

/* When it was executed, and the CPU time that its process had used before. */
struct stamp {
	uint64_t mono_ns, cpu_ns;
};

static const char exec_word[] = "--note-time-and-exec";

/* argv: program, word, descriptor, command line. */
static NORETURN void
note_time_and_exec(char **argv)
{
	int fd = atoi(argv[2]);
	struct stamp now;

	fcntl(fd, F_SETFD, FD_CLOEXEC);
	now.cpu_ns = clock_process_cpu_ns();
	now.mono_ns = clock_mono_ns();
	if (write(fd, &now, sizeof(now)) == (ssize_t)sizeof(now))
		execvp(argv[3], argv + 3);
	die("cannot run '%s': %s", argv[3], strerror(errno));
}

void
view_init(int argc, char **argv)
{
	struct sched_param first = { .sched_priority = 1 };

	if (argc > 3 && strcmp(argv[1], exec_word) == 0)
		note_time_and_exec(argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first) != 0)
		printf("note: cannot run before the others (%s): times hold waits of the reader\n",
		       strerror(errno));
}

void
view_open(struct view *v, const char *const args[], const char *const env[])
{
	struct pty_options options = { VIEW_WIDTH, VIEW_HEIGHT, env };
	char *argv[VIEW_ARGS_MAX + 4] = { 0 };
	char fd[16];
	int n = 0;

	memset(v, 0, sizeof(*v));
	v->stamp_fd = memfd_create("time", 0);
	snprintf(fd, sizeof(fd), "%d", v->stamp_fd);
	argv[n++] = (char *)(uintptr_t)"/proc/self/exe";
	argv[n++] = (char *)(uintptr_t)exec_word;
	argv[n++] = fd;
	for (int i = 0; i < VIEW_ARGS_MAX && args[i] != NULL; i++)
		argv[n++] = (char *)(uintptr_t)args[i];
	v->pty = pty_start(argv, &options);
	if (v->pty == NULL)
		die("cannot start '%s' in a pseudo-terminal: %s", args[0], strerror(errno));
}

static void
learn_exec_time(struct view *v)
{
	struct stamp s;

	if (v->exec_ns == 0 && pread(v->stamp_fd, &s, sizeof(s), 0) == (ssize_t)sizeof(s)) {
		v->exec_ns = s.mono_ns;
		v->cpu_before_ns = s.cpu_ns;
	}
}

bool
view_step(struct view *v, int ms)
{
	uint64_t before = v->bytes;

	/* With no time at all left it looks once. */
	pty_settle(v->pty, ms, 0);
	v->bytes = pty_byte_count(v->pty);
	learn_exec_time(v);
	if (v->bytes != before)
		v->last_ns = clock_mono_ns();
	return v->bytes != before;
}

void
view_run(struct view *v, int ms)
{
	uint64_t now = clock_mono_ns(), end = now + (uint64_t)ms * NSEC_PER_MSEC;

	for (; now < end; now = clock_mono_ns())
		view_step(v, (int)((end - now) / NSEC_PER_MSEC) + 1);
}

double
view_peak_mib(const struct view *v)
{
	struct buf text = { 0 };
	double mib = 0;
	char path[64], *at;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pty_pid(v->pty));
	if (file_read(path, &text, STATUS_MAX) == 0 &&
	    (at = strstr(buf_str(&text), "VmHWM:")) != NULL)
		mib = strtod(at + strlen("VmHWM:"), NULL) / 1024;
	buf_release(&text);
	return mib;
}

static double
ms_of(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

double
view_cpu_ms(const struct view *v)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pty_pid(v->pty), &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

double
view_close(struct view *v)
{
	const struct rusage *used;
	double ms;

	pty_keys(v->pty, "q");
	if (pty_wait_exit(v->pty, END_MS) == -1) {
		pty_signal(v->pty, SIGTERM);
		pty_wait_exit(v->pty, END_MS);
	}
	used = pty_usage(v->pty);
	ms = ms_of(used->ru_utime) + ms_of(used->ru_stime) -
	     (double)v->cpu_before_ns / (double)NSEC_PER_MSEC;
	pty_free(v->pty);
	close(v->stamp_fd);
	memset(v, 0, sizeof(*v));
	return ms;
}
