/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "feed/hostfeed_encode.h"

#include "base/index.h"
#include "base/strs.h"

#include <stdlib.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

enum {
	TASK_WORDS = 6, PLACE_WORDS = 3, EVENT_WORDS = 2, WORDS_MAX = TASK_WORDS,
	RAW_MAX = HOSTFEED_BYTES_MAX / 2, /* of rows; */
	REST_ROOM = 1024,                 /* the rest has so much more, for some events at least */
	MARGIN = 16,                      /* of what is tried next such a part stays free */
};

/* What the other side knows by number: each is told in the first second that has room for it. */
struct told {
	uint32_t *numbers; /* by what it is here, from 1 on; 0: not told */
	size_t cap;
	uint32_t count;
	uint32_t *fresh;   /* what is told in this second, */
	size_t fresh_len, fresh_cap;
	struct buf raw;    /* and how */
};

/* Tuples of numbers: how many words they have is the table's. */
struct defs {
	uint32_t (*items)[WORDS_MAX];
	size_t len, cap;
	struct index index;
	size_t words;
	unsigned names; /* bits of words that are names */
	struct told told;
};

struct cost_rest {
	uint64_t samples, period;
};

struct hostfeed_encoder {
	struct strs strs;
	struct told names;
	struct defs events, tasks, places;
	struct hostfeed_row rows[HOSTFEED_ROWS_SENT]; /* by what things are here */
	size_t row_len;
	struct cost_rest rest[HOSTFEED_EVENTS_MAX];   /* not in those */
	size_t left_out;                              /* rows of that */
	bool is_anew;
	/* a try to make a frame of it: */
	struct buf row_raw, raw, frame;
	size_t row_count, left_now;
	struct cost_rest rest_now[HOSTFEED_EVENTS_MAX];
};

static void
init_tables(struct hostfeed_encoder *e)
{
	e->events.words = EVENT_WORDS;
	e->events.names = 1 << 0;
	e->tasks.words = TASK_WORDS;
	e->tasks.names = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5;
	e->places.words = PLACE_WORDS;
	e->places.names = 1 << 0 | 1 << 1;
}

static void
told_release(struct told *t)
{
	free(t->numbers);
	free(t->fresh);
	buf_release(&t->raw);
	*t = (struct told){ 0 };
}

static void
defs_release(struct defs *d)
{
	free(d->items);
	index_release(&d->index);
	told_release(&d->told);
	*d = (struct defs){ 0 };
}

static void
release_tables(struct hostfeed_encoder *e)
{
	strs_release(&e->strs);
	told_release(&e->names);
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
	buf_release(&e->row_raw);
	buf_release(&e->raw);
	buf_release(&e->frame);
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
	return strs_add(&e->strs, text, strnlen(text, HOSTFEED_TEXT_MAX));
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
	if (e->row_len >= HOSTFEED_ROWS_SENT) {
		e->rest[n].samples += samples;
		e->rest[n].period += period;
		e->left_out++;
		return;
	}
	e->rows[e->row_len++] = (struct hostfeed_row){
		.event = n, .task = find_task(e, task), .place = find_place(e, place),
		.samples = samples, .period = period,
	};
}

/* Its number, told if that is new. */
static uint32_t
told_number(struct told *t, uint32_t id, bool *is_new)
{
	vec_reserve_zeroed(&t->numbers, &t->cap, id + 1, sizeof(*t->numbers));
	*is_new = t->numbers[id] == 0;
	if (*is_new) {
		t->numbers[id] = ++t->count;
		VEC_ADD(t->fresh, t->fresh_len, t->fresh_cap) = id;
	}
	return t->numbers[id];
}

/* The second did not fit. */
static void
untell(struct told *t)
{
	for (size_t i = 0; i < t->fresh_len; i++)
		t->numbers[t->fresh[i]] = 0;
	t->count -= (uint32_t)t->fresh_len;
	t->fresh_len = 0;
	buf_reset(&t->raw);
}

static void
note_told(struct told *t)
{
	t->fresh_len = 0;
	buf_reset(&t->raw);
}

static uint32_t
tell_name(struct hostfeed_encoder *e, uint32_t id)
{
	bool is_new;
	uint32_t n;

	if (id == 0)
		return 0;
	n = told_number(&e->names, id, &is_new);
	if (is_new)
		put_text(&e->names.raw, strs_get(&e->strs, id));
	return n;
}

static uint32_t
tell(struct hostfeed_encoder *e, struct defs *d, uint32_t id)
{
	bool is_new;
	uint32_t n = told_number(&d->told, id, &is_new);

	for (size_t i = 0; is_new && i < d->words; i++) {
		uint32_t word = d->items[id][i];

		put_number(&d->told.raw, d->names & 1u << i ? tell_name(e, word) : word);
	}
	return n - 1;
}

static void
put_row(struct hostfeed_encoder *e, const struct hostfeed_row *r)
{
	const uint64_t numbers[] = {
		tell(e, &e->events, r->event), tell(e, &e->tasks, r->task),
		tell(e, &e->places, r->place), r->samples, r->period,
	};

	for (size_t n = 0; n < ARRAY_SIZE(numbers); n++)
		put_number(&e->row_raw, numbers[n]);
	e->row_count++;
}

/* Whether one more row may make it longer. */
static bool
has_room(const struct hostfeed_encoder *e, size_t raw_most)
{
	return e->row_count == 0 ||
	       e->names.raw.len + e->events.told.raw.len + e->tasks.told.raw.len +
	       e->places.told.raw.len + e->row_raw.len < raw_most;
}

/* One row for each event.  What does not even fit so stays for the next second. */
static void
put_rest(struct hostfeed_encoder *e, size_t raw_most)
{
	static const struct hostfeed_task task = { -1, -1, "[other]", "[other]", "", "" };
	static const struct hostfeed_place place = { "", "[other]", 0 };

	for (uint32_t n = 0; n < HOSTFEED_EVENTS_MAX; n++) {
		struct cost_rest *rest = &e->rest_now[n];

		if (rest->samples == 0 || !has_room(e, raw_most))
			continue;
		put_row(e, &(struct hostfeed_row){
			.event = n, .task = find_task(e, &task), .place = find_place(e, &place),
			.samples = rest->samples, .period = rest->period });
		*rest = (struct cost_rest){ 0 };
	}
}

/* The heaviest rows, as many as take @raw_most bytes, and the rest of them. */
static void
put_rows(struct hostfeed_encoder *e, size_t raw_most)
{
	size_t i = 0;

	buf_reset(&e->row_raw);
	e->row_count = 0;
	for (; i < e->row_len && has_room(e, raw_most); i++)
		put_row(e, &e->rows[i]);
	e->left_now = e->left_out + e->row_len - i;
	memcpy(e->rest_now, e->rest, sizeof(e->rest));
	for (; i < e->row_len; i++) {
		e->rest_now[e->rows[i].event].samples += e->rows[i].samples;
		e->rest_now[e->rows[i].event].period += e->rows[i].period;
	}
	put_rest(e, raw_most + REST_ROOM);
}

static void
put_told(struct buf *b, const struct told *t)
{
	put_number(b, t->fresh_len);
	buf_add(b, buf_str(&t->raw), t->raw.len);
}

static void
make_frames(struct hostfeed_encoder *e, const struct hostfeed_second *s)
{
	struct buf *b = &e->raw;

	buf_reset(&e->frame);
	buf_reset(b);
	put_number(b, e->left_now);
	if (e->left_now > 0)
		put_frame(&e->frame, HOSTFEED_LEFT_OUT, b);
	buf_reset(b);
	put_number(b, e->is_anew);
	put_number(b, s->wall_ns);
	put_number(b, s->length_ns);
	put_number(b, s->lost);
	put_told(b, &e->names);
	put_told(b, &e->events.told);
	put_told(b, &e->tasks.told);
	put_told(b, &e->places.told);
	put_number(b, e->row_count);
	buf_add(b, buf_str(&e->row_raw), e->row_raw.len);
	put_frame(&e->frame, HOSTFEED_SECOND, b);
}

/* How long frames of such a second may be. */
static size_t
allowance(const struct hostfeed_second *s)
{
	const uint64_t length_ns = MIN(s->length_ns, HOSTFEED_LATE_MAX * NSEC_PER_SEC);

	return (size_t)(length_ns * HOSTFEED_RATE_MAX / NSEC_PER_SEC);
}

/* What is told in numbers so far fills their room: they begin anew with the next second. */
static void
begin_anew(struct hostfeed_encoder *e)
{
	const size_t most = HOSTFEED_DEFS_MAX - 8 * HOSTFEED_ROWS_SENT;

	e->is_anew = false;
	for (size_t n = 0; n < HOSTFEED_EVENTS_MAX; n++)
		if (e->rest[n].samples > 0)
			return; /* it is of a number */
	e->is_anew = e->strs.len > most || e->tasks.len > most || e->places.len > most;
	if (!e->is_anew)
		return;
	release_tables(e);
	init_tables(e);
}

/* Nearly always the first try fits. */
static void
fit(struct hostfeed_encoder *e, const struct hostfeed_second *s)
{
	struct told *const told[] = { &e->names, &e->events.told, &e->tasks.told, &e->places.told };
	const size_t most = allowance(s);
	size_t raw_most = RAW_MAX;

	for (;;) {
		put_rows(e, raw_most);
		make_frames(e, s);
		if (e->frame.len <= most || raw_most == 0)
			break;
		raw_most = (size_t)((uint64_t)MIN(raw_most, e->raw.len) * most / e->frame.len);
		raw_most -= raw_most / MARGIN;
		for (size_t i = 0; i < ARRAY_SIZE(told); i++)
			untell(told[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		note_told(told[i]);
}

void
hostfeed_put_second(struct hostfeed_encoder *e, const struct hostfeed_second *s, struct buf *out)
{
	fit(e, s);
	buf_add(out, e->frame.data, e->frame.len);
	memcpy(e->rest, e->rest_now, sizeof(e->rest));
	e->row_len = e->left_out = 0;
	begin_anew(e);
}
