/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view locks: who holds what others wait for, and what that thread does meanwhile.  All of it
 * is in the labels of looks: who waits says who held the lock, and whether that thread ran; and a
 * thread that waited somewhere while it held one was marked there.  Owners that wait for a lock
 * lead on to that one's.
 */
#include "profile/report/report_impl.h"

#include "base/buf.h"
#include "profile/place/location.h"
#include "record/lock_call.h"
#include "record/look.h"
#include "view/name.h"

#include <stdlib.h>
#include <string.h>

enum {
	CHAIN_MAX = 8,  /* owners that wait for each other, and are told */
	FEW_LOOKS = 20, /* samples of looks: of fewer shares are rough */
};

/* The heaviest entry of a kind; id 0: there is none. */
struct best {
	uint32_t id;
	uint64_t period;
};

/* A thread that holds a lock. */
struct holder {
	int tid;
	uint32_t task;         /* 0: it is not known */
	uint64_t runs, waits;  /* so long others waited for it while it did */
	struct best holding;   /* where it waited meanwhile */
	struct best running;   /* where it ran, whenever */
	int stuck_on;          /* tid: for who holds what it waits for all the time, 0: nobody */
};

/* Who waited for a lock, and where, and who was seen holding it. */
struct pair {
	uint32_t group, who; /* who: tid of a holder, task of a waiter, location */
	uint64_t period;
};

struct pairs {
	struct pair *items; /* from 0 */
	size_t len, cap;
	struct index index; /* counted from 1 */
};

struct locks {
	struct report *r;
	struct holder *holders; /* from 0 */
	size_t holder_len, holder_cap;
	struct index by_tid, by_task; /* counted from 1 */
	struct pairs held, waiters, places;
	bool *is_traced;        /* of each group: somebody's wait for it was */
	struct sought {
		uint64_t period, samples;
	} *sought;              /* of each group: so long, and so often, its holder was looked for */
	struct report_last last;
};

/* Of a hot entry: the lock that it waits for. */
static const char *
text_of(const struct report *r, uint32_t id)
{
	const struct profile *p = r->src->profile;

	return report_str(r, p->labels.items[p->tables.hot[id].label].on);
}

static int
holder_in(const char *text)
{
	const char *by = strstr(text, RECORD_LOOK_HELD_BY);

	return by != NULL ? atoi(by + strlen(RECORD_LOOK_HELD_BY)) : 0;
}

/* NULL: there is none. */
static struct pair *
pair_find(const struct pairs *p, uint32_t group, uint32_t who)
{
	uint64_t hash = hash_mix(group, who);
	uint32_t n, pos;

	for (n = index_first(&p->index, hash, &pos); n != 0; n = index_next(&p->index, hash, &pos))
		if (p->items[n - 1].group == group && p->items[n - 1].who == who)
			return &p->items[n - 1];
	return NULL;
}

static struct pair *
pair_add(struct pairs *p, uint32_t group, uint32_t who)
{
	struct pair *found = pair_find(p, group, who);

	if (found != NULL)
		return found;
	VEC_ADD(p->items, p->len, p->cap) = (struct pair){ .group = group, .who = who };
	index_add(&p->index, hash_mix(group, who), (uint32_t)p->len);
	return &p->items[p->len - 1];
}

/* NULL: it holds nothing. */
static struct holder *
holder_at(const struct locks *l, const struct index *index, uint32_t key)
{
	uint64_t hash = hash_mix(key, 0);
	uint32_t n, pos;

	for (n = index_first(index, hash, &pos); n != 0; n = index_next(index, hash, &pos)) {
		struct holder *h = &l->holders[n - 1];

		if ((index == &l->by_tid ? (uint32_t)h->tid : h->task) == key)
			return h;
	}
	return NULL;
}

static struct holder *
holder_of_tid(const struct locks *l, int tid)
{
	return holder_at(l, &l->by_tid, (uint32_t)tid);
}

static struct holder *
add_holder(struct locks *l, int tid)
{
	struct holder *h = holder_of_tid(l, tid);
	uint32_t task;

	if (h != NULL)
		return h;
	task = model_find_task(l->r->src->profile->model, tid);
	VEC_ADD(l->holders, l->holder_len, l->holder_cap) =
		(struct holder){ .tid = tid, .task = task };
	index_add(&l->by_tid, hash_mix((uint32_t)tid, 0), (uint32_t)l->holder_len);
	if (task != 0)
		index_add(&l->by_task, hash_mix(task, 0), (uint32_t)l->holder_len);
	return &l->holders[l->holder_len - 1];
}

/* A thread that waited for the lock of the @group, and whom it waited for. */
static void
add_waiter(struct locks *l, uint32_t id, uint32_t group)
{
	const struct profile *p = l->r->src->profile;
	const struct hot_key *hot = &p->tables.hot[id];
	int tid = holder_in(text_of(l->r, id));
	uint64_t samples, period;
	struct holder *h;

	profile_window(p, &p->tables.cells[TABLE_HOT].items[id], &samples, &period);
	pair_add(&l->waiters, group, p->model->whos[hot->who].task);
	pair_add(&l->places, group, p->labels.items[hot->label].waits_at)->period += period;
	l->is_traced[group] |= p->labels.items[hot->label].is_traced;
	if (tid != 0 || p->labels.items[hot->label].is_unheld) {
		l->sought[group].period += period;
		l->sought[group].samples += samples;
	}
	if (tid == 0)
		return;
	pair_add(&l->held, group, (uint32_t)tid)->period += period;
	h = add_holder(l, tid);
	if (p->labels.items[hot->label].owner_state == 'R')
		h->runs += period;
	else if (p->labels.items[hot->label].owner_state == 'S')
		h->waits += period;
}

static void
choose(struct best *best, uint32_t id, uint64_t period)
{
	if (period > best->period)
		*best = (struct best){ id, period };
}

static bool
is_waiting(uint32_t location)
{
	return location >= LOCATION_WAITING && location < LOCATION_FIRST;
}

/* What a thread that holds a lock does: one entry of it. */
static void
add_deed(struct locks *l, struct holder *h, uint32_t id)
{
	const struct profile *p = l->r->src->profile;
	const struct hot_key *hot = &p->tables.hot[id];
	uint64_t samples, period;

	profile_window(p, &p->tables.cells[TABLE_HOT].items[id], &samples, &period);
	if (samples == 0)
		return;
	if (!is_waiting(hot->location)) {
		choose(&h->running, id, period);
		return;
	}
	if (p->labels.items[hot->label].holding_at != 0)
		choose(&h->holding, id, period);
	if (hot->location == LOCATION_WAITING + WAIT_LOCK && l->last.is_stuck[id])
		h->stuck_on = holder_in(text_of(l->r, id));
}

static void
gather(struct locks *l)
{
	const struct profile *p = l->r->src->profile;
	size_t count = p->tables.cells[TABLE_HOT].len;

	for (uint32_t id = 1; id < count; id++)
		if (l->r->entry_group[id] != 0)
			add_waiter(l, id, l->r->entry_group[id] - 1);
	for (uint32_t id = 1; id < count && l->holder_len > 0; id++) {
		uint32_t task = p->model->whos[p->tables.hot[id].who].task;
		struct holder *h = holder_at(l, &l->by_task, task);

		if (h != NULL)
			add_deed(l, h, id);
	}
}

static void
put_thread(const struct locks *l, struct buf *b, const struct holder *h)
{
	const struct model *m = l->r->src->profile->model;

	buf_addf(b, "%d", h->tid);
	if (h->task != 0)
		buf_addf(b, " %s", report_str(l->r, m->tasks[h->task].comm));
}

/* Who waits for each other, from @first on until that one again; how many, 0: they do not. */
static size_t
find_cycle(const struct locks *l, const struct holder *first, const struct holder *out[CHAIN_MAX])
{
	const struct holder *h = first;

	for (size_t n = 0; n < CHAIN_MAX && h != NULL; n++) {
		out[n] = h;
		h = h->stuck_on != 0 ? holder_of_tid(l, h->stuck_on) : NULL;
		if (h == first)
			return n + 1;
	}
	return 0;
}

static void
put_cycle(const struct locks *l, struct buf *b, const struct holder *const cycle[], size_t len)
{
	buf_add_str(b, "deadlock");
	for (size_t i = 1; i < len; i++) {
		buf_add_str(b, i == 1 ? " with " : ", ");
		put_thread(l, b, cycle[i]);
	}
	if (len == 1)
		buf_add_str(b, " with itself");
}

static const char *
place_name(const struct locks *l, uint32_t location)
{
	return report_place_name(l->r, locations_resolve(l->r->src->profile->locations, location));
}

static void
put_place(const struct locks *l, struct buf *b, uint32_t location)
{
	brief_add(b, place_name(l, location));
}

/* "sleep in nap"; of one that waits for another lock whom it waits for. */
static const struct holder *
put_wait(const struct locks *l, struct buf *b, const struct holder *h)
{
	const struct profile *p = l->r->src->profile;
	const struct hot_key *hot = &p->tables.hot[h->holding.id];
	const struct holder *next = NULL;

	if (h->holding.id == 0) {
		buf_add_str(b, "waits");
		return NULL;
	}
	if (hot->location == LOCATION_WAITING + WAIT_LOCK)
		next = holder_of_tid(l, holder_in(text_of(l->r, h->holding.id)));
	if (next != NULL) {
		buf_add_str(b, "waits for ");
		put_thread(l, b, next);
		return next;
	}
	buf_addf(b, "%s in ", wait_kind_defs[hot->location - LOCATION_WAITING].name);
	put_place(l, b, p->labels.items[hot->label].holding_at);
	return NULL;
}

/* true: it is in a deadlock. */
static bool
put_deeds(const struct locks *l, struct buf *b, const struct holder *h)
{
	const struct holder *cycle[CHAIN_MAX];

	for (size_t n = 0; n < CHAIN_MAX && h != NULL; n++) {
		size_t len = find_cycle(l, h, cycle);

		if (n > 0)
			buf_add_str(b, ": ");
		if (len > 0) {
			put_cycle(l, b, cycle, len);
			return true;
		}
		if (h->runs >= h->waits && h->runs > 0) {
			buf_add_str(b, "runs");
			if (h->running.id != 0) {
				buf_add_char(b, ' ');
				put_place(l, b, l->r->src->profile->tables.hot[h->running.id].location);
			}
			return false;
		}
		h = h->waits > 0 ? put_wait(l, b, h) : NULL;
	}
	return false;
}

static void
fill_owner(const struct locks *l, struct row *row, const struct pair *held)
{
	const struct model *m = l->r->src->profile->model;
	const struct holder *h = holder_of_tid(l, (int)held->who);
	const struct sought *sought = &l->sought[held->group];
	struct buf b = { 0 };

	row->owner = h->tid;
	row->held = held->period > 0
			    ? (int)((double)held->period * 100 / (double)sought->period + 0.5) : 0;
	/* Who waits at one place for long is told seldom: of one holder alone a few are enough. */
	if (sought->samples < FEW_LOOKS && held->period < sought->period)
		row->flags |= ROW_HELD_ROUGHLY;
	if (h->task != 0) {
		row->owner_comm = report_str(l->r, m->tasks[h->task].comm);
		row->thread = h->task;
	}
	if (put_deeds(l, &b, h))
		row->flags |= ROW_DEADLOCK;
	row->does = arena_strdup(&l->r->out->arena, buf_str(&b));
	buf_release(&b);
}

static void
fill_unknown(struct row *row, enum lock_call call, bool is_traced)
{
	if (row->lock_id == 0)
		row->does = "waited before this view was opened";
	else if (call == LOCK_CALLS)
		row->does = "";
	else if (is_traced && lock_call_defs[call].has_owner)
		row->does = "switches do not tell who: off-cpu does";
	else
		row->does = lock_call_defs[call].no_owner;
}

/* The one with the longest period of each group, NULL: it has none. */
static const struct pair **
longest_of(const struct locks *l, const struct pairs *pairs)
{
	const struct pair **most = mem_calloc(l->r->groups.len + 1, sizeof(*most));

	for (size_t i = 0; i < pairs->len; i++) {
		const struct pair *p = &pairs->items[i];

		if (most[p->group] == NULL || p->period > most[p->group]->period)
			most[p->group] = p;
	}
	return most;
}

static void
fill_rows(const struct locks *l)
{
	struct row *rows = l->r->rows;
	const struct pair **most = longest_of(l, &l->held), **places = longest_of(l, &l->places);

	for (size_t i = 0; i < l->waiters.len; i++)
		rows[l->waiters.items[i].group].waiters++;
	for (size_t i = 0; i < l->r->groups.len; i++) {
		if (places[i] != NULL && places[i]->who != 0)
			rows[i].waits_in = place_name(l, places[i]->who);
		if (most[i] != NULL)
			fill_owner(l, &rows[i], most[i]);
		else
			fill_unknown(&rows[i], lock_call_of(report_str(l->r, rows[i].lock_id)),
				     l->is_traced[i]);
		rows[i].location = LOCATION_WAITING + WAIT_LOCK;
	}
	free(most);
	free(places);
}

/* Who was told later to hold the lock has it by now. */
static void
count_waiting(const struct locks *l)
{
	const struct profile *p = l->r->src->profile;
	struct pairs owners = { 0 };

	for (size_t i = 0; i < l->last.wait_len; i++) {
		uint32_t id = l->last.waits[i], group = l->r->entry_group[id];
		const struct task *t = &p->model->tasks[p->model->whos[p->tables.hot[id].who].task];

		/* Who has ended waits no more, though looks told so for a while. */
		if (group == 0 || t->died_ns != 0 || pair_find(&owners, group, (uint32_t)t->tid) != NULL)
			continue;
		l->r->rows[group - 1].waiting++;
		pair_add(&owners, group, (uint32_t)holder_in(text_of(l->r, id)));
	}
	free(owners.items);
	index_release(&owners.index);
}

void
report_find_locks(struct report *r)
{
	struct locks l = { .r = r };

	l.last = report_find_last(r);
	l.is_traced = mem_calloc(r->groups.len + 1, sizeof(*l.is_traced));
	l.sought = mem_calloc(r->groups.len + 1, sizeof(*l.sought));
	gather(&l);
	fill_rows(&l);
	count_waiting(&l);
	report_free_last(&l.last);
	free(l.is_traced);
	free(l.sought);
	free(l.holders);
	free(l.held.items);
	free(l.waiters.items);
	free(l.places.items);
	index_release(&l.by_tid);
	index_release(&l.by_task);
	index_release(&l.held.index);
	index_release(&l.waiters.index);
	index_release(&l.places.index);
}

/* Trees tell threads apart, but not what they wait for. */
void
report_find_waiters(struct report *r)
{
	const struct profile *p = r->src->profile;
	uint64_t samples, period;

	if (r->query->lock == 0)
		return;
	r->is_waiter = mem_calloc(p->model->who_len, sizeof(*r->is_waiter));
	for (uint32_t id = 1; id < p->tables.cells[TABLE_HOT].len; id++)
		if (report_entry(r, id, &samples, &period) && report_in_scope(r, id))
			r->is_waiter[p->tables.hot[id].who] = true;
}
