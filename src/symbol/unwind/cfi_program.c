/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#ifdef HAVE_LIBDW

#include "symbol/unwind/cfi_program.h"
#include "symbol/file/leb.h"

#include <dwarf.h>

enum {
	REMEMBERED_MAX = 16,
	NO_REG = UNWIND_REGS, /* of a register that is not followed: vectors and such */
	/* Those whose number is in the instruction have it in the lower six bits. */
	LOW_BITS = 0x3f,
	MIPS_ADVANCE_LOC8 = 0x1d,
};

struct run {
	const struct cfi_section *section;
	const struct cfi_common *common;
	const struct unwind_state *initial; /* NULL: it is being made */
	struct rules_build *build;
	struct reader r;
	uint64_t at, end; /* of the function */
	uint64_t shift;
	struct unwind_state now;
	unsigned remembered;
	bool failed;
	struct unwind_state stack[REMEMBERED_MAX];
};

static int32_t
small(struct run *run, int64_t n)
{
	if (n < INT32_MIN || n > INT32_MAX)
		run->failed = true;
	return (int32_t)n;
}

/* Offsets are in units, save for those of the oldest instructions. */
static int32_t
factored(struct run *run, int64_t n)
{
	int64_t out = 0;

	run->failed |= __builtin_mul_overflow(n, run->common->data_align, &out);
	return small(run, out);
}

static int32_t
unsigned_offset(struct run *run)
{
	uint64_t n = reader_uleb(&run->r);

	return small(run, (int64_t)MIN(n, (uint64_t)INT64_MAX));
}

static int32_t
factored_unsigned(struct run *run)
{
	uint64_t n = reader_uleb(&run->r);

	return factored(run, (int64_t)MIN(n, (uint64_t)INT64_MAX));
}

static unsigned
reg(struct run *run)
{
	uint64_t n = reader_uleb(&run->r);

	return (unsigned)MIN(n, (uint64_t)NO_REG);
}

static int32_t
expression(struct run *run)
{
	uint64_t len = reader_uleb(&run->r);
	const uint8_t *p = reader_bytes(&run->r, (size_t)len);
	int32_t at = p == NULL ? -1
			       : rules_build_code(run->build, (struct bytes){ p, (size_t)len });

	run->failed |= at < 0;
	return at;
}

static void
set(struct run *run, unsigned number, enum unwind_how how, int32_t value)
{
	if (number >= NO_REG)
		return;
	run->now.set |= UINT64_C(1) << number;
	run->now.regs[number].how = (uint8_t)how;
	run->now.regs[number].value = value;
}

static void
restore(struct run *run, unsigned number)
{
	uint64_t bit = UINT64_C(1) << number;

	if (number >= NO_REG)
		return;
	if (run->initial == NULL) {
		run->failed = true;
		return;
	}
	run->now.set = (run->now.set & ~bit) | (run->initial->set & bit);
	run->now.regs[number] = run->initial->regs[number];
}

static void
set_cfa(struct run *run, unsigned number, int32_t offset)
{
	run->failed |= number >= NO_REG;
	run->now.cfa_reg = (uint8_t)number;
	run->now.cfa = offset;
}

/* The state up to now is that of the code before @at. */
static void
go_to(struct run *run, uint64_t at)
{
	if (run->initial == NULL || at < run->at) {
		run->failed = true;
		return;
	}
	if (at == run->at)
		return;
	if (run->at < run->end && !run->failed)
		rules_build_row(run->build, run->at + run->shift, &run->now);
	run->at = at;
}

static void
advance(struct run *run, uint64_t units)
{
	uint64_t len;

	if (__builtin_mul_overflow(units, run->common->code_align, &len) || len > INT64_MAX)
		run->failed = true;
	else
		go_to(run, run->at + len);
}

static void
do_set_loc(struct run *run)
{
	go_to(run, cfi_section_address(run->section, &run->r, run->common->encoding));
}

static void
do_advance_1(struct run *run)
{
	advance(run, reader_u8(&run->r));
}

static void
do_advance_2(struct run *run)
{
	advance(run, reader_u16(&run->r));
}

static void
do_advance_4(struct run *run)
{
	advance(run, reader_u32(&run->r));
}

static void
do_advance_8(struct run *run)
{
	advance(run, reader_u64(&run->r));
}

static void
do_offset_extended(struct run *run)
{
	unsigned n = reg(run);

	set(run, n, UNWIND_AT, factored_unsigned(run));
}

static void
do_offset_extended_sf(struct run *run)
{
	unsigned n = reg(run);

	set(run, n, UNWIND_AT, factored(run, reader_sleb(&run->r)));
}

static void
do_negative_offset(struct run *run)
{
	unsigned n = reg(run);

	set(run, n, UNWIND_AT, small(run, -(int64_t)factored_unsigned(run)));
}

static void
do_val_offset(struct run *run)
{
	unsigned n = reg(run);

	set(run, n, UNWIND_IS, factored_unsigned(run));
}

static void
do_val_offset_sf(struct run *run)
{
	unsigned n = reg(run);

	set(run, n, UNWIND_IS, factored(run, reader_sleb(&run->r)));
}

static void
do_restore(struct run *run)
{
	restore(run, reg(run));
}

static void
do_undefined(struct run *run)
{
	set(run, reg(run), UNWIND_UNDEFINED, 0);
}

static void
do_same_value(struct run *run)
{
	set(run, reg(run), UNWIND_SAME, 0);
}

static void
do_register(struct run *run)
{
	unsigned n = reg(run), other = reg(run);

	set(run, n, other < NO_REG ? UNWIND_IN : UNWIND_UNDEFINED, (int32_t)(other % NO_REG));
}

static void
do_expression(struct run *run)
{
	unsigned n = reg(run);

	set(run, n, UNWIND_AT_EXPR, expression(run));
}

static void
do_val_expression(struct run *run)
{
	unsigned n = reg(run);

	set(run, n, UNWIND_IS_EXPR, expression(run));
}

static void
do_remember(struct run *run)
{
	if (run->remembered < REMEMBERED_MAX)
		run->stack[run->remembered++] = run->now;
	else
		run->failed = true;
}

static void
do_restore_state(struct run *run)
{
	if (run->remembered > 0)
		run->now = run->stack[--run->remembered];
	else
		run->failed = true;
}

static void
do_def_cfa(struct run *run)
{
	unsigned n = reg(run);

	set_cfa(run, n, unsigned_offset(run));
}

static void
do_def_cfa_sf(struct run *run)
{
	unsigned n = reg(run);

	set_cfa(run, n, factored(run, reader_sleb(&run->r)));
}

static void
do_def_cfa_register(struct run *run)
{
	run->failed |= run->now.cfa_reg == UNWIND_CFA_EXPR;
	set_cfa(run, reg(run), run->now.cfa);
}

static void
do_def_cfa_offset(struct run *run)
{
	run->failed |= run->now.cfa_reg == UNWIND_CFA_EXPR;
	run->now.cfa = unsigned_offset(run);
}

static void
do_def_cfa_offset_sf(struct run *run)
{
	run->failed |= run->now.cfa_reg == UNWIND_CFA_EXPR;
	run->now.cfa = factored(run, reader_sleb(&run->r));
}

static void
do_def_cfa_expression(struct run *run)
{
	run->now.cfa_reg = UNWIND_CFA_EXPR;
	run->now.cfa = expression(run);
}

static void
do_args_size(struct run *run)
{
	reader_uleb(&run->r);
}

/* On arm64: whether return addresses are signed, which is taken off in any case. */
static void
do_nothing(struct run *run)
{
	(void)run;
}

static void (*const instructions[])(struct run *run) = {
	[DW_CFA_nop] = do_nothing,
	[DW_CFA_set_loc] = do_set_loc,
	[DW_CFA_advance_loc1] = do_advance_1,
	[DW_CFA_advance_loc2] = do_advance_2,
	[DW_CFA_advance_loc4] = do_advance_4,
	[DW_CFA_offset_extended] = do_offset_extended,
	[DW_CFA_restore_extended] = do_restore,
	[DW_CFA_undefined] = do_undefined,
	[DW_CFA_same_value] = do_same_value,
	[DW_CFA_register] = do_register,
	[DW_CFA_remember_state] = do_remember,
	[DW_CFA_restore_state] = do_restore_state,
	[DW_CFA_def_cfa] = do_def_cfa,
	[DW_CFA_def_cfa_register] = do_def_cfa_register,
	[DW_CFA_def_cfa_offset] = do_def_cfa_offset,
	[DW_CFA_def_cfa_expression] = do_def_cfa_expression,
	[DW_CFA_expression] = do_expression,
	[DW_CFA_offset_extended_sf] = do_offset_extended_sf,
	[DW_CFA_def_cfa_sf] = do_def_cfa_sf,
	[DW_CFA_def_cfa_offset_sf] = do_def_cfa_offset_sf,
	[DW_CFA_val_offset] = do_val_offset,
	[DW_CFA_val_offset_sf] = do_val_offset_sf,
	[DW_CFA_val_expression] = do_val_expression,
	[MIPS_ADVANCE_LOC8] = do_advance_8,
	[DW_CFA_GNU_window_save] = do_nothing,
	[DW_CFA_GNU_args_size] = do_args_size,
	[DW_CFA_GNU_negative_offset_extended] = do_negative_offset,
};

static void
step(struct run *run)
{
	uint8_t op = reader_u8(&run->r), low = op & LOW_BITS;

	switch (op & ~LOW_BITS) {
	case DW_CFA_advance_loc:
		advance(run, low);
		return;
	case DW_CFA_offset:
		set(run, MIN(low, NO_REG), UNWIND_AT, factored_unsigned(run));
		return;
	case DW_CFA_restore:
		restore(run, MIN(low, NO_REG));
		return;
	default:
		if (op < ARRAY_SIZE(instructions) && instructions[op] != NULL)
			instructions[op](run);
		else
			run->failed = true;
	}
}

static bool
finish(struct run *run, struct bytes program)
{
	run->r = reader_over(program);
	while (reader_left(&run->r) > 0 && !run->failed)
		step(run);
	return !run->failed && !run->r.failed;
}

static void
prepare(struct run *run, const struct cfi_section *s, const struct cfi_common *common,
	struct rules_build *b)
{
	/* Not the states that may be remembered: they are large, and many functions are short. */
	memset(run, 0, offsetof(struct run, now));
	run->section = s;
	run->common = common;
	run->build = b;
	run->remembered = 0;
	run->failed = false;
}

bool
cfi_program_begin(const struct cfi_section *s, const struct cfi_common *common,
		  struct rules_build *b, struct unwind_state *state)
{
	struct run run;

	prepare(&run, s, common, b);
	run.now = (struct unwind_state){ .ra = common->ra,
					 .flags = common->is_signal ? UNWIND_SIGNAL : 0 };
	if (!finish(&run, common->program))
		return false;
	*state = run.now;
	return true;
}

bool
cfi_program_run(const struct cfi_section *s, const struct cfi_common *common,
		const struct cfi_function *fn, const struct unwind_state *initial, uint64_t shift,
		struct rules_build *b)
{
	struct run run;

	prepare(&run, s, common, b);
	run.initial = initial;
	run.at = fn->start;
	run.end = fn->end;
	run.shift = shift;
	run.now = *initial;
	if (!finish(&run, fn->program))
		return false;
	go_to(&run, MAX(fn->end, run.at));
	return true;
}

#endif
