/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules for unwinding: call chains from copies of stacks need those of each file that they lead through. */
#include "engine/names/names_impl.h"

#include "base/text.h"

enum {
	CUT_PART = 100, /* so many whole chains for one that is cut need no line in the header */
	HURRIES_MAX = 4,
};

void
rules_step(struct names *nm)
{
	struct unwinder *u = &nm->env->feed->unwinder;

	for (size_t i = 0; i < u->ask_len; i++) {
		const struct rules_ask *r = &u->asks[i];
		struct image_ask ask = { r->dso, r->pid, r->start, r->end };
		struct symbol_ask a;

		if (files_ask(nm, &ask, &a) != NULL) {
			unwinder_note_unread(u, r->dso, true);
			feed_learn_rules(nm->env->feed, r->dso, NULL);
			continue;
		}
		files_ask_rules(nm, &a);
	}
	u->ask_len = 0;
}

bool
rules_are_here(const struct names *nm)
{
	return nm->asked_rules == 0 && nm->env->feed->unwinder.ask_len == 0;
}

void
rules_hurry_first(struct names *nm, bool are_there)
{
	if (!are_there || nm->hurries == HURRIES_MAX || (nm->env->agenda->wants & AGENDA_HURRY))
		return;
	nm->hurries++;
	agenda_want(nm->env->agenda, AGENDA_HURRY);
}

enum part_reply
rules_on_rules(void *names, struct msg *msg)
{
	struct symbol_rules_msg *m = (struct symbol_rules_msg *)msg;
	struct unwind_rules *rules = m->rules;
	struct names *nm = names;
	const uint64_t *whole = &nm->env->feed->unwinder.ends[UNWIND_WHOLE], before = *whole;

	m->rules = NULL;
	nm->asked_rules--;
	files_note_rules(nm, m);
	unwinder_note_unread(&nm->env->feed->unwinder, m->dso, m->is_unread);
	feed_learn_rules(nm->env->feed, m->dso, rules);
	agenda_want(nm->env->agenda, AGENDA_SHOW);
	rules_hurry_first(nm, nm->has_image && *whole > before);
	return PART_DONE;
}

/* "call chains cut: 12; the copy of the stack ended: -g dwarf,BYTES takes larger ones" */
static void
put_end(struct buf *b, uint64_t n, enum unwind_end end)
{
	const char *remedy = unwinder_remedy(end);

	if (n == 0)
		return;
	buf_add_str(b, "call chains cut: ");
	text_add_count(b, (double)n);
	buf_addf(b, "; %s%s%s\n", unwinder_why(end), *remedy ? ": " : "", remedy);
}

static void
put_count(struct buf *b, uint64_t n, const char *what)
{
	if (n == 0)
		return;
	buf_addf(b, "%s: ", what);
	text_add_count(b, (double)n);
	buf_add_char(b, '\n');
}

void
rules_put(const struct names *nm, struct buf *b)
{
	const struct unwinder *u = &nm->env->feed->unwinder;

	for (size_t i = 0; i < UNWINDER_ENDS; i++)
		if (i != UNWIND_WHOLE)
			put_end(b, u->ends[i], (enum unwind_end)i);
	put_count(b, u->by_fp, "call chains that frame pointers complete, where unwinding ended");
	put_count(b, u->guessed, "call chains of waiting threads whose frame pointer was searched on "
		  "the stack");
	put_count(b, nm->env->feed->unwaited, "samples that could not wait for unwind information");
}

/*
 * Of a recording the numbers are final; live ones are told by '!', and a line of the header is for
 * more than one in a hundred.
 */
const char *
rules_notice(const struct names *nm, struct arena *arena)
{
	const struct unwinder *u = &nm->env->feed->unwinder;
	uint64_t cut = unwinder_cut(u);

	if (cut == 0)
		return NULL;
	if (!nm->env->policy->is_complete && cut * CUT_PART < u->ends[UNWIND_WHOLE])
		return NULL;
	if (!nm->env->policy->is_complete)
		return arena_printf(arena, "%.1f %% of all call chains so far are cut: [cut] stands for "
				    "unknown callers",
				    (double)cut * 100 / (double)(cut + u->ends[UNWIND_WHOLE]));
	return arena_printf(arena, "%llu of %llu call chains are cut: [cut] stands for the callers "
			    "that are not known", (unsigned long long)cut,
			    (unsigned long long)(cut + u->ends[UNWIND_WHOLE]));
}
