/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "feed/hostfeed_encode.h"

#include "base/strs.h"
#include "feed/hostfeed_told.h"

#include <stdlib.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

enum {
	TASK_WORDS = WORDS_MAX, PLACE_WORDS = 3, EVENT_WORDS = 2, NODE_WORDS = 2,
	RAW_MAX = HOSTFEED_BYTES_MAX / 2, /* of rows; */
	REST_ROOM = 1024,                 /* the rest has so much more, for some events at least */
	MARGIN = 16,                      /* of what is tried next such a part stays free */
};

struct cost_rest {
	uint64_t samples, period;
};

/* Of a place, behind what its second tells: why it has no name. */
enum { PLACE_REASON = PLACE_WORDS, PLACE_REMEDY };

/* Of a node: its parent plus one, its place. */
enum { NODE_PARENT, NODE_PLACE };

/* Who called some of a row. */
struct path {
	uint32_t row, callers;
	struct cost_rest cost;
};

struct hostfeed_encoder {
	struct strs strs;
	struct told names;
	struct defs events, tasks, places, nodes;
	struct hostfeed_row rows[HOSTFEED_ROWS_SENT]; /* by what things are here */
	size_t row_len;
	struct cost_rest rest[HOSTFEED_EVENTS_MAX];   /* not in those */
	size_t left_out;                              /* rows of that */
	struct path paths[HOSTFEED_STACKS_SENT];
	size_t path_len;
	struct hostfeed_callers callers;              /* what those lead to, */
	uint32_t *node_ids, *place_ids;               /* and what that is here, plus one; 0: not yet */
	size_t node_id_cap, place_id_cap;
	struct cost_rest unknown[HOSTFEED_ROWS_SENT]; /* of rows: in no path yet */
	bool is_anew;
	/* a try to make a frame of it: */
	struct buf row_raw, stack_raw, lack_raw, raw, frame;
	size_t row_count, stack_count, lack_count, left_now;
	size_t raw_len; /* of all its frames */
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
	e->nodes.words = NODE_WORDS;
}

static void
release_tables(struct hostfeed_encoder *e)
{
	strs_release(&e->strs);
	told_release(&e->names);
	defs_release(&e->events);
	defs_release(&e->tasks);
	defs_release(&e->places);
	defs_release(&e->nodes);
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
	free(e->node_ids);
	free(e->place_ids);
	buf_release(&e->row_raw);
	buf_release(&e->stack_raw);
	buf_release(&e->lack_raw);
	buf_release(&e->raw);
	buf_release(&e->frame);
	free(e);
}

static uint32_t
name(struct hostfeed_encoder *e, const char *text)
{
	return strs_add(&e->strs, text, strnlen(text, HOSTFEED_TEXT_MAX));
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

void
hostfeed_put_limits(struct buf *out, const struct hostfeed_limit *limits, size_t count)
{
	struct buf raw = { 0 };

	count = MIN(count, (size_t)HOSTFEED_LIMITS_MAX);
	put_number(&raw, count);
	for (size_t i = 0; i < count; i++) {
		put_text(&raw, limits[i].text);
		put_text(&raw, limits[i].remedy);
	}
	put_frame(out, HOSTFEED_LIMITS, &raw);
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
			 (uint32_t[WORDS_MAX]){ name(e, p->dso), name(e, p->symbol), p->flags,
						name(e, p->reason), name(e, p->remedy) });
}

uint32_t
hostfeed_add(struct hostfeed_encoder *e, const struct hostfeed_event *event,
	     const struct hostfeed_task *task, const struct hostfeed_place *place, uint64_t samples,
	     uint64_t period)
{
	uint32_t n = find_event(e, event);

	if (n >= HOSTFEED_EVENTS_MAX)
		return UINT32_MAX;
	if (e->row_len >= HOSTFEED_ROWS_SENT) {
		e->rest[n].samples += samples;
		e->rest[n].period += period;
		e->left_out++;
		return UINT32_MAX;
	}
	e->unknown[e->row_len] = (struct cost_rest){ samples, period };
	e->rows[e->row_len] = (struct hostfeed_row){
		.event = n, .task = find_task(e, task), .place = find_place(e, place),
		.samples = samples, .period = period,
	};
	return (uint32_t)e->row_len++;
}

static void
reset_ids(uint32_t **ids, size_t *cap, size_t count)
{
	vec_reserve(ids, cap, count, sizeof(**ids));
	memset(*ids, 0, count * sizeof(**ids));
}

void
hostfeed_set_callers(struct hostfeed_encoder *e, const struct hostfeed_callers *callers)
{
	e->callers = *callers;
	reset_ids(&e->node_ids, &e->node_id_cap, callers->node_count + 1);
	reset_ids(&e->place_ids, &e->place_id_cap, callers->place_count + 1);
}

void
hostfeed_add_stack(struct hostfeed_encoder *e, uint32_t row, uint32_t callers, uint64_t samples,
		   uint64_t period)
{
	struct cost_rest *of;

	if (row >= e->row_len || e->path_len == HOSTFEED_STACKS_SENT || samples == 0 ||
	    (callers != 0 && e->callers.nodes[callers - 1].depth > HOSTFEED_DEPTH_MAX))
		return;
	of = &e->unknown[row];
	/* Without samples there is no period, either. */
	if (samples > of->samples || period > of->period ||
	    (samples == of->samples && period != of->period))
		return;
	of->samples -= samples;
	of->period -= period;
	e->paths[e->path_len++] = (struct path){ row, callers, { samples, period } };
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

/* Why it has no name goes before the second that tells it. */
static uint32_t
tell_place(struct hostfeed_encoder *e, uint32_t id)
{
	const uint32_t known = e->places.told.count, n = tell(e, &e->places, id);
	const uint32_t *words = e->places.items[id];

	if (n < known || words[PLACE_REASON] == 0)
		return n;
	put_number(&e->lack_raw, n);
	put_number(&e->lack_raw, tell_name(e, words[PLACE_REASON]));
	put_number(&e->lack_raw, tell_name(e, words[PLACE_REMEDY]));
	e->lack_count++;
	return n;
}

/* What is the node @callers of those that were set is the node of that number here, plus one. */
static uint32_t
find_node(struct hostfeed_encoder *e, uint32_t callers)
{
	const struct hostfeed_node *nodes = e->callers.nodes;
	uint32_t way[HOSTFEED_DEPTH_MAX], len = 0, id;

	for (; callers != 0 && e->node_ids[callers - 1] == 0; callers = nodes[callers - 1].parent)
		way[len++] = callers - 1;
	id = callers != 0 ? e->node_ids[callers - 1] : 0;
	while (len > 0) {
		const uint32_t n = way[--len];
		uint32_t *place = &e->place_ids[nodes[n].place];

		if (*place == 0)
			*place = find_place(e, &e->callers.places[nodes[n].place]) + 1;
		id = defs_find(&e->nodes, (uint32_t[WORDS_MAX]){ id, *place - 1 }) + 1;
		e->node_ids[n] = id;
	}
	return id;
}

/* The number of a node, plus one as @node is; those above it that are new are told before. */
static uint32_t
tell_node(struct hostfeed_encoder *e, uint32_t node)
{
	uint32_t way[HOSTFEED_DEPTH_MAX], len = 0, told = 0;
	bool is_new;

	for (; node != 0 && told == 0; node = e->nodes.items[node - 1][NODE_PARENT]) {
		told = told_find(&e->nodes.told, node - 1);
		if (told == 0)
			way[len++] = node - 1;
	}
	while (len > 0) {
		const uint32_t id = way[--len], place = e->nodes.items[id][NODE_PLACE];

		put_number(&e->nodes.told.raw, told);
		put_number(&e->nodes.told.raw, tell_place(e, place));
		told = told_number(&e->nodes.told, id, &is_new);
	}
	return told;
}

static void
put_row(struct hostfeed_encoder *e, const struct hostfeed_row *r)
{
	const uint64_t numbers[] = {
		tell(e, &e->events, r->event), tell(e, &e->tasks, r->task),
		tell_place(e, r->place), r->samples, r->period,
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
	       e->places.told.raw.len + e->nodes.told.raw.len + e->row_raw.len + e->stack_raw.len +
	       e->lack_raw.len < raw_most;
}

/* One row for each event.  What does not even fit so stays for the next second. */
static void
put_rest(struct hostfeed_encoder *e, size_t raw_most)
{
	static const struct hostfeed_task task = { -1, -1, "[other]", "[other]", "", "" };
	static const struct hostfeed_place place = { "", "[other]", 0, "", "" };

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

/* Who called the first @rows rows, as far as there is room behind these. */
static void
put_stacks(struct hostfeed_encoder *e, size_t rows, size_t raw_most)
{
	/* Of a path: four names a place. */
	const size_t most = HOSTFEED_DEFS_MAX - 4 * HOSTFEED_DEPTH_MAX;

	for (size_t i = 0; i < e->path_len; i++) {
		const struct path *path = &e->paths[i];
		uint32_t told;

		if (!has_room(e, raw_most) || e->nodes.told.count >= most ||
		    e->places.told.count >= most || e->names.count >= most)
			return;
		if (path->row >= rows)
			continue;
		told = tell_node(e, find_node(e, path->callers));
		put_number(&e->stack_raw, path->row);
		put_number(&e->stack_raw, told);
		put_number(&e->stack_raw, path->cost.samples);
		put_number(&e->stack_raw, path->cost.period);
		e->stack_count++;
	}
}

/* The heaviest rows, as many as take @raw_most bytes, and the rest of them. */
static void
put_rows(struct hostfeed_encoder *e, size_t raw_most)
{
	size_t i = 0, kept;

	buf_reset(&e->row_raw);
	buf_reset(&e->stack_raw);
	buf_reset(&e->lack_raw);
	e->row_count = e->stack_count = e->lack_count = 0;
	for (; i < e->row_len && has_room(e, raw_most); i++)
		put_row(e, &e->rows[i]);
	kept = i;
	e->left_now = e->left_out + e->row_len - kept;
	memcpy(e->rest_now, e->rest, sizeof(e->rest));
	for (; i < e->row_len; i++) {
		e->rest_now[e->rows[i].event].samples += e->rows[i].samples;
		e->rest_now[e->rows[i].event].period += e->rows[i].period;
	}
	put_rest(e, raw_most + REST_ROOM);
	put_stacks(e, kept, raw_most);
}

/* A frame that goes before the second, if it has something. */
static void
put_before(struct hostfeed_encoder *e, enum hostfeed_kind kind, size_t count)
{
	if (count > 0)
		put_frame(&e->frame, kind, &e->raw);
	e->raw_len += e->raw.len;
	buf_reset(&e->raw);
}

static void
make_frames(struct hostfeed_encoder *e, const struct hostfeed_second *s)
{
	struct buf *b = &e->raw;

	buf_reset(&e->frame);
	buf_reset(b);
	e->raw_len = 0;
	put_number(b, e->left_now);
	put_before(e, HOSTFEED_LEFT_OUT, e->left_now);
	put_number(b, e->lack_count);
	buf_add(b, buf_str(&e->lack_raw), e->lack_raw.len);
	put_before(e, HOSTFEED_LACKS, e->lack_count);
	told_put(b, &e->nodes.told);
	put_number(b, e->stack_count);
	buf_add(b, buf_str(&e->stack_raw), e->stack_raw.len);
	put_before(e, HOSTFEED_STACKS, e->stack_count);
	put_number(b, e->is_anew);
	put_number(b, s->wall_ns);
	put_number(b, s->length_ns);
	put_number(b, s->lost);
	told_put(b, &e->names);
	told_put(b, &e->events.told);
	told_put(b, &e->tasks.told);
	told_put(b, &e->places.told);
	put_number(b, e->row_count);
	buf_add(b, buf_str(&e->row_raw), e->row_raw.len);
	put_frame(&e->frame, HOSTFEED_SECOND, b);
	e->raw_len += b->len;
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
	const size_t most = HOSTFEED_DEFS_MAX - 10 * HOSTFEED_ROWS_SENT;

	e->is_anew = false;
	for (size_t n = 0; n < HOSTFEED_EVENTS_MAX; n++)
		if (e->rest[n].samples > 0)
			return; /* it is of a number */
	e->is_anew = e->strs.len > most || e->tasks.len > most || e->places.len > most ||
		     e->nodes.len > most;
	if (!e->is_anew)
		return;
	release_tables(e);
	init_tables(e);
}

/* Nearly always the first try fits. */
static void
fit(struct hostfeed_encoder *e, const struct hostfeed_second *s)
{
	struct told *const told[] = { &e->names, &e->events.told, &e->tasks.told, &e->places.told,
				      &e->nodes.told };
	const size_t most = allowance(s);
	size_t raw_most = RAW_MAX;

	for (;;) {
		put_rows(e, raw_most);
		make_frames(e, s);
		if (e->frame.len <= most || raw_most == 0)
			break;
		raw_most = (size_t)((uint64_t)MIN(raw_most, e->raw_len) * most / e->frame.len);
		raw_most -= raw_most / MARGIN;
		for (size_t i = 0; i < ARRAY_SIZE(told); i++)
			told_undo(told[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		told_keep(told[i]);
}

void
hostfeed_put_second(struct hostfeed_encoder *e, const struct hostfeed_second *s, struct buf *out)
{
	fit(e, s);
	buf_add(out, e->frame.data, e->frame.len);
	memcpy(e->rest, e->rest_now, sizeof(e->rest));
	e->row_len = e->left_out = e->path_len = 0;
	e->callers = (struct hostfeed_callers){ 0 };
	begin_anew(e);
}
