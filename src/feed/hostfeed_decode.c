/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "feed/hostfeed_decode.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/reader.h"

#include <stdlib.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

enum { NOISE_MAX = 64 << 10 }; /* what a login may print before it */

struct hostfeed_decoder {
	struct buf in; /* from @at on: not read yet */
	size_t at;
	bool has_begun, is_over;
	struct buf raw; /* the frame, unpacked */
	struct arena texts, hello_texts, limit_texts;
	const char **names; /* from 1 on; [0] is "" */
	size_t name_len, name_cap;
	struct hostfeed_event *events;
	struct hostfeed_task *tasks;
	struct hostfeed_place *places;
	struct hostfeed_node *nodes;
	struct hostfeed_row *rows;
	struct hostfeed_stack *stacks;
	size_t event_len, event_cap, task_len, task_cap, place_len, place_cap, node_len, node_cap;
	size_t row_cap, stack_cap;
	struct buf stacks_raw, lacks_raw; /* of the second that comes, whose places they need */
	struct hostfeed_hello hello;
	struct hostfeed_second second;
	uint64_t left_out; /* of the second that comes */
	struct hostfeed_limit limits[HOSTFEED_LIMITS_MAX]; /* from that one on */
	size_t limit_count;
	unsigned came;     /* bits of kinds: of what goes before it */
};

/* Names are told anew. */
static void
forget(struct hostfeed_decoder *d)
{
	arena_release(&d->texts);
	vec_reserve(&d->names, &d->name_cap, 1, sizeof(*d->names));
	d->names[0] = "";
	d->name_len = 1;
	d->event_len = d->task_len = d->place_len = d->node_len = 0;
}

struct hostfeed_decoder *
hostfeed_decoder_new(void)
{
	struct hostfeed_decoder *d = mem_calloc(1, sizeof(*d));

	forget(d);
	return d;
}

void
hostfeed_decoder_free(struct hostfeed_decoder *d)
{
	if (d == NULL)
		return;
	buf_release(&d->in);
	buf_release(&d->raw);
	arena_release(&d->texts);
	arena_release(&d->hello_texts);
	arena_release(&d->limit_texts);
	free(d->names);
	free(d->events);
	free(d->tasks);
	free(d->places);
	free(d->nodes);
	free(d->rows);
	free(d->stacks);
	buf_release(&d->stacks_raw);
	buf_release(&d->lacks_raw);
	free(d);
}

const char *
hostfeed_before(const struct hostfeed_decoder *d)
{
	return d->has_begun ? NULL : buf_str(&d->in);
}

size_t
hostfeed_decoder_bytes(const struct hostfeed_decoder *d)
{
	return d->in.cap + d->raw.cap + d->texts.bytes + d->hello_texts.bytes +
	       d->limit_texts.bytes +
	       d->name_cap * sizeof(*d->names) +
	       d->task_cap * sizeof(*d->tasks) + d->place_cap * sizeof(*d->places) +
	       d->node_cap * sizeof(*d->nodes) + d->row_cap * sizeof(*d->rows) +
	       d->stack_cap * sizeof(*d->stacks) + d->stacks_raw.cap + d->lacks_raw.cap;
}

void
hostfeed_put(struct hostfeed_decoder *d, const void *data, size_t len)
{
	if (d->at > 0) {
		memmove(d->in.data, d->in.data + d->at, d->in.len - d->at);
		d->in.len -= d->at;
		d->at = 0;
	}
	buf_add(&d->in, data, len);
}

static uint64_t
get_number(struct reader *r)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint8_t *p = reader_bytes(r, 1);

		if (p == NULL)
			return 0;
		n |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p & 0x80))
			return n;
	}
	reader_fail(r);
	return 0;
}

/* One that is at most @max. */
static uint64_t
get_bounded(struct reader *r, uint64_t max)
{
	uint64_t n = get_number(r);

	if (n <= max)
		return n;
	reader_fail(r);
	return 0;
}

static uint32_t
get_u32(struct reader *r)
{
	return (uint32_t)get_bounded(r, UINT32_MAX);
}

/* How many follow: each takes a byte at least, and with the @have there is room for them. */
static size_t
get_count(struct reader *r, size_t have, size_t max)
{
	return (size_t)get_bounded(r, MIN(reader_left(r), max - MIN(have, max)));
}

static const char *
get_text(struct arena *texts, struct reader *r)
{
	size_t len = (size_t)get_bounded(r, HOSTFEED_TEXT_MAX);
	const uint8_t *p = reader_bytes(r, len);

	if (p == NULL || memchr(p, 0, len) != NULL) {
		reader_fail(r);
		return "";
	}
	return arena_strndup(texts, (const char *)p, len);
}

static const char *
get_name(const struct hostfeed_decoder *d, struct reader *r)
{
	return d->names[get_bounded(r, d->name_len - 1)];
}

static void
read_names(struct hostfeed_decoder *d, struct reader *r)
{
	for (size_t n = get_count(r, d->name_len, HOSTFEED_DEFS_MAX); n > 0 && !r->failed; n--)
		VEC_ADD(d->names, d->name_len, d->name_cap) = get_text(&d->texts, r);
}

static void
read_events(struct hostfeed_decoder *d, struct reader *r)
{
	for (size_t n = get_count(r, d->event_len, HOSTFEED_EVENTS_MAX); n > 0 && !r->failed; n--) {
		struct hostfeed_event e = { .name = get_name(d, r) };

		e.flags = get_u32(r);
		VEC_ADD(d->events, d->event_len, d->event_cap) = e;
	}
}

static void
read_tasks(struct hostfeed_decoder *d, struct reader *r)
{
	for (size_t n = get_count(r, d->task_len, HOSTFEED_DEFS_MAX); n > 0 && !r->failed; n--) {
		struct hostfeed_task t = { .pid = (int)get_u32(r) };

		t.tid = (int)get_u32(r);
		t.comm = get_name(d, r);
		t.program = get_name(d, r);
		t.user = get_name(d, r);
		t.cgroup = get_name(d, r);
		VEC_ADD(d->tasks, d->task_len, d->task_cap) = t;
	}
}

static void
read_places(struct hostfeed_decoder *d, struct reader *r)
{
	for (size_t n = get_count(r, d->place_len, HOSTFEED_DEFS_MAX); n > 0 && !r->failed; n--) {
		struct hostfeed_place p = { .dso = get_name(d, r) };

		p.symbol = get_name(d, r);
		p.flags = get_u32(r);
		p.reason = p.remedy = "";
		VEC_ADD(d->places, d->place_len, d->place_cap) = p;
	}
}

/* The number of one of @len. */
static uint32_t
get_one(struct reader *r, size_t len)
{
	if (len == 0)
		reader_fail(r);
	return (uint32_t)get_bounded(r, len > 0 ? len - 1 : 0);
}

static void
read_rows(struct hostfeed_decoder *d, struct reader *r)
{
	struct hostfeed_second *s = &d->second;
	uint64_t left = HOSTFEED_COUNT_MAX;

	for (size_t n = get_count(r, 0, HOSTFEED_ROWS_MAX); n > 0 && !r->failed; n--) {
		struct hostfeed_row row = { .event = get_one(r, d->event_len) };

		row.task = get_one(r, d->task_len);
		row.place = get_one(r, d->place_len);
		row.samples = get_bounded(r, INT32_MAX);
		row.period = get_bounded(r, left);
		left -= row.period;
		if (row.samples == 0)
			reader_fail(r);
		VEC_ADD(d->rows, s->row_count, d->row_cap) = row;
	}
}

static void
read_nodes(struct hostfeed_decoder *d, struct reader *r)
{
	for (size_t n = get_count(r, d->node_len, HOSTFEED_DEFS_MAX); n > 0 && !r->failed; n--) {
		struct hostfeed_node node = { .parent = (uint32_t)get_bounded(r, d->node_len) };

		node.place = get_one(r, d->place_len);
		node.depth = node.parent > 0 ? d->nodes[node.parent - 1].depth + 1 : 1;
		if (node.depth > HOSTFEED_DEPTH_MAX)
			reader_fail(r);
		VEC_ADD(d->nodes, d->node_len, d->node_cap) = node;
	}
}

/* What is called is part of a row: no more of it than there is, which its own counts become here. */
static void
take_from(struct hostfeed_row *left, const struct hostfeed_stack *s, struct reader *r)
{
	if (s->samples == 0 || s->samples > left->samples || s->period > left->period ||
	    (s->samples == left->samples && s->period != left->period)) {
		reader_fail(r);
		return;
	}
	left->samples -= s->samples;
	left->period -= s->period;
}

static bool
read_lacks(struct hostfeed_decoder *d)
{
	const struct bytes raw = { (const uint8_t *)buf_str(&d->lacks_raw), d->lacks_raw.len };
	struct reader r = reader_over(raw);

	if (raw.len == 0)
		return true;
	for (size_t n = get_count(&r, 0, HOSTFEED_DEFS_MAX); n > 0 && !r.failed; n--) {
		const uint32_t place = get_one(&r, d->place_len);
		const char *reason = get_name(d, &r), *remedy = get_name(d, &r);

		if (r.failed)
			break;
		d->places[place].reason = reason;
		d->places[place].remedy = remedy;
	}
	buf_reset(&d->lacks_raw);
	return !r.failed && reader_left(&r) == 0;
}

static bool
read_stacks(struct hostfeed_decoder *d)
{
	const struct bytes raw = { (const uint8_t *)buf_str(&d->stacks_raw), d->stacks_raw.len };
	struct reader r = reader_over(raw);
	struct hostfeed_second *s = &d->second;

	if (raw.len == 0)
		return true;
	read_nodes(d, &r);
	for (size_t n = get_count(&r, 0, HOSTFEED_STACKS_MAX); n > 0 && !r.failed; n--) {
		struct hostfeed_stack stack = { .row = get_one(&r, s->row_count) };

		stack.callers = (uint32_t)get_bounded(&r, d->node_len);
		stack.samples = get_bounded(&r, INT32_MAX);
		stack.period = get_bounded(&r, HOSTFEED_COUNT_MAX);
		if (!r.failed)
			take_from(&d->rows[stack.row], &stack, &r);
		VEC_ADD(d->stacks, s->stack_count, d->stack_cap) = stack;
	}
	buf_reset(&d->stacks_raw);
	return !r.failed && reader_left(&r) == 0;
}

static bool
read_second(struct hostfeed_decoder *d)
{
	struct reader r = reader_over((struct bytes){ (const uint8_t *)d->raw.data, d->raw.len });
	struct hostfeed_second *s = &d->second;

	*s = (struct hostfeed_second){ .is_anew = get_bounded(&r, 1) != 0, .left_out = d->left_out };
	d->left_out = 0;
	if (s->is_anew)
		forget(d);
	if (d->came & 1u << HOSTFEED_LIMITS) {
		s->limits = d->limits;
		s->limit_count = d->limit_count;
	}
	s->wall_ns = get_number(&r);
	s->length_ns = get_number(&r);
	s->lost = get_bounded(&r, HOSTFEED_COUNT_MAX);
	read_names(d, &r);
	read_events(d, &r);
	read_tasks(d, &r);
	read_places(d, &r);
	read_rows(d, &r);
	if (r.failed || reader_left(&r) > 0 || !read_lacks(d) || !read_stacks(d))
		return false;
	s->rows = d->rows;
	s->stacks = d->stacks;
	s->nodes = d->nodes;
	s->events = d->events;
	s->tasks = d->tasks;
	s->places = d->places;
	s->event_count = d->event_len;
	s->task_count = d->task_len;
	s->place_count = d->place_len;
	s->node_count = d->node_len;
	return true;
}

static bool
read_left_out(struct hostfeed_decoder *d)
{
	struct reader r = reader_over((struct bytes){ (const uint8_t *)d->raw.data, d->raw.len });

	d->left_out = get_bounded(&r, HOSTFEED_COUNT_MAX);
	return !r.failed;
}

static bool
read_limits(struct hostfeed_decoder *d)
{
	struct reader r = reader_over((struct bytes){ (const uint8_t *)d->raw.data, d->raw.len });

	arena_release(&d->limit_texts);
	d->limit_count = get_count(&r, 0, HOSTFEED_LIMITS_MAX);
	for (size_t i = 0; i < d->limit_count; i++) {
		d->limits[i].text = get_text(&d->limit_texts, &r);
		d->limits[i].remedy = get_text(&d->limit_texts, &r);
	}
	return !r.failed;
}

static bool
read_hello(struct hostfeed_decoder *d)
{
	struct reader r = reader_over((struct bytes){ (const uint8_t *)d->raw.data, d->raw.len });

	arena_release(&d->hello_texts); /* it may come again and again */
	d->hello = (struct hostfeed_hello){ .version = HOSTFEED_VERSION };
	d->hello.host = get_text(&d->hello_texts, &r);
	d->hello.ptop = get_text(&d->hello_texts, &r);
	d->hello.cpus = (uint32_t)get_bounded(&r, HOSTFEED_CPUS_MAX);
	return !r.failed;
}

static uint32_t
fixed_at(const struct hostfeed_decoder *d, size_t offset)
{
	const uint8_t *p = (const uint8_t *)d->in.data + d->at + offset;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int
fail(struct hostfeed_decoder *d, struct err *err, const char *why)
{
	d->is_over = true;
	err_set(err, ERR_FORMAT, 0, "%s", why);
	return -1;
}

/* Looks for where it begins.  1: here, 0: not yet, -1: see @err; HOSTFEED_WANTS_PTOP. */
static int
find_begin(struct hostfeed_decoder *d, struct err *err)
{
	size_t left = d->in.len - d->at;
	const char *from = d->in.data + d->at, *begin;

	begin = left > 0 ? memmem(from, left, HOSTFEED_MAGIC, HOSTFEED_MAGIC_LEN) : NULL;
	if (begin == NULL && left > 0 &&
	    memmem(from, left, HOSTFEED_WANTED, sizeof(HOSTFEED_WANTED) - 1) != NULL) {
		d->is_over = true;
		return HOSTFEED_WANTS_PTOP;
	}
	if (begin == NULL)
		return left <= NOISE_MAX ? 0 : fail(d, err, "what it sends is no feed");
	d->at += (size_t)(begin - from);
	if (d->in.len - d->at < HOSTFEED_MAGIC_LEN + sizeof(uint32_t))
		return 0;
	d->hello = (struct hostfeed_hello){ .version = fixed_at(d, HOSTFEED_MAGIC_LEN),
					    .host = "", .ptop = "" };
	d->at += HOSTFEED_MAGIC_LEN + sizeof(uint32_t);
	d->has_begun = true;
	return 1;
}

/* Into d->raw. */
static bool
unpack(struct hostfeed_decoder *d, const char *data, size_t len, size_t raw_len)
{
#ifdef HAVE_ZLIB
	uLongf got = raw_len;

	buf_add_fill(&d->raw, '\0', raw_len);
	return uncompress((Bytef *)d->raw.data, &got, (const Bytef *)data, len) == Z_OK &&
	       got == raw_len;
#else
	(void)d;
	(void)data;
	(void)len;
	(void)raw_len;
	return false;
#endif
}

/* To be read with the second. */
static bool
keep(struct buf *raw, const struct hostfeed_decoder *d)
{
	buf_reset(raw);
	buf_add(raw, buf_str(&d->raw), d->raw.len);
	return true;
}

static bool
read_body(struct hostfeed_decoder *d, int kind)
{
	switch (kind) {
	case HOSTFEED_HELLO:
		return read_hello(d);
	case HOSTFEED_SECOND:
		return read_second(d);
	case HOSTFEED_LEFT_OUT:
		return read_left_out(d);
	case HOSTFEED_LIMITS:
		return read_limits(d);
	case HOSTFEED_LACKS:
		return keep(&d->lacks_raw, d);
	default:
		return keep(&d->stacks_raw, d);
	}
}

/* What goes before a second comes once: of many small frames each may be megabytes, unpacked. */
static bool
comes_again(const struct hostfeed_decoder *d, int kind)
{
	return d->came & 1u << kind;
}

static void
note_came(struct hostfeed_decoder *d, int kind)
{
	const bool goes_before = kind != HOSTFEED_HELLO && kind != HOSTFEED_SECOND;

	d->came = goes_before ? d->came | 1u << kind : 0;
}

/* The frame at d->at, which is all here. */
static int
read_frame(struct hostfeed_decoder *d, size_t len, size_t raw_len, struct err *err)
{
	const char *head = d->in.data + d->at, *data = head + HOSTFEED_HEAD_LEN;
	const bool is_packed = head[1] != 0;
	int kind = (uint8_t)head[0];

	d->at += HOSTFEED_HEAD_LEN + len;
	if (kind < HOSTFEED_HELLO || kind > HOSTFEED_LACKS)
		return kind; /* of a ptop that knows more */
	if (comes_again(d, kind))
		return fail(d, err, "its feed makes no sense");
	buf_reset(&d->raw);
	if (!is_packed)
		buf_add(&d->raw, data, len);
	else if (raw_len == 0 || !unpack(d, data, len, raw_len))
		return fail(d, err, "its feed cannot be unpacked");
	if (!read_body(d, kind))
		return fail(d, err, "its feed makes no sense");
	note_came(d, kind);
	return kind;
}

int
hostfeed_next(struct hostfeed_decoder *d, struct err *err)
{
	size_t len, raw_len;
	int res;

	if (d->is_over)
		return 0;
	if (!d->has_begun) {
		res = find_begin(d, err);
		if (res != 1)
			return res;
		d->is_over = d->hello.version != HOSTFEED_VERSION;
		if (d->is_over)
			return HOSTFEED_HELLO;
	}
	do {
		if (d->in.len - d->at < HOSTFEED_HEAD_LEN)
			return 0;
		len = fixed_at(d, 4);
		raw_len = fixed_at(d, 8);
		if (len > HOSTFEED_PACKED_MAX || raw_len > HOSTFEED_BYTES_MAX)
			return fail(d, err, "its feed has too much in one second");
		if (d->in.len - d->at < HOSTFEED_HEAD_LEN + len)
			return 0;
		res = read_frame(d, len, raw_len, err);
	} while (res != HOSTFEED_HELLO && res != HOSTFEED_SECOND && res >= 0);
	return res;
}

const struct hostfeed_hello *
hostfeed_hello(const struct hostfeed_decoder *d)
{
	return &d->hello;
}

const struct hostfeed_second *
hostfeed_second(const struct hostfeed_decoder *d)
{
	return &d->second;
}
