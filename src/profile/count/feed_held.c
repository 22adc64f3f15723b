/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/feed.h"
#include "profile/count/feed_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

enum {
	HELD_BYTES_MAX = 1 << 20,
	HELD_STACK_BYTES_MAX = 8 << 20,
	KEPT_BYTES = 256 << 10,    /* room that stays: what a new process makes wait */
	POPULATE_BYTES = 64 << 10, /* pages that are asked for together */
	WORTH_PART = 8, /* of a queue that is full: if less is done with, records are not moved together */
};

size_t
feed_held_max(void)
{
	return HELD_BYTES_MAX + HELD_STACK_BYTES_MAX;
}

/*
 * A record that is held back.  Records stay where they are until there is no room: to write to pages that a
 * helper process got a copy of when it was forked costs a fault and a copy for each.
 */
struct held {
	struct space *space; /* borrowed from asked; a reference while it waits for rules */
	uint32_t event, task, who;
	uint32_t dso;        /* whose rules or names it waits for, 0: it waits for the space's maps */
	size_t at;           /* its bytes in the queue's, padded to 8 */
	uint32_t len;
	uint32_t layout;     /* its number: the record's id may be forgotten meanwhile */
	uint64_t period; /* of a counter that the sample carries: not what the record says */
};

static size_t
padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

static size_t
bytes_of(const struct held_queue *q)
{
	return q->len + q->item_len * sizeof(*q->items);
}

size_t
feed_held_bytes(const struct feed *f)
{
	return bytes_of(&f->held) + bytes_of(&f->held_stacks);
}

static const struct record_layout *
layout_of(const struct feed *f, const struct held *h)
{
	return &f->layouts->items[h->layout];
}

static struct bytes
record_of(const struct held_queue *q, const struct held *h)
{
	return (struct bytes){ q->bytes + h->at, h->len };
}

/* Moves what still waits together, if that makes room worth it. */
static void
make_room(struct held_queue *q, size_t max)
{
	size_t to = 0;

	if (q->done < max / WORTH_PART)
		return;
	for (size_t i = 0; i < q->item_len; i++) {
		struct held *h = &q->items[i];

		if (h->at != to)
			memmove(q->bytes + to, q->bytes + h->at, h->len);
		h->at = to;
		to += padded(h->len);
	}
	q->len = to;
	q->done = 0;
}

/* Room for @need bytes more, of at most @max: little, or all at once, as moving it touches it all again. */
static void
reserve(struct held_queue *q, size_t need, size_t max)
{
	const size_t end = q->len + need;
	size_t to;

	if (end > q->cap) {
		q->cap = end <= KEPT_BYTES ? KEPT_BYTES : max;
		q->bytes = mem_realloc(q->bytes, q->cap, 1);
	}
	if (end <= q->populated)
		return;
	to = MIN(end + POPULATE_BYTES, q->cap);
	pages_populate(q->bytes + q->populated, to - q->populated);
	q->populated = to;
}

bool
feed_hold(struct feed *f, struct space *space, uint32_t event, uint32_t task,
	  struct bytes bytes, const struct record *rec, uint32_t dso)
{
	bool has_stack = unwinder_accepts(&rec->sample);
	struct held_queue *q = has_stack ? &f->held_stacks : &f->held;
	size_t max = has_stack ? HELD_STACK_BYTES_MAX : HELD_BYTES_MAX, need = padded(bytes.len);
	uint32_t layout = record_layouts_event(f->layouts, bytes);

	if (layout == UINT32_MAX)
		return false;
	if (bytes_of(q) + sizeof(*q->items) + need > max)
		make_room(q, max);
	if (bytes_of(q) + sizeof(*q->items) + need > max)
		return false;
	if (dso != 0)
		space_get(space);
	reserve(q, need, max);
	memcpy(q->bytes + q->len, bytes.data, bytes.len);
	VEC_ADD(q->items, q->item_len, q->item_cap) = (struct held){
		space, event, task, model_who(f->model, task), dso, q->len, (uint32_t)bytes.len,
		layout, rec->sample.period,
	};
	q->len += need;
	return true;
}

static void
release_queue(struct held_queue *q)
{
	for (size_t i = 0; i < q->item_len; i++)
		if (q->items[i].dso != 0)
			space_put(q->items[i].space);
	free(q->items);
	free(q->bytes);
}

void
feed_release_held(struct feed *f)
{
	release_queue(&f->held);
	release_queue(&f->held_stacks);
}

/* Who a held sample is of: who it was then, unless that was forgotten in the meantime. */
static struct owner
held_owner(struct feed *f, const struct held *h, const struct record_id *id)
{
	uint32_t task;

	if (model_is_who(f->model, h->who, h->task))
		return model_task_at(f->model, h->task)->who == h->who
			       ? feed_owner(f, h->task, id->time_ns)
			       : (struct owner){ h->task, h->who, false };
	if (id->tid == 0)
		task = model_outside_task(f->model);
	else
		task = model_sample_task(f->model, (int)id->pid, (int)id->tid, id->cpu);
	return feed_owner(f, task, id->time_ns);
}

/* Which of the held samples have waited long enough. */
struct due {
	const struct space *space; /* for the maps of that space */
	uint32_t dso;              /* for that dso's rules or names; 0: not for those */
	bool all_rules;            /* for any: none will come */
};

static bool
is_due(const struct due *due, const struct held *h)
{
	if (h->dso == 0)
		return h->space == due->space;
	return due->all_rules || h->dso == due->dso;
}

/* Counts one that is due.  false: it waits on, as @h says then. */
static bool
count_one(struct feed *f, struct held *h, struct bytes bytes, bool may_wait)
{
	struct owner owner;
	struct record rec;
	uint32_t dso;

	if (record_decode(layout_of(f, h), bytes, &rec) != 1)
		return true;
	rec.sample.period = h->period;
	dso = feed_unwind(f, &rec, h->space, h->task, may_wait);
	if (dso != 0) {
		if (h->dso == 0)
			space_get(h->space);
		h->dso = dso;
		return false;
	}
	owner = held_owner(f, h, &rec.id);
	feed_tell_counts(f, owner.task, &rec, bytes, 0);
	feed_count(f, h->event, &rec, 0, owner, h->space);
	return true;
}

/* The room that a burst took is of no use until the next one. */
static void
give_back_room(struct held_queue *q)
{
	q->len = q->done = 0;
	if (q->cap <= KEPT_BYTES)
		return;
	free(q->items);
	free(q->bytes);
	*q = (struct held_queue){ 0 };
}

/* Counts what is due; all others stay, in order. */
static void
count_due(struct feed *f, struct held_queue *q, const struct due *due)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->item_len; i++) {
		struct held h = q->items[i];
		bool has_reference = h.dso != 0;

		if (!is_due(due, &h) || !count_one(f, &h, record_of(q, &h), !due->all_rules)) {
			q->items[kept++] = h;
			continue;
		}
		q->done += padded(h.len);
		if (has_reference)
			space_put(h.space);
	}
	q->item_len = kept;
	if (kept == 0)
		give_back_room(q);
}

/* They lie in the order in which they came. */
uint64_t
feed_waits_since(const struct feed *f)
{
	const struct held_queue *q = &f->held_stacks;

	if (q->item_len == 0)
		return UINT64_MAX;
	return record_time(layout_of(f, &q->items[0]), record_of(q, &q->items[0]));
}

static size_t
waiting_in(const struct held_queue *q, uint32_t event)
{
	size_t n = 0;

	for (size_t i = 0; i < q->item_len; i++)
		n += q->items[i].event == event;
	return n;
}

size_t
feed_waiting(const struct feed *f, uint32_t event)
{
	return waiting_in(&f->held, event) + waiting_in(&f->held_stacks, event);
}

static void
count_both(struct feed *f, const struct due *due)
{
	count_due(f, &f->held, due);
	count_due(f, &f->held_stacks, due);
}

void
feed_count_held(struct feed *f, const struct space *space)
{
	count_both(f, &(struct due){ .space = space });
}

void
feed_learn_rules(struct feed *f, uint32_t dso, struct unwind_rules *rules)
{
	/* What was unwound without them is another chain with them. */
	if (f->look_memos.marks != NULL)
		feed_forget_alike(f);
	unwinder_learn(&f->unwinder, dso, rules);
	count_due(f, &f->held_stacks, &(struct due){ .dso = dso });
}

void
feed_learn_image(struct feed *f, uint32_t dso)
{
	/* Names tell what a look waits for. */
	if (f->look_memos.marks != NULL)
		feed_forget_alike(f);
	count_due(f, &f->held, &(struct due){ .dso = dso });
	count_due(f, &f->held_stacks, &(struct due){ .dso = dso });
}

void
feed_end_waiting(struct feed *f)
{
	count_due(f, &f->held, &(struct due){ .all_rules = true });
	count_due(f, &f->held_stacks, &(struct due){ .all_rules = true });
}
