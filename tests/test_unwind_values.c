/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rules of unwinding say of a value: expressions, and registers that callees have saved. */
#include "symbol/unwind/dwarf_expr.h"
#include "symbol/unwind/unwind_impl.h"
#include "tests/asserts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- expressions */

/* Registers are their numbers times 100, words their addresses times 16, the CFA is 7. */
static enum dwarf_expr_state
evaluate(struct dwarf_expr *e, struct bytes code, const uint64_t *cfa, unsigned *budget)
{
	enum dwarf_expr_state state;

	dwarf_expr_begin(e, code, cfa, budget);
	while ((state = dwarf_expr_run(e)) < DWARF_EXPR_DONE)
		dwarf_expr_answer(e, e->wanted * (state == DWARF_EXPR_WANTS_REG ? 100 : 16));
	return state;
}

/* A program, and what it comes to. */
struct program {
	const char *text;
	uint8_t code[12];
	unsigned len;
	uint64_t result;
};

#define CODE(...) { __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static void
assert_comes_to(const struct program *p, const uint64_t *cfa)
{
	struct dwarf_expr e;
	unsigned budget = 4096;

	if (evaluate(&e, (struct bytes){ p->code, p->len }, cfa, &budget) != DWARF_EXPR_DONE)
		fail_msg("it fails: %s", p->text);
	if (e.wanted != p->result)
		fail_msg("%s: %#llx, not %#llx", p->text, (unsigned long long)e.wanted,
			 (unsigned long long)p->result);
}

static void
expressions_ask_for_registers_and_memory(void **state)
{
	static const struct program programs[] = {
		{ "breg0", CODE(0x70, 0), 0 },
		{ "breg6 5", CODE(0x76, 0x05), 605 },
		{ "breg31 0", CODE(0x8f, 0), 3100 },
		{ "bregx 21 -1", CODE(0x92, 0x15, 0x7f), 2099 },
		{ "breg6 5 deref", CODE(0x76, 0x05, 0x06), 605 * 16 },
		{ "breg6 5 deref_size 1", CODE(0x76, 0x05, 0x94, 0x01), 0xd0 },
		{ "const4u 2^31 deref_size 4", CODE(0x0c, 1, 0, 0, 0x80, 0x94, 4), 0x10 },
		{ "const4u 2^31 deref_size 8", CODE(0x0c, 1, 0, 0, 0x80, 0x94, 8), 0x800000010 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		assert_comes_to(&programs[i], NULL);
}

/* By DWARF 5, 2.5.1: what is there before them is the CFA, 7. */
static void
every_operation_gives_what_dwarf_says(void **state)
{
	static const struct program programs[] = {
		{ "call_frame_cfa", CODE(0x9c), 7 },
		{ "lit0", CODE(0x30), 0 },
		{ "lit31", CODE(0x4f), 31 },
		{ "const1u", CODE(0x08, 0xfe), 0xfe },
		{ "const1s", CODE(0x09, 0xfe), -2ull },
		{ "const2u", CODE(0x0a, 0xfe, 0xff), 0xfffe },
		{ "const2s", CODE(0x0b, 0xfe, 0xff), -2ull },
		{ "const4u", CODE(0x0c, 0xfe, 0xff, 0xff, 0xff), 0xfffffffe },
		{ "const4s", CODE(0x0d, 0xfe, 0xff, 0xff, 0xff), -2ull },
		{ "const8u", CODE(0x0e, 1, 2, 3, 4, 5, 6, 7, 0x80), 0x8007060504030201 },
		{ "const8s", CODE(0x0f, 1, 0, 0, 0, 0, 0, 0, 0x80), 0x8000000000000001 },
		{ "constu", CODE(0x10, 0x80, 0x01), 128 },
		{ "consts", CODE(0x11, 0x7e), -2ull },
		{ "lit5 plus", CODE(0x35, 0x22), 12 },
		{ "plus_uconst 128", CODE(0x23, 0x80, 0x01), 135 },
		{ "lit5 minus", CODE(0x35, 0x1c), 2 },
		{ "lit5 mul", CODE(0x35, 0x1e), 35 },
		{ "const1s -7, lit2 div", CODE(0x09, 0xf9, 0x32, 0x1b), -3ull },
		{ "const1s -1, lit10 mod", CODE(0x09, 0xff, 0x3a, 0x1d), 5 },
		{ "lit5 and", CODE(0x35, 0x1a), 5 },
		{ "lit10 and", CODE(0x3a, 0x1a), 2 },
		{ "lit10 or", CODE(0x3a, 0x21), 15 },
		{ "lit10 xor", CODE(0x3a, 0x27), 13 },
		{ "lit2 shl", CODE(0x32, 0x24), 28 },
		{ "const1u 64 shl", CODE(0x08, 64, 0x24), 0 },
		{ "lit2 shr", CODE(0x32, 0x25), 1 },
		{ "const1s -1, lit31 shr", CODE(0x09, 0xff, 0x4f, 0x25), 0x1ffffffff },
		{ "const1u 64 shr", CODE(0x08, 64, 0x25), 0 },
		{ "const1s -8, lit2 shra", CODE(0x09, 0xf8, 0x32, 0x26), -2ull },
		{ "const1s -8, const1u 200 shra", CODE(0x09, 0xf8, 0x08, 200, 0x26), -1ull },
		{ "neg", CODE(0x1f), -7ull },
		{ "not", CODE(0x20), -8ull },
		{ "const1s -5 abs", CODE(0x09, 0xfb, 0x19), 5 },
		{ "lit5 abs", CODE(0x35, 0x19), 5 },
		{ "dup plus", CODE(0x12, 0x22), 14 },
		{ "lit5 drop", CODE(0x35, 0x13), 7 },
		{ "lit5 over minus", CODE(0x35, 0x14, 0x1c), -2ull },
		{ "lit5 lit3 pick 2", CODE(0x35, 0x33, 0x15, 2), 7 },
		{ "lit5 lit3 pick 0 plus", CODE(0x35, 0x33, 0x15, 0, 0x22), 6 },
		{ "lit5 swap minus", CODE(0x35, 0x16, 0x1c), -2ull },
		{ "lit5 lit3 rot", CODE(0x35, 0x33, 0x17), 5 },
		{ "lit5 lit3 rot drop", CODE(0x35, 0x33, 0x17, 0x13), 7 },
		{ "lit5 lit3 rot drop drop", CODE(0x35, 0x33, 0x17, 0x13, 0x13), 3 },
		{ "nop", CODE(0x96), 7 },
		{ "const1s -1, eq", CODE(0x09, 0xff, 0x29), 0 },
		{ "lit7 eq", CODE(0x37, 0x29), 1 },
		{ "lit7 ne", CODE(0x37, 0x2e), 0 },
		{ "lit5 ne", CODE(0x35, 0x2e), 1 },
		/* Numbers have a sign. */
		{ "const1s -1, ge", CODE(0x09, 0xff, 0x2a), 1 },
		{ "lit7 ge", CODE(0x37, 0x2a), 1 },
		{ "lit8 ge", CODE(0x38, 0x2a), 0 },
		{ "const1s -1, gt", CODE(0x09, 0xff, 0x2b), 1 },
		{ "lit7 gt", CODE(0x37, 0x2b), 0 },
		{ "lit8 le", CODE(0x38, 0x2c), 1 },
		{ "lit7 le", CODE(0x37, 0x2c), 1 },
		{ "const1s -1, le", CODE(0x09, 0xff, 0x2c), 0 },
		{ "lit8 lt", CODE(0x38, 0x2d), 1 },
		{ "lit7 lt", CODE(0x37, 0x2d), 0 },
		{ "const1s -1, lt", CODE(0x09, 0xff, 0x2d), 0 },
		{ "skip over lit1", CODE(0x2f, 1, 0, 0x31), 7 },
		{ "lit1 bra over lit2", CODE(0x31, 0x28, 1, 0, 0x32), 7 },
		{ "lit0 bra over lit2", CODE(0x30, 0x28, 1, 0, 0x32), 2 },
		/* 7 times back to its begin, by 1 less each time. */
		{ "lit1 minus dup bra -6", CODE(0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff), 0 },
	};
	const uint64_t cfa = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		assert_comes_to(&programs[i], &cfa);
}

static void
expressions_that_make_no_sense_fail(void **state)
{
	static const struct program programs[] = {
		{ "nothing at all", { 0 }, 0, 0 },
		{ "a CFA that is not known yet", CODE(0x9c), 0 },
		{ "plus of one", CODE(0x31, 0x22), 0 },
		{ "deref of nothing", CODE(0x06), 0 },
		{ "swap of one", CODE(0x31, 0x16), 0 },
		{ "rot of two", CODE(0x31, 0x31, 0x17), 0 },
		{ "over of one", CODE(0x31, 0x14), 0 },
		{ "pick of what is not there", CODE(0x31, 0x31, 0x15, 2), 0 },
		{ "breg6 without its offset", CODE(0x76), 0 },
		{ "a word of 9 bytes", CODE(0x31, 0x06, 0x94, 0x09), 0 },
		{ "a word of no bytes", CODE(0x31, 0x94, 0), 0 },
		{ "division by 0", CODE(0x31, 0x30, 0x1b), 0 },
		{ "the least number by -1", CODE(0x31, 0x08, 63, 0x24, 0x09, 0xff, 0x1b), 0 },
		{ "modulo 0", CODE(0x31, 0x30, 0x1d), 0 },
		{ "skip to before the begin", CODE(0x31, 0x2f, 0xfb, 0xff), 0 },
		{ "skip to behind the end", CODE(0x31, 0x2f, 1, 0), 0 },
		{ "skip to itself", CODE(0x2f, 0xfd, 0xff), 0 },
		{ "a stack that grows without end", CODE(0x31, 0x2f, 0xfc, 0xff), 0 },
		{ "addr", CODE(0x03, 1, 0, 0, 0, 0, 0, 0, 0), 0 },
		{ "reg0, which is no address", CODE(0x31, 0x31, 0x50), 0 },
		{ "piece", CODE(0x31, 0x31, 0x93, 1), 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		struct dwarf_expr e;
		unsigned budget = 4096;

		if (evaluate(&e, (struct bytes){ programs[i].code, programs[i].len }, NULL,
			     &budget) != DWARF_EXPR_FAILED)
			fail_msg("it does not fail: %s", programs[i].text);
	}
}

static void
expressions_end_when_the_budget_of_the_chain_does(void **state)
{
	static const uint8_t code[] = { 0x31, 0x32, 0x22 }; /* lit1 lit2 plus */
	struct dwarf_expr e;

	(void)state;
	for (unsigned budget = 0; budget < 6; budget++) {
		unsigned left = budget;

		assert_int_equal(evaluate(&e, (struct bytes){ code, sizeof(code) }, NULL, &left),
				 budget < 3 ? DWARF_EXPR_FAILED : DWARF_EXPR_DONE);
		assert_int_equal(left, budget < 3 ? 0 : budget - 3);
	}
}

/* ---- registers */

/*
 * Three functions: the inner one is sampled, its frame is of 32 bytes.  The frame of the middle one
 * is found by a register, which must be MIDDLE_CFA: there it returns to the outer one, with which
 * the thread began.
 */
enum {
	INNER = 0x1000, MIDDLE = 0x2000, OUTER = 0x3000, BARE = 0x4000, END = 0x5000,
	SP = 0x7000, INNER_CFA = SP + 32, MIDDLE_CFA = SP + 96, WORDS = 16,
	NUMBERS = 24,                                         /* of perf's registers */
	MASK = 0xff01ff, MASK_AX = 1, MASK_BX = 2, MASK_R8 = 1 << 16,
};

/* DWARF's numbers. */
enum { RAX, RDX, RCX, RBX, RSI, RDI, R8 = 8, R12 = 12, R15 = 15, XMM0 = 17 };

enum { CFA_MINUS_24, CFA_PLUS_64, RBX_ITSELF, REG_40, WORD_AT_SP,
       WORD_OF_CODE };
static const uint8_t code[] = {
	0, 0, 0,
	/* Each after its length; the places below are where they begin. */
	3, 0, 0x08, 24, 0x1c,       /* const1u 24 minus */
	3, 0, 0x08, 64, 0x22,       /* const1u 64 plus */
	2, 0, 0x73, 0,              /* breg3 0 */
	3, 0, 0x92, 40, 0,          /* bregx 40 0 */
	5, 0, 0x77, 0x88, 0, 0x06, 0x96, /* breg7 8 deref nop */
	4, 0, 0x0a, 0, 0x20, 0x06,  /* const2u 0x2000 deref */
};
static const int32_t code_at[] = { [CFA_MINUS_24] = 3, [CFA_PLUS_64] = 8, [RBX_ITSELF] = 13,
				   [REG_40] = 17, [WORD_AT_SP] = 22, [WORD_OF_CODE] = 29 };

struct scene {
	struct unwind_rule rules[4];
	struct unwind_saved saved;
	struct unwind_rules all;
	uint64_t by_number[NUMBERS], packed[NUMBERS], mask;
	uint64_t words[WORDS];
	uint64_t ips[8];
	size_t len;
	struct unwind_result result;
};

static int
find(void *arg, uint64_t address, struct unwind_place *place)
{
	struct scene *s = arg;

	place->rules = &s->all;
	place->bias = 0;
	return address >= INNER && address < END ? 0 : -1;
}

static void
scene_init(struct scene *s)
{
	static const uint32_t starts[] = { INNER, MIDDLE, OUTER, BARE };
	static const uint16_t numbers[] = { 1, 2, 3, 0 };
	static const uint32_t firsts[] = { INNER };
	static struct unwind_part part;

	for (size_t i = 0; i < UNWIND_PART; i++) {
		size_t row = MIN(i, ARRAY_SIZE(starts) - 1);

		part.later[i] = (uint16_t)(starts[row] - INNER);
		part.numbers[i] = numbers[row];
	}

	*s = (struct scene){ .mask = MASK };
	s->rules[1] = (struct unwind_rule){ .cfa_reg = 7, .cfa = 32, .ra_how = UNWIND_AT, .ra = -8 };
	s->rules[2] = (struct unwind_rule){ .cfa_reg = RBX, .ra_how = UNWIND_AT, .ra = -8 };
	s->rules[3] = (struct unwind_rule){ .cfa_reg = 7, .cfa = 8, .ra_how = UNWIND_UNDEFINED };
	s->all = (struct unwind_rules){ .head = { .machine = EM_X86_64, .part_count = 1 },
					.firsts = firsts, .parts = &part, .rules = s->rules,
					.saved = &s->saved, .code = code };
	for (size_t i = 0; i < NUMBERS; i++)
		s->by_number[i] = 0x700 + i; /* of no use */
	s->by_number[7] = SP;
	s->by_number[8] = INNER + 4;
	for (size_t i = 0; i < WORDS; i++)
		s->words[i] = 0x900 + i;
	s->words[(INNER_CFA - SP) / 8 - 1] = MIDDLE + 0x10;
	s->words[(MIDDLE_CFA - SP) / 8 - 1] = OUTER + 0x10;
}

static void
scene_unwind(struct scene *s)
{
	struct unwind_ask ask = { .regs_mask = s->mask, .regs = s->packed, .find = find, .arg = s,
				  .stack = (const uint8_t *)s->words, .stack_len = sizeof(s->words) };
	size_t n = 0;

	for (size_t i = 0; i < NUMBERS; i++)
		if (s->mask >> i & 1)
			s->packed[n++] = s->by_number[i];
	s->len = unwind(&ask, s->ips, ARRAY_SIZE(s->ips), &s->result);
}

static void
assert_ends(struct scene *s, enum unwind_end want, const char *what)
{
	scene_unwind(s);
	if (s->result.end != want || s->len != (want == UNWIND_WHOLE ? 3 : 2))
		fail_msg("%s: it ends as %d after %zu frames", what, (int)s->result.end, s->len);
	assert_int_equal(s->ips[0], INNER + 4);
	assert_int_equal(s->ips[1], MIDDLE + 0x10);
	if (want == UNWIND_WHOLE)
		assert_int_equal(s->ips[2], OUTER + 0x10);
}

/* As the int3 of a probe on its last instruction does: what is behind it is no code of anybody. */
static void
a_trap_that_stops_behind_a_function_is_of_its_last_instruction(void **state)
{
	struct scene s;

	(void)state;
	scene_init(&s);
	s.by_number[8] = BARE;
	scene_unwind(&s);
	assert_int_equal(s.len, 1);
	assert_int_equal(s.ips[0], BARE - 1);
	assert_int_equal(s.result.end, UNWIND_WHOLE);
	s.by_number[8] = BARE + 1;
	scene_unwind(&s);
	assert_int_equal(s.len, 1);
	assert_int_equal(s.ips[0], BARE + 1);
	assert_int_equal(s.result.end, UNWIND_NO_RULES);
}

static void
a_register_is_where_the_function_that_was_called_saved_it(void **state)
{
	static const struct {
		const char *what;
		enum unwind_how how;
		int32_t value;
		enum unwind_end end;
	} cases[] = {
		{ "it is the same", UNWIND_SAME, 0, UNWIND_WHOLE },
		{ "it is nowhere", UNWIND_UNDEFINED, 0, UNWIND_BROKEN },
		{ "in the frame", UNWIND_AT, -24, UNWIND_WHOLE },
		{ "in the last word that is copied", UNWIND_AT, 88, UNWIND_WHOLE },
		{ "in a frame that is not copied", UNWIND_AT, 96, UNWIND_STACK_CUT },
		{ "partly there", UNWIND_AT, 96 - 4, UNWIND_STACK_CUT },
		{ "below the stack pointer", UNWIND_AT, -40, UNWIND_BROKEN },
		{ "above any stack", UNWIND_AT, 80 << 20, UNWIND_BROKEN },
		{ "the frame's address and so much", UNWIND_IS, 64, UNWIND_WHOLE },
		{ "in another register", UNWIND_IN, RAX, UNWIND_WHOLE },
		{ "in one that is not sampled", UNWIND_IN, XMM0, UNWIND_BROKEN },
		{ "in memory, by an expression", UNWIND_AT_EXPR, CFA_MINUS_24, UNWIND_WHOLE },
		{ "by an expression", UNWIND_IS_EXPR, CFA_PLUS_64, UNWIND_WHOLE },
		{ "by an expression of an unknown register", UNWIND_IS_EXPR, REG_40, UNWIND_BROKEN },
		{ "by one of what is on no stack", UNWIND_IS_EXPR, WORD_OF_CODE, UNWIND_BROKEN },
		{ "there, by one of what is on no stack", UNWIND_AT_EXPR, WORD_OF_CODE,
		  UNWIND_BROKEN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool is_expr = cases[i].how == UNWIND_AT_EXPR || cases[i].how == UNWIND_IS_EXPR;
		struct scene s;

		scene_init(&s);
		s.saved = (struct unwind_saved){ .reg = RBX, .how = (uint8_t)cases[i].how,
						 .value = is_expr ? code_at[cases[i].value]
								  : cases[i].value };
		s.rules[1].saved_count = 1;
		s.words[1] = s.words[WORDS - 1] = MIDDLE_CFA; /* -24 and 88 from the CFA */
		s.by_number[0] = MIDDLE_CFA;
		if (cases[i].how <= UNWIND_UNDEFINED)
			s.by_number[1] = MIDDLE_CFA;
		assert_ends(&s, cases[i].end, cases[i].what);
	}
}

/* As the ABI has it: what is not saved anywhere is as it was sampled, if calls keep it. */
static void
what_calls_do_not_keep_is_not_known_of_a_caller(void **state)
{
	static const struct {
		uint8_t dwarf, perf;
		bool is_kept;
	} cases[] = {
		{ RAX, 0, false }, { RBX, 1, true },    { RCX, 2, false },    { RDX, 3, false },
		{ RSI, 4, false }, { RDI, 5, false },   { R8, 16, false },    { 9, 17, false },
		{ 10, 18, false }, { 11, 19, false },   { R12, 20, true },    { 13, 21, true },
		{ 14, 22, true },  { R15, 23, true },   { XMM0, 9, false },   { 32, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum unwind_end want = cases[i].is_kept ? UNWIND_WHOLE : UNWIND_BROKEN;
		char what[32];
		struct scene s;

		scene_init(&s);
		snprintf(what, sizeof(what), "DWARF's register %u", cases[i].dwarf);
		s.rules[2].cfa_reg = cases[i].dwarf;
		s.by_number[cases[i].perf] = MIDDLE_CFA;
		assert_ends(&s, want, what);
		/* In the inner frame itself all are known that the sample has. */
		s.rules[1].cfa_reg = cases[i].dwarf;
		s.by_number[cases[i].perf] = INNER_CFA;
		s.rules[1].cfa = 0;
		scene_unwind(&s);
		assert_int_equal(s.len, cases[i].dwarf < XMM0 ? 2 : 1);
	}
}

static void
a_register_that_was_not_sampled_is_not_known(void **state)
{
	struct scene s;

	(void)state;
	scene_init(&s);
	s.by_number[1] = MIDDLE_CFA;
	s.mask = MASK & ~MASK_AX; /* the others are in their order all the same */
	assert_ends(&s, UNWIND_WHOLE, "without ax");
	s.mask = MASK & ~MASK_BX;
	assert_ends(&s, UNWIND_BROKEN, "without bx");
	s.mask = MASK & ~MASK_R8;
	assert_ends(&s, UNWIND_WHOLE, "without r8");
}

/* Of what it has saved nothing is known. */
static void
registers_are_not_known_behind_code_without_rules(void **state)
{
	struct scene s;

	(void)state;
	scene_init(&s);
	s.by_number[1] = MIDDLE_CFA;
	s.by_number[6] = INNER_CFA - 16;
	s.by_number[8] = BARE + 4;
	scene_unwind(&s);
	assert_int_equal(s.len, 2);
	assert_int_equal(s.ips[1], MIDDLE + 0x10);
	assert_int_equal(s.result.by_fp, 1);
	assert_int_equal(s.result.end, UNWIND_BROKEN);
}

static void
a_frame_is_where_its_expression_says(void **state)
{
	static const struct {
		const char *what;
		int expr;
		enum unwind_end end;
	} cases[] = {
		{ "a register of a caller", RBX_ITSELF, UNWIND_WHOLE },
		{ "a register that is not followed", REG_40, UNWIND_BROKEN },
		{ "a word of the stack", WORD_AT_SP, UNWIND_WHOLE },
		{ "a word that is on no stack", WORD_OF_CODE, UNWIND_BROKEN },
		{ "the CFA, of which it is made", CFA_PLUS_64, UNWIND_BROKEN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene s;

		scene_init(&s);
		s.rules[2].cfa_reg = UNWIND_CFA_EXPR;
		s.rules[2].cfa = code_at[cases[i].expr];
		s.by_number[1] = MIDDLE_CFA;
		s.words[(INNER_CFA - SP) / 8 + 1] = MIDDLE_CFA; /* 8 above the stack pointer */
		assert_ends(&s, cases[i].end, cases[i].what);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_ask_for_registers_and_memory),
		cmocka_unit_test(every_operation_gives_what_dwarf_says),
		cmocka_unit_test(expressions_that_make_no_sense_fail),
		cmocka_unit_test(expressions_end_when_the_budget_of_the_chain_does),
		cmocka_unit_test(a_trap_that_stops_behind_a_function_is_of_its_last_instruction),
		cmocka_unit_test(a_register_is_where_the_function_that_was_called_saved_it),
		cmocka_unit_test(what_calls_do_not_keep_is_not_known_of_a_caller),
		cmocka_unit_test(a_register_that_was_not_sampled_is_not_known),
		cmocka_unit_test(registers_are_not_known_behind_code_without_rules),
		cmocka_unit_test(a_frame_is_where_its_expression_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
