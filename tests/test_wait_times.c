/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of threads add up: running, queueing, stolen and waiting are all that there is.  It takes
 * more than half a minute: looks that are seldom are counted for seconds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/wait/looker.h"
#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/look_record.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { ID = 77, PATIENCE_MS = 60000, PID = 4711, PATIENCE_S = 60, TRIES = 6 };
#define EXACT "off-cpu/exact/"

/* A /proc with one thread, which runs. */
struct fake {
	char dir[32], task[112];
	uint64_t begin_ns, sleeps;
	bool is_queued; /* it has no CPU, and waits in the run queue */
};

static void
put(const struct fake *f, const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", f->task, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_return_code(fd, 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
	close(fd);
}

/* Of its time it has run six tenths, and waited for a CPU one. */
static void
fake_tick(struct fake *f, bool sleeps)
{
	uint64_t ns = clock_mono_ns() - f->begin_ns, turns;
	char text[128];

	f->sleeps += sleeps;
	turns = ns / 1000000 + f->sleeps + 1;
	snprintf(text, sizeof(text), "%020llu %020llu %020llu\n", (unsigned long long)(ns / 10 * 6),
		 (unsigned long long)(ns / 10), (unsigned long long)turns);
	put(f, "schedstat", text);
	snprintf(text, sizeof(text), "Name:\tx\nvoluntary_ctxt_switches:\t%020llu\n"
		 "nonvoluntary_ctxt_switches:\t%020llu\n", (unsigned long long)f->sleeps,
		 (unsigned long long)(turns - f->sleeps - !f->is_queued));
	put(f, "status", text);
}

static void
fake_begin(struct fake *f)
{
	char path[96];

	*f = (struct fake){ .dir = "/tmp/ptop-proc-XXXXXX", .begin_ns = clock_mono_ns() };
	assert_non_null(mkdtemp(f->dir));
	snprintf(path, sizeof(path), "%s/%d", f->dir, PID);
	assert_return_code(mkdir(path, 0700), 0);
	strcat(path, "/task");
	assert_return_code(mkdir(path, 0700), 0);
	snprintf(f->task, sizeof(f->task), "%s/%d", path, PID);
	assert_return_code(mkdir(f->task, 0700), 0);
	put(f, "syscall", "running\n");
	fake_tick(f, true);
}

static void
fake_end(struct fake *f)
{
	static const char *const names[] = { "schedstat", "status", "syscall" };
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", f->task, names[i]);
		unlink(path);
	}
	rmdir(f->task);
	snprintf(path, sizeof(path), "%s/%d/task", f->dir, PID);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/%d", f->dir, PID);
	rmdir(path);
	rmdir(f->dir);
}

/* Of each kind what the records of @l say. */
static void
take(struct looker *l, uint64_t by_kind[WAIT_KINDS])
{
	struct bytes bytes;
	struct record rec;

	for (; looker_peek(l, &bytes) == 1; looker_advance(l)) {
		look_decode(bytes, &rec);
		by_kind[record_look_kind(&rec.sample)] += rec.sample.period;
	}
}

/* Looks at it until @until_ns were stolen, or for so long; how long it was. */
static uint64_t
look_at_fake(bool sleeps, bool is_queued, unsigned ms, uint64_t until_ns, uint64_t by_kind[WAIT_KINDS])
{
	const struct wait_target target = { .pid = PID, .tid = PID };
	uint64_t begin = clock_mono_ns(), passed = 0;
	struct looker *l;
	struct fake f;

	fake_begin(&f);
	f.is_queued = is_queued;
	l = looker_new(&(struct looker_config){ .proc = f.dir, .id = ID, .has_queue = true });
	looker_set(l, &target, 1);
	while (passed < ms * NSEC_PER_MSEC && by_kind[WAIT_STOLEN] < until_ns) {
		usleep(3000);
		fake_tick(&f, sleeps);
		take(l, by_kind);
		passed = clock_mono_ns() - begin;
	}
	looker_free(l);
	fake_end(&f);
	return passed;
}

static void
what_is_missing_of_a_thread_that_never_sleeps_is_stolen(void **state)
{
	uint64_t by_kind[WAIT_KINDS] = { 0 }, ns;

	(void)state;
	ns = look_at_fake(false, false, PATIENCE_MS, NSEC_PER_SEC / 2, by_kind);
	print_message("# %.3f of %.3f s are stolen\n", (double)by_kind[WAIT_STOLEN] / 1e9,
		      (double)ns / 1e9);
	assert_that(by_kind[WAIT_STOLEN], >=, NSEC_PER_SEC / 2);
	/* Of the first second nobody knows, and three tenths are missing. */
	assert_that(by_kind[WAIT_STOLEN], <=, ns / 10 * 3 + 50 * NSEC_PER_MSEC);
	for (unsigned k = 0; k < WAIT_KINDS; k++)
		if (!wait_kind_could_run(k))
			assert_int_equal(by_kind[k], 0);
	assert_that(by_kind[WAIT_QUEUE], >, 0);
}

static void
what_is_missing_of_one_that_sleeps_at_times_is_not(void **state)
{
	uint64_t by_kind[WAIT_KINDS] = { 0 };

	(void)state;
	look_at_fake(true, false, 3000, UINT64_MAX, by_kind);
	assert_int_equal(by_kind[WAIT_STOLEN], 0);
	assert_that(by_kind[WAIT_QUEUE], >, 0);
}

/* How long it waits for a CPU its schedstat tells when it has one. */
static void
what_is_missing_of_one_in_the_run_queue_is_not(void **state)
{
	uint64_t by_kind[WAIT_KINDS] = { 0 };

	(void)state;
	look_at_fake(false, true, 4000, UINT64_MAX, by_kind);
	assert_int_equal(by_kind[WAIT_STOLEN], 0);
	assert_that(by_kind[WAIT_QUEUE], >, 0);
}

static void
take_rest(struct looker *l, uint64_t by_kind[WAIT_KINDS])
{
	looker_flush(l, true);
	while (!looker_is_flushed(l)) {
		take(l, by_kind);
		usleep(1000);
	}
	take(l, by_kind);
}

/* The exec of another thread gives that one the number of the first: its times are its own. */
static void
what_a_thread_has_run_before_its_times_begin_anew_was_no_wait(void **state)
{
	enum { FIRST = 300, THEN = 100, TICK_US = 3000 };
	const struct wait_target target = { .pid = PID, .tid = PID };
	uint64_t by_kind[WAIT_KINDS] = { 0 }, waited = 0, begin, first = 0, passed;
	char call[128];
	struct looker *l;
	struct fake f;

	(void)state;
	fake_begin(&f);
	begin = f.begin_ns;
	snprintf(call, sizeof(call), "%d 0x0 0x0 0x0 0x0 0x0 0x0 0x7ffc00001000 0x7f0000001000\n",
		 (int)SYS_clock_nanosleep);
	put(&f, "syscall", call);
	l = looker_new(&(struct looker_config){ .proc = f.dir, .id = ID });
	looker_set(l, &target, 1);
	for (unsigned i = 0; i < FIRST + THEN; i++) {
		usleep(TICK_US);
		if (i == FIRST) {
			f.begin_ns = clock_mono_ns();
			first = f.begin_ns - begin;
		}
		fake_tick(&f, true);
		take(l, by_kind);
	}
	take_rest(l, by_kind);
	passed = clock_mono_ns() - begin;
	looker_free(l);
	fake_end(&f);
	for (unsigned k = 0; k < WAIT_KINDS; k++)
		waited += wait_kind_could_run(k) ? 0 : by_kind[k];
	print_message("# %.3f of %.3f s were waited\n", (double)waited / 1e9, (double)passed / 1e9);
	assert_that(waited, >, 0);
	/* Three tenths of all, and not the seven of the first part. */
	assert_that(waited, <, passed / 10 * 3 + first / 10 * 4);
}

static void *
sleep_on(void *arg)
{
	for (;;)
		usleep(10000);
	return arg;
}

static pid_t
fork_sleepers(unsigned count)
{
	pid_t pid = run_fork();
	pthread_t thread;

	if (pid != 0)
		return pid;
	for (unsigned i = 1; i < count; i++)
		if (pthread_create(&thread, NULL, sleep_on, NULL) != 0)
			_exit(1);
	sleep_on(NULL);
	_exit(1);
}

/* Each report would have all looked at once more. */
static void
reports_have_no_more_looks_than_are_allowed(void **state)
{
	enum { SLEEPERS = 200, WARM = 40, REPORTS = 80 };
	struct wait_target target = { .pid = fork_sleepers(SLEEPERS) };
	struct looker *l = looker_new(&(struct looker_config){
		.proc = "/proc", .id = ID, .percent = 0.02 });
	struct looker_figures f, before = { 0 };
	uint64_t by_kind[WAIT_KINDS] = { 0 };

	(void)state;
	while (run_count_threads(target.pid) < SLEEPERS)
		usleep(10000);
	looker_set(l, &target, 1);
	for (unsigned i = 0; i < REPORTS; i++) {
		looker_flush(l, false);
		usleep(50000);
		take(l, by_kind);
		if (i == WARM)
			looker_figures(l, &before);
	}
	looker_figures(l, &f);
	looker_free(l);
	run_end(target.pid);
	print_message("# %llu looks, each %.3f s\n", (unsigned long long)(f.looks - before.looks),
		      (double)f.interval_ns / 1e9);
	assert_int_equal(f.threads, SLEEPERS);
	assert_that(f.looks - before.looks, <, (REPORTS - WARM) / 4 * SLEEPERS);
}

/* What the records of @l say of the thread @tid; how many there are of all. */
static unsigned
take_of(struct looker *l, pid_t tid, uint64_t *ns)
{
	struct bytes bytes;
	struct record rec;
	unsigned count = 0;

	for (; looker_peek(l, &bytes) == 1; looker_advance(l), count++) {
		look_decode(bytes, &rec);
		if ((pid_t)rec.id.tid == tid)
			*ns += rec.sample.period;
	}
	return count;
}

static uint64_t
on_cpu_ns(pid_t pid)
{
	char path[64], text[PROC_FILE_SMALL];
	struct procfs_schedstat s;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	n = proc_file_read(AT_FDCWD, path, text, sizeof(text));
	if (n <= 0 || !procfs_schedstat(text, (size_t)n, &s))
		skip_for("this kernel has no schedstat");
	return s.run_ns + s.queue_ns;
}

/*
 * Where a turn is long each look tells what the thread has waited, though its times are looked at now
 * and then; in the end it is what they say.
 */
static void
looks_that_are_far_apart_tell_all_they_can(void **state)
{
	enum { SLEEPERS = 120, WARM_S = 2, LOOK_S = 2, BUSY_S = 40 };
	struct wait_target target = { .pid = fork_sleepers(SLEEPERS) };
	struct looker *l = looker_new(&(struct looker_config){
		.proc = "/proc", .id = ID, .percent = 0.07 });
	uint64_t ns = 0, on_cpu, begin, asked, waited, passed, unsure;
	struct looker_figures before, f;
	unsigned records = 0;

	(void)state;
	while (run_count_threads(target.pid) < SLEEPERS)
		usleep(10000);
	on_cpu = on_cpu_ns(target.pid);
	begin = clock_mono_ns();
	looker_set(l, &target, 1);
	do {
		sleep(WARM_S);
		take_of(l, target.pid, &ns);
		looker_figures(l, &before);
	} while ((before.interval_ns < 700 * NSEC_PER_MSEC || before.presumed == 0) &&
		 clock_mono_ns() - begin < BUSY_S * NSEC_PER_SEC);
	for (unsigned i = 0; i < LOOK_S * 10; i++) {
		usleep(100000);
		records += take_of(l, target.pid, &ns);
	}
	looker_figures(l, &f);
	asked = clock_mono_ns();
	looker_flush(l, true);
	while (!looker_is_flushed(l)) {
		take_of(l, target.pid, &ns);
		usleep(1000);
	}
	take_of(l, target.pid, &ns);
	passed = clock_mono_ns() - begin;
	unsure = clock_mono_ns() - asked; /* it was looked at for the last time meanwhile */
	waited = passed - (on_cpu_ns(target.pid) - on_cpu);
	looker_free(l);
	run_end(target.pid);
	print_message("# each %.3f s: %u records of %llu looks, %llu presumed; %.3f of %.3f s\n",
		      (double)f.interval_ns / 1e9, records,
		      (unsigned long long)(f.looks - before.looks),
		      (unsigned long long)f.presumed, (double)ns / 1e9, (double)waited / 1e9);
	assert_within((double)ns, (double)waited, (double)waited / 50 + 200e6 + (double)unsure);
	/* Of what is looked at more often than it is told not each look has a record. */
	if (before.interval_ns >= 700 * NSEC_PER_MSEC)
		assert_that(records * 2, >, f.looks - before.looks);
	/* Of who waits for a CPU for long nothing is presumed. */
	if (before.interval_ns >= 700 * NSEC_PER_MSEC && waited > passed / 20 * 19)
		assert_that(f.presumed, >, 0);
}

/* Records of two processes. */
static void
count_records(struct looker *l, const pid_t pids[2], unsigned counts[2])
{
	struct bytes bytes;
	struct record rec;

	for (; looker_peek(l, &bytes) == 1; looker_advance(l)) {
		look_decode(bytes, &rec);
		counts[0] += (pid_t)rec.id.pid == pids[0];
		counts[1] += (pid_t)rec.id.pid == pids[1];
	}
}

/* In the mean of their threads: of one alone there are too few records to tell. */
static void
the_process_that_is_looked_into_has_more_looks(void **state)
{
	enum { SLEEPERS = 200, FEW = 4, ENOUGH = 12, WARM_S = 2, LONG_S = 5, BUSY_S = 60 };
	const pid_t pids[2] = { fork_sleepers(SLEEPERS), fork_sleepers(FEW) };
	struct wait_target targets[2] = { { .pid = pids[0] }, { .pid = pids[1] } };
	struct looker *l = looker_new(&(struct looker_config){
		.proc = "/proc", .id = ID, .percent = 0.05 });
	unsigned counts[2] = { 0 }, before[2];
	double preferred, others;
	struct looker_figures f;

	(void)state;
	while (run_count_threads(pids[0]) < SLEEPERS || run_count_threads(pids[1]) < FEW)
		usleep(10000);
	looker_set(l, targets, 2);
	sleep(WARM_S);
	looker_prefer(l, pids[1]);
	sleep(1);
	count_records(l, pids, counts);
	memcpy(before, counts, sizeof(before));
	/* On a busy machine a look costs more, so that there are fewer. */
	for (int i = 0; i < LONG_S || (counts[1] - before[1] < ENOUGH && i < BUSY_S); i++) {
		sleep(1);
		count_records(l, pids, counts);
	}
	looker_figures(l, &f);
	looker_free(l);
	run_end(pids[0]);
	run_end(pids[1]);
	preferred = (double)(counts[1] - before[1]) / FEW;
	others = (double)(counts[0] - before[0]) / SLEEPERS;
	print_message("# each %.3f s: %.2f records of one that is preferred, %.2f of another\n",
		      (double)f.interval_ns / 1e9, preferred, others);
	assert_that(counts[1] - before[1], >=, ENOUGH);
	/* Of threads that stay where they are there is a record each half second at most. */
	assert_that(preferred, >=, 3 * others);
}

/* A hundred waits of some 20 us each, and one of 8 ms. */
static pid_t
fork_short_waits(void)
{
	const struct timespec moment = { .tv_nsec = 20000 };
	struct pollfd nothing = { .events = POLLIN };
	pid_t pid = run_fork();
	int fds[2];

	if (pid != 0)
		return pid;
	prctl(PR_SET_TIMERSLACK, 1UL);
	if (pipe(fds) < 0)
		_exit(1);
	nothing.fd = fds[0];
	for (;;) {
		for (int i = 0; i < 100; i++)
			nanosleep(&moment, NULL);
		poll(&nothing, 1, 8);
	}
}

/* During nearly each look at one of them the thread goes on. */
static void
waits_as_short_as_a_look_are_seen(void **state)
{
	double all = 0, moments = 0;
	struct run_result r;
	char arg[16];
	pid_t pid;

	(void)state;
	need_root();
	pid = fork_short_waits();
	snprintf(arg, sizeof(arg), "%d", (int)pid);
	for (unsigned i = 0; i < TRIES && (all <= 0 || moments < 0.02 * all); i++) {
		run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "--budget", "off",
				"-b", "-n", "1", "-d", "4", "-e", "off-cpu", "-p", arg, "--by", "waitkind",
				"--format", "csv", NULL });
		assert_int_equal(r.status, 0);
		all = run_csv_sum(r.out, "period", 0, NULL);
		moments = run_csv_sum(r.out, "period", 1, (const char *const[][2]){ { "waitkind", "sleep" } });
		print_message("# %.1f %% in short waits\n", moments / all * 100);
		run_release(&r);
	}
	run_end(pid);
	assert_that(moments, >=, 0.02 * all);
}

static bool
says_uncounted(pid_t pid, const char *budget)
{
	struct run_result r;
	char arg[16];
	bool res;

	snprintf(arg, sizeof(arg), "%d", (int)pid);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "--budget",
			(char *)(uintptr_t)budget, "-b", "-n", "2", "-d", "1", "-e", "off-cpu", "-p", arg, NULL });
	assert_int_equal(r.status, 0);
	print_message("# --budget %s: %s", budget, *r.err != '\0' ? r.err : "\n");
	res = strstr(r.err, "of the time of 400 threads is not counted") != NULL;
	run_release(&r);
	return res;
}

/* The last report has all, whatever that costs; those before have what is allowed. */
static void
time_without_looks_is_told_as_not_counted(void **state)
{
	enum { SLEEPERS = 400 };
	pid_t pid = fork_sleepers(SLEEPERS);

	(void)state;
	while (run_count_threads(pid) < SLEEPERS)
		usleep(10000);
	assert_true(says_uncounted(pid, "0.01"));
	run_end(pid);
}

static void
the_last_report_has_all_threads(void **state)
{
	enum { SLEEPERS = 400 };
	struct wait_target target = { .pid = fork_sleepers(SLEEPERS) };
	struct looker *l = looker_new(&(struct looker_config){
		.proc = "/proc", .id = ID, .percent = 0.01 });
	struct looker_figures f = { 0 };
	uint64_t by_kind[WAIT_KINDS] = { 0 }, now, untold, before;

	(void)state;
	while (run_count_threads(target.pid) < SLEEPERS)
		usleep(10000);
	looker_set(l, &target, 1);
	for (; f.threads < SLEEPERS; looker_figures(l, &f))
		usleep(10000);
	sleep(1);
	looker_figures(l, &f);
	now = clock_mono_ns();
	before = looker_untold_ns(&f, now);
	print_message("# before: %.0f %%\n", (double)before * 100 / (double)(f.threads * (now - f.begun_ns)));
	assert_that(before, >, f.threads * (now - f.begun_ns) / 2);
	take_rest(l, by_kind);
	now = clock_mono_ns();
	looker_figures(l, &f);
	untold = looker_untold_ns(&f, now);
	print_message("# after: %.0f %%\n", (double)untold * 100 / (double)(f.threads * (now - f.begun_ns)));
	assert_that(untold, <, before / 2);
	looker_free(l);
	run_end(target.pid);
}

/* What a thread has done, in seconds. */
struct times {
	double all, run, waiting;       /* by looks and samples */
	double off_cpu, exact_waiting;  /* by switches */
};

static struct times
times_of(const char *text, int tid)
{
	struct times t = { 0 };
	struct csv c;

	csv_init(&c, text);
	while (csv_next(&c)) {
		const char *state = csv_field(&c, "state");
		bool waits = strcmp(state, "run") != 0 && strcmp(state, "queue") != 0 &&
			     strcmp(state, "stolen") != 0;
		double s = csv_number(&c, "period") / 1e9;

		if (atoi(csv_field(&c, "tid")) != tid)
			continue;
		if (strcmp(csv_field(&c, "event"), EXACT) == 0) {
			t.off_cpu += s;
			t.exact_waiting += waits ? s : 0;
		} else {
			t.all += s;
			t.run += strcmp(state, "run") == 0 ? s : 0;
			t.waiting += waits ? s : 0;
		}
	}
	csv_release(&c);
	return t;
}

/* Their event begins later than the other: it is compared what part of the time each saw. */
static double
exact_share(const struct times *t)
{
	return t->exact_waiting / (t->off_cpu / (1 - t->run / t->all));
}

/* One thread only waits: it tells how long all were looked at. */
static bool
all_add_up(pid_t load)
{
	static const char *const names[] = { "worker", "holder", "feeder" };
	struct run_result r;
	bool res = true;
	double wall;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)load);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "--budget", "off",
			"-b", "-n", "1", "-d", "4", "-e", "wall-clock", "-e", EXACT, "-p", pid,
			"--by", "event,tid,state", "--format", "csv", NULL });
	assert_int_equal(r.status, 0);
	wall = times_of(r.out, (int)load).all;
	assert_that(wall, >, 3);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct times t = times_of(r.out, run_thread(load, names[i]));

		double share = t.waiting / t.all - exact_share(&t);

		print_message("# %s: %.1f %% of %.3f s; waiting %.2f %% of it, by switches %.2f %%\n",
			      names[i], t.all / wall * 100, wall, t.waiting / t.all * 100,
			      exact_share(&t) * 100);
		res = res && t.all > wall * 0.98 && t.all < wall * 1.02 && share > -0.01 &&
		      share < 0.01;
	}
	run_release(&r);
	return res;
}

/* On a machine that stalls each event has a begin of its own: one of some is enough. */
static void
all_of_a_thread_adds_up_and_waiting_is_what_switches_say(void **state)
{
	pid_t load;
	bool res = false;

	(void)state;
	need_root();
	load = run_load("waits");
	run_thread(load, "feeder");
	for (unsigned i = 0; i < TRIES && !res; i++)
		res = all_add_up(load);
	run_end(load);
	assert_true(res);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_missing_of_a_thread_that_never_sleeps_is_stolen),
		cmocka_unit_test(what_is_missing_of_one_that_sleeps_at_times_is_not),
		cmocka_unit_test(what_is_missing_of_one_in_the_run_queue_is_not),
		cmocka_unit_test(what_a_thread_has_run_before_its_times_begin_anew_was_no_wait),
		cmocka_unit_test(reports_have_no_more_looks_than_are_allowed),
		cmocka_unit_test(waits_as_short_as_a_look_are_seen),
		cmocka_unit_test(time_without_looks_is_told_as_not_counted),
		cmocka_unit_test(the_last_report_has_all_threads),
		cmocka_unit_test(looks_that_are_far_apart_tell_all_they_can),
		cmocka_unit_test(the_process_that_is_looked_into_has_more_looks),
		cmocka_unit_test(all_of_a_thread_adds_up_and_waiting_is_what_switches_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
