/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any times and lengths in a recording that is well formed else, read as a report and the screen
 * read it: intervals, windows in the past, and what waits for a time.  The input is how it is read
 * and what is asked for, then an item for each record.
 */
#include "fuzz.h"

#include "tests/core_fixture.h"
#include "datafile/datafile.h"
#include "engine/leaf/losses.h"
#include "engine/leaf/sample_ids.h"
#include "engine/replay/replay.h"
#include "profile/count/feed.h"
#include "profile/report/report.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	HEADER_BYTES = 104, ITEMS_MAX = 4096, CHAIN_MAX = 16, MEMORY_BYTES = 4 << 20,
	EVENT_ID = 7, FIRST_OWN_TYPE = 64,
};

struct how {
	uint8_t is_watched, no_chains, types, wants; /* bits, or whether */
	uint32_t delay_ms;
	uint64_t window_ns, end_ns;
};

struct item {
	uint8_t kind, task;
	uint16_t size;     /* what the record says of its own length, 0: the truth */
	uint32_t inner;    /* of what is in it: frames, bytes, lost samples */
	uint64_t time_ns;
};

/* Beside those of live sampling. */
static const uint64_t more_types[] = {
	PERF_SAMPLE_RAW, PERF_SAMPLE_READ, PERF_SAMPLE_BRANCH_STACK,
	PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, PERF_SAMPLE_AUX, PERF_SAMPLE_ADDR,
};

/* ---- the file */

/* What is behind the fields that all samples have: a count, and what it counts. */
static void
put_counted(struct maker *m, uint64_t type, const struct item *item)
{
	const unsigned there = item->inner % CHAIN_MAX;

	if (type & PERF_SAMPLE_READ)
		make_u64(m, item->inner);
	make_u64(m, item->inner >> 16 != 0 ? item->inner : there);
	for (unsigned i = 0; i < there; i++)
		make_u64(m, i == 0 ? (uint64_t)PERF_CONTEXT_USER : 0x1000 + i * item->time_ns);
	for (size_t i = 0; i < ARRAY_SIZE(more_types); i++)
		if (i != 1 && (type & more_types[i]))
			make_u64(m, item->inner);
	make_u64(m, item->time_ns);
}

static struct bytes
sample(struct maker *m, const struct record_layout *layout, const struct record_id *id,
       const struct item *item)
{
	make_begin(m, layout, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	make_u64(m, id->id);
	make_u64(m, 0x1000 + item->inner);
	make_u32(m, id->pid);
	make_u32(m, id->tid);
	make_u64(m, id->time_ns);
	if (layout->sample_type & PERF_SAMPLE_ADDR)
		make_u64(m, item->time_ns);
	make_u32(m, id->cpu);
	make_u32(m, 0);
	make_u64(m, item->inner);
	put_counted(m, layout->sample_type, item);
	return make_done(m);
}

static struct bytes
map(struct maker *m, const struct record_layout *layout, const struct record_id *id,
    const struct item *item)
{
	make_begin(m, layout, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	make_u32(m, id->pid);
	make_u32(m, id->tid);
	make_u64(m, item->time_ns & UINT64_C(0xffff));
	make_u64(m, item->inner);
	make_u64(m, item->time_ns);
	make_text(m, item->inner & 1 ? "/fuzz/none" : "[vdso]");
	return make_end(m, id);
}

/* PERF_RECORD_FORK and _EXIT have a time of their own. */
static struct bytes
task(struct maker *m, const struct record_layout *layout, const struct record_id *id,
     const struct item *item, uint32_t type)
{
	make_begin(m, layout, type, 0);
	make_u32(m, id->pid);
	make_u32(m, item->inner);
	make_u32(m, id->tid);
	make_u32(m, item->inner);
	make_u64(m, item->time_ns);
	return make_end(m, id);
}

static struct bytes
words(struct maker *m, const struct record_layout *layout, const struct record_id *id,
      const struct item *item, uint32_t type)
{
	make_begin(m, layout, type, 0);
	if (type == PERF_RECORD_COMM) {
		make_u32(m, id->pid);
		make_u32(m, id->tid);
		make_text(m, "name");
		return make_end(m, id);
	}
	make_u64(m, item->inner);
	make_u64(m, item->time_ns);
	if (type == PERF_RECORD_THROTTLE || type == PERF_RECORD_UNTHROTTLE)
		make_u64(m, EVENT_ID);
	return type < FIRST_OWN_TYPE ? make_end(m, id) : make_done(m);
}

static struct bytes
record(struct maker *m, const struct record_layout *layout, const struct item *item)
{
	static const uint32_t types[] = {
		PERF_RECORD_SAMPLE, PERF_RECORD_SAMPLE, PERF_RECORD_MMAP, PERF_RECORD_FORK,
		PERF_RECORD_EXIT, PERF_RECORD_COMM, PERF_RECORD_LOST, PERF_RECORD_THROTTLE,
		PERF_RECORD_UNTHROTTLE, ABI_RECORD_CALLCHAIN_DEFERRED, FIRST_OWN_TYPE + 4,
		FIRST_OWN_TYPE + 15,
	};
	const uint32_t type = types[item->kind % ARRAY_SIZE(types)];
	const struct record_id id = { .pid = item->task % 8u, .tid = item->task, .cpu = item->task % 4u,
				      .id = EVENT_ID, .time_ns = item->time_ns };
	struct bytes bytes;

	if (type == PERF_RECORD_SAMPLE)
		bytes = sample(m, layout, &id, item);
	else if (type == PERF_RECORD_MMAP)
		bytes = map(m, layout, &id, item);
	else if (type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT)
		bytes = task(m, layout, &id, item, type);
	else
		bytes = words(m, layout, &id, item, type);
	if (item->size != 0)
		memcpy(m->data + 6, &item->size, sizeof(item->size));
	return bytes;
}

static void
put_file(struct buf *b, const struct how *how, const uint8_t *data, size_t size)
{
	struct event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
				   .sample_type = LIVE_TYPE, .sample_id_all = 1, .sample_period = 1 };
	uint64_t head[HEADER_BYTES / 8] = { 0 }, *end;
	struct record_layout layout;
	const uint64_t ids[2] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(more_types); i++)
		attr.sample_type |= how->types & 1u << i ? more_types[i] : 0;
	layout = record_layout_of(&attr, false);
	memcpy(head, "PERFILE2", 8);
	head[1] = HEADER_BYTES;
	head[2] = head[4] = sizeof(attr) + sizeof(ids);
	head[3] = HEADER_BYTES;
	head[5] = HEADER_BYTES + head[4];
	buf_add(b, head, sizeof(head));
	buf_add(b, &attr, sizeof(attr));
	buf_add(b, ids, sizeof(ids));
	for (size_t i = 0; i < ITEMS_MAX && size >= sizeof(struct item); i++) {
		struct bytes bytes;
		struct item item;
		struct maker m;

		memcpy(&item, data, sizeof(item));
		bytes = record(&m, &layout, &item);
		buf_add(b, bytes.data, bytes.len);
		data += sizeof(item);
		size -= sizeof(item);
	}
	end = (uint64_t *)(void *)b->data;
	end[6] = b->len - head[5];
}

/* ---- what reads it: the engine's rooms without its threads, and without names */

static bool
no(const void *self)
{
	(void)self;
	return false;
}

static void
nothing(void *self)
{
	(void)self;
}

static void
go_on(void *self, uint64_t now_ns)
{
	(void)self;
	(void)now_ns;
}

static uint64_t
limit(const void *self, uint64_t limit_ns)
{
	(void)self;
	return limit_ns;
}

static const struct replay_names no_names = { no, no, go_on, limit, nothing };

struct reading {
	struct engine_config config;
	struct agenda agenda;
	struct own_cost cost;
	struct stream_clock clock;
	struct measured measured;
	struct ends ends;
	struct losses losses;
	struct locations locations;
	struct feed feed;
	struct record_layout layout;
	struct queue *out;
	struct engine_env env;
	struct replay *replay;
	struct intake *intake;
};

static void
reading_begin(struct reading *r, const struct how *how)
{
	struct engine_env *env = &r->env;

	*env = (struct engine_env){
		.config = &r->config, .answers = r->out, .agenda = &r->agenda,
		.notes = notes_new(r->out), .clock = &r->clock, .cost = &r->cost,
		.measured = &r->measured, .ends = &r->ends, .losses = &r->losses, .layout = &r->layout,
		.locations = &r->locations, .feed = &r->feed, .policy = replay_policy(r->replay),
		.ids = sample_ids_new(&r->layout), .model = model_new(),
	};
	r->layout = (struct record_layout)RECORD_LAYOUT(LIVE_TYPE, true);
	r->measured.shown = UINT32_MAX;
	locations_init(&r->locations, env->model);
	env->profile = profile_new(env->model, &r->locations, MEMORY_BYTES);
	env->profile->labels.bucket_ns = MAX(how->delay_ms, 1) * NSEC_PER_MSEC;
	feed_init(&r->feed, env->model, &r->locations, env->profile, replay_layouts(r->replay));
	r->intake = intake_part.make(env);
	replay_begin(r->replay, env, r->intake, &no_names, NULL);
}

static void
reading_end(struct reading *r)
{
	struct msg *m;

	replay_part.release(r->replay);
	intake_part.release(r->intake);
	while ((m = queue_take(r->out)) != NULL)
		msg_free(m);
	measured_release(&r->measured);
	ends_release(&r->ends);
	losses_release(&r->losses);
	own_cost_release(&r->cost);
	feed_release(&r->feed);
	profile_free(r->env.profile);
	locations_release(&r->locations);
	model_free(r->env.model);
	sample_ids_free(r->env.ids);
	notes_free(r->env.notes);
	queue_free(r->out);
}

static void
report(struct reading *r, const struct query *query)
{
	struct report_source src = {
		.profile = r->env.profile, .shown_event = r->measured.shown, .is_recording = true,
		.mono_ns = r->clock.counted_to_ns,
	};
	struct snapshot *s = snapshot_new();

	report_fill(s, &src, query);
	snapshot_put(s);
}

static void
read_all(struct reading *r, const struct how *how)
{
	struct query query = { .view = VIEW_FUNCTIONS, .by_view = true,
			       .window_ns = how->window_ns, .end_ns = how->end_ns };

	query.stacks = how->wants & 1;
	query.trends = how->wants & 2;
	if (how->wants & 4)
		query.window_ns = WINDOW_ALL;
	replay_choose(r->replay, &query, NULL, false);
	if (how->wants & 8)
		profile_set_window(r->env.profile, query.window_ns);
	while (!replay_is_done(r->replay))
		replay_step(r->replay);
	profile_set_window(r->env.profile, query.window_ns);
	report(r, &query);
	profile_set_end(r->env.profile, query.end_ns);
	report(r, &query);
}

int
FUZZ_TARGET(replay)(const uint8_t *data, size_t size)
{
	struct buf b = { 0 };
	struct reading *r;
	struct how how;
	char path[64];
	int fd;

	if (size < sizeof(how))
		return 0;
	memcpy(&how, data, sizeof(how));
	put_file(&b, &how, data + sizeof(how), size - sizeof(how));
	fd = memfd_create("recording", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = mem_calloc(1, sizeof(*r));
	r->config = (struct engine_config){ .input = path, .is_watched = how.is_watched & 1,
					    .call_graph = how.no_chains & 1 ? CALL_GRAPH_NONE
									    : CALL_GRAPH_AUTO,
					    .memory_bytes = MEMORY_BYTES };
	if (write(fd, b.data, b.len) == (ssize_t)b.len)
		r->replay = replay_open(&r->config, NULL);
	if (r->replay != NULL) {
		r->out = queue_new();
		reading_begin(r, &how);
		read_all(r, &how);
		reading_end(r);
	}
	free(r);
	buf_release(&b);
	close(fd);
	return 0;
}
