/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of a function, made of the hits of its probes, and what limits probes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "engine/calls/function_ends.h"
#include "live/calls/call_limit.h"
#include "live/calls/call_pairs.h"
#include "live/calls/call_point.h"

enum { TID = 7, OTHER = 8 };

static struct call_pairs
pairs_with(uint64_t gap_ns, uint64_t begin_ns, uint64_t end_ns)
{
	struct call_pairs p;

	call_pairs_init(&p, &(struct call_costs){ gap_ns, begin_ns, end_ns });
	return p;
}

static void
a_histogram_tells_quantiles_to_one_percent(void **state)
{
	struct histogram *h = mem_calloc(1, sizeof(*h));

	(void)state;
	assert_int_equal(histogram_quantile(h, 0.5), 0);
	for (uint64_t i = 1; i <= 10000; i++)
		histogram_add(h, i * 1000);
	assert_int_equal(h->min, 1000);
	assert_int_equal(h->max, 10000000);
	for (int p = 1; p < 100; p++) {
		double want = p * 100000.0, got = (double)histogram_quantile(h, p / 100.0);

		assert_true(got > want * 0.99 && got < want * 1.01);
	}
	assert_int_equal(histogram_quantile(h, 1), 10000000);
	free(h);
}

static void
a_histogram_takes_the_least_and_the_greatest(void **state)
{
	struct histogram *h = mem_calloc(1, sizeof(*h));
	uint64_t sum = 0;

	(void)state;
	histogram_add(h, 0);
	histogram_add(h, UINT64_MAX);
	for (unsigned i = 0; i < 64; i++)
		histogram_add(h, UINT64_C(1) << i);
	for (unsigned i = 0; i < 64; i++) {
		assert_true(histogram_octave(h, i) >= 1);
		sum += histogram_octave(h, i);
	}
	assert_int_equal(sum, 66);
	assert_int_equal(histogram_octave(h, 0), 2);
	assert_int_equal(histogram_octave(h, 63), 2);
	assert_int_equal(histogram_quantile(h, 0), 0);
	assert_true(histogram_quantile(h, 1) > UINT64_MAX / 2);
	free(h);
}

static void
a_call_lasts_from_its_begin_to_its_end_without_the_probes(void **state)
{
	struct call_pairs p = pairs_with(100, 200, 300);

	(void)state;
	call_pairs_begin(&p, TID, 0x1000, 5000);
	assert_int_equal(call_pairs_open(&p), 1);
	call_pairs_end(&p, TID, 0x1000, 6100);
	assert_int_equal(p.times.count, 1);
	assert_int_equal(p.times.min, 1000);
	assert_int_equal(call_pairs_open(&p), 0);
	/* Shorter than the probes take: it is none, not below. */
	call_pairs_begin(&p, TID, 0x1000, 7000);
	call_pairs_end(&p, TID, 0x1000, 7050);
	assert_int_equal(p.times.min, 0);
	call_pairs_release(&p);
}

static void
calls_of_calls_have_times_of_their_own(void **state)
{
	struct call_pairs p = pairs_with(10, 100, 50);

	(void)state;
	call_pairs_begin(&p, TID, 0x3000, 1000);
	call_pairs_begin(&p, TID, 0x2000, 2000);
	call_pairs_begin(&p, TID, 0x1000, 3000);
	call_pairs_end(&p, TID, 0x1000, 3010 + 400);
	call_pairs_end(&p, TID, 0x2000, 4000);
	call_pairs_end(&p, TID, 0x3000, 6000);
	assert_int_equal(p.times.count, 3);
	assert_int_equal(p.recursive, 2);
	assert_int_equal(p.times.min, 400);
	/* The probes of two calls inside, and the gap of its own. */
	assert_int_equal(p.times.max, 5000 - 2 * 150 - 10);
	call_pairs_release(&p);
}

static void
threads_are_told_apart(void **state)
{
	struct call_pairs p = pairs_with(0, 0, 0);

	(void)state;
	call_pairs_begin(&p, TID, 0x1000, 1000);
	call_pairs_begin(&p, OTHER, 0x1000, 1500);
	call_pairs_end(&p, TID, 0x1000, 2000);
	call_pairs_end(&p, OTHER, 0x1000, 9000);
	assert_int_equal(p.times.count, 2);
	assert_int_equal(p.times.min, 1000);
	assert_int_equal(p.times.max, 7500);
	assert_int_equal(p.recursive, 0);
	call_pairs_release(&p);
}

static void
what_a_throw_or_longjmp_left_is_known_at_the_next_hit_above(void **state)
{
	struct call_pairs p = pairs_with(0, 0, 0);

	(void)state;
	call_pairs_begin(&p, TID, 0x5000, 1000);
	call_pairs_begin(&p, TID, 0x4000, 1100);
	call_pairs_begin(&p, TID, 0x3000, 1200);
	/* Both inner ones are gone when the outer one returns. */
	call_pairs_end(&p, TID, 0x5000, 2000);
	assert_int_equal(p.times.count, 1);
	assert_int_equal(p.times.max, 1000);
	assert_int_equal(p.unreturned, 2);
	assert_int_equal(call_pairs_open(&p), 0);
	/* The same frame anew: the call before has gone, too. */
	call_pairs_begin(&p, TID, 0x5000, 3000);
	call_pairs_begin(&p, TID, 0x5000, 4000);
	assert_int_equal(p.unreturned, 3);
	assert_int_equal(call_pairs_open(&p), 1);
	assert_int_equal(p.begins, 5);
	call_pairs_release(&p);
}

static void
another_stack_ends_no_call(void **state)
{
	struct call_pairs p = pairs_with(0, 0, 0);

	(void)state;
	call_pairs_begin(&p, TID, 0x10000000, 1000);
	call_pairs_begin(&p, TID, 0x7f0000000000, 1100); /* of a coroutine, say */
	call_pairs_end(&p, TID, 0x7f0000000000, 1200);
	call_pairs_end(&p, TID, 0x10000000, 1300);
	assert_int_equal(p.times.count, 2);
	assert_int_equal(p.unreturned, 0);
	call_pairs_release(&p);
}

static void
ends_without_begins_and_lost_hits_are_counted(void **state)
{
	struct call_pairs p = pairs_with(0, 0, 0);

	(void)state;
	call_pairs_end(&p, TID, 0x1000, 1000);
	assert_int_equal(p.endless, 1);
	call_pairs_begin(&p, TID, 0x1000, 2000);
	call_pairs_forget(&p);
	assert_int_equal(p.unreturned, 1);
	call_pairs_end(&p, TID, 0x1000, 3000);
	assert_int_equal(p.endless, 2);
	assert_int_equal(p.times.count, 0);
	call_pairs_release(&p);
}

static void
calls_that_are_open_when_no_end_is_looked_at_any_more_are_not_lost(void **state)
{
	struct call_pairs p = pairs_with(0, 0, 0);

	(void)state;
	call_pairs_begin(&p, TID, 0x2000, 1000);
	call_pairs_begin(&p, TID, 0x1000, 2000);
	call_pairs_leave(&p);
	assert_int_equal(call_pairs_open(&p), 0);
	/* The same frame anew. */
	call_pairs_begin(&p, TID, 0x2000, 3000);
	assert_int_equal(p.unreturned, 0);
	call_pairs_release(&p);
}

static void
recursion_without_end_is_bounded(void **state)
{
	struct call_pairs p = pairs_with(0, 0, 0);

	(void)state;
	for (uint64_t i = 0; i < 100000; i++)
		call_pairs_begin(&p, TID, UINT64_C(0x7f0000000000) - i * 16, i);
	assert_true(call_pairs_open(&p) < 20000);
	assert_true(call_pairs_open(&p) > 14000); /* most of those that may be known are */
	assert_int_equal(call_pairs_open(&p) + p.unreturned, 100000);
	call_pairs_release(&p);
}

#if defined(__x86_64__)
#include <asm/perf_regs.h>

static void
a_jump_ends_a_call_if_its_condition_is_met_or_it_leaves_the_function(void **state)
{
	/* jne: 5; ja: 7; jl: 12; jg: 15 */
	static const struct {
		uint8_t condition;
		uint64_t flags;
		bool stays;
	} rows[] = {
		{ 5, 0, false }, { 5, 1 << 6, true }, { 4, 1 << 6, false }, { 7, 0, false },
		{ 7, 1, true }, { 12, 1 << 7, false }, { 12, 1 << 7 | 1 << 11, true },
		{ 15, 0, false }, { 15, 1 << 6, true }, { 2, 1, false }, { 3, 1, true },
	};
	const struct call_point by = { .kind = CALL_JUMP_BY, .reg = PERF_REG_X86_AX, .low = -16,
				       .high = 48 };
	const uint64_t words[2] = { 0x1010, 0x7fff0000 };
	const struct call_regs regs = { .mask = 1 << PERF_REG_X86_AX | 1 << PERF_REG_X86_SP,
					.words = words };
	uint64_t sp;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct call_point p = { .kind = CALL_JUMP_IF, .condition = rows[i].condition };
		const struct call_regs flags = { call_point_regs(&p), &rows[i].flags };

		assert_int_equal(call_point_stays(&p, 0, &flags), rows[i].stays);
	}
	assert_true(call_point_stays(&by, 0x1000, &regs));
	assert_false(call_point_stays(&by, 0x2000, &regs));
	assert_false(call_point_stays(&by, 0xf00, &regs));
	assert_true(call_regs_sp(&regs, &sp));
	assert_int_equal(sp, 0x7fff0000);
}
#endif

#if defined(__x86_64__)
/* An instruction, at 0x1000 behind the ones before it; @target 0: none. */
static void
add(struct listing *l, enum listing_kind kind, const char *bytes, size_t len, uint64_t target,
    const char *operand)
{
	struct listing_instruction *items = (struct listing_instruction *)(uintptr_t)l->items;
	uint64_t at = l->count > 0 ? items[l->count - 1].offset + items[l->count - 1].len : 0x1000;

	if (items == NULL)
		l->items = items = arena_alloc(&l->arena, 16 * sizeof(*items));
	items[l->count++] = (struct listing_instruction){
		.offset = at, .addr = 0x400000 + at, .target = target, .kind = kind,
		.target_index = LISTING_NONE, .len = (uint8_t)len, .bytes = (const uint8_t *)bytes,
		.text = "", .operand = operand };
	l->offset = 0x1000;
	l->size = at + len - 0x1000;
}

#define INSN(l, kind, bytes, target, operand) add(l, kind, bytes, sizeof(bytes) - 1, target, operand)

static void
a_function_ends_at_its_returns_and_at_jumps_out_of_it(void **state)
{
	struct listing *l = listing_new();
	const struct function_code code = { .parts = { l }, .count = 1 };
	struct call_point p[CALL_POINTS_MAX];
	size_t count;

	(void)state;
	INSN(l, LISTING_PLAIN, "\xf3\x0f\x1e\xfa", 0, "");         /* endbr64 */
	INSN(l, LISTING_PLAIN, "\x53", 0, "");                     /* push %rbx */
	INSN(l, LISTING_CONDITIONAL, "\x75\x01", 0x401008, "f+0x8"); /* within */
	INSN(l, LISTING_CONDITIONAL, "\x0f\x84\0\0\0\0", 0x500000, "g");
	INSN(l, LISTING_JUMP, "\x3e\xff\xe0", 0, "");              /* notrack jmp *%rax */
	INSN(l, LISTING_JUMP, "\xff\x24\xc5\0\0\0\0", 0, "");      /* jmp *table(,%rax,8) */
	INSN(l, LISTING_JUMP, "\xff\x60\x10", 0, "");              /* jmp *0x10(%rax) */
	INSN(l, LISTING_RETURN, "\xc3", 0, "");
	INSN(l, LISTING_JUMP, "\xe9\0\0\0\0", 0x500000, "g");
	assert_string_equal(function_ends(&code, p, &count), "");
	assert_int_equal(count, 6);
	assert_int_equal(p[0].kind, CALL_BEGIN);
	assert_int_equal(p[0].offset, 0x1004);
	assert_false(p[0].is_stepped);
	assert_int_equal(p[1].kind, CALL_JUMP_IF);
	assert_int_equal(p[1].condition, 4);
	assert_int_equal(p[2].kind, CALL_JUMP_BY);
	assert_int_equal(p[2].reg, PERF_REG_X86_AX);
	assert_int_equal(p[2].low, -13);
	assert_int_equal(p[2].high, (int64_t)l->size - 13);
	assert_int_equal(p[3].kind, CALL_JUMP);
	assert_int_equal(p[4].kind, CALL_RETURN);
	assert_true(p[4].is_stepped);
	assert_int_equal(p[5].kind, CALL_JUMP);
	assert_int_equal(function_part(&code), 0);
	listing_put(l);
}

static void
what_is_elsewhere_of_a_function_is_part_of_it(void **state)
{
	struct listing *l = listing_new(), *cold = listing_new();
	struct function_code code = { .parts = { l }, .count = 1 };
	struct call_point p[CALL_POINTS_MAX];
	size_t count;

	(void)state;
	INSN(l, LISTING_PLAIN, "\x53", 0, "");
	INSN(l, LISTING_CONDITIONAL, "\x0f\x84\0\0\0\0", 0x402010, "f.cold+0x10");
	INSN(l, LISTING_RETURN, "\xc3", 0, "");
	assert_int_equal(function_part(&code), 0x2010);
	INSN(cold, LISTING_JUMP, "\xe9\0\0\0\0", 0x401007, "f+0x7");
	((struct listing_instruction *)(uintptr_t)cold->items)[0].addr = 0x402010;
	code.parts[code.count++] = cold;
	assert_int_equal(function_part(&code), 0);
	assert_string_equal(function_ends(&code, p, &count), "");
	assert_int_equal(count, 2);
	assert_int_equal(p[1].offset, 0x1007);
	listing_put(l);
	listing_put(cold);
}

static void
where_ends_cannot_be_known_the_begin_alone_is_left(void **state)
{
	struct call_point p[CALL_POINTS_MAX];
	size_t count;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct listing *l = listing_new();
		const struct function_code code = { .parts = { l }, .count = 1 };

		if (i == 0)
			INSN(l, LISTING_RETURN, "\xc3", 0, "");
		if (i == 1)
			INSN(l, LISTING_PLAIN, "\x53", 0, "");
		if (i == 2)
			INSN(l, LISTING_BYTES, "\x06", 0, "");
		l->undecoded = i == 2;
		if (i == 3) {
			l->offset = 0x1000;
			l->why = "no such file";
		}
		assert_true(strlen(function_ends(&code, p, &count)) > 5);
		assert_int_equal(count, 1);
		assert_int_equal(p[0].offset, 0x1000);
		listing_put(l);
	}
}
#endif

/* Looks each 20 ms of probes that take @part of a program that uses @cpu of a CPU. */
static enum call_verdict
verdict_after(struct call_limit *l, double part, double cpu, unsigned *beats)
{
	enum call_verdict v = CALL_FITS;

	for (*beats = 0; *beats < 200 && v == CALL_FITS; ++*beats) {
		double ns = *beats * 20e6;

		v = call_limit_look(l, &(struct call_look){ 1000000 + (uint64_t)ns,
					(uint64_t)(ns * cpu * part), (uint64_t)(ns * cpu) });
	}
	return v;
}

static void
probes_that_take_much_are_closed_as_soon_as_that_is_sure(void **state)
{
	static const struct {
		double part, cpu;
		enum call_verdict verdict;
		unsigned beats; /* at most */
	} rows[] = {
		{ 0.9, 1, CALL_CLOSE, 2 },  { 0.5, 1, CALL_CLOSE, 2 },
		{ 0.12, 1, CALL_CLOSE, 5 }, { 0.5, 0.2, CALL_CLOSE, 5 },
		{ 0.12, 0.2, CALL_CLOSE, 12 }, { 0.12, 0.03, CALL_CLOSE, 52 },
		{ 0.05, 1, CALL_ENTRY_ONLY, 52 }, { 0.015, 1, CALL_FITS, 200 },
		{ 0.5, 0.001, CALL_FITS, 200 }, { 0, 1, CALL_FITS, 200 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct call_limit l = { 0 };
		unsigned beats;

		assert_int_equal(verdict_after(&l, rows[i].part, rows[i].cpu, &beats),
				 rows[i].verdict);
		assert_true(beats <= rows[i].beats);
	}
}

/* Half of a CPU, or nothing, for so many looks. */
static enum call_verdict
look_on(struct call_limit *l, struct call_look *last, bool is_hit, unsigned looks)
{
	enum call_verdict v = CALL_FITS;

	while (looks-- > 0) {
		last->time_ns += 20000000;
		last->cpu_ns += 20000000;
		last->cost_ns += is_hit ? 10000000 : 0;
		v = call_limit_look(l, last);
	}
	return v;
}

static void
what_fits_again_is_over_no_more(void **state)
{
	struct call_look last = { .time_ns = NSEC_PER_SEC };
	struct call_limit l = { 0 };
	uint64_t quiet_ns;

	(void)state;
	look_on(&l, &last, false, 1);
	assert_int_equal(look_on(&l, &last, true, 1), CALL_CLOSE);
	assert_int_equal(l.over_ns, last.time_ns - 20000000); /* not before it began */
	assert_int_equal(look_on(&l, &last, true, 1), CALL_CLOSE);
	assert_int_equal(l.over_ns, last.time_ns - 40000000);
	assert_int_not_equal(look_on(&l, &last, false, 100), CALL_CLOSE);
	assert_int_equal(l.over_ns, 0);
	quiet_ns = last.time_ns;
	assert_int_equal(look_on(&l, &last, true, 10), CALL_CLOSE);
	assert_true(l.over_ns > quiet_ns - 81 * NSEC_PER_MSEC);
	assert_true(l.over_ns < last.time_ns);
}

/* Looks each 20 ms at one that takes 3 % of its CPU time, if the calls and what is between are seen. */
static void
calls_in_a_burst_are_not_too_many_for_a_program_that_gets_little_cpu(void **state)
{
	struct call_look last = { .time_ns = NSEC_PER_SEC };
	struct call_limit l = { 0 };

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		bool is_burst = i / 4 % 2 == 0;

		last.time_ns += 20000000;
		last.cpu_ns += is_burst ? 500000 : 5000000;
		last.cost_ns += is_burst ? 165000 : 0;
		assert_int_not_equal(call_limit_look(&l, &last), CALL_CLOSE);
	}
}

static void
a_few_hits_of_a_program_that_does_little_are_no_harm(void **state)
{
	(void)state;
	assert_int_equal(call_limit_judge(100000, 100000, 20000000), CALL_FITS);
	assert_int_equal(call_limit_judge(30 * 1000000, 0, 100000000), CALL_CLOSE);
	assert_int_equal(call_limit_judge(1000000, 30000000, 100000000), CALL_ENTRY_ONLY);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_histogram_tells_quantiles_to_one_percent),
		cmocka_unit_test(a_histogram_takes_the_least_and_the_greatest),
		cmocka_unit_test(a_call_lasts_from_its_begin_to_its_end_without_the_probes),
		cmocka_unit_test(calls_of_calls_have_times_of_their_own),
		cmocka_unit_test(threads_are_told_apart),
		cmocka_unit_test(what_a_throw_or_longjmp_left_is_known_at_the_next_hit_above),
		cmocka_unit_test(another_stack_ends_no_call),
		cmocka_unit_test(ends_without_begins_and_lost_hits_are_counted),
		cmocka_unit_test(calls_that_are_open_when_no_end_is_looked_at_any_more_are_not_lost),
		cmocka_unit_test(recursion_without_end_is_bounded),
#if defined(__x86_64__)
		cmocka_unit_test(
			a_jump_ends_a_call_if_its_condition_is_met_or_it_leaves_the_function),
		cmocka_unit_test(a_function_ends_at_its_returns_and_at_jumps_out_of_it),
		cmocka_unit_test(what_is_elsewhere_of_a_function_is_part_of_it),
		cmocka_unit_test(where_ends_cannot_be_known_the_begin_alone_is_left),
#endif
		cmocka_unit_test(probes_that_take_much_are_closed_as_soon_as_that_is_sure),
		cmocka_unit_test(what_fits_again_is_over_no_more),
		cmocka_unit_test(calls_in_a_burst_are_not_too_many_for_a_program_that_gets_little_cpu),
		cmocka_unit_test(a_few_hits_of_a_program_that_does_little_are_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
