/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits that are as short as a look.  Of a thread that could run the looker may be what it waits for:
 * what is told of it after the looker has slept for a moment; and what is known of a stack that was
 * read while its thread ran.  Its files are made here, as what those of /proc say is a matter of chance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/clock.h"
#include "live/wait/wait_thread.h"
#include "tests/asserts.h"
#include "tests/fake_proc.h"

enum { INTERVAL_MS = 20, RUN_US = 100, SHORT_US = 5 };

struct fixture {
	struct fake_proc proc;
	struct wait_thread thread;
	struct wait_env env;
	struct buf out;
	char stack[1024];
};

static void
write_file(struct fixture *f, const char *name, const char *text)
{
	char path[256];

	fake_write(fake_path(&f->proc, path, sizeof(path), "%d/task/%d/%s", getpid(), getpid(), name),
		   text, strlen(text));
}

static void
set_times(struct fixture *f, uint64_t run_ns, uint64_t queue_ns, unsigned turns)
{
	char text[128];

	snprintf(text, sizeof(text), "%llu %llu %u\n", (unsigned long long)run_ns,
		 (unsigned long long)queue_ns, turns);
	write_file(f, "schedstat", text);
}

static void
set_call(struct fixture *f, long call)
{
	char text[128];

	snprintf(text, sizeof(text), "%ld 0x7 0x0 0x0 0x0 0x0 0x0 0x%llx 0x401000\n", call,
		 (unsigned long long)(uintptr_t)f->stack);
	write_file(f, "syscall", text);
}

/* It waits in read(2), and at the next look it could run. */
static int
setup(void **state)
{
	const struct timespec interval = { .tv_nsec = INTERVAL_MS * NSEC_PER_MSEC };
	struct fixture *f = mem_calloc(1, sizeof(*f));
	struct wait_ask ask;

	fake_proc_make(&f->proc);
	fake_process(&f->proc, &(struct fake_stat){ .pid = getpid(), .comm = "load", .threads = 1 });
	fake_thread(&f->proc, getpid(), &(struct fake_stat){ .pid = getpid(), .comm = "load" }, 0);
	f->env = (struct wait_env){
		.proc_fd = open(f->proc.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .id = 1,
		.has_stacks = true, .has_queue = true, .hold_ns = NSEC_PER_SEC, .out = &f->out,
		.out_max = 1 << 20, .place_max = 1 << 20, .threads = 1, .begun_ns = clock_mono_ns(),
	};
	wait_thread_init(&f->thread, getpid(), getpid(), &f->env, f->env.begun_ns);
	set_times(f, 0, 0, 1);
	set_call(f, SYS_read);
	assert_int_equal(wait_thread_look(&f->thread, &f->env), 1);
	nanosleep(&interval, NULL);
	set_times(f, RUN_US * 1000, 0, 2);
	write_file(f, "syscall", "running\n");
	f->env.woken_ns = clock_mono_ns();
	assert_int_equal(wait_thread_begin_look(&f->thread, &f->env, false, &ask), WAIT_BEHIND);
	f->env.woken_ns = f->thread.seen_ns; /* as if nothing had come between */
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	wait_thread_release(&f->thread, &f->env);
	close(f->env.proc_fd);
	buf_release(&f->out);
	fake_proc_drop(&f->proc);
	free(f);
	return 0;
}

/* It sleeps now, and has been in the run queue for so long since the look. */
static void
look_behind(struct fixture *f, uint64_t slept_ns, uint64_t queue_ns)
{
	set_times(f, (RUN_US + SHORT_US) * 1000, queue_ns, 3);
	set_call(f, SYS_nanosleep);
	assert_int_equal(wait_thread_look_behind(&f->thread, &f->env, slept_ns), 1);
}

static long
place_of(const struct fixture *f)
{
	return f->thread.place != NULL ? f->thread.place->call.number : -1;
}

static void
who_was_woken_behind_the_looker_waits_where_he_does_next(void **state)
{
	struct fixture *f = *state;
	uint64_t slept_ns = clock_mono_ns();

	look_behind(f, slept_ns, slept_ns - f->thread.seen_ns + SHORT_US * 1000);
	assert_int_equal(f->thread.state, LOOK_WAITS);
	assert_int_equal(place_of(f), SYS_nanosleep);
	/* Of what it has waited half is here, and half was in the other place and is told. */
	assert_that(f->thread.untold_ns, >=, f->thread.given_ns / 2 - 1);
	assert_that(f->thread.untold_ns, <=, f->thread.given_ns / 2 + 1);
	assert_that(f->out.len, >, 0);
}

static void
who_had_a_cpu_was_running(void **state)
{
	struct fixture *f = *state;

	look_behind(f, f->thread.seen_ns + SHORT_US * 1000, 0);
	assert_int_equal(f->thread.state, LOOK_RUNS);
	assert_int_equal(place_of(f), SYS_read);
	/* All that it has waited was there. */
	assert_that(f->thread.given_ns, >=, (INTERVAL_MS - 1) * NSEC_PER_MSEC);
}

static void
who_waited_for_a_cpu_before_the_looker_woke_did_not_wait(void **state)
{
	struct fixture *f = *state;

	look_behind(f, f->thread.seen_ns + SHORT_US * 1000, NSEC_PER_MSEC);
	assert_int_equal(f->thread.state, LOOK_RUNS);
	assert_int_equal(place_of(f), SYS_read);
}

static void
who_could_still_run_runs(void **state)
{
	struct fixture *f = *state;
	uint64_t slept_ns = clock_mono_ns();

	set_times(f, RUN_US * 1000, slept_ns - f->thread.seen_ns + 1, 3);
	assert_int_equal(wait_thread_look_behind(&f->thread, &f->env, slept_ns), 1);
	/* It was looked at again. */
	assert_int_equal(f->thread.sched.turns, 3);
	assert_int_equal(f->thread.state, LOOK_RUNS);
	assert_int_equal(place_of(f), SYS_read);
}

static struct wait_place *
place_with(const uint64_t *words, size_t count, char state)
{
	struct wait_place *p = mem_calloc(1, sizeof(*p) + count * sizeof(*words));

	p->stack_len = count * sizeof(*words);
	p->kernel_len = 1;
	p->state = state;
	memcpy(p->stack, words, p->stack_len);
	return p;
}

static void
what_two_copies_of_a_stack_have_in_common_counts(void **state)
{
	struct wait_place *p = place_with((const uint64_t[]){ 0x401000, 7, 0x402000, 0x403000 }, 4, 'S');
	struct wait_place *other = place_with((const uint64_t[]){ 0x401000, 8, 0x402000 }, 3, 'D');

	(void)state;
	wait_place_join(p, other);
	assert_int_equal(p->stack_len, 24);
	assert_memory_equal(p->stack, ((const uint64_t[]){ 0x401000, 1, 0x402000 }), 24);
	assert_int_equal(p->kernel_len, 0);
	assert_int_equal(p->state, 'D');
	assert_true(p->is_joined);
	/* It could run when that was read: not when it waited. */
	p->state = 'R';
	p = wait_place_tear(p);
	assert_int_equal(p->state, 'S');
	assert_true(p->is_torn);
	assert_int_equal(wait_place_bytes(p), sizeof(*p));
	free(p);
	free(other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(who_was_woken_behind_the_looker_waits_where_he_does_next,
						setup, teardown),
		cmocka_unit_test_setup_teardown(who_had_a_cpu_was_running, setup, teardown),
		cmocka_unit_test_setup_teardown(who_waited_for_a_cpu_before_the_looker_woke_did_not_wait,
						setup, teardown),
		cmocka_unit_test_setup_teardown(who_could_still_run_runs, setup, teardown),
		cmocka_unit_test(what_two_copies_of_a_stack_have_in_common_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
