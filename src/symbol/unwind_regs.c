/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/unwind_impl.h"

/* A read beyond the copy, but not by more, is of what was not copied: no stack is larger. */
enum { STACK_MAX = 64 << 20 };

/* By perf's numbers of registers, DWARF's. */
static const uint8_t x86_columns[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, UNWIND_REGS, UNWIND_REGS, UNWIND_REGS, UNWIND_REGS,
	UNWIND_REGS, UNWIND_REGS, UNWIND_REGS, 8, 9, 10, 11, 12, 13, 14, 15,
};

static unsigned
column_of(enum unwind_arch arch, unsigned perf)
{
	/* x0 to x30, sp, pc. */
	if (arch == UNWIND_ARM64)
		return MIN(perf, (unsigned)UNWIND_REGS);
	return perf < ARRAY_SIZE(x86_columns) ? x86_columns[perf] : UNWIND_REGS;
}

bool
unwind_first(struct unwind_walk *w)
{
	const struct unwind_ask *ask = w->ask;
	const unsigned pc = w->machine->pc;
	const uint64_t *value = ask->regs;
	uint64_t left;

	w->first_known = 0;
	for (left = ask->regs_mask; left != 0; left &= left - 1, value++) {
		unsigned column = column_of(ask->arch, (unsigned)__builtin_ctzll(left));

		if (column >= UNWIND_REGS)
			continue;
		w->first[column] = *value;
		w->first_known |= UINT64_C(1) << column;
	}
	if (!(w->first_known >> pc & 1) || !(w->first_known >> w->machine->sp & 1))
		return false;
	w->low = w->first[w->machine->sp];
	w->count = 1;
	w->frames[0] = (struct unwind_frame){
		.ip = w->first[pc],
		.sp = w->low,
		.is_exact = true,
		.has_sp = true,
		.has_fp = w->first_known >> w->machine->fp & 1,
	};
	if (w->frames[0].has_fp)
		w->frames[0].fp = w->first[w->machine->fp];
	return true;
}

bool
unwind_read(struct unwind_walk *w, uint64_t address, uint64_t *value)
{
	uint64_t offset = address - w->low, len = w->ask->stack_len;

	if (len >= sizeof(*value) && offset <= len - sizeof(*value)) {
		memcpy(value, w->ask->stack + offset, sizeof(*value));
		w->used = MAX(w->used, (size_t)offset + sizeof(*value));
		return true;
	}
	w->why = w->is_elsewhere || offset < len + STACK_MAX ? UNWIND_STACK_CUT : UNWIND_BROKEN;
	return false;
}

static bool
not_known(struct unwind_walk *w)
{
	w->why = UNWIND_BROKEN;
	return false;
}

bool
unwind_value(struct unwind_walk *w, size_t k, unsigned how, int32_t value, uint64_t *out)
{
	const struct unwind_frame *f = &w->frames[k];
	uint64_t address = f->cfa + (uint64_t)(int64_t)value;

	switch ((enum unwind_how)how) {
	case UNWIND_AT:
		return unwind_read(w, address, out);
	case UNWIND_IS:
		*out = address;
		return true;
	case UNWIND_IN:
		return unwind_reg(w, k, (unsigned)value, out);
	case UNWIND_AT_EXPR:
		return unwind_expr(w, k, unwind_rules_code(f->rules, value), true, &address) &&
		       unwind_read(w, address, out);
	case UNWIND_IS_EXPR:
		return unwind_expr(w, k, unwind_rules_code(f->rules, value), true, out);
	case UNWIND_SAME:
	case UNWIND_UNDEFINED:
	case UNWIND_HOWS:
		break;
	}
	return not_known(w);
}

static const struct unwind_saved *
find_saved(const struct unwind_frame *f, unsigned reg)
{
	const struct unwind_saved *s = f->rules->saved + f->rule->saved;

	for (uint32_t i = 0; i < f->rule->saved_count; i++)
		if (s[i].reg == reg)
			return &s[i];
	return NULL;
}

/* As far as it is the same, from the caller to whom it called. */
static bool
look_inward(struct unwind_walk *w, size_t k, unsigned reg, uint64_t *value)
{
	for (; k > 0; k--) {
		const struct unwind_frame *callee = &w->frames[k - 1];
		const struct unwind_saved *s;

		if (callee->rule == NULL || w->budget == 0)
			return not_known(w);
		w->budget--;
		s = find_saved(callee, reg);
		if (s != NULL && s->how != UNWIND_SAME)
			return unwind_value(w, k - 1, s->how, s->value, value);
		if (reg > 31 || !(w->machine->preserved >> reg & 1))
			return not_known(w);
	}
	if (!(w->first_known >> reg & 1))
		return not_known(w);
	*value = w->first[reg];
	return true;
}

bool
unwind_reg(struct unwind_walk *w, size_t k, unsigned reg, uint64_t *value)
{
	const struct unwind_frame *f = &w->frames[k];

	if (reg == w->machine->sp) {
		*value = f->sp;
		return f->has_sp || not_known(w);
	}
	if (reg == w->machine->fp) {
		*value = f->fp;
		return f->has_fp || not_known(w);
	}
	if (reg == w->machine->pc) {
		*value = f->ip;
		return true;
	}
	return look_inward(w, k, reg, value);
}
