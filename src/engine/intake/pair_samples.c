/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs of tracepoints, of which times are made (event/pair.h).  The sample of the first is kept
 * until the second comes: then it counts, for the nanoseconds between, at the time of the second.
 * What has no second yet counts nothing; where a record was lost nothing is known of what had begun.
 */
#include "engine/intake/intake_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "event/pair.h"
#include "record/payload.h"

enum {
	BEGUN_MAX = 1 << 16,
	BYTES_MAX = 32 << 20, /* of their samples; what begins beyond that is left out */
};

struct begun {
	uint64_t key, time_ns;
	const struct session_event *live; /* as it was open then */
	uint32_t event, layout;
	size_t len;
	uint8_t *data; /* NULL: it is free */
};

struct pair_samples {
	struct begun items[BEGUN_MAX];
	struct index by_key;       /* of items, counted from 1 */
	uint32_t free[BEGUN_MAX];  /* a stack of those that are */
	uint32_t free_len;
	size_t bytes;
	uint64_t pairs;
};

static struct pair_samples *
pair_samples_new(void)
{
	struct pair_samples *p = mem_calloc(1, sizeof(*p));

	while (p->free_len < BEGUN_MAX) {
		p->free[p->free_len] = BEGUN_MAX - 1 - p->free_len;
		p->free_len++;
	}
	return p;
}

void
pair_samples_free(struct pair_samples *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < BEGUN_MAX; i++)
		free(p->items[i].data);
	index_release(&p->by_key);
	free(p);
}

static uint64_t
hash_of(uint32_t event, uint64_t key)
{
	return hash_mix(key, event);
}

/* Its number from 1 on, 0: nothing like it has begun. */
static uint32_t
find(const struct pair_samples *p, uint32_t event, uint64_t key)
{
	uint64_t hash = hash_of(event, key);
	uint32_t n, pos;

	for (n = index_first(&p->by_key, hash, &pos); n != 0;
	     n = index_next(&p->by_key, hash, &pos))
		if (p->items[n - 1].key == key && p->items[n - 1].event == event)
			return n;
	return 0;
}

static void
drop(struct pair_samples *p, uint32_t n)
{
	struct begun *b = &p->items[n - 1];

	index_remove(&p->by_key, hash_of(b->event, b->key), n);
	p->bytes -= b->len;
	free(b->data);
	b->data = NULL;
	p->free[p->free_len++] = n - 1;
}

static void
drop_all(struct intake *in)
{
	struct pair_samples *p = in->pairs;

	for (uint32_t n = 1; n <= BEGUN_MAX && p->free_len < BEGUN_MAX; n++) {
		if (p->items[n - 1].data == NULL)
			continue;
		drop(p, n);
		in->losses->counts[LOSS_TIMES]++;
	}
}

/* What had begun like it has no end, as a call that its thread did not come back from. */
static void
keep(struct intake *in, const struct begun *what, struct bytes bytes)
{
	struct pair_samples *p = in->pairs;
	uint32_t n = find(p, what->event, what->key);
	struct begun *b;

	if (n != 0)
		drop(p, n);
	if (p->free_len == 0 || p->bytes + bytes.len > BYTES_MAX) {
		in->losses->counts[LOSS_TIMES]++;
		return;
	}
	n = p->free[--p->free_len] + 1;
	b = &p->items[n - 1];
	*b = *what;
	b->len = bytes.len;
	b->data = mem_calloc(1, bytes.len);
	memcpy(b->data, bytes.data, bytes.len);
	p->bytes += bytes.len;
	index_add(&p->by_key, hash_of(b->event, b->key), n);
}

/* What the first and the second of a pair have in common; false: the sample does not tell. */
static bool
read_key(const struct intake *in, uint32_t event, const struct record *rec, const char *tracepoint,
	 uint64_t *key)
{
	const struct event_pair *pair = in->measured->events[event].spec.pair;

	*key = pair->by == PAIR_BY_CPU ? rec->id.cpu : rec->id.tid;
	if (pair->by != PAIR_BY_FIELDS)
		return true;
	*key = 0;
	for (size_t i = 0; i < PAIR_FIELDS; i++) {
		int64_t number;

		if (!split_number(&in->profile->split, event, tracepoint, pair->fields[i],
				  rec->sample.raw, &number))
			return false;
		*key = hash_mix(*key, (uint64_t)number);
	}
	return true;
}

static void
put_word(uint8_t *data, size_t at, uint64_t word)
{
	if (at != 0)
		memcpy(data + at, &word, sizeof(word));
}

/* It is over: its sample counts, for all of its time. */
static void
count(struct intake *in, const struct begun *b, uint64_t end_ns)
{
	const struct record_layout *layout = &in->layouts->items[b->layout];
	struct bytes bytes = { b->data, b->len };
	struct record rec;

	put_word(b->data, layout->sample_period_at, end_ns - b->time_ns);
	put_word(b->data, layout->sample_time_at, end_ns - (uint64_t)layout->clock_ahead_ns);
	if (record_decode(layout, bytes, &rec) == 1 &&
	    feed_sample(in->feed, b->event, &rec, 0, bytes))
		intake_tell_sample(in, &rec, bytes, 0);
}

static void
end(struct intake *in, uint32_t event, uint64_t key, uint64_t time_ns)
{
	struct pair_samples *p = in->pairs;
	uint32_t n = find(p, event, key);
	const struct begun *b = n != 0 ? &p->items[n - 1] : NULL;

	if (b == NULL)
		return;
	/* Opened anew meanwhile, what is between nobody knows. */
	if (b->live == in->measured->events[event].live && time_ns > b->time_ns) {
		count(in, b, time_ns);
		p->pairs++;
	} else {
		in->losses->counts[LOSS_TIMES]++;
	}
	drop(p, n);
}

/* The tracepoint's number, which all payloads begin with. */
static uint32_t
type_of(const struct record *rec)
{
	uint16_t type = 0;

	if (rec->sample.raw.len >= sizeof(type))
		memcpy(&type, rec->sample.raw.data, sizeof(type));
	return type;
}

bool
pair_samples_take(struct intake *in, uint32_t event, uint32_t layout, const struct record *rec,
		  struct bytes bytes)
{
	const struct engine_event *ev = &in->measured->events[event];
	const struct event_pair *pair = ev->spec.pair;
	struct begun begun = { .event = event, .layout = layout, .live = ev->live,
			       .time_ns = rec->id.time_ns };
	bool is_end;
	uint32_t task;

	if (pair == NULL)
		return false;
	if (in->pairs == NULL)
		in->pairs = pair_samples_new();
	is_end = type_of(rec) != ev->spec.config;
	if (!read_key(in, event, rec, is_end ? pair->end : pair->begin, &begun.key))
		in->losses->counts[LOSS_TIMES]++;
	else if (is_end)
		end(in, event, begun.key, rec->id.time_ns);
	else if (feed_wants(in->feed, rec, &task))
		keep(in, &begun, bytes);
	return true;
}

void
pair_samples_other(struct intake *in, const struct record *rec)
{
	if (in->pairs != NULL && rec->type == PERF_RECORD_LOST)
		drop_all(in);
}

void
pair_samples_put(const struct intake *in, struct buf *b)
{
	if (in->pairs != NULL)
		buf_addf(b, "times between tracepoints: %llu are over, %u have begun\n",
			 (unsigned long long)in->pairs->pairs, BEGUN_MAX - in->pairs->free_len);
}

size_t
pair_samples_held(const struct intake *in)
{
	return in->pairs != NULL ? sizeof(*in->pairs) + in->pairs->bytes : 0;
}

size_t
pair_samples_bound(void)
{
	return sizeof(struct pair_samples) + BYTES_MAX;
}
