/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at threads that wait: their records, and that no time of theirs is lost or made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/wait/looker.h"
#include "live/wait/socket_peer.h"
#include "tests/asserts.h"
#include "tests/family.h"
#include "tests/hanging_fs.h"
#include "tests/look_record.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { ID = 77, WAIT_MS = 60000 };

/* What the records of a looker say of one thread. */
struct told {
	uint64_t ns, records;     /* all */
	uint64_t call_ns[512];    /* by the system call */
	uint64_t no_place_ns;
	size_t stack_least;       /* the shortest copy of a stack */
	uint64_t unsure_ns;       /* that passed while its first and its last look were asked for */
};

static void
add_record(struct told *told, struct bytes bytes, int tid)
{
	uint64_t args[RECORD_LOOK_ARGS];
	struct record rec;
	int call;

	look_decode(bytes, &rec);
	assert_int_equal(rec.id.id, ID);
	if ((int)rec.id.tid != tid)
		return;
	told->records++;
	told->ns += rec.sample.period;
	if (record_look_kind(&rec.sample) == WAIT_UNKNOWN) {
		told->no_place_ns += rec.sample.period;
		return;
	}
	call = record_look_call(&rec.sample, args);
	told->stack_least = MIN(told->stack_least, rec.sample.stack_user.len);
	if (call >= 0 && call < (int)ARRAY_SIZE(told->call_ns))
		told->call_ns[call] += rec.sample.period;
}

static void
take_records(struct looker *l, struct told *told, int tid)
{
	struct bytes bytes;

	while (looker_peek(l, &bytes) == 1) {
		add_record(told, bytes, tid);
		looker_advance(l);
	}
}

static void
wait_for_flush(struct looker *l, struct told *told, int tid)
{
	uint64_t end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;

	looker_flush(l, false);
	while (!looker_is_flushed(l)) {
		assert_that(clock_mono_ns(), <, end);
		take_records(l, told, tid);
		usleep(1000);
	}
	take_records(l, told, tid);
}

static struct looker *
start(void)
{
	return looker_new(&(struct looker_config){ .proc = "/proc", .id = ID, .has_stacks = true });
}

static void
read_sched(pid_t tid, struct procfs_schedstat *s)
{
	char path[64], text[PROC_FILE_SMALL];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)tid);
	n = proc_file_read(AT_FDCWD, path, text, sizeof(text));
	if (n <= 0 || !procfs_schedstat(text, (size_t)n, s))
		skip_for("this kernel has no schedstat");
}

/* Where others have the CPUs it takes a while until a new process waits for anything else. */
static void
wait_until_asleep(pid_t pid)
{
	for (int tries = 0; tries < 10000 && family_state(pid) != 'S'; tries++)
		usleep(1000);
}

/* Looks at @pid for a while. What it waited meanwhile, by its schedstat, is *@waited_ns. */
static void
look_for(pid_t pid, unsigned ms, struct told *told, uint64_t *waited_ns)
{
	const struct wait_target target = { .pid = (int)pid };
	struct procfs_schedstat before, after;
	struct looker *l = start();
	uint64_t asked = clock_mono_ns(), begin, end;

	*told = (struct told){ .stack_least = SIZE_MAX };
	looker_set(l, &target, 1);
	wait_for_flush(l, told, (int)pid); /* it has been looked at once */
	read_sched(pid, &before);
	begin = clock_mono_ns();
	for (unsigned i = 0; i < ms / 10; i++) {
		usleep(10000);
		take_records(l, told, (int)pid);
	}
	told->unsure_ns = begin - asked;
	asked = clock_mono_ns();
	wait_for_flush(l, told, (int)pid);
	read_sched(pid, &after);
	end = clock_mono_ns();
	told->unsure_ns += end - asked;
	*waited_ns = end - begin - (after.run_ns - before.run_ns) -
		     (after.queue_ns - before.queue_ns);
	looker_free(l);
}

static void
addresses_are_told_as_people_write_them(void **state)
{
	static const struct {
		uint8_t bytes[28];
		size_t len;
		const char *text; /* NULL: it tells nothing */
	} rows[] = {
		{ { AF_INET, 0, 0x15, 0x38, 10, 0, 0, 5 }, 16, "10.0.0.5:5432" },
		{ { AF_INET, 0, 0, 0, 10, 0, 0, 5 }, 16, NULL },
		{ { AF_INET, 0, 0x15, 0x38 }, 8, NULL },
		{ { AF_INET6, 0, 0, 80, [23] = 1 }, 28, "[::1]:80" },
		{ { AF_INET6, 0, 0, 80, [18] = 0xff, 0xff, 10, 0, 0, 5 }, 28, "10.0.0.5:80" },
		{ { AF_INET6, 0, 0, 80, [23] = 1 }, 27, NULL },
		{ { AF_UNIX, 0, '/', 'r', '/', 'x', 'y' }, 6, "/r/x" },
		{ { AF_UNIX, 0, '/', 'r' }, 20, "/r" },
		{ { AF_UNIX, 0, 0, 'a', 'b', 'c' }, 5, "@ab" },
		{ { AF_UNIX, 0, 0 }, 3, NULL },
		{ { AF_UNIX, 0 }, 2, NULL },
		{ { AF_UNIX }, 1, NULL },
		{ { 200, 0, 1, 2, 3 }, 16, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sockaddr_storage address = { 0 };
		char text[SOCKET_PEER_MAX] = "";

		memcpy(&address, rows[i].bytes, rows[i].len);
		assert_int_equal(socket_address(&address, rows[i].len, text), rows[i].text != NULL);
		if (rows[i].text != NULL)
			assert_string_equal(text, rows[i].text);
	}
}

static void
all_the_time_of_a_thread_that_only_waits_is_at_its_place(void **state)
{
	struct told told;
	uint64_t waited_ns;
	pid_t pid = run_fork();

	(void)state;
	if (pid == 0)
		for (;;)
			poll(NULL, 0, -1);
	wait_until_asleep(pid);
	look_for(pid, 1000, &told, &waited_ns);
	run_end(pid);
	assert_within(told.ns, waited_ns, 100 * NSEC_PER_MSEC + told.unsure_ns);
	assert_int_equal(told.no_place_ns, 0);
#ifdef SYS_poll
	assert_that(told.call_ns[SYS_poll], >=, told.ns * 0.95);
#endif
	assert_that(told.stack_least, >, 0);
	/* It has not run: some few records are enough. */
	assert_that(told.records, <=, 12);
}

static void *
wait_for_ever(void *arg)
{
	for (;;)
		poll(NULL, 0, -1);
	return arg;
}

/* The next record of a looker. */
static struct bytes
next_record(struct looker *l, uint64_t end_ns)
{
	struct bytes bytes;

	while (looker_peek(l, &bytes) != 1) {
		assert_that(clock_mono_ns(), <, end_ns);
		usleep(1000);
	}
	return bytes;
}

/* Who counts it knows it again without reading its stack. */
static void
a_wait_that_goes_on_is_one_record_that_comes_again(void **state)
{
	const uint64_t end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;
	const struct record_layout layout = look_layout();
	const uint8_t *data = NULL;
	uint64_t tag = 0, time_ns = 0, *kept;
	pid_t pid = run_fork();
	struct wait_target target = { .pid = (int)pid };
	struct looker *l;
	struct record rec;

	(void)state;
	if (pid == 0)
		wait_for_ever(NULL);
	l = start();
	looker_set(l, &target, 1);
	for (unsigned again = 0; again < 2; looker_advance(l)) {
		struct bytes bytes = next_record(l, end);

		look_decode(bytes, &rec);
		if ((pid_t)rec.id.tid != pid)
			continue;
		kept = looker_tag(l, bytes);
		assert_that(rec.sample.period, >, 0);
		assert_that(rec.id.time_ns, >=, time_ns);
		time_ns = rec.id.time_ns;
		if (kept == NULL)
			continue;
		if (again++ == 0) {
			assert_int_equal(*kept, 0);
			*kept = tag = record_sample_tag(&layout, bytes);
			data = bytes.data;
		}
		assert_ptr_equal(bytes.data, data);
		assert_true(*kept == tag && record_sample_tag(&layout, bytes) == tag);
#ifdef SYS_poll
		assert_that(rec.sample.stack_user.len, >, 256);
#endif
	}
	run_end(pid);
	looker_free(l);
}

/* Sleeps 4 ms, waits in poll() for 12, is busy for some time. */
static void
run_in_turns(void)
{
	const struct timespec nap = { .tv_nsec = 4000000 };

	for (;;) {
		uint64_t until = clock_mono_ns() + 3 * NSEC_PER_MSEC;

		nanosleep(&nap, NULL);
		poll(NULL, 0, 12);
		while (clock_mono_ns() < until)
			;
	}
}

static void
time_is_divided_among_places_and_none_is_lost(void **state)
{
	struct told told;
	uint64_t waited_ns, sum = 0;
	pid_t pid = run_fork();

	(void)state;
	if (pid == 0)
		run_in_turns();
	look_for(pid, 3000, &told, &waited_ns);
	run_end(pid);
	for (size_t i = 0; i < ARRAY_SIZE(told.call_ns); i++)
		sum += told.call_ns[i];
	assert_within(told.ns, waited_ns, 100 * NSEC_PER_MSEC + told.unsure_ns);
	assert_that(sum, >=, told.ns * 0.95);
#ifdef SYS_poll
	assert_within((double)told.call_ns[SYS_poll] / (double)told.ns, 0.75, 0.12);
#endif
	assert_that(told.records, >, 10);
}

static void
a_thread_that_only_runs_waits_nowhere(void **state)
{
	struct told told;
	uint64_t waited_ns;
	pid_t pid = run_fork();

	(void)state;
	if (pid == 0)
		for (;;)
			;
	look_for(pid, 500, &told, &waited_ns);
	run_end(pid);
	assert_that(told.ns, <, 50 * NSEC_PER_MSEC);
}

enum { IDLE_MS = 400, WAITERS = 20 };

/* Threads that wait, and one that runs for 5 ms once in a while, if it does. */
static void
wait_together(bool one_runs)
{
	const struct timespec idle = { .tv_nsec = IDLE_MS * 1000000 };
	pthread_t thread;

	for (int i = 0; i < WAITERS; i++)
		pthread_create(&thread, NULL, wait_for_ever, NULL);
	while (one_runs) {
		uint64_t until = clock_mono_ns() + 5 * NSEC_PER_MSEC;

		nanosleep(&idle, NULL);
		while (clock_mono_ns() < until)
			;
	}
	wait_for_ever(NULL);
}

static bool
is_mostly_told(const struct looker_figures *f)
{
	uint64_t now = clock_mono_ns();

	return looker_untold_ns(f, now) < (now - f->begun_ns) * f->threads / 2;
}

/* The figures at which that many looks had nothing to read, and most of the threads' time is told. */
static struct looker_figures
look_until_they_stay(pid_t pid, uint64_t stayed, struct told *told)
{
	const struct wait_target target = { .pid = (int)pid };
	uint64_t end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;
	struct looker_figures f = { 0 };
	struct looker *l = start();

	*told = (struct told){ .stack_least = SIZE_MAX };
	looker_set(l, &target, 1);
	for (; f.stayed < stayed; looker_figures(l, &f)) {
		assert_that(clock_mono_ns(), <, end);
		usleep(10000);
		take_records(l, told, (int)pid);
	}
	/* Of places in the kernel nothing is told before its functions are known. */
	do {
		assert_that(clock_mono_ns(), <, end);
		wait_for_flush(l, told, (int)pid);
		looker_figures(l, &f);
	} while (!is_mostly_told(&f));
	looker_free(l);
	return f;
}

static void
threads_of_a_process_that_does_not_run_need_no_reading(void **state)
{
	struct looker_figures f;
	struct told told;
	pid_t pid = run_fork();

	(void)state;
	if (pid == 0)
		wait_together(false);
	while (run_count_threads(pid) < WAITERS + 1)
		usleep(1000);
	/* All of their time is told nonetheless, or this fails. */
	f = look_until_they_stay(pid, 10 * WAITERS, &told);
	run_end(pid);
	assert_that(f.stayed, >, f.looks / 2);
	assert_that(f.same, >=, f.stayed);
}

/* What it ran in between is found, and is no waiting. */
static void
a_thread_that_runs_now_and_then_has_all_its_time(void **state)
{
	uint64_t waited_ns;
	struct told told;
	pid_t pid = run_fork();

	(void)state;
	if (pid == 0)
		wait_together(true);
	while (run_count_threads(pid) < WAITERS + 1)
		usleep(1000);
	look_for(pid, 2000, &told, &waited_ns);
	run_end(pid);
	assert_within(told.ns, waited_ns, 100 * NSEC_PER_MSEC + told.unsure_ns);
}

static void
what_is_not_wanted_any_more_is_not_looked_at(void **state)
{
	struct looker_figures f = { .threads = 1 };
	uint64_t end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;
	struct looker *l = start();
	const struct wait_target none = { 0 }, self = { .pid = (int)getppid() };

	(void)state;
	looker_set(l, &self, 1);
	for (f.threads = 0; f.threads == 0; looker_figures(l, &f)) {
		assert_that(clock_mono_ns(), <, end);
		usleep(1000);
	}
	looker_set(l, &none, 0);
	while (f.threads > 0) {
		assert_that(clock_mono_ns(), <, end);
		usleep(1000);
		looker_figures(l, &f);
	}
	looker_free(l);
}

static void
threads_that_end_are_let_go(void **state)
{
	struct looker_figures f = { 0 };
	uint64_t end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;
	pid_t pid = run_fork();
	struct looker *l = start();
	struct wait_target target = { .pid = (int)pid };

	(void)state;
	if (pid == 0)
		for (;;)
			pause();
	looker_set(l, &target, 1);
	for (; f.threads == 0; looker_figures(l, &f)) {
		assert_that(clock_mono_ns(), <, end);
		usleep(1000);
	}
	run_end(pid);
	for (; f.threads > 0; looker_figures(l, &f)) {
		assert_that(clock_mono_ns(), <, end);
		usleep(1000);
	}
	looker_free(l);
}

static void
the_whole_machine_is_looked_at_but_for_the_looker(void **state)
{
	struct looker_figures f = { 0 };
	uint64_t end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;
	struct looker *l = start();
	struct told told = { 0 };
	pid_t pid = run_fork();

	(void)state;
	if (pid == 0)
		for (;;)
			pause();
	looker_set(l, NULL, 0);
	while (told.records == 0) {
		assert_that(clock_mono_ns(), <, end);
		usleep(10000);
		take_records(l, &told, (int)pid);
	}
	told = (struct told){ 0 };
	wait_for_flush(l, &told, (int)getpid());
	assert_int_equal(told.records, 0);
	looker_figures(l, &f);
	assert_that(f.threads, >, 1);
	run_end(pid);
	looker_free(l);
}

static pthread_mutex_t locks[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				    PTHREAD_MUTEX_INITIALIZER };
static pthread_barrier_t all_locked;
static size_t lockers;

/* Takes its lock, and when all have theirs that of the next. */
static void *
take_two(void *arg)
{
	size_t own = (size_t)(uintptr_t)arg;

	pthread_mutex_lock(&locks[own]);
	pthread_barrier_wait(&all_locked);
	pthread_mutex_lock(&locks[(own + 1) % lockers]);
	return arg;
}

/* A process whose threads wait for each other; or in a row for one that sleeps. */
static void
lock_in_a_circle(size_t count, bool is_open)
{
	pthread_t thread;

	lockers = count;
	pthread_barrier_init(&all_locked, NULL, (unsigned)count);
	for (size_t i = 0; i + is_open < count; i++)
		pthread_create(&thread, NULL, take_two, (void *)(uintptr_t)i);
	if (is_open) {
		pthread_mutex_lock(&locks[count - 1]);
		pthread_barrier_wait(&all_locked);
	}
	wait_for_ever(NULL);
}

/* As who has seen the stacks of those that wait does. */
static void
trust_all(struct looker *l)
{
	uint64_t args[RECORD_LOOK_ARGS];
	struct bytes bytes;
	struct record rec;

	for (; looker_peek(l, &bytes) == 1; looker_advance(l)) {
		look_decode(bytes, &rec);
		if (record_look_call(&rec.sample, args) == SYS_futex)
			looker_set_tops(l, &(struct wait_top){ .tid = (int)rec.id.tid,
							       .lock = args[0] }, 1);
	}
}

/* How long a deadlock it is said to be, after some seconds. */
static size_t
deadlock_of(size_t count, bool is_open, bool is_trusted)
{
	uint64_t end = clock_mono_ns() + (is_open || !is_trusted ? 4000 : WAIT_MS) * NSEC_PER_MSEC;
	struct looker_figures f = { 0 };
	pid_t pid = run_fork();
	struct wait_target target = { .pid = (int)pid };
	struct looker *l = start();

	if (pid == 0)
		lock_in_a_circle(count, is_open);
	looker_set(l, &target, 1);
	while (f.deadlock_len == 0 && clock_mono_ns() < end) {
		usleep(20000);
		if (is_trusted)
			trust_all(l);
		looker_figures(l, &f);
	}
	looker_free(l);
	run_end(pid);
	/* They do not run: they are looked at more seldom, and most looks find that. */
	if (f.deadlock_len > 0) {
		assert_that(f.reached_ns, >, f.planned_ns);
		assert_true(f.is_still);
	}
	for (size_t i = 0; i < f.deadlock_len; i++) {
		assert_that(f.deadlock[i], >, pid);
		assert_that(f.deadlock[i], >=, f.deadlock[0]);
	}
	return f.deadlock_len;
}

static void
threads_that_wait_for_each_other_are_a_deadlock(void **state)
{
	(void)state;
	assert_int_equal(deadlock_of(2, false, true), 2);
	assert_int_equal(deadlock_of(3, false, true), 3);
	assert_int_equal(deadlock_of(3, true, true), 0);
	/* Words can be any: the stacks have to say that they are locks. */
	assert_int_equal(deadlock_of(2, false, false), 0);
}

enum { STACK_AT = 64 << 10, MAPPED = 256 << 10 };

/* A thread whose stack ends in the middle of a file: what is above it is not in memory. */
static void
wait_on_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *map = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	pthread_attr_t attr;
	pthread_t thread;

	if (map == MAP_FAILED)
		_exit(1);
	madvise(map, MAPPED, MADV_RANDOM); /* nothing is read ahead */
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, map, STACK_AT);
	if (pthread_create(&thread, &attr, wait_for_ever, NULL) != 0)
		_exit(1);
	wait_for_ever(NULL);
}

/* Looks at @pid until it hangs there; the process that it hung on. */
static int
look_until_it_hangs(struct looker *l, const struct wait_target *targets, size_t count)
{
	uint64_t end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;
	int pid = 0;

	looker_set(l, targets, count);
	while (pid == 0 && clock_mono_ns() < end) {
		usleep(50000);
		pid = looker_check(l);
	}
	return pid;
}

static void
a_stack_that_cannot_be_read_holds_up_nobody_else(void **state)
{
	char dir[] = "/tmp/ptop-look-XXXXXX", path[300];
	struct hanging_fs fs = { .server = 0 };
	struct told told = { 0 };
	struct wait_target targets[2];
	struct looker *l;
	pid_t other;
	uint64_t end;
	int hung;

	(void)state;
	need_root();
	if (IS_SANITIZED)
		skip_for("a sanitizer's threads need more of a stack");
	run_own_mounts();
	assert_non_null(mkdtemp(dir));
	if (!hanging_fs_start(&fs, dir, "/proc/self/exe", "stack")) {
		rmdir(dir);
		skip_for("no file system in user space can be mounted here");
	}
	snprintf(path, sizeof(path), "%s/stack", dir);
	targets[0].pid = (int)run_fork();
	if (targets[0].pid == 0)
		wait_on_file(path);
	other = run_fork();
	if (other == 0)
		wait_for_ever(NULL);
	targets[1] = (struct wait_target){ .pid = (int)other };
	targets[0].tid = 0;
	while (run_count_threads(targets[0].pid) < 2)
		usleep(1000);
	*fs.mode = HANGING_FS_NO_READS;
	l = start();
	hung = look_until_it_hangs(l, targets, 2);
	end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;
	told = (struct told){ 0 };
	while (told.records == 0 && clock_mono_ns() < end) {
		usleep(10000);
		take_records(l, &told, (int)other);
	}
	looker_free(l);
	hanging_fs_end(&fs);
	run_end(targets[0].pid);
	run_end(other);
	rmdir(dir);
	assert_int_equal(hung, targets[0].pid);
	assert_that(told.records, >, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_told_as_people_write_them),
		cmocka_unit_test(all_the_time_of_a_thread_that_only_waits_is_at_its_place),
		cmocka_unit_test(a_wait_that_goes_on_is_one_record_that_comes_again),
		cmocka_unit_test(time_is_divided_among_places_and_none_is_lost),
		cmocka_unit_test(a_thread_that_only_runs_waits_nowhere),
		cmocka_unit_test(threads_of_a_process_that_does_not_run_need_no_reading),
		cmocka_unit_test(a_thread_that_runs_now_and_then_has_all_its_time),
		cmocka_unit_test(what_is_not_wanted_any_more_is_not_looked_at),
		cmocka_unit_test(threads_that_end_are_let_go),
		cmocka_unit_test(threads_that_wait_for_each_other_are_a_deadlock),
		cmocka_unit_test(a_stack_that_cannot_be_read_holds_up_nobody_else),
		cmocka_unit_test(the_whole_machine_is_looked_at_but_for_the_looker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
