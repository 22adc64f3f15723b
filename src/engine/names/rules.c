/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What call chains from copies of stacks need of others, and what is said of them. */
#include "engine/engine_impl.h"

#include "base/text.h"

void
engine_ask_rules(struct engine *e)
{
	struct unwinder *u = &e->feed.unwinder;

	for (size_t i = 0; i < u->ask_len; i++) {
		const struct rules_ask *r = &u->asks[i];
		struct image_ask ask = { r->dso, r->pid, r->start, r->end };
		struct symbol_ask a;

		if (engine_file_ask(e, &ask, &a) != NULL) {
			feed_learn_rules(&e->feed, r->dso, NULL);
			continue;
		}
		e->asked_rules++;
		symbol_service_ask_rules(e->symbols, &a);
	}
	u->ask_len = 0;
}

void
engine_take_rules(struct engine *e, struct symbol_rules_msg *m)
{
	struct unwind_rules *rules = m->rules;

	m->rules = NULL;
	e->asked_rules--;
	feed_learn_rules(&e->feed, m->dso, rules);
	e->changed = true;
	engine_auto_learned(e);
}

bool
engine_has_rules(const struct engine *e)
{
	return e->asked_rules == 0 && e->feed.unwinder.ask_len == 0;
}

/* "call chains cut: 12; the copy of the stack ended: a larger one (-g dwarf,BYTES)" */
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
engine_put_chains(const struct engine *e, struct buf *b)
{
	const struct unwinder *u = &e->feed.unwinder;

	for (size_t i = 0; i < UNWINDER_ENDS; i++)
		if (i != UNWIND_WHOLE)
			put_end(b, u->ends[i], (enum unwind_end)i);
	engine_auto_put(e, b);
	put_count(b, u->by_fp, "call chains that follow frame pointers through code without unwind "
		  "information");
	put_count(b, e->feed.unwaited, "samples that could not wait for unwind information");
}

/* Of a recording the numbers are final; live ones are told by '!'. */
const char *
engine_chains_notice(const struct engine *e, struct arena *arena)
{
	const struct unwinder *u = &e->feed.unwinder;
	uint64_t cut = unwinder_cut(u);

	if (cut == 0)
		return NULL;
	if (!e->replay.is_done)
		return "some call chains are cut: [cut] stands for the callers that are not known";
	return arena_printf(arena, "%llu of %llu call chains are cut: [cut] stands for the callers "
			    "that are not known", (unsigned long long)cut,
			    (unsigned long long)(cut + u->ends[UNWIND_WHOLE]));
}
