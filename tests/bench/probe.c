/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What counting its calls costs a function that is called 20,000 times a second: by its begin alone,
 * as perf stat counts a uprobe, of one thread and of many, and with the time inside.  By turns, since
 * what a trap costs differs from minute to minute, and each from when its probe is hit: how long that
 * takes to open is another question.  Of a turn the call in the middle counts: where others have the
 * CPU a call takes as long as they do.
 */
#include "base/clock.h"
#include "figure.h"
#include "load.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	EACH_US = 50,
	STEP_US = 20000,
	PATIENCE_S = 60,
	LATEST = 200, /* calls that tell whether a probe is there */
	RING = 1 << 15,
	SETTLE_S = 1,
	MEASURE_S = 1,
	ROUNDS = 9,
	THREADS = 16,
};

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
	atomic_ulong calls;
	uint32_t ns[RING]; /* of each, the newest */
};

static void *
idle(void *arg)
{
	while (arg == NULL)
		pause();
	return arg;
}

/* But for one its threads do nothing: the probe is open for each of them. */
static void
run_load(struct done *done, int (*call)(void), int threads)
{
	pthread_t thread;

	for (int i = 1; i < threads; i++)
		if (pthread_create(&thread, NULL, idle, NULL) != 0)
			_exit(1);
	for (uint64_t next_ns = clock_mono_ns();; next_ns += EACH_US * 1000) {
		uint64_t begin_ns;

		while ((begin_ns = clock_mono_ns()) < next_ns)
			;
		call();
		done->ns[done->calls % RING] = (uint32_t)MIN(clock_mono_ns() - begin_ns, UINT32_MAX);
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

	if (pid <= 0)
		return status; /* it could not be started; to kill(2) -1 is everybody */
	if (signal != 0)
		kill(pid, signal);
	waitpid(pid, &status, 0);
	return status;
}

static int
by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Nanoseconds of the calls since that one, half take no longer; NAN: there were none. */
static double
middle_since(const struct done *done, unsigned long from)
{
	static uint32_t ns[RING];
	unsigned long count = MIN(done->calls - from, (unsigned long)RING);

	for (unsigned long i = 0; i < count; i++)
		ns[i] = done->ns[(from + i) % RING];
	qsort(ns, count, sizeof(*ns), by_value);
	return count > 0 ? ns[count / 2] : NAN;
}

/* Until each call takes twice what it takes alone, or does not any more. */
static bool
comes_to(const struct done *done, bool is_probed, double alone)
{
	const int most = PATIENCE_S * 1000000 / STEP_US;

	for (int i = 0; i < most;) {
		unsigned long from = done->calls;

		/* A load that has ended calls no more. */
		for (; i < most && done->calls - from < LATEST; i++)
			usleep(STEP_US);
		if ((middle_since(done, from) > 2 * alone) == is_probed)
			return true;
	}
	return false;
}

/* Nanoseconds of a call. */
static double
measure(const struct done *done)
{
	unsigned long from;

	sleep(SETTLE_S);
	from = done->calls;
	sleep(MEASURE_S);
	return middle_since(done, from);
}

/* By how much a call takes longer while @args runs beside it; NAN: it has no probe. */
static double
measure_beside(const struct done *done, const char *const args[], double alone)
{
	pid_t pid = start(args);
	double ns = comes_to(done, true, alone) ? measure(done) - alone : NAN;

	finish(pid, SIGINT);
	return comes_to(done, false, alone) ? ns : NAN;
}

/* What ptop's turns take more than perf's: with 19 of 20 such benches at least that. */
static void
print_more(struct series *more)
{
	double low, high;

	series_interval(more, &low, &high);
	figure_print(&(struct figure){
		.what = "more than perf's, at least", .unit = "ns", .rule = FIGURE_MOST,
		.perf = NAN, .ptop = low, .limit = 0,
	});
}

static void
bench(const char *what, const char *function, int (*call)(void), int threads, bool is_as_perf)
{
	struct done *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct series by_perf = { .len = 0 }, by_ptop = { .len = 0 }, more = { .len = 0 };
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
		run_load(done, call, threads);
	snprintf(pid, sizeof(pid), "%d", (int)load);
	/* By its address: of a program with debug data perf finds no function without them. */
	snprintf(probe, sizeof(probe), EVENT "=0x%lx",
		 (unsigned long)((uintptr_t)call - (uintptr_t)__executable_start));
	has_perf = load_has_perf() && finish(start(set), 0) == 0;
	for (int i = 0; i < ROUNDS; i++) {
		double alone = measure(done), ns = NAN;

		if (has_perf)
			series_add(&by_perf, ns = measure_beside(done, perf, alone));
		series_add(&by_ptop, measure_beside(done, ptop, alone));
		if (has_perf)
			series_add(&more, by_ptop.values[i] - ns);
	}
	if (has_perf)
		finish(start(unset), 0);
	finish(load, SIGKILL);
	munmap(done, sizeof(*done));
	figure_print(&(struct figure){
		.what = what, .unit = "ns", .rule = FIGURE_INFO,
		.perf = series_percentile(&by_perf, 50), .ptop = series_percentile(&by_ptop, 50),
	});
	if (is_as_perf && has_perf)
		print_more(&more);
}

int
main(void)
{
	bench("20,000 calls a second, counted: a call takes longer by", "bench_counted",
	      bench_counted, 1, true);
	bench("the same by one of 16 threads", "bench_counted", bench_counted, THREADS, true);
	bench("the same with the time inside", "bench_timed", bench_timed, 1, false);
	return 0;
}
