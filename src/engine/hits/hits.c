/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/hits/hits.h"

#include <stdlib.h>
#include <string.h>

#include "engine/intake/intake.h"
#include "engine/leaf/engine_msg.h"
#include "engine/leaf/sample_ids.h"
#include "profile/count/profile.h"
#include "view/moment.h"
#include "view/query.h"

enum {
	HITS_MAX = 512,    /* the newest */
	BYTES_MAX = 1024,  /* of the fields of one; what is behind them is cut off */
	FIELDS_MAX = 64,
	PATIENCE_S = 3,    /* so long after a refresh it is waited to be asked again */
	COMM_CELLS = 15,
};

struct hit {
	uint64_t time_ns;
	uint32_t tid, cpu;
	size_t len;
	uint8_t raw[BYTES_MAX];
};

struct hits {
	const struct engine_env *env;
	struct hit *items;   /* a ring; NULL: nobody has asked */
	uint64_t count;      /* since it was empty: the newest is before it */
	uint32_t event;      /* that they are of */
	uint32_t process, thread; /* as in struct query */
	uint64_t until_ns;
};

static bool
is_kept(const struct hits *h, const struct record *rec)
{
	const struct model *m = h->env->model;
	uint32_t task;

	if (sample_ids_event(h->env->ids, rec->id.id) != h->event)
		return false;
	if (h->process == 0)
		return true;
	task = model_find_task(m, (int)rec->id.tid);
	return task != 0 && (h->thread != 0 ? task == h->thread : m->tasks[task].process == h->process);
}

static void
keep(struct hits *h, const struct record *rec)
{
	struct hit *hit = &h->items[h->count % HITS_MAX];
	uint64_t args[CALL_ARGS];
	struct bytes raw;

	if (!is_kept(h, rec))
		return;
	raw = split_payload(&h->env->profile->split, h->event, &rec->sample, args);
	if (raw.len == 0)
		return;
	hit->time_ns = rec->id.time_ns;
	hit->tid = rec->id.tid;
	hit->cpu = rec->id.cpu;
	hit->len = MIN(raw.len, (size_t)BYTES_MAX);
	memcpy(hit->raw, raw.data, hit->len);
	h->count++;
}

static void
take_sample(void *hits, const struct record *rec, struct bytes bytes, uint64_t tag)
{
	struct hits *h = hits;

	(void)bytes;
	(void)tag;
	if (h->until_ns != 0)
		keep(h, rec);
}

static void
take_repeat(void *hits, struct bytes bytes, uint64_t tag, uint64_t time_ns)
{
	struct hits *h = hits;
	struct record rec;

	(void)tag;
	(void)time_ns;
	if (h->until_ns != 0 &&
	    record_decode(record_layouts_of(sample_ids_layouts(h->env->ids), bytes), bytes, &rec) == 1)
		keep(h, &rec);
}

/* From now on, those of the event shown and of that process or thread; what is of others goes. */
static void
begin(struct hits *h, const struct query *q)
{
	uint32_t event = h->env->measured->shown;

	if (h->items == NULL)
		h->items = mem_calloc(HITS_MAX, sizeof(*h->items));
	if (h->until_ns == 0 || h->event != event || h->process != q->process ||
	    h->thread != q->thread)
		h->count = 0;
	h->event = event;
	h->process = q->process;
	h->thread = q->thread;
	h->until_ns = clock_mono_ns() + h->env->agenda->delay_ns + PATIENCE_S * NSEC_PER_SEC;
}

/* "10:42:07.123456" */
static void
put_time(const struct hits *h, struct buf *b, uint64_t time_ns)
{
	uint64_t real_ns = wall_real_ns(&h->env->clock->wall, time_ns);

	moment_put_real(b, real_ns, real_ns, false);
	buf_addf(b, ".%06u", (unsigned)(real_ns % NSEC_PER_SEC / 1000));
}

static void
put_fields(const struct hits *h, struct buf *b, const struct hit *hit, const char *const *names,
	   size_t count)
{
	const struct profile *p = h->env->profile;
	struct buf value = { 0 };

	for (size_t i = 0; i < count; i++) {
		const char *function;

		buf_reset(&value);
		split_put(&p->split, h->event, p->events[h->event].name, names[i],
			  (struct bytes){ hit->raw, hit->len }, &value);
		function = split_function(h->env->locations, buf_str(&value));
		buf_addf(b, "%s%s=%s", i > 0 ? " " : "", names[i],
			 function != NULL ? function : buf_str(&value));
	}
	buf_release(&value);
}

static void
put_hit(const struct hits *h, struct buf *b, const struct hit *hit, const char *const *names,
	size_t count)
{
	const struct model *m = h->env->model;
	uint32_t task = model_find_task(m, (int)hit->tid);
	const char *comm = task != 0 ? strs_get(&m->strs, m->tasks[task].comm) : "";

	put_time(h, b, hit->time_ns);
	buf_addf(b, "  %3u  %7u  %-*s  ", hit->cpu, hit->tid, COMM_CELLS, comm);
	put_fields(h, b, hit, names, count);
	buf_add_char(b, '\n');
}

/* An address of characters is one that somebody wants to read. */
static void
put_hint(const struct hits *h, struct buf *b)
{
	const struct event *spec = &h->env->measured->events[h->event].spec;

	for (size_t i = 0; i < ARGUMENTS_MAX && spec->strings == NULL; i++) {
		if (!spec->arguments.items[i].is_text)
			continue;
		buf_addf(b, "what '%s' says is shown with the term 'string': e, then uprobe:%s/string/\n",
			 spec->arguments.items[i].name,
			 spec->symbol != NULL ? spec->symbol : "PATH:FUNCTION");
		return;
	}
}

/* The newest first. */
static void
put_all(const struct hits *h, struct buf *b)
{
	const struct profile *p = h->env->profile;
	const char *names[FIELDS_MAX];
	size_t count = 0;

	if (h->event < p->event_count)
		count = split_fields(&p->split, h->event, p->events[h->event].name, names, FIELDS_MAX);
	if (count == 0) {
		buf_add_str(b, "samples of this event carry no fields: e chooses a tracepoint or a "
			    "uprobe\n");
		return;
	}
	put_hint(h, b);
	buf_addf(b, "%-15s  %3s  %7s  %-*s  FIELDS\n", "TIME", "CPU", "TID", COMM_CELLS, "NAME");
	for (uint64_t n = h->count; n > 0 && h->count - n < HITS_MAX; n--)
		put_hit(h, b, &h->items[(n - 1) % HITS_MAX], names, count);
	if (h->count == 0)
		buf_add_str(b, "none has come since this page was opened\n");
}

void
hits_ask(struct hits *h, const struct query *q)
{
	struct buf b = { 0 };

	if (h->env->session == NULL) {
		buf_add_str(&b, "a recording is read: ptop --input FILE --dump shows each record\n");
	} else {
		begin(h, q);
		put_all(h, &b);
	}
	notes_send(h->env->notes, ENGINE_MSG_HITS, false, buf_str(&b));
	buf_release(&b);
}

/* Nobody looks any more. */
static void
beat(void *hits, uint64_t now_ns)
{
	struct hits *h = hits;

	if (now_ns > h->until_ns)
		h->until_ns = 0;
}

static size_t
held(const void *hits)
{
	const struct hits *h = hits;

	return sizeof(*h) + (h->items != NULL ? HITS_MAX * sizeof(*h->items) : 0);
}

static void *
make(const struct engine_env *env)
{
	struct hits *h = mem_calloc(1, sizeof(*h));

	h->env = env;
	return h;
}

static void
release(void *hits)
{
	free(((struct hits *)hits)->items);
	free(hits);
}

static size_t
bound(const void *hits)
{
	(void)hits;
	return sizeof(struct hits) + HITS_MAX * sizeof(struct hit);
}

static const struct part_memory memory[] = {
	{ "newest records", held, bound, "older ones go" },
};

static const struct intake_sink sink = { .sample = take_sample, .repeat = take_repeat };

const struct engine_part hits_part = {
	.name = "hits",
	.make = make,
	.release = release,
	.sink = &sink,
	.beat = beat,
	.memory = memory,
	.memory_count = ARRAY_SIZE(memory),
};
