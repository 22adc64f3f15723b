/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which counts of the address table are asked for, and those of one address together. */
#include "profile/report/code_report.h"

#include <stdlib.h>
#include <string.h>

enum { PLACED_MAX = 256 << 10 }; /* bytes of code */

enum { VERDICT_NONE, VERDICT_PASSES, VERDICT_IS_LEFT_OUT };

bool
code_report_passes(struct code_report *c, uint32_t event, uint32_t who, uint32_t location, int cpu)
{
	struct report *r = c->r;
	uint8_t *verdict = &c->verdicts[who];
	bool ok;

	if (*verdict != VERDICT_NONE)
		return *verdict == VERDICT_PASSES;
	ok = report_is_who_asked(r, who) &&
	     !(r->query->hide_self && report_is_self(r, who)) &&
	     report_passes(r, event, who, location, cpu);
	if (!c->by_cpu && !c->by_event)
		*verdict = ok ? VERDICT_PASSES : VERDICT_IS_LEFT_OUT;
	return ok;
}

void
code_report_choose_filter(struct code_report *c)
{
	const struct query *q = c->r->query;
	key_set keys = filter_keys(c->r->src->filter);

	c->by_cpu = (keys & KEY_BIT(KEY_CPU)) != 0;
	c->by_event = (keys & KEY_BIT(KEY_EVENT)) != 0;
	c->by_who = q->within_count > 0 || q->process != 0 || q->thread != 0 || q->name != 0 || q->hide_self ||
		    (keys & ~FUNCTION_KEYS) != 0;
	c->verdicts = mem_calloc(c->r->src->profile->model->who_len, sizeof(*c->verdicts));
}

void
code_report_add(struct cost *sum, uint64_t samples, uint64_t period)
{
	sum->samples += samples;
	sum->period += period;
}

/* The window, of an event that is shown. */
static bool
begins_before(const struct code_report *c, uint64_t time_ns)
{
	const struct report_source *src = c->r->src;

	for (uint32_t e = 0; e < src->profile->event_count; e++)
		if ((src->shown_event == UINT32_MAX || src->shown_event == e) && time_ns > 0 &&
		    profile_window_has_time(src->profile, e, time_ns - 1))
			return true;
	return false;
}

void
code_report_tell_since(struct code_report *c, uint64_t start, uint64_t since_ns)
{
	const struct report_source *src = c->r->src;
	const struct recount *r = &src->profile->recount;

	if (!c->by_who || since_ns == 0)
		return;
	if (recount_is_of(r, c->code->dso_id, start, since_ns))
		since_ns = MAX(r->since_ns, src->profile->watch.past_from_ns);
	c->code->begins_before = begins_before(c, since_ns);
	c->code->since_ns = src->real_ns - (src->mono_ns - MIN(since_ns, src->mono_ns));
}

static bool
recounted_passes(struct code_report *c, const struct recount_sample *s)
{
	const struct profile *p = c->r->src->profile;
	const struct task *t = model_task_at(p->model, model_find_task(p->model, s->tid));

	/* A new task of the same number has a who that was not there. */
	return t->who != 0 && t->born_ns <= s->time_ns && s->event < p->event_count &&
	       profile_window_has_time(p, s->event, s->time_ns) &&
	       code_report_passes(c, s->event, t->who, c->code->location, s->cpu);
}

const struct recount_sample *
code_report_recounted(struct code_report *c, uint64_t start, uint64_t since_ns, size_t *at)
{
	const struct recount *r = &c->r->src->profile->recount;

	if (!c->by_who || !recount_is_of(r, c->code->dso_id, start, since_ns))
		return NULL;
	while (*at < r->len)
		if (recounted_passes(c, &r->items[(*at)++]))
			return &r->items[*at - 1];
	return NULL;
}

/* Samples of the running kernel's modules and BPF programs are at addresses of the kernel. */
static bool
is_of_dso(const struct code_report *c, const struct address_key *key)
{
	const struct model *m = c->r->src->profile->model;

	return key->dso == c->code->dso_id ||
	       (key->dso == DSO_ID_KERNEL && dsos_get(&m->dsos, c->code->dso_id)->kind == DSO_MODULE);
}

bool
code_report_counts(struct code_report *c, const struct address_key *key, uint32_t at)
{
	if (!is_of_dso(c, key))
		return false;
	if (!c->by_who)
		return true;
	/* Of these it is not known whose they are. */
	if (key->who == 0 || (c->by_cpu && key->cpu == 0))
		return false;
	return code_report_passes(c, key->event, key->who, at, (int)key->cpu - 1);
}

int
code_report_compare(uint64_t place, uint32_t event, uint64_t other_place, uint32_t other_event)
{
	if (place != other_place)
		return place < other_place ? -1 : 1;
	return event < other_event ? -1 : event > other_event;
}

static int
compare_counts(const void *a, const void *b)
{
	const struct snapshot_count *x = a, *y = b;

	return code_report_compare(x->offset, x->event, y->offset, y->event);
}

/* One for each address and event, of all who and CPUs. */
static size_t
merge_counts(struct snapshot_count *counts, size_t len)
{
	size_t kept = 0;

	if (len > 0)
		qsort(counts, len, sizeof(*counts), compare_counts);
	for (size_t i = 0; i < len; i++) {
		if (kept > 0 && compare_counts(&counts[kept - 1], &counts[i]) == 0)
			code_report_add(&counts[kept - 1].cost, counts[i].cost.samples, counts[i].cost.period);
		else
			counts[kept++] = counts[i];
	}
	return kept;
}

/*
 * The same, by a place for each offset: faster than to sort, where code is not too long.  Those of
 * one offset are a chain by event.
 */
static size_t
place_counts(const struct snapshot_code *code, struct snapshot_count *counts, size_t len)
{
	size_t size = (size_t)(code->end - code->start), kept = 0;
	uint32_t *first = mem_calloc(size, sizeof(*first));
	uint32_t *next = mem_calloc(len + 1, sizeof(*next));
	struct snapshot_count *out = mem_calloc(len + 1, sizeof(*out));

	for (uint32_t i = 0; i < len; i++) {
		uint32_t *link = &first[counts[i].offset - code->start];

		while (*link != 0 && counts[*link - 1].event < counts[i].event)
			link = &next[*link - 1];
		if (*link != 0 && counts[*link - 1].event == counts[i].event) {
			code_report_add(&counts[*link - 1].cost, counts[i].cost.samples, counts[i].cost.period);
			continue;
		}
		next[i] = *link;
		*link = i + 1;
	}
	for (size_t at = 0; at < size; at++)
		for (uint32_t i = first[at]; i != 0; i = next[i - 1])
			out[kept++] = counts[i - 1];
	memcpy(counts, out, kept * sizeof(*out));
	free(first);
	free(next);
	free(out);
	return kept;
}

size_t
code_report_merge(const struct snapshot_code *code, struct snapshot_count *counts, size_t len)
{
	if (len > 0 && code->end - code->start <= PLACED_MAX)
		return place_counts(code, counts, len);
	return merge_counts(counts, len);
}
