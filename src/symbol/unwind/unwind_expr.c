/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/file/leb.h"
#include "symbol/unwind/unwind_impl.h"

/*
 * The operations that make sense in call frame information.  What is fixed at link time only
 * (DW_OP_addr) or needs types and units does not occur there, and fails.
 */
enum { STACK_MAX = 32, STEPS_MAX = 512 };

enum op {
	OP_deref = 0x06, OP_const1u = 0x08, OP_const1s, OP_const2u, OP_const2s, OP_const4u,
	OP_const4s, OP_const8u, OP_const8s, OP_constu, OP_consts, OP_dup, OP_drop, OP_over,
	OP_pick, OP_swap, OP_rot, OP_abs = 0x19, OP_and, OP_div, OP_minus, OP_mod, OP_mul, OP_neg,
	OP_not, OP_or, OP_plus, OP_plus_uconst, OP_shl, OP_shr, OP_shra, OP_xor, OP_bra, OP_eq,
	OP_ge, OP_gt, OP_le, OP_lt, OP_ne, OP_skip, OP_lit0, OP_lit31 = 0x4f, OP_breg0 = 0x70,
	OP_breg31 = 0x8f, OP_bregx = 0x92, OP_deref_size = 0x94, OP_nop = 0x96,
	OP_call_frame_cfa = 0x9c,
};

struct expr {
	struct unwind_walk *w;
	size_t k;
	struct bytes code;
	struct reader r;
	uint64_t stack[STACK_MAX];
	unsigned depth;
	bool failed; /* why is the walk's */
};

static uint64_t
fail(struct expr *e)
{
	e->w->why = UNWIND_BROKEN;
	e->failed = true;
	return 0;
}

static void
push(struct expr *e, uint64_t v)
{
	if (e->depth < STACK_MAX)
		e->stack[e->depth++] = v;
	else
		fail(e);
}

static uint64_t
pop(struct expr *e)
{
	return e->depth > 0 ? e->stack[--e->depth] : fail(e);
}

static void
push_reg(struct expr *e, unsigned reg, int64_t offset)
{
	uint64_t v = 0;

	if (reg >= UNWIND_REGS)
		fail(e);
	else if (!unwind_reg(e->w, e->k, reg, &v))
		e->failed = true;
	else
		push(e, v + (uint64_t)offset);
}

static void
push_read(struct expr *e, unsigned bytes)
{
	uint64_t v = 0;

	if (bytes == 0 || bytes > 8)
		fail(e);
	else if (!unwind_read(e->w, pop(e), &v))
		e->failed = true;
	else
		push(e, bytes == 8 ? v : v & ((UINT64_C(1) << bytes * 8) - 1));
}

static void
push_pick(struct expr *e, unsigned index)
{
	push(e, index < e->depth ? e->stack[e->depth - 1 - index] : fail(e));
}

static void
jump(struct expr *e, bool taken)
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
rotate(struct expr *e)
{
	uint64_t first = pop(e), second = pop(e), third = pop(e);

	push(e, first);
	push(e, third);
	push(e, second);
}

static void
swap(struct expr *e)
{
	uint64_t first = pop(e), second = pop(e);

	push(e, first);
	push(e, second);
}

static uint64_t
divide(struct expr *e, int64_t a, int64_t b)
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
of_two(struct expr *e, uint8_t op, uint64_t a, uint64_t b)
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

static bool
push_constant(struct expr *e, uint8_t op)
{
	switch (op) {
	case OP_const1u:
		push(e, reader_u8(&e->r));
		return true;
	case OP_const1s:
		push(e, (uint64_t)(int8_t)reader_u8(&e->r));
		return true;
	case OP_const2u:
		push(e, reader_u16(&e->r));
		return true;
	case OP_const2s:
		push(e, (uint64_t)(int16_t)reader_u16(&e->r));
		return true;
	case OP_const4u:
		push(e, reader_u32(&e->r));
		return true;
	case OP_const4s:
		push(e, (uint64_t)(int32_t)reader_u32(&e->r));
		return true;
	case OP_const8u:
	case OP_const8s:
		push(e, reader_u64(&e->r));
		return true;
	case OP_constu:
		push(e, reader_uleb(&e->r));
		return true;
	case OP_consts:
		push(e, (uint64_t)reader_sleb(&e->r));
		return true;
	default:
		return false;
	}
}

/* What is neither a constant nor of two numbers. */
static bool
other(struct expr *e, uint8_t op)
{
	uint64_t v;

	switch (op) {
	case OP_deref:
		push_read(e, 8);
		return true;
	case OP_deref_size:
		push_read(e, reader_u8(&e->r));
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
		push(e, e->w->frames[e->k].cfa);
		return true;
	case OP_nop:
		return true;
	default:
		return false;
	}
}

static void
step(struct expr *e)
{
	uint8_t op = reader_u8(&e->r);

	if (op >= OP_lit0 && op <= OP_lit31) {
		push(e, op - (uint64_t)OP_lit0);
	} else if (op >= OP_breg0 && op <= OP_breg31) {
		push_reg(e, op - (unsigned)OP_breg0, reader_sleb(&e->r));
	} else if (op == OP_bregx) {
		uint64_t reg = reader_uleb(&e->r);

		push_reg(e, (unsigned)MIN(reg, (uint64_t)UNWIND_REGS), reader_sleb(&e->r));
	} else if (!push_constant(e, op) && !other(e, op)) {
		uint64_t b = pop(e), a = pop(e);

		push(e, of_two(e, op, a, b));
	}
}

bool
unwind_expr(struct unwind_walk *w, size_t k, struct bytes code, bool with_cfa, uint64_t *out)
{
	struct expr e;
	unsigned steps = 0;

	e.w = w;
	e.k = k;
	e.code = code;
	e.r = reader_over(code);
	e.depth = 0;
	e.failed = false;
	if (with_cfa)
		push(&e, w->frames[k].cfa);
	for (; reader_left(&e.r) > 0 && !e.failed; steps++) {
		if (steps >= STEPS_MAX || w->budget == 0)
			fail(&e);
		else
			step(&e);
		w->budget -= w->budget > 0;
	}
	if (e.r.failed)
		fail(&e);
	if (!e.failed)
		*out = pop(&e);
	return !e.failed;
}
