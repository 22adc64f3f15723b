/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waits become as samples that are known from begin to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "core_fixture.h"
#include "record/look.h"
#include "tests/asserts.h"

enum { WORKER = 7, WAKER = 9, ID = 5 };

enum { WAIT_TYPE = LIVE_TYPE | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
       REGS = 20, RAW_BYTES = 68, STACK_BYTES = 16 };

/* A switch as the kernel samples it: numbers behind the chain say where they are. */
static struct bytes
switch_sample(struct maker *m, const struct record_layout *layout)
{
	static const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
					  (uint64_t)PERF_CONTEXT_USER, 0x401000 };
	const struct record_id id = { .pid = 1, .tid = WORKER, .time_ns = 1000, .id = ID };
	const struct record_sample s = { .ip = chain[1], .period = 1, .chain = chain,
					 .chain_len = ARRAY_SIZE(chain) };

	make_sample(m, layout, PERF_RECORD_MISC_KERNEL, &id, &s);
	make_u32(m, RAW_BYTES);
	for (size_t i = 0; i < RAW_BYTES / 4; i++)
		make_u32(m, 1000 + (uint32_t)i);
	make_u64(m, PERF_SAMPLE_REGS_ABI_64);
	for (uint64_t i = 0; i < REGS; i++)
		make_u64(m, 2000 + i);
	make_u64(m, STACK_BYTES);
	make_u64(m, 3000);
	make_u64(m, 3001);
	make_u64(m, STACK_BYTES);
	return make_done(m);
}

static void
a_switch_becomes_a_look_that_weighs_its_time(void **state)
{
	struct record_layout layout = RECORD_LAYOUT(WAIT_TYPE, true);
	struct record_wait wait = { .over_ns = 9000000, .period_ns = 5000000, .whole_ns = 3000000,
				    .kind = WAIT_PIPE, .state = 'S', .waker = WAKER };
	uint64_t args[RECORD_LOOK_ARGS];
	struct buf b = { 0 };
	struct record rec;
	struct maker m;
	struct bytes bytes;

	(void)state;
	layout.sample_regs_user = 0xff0fff;
	bytes = switch_sample(&m, &layout);
	assert_int_equal(record_decode(&layout, bytes, &rec), 1);
	assert_false(record_is_look(&rec.sample));
	record_encode_wait(&b, &layout, &rec, bytes, &wait);
	assert_int_equal(record_decode(&layout, (struct bytes){ (uint8_t *)b.data, b.len }, &rec), 1);
	assert_true(record_is_look(&rec.sample));
	assert_int_equal(rec.id.tid, WORKER);
	assert_int_equal(rec.id.id, ID);
	assert_int_equal(rec.id.time_ns, wait.over_ns);
	assert_int_equal(rec.sample.period, wait.period_ns);
	assert_int_equal(rec.sample.chain_len, 4);
	assert_int_equal(rec.sample.chain[3], 0x401000);
	assert_int_equal(record_look_kind(&rec.sample), WAIT_PIPE);
	assert_int_equal(record_look_waker(&rec.sample), WAKER);
	/* 3 ms: from 2^11 us on */
	assert_int_equal(record_look_length(&rec.sample), 13);
	assert_int_equal(record_look_file(&rec.sample).len, 0);
	assert_int_equal(rec.sample.regs_user.words[1], 2001);
	assert_int_equal(rec.sample.stack_dyn_size, STACK_BYTES);
	assert_memory_equal(rec.sample.stack_user.data, (const uint64_t[]){ 3000 }, 8);
	buf_release(&b);
	wait = (struct record_wait){ .over_ns = 1, .period_ns = 1, .kind = WAIT_LOCK, .state = 'S' };
	assert_int_equal(record_decode(&layout, bytes, &rec), 1);
	record_encode_wait(&b, &layout, &rec, bytes, &wait);
	assert_int_equal(record_decode(&layout, (struct bytes){ (uint8_t *)b.data, b.len }, &rec), 1);
	assert_int_equal(record_look_length(&rec.sample), RECORD_LOOK_GOES_ON);
	if (record_call_args(&rec.sample, args))
		assert_int_equal(strncmp((const char *)record_look_file(&rec.sample).data,
					 "mutex 0x", 8), 0);
	buf_release(&b);
}

static enum wait_kind
kind_of(const char *const *functions, const uint64_t *args, char state)
{
	enum wait_kind kind = WAIT_NO_KIND;

	for (; *functions != NULL; functions++)
		kind = wait_kind_join(kind, wait_kind_of_function(*functions));
	return wait_kind_finish(kind, args, state);
}

static void
functions_of_the_kernel_tell_what_is_waited_for(void **state)
{
	enum { WAIT = 128, BITSET = 137 }; /* FUTEX_WAIT, FUTEX_WAIT_BITSET, both private */
	static const struct {
		const char *functions[6];
		char state;
		bool has_args;
		uint64_t args[6];
		const char *kind;
	} rows[] = {
		{ { "schedule", "pipe_read", "vfs_read" }, 'S', .kind = "pipe" },
		{ { "schedule", "anon_pipe_read", "vfs_read" }, 'S', .kind = "pipe" },
		{ { "schedule", "do_nanosleep" }, 'S', .kind = "sleep" },
		{ { "futex_wait_queue", "futex_wait" }, 'S', true, { 0, WAIT, 2 }, "lock" },
		{ { "futex_wait_queue", "futex_wait" }, 'S', true, { 0, WAIT, 5 }, "futex" },
		{ { "futex_wait_queue", "futex_wait" }, 'S', true, { 0, BITSET, 5 }, "condition" },
		{ { "futex_wait_queue", "futex_wait" }, 'S', .kind = "futex" },
		{ { "schedule_timeout", "ep_poll" }, 'S', .kind = "event loop" },
		{ { "__skb_wait_for_more_packets", "__skb_recv_datagram" }, 'S', .kind = "network" },
		{ { "__skb_recv_datagram", "unix_accept" }, 'S', .kind = "accept" },
		{ { "io_schedule", "folio_wait_bit_common", "ext4_read" }, 'D', .kind = "disk" },
		{ { "io_schedule", "filemap_fault", "handle_mm_fault" }, 'D', .kind = "page fault" },
		{ { "rwsem_down_write_slowpath" }, 'D', .kind = "disk" },
		{ { "strange" }, 'S', .kind = "other call" },
		{ { "strange" }, 'I', .kind = "event loop" },
		{ { "schedule", "pipe_read" }, 'R', .kind = "run queue" },
		{ { "do_wait" }, 0, .kind = "child" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(wait_kind_defs[kind_of(rows[i].functions, rows[i].has_args
							   ? rows[i].args : NULL, rows[i].state)].name,
				    rows[i].kind);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_switch_becomes_a_look_that_weighs_its_time),
		cmocka_unit_test(functions_of_the_kernel_tell_what_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
