/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/unwind/unwind.h"
#include "symbol/unwind/unwind_impl.h"

#include <stdlib.h>

enum {
	CACHE_SLOTS = 2048,
	BUDGET = 4096, /* registers and operations for one chain: a signal's frame needs some 30 */
	GUESSES = 64,  /* places of a return address that are tried */
	RECORD_BYTES = 16, /* the frame pointer of the caller, and the return address */
};

/* Signed return addresses of arm64 have the signature above the bits of addresses. */
#define ARM64_ADDRESS UINT64_C(0x0000ffffffffffff)

/* The slot is chosen by the offset; what it has is of that offset in those rules. */
struct unwind_cache {
	struct slot {
		const struct unwind_rules *rules; /* NULL: nothing */
		uint64_t offset;
		const struct unwind_rule *rule;
	} slots[CACHE_SLOTS];
};

struct unwind_cache *
unwind_cache_new(void)
{
	return mem_calloc(1, sizeof(struct unwind_cache));
}

void
unwind_cache_free(struct unwind_cache *c)
{
	free(c);
}

void
unwind_cache_clear(struct unwind_cache *c)
{
	memset(c, 0, sizeof(*c));
}

static const struct unwind_rule *
find_rule(struct unwind_cache *cache, const struct unwind_rules *rules, uint64_t offset)
{
	struct slot *s;

	if (cache == NULL)
		return unwind_rules_find(rules, offset);
	s = &cache->slots[(offset ^ offset >> 11) % CACHE_SLOTS];
	if (s->rules != rules || s->offset != offset)
		*s = (struct slot){ rules, offset, unwind_rules_find(rules, offset) };
	return s->rule;
}

/* One byte less of a return address is in the call: what is after it may be another function. */
static uint64_t
lookup_address(const struct unwind_frame *f)
{
	return f->is_exact ? f->ip : f->ip - 1;
}

static bool
ends(struct unwind_walk *w, enum unwind_end why)
{
	w->why = why;
	return false;
}

/* What the frame's code is, and its rule.  false: it is not known, or no code. */
static bool
find_place(struct unwind_walk *w, struct unwind_frame *f)
{
	const struct unwind_ask *ask = w->ask;
	struct unwind_place place = { .rules = NULL };
	int res = ask->find(ask->arg, lookup_address(f), &place);

	f->rules = NULL;
	f->rule = NULL;
	f->is_probed = place.is_probed;
	if (res != 0)
		return ends(w, res > 0 ? UNWIND_WAITS : UNWIND_NO_MAP);
	if (place.rules == NULL || place.rules->head.machine != w->machine->machine)
		return true;
	f->rules = place.rules;
	f->rule = find_rule(ask->cache, place.rules, lookup_address(f) - place.bias);
	return true;
}

/* The stack grows down: callers are above, but for what a signal interrupted. */
static bool
is_monotonic(const struct unwind_walk *w, const struct unwind_frame *f)
{
	if (f->rule->flags & UNWIND_SIGNAL)
		return true;
	/* On arm64 a function that has not begun yet has nothing on the stack. */
	return f->cfa > f->sp ||
	       (f->cfa == f->sp && f->is_exact && w->machine->machine == EM_AARCH64);
}

static bool
find_cfa(struct unwind_walk *w, size_t k)
{
	struct unwind_frame *f = &w->frames[k];
	const struct unwind_rule *r = f->rule;
	bool known;

	if (r->cfa_reg == UNWIND_CFA_EXPR) {
		known = unwind_expr(w, k, unwind_rules_code(f->rules, r->cfa), NULL, &f->cfa);
	} else {
		known = unwind_reg(w, k, r->cfa_reg, &f->cfa);
		f->cfa += (uint64_t)(int64_t)r->cfa;
	}
	if (!known)
		return false;
	return (f->cfa % 8 == 0 && is_monotonic(w, f)) || ends(w, UNWIND_BROKEN);
}

static bool
find_return(struct unwind_walk *w, size_t k, uint64_t *ip)
{
	const struct unwind_frame *f = &w->frames[k];
	const struct unwind_rule *r = f->rule;

	if (r->ra_how != UNWIND_SAME)
		return unwind_value(w, k, r->ra_how, r->ra, ip);
	/* The link register is its own only as long as nothing was called. */
	return (f->is_exact && unwind_reg(w, k, w->machine->ra, ip)) || ends(w, UNWIND_BROKEN);
}

static void
find_fp(struct unwind_walk *w, size_t k, struct unwind_frame *caller)
{
	const struct unwind_frame *f = &w->frames[k];
	const struct unwind_rule *r = f->rule;

	caller->fp = f->fp;
	caller->has_fp = f->has_fp;
	caller->is_fp_sampled = f->is_fp_sampled && r->fp_how == UNWIND_SAME;
	if (r->fp_how != UNWIND_SAME)
		caller->has_fp = unwind_value(w, k, r->fp_how, r->fp, &caller->fp);
}

static void
find_sp(struct unwind_walk *w, size_t k, struct unwind_frame *caller)
{
	const struct unwind_frame *f = &w->frames[k];
	const struct unwind_saved *s = f->rules->saved + f->rule->saved;

	caller->sp = f->cfa;
	caller->has_sp = true;
	if (!(f->rule->flags & UNWIND_SAVES_SP))
		return;
	for (uint32_t i = 0; i < f->rule->saved_count; i++)
		if (s[i].reg == w->machine->sp)
			caller->has_sp = unwind_value(w, k, s[i].how, s[i].value, &caller->sp);
}

/* By what it interrupts a signal can lead to a frame that was there before. */
static bool
was_before(const struct unwind_walk *w, const struct unwind_frame *caller)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->frames[i].ip == caller->ip && w->frames[i].sp == caller->sp)
			return true;
	return false;
}

static bool
step_by_rule(struct unwind_walk *w, size_t k, struct unwind_frame *caller)
{
	const struct unwind_frame *f = &w->frames[k];

	if (f->rule->ra_how == UNWIND_UNDEFINED)
		return ends(w, UNWIND_WHOLE);
	if (!find_cfa(w, k) || !find_return(w, k, &caller->ip))
		return false;
	find_fp(w, k, caller);
	find_sp(w, k, caller);
	caller->is_exact = f->rule->flags & UNWIND_SIGNAL;
	if (!caller->is_exact)
		return true;
	if (caller->sp < f->sp || caller->sp - w->low > w->ask->stack_len + UNWIND_STACK_MAX)
		w->is_elsewhere = true;
	return !was_before(w, caller) || ends(w, UNWIND_BROKEN);
}

static bool
step_by_fp(struct unwind_walk *w, size_t k, struct unwind_frame *caller)
{
	const struct unwind_frame *f = &w->frames[k];

	unwind_uses_fp(w, f);
	if (!f->has_fp || f->fp < f->sp || f->fp % 8 != 0)
		return ends(w, UNWIND_NO_RULES);
	if (!unwind_read(w, f->fp, &caller->fp) || !unwind_read(w, f->fp + 8, &caller->ip))
		return ends(w, w->why != UNWIND_BROKEN ? w->why : UNWIND_NO_RULES);
	if (caller->ip == 0)
		return ends(w, UNWIND_NO_RULES);
	caller->has_fp = true;
	caller->is_fp_sampled = false;
	caller->is_exact = false;
	caller->sp = f->fp + RECORD_BYTES;
	/* On arm64 the record lies anywhere in the frame. */
	caller->has_sp = w->machine->machine == EM_X86_64;
	return true;
}

/* The frame that is after the last one.  false: there is none, why says in what way it ends. */
static bool
step(struct unwind_walk *w)
{
	size_t k = w->count - 1;
	struct unwind_frame *f = &w->frames[k], *caller = &w->frames[k + 1];
	bool by_fp = f->rule == NULL || (!f->has_sp && f->rule->cfa_reg == w->machine->sp);

	if (f->is_probed)
		return ends(w, UNWIND_PROBED);
	/* It then says that its registers are not known. */
	if (by_fp)
		f->rule = NULL;
	if (by_fp ? !step_by_fp(w, k, caller) : !step_by_rule(w, k, caller))
		return false;
	if (w->machine->machine == EM_AARCH64)
		caller->ip &= ARM64_ADDRESS;
	if (caller->ip == 0)
		return ends(w, UNWIND_WHOLE);
	if (!find_place(w, caller)) {
		if (by_fp && w->why == UNWIND_NO_MAP)
			w->why = UNWIND_NO_RULES;
		return false;
	}
	w->by_fp += by_fp;
	w->count++;
	return true;
}

static void
walk_on(struct unwind_walk *w, size_t max)
{
	while (step(w)) {
		if (w->count > max) {
			w->count = max;
			w->why = UNWIND_TOO_DEEP;
			return;
		}
	}
}

/* Whether @ip can be a return address: of code with a rule.  UNWIND_WAITS: it is not known yet. */
static bool
may_be_return(struct unwind_walk *w, uint64_t ip)
{
	struct unwind_frame f = { .ip = ip };

	return ip > page_size() && find_place(w, &f) && f.rule != NULL &&
	       f.rule->ra_how != UNWIND_UNDEFINED;
}

/* The frame pointer of the last frame, if its return address is at @at. */
static bool
guess_at(struct unwind_walk *w, uint64_t at)
{
	struct unwind_frame *f = &w->frames[w->count - 1];
	uint64_t ip, cfa = at - (uint64_t)(int64_t)f->rule->ra;

	f->fp = cfa - (uint64_t)(int64_t)f->rule->cfa;
	return f->fp >= f->sp && cfa % 8 == 0 && unwind_read(w, at, &ip) && may_be_return(w, ip);
}

/* Not by a word that happens to be 0, where a return address should be. */
static bool
has_begun_there(const struct unwind_walk *w)
{
	const struct unwind_rule *r = w->frames[w->count - 1].rule;

	return w->why == UNWIND_WHOLE && r != NULL && r->ra_how == UNWIND_UNDEFINED;
}

/*
 * Of a thread that waits no more is known than where it is.  A frame that is found by the frame
 * pointer, which no frame before it has saved, is looked for: a return address on the stack from
 * which on the rules lead to where the thread began.  What earlier calls have left there leads
 * nowhere, as a rule.
 */
static void
guess(struct unwind_walk *w, size_t max)
{
	const size_t count = w->count;
	struct unwind_frame *f = &w->frames[count - 1];
	const unsigned by_fp = w->by_fp;
	unsigned tries = GUESSES;

	if (w->why != UNWIND_BROKEN || f->has_fp || f->rule == NULL ||
	    f->rule->cfa_reg != w->machine->fp || f->rule->ra_how != UNWIND_AT)
		return;
	for (uint64_t at = f->sp; at - w->low + 8 <= w->ask->stack_len && tries > 0; at += 8) {
		bool is_one = guess_at(w, at);

		if (w->why == UNWIND_WAITS)
			return;
		if (!is_one)
			continue;
		tries--;
		f->has_fp = w->is_guessed = true;
		walk_on(w, max);
		if (has_begun_there(w) || w->why == UNWIND_WAITS)
			return;
		w->count = count;
		w->by_fp = by_fp;
		f->has_fp = w->is_guessed = false;
	}
	w->why = tries > 0 ? UNWIND_STACK_CUT : UNWIND_BROKEN;
}

/*
 * The kernel's int3 of a probe stops behind it: behind a ret that is a function's end nothing is, or
 * the padding before the next one, which never runs.
 */
static bool
find_first(struct unwind_walk *w)
{
	struct unwind_frame *f = &w->frames[0];

	if (!find_place(w, f))
		return false;
	if (f->rules == NULL || f->rule != NULL)
		return true;
	f->ip--;
	if (find_place(w, f) && f->rule != NULL)
		return true;
	f->ip++;
	return find_place(w, f);
}

static void
walk(struct unwind_walk *w, size_t max)
{
	if (!find_first(w))
		return;
	walk_on(w, max);
	if (!w->frames[0].has_fp)
		guess(w, max);
}

size_t
unwind(const struct unwind_ask *ask, uint64_t *ips, size_t max, struct unwind_result *result)
{
	struct unwind_walk w; /* large, and its frames are filled as they come */

	w.ask = ask;
	w.machine = ask->arch == UNWIND_ARM64 ? &unwind_arm64 : &unwind_x86_64;
	w.used = 0;
	w.budget = BUDGET;
	w.is_elsewhere = false;
	w.why = UNWIND_BROKEN;
	w.by_fp = 0;
	w.is_guessed = false;
	w.count = 0;
	if (ask->reads != NULL)
		ask->reads->regs = ask->reads->len = 0;
	max = MIN(max, (size_t)UNWIND_FRAMES_MAX);
	if (max > 0 && unwind_first(&w))
		walk(&w, max);
	for (size_t i = 0; i < w.count; i++)
		ips[i] = w.frames[i].ip + (i > 0 && w.frames[i].is_exact);
	*result = (struct unwind_result){ .end = w.why, .is_guessed = w.is_guessed,
					  .by_fp = w.by_fp, .stack_used = w.used };
	return w.count;
}
