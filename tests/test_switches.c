/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From switches between tasks to waits, and what these become as samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "core_fixture.h"
#include "engine/intake/switches.h"
#include "record/look.h"
#include "tests/asserts.h"

enum { WORKER = 7, OTHER = 8, WAKER = 9, ID = 5 };

static void
sample(struct switches *s, uint32_t tid, char state)
{
	static const uint8_t bytes[100];

	switches_sample(s, &(struct switch_wait){ .tid = tid, .state = state, .event = 3 },
			(struct bytes){ bytes, sizeof(bytes) });
}

static void
assert_wait(struct switches *s, const struct switch_wait *want)
{
	struct switch_wait w;

	switches_settle(s);
	assert_true(switches_take(s, &w));
	assert_int_equal(w.tid, want->tid);
	assert_int_equal(w.state, want->state);
	assert_int_equal(w.since_ns, want->since_ns);
	assert_int_equal(w.woken_ns, want->woken_ns);
	assert_int_equal(w.waker, want->waker);
	assert_int_equal(w.over_ns, want->over_ns);
	assert_int_equal(w.event, 3);
	assert_int_equal(w.len, 100);
	free(w.data);
}

static void
assert_none(struct switches *s, uint64_t unknown)
{
	struct switch_wait w;

	switches_settle(s);
	assert_false(switches_take(s, &w));
	assert_int_equal(switches_unknown(s), unknown);
	assert_int_equal(switches_unknown(s), 0);
}

static void
a_wait_is_from_the_switch_out_to_the_switch_in(void **state)
{
	struct switches *s = switches_new();

	(void)state;
	switches_in(s, WORKER, 5); /* it waited before anybody looked */
	sample(s, WORKER, 'S');
	switches_out(s, WORKER, 10, false);
	sample(s, OTHER, 'D');
	switches_out(s, OTHER, 12, false);
	assert_true(switches_woken(s, WORKER, 30, WAKER));
	assert_false(switches_woken(s, WORKER, 35, OTHER)); /* it could run by then */
	assert_false(switches_woken(s, 77, 36, OTHER));
	switches_in(s, WORKER, 40);
	switches_in(s, OTHER, 50);
	switches_in(s, OTHER, 60);
	assert_wait(s, &(struct switch_wait){ .tid = WORKER, .state = 'S', .since_ns = 10,
					      .woken_ns = 30, .waker = WAKER, .over_ns = 40 });
	assert_wait(s, &(struct switch_wait){ .tid = OTHER, .state = 'D', .since_ns = 12,
					      .over_ns = 50 });
	assert_none(s, 0);
	assert_int_equal(switches_bytes(s), 0);
	switches_free(s);
}

static void
who_was_preempted_could_run(void **state)
{
	struct switches *s = switches_new();

	(void)state;
	sample(s, WORKER, 0);
	switches_out(s, WORKER, 10, true);
	switches_in(s, WORKER, 15);
	assert_wait(s, &(struct switch_wait){ .tid = WORKER, .state = 'R', .since_ns = 10,
					      .over_ns = 15 });
	assert_none(s, 0);
	switches_free(s);
}

static void
what_was_lost_is_unknown_and_not_wrong(void **state)
{
	struct switches *s = switches_new();

	(void)state;
	/* That it ran between 10 and 30 nobody told. */
	sample(s, WORKER, 'S');
	switches_out(s, WORKER, 10, false);
	sample(s, WORKER, 'S');
	switches_out(s, WORKER, 30, false);
	switches_in(s, WORKER, 40);
	assert_wait(s, &(struct switch_wait){ .tid = WORKER, .state = 'S', .since_ns = 30,
					      .over_ns = 40 });
	assert_none(s, 1);
	/* Its switch was lost: since when it waits is not known. */
	sample(s, WORKER, 'S');
	switches_in(s, WORKER, 60);
	assert_none(s, 1);
	/* A ring was full meanwhile. */
	sample(s, WORKER, 'S');
	switches_out(s, WORKER, 70, false);
	sample(s, OTHER, 'S');
	switches_out(s, OTHER, 70, false);
	switches_lose(s, 75);
	switches_in(s, WORKER, 80);
	switches_in(s, OTHER, 80);
	assert_none(s, 2);
	/* Who ends while it waits is no loss. */
	sample(s, WORKER, 'S');
	switches_out(s, WORKER, 90, false);
	switches_end(s, WORKER);
	switches_in(s, WORKER, 95);
	assert_none(s, 0);
	assert_int_equal(switches_bytes(s), 0);
	switches_free(s);
}

/* That a ring was full is told when there is room again: what was over meanwhile is not settled. */
static void
what_was_over_before_a_gap_is_known(void **state)
{
	struct switches *s = switches_new();
	struct switch_wait w;

	(void)state;
	sample(s, WORKER, 'S');
	switches_out(s, WORKER, 10, false);
	switches_in(s, WORKER, 20);
	sample(s, OTHER, 'S');
	switches_out(s, OTHER, 12, false);
	switches_in(s, OTHER, 40);
	assert_false(switches_take(s, &w));
	switches_lose(s, 30);
	assert_wait(s, &(struct switch_wait){ .tid = WORKER, .state = 'S', .since_ns = 10,
					      .over_ns = 20 });
	assert_none(s, 1);
	assert_int_equal(switches_bytes(s), 0);
	switches_free(s);
}

static void
what_goes_on_can_be_asked_for(void **state)
{
	struct switches *s = switches_new();
	const struct switch_wait *w;
	size_t at = 0;

	(void)state;
	sample(s, WORKER, 'S');
	assert_null(switches_next(s, &at));
	at = 0;
	switches_out(s, WORKER, 10, false);
	sample(s, OTHER, 'S');
	w = switches_next(s, &at);
	assert_non_null(w);
	assert_int_equal(w->tid, WORKER);
	assert_null(switches_next(s, &at));
	switches_free(s);
}

static void
there_is_a_bound_to_what_waits(void **state)
{
	const struct bytes large = { mem_calloc(1, 60000), 60000 };
	struct switches *s = switches_new();
	struct switch_wait w;
	uint32_t tid = 1;

	(void)state;
	while (switches_bytes(s) + large.len <= SWITCHES_BYTES_MAX)
		switches_sample(s, &(struct switch_wait){ .tid = tid++ }, large);
	switches_sample(s, &(struct switch_wait){ .tid = tid }, large);
	assert_int_equal(switches_unknown(s), 1);
	switches_out(s, 1, 10, false);
	switches_in(s, 1, 20);
	switches_settle(s);
	assert_true(switches_take(s, &w));
	free(w.data);
	switches_sample(s, &(struct switch_wait){ .tid = tid }, large);
	assert_int_equal(switches_unknown(s), 0);
	assert_that(switches_bytes(s), <=, SWITCHES_BYTES_MAX);
	switches_free(s);
	free((void *)(uintptr_t)large.data);
}

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
		{ { "schedule_timeout", "do_sys_poll" }, 'S', true, { 0, 0, 8 }, "sleep" },
		{ { "schedule_timeout", "do_sys_poll" }, 'S', true, { 0, 2, 8 }, "event loop" },
		{ { "schedule_timeout", "do_sys_poll" }, 'S', .kind = "event loop" },
		{ { "schedule_timeout", "do_select" }, 'S', true, { 0, 7 }, "sleep" },
		{ { "schedule_timeout", "do_select" }, 'S', true, { 7, 0x1000 }, "event loop" },
		{ { "schedule_timeout", "do_select" }, 'S', .kind = "event loop" },
		{ { "schedule_timeout", "do_select" }, 'D', true, { 7, 0x1000 }, "disk" },
		{ { "__skb_wait_for_more_packets", "__skb_recv_datagram" }, 'S', .kind = "network" },
		{ { "__skb_recv_datagram", "unix_accept" }, 'S', .kind = "accept" },
		{ { "io_schedule", "folio_wait_bit_common", "ext4_read" }, 'D', .kind = "disk" },
		{ { "io_schedule", "filemap_fault", "handle_mm_fault" }, 'D', .kind = "page fault" },
		/* Memory to send from, for which other pages are written first. */
		{ { "io_schedule", "folio_wait_writeback", "sock_alloc_send_pskb" }, 'D',
		  .kind = "disk" },
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
		cmocka_unit_test(a_wait_is_from_the_switch_out_to_the_switch_in),
		cmocka_unit_test(who_was_preempted_could_run),
		cmocka_unit_test(what_was_lost_is_unknown_and_not_wrong),
		cmocka_unit_test(what_was_over_before_a_gap_is_known),
		cmocka_unit_test(what_goes_on_can_be_asked_for),
		cmocka_unit_test(there_is_a_bound_to_what_waits),
		cmocka_unit_test(a_switch_becomes_a_look_that_weighs_its_time),
		cmocka_unit_test(functions_of_the_kernel_tell_what_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
