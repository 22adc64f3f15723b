/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/unwind/dwarf_expr.h"
#include "symbol/file/leb.h"

/*
 * The operations that make sense in call frame information.  What is fixed at link time only
 * (DW_OP_addr) or needs types and units does not occur there, and fails.
 */
enum { STEPS_MAX = 512 };

enum op {
	OP_deref = 0x06, OP_const1u = 0x08, OP_const8s = 0x0f, OP_constu, OP_consts, OP_dup,
	OP_drop, OP_over, OP_pick, OP_swap, OP_rot, OP_abs = 0x19, OP_and, OP_div, OP_minus, OP_mod,
	OP_mul, OP_neg, OP_not, OP_or, OP_plus, OP_plus_uconst, OP_shl, OP_shr, OP_shra, OP_xor,
	OP_bra, OP_eq, OP_ge, OP_gt, OP_le, OP_lt, OP_ne, OP_skip, OP_lit0, OP_lit31 = 0x4f,
	OP_breg0 = 0x70, OP_breg31 = 0x8f, OP_bregx = 0x92, OP_deref_size = 0x94, OP_nop = 0x96,
	OP_call_frame_cfa = 0x9c,
};

static uint64_t
fail(struct dwarf_expr *e)
{
	e->state = DWARF_EXPR_FAILED;
	return 0;
}

static void
push(struct dwarf_expr *e, uint64_t v)
{
	if (e->depth < DWARF_EXPR_STACK)
		e->stack[e->depth++] = v;
	else
		fail(e);
}

static uint64_t
pop(struct dwarf_expr *e)
{
	return e->depth > 0 ? e->stack[--e->depth] : fail(e);
}

static void
want_reg(struct dwarf_expr *e, uint64_t reg, int64_t offset)
{
	e->wanted = reg;
	e->offset = offset;
	e->state = DWARF_EXPR_WANTS_REG;
}

static void
want_word(struct dwarf_expr *e, unsigned bytes)
{
	e->wanted = pop(e);
	e->bytes = bytes;
	if (bytes == 0 || bytes > 8)
		fail(e);
	else if (e->state != DWARF_EXPR_FAILED)
		e->state = DWARF_EXPR_WANTS_WORD;
}

static void
push_pick(struct dwarf_expr *e, unsigned index)
{
	push(e, index < e->depth ? e->stack[e->depth - 1 - index] : fail(e));
}

static void
jump(struct dwarf_expr *e, bool taken)
{
	int64_t to = (int16_t)reader_u16(&e->r);

	if (!taken)
		return;
	to += e->r.pos - e->code.data;
	if (to < 0 || to > (int64_t)e->code.len)
		fail(e);
	else
		e->r.pos = e->code.data + to;
}

static void
rotate(struct dwarf_expr *e)
{
	uint64_t first = pop(e), second = pop(e), third = pop(e);

	push(e, first);
	push(e, third);
	push(e, second);
}

static void
swap(struct dwarf_expr *e)
{
	uint64_t first = pop(e), second = pop(e);

	push(e, first);
	push(e, second);
}

static uint64_t
divide(struct dwarf_expr *e, int64_t a, int64_t b)
{
	return b == 0 || (a == INT64_MIN && b == -1) ? fail(e) : (uint64_t)(a / b);
}

static uint64_t
shift_right(int64_t a, uint64_t n)
{
	return (uint64_t)(a >> MIN(n, 63u));
}

/* Of two: @a was pushed first. */
static uint64_t
of_two(struct dwarf_expr *e, uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case OP_and:
		return a & b;
	case OP_div:
		return divide(e, (int64_t)a, (int64_t)b);
	case OP_minus:
		return a - b;
	case OP_mod:
		return b == 0 ? fail(e) : a % b;
	case OP_mul:
		return a * b;
	case OP_or:
		return a | b;
	case OP_plus:
		return a + b;
	case OP_shl:
		return b < 64 ? a << b : 0;
	case OP_shr:
		return b < 64 ? a >> b : 0;
	case OP_shra:
		return shift_right((int64_t)a, b);
	case OP_xor:
		return a ^ b;
	case OP_eq:
		return a == b;
	case OP_ge:
		return (int64_t)a >= (int64_t)b;
	case OP_gt:
		return (int64_t)a > (int64_t)b;
	case OP_le:
		return (int64_t)a <= (int64_t)b;
	case OP_lt:
		return (int64_t)a < (int64_t)b;
	case OP_ne:
		return a != b;
	default:
		return fail(e);
	}
}

/* DW_OP_const1u to const8s: of each size the unsigned one, which is even, then the signed one. */
static uint64_t
read_constant(struct reader *r, uint8_t op)
{
	unsigned bytes = 1u << (op - OP_const1u) / 2, unused = 64 - 8 * bytes;
	uint64_t v = bytes == 1 ? reader_u8(r) : bytes == 2 ? reader_u16(r) :
		     bytes == 4 ? reader_u32(r) : reader_u64(r);

	return op % 2 ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

/* What is neither a constant of fixed size nor of two numbers. */
static bool
other(struct dwarf_expr *e, uint8_t op)
{
	uint64_t v;

	switch (op) {
	case OP_deref:
		want_word(e, 8);
		return true;
	case OP_deref_size:
		want_word(e, reader_u8(&e->r));
		return true;
	case OP_constu:
		push(e, reader_uleb(&e->r));
		return true;
	case OP_consts:
		push(e, (uint64_t)reader_sleb(&e->r));
		return true;
	case OP_dup:
		push_pick(e, 0);
		return true;
	case OP_over:
		push_pick(e, 1);
		return true;
	case OP_pick:
		push_pick(e, reader_u8(&e->r));
		return true;
	case OP_drop:
		pop(e);
		return true;
	case OP_swap:
		swap(e);
		return true;
	case OP_rot:
		rotate(e);
		return true;
	case OP_abs:
		v = pop(e);
		push(e, v >> 63 ? -v : v);
		return true;
	case OP_neg:
		push(e, -pop(e));
		return true;
	case OP_not:
		push(e, ~pop(e));
		return true;
	case OP_plus_uconst:
		push(e, pop(e) + reader_uleb(&e->r));
		return true;
	case OP_bra:
		jump(e, pop(e) != 0);
		return true;
	case OP_skip:
		jump(e, true);
		return true;
	case OP_call_frame_cfa:
		push(e, e->cfa != NULL ? *e->cfa : fail(e));
		return true;
	case OP_nop:
		return true;
	default:
		return false;
	}
}

static void
step(struct dwarf_expr *e)
{
	uint8_t op = reader_u8(&e->r);

	if (op >= OP_lit0 && op <= OP_lit31) {
		push(e, op - (uint64_t)OP_lit0);
	} else if (op >= OP_breg0 && op <= OP_breg31) {
		want_reg(e, op - (uint64_t)OP_breg0, reader_sleb(&e->r));
	} else if (op == OP_bregx) {
		uint64_t reg = reader_uleb(&e->r);

		want_reg(e, reg, reader_sleb(&e->r));
	} else if (op >= OP_const1u && op <= OP_const8s) {
		push(e, read_constant(&e->r, op));
	} else if (!other(e, op)) {
		uint64_t b = pop(e), a = pop(e);

		push(e, of_two(e, op, a, b));
	}
}

void
dwarf_expr_begin(struct dwarf_expr *e, struct bytes code, const uint64_t *cfa, unsigned *budget)
{
	e->state = DWARF_EXPR_RUNS;
	e->code = code;
	e->r = reader_over(code);
	e->cfa = cfa;
	e->budget = budget;
	e->steps = 0;
	e->depth = 0;
	if (cfa != NULL)
		push(e, *cfa);
}

enum dwarf_expr_state
dwarf_expr_run(struct dwarf_expr *e)
{
	while (e->state == DWARF_EXPR_RUNS && reader_left(&e->r) > 0) {
		if (e->steps++ >= STEPS_MAX || *e->budget == 0)
			return e->state = DWARF_EXPR_FAILED;
		--*e->budget;
		step(e);
		if (e->r.failed)
			fail(e);
	}
	if (e->state == DWARF_EXPR_RUNS) {
		e->state = DWARF_EXPR_DONE;
		e->wanted = pop(e);
	}
	return e->state;
}

void
dwarf_expr_answer(struct dwarf_expr *e, uint64_t value)
{
	bool is_reg = e->state == DWARF_EXPR_WANTS_REG;

	e->state = DWARF_EXPR_RUNS;
	if (is_reg)
		value += (uint64_t)e->offset;
	else if (e->bytes < 8)
		value &= (UINT64_C(1) << e->bytes * 8) - 1;
	push(e, value);
}
