/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a look at a thread that waits is as a record, and what it says is waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "record/lock_call.h"
#include "tests/asserts.h"
#include "tests/look_record.h"
#include "tests/skip.h"

enum { ID = 77 };

static struct bytes
bytes_of(const struct buf *b)
{
	return (struct bytes){ (const uint8_t *)b->data, b->len };
}

static void
a_look_is_a_sample_with_all_that_was_seen(void **state)
{
	static const uint8_t stack[] = "01234567890123456789012";
	const struct record_look look = {
		.pid = 5, .tid = 6, .id = ID, .time_ns = 1000, .period_ns = 50, .has_place = true,
		.call = 202, .args = { 1, 2, 3, 4, 5, 6 }, .sp = 0x7ffc00000010, .pc = 0x401000,
		.stack = { stack, sizeof(stack) }, .state = 'S',
		.file = { (const uint8_t *)"/x", 2 },
	};
	uint64_t args[RECORD_LOOK_ARGS], sp;
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	record_encode_look(&b, &look);
	assert_int_equal(b.len % 8, 0);
	look_decode(bytes_of(&b), &rec);
	assert_int_equal(rec.misc, PERF_RECORD_MISC_USER);
	assert_int_equal(rec.id.pid, 5);
	assert_int_equal(rec.id.tid, 6);
	assert_int_equal(rec.id.id, ID);
	assert_int_equal(rec.id.time_ns, 1000);
	assert_true(rec.id.cpu == RECORD_LOOK_NO_CPU);
	assert_int_equal(rec.sample.period, 50);
	assert_true(rec.sample.ip == look.pc);
	assert_int_equal(rec.sample.chain_len, 0);
	if (rec.sample.regs_user.words == NULL)
		skip_for("no registers are known of this machine");
	assert_int_equal(rec.sample.regs_user.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(rec.sample.stack_user.len, sizeof(stack));
	assert_memory_equal(rec.sample.stack_user.data, stack, sizeof(stack));
	assert_true(record_is_look(&rec.sample));
	assert_int_equal(record_look_call(&rec.sample, args), 202);
	assert_true(record_look_sp(&rec.sample, &sp));
	assert_true(sp == look.sp);
	assert_memory_equal(record_look_file(&rec.sample).data, "/x", 2);
	assert_int_equal(record_look_file(&rec.sample).len, 2);
	assert_memory_equal(args, look.args, sizeof(args));
	buf_release(&b);
}

static void
a_look_says_what_the_owner_of_a_lock_did(void **state)
{
	static const char states[] = { 'R', 'S', 0 };
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(states); i++) {
		buf_reset(&b);
		record_encode_look(&b, &(struct record_look){
			.pid = 5, .tid = 5, .id = ID, .time_ns = 9, .period_ns = 7,
			.has_place = true, .sp = 0x7ffc00000010, .pc = 0x401000, .state = 'S',
			.owner_state = states[i / 2], .is_holding = i % 2 != 0,
			.is_over = i % 2 == 0, .has_run = i % 3 == 0 });
		look_decode(bytes_of(&b), &rec);
		assert_int_equal(record_look_owner_state(&rec.sample), states[i / 2]);
		assert_int_equal(record_look_is_holding(&rec.sample), i % 2 != 0);
		assert_int_equal(record_look_is_over(&rec.sample), i % 2 == 0);
		assert_int_equal(record_look_has_run(&rec.sample), i % 3 == 0);
	}
	buf_release(&b);
}

static void
a_look_that_saw_no_place_has_none(void **state)
{
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	record_encode_look(&b, &(struct record_look){ .pid = 5, .tid = 5, .id = ID, .time_ns = 9,
						      .period_ns = 7, .pc = 1, .sp = 2 });
	look_decode(bytes_of(&b), &rec);
	assert_int_equal(rec.misc, PERF_RECORD_MISC_CPUMODE_UNKNOWN);
	assert_int_equal(rec.sample.ip, 0);
	assert_int_equal(rec.sample.period, 7);
	assert_null(rec.sample.regs_user.words);
	assert_int_equal(rec.sample.stack_user.len, 0);
	assert_int_equal(record_look_kind(&rec.sample), WAIT_UNKNOWN);
	buf_release(&b);
}

static void
a_stack_is_cut_to_whole_words_and_to_its_bound(void **state)
{
	static const uint8_t stack[RECORD_LOOK_STACK_MAX + 64];
	static const struct {
		size_t len, want;
	} rows[] = {
		{ 0, 0 }, { 7, 0 }, { 15, 8 }, { sizeof(stack), RECORD_LOOK_STACK_MAX },
	};
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		buf_reset(&b);
		record_encode_look(&b, &(struct record_look){
			.pid = 1, .tid = 1, .id = ID, .has_place = true, .sp = 0x10, .pc = 0x20,
			.stack = { stack, rows[i].len } });
		look_decode(bytes_of(&b), &rec);
		assert_int_equal(rec.sample.stack_user.len, rows[i].want);
		/* What is below 4 GiB is of a program of 32 bits. */
		if (rec.sample.regs_user.words != NULL)
			assert_int_equal(rec.sample.regs_user.abi, PERF_SAMPLE_REGS_ABI_32);
	}
	buf_release(&b);
}

/* Of any length each; a look that is told again has another period, too. */
static void
looks_one_behind_the_other_get_one_time(void **state)
{
	enum { LOOKS = 3 };
	static const uint8_t stack[64];
	size_t ends[LOOKS + 1] = { 0 };
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	for (uint32_t i = 0; i < LOOKS; i++) {
		record_encode_look(&b, &(struct record_look){
			.pid = 1, .tid = 1 + i, .id = ID, .time_ns = i, .period_ns = 50 + i,
			.has_place = true, .sp = 0x10, .pc = 0x20, .stack = { stack, 16 * i } });
		ends[i + 1] = b.len;
	}
	record_look_stamp((uint8_t *)b.data, b.len, 4711);
	record_look_set_period((uint8_t *)b.data + ends[1], 99);
	for (uint32_t i = 0; i < LOOKS; i++) {
		const struct bytes look = { (const uint8_t *)b.data + ends[i], ends[i + 1] - ends[i] };

		look_decode(look, &rec);
		assert_int_equal(rec.id.tid, 1 + i);
		assert_int_equal(rec.id.time_ns, 4711);
		assert_int_equal(rec.sample.period, i == 1 ? 99 : 50 + i);
	}
	buf_release(&b);
}

static void
what_is_waited_for_is_told_by_call_arguments_and_file(void **state)
{
	static const struct {
		int call;
		uint64_t args[RECORD_LOOK_ARGS];
		const char *file;
		char state;
		const char *kind, *group;
	} rows[] = {
		{ SYS_futex, { 0x1000, 128, 2 }, "", 0, "lock", "lock" },
		{ SYS_futex, { 0x1000, 0, 2 }, "", 0, "lock", "lock" },
		{ SYS_futex, { 0x1000, 6, 0 }, "", 0, "lock", "lock" }, /* FUTEX_LOCK_PI */
		{ SYS_futex, { 0x1000, 128, 0 }, "", 0, "futex", "other" },
		/* A condition variable is never a lock, whatever its word is. */
		{ SYS_futex, { 0x1000, 128 | 9, 2, 0, 0, UINT32_MAX }, "", 0, "condition", "cond" },
		{ SYS_futex, { 0x1000, 128 | 256 | 9, 0 }, "", 0, "condition", "cond" },
		{ SYS_futex, { 0x1000, UINT64_MAX, 2 }, "", 0, "futex", "other" },
		{ SYS_clock_nanosleep, { 1 }, "", 0, "sleep", "sleep" },
		{ SYS_read, { 3 }, "socket:[77]", 0, "network", "net" },
		{ SYS_read, { 3 }, "pipe:[77]", 'S', "pipe", "pipe" },
		{ SYS_read, { 3 }, "/dev/pts/3", 0, "terminal", "other" },
		{ SYS_read, { 3 }, "/var/lib/x", 0, "file", "disk" },
		{ SYS_read, { 3 }, "/var/lib/x", 'D', "disk", "disk" },
		{ SYS_read, { 3 }, "anon_inode:[eventfd]", 0, "event", "other" },
		{ SYS_read, { 3 }, "", 0, "file", "disk" },
		{ SYS_fsync, { 3 }, "", 'D', "disk", "disk" },
		{ SYS_fdatasync, { 3 }, "/var/lib/x", 'S', "disk", "disk" },
		{ SYS_flock, { 3 }, "/var/lib/x", 'S', "file lock", "lock" },
		{ SYS_fcntl, { 3 }, "/dev/pts/3", 'S', "file lock", "lock" },
		{ SYS_openat, { 3 }, "", 'D', "disk", "disk" },
		{ SYS_recvfrom, { 3 }, "socket:[7]", 0, "network", "net" },
		{ SYS_accept4, { 3 }, "", 0, "accept", "idle" },
		{ SYS_epoll_pwait, { 3 }, "", 0, "event loop", "idle" },
		{ SYS_ppoll, { 0x1000, 2 }, "socket:[7]", 0, "event loop", "idle" },
		{ SYS_ppoll, { 0x1000, 1 }, "socket:[7]", 0, "network", "net" },
		{ SYS_ppoll, { 0x1000, 1 }, "anon_inode:[eventfd]", 0, "event loop", "idle" },
		{ SYS_ppoll, { 0, 0 }, "", 0, "sleep", "sleep" },
		{ SYS_pselect6, { 0, 0 }, "", 0, "sleep", "sleep" },
		{ SYS_pselect6, { 8, 0x1000 }, "", 0, "event loop", "idle" },
		{ SYS_pselect6, { 8, 0, 0, 0 }, "", 0, "sleep", "sleep" },
		{ SYS_wait4, { 0 }, "", 0, "child", "child" },
		{ RECORD_LOOK_NO_CALL, { 0 }, "", 'D', "page fault", "fault" },
		/* It is over: there is no CPU. */
		{ SYS_read, { 3 }, "pipe:[77]", 'R', "run queue", "queue" },
		{ 100000, { 0 }, "", 0, "other call", "other" },
		{ 100000, { 0 }, "", 'D', "disk", "disk" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct bytes file = { (const uint8_t *)rows[i].file, strlen(rows[i].file) };
		enum wait_kind kind = wait_kind_of(rows[i].call, rows[i].args, rows[i].state, file);

		assert_string_equal(wait_kind_defs[kind].name, rows[i].kind);
		assert_string_equal(wait_kind_defs[kind].state, rows[i].group);
	}
	for (int i = -2; i < 1000; i++)
		assert_non_null(wait_call_find(i));
	for (enum wait_kind k = 0; k < WAIT_KINDS; k++) {
		assert_non_null(wait_kind_defs[k].name);
		assert_int_equal(wait_kind_defs[k].is_idle,
				 strcmp(wait_kind_defs[k].state, "idle") == 0);
	}
}

/* What the kernel does for one of many is not read again for the others. */
static void
calls_in_which_all_wait_alike_are_known(void **state)
{
	static const struct {
		int call;
		bool is_one_way;
	} rows[] = {
		{ SYS_futex, true }, { SYS_epoll_pwait, true }, { SYS_ppoll, true },
		{ SYS_clock_nanosleep, true }, { SYS_rt_sigtimedwait, true }, { SYS_wait4, true },
		{ SYS_restart_syscall, false }, { SYS_read, false }, { SYS_recvfrom, false },
		{ SYS_accept4, false }, { SYS_fsync, false }, { 100000, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(wait_call_is_one_way(rows[i].call), rows[i].is_one_way);
}

/* The innermost functions of stacks, as they were seen of several libraries. */
static void
functions_on_the_stack_tell_what_futex_is_waited_for(void **state)
{
	static const struct {
		const char *names[4];
		enum wait_kind by_call, kind;
		const char *word; /* NULL: it is no lock */
		bool has_owner;
	} rows[] = {
		{ { "__lll_lock_wait", "___pthread_mutex_lock", "f" }, WAIT_LOCK, WAIT_LOCK, "mutex",
		  true },
		{ { "__GI___lll_lock_wait", "f" }, WAIT_LOCK, WAIT_LOCK, "mutex", true },
		/* Stripped: only what others can call has a name. */
		{ { NULL, "pthread_mutex_lock@@GLIBC_2.2.5", "f" }, WAIT_LOCK, WAIT_LOCK, "mutex", true },
		{ { "__pthread_mutex_lock_full" }, WAIT_LOCK, WAIT_LOCK, "mutex", true },
		{ { NULL, "pthread_mutex_timedlock" }, WAIT_CONDITION, WAIT_LOCK, "mutex", true },
		{ { NULL, "pthread_rwlock_rdlock" }, WAIT_CONDITION, WAIT_LOCK, "rwlock", true },
		{ { "__lll_lock_wait_private", "malloc" }, WAIT_LOCK, WAIT_LOCK, "malloc", false },
		{ { "__lll_lock_wait_private", "_int_free", "free" }, WAIT_LOCK, WAIT_LOCK, "malloc",
		  false },
		{ { "__lll_lock_wait_private", "_IO_puts" }, WAIT_LOCK, WAIT_LOCK, "stdio", false },
		{ { "__lll_lock_wait_private", "f" }, WAIT_LOCK, WAIT_LOCK, "libc", false },
		{ { "std::sys::sync::mutex::futex::Mutex::lock_contended" }, WAIT_CONDITION, WAIT_LOCK,
		  "rust", false },
		{ { "syscall", "_ZN3std3sys4sync5mutex5futex5Mutex14lock_contended17h0E" },
		  WAIT_CONDITION, WAIT_LOCK, "rust", false },
		{ { "runtime.futex", "runtime.futexsleep", "runtime.lock2" }, WAIT_LOCK, WAIT_LOCK, "go",
		  false },
		{ { "main.lock", "main.freeze" }, WAIT_LOCK, WAIT_LOCK, "futex", false },
		/* A condition variable, its own lock, and the mutex that it takes again. */
		{ { NULL, "pthread_cond_wait@@GLIBC_2.3.2" }, WAIT_CONDITION, WAIT_CONDITION, NULL,
		  false },
		{ { "pthread_cond_signal" }, WAIT_LOCK, WAIT_CONDITION, NULL, false },
		{ { NULL, NULL, "pthread_cond_wait" }, WAIT_LOCK, WAIT_LOCK, "mutex", true },
		{ { "__lll_lock_wait", "__pthread_mutex_cond_lock", "pthread_cond_wait" }, WAIT_LOCK,
		  WAIT_LOCK, "mutex", true },
		/* Words that a mutex could have, too. */
		{ { "pthread_barrier_wait" }, WAIT_LOCK, WAIT_FUTEX, NULL, false },
		{ { NULL, "__pthread_clockjoin_ex" }, WAIT_CONDITION, WAIT_FUTEX, NULL, false },
		{ { NULL, "sem_wait" }, WAIT_CONDITION, WAIT_SEMAPHORE, NULL, false },
		{ { NULL, "__new_sem_wait_slow64.constprop.0" }, WAIT_LOCK, WAIT_SEMAPHORE, NULL, false },
		{ { NULL, NULL }, WAIT_FUTEX, WAIT_FUTEX, "futex", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		enum lock_call call = lock_call_find(rows[i].names, ARRAY_SIZE(rows[i].names),
						     rows[i].by_call);
		char text[64];

		assert_int_equal(lock_call_kind(call, rows[i].by_call), rows[i].kind);
		if (rows[i].word == NULL) {
			assert_null(lock_call_defs[call].word);
			continue;
		}
		assert_string_equal(lock_call_defs[call].word, rows[i].word);
		assert_int_equal(lock_call_defs[call].has_owner, rows[i].has_owner);
		snprintf(text, sizeof(text), "%s 0x7f12 held by 3", rows[i].word);
		assert_int_equal(lock_call_of(text), call);
	}
	assert_int_equal(lock_call_of("socket:[12]"), LOCK_CALLS);
}

static void
words_tell_which_lock_may_have_an_owner(void **state)
{
	static const struct {
		uint64_t args[RECORD_LOOK_ARGS];
		enum wait_lock lock;
		uint64_t address;
	} rows[] = {
		{ { 0x1000, 128, 2 }, WAIT_LOCK_MUTEX, 0x1000 },
		{ { 0x1000, 128 | 9, 2 }, WAIT_LOCK_MUTEX, 0x1000 },
		{ { 0x1000, 128 | 6, 0 }, WAIT_LOCK_TID, 0x1000 },
		{ { 0x1000, 128, 0x80000000 | 1234 }, WAIT_LOCK_TID, 0x1000 },
		{ { 0x1000, 128, 0x80000000 }, WAIT_LOCK_NONE, 0 },
		{ { 0x1008, 128 | 9, 3 }, WAIT_LOCK_RWLOCK, 0x1000 },
		{ { 0x100c, 128 | 9, 3 }, WAIT_LOCK_RWLOCK, 0x1000 },
		{ { 0x1000, 128, 3 }, WAIT_LOCK_NONE, 0 },
		{ { 0x1000, 128 | 9, 0 }, WAIT_LOCK_NONE, 0 },
		{ { 0x1000, 1, 2 }, WAIT_LOCK_NONE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		enum wait_lock lock = wait_lock_of(SYS_futex, rows[i].args);

		assert_int_equal(lock, rows[i].lock);
		if (lock != WAIT_LOCK_NONE)
			assert_int_equal(wait_lock_address(lock, rows[i].args), rows[i].address);
		assert_int_equal(wait_lock_of(SYS_read, rows[i].args), WAIT_LOCK_NONE);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_look_is_a_sample_with_all_that_was_seen),
		cmocka_unit_test(a_look_says_what_the_owner_of_a_lock_did),
		cmocka_unit_test(a_look_that_saw_no_place_has_none),
		cmocka_unit_test(a_stack_is_cut_to_whole_words_and_to_its_bound),
		cmocka_unit_test(looks_one_behind_the_other_get_one_time),
		cmocka_unit_test(what_is_waited_for_is_told_by_call_arguments_and_file),
		cmocka_unit_test(calls_in_which_all_wait_alike_are_known),
		cmocka_unit_test(functions_on_the_stack_tell_what_futex_is_waited_for),
		cmocka_unit_test(words_tell_which_lock_may_have_an_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
