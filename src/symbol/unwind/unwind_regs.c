/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/unwind/dwarf_expr.h"
#include "symbol/unwind/unwind_impl.h"

/* A read beyond the copy, but not by more, is of what was not copied: no stack is larger. */
/* By DWARF's numbers of registers, perf's.  Those of arm64 are the same. */
static const uint8_t x86_numbers[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8,
};

/* As the sample has it; the bit that it is known by, 0: it has none. */
static uint64_t
find_sampled(const struct unwind_ask *ask, unsigned reg, uint64_t *value)
{
	unsigned number = reg;
	uint64_t bit;

	if (ask->arch == UNWIND_X86_64)
		number = reg < ARRAY_SIZE(x86_numbers) ? x86_numbers[reg] : UNWIND_REGS;
	if (number >= UNWIND_REGS)
		return 0;
	bit = UINT64_C(1) << number;
	if (!(ask->regs_mask & bit))
		return 0;
	*value = ask->regs[bits_below(ask->regs_mask, bit)];
	return bit;
}

/* Few of them are ever asked for: they stay where the sample has them. */
static bool
sampled_reg(const struct unwind_walk *w, unsigned reg, uint64_t *value)
{
	uint64_t bit = find_sampled(w->ask, reg, value);

	if (w->ask->reads != NULL)
		w->ask->reads->regs |= bit;
	return bit != 0;
}

void
unwind_uses_fp(const struct unwind_walk *w, const struct unwind_frame *f)
{
	uint64_t fp;

	if (f->is_fp_sampled)
		sampled_reg(w, w->machine->fp, &fp);
}

/* What a chain is like that lacks a word is not known of one that has it. */
static void
note_read(const struct unwind_walk *w, uint64_t offset, bool is_there)
{
	struct unwind_reads *r = w->ask->reads;

	if (r == NULL)
		return;
	if (!is_there || r->len >= UNWIND_READS_MAX)
		r->len = UNWIND_READS_MAX + 1;
	else
		r->at[r->len++] = (uint16_t)offset;
}

bool
unwind_first(struct unwind_walk *w)
{
	struct unwind_frame *f = &w->frames[0];

	*f = (struct unwind_frame){ .is_exact = true, .has_sp = true };
	if (!sampled_reg(w, w->machine->pc, &f->ip) || !sampled_reg(w, w->machine->sp, &f->sp))
		return false;
	f->has_fp = f->is_fp_sampled = find_sampled(w->ask, w->machine->fp, &f->fp) != 0;
	w->low = f->sp;
	w->count = 1;
	return true;
}

bool
unwind_read(struct unwind_walk *w, uint64_t address, uint64_t *value)
{
	uint64_t offset = address - w->low, len = w->ask->stack_len;

	if (len >= sizeof(*value) && offset <= len - sizeof(*value)) {
		memcpy(value, w->ask->stack + offset, sizeof(*value));
		w->used = MAX(w->used, (size_t)offset + sizeof(*value));
		note_read(w, offset, true);
		return true;
	}
	note_read(w, offset, false);
	w->why = w->is_elsewhere ? UNWIND_ELSEWHERE
				 : offset < len + UNWIND_STACK_MAX ? UNWIND_STACK_CUT : UNWIND_BROKEN;
	return false;
}

static bool
not_known(struct unwind_walk *w)
{
	w->why = UNWIND_BROKEN;
	return false;
}

bool
unwind_expr(struct unwind_walk *w, size_t k, struct bytes code, const uint64_t *cfa, uint64_t *out)
{
	struct dwarf_expr e;
	uint64_t value;

	dwarf_expr_begin(&e, code, cfa, &w->budget);
	for (;; dwarf_expr_answer(&e, value)) {
		switch (dwarf_expr_run(&e)) {
		case DWARF_EXPR_WANTS_REG:
			if (e.wanted >= UNWIND_REGS)
				return not_known(w);
			if (!unwind_reg(w, k, (unsigned)e.wanted, &value))
				return false;
			break;
		case DWARF_EXPR_WANTS_WORD:
			if (!unwind_read(w, e.wanted, &value))
				return false;
			break;
		case DWARF_EXPR_DONE:
			*out = e.wanted;
			return true;
		case DWARF_EXPR_RUNS:
		case DWARF_EXPR_FAILED:
			return not_known(w);
		}
	}
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
		return unwind_expr(w, k, unwind_rules_code(f->rules, value), &f->cfa, &address) &&
		       unwind_read(w, address, out);
	case UNWIND_IS_EXPR:
		return unwind_expr(w, k, unwind_rules_code(f->rules, value), &f->cfa, out);
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
	return sampled_reg(w, reg, value) || not_known(w);
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
		unwind_uses_fp(w, f);
		*value = f->fp;
		return f->has_fp || not_known(w);
	}
	if (reg == w->machine->pc) {
		*value = f->ip;
		return true;
	}
	return look_inward(w, k, reg, value);
}
