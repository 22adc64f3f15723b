/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "feed/hostfeed_encode.h"

#include "base/index.h"
#include "base/strs.h"

#include <stdlib.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

enum { TASK_WORDS = 6, PLACE_WORDS = 3, EVENT_WORDS = 2, WORDS_MAX = TASK_WORDS };

/* Tuples of numbers, each told once: how many words they have is the table's. */
struct defs {
	uint32_t (*items)[WORDS_MAX];
	size_t len, cap, sent;
	struct index index;
	size_t words;
};

struct hostfeed_encoder {
	struct strs strs;
	size_t strs_sent;
	size_t new_bytes; /* of names that are not sent yet */
	struct defs events, tasks, places;
	struct hostfeed_row rows[HOSTFEED_ROWS_SENT + HOSTFEED_EVENTS_MAX];
	size_t row_len;
	struct cost_rest { uint64_t samples, period; } rest[HOSTFEED_EVENTS_MAX];
	bool is_anew;
	struct buf raw;
};

static void
init_tables(struct hostfeed_encoder *e)
{
	e->events.words = EVENT_WORDS;
	e->tasks.words = TASK_WORDS;
	e->places.words = PLACE_WORDS;
}

static void
defs_release(struct defs *d)
{
	free(d->items);
	index_release(&d->index);
	*d = (struct defs){ 0 };
}

static void
release_tables(struct hostfeed_encoder *e)
{
	strs_release(&e->strs);
	e->strs_sent = 0;
	defs_release(&e->events);
	defs_release(&e->tasks);
	defs_release(&e->places);
}

struct hostfeed_encoder *
hostfeed_encoder_new(void)
{
	struct hostfeed_encoder *e = mem_calloc(1, sizeof(*e));

	init_tables(e);
	return e;
}

void
hostfeed_encoder_free(struct hostfeed_encoder *e)
{
	if (e == NULL)
		return;
	release_tables(e);
	buf_release(&e->raw);
	free(e);
}

/* The number of the tuple, made if it is new. */
static uint32_t
defs_find(struct defs *d, const uint32_t words[WORDS_MAX])
{
	uint64_t hash = hash_bytes(words, d->words * sizeof(*words));
	uint32_t id, pos;

	for (id = index_first(&d->index, hash, &pos); id != 0; id = index_next(&d->index, hash, &pos))
		if (memcmp(d->items[id - 1], words, d->words * sizeof(*words)) == 0)
			return id - 1;
	vec_reserve(&d->items, &d->cap, d->len + 1, sizeof(*d->items));
	memset(d->items[d->len], 0, sizeof(d->items[0]));
	memcpy(d->items[d->len], words, d->words * sizeof(*words));
	d->len++;
	index_add(&d->index, hash, (uint32_t)d->len);
	return (uint32_t)d->len - 1;
}

static uint32_t
name(struct hostfeed_encoder *e, const char *text)
{
	size_t before = e->strs.len, len = strnlen(text, HOSTFEED_TEXT_MAX);
	uint32_t id = strs_add(&e->strs, text, len);

	if (e->strs.len != before)
		e->new_bytes += len + 2;
	return id;
}

static void
put_number(struct buf *b, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_add_char(b, (char)(n | 0x80));
	buf_add_char(b, (char)n);
}

static void
put_fixed(struct buf *b, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		buf_add_char(b, (char)(n >> 8 * i));
}

static void
put_text(struct buf *b, const char *text)
{
	size_t len = strnlen(text, HOSTFEED_TEXT_MAX);

	put_number(b, len);
	buf_add(b, text, len);
}

/* Adds @raw packed.  false: it cannot be, or is no shorter so. */
static bool
put_packed(struct buf *out, const struct buf *raw)
{
#ifdef HAVE_ZLIB
	uLongf len = compressBound(raw->len);
	Bytef *packed = mem_calloc(1, len);
	bool is_shorter = compress2(packed, &len, (const Bytef *)raw->data, raw->len,
				    Z_DEFAULT_COMPRESSION) == Z_OK && len < raw->len;

	if (is_shorter) {
		put_fixed(out, (uint32_t)len);
		put_fixed(out, (uint32_t)raw->len);
		buf_add(out, packed, len);
	}
	free(packed);
	return is_shorter;
#else
	(void)out;
	(void)raw;
	return false;
#endif
}

static void
put_frame(struct buf *out, enum hostfeed_kind kind, const struct buf *raw)
{
	size_t head = out->len;

	buf_add(out, (char[]){ (char)kind, 1, 0, 0 }, 4);
	if (put_packed(out, raw))
		return;
	out->data[head + 1] = 0;
	put_fixed(out, (uint32_t)raw->len);
	put_fixed(out, (uint32_t)raw->len);
	buf_add(out, raw->data, raw->len);
}

void
hostfeed_put_hello(struct buf *out, const struct hostfeed_hello *hello)
{
	struct buf raw = { 0 };

	buf_add(out, HOSTFEED_MAGIC, HOSTFEED_MAGIC_LEN);
	put_fixed(out, hello->version);
	put_text(&raw, hello->host);
	put_text(&raw, hello->ptop);
	put_number(&raw, hello->cpus);
	put_frame(out, HOSTFEED_HELLO, &raw);
	buf_release(&raw);
}

static uint32_t
find_event(struct hostfeed_encoder *e, const struct hostfeed_event *event)
{
	return defs_find(&e->events, (uint32_t[WORDS_MAX]){ name(e, event->name), event->flags });
}

static uint32_t
find_task(struct hostfeed_encoder *e, const struct hostfeed_task *t)
{
	return defs_find(&e->tasks, (uint32_t[WORDS_MAX]){ (uint32_t)t->pid, (uint32_t)t->tid,
		name(e, t->comm), name(e, t->program), name(e, t->user), name(e, t->cgroup) });
}

static uint32_t
find_place(struct hostfeed_encoder *e, const struct hostfeed_place *p)
{
	return defs_find(&e->places,
			 (uint32_t[WORDS_MAX]){ name(e, p->dso), name(e, p->symbol), p->flags });
}

void
hostfeed_add(struct hostfeed_encoder *e, const struct hostfeed_event *event,
	     const struct hostfeed_task *task, const struct hostfeed_place *place, uint64_t samples,
	     uint64_t period)
{
	uint32_t n = find_event(e, event);

	if (n >= HOSTFEED_EVENTS_MAX)
		return;
	if (e->row_len >= HOSTFEED_ROWS_SENT || e->new_bytes > HOSTFEED_NAMES_MAX) {
		e->rest[n].samples += samples;
		e->rest[n].period += period;
		return;
	}
	e->rows[e->row_len++] = (struct hostfeed_row){
		.event = n, .task = find_task(e, task), .place = find_place(e, place),
		.samples = samples, .period = period,
	};
}

static void
add_rest(struct hostfeed_encoder *e)
{
	static const struct hostfeed_task task = { -1, -1, "[other]", "[other]", "", "" };
	static const struct hostfeed_place place = { "", "[other]", 0 };

	for (uint32_t n = 0; n < HOSTFEED_EVENTS_MAX; n++)
		if (e->rest[n].samples > 0)
			e->rows[e->row_len++] = (struct hostfeed_row){
				.event = n, .task = find_task(e, &task), .place = find_place(e, &place),
				.samples = e->rest[n].samples, .period = e->rest[n].period,
			};
	memset(e->rest, 0, sizeof(e->rest));
}

static void
put_names(struct hostfeed_encoder *e)
{
	put_number(&e->raw, e->strs.len - e->strs_sent);
	while (e->strs_sent < e->strs.len)
		put_text(&e->raw, strs_get(&e->strs, (uint32_t)++e->strs_sent));
	e->new_bytes = 0;
}

static void
put_defs(struct buf *b, struct defs *d)
{
	put_number(b, d->len - d->sent);
	for (; d->sent < d->len; d->sent++)
		for (size_t i = 0; i < d->words; i++)
			put_number(b, d->items[d->sent][i]);
}

/* What is told in numbers so far fills their room: they begin anew with the next second. */
static void
begin_anew(struct hostfeed_encoder *e)
{
	const size_t most = HOSTFEED_DEFS_MAX - 8 * HOSTFEED_ROWS_SENT;

	e->is_anew = e->strs.len > most || e->tasks.len > most || e->places.len > most;
	if (!e->is_anew)
		return;
	release_tables(e);
	init_tables(e);
}

void
hostfeed_put_second(struct hostfeed_encoder *e, const struct hostfeed_second *s, struct buf *out)
{
	struct buf *b = &e->raw;

	add_rest(e);
	buf_reset(b);
	put_number(b, e->is_anew);
	put_number(b, s->wall_ns);
	put_number(b, s->length_ns);
	put_number(b, s->lost);
	put_names(e);
	put_defs(b, &e->events);
	put_defs(b, &e->tasks);
	put_defs(b, &e->places);
	put_number(b, e->row_len);
	for (size_t i = 0; i < e->row_len; i++) {
		const struct hostfeed_row *r = &e->rows[i];
		const uint64_t numbers[] = { r->event, r->task, r->place, r->samples, r->period };

		for (size_t n = 0; n < ARRAY_SIZE(numbers); n++)
			put_number(b, numbers[n]);
	}
	put_frame(out, HOSTFEED_SECOND, b);
	e->row_len = 0;
	begin_anew(e);
}
