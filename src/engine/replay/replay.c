/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in place of sampling: the same model, tables and answers, fed from a file.  Time is
 * the recording's own.
 */
#include "engine/engine_impl.h"
#include "engine/replay/same_machine.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "profile/place/dso_source.h"
#include "symbol/image/image_build.h"
#include "symbol/kernel/kallsyms.h"

enum {
	STEP_RECORDS = 8192,  /* between looks at the queue */
	NAMES_MS = 50,        /* a file waits for names: without, each of its places is kept apart */
	STEP_AHEAD = 2,       /* samples between the steps in which a task is brought near */
	SHOW_MS = 200,        /* between pictures while it loads, and while names settle */
	WINDOW_PARTS = 100,   /* a report's window is made of so many intervals at least, */
	LEAST_MS = 10,        /* unless they were shorter than that */
};

#define NO_NUMBER (UINT32_MAX - 1) /* not given yet */

/* Events that count nanoseconds: their period is time. */
static bool
is_clock(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * Gives an event of the file its number, at its first sample: dummies have none, and a pipe names its
 * events after it has brought them.  The first one that has samples is shown.
 */
static __attribute__((noinline)) uint32_t
give_number(struct engine *e, uint32_t file_event)
{
	struct replay *r = &e->replay;
	struct event spec = { .unit = EVENT_COUNTS_THINGS };
	const struct datafile_event *ev;
	size_t count;
	uint32_t n;

	vec_reserve(&r->events, &r->event_cap, file_event + 1, sizeof(*r->events));
	while (r->event_len <= file_event)
		r->events[r->event_len++] = NO_NUMBER;
	ev = &datafile_events(e->file, &count)[file_event];
	spec.name = ev->name;
	if (is_clock(&ev->attr))
		spec.unit = EVENT_COUNTS_TIME;
	n = r->events[file_event] = engine_add_event(e, &spec);
	if (n == UINT32_MAX)
		return n;
	if (e->profile->events[n].open_since_ns == 0)
		e->profile->events[n].open_since_ns = MAX(r->now_ns, 1);
	if (e->shown == UINT32_MAX)
		e->shown = n;
	return n;
}

static inline uint32_t
number_of(struct engine *e, uint32_t file_event)
{
	const struct replay *r = &e->replay;

	if (file_event < r->event_len && r->events[file_event] != NO_NUMBER)
		return r->events[file_event];
	return give_number(e, file_event);
}

static void
take_event_sample(struct engine *e, uint32_t file_event, const struct record *rec, uint64_t tag,
		  struct bytes bytes)
{
	uint32_t n = number_of(e, file_event);

	if (n == UINT32_MAX)
		e->unknown++;
	else if (!engine_defer_sample(e, n, file_event, rec, bytes))
		feed_sample(&e->feed, n, rec, tag, bytes);
}

static bool
take_value(struct engine *e, uint64_t id, const struct record *rec, struct bytes bytes)
{
	uint32_t event = record_layouts_find(datafile_layouts(e->file), id);

	if (event == UINT32_MAX)
		e->unknown++;
	else
		take_event_sample(e, event, rec, 0, bytes);
	return event != UINT32_MAX;
}

/* Samples that carry counters, or copies of stacks that are looked at, are hardly ever alike. */
static inline uint64_t
tag_of(const struct engine *e, const struct record_layout *layout, struct bytes bytes)
{
	if (layout->sample_type & PERF_SAMPLE_READ)
		return 0;
	if (e->feed.no_chains)
		return record_sample_place(layout, bytes);
	return layout->sample_type & PERF_SAMPLE_STACK_USER ? 0 : record_sample_tag(layout, bytes);
}

/* Of many tasks few are in a cache: those of the next samples are on their way meanwhile. */
static void
expect_tasks(const struct engine *e, const struct record_layout *layout)
{
	size_t end = layout->sample_time_at; /* what is before it */
	struct bytes bytes;
	int tid;

	if (end == 0 || !(layout->sample_type & PERF_SAMPLE_TID))
		return;
	for (unsigned step = 0; step < MODEL_PREFETCH_STEPS; step++) {
		if (!datafile_ahead(e->file, (step + 1) * STEP_AHEAD, &bytes))
			return;
		if (bytes.len < end)
			continue;
		memcpy(&tid, bytes.data + end - sizeof(tid), sizeof(tid));
		model_prefetch(e->model, tid, step);
	}
}

/* Nothing has happened that is still to come: a time that cannot be is now. */
static void
bound_times(const struct engine *e, struct record *rec)
{
	rec->id.time_ns = MIN(rec->id.time_ns, e->replay.now_ns);
	if (rec->type == PERF_RECORD_FORK || rec->type == PERF_RECORD_EXIT)
		rec->task.time_ns = MIN(rec->task.time_ns, e->replay.now_ns);
}

/* Seldom beside take_sample(), which has little to save for it. */
static __attribute__((noinline)) void
take_new_sample(struct engine *e, uint32_t event, uint64_t tag, struct bytes bytes)
{
	const struct record_layout *layout = &datafile_layouts(e->file)->items[event];
	const uint64_t counters = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	struct record rec;

	e->replay.has_new = e->replay.has_samples = true;
	if (model_is_far(e->model))
		expect_tasks(e, layout);
	if (record_decode(layout, bytes, &rec) < 0) {
		e->broken++;
		return;
	}
	bound_times(e, &rec);
	/* Without a tid perf has all of them in one task of that number. */
	if (!(layout->sample_type & PERF_SAMPLE_TID))
		rec.id.pid = rec.id.tid = UINT32_MAX;
	if ((layout->sample_type & PERF_SAMPLE_READ) && (layout->read_format & counters))
		engine_replay_values(e, layout, &rec, bytes, take_value);
	else
		take_event_sample(e, event, &rec, tag, bytes);
}

static inline void
take_sample(struct engine *e, const struct record_layout *layout, uint32_t event,
	    struct bytes bytes)
{
	uint64_t tag = tag_of(e, layout, bytes);

	if (tag == 0 || !feed_repeat(&e->feed, tag, record_sample_period(layout, bytes),
				    e->replay.now_ns))
		take_new_sample(e, event, tag, bytes);
}

/*
 * A second at most.  A report's window ends where the recording does, which is not known before; on
 * the screen any stretch may be asked for: intervals are as short as leaves room for the rest.
 */
static uint64_t
interval_ns(const struct engine *e)
{
	static const struct {
		size_t part; /* of the log's share: while it has no more than that */
		uint64_t ms;
	} lengths[] = { { 16, 10 }, { 4, 100 } };
	const struct profile *p = e->profile;
	uint64_t window_ns = e->query.window_ns;

	if (p->sums_only)
		return NSEC_PER_SEC;
	if (e->config->batch && window_ns != WINDOW_ALL)
		return MIN(MAX(window_ns / WINDOW_PARTS, LEAST_MS * NSEC_PER_MSEC), NSEC_PER_SEC);
	for (size_t i = 0; i < ARRAY_SIZE(lengths) && !e->config->batch; i++)
		if (p->log.bytes < profile_log_share(p) / lengths[i].part)
			return lengths[i].ms * NSEC_PER_MSEC;
	return NSEC_PER_SEC;
}

/*
 * A window may begin in time without records, which has so many intervals then, however long it is:
 * of those that end at @last_ns.
 */
static void
end_empty_intervals(struct engine *e, uint64_t last_ns, uint64_t length_ns)
{
	const uint64_t window_ns = e->query.window_ns, since_ns = last_ns - e->replay.first_ns;
	uint64_t step_ns = MAX(window_ns / WINDOW_PARTS / length_ns, 1) * length_ns;
	uint64_t ns = last_ns - MIN(window_ns, since_ns) / length_ns * length_ns;

	for (ns = MAX(ns, e->replay.next_beat_ns); ns < last_ns; ns += MIN(step_ns, last_ns - ns))
		profile_close_interval(e->profile, ns);
}

/*
 * Where whole ones have passed, counted from the beginning: no record is between that and now.
 * Time without records is one interval, but for what a report's window may begin in.
 */
static void
end_intervals(struct engine *e)
{
	struct replay *r = &e->replay;
	uint64_t length_ns = interval_ns(e);
	uint64_t last_ns = r->now_ns - (r->now_ns - r->first_ns) % length_ns;

	profile_close_interval(e->profile, r->next_beat_ns);
	if (e->config->batch && !e->profile->sums_only && e->query.window_ns != WINDOW_ALL)
		end_empty_intervals(e, last_ns, length_ns);
	profile_close_interval(e->profile, last_ns);
	if (r->is_done)
		profile_close_interval(e->profile, r->now_ns);
	r->next_beat_ns = r->next_due_ns = last_ns + length_ns;
}

/* Each interval of the recording, and at its end; each second of it what can wait so long. */
static void
beat(struct engine *e)
{
	struct replay *r = &e->replay;

	engine_expire_deferred(e, r->is_done ? UINT64_MAX
				  : r->now_ns - MIN(DEFERRED_PATIENCE_NS, r->now_ns));
	feed_flush(&e->feed);
	end_intervals(e);
	if (r->now_ns < r->next_sweep_ns && !r->is_done)
		return;
	profile_fold(e->profile, r->now_ns);
	model_sweep(e->model, r->now_ns > NSEC_PER_SEC ? r->now_ns - NSEC_PER_SEC : 0);
	r->next_sweep_ns = r->now_ns + NSEC_PER_SEC;
}

static __attribute__((noinline)) void
do_due(struct engine *e)
{
	struct replay *r = &e->replay;

	if (r->first_ns == 0)
		r->first_ns = e->profile->labels.start_ns = r->now_ns;
	if (r->now_ns >= r->next_beat_ns)
		beat(e);
	engine_jit_replay(e, r->now_ns);
}

/* A list of the very boot that was recorded has its modules, too. */
static bool
is_list_of_that_boot(const struct engine *e)
{
	return e->config->kallsyms != NULL && e->replay.kernel_text != 0 &&
	       kallsyms_text(e->config->kallsyms) == e->replay.kernel_text;
}

/* Once, when the kernel's first map has come: before all samples. */
static void
look_at_kernel(struct engine *e)
{
	struct replay *r = &e->replay;

	if (e->model->kernel == NULL || r->kernel_looked_at)
		return;
	r->kernel_looked_at = true;
	r->kernel_text = same_machine_kernel_text(e->model->kernel);
	r->is_this_kernel = r->is_this_host && same_machine_has_kernel(e->file, r->kernel_text);
	if (r->is_this_kernel || is_list_of_that_boot(e))
		model_set_kernel_is_here(e->model);
}

static __attribute__((noinline)) void
take_sideband(struct engine *e, uint32_t event, struct bytes bytes)
{
	struct record rec;
	int res = record_decode(&datafile_layouts(e->file)->items[event], bytes, &rec);

	e->replay.has_new = true;
	if (res == 1) {
		bound_times(e, &rec);
		engine_take_sideband(e, &rec);
	} else {
		*(res < 0 ? &e->broken : &e->unknown) += 1;
	}
	look_at_kernel(e);
}

static inline void
take_record(struct engine *e, const struct record_layouts *layouts, struct bytes bytes,
	    uint64_t time_ns)
{
	uint32_t event;

	if (time_ns > e->replay.now_ns) {
		e->replay.now_ns = e->drained_to_ns = time_ns;
		if (time_ns >= e->replay.next_due_ns)
			do_due(e);
	}
	event = record_layouts_event(layouts, bytes);
	if (event == UINT32_MAX)
		e->unknown++;
	else if (record_type(bytes) == PERF_RECORD_SAMPLE)
		take_sample(e, &layouts->items[event], event, bytes);
	else
		take_sideband(e, event, bytes);
}

/* What the file held back, or never had. */
static void
tell_losses(struct engine *e)
{
	const struct datafile_losses *l = datafile_losses(e->file);

	if (l->text[0] != '\0')
		engine_send_status(e, true, "%s", l->text);
	if (l->skipped_bytes > 0)
		engine_note(e, "%llu bytes of the file could not be read as records",
			    (unsigned long long)l->skipped_bytes);
	if (!e->replay.has_samples && !e->replay.is_told_to_end)
		engine_send_status(e, true, "there is no sample in '%.200s': --dump shows what is",
				   e->config->input);
	e->unknown += l->unknown_records;
}

/* Whether files are asked for that make a difference to how samples are counted. */
static bool
awaits_files(const struct engine *e)
{
	return e->asked_images > 0 || !engine_has_rules(e);
}

/*
 * Whether samples that nothing stands between may come in any order: they are only summed, none is
 * told by what the one before had counted, and what is at an address changes by records alone.
 */
static bool
may_be_loose(const struct engine *e, const struct record_layouts *layouts)
{
	for (size_t i = 0; i < layouts->len; i++)
		if (layouts->items[i].sample_type & PERF_SAMPLE_READ)
			return false;
	/* The first record tells when all began. */
	return e->profile->sums_only && e->replay.first_ns != 0 && !engine_jit_has_times(e);
}

/* Reads on, for a bounded number of records. */
static void
step(struct engine *e)
{
	const struct record_layouts *layouts = datafile_layouts(e->file);
	struct bytes bytes;
	uint64_t time_ns;
	int res = e->replay.is_told_to_end || e->replay.is_read ? 0 : 1;

	unwinder_set_machine(&e->feed.unwinder, datafile_info(e->file)->arch);
	datafile_set_loose(e->file, may_be_loose(e, layouts));
	for (int i = 0; i < STEP_RECORDS && res > 0; i++) {
		res = datafile_next(e->file, &bytes, &time_ns, &e->end_err);
		if (res <= 0)
			break;
		/* A pipe's first events come among the records. */
		if (record_type(bytes) >= RECORD_USER_TYPE_FIRST || layouts->len == 0)
			continue;
		take_record(e, layouts, bytes, time_ns);
		/* Samples like others want nothing new. */
		if (!e->replay.has_new)
			continue;
		e->replay.has_new = false;
		if (e->feed.image_len > 0 || awaits_files(e))
			break;
	}
	feed_flush(&e->feed);
	/* A second of a large machine brings more than a budget. */
	if (profile_is_full(e->profile))
		profile_fold(e->profile, e->replay.now_ns);
	e->replay.is_read = res <= 0;
	if (res > 0 || (!engine_has_rules(e) && !e->replay.is_told_to_end))
		return;
	if (e->replay.is_told_to_end)
		engine_send_status(e, true, "interrupted: what was read so far is all that counts");
	engine_jit_replayed(e);
	e->replay.is_done = e->changed = true;
	e->replay.now_ns++; /* the last interval has a length, whatever it holds */
	beat(e);
	tell_losses(e);
}

/* A report: when all is read and named, once. */
static void
finish_report(struct engine *e)
{
	do
		engine_settle(e);
	while ((e->asked_lines > 0 || engine_ask_inlines(e, &e->query)) && !e->is_told_to_stop);
	feed_end_waiting(&e->feed);
	engine_fetch_all(e);
	engine_settle(e);
	e->replay.now_ns++; /* what has waited is in an interval, too */
	beat(e);
	engine_settle_lines(e);
	while (e->asked_lines > 0 && !e->is_told_to_stop)
		engine_settle(e);
	e->seq++;
	engine_send_snapshot(e);
	e->stopping = true;
}

void *
engine_replay_main(void *arg)
{
	struct engine *e = arg;
	struct query first = e->query;
	uint64_t next_show_ns = 0;

	e->fresh_since_ns = e->cpu_since_ns = clock_mono_ns();
	engine_set_query(e, &first);
	while (!e->stopping) {
		struct pollfd in = { .fd = queue_fd(e->in), .events = POLLIN };
		bool is_done = e->replay.is_done, waits = awaits_files(e);
		uint64_t now;

		if (poll(&in, 1, is_done ? SHOW_MS : waits ? NAMES_MS : 0) > 0)
			engine_take_messages(e);
		if (!is_done && !awaits_files(e))
			step(e);
		engine_learn_answers(e);
		now = clock_mono_ns();
		if (e->replay.is_done)
			engine_fetch_beat(e);
		if (e->replay.is_done && e->config->batch) {
			finish_report(e);
		} else if (!e->config->batch && now >= next_show_ns &&
			   (e->changed || !e->replay.is_done || now >= e->next_refresh_ns)) {
			engine_measure_self(e, now);
			e->seq++;
			engine_send_snapshot(e);
			e->changed = false;
			e->next_refresh_ns = now + e->delay_ns; /* for ptop's own cost alone */
			next_show_ns = now + SHOW_MS * NSEC_PER_MSEC;
		}
	}
	engine_send_ended(e);
	return NULL;
}

void
engine_replay_identity(struct engine *e, struct symbol_ask *a)
{
	same_machine_file(e->file, e->config->symfs, e->replay.is_this_host, a,
			  &e->replay.symfs_path);
}

/* An image of the symbols that the recording has of @path; NULL: it has none. */
static struct image *
recorded_image(const struct engine *e, const char *path)
{
	const struct datafile_symbol *symbols;
	size_t count = datafile_symbols(e->file, path, &symbols);
	struct image_build *b = count > 0 ? image_build_new(NULL) : NULL;
	int fd;

	if (b == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++)
		image_build_add(b, &(struct image_symbol){
					   .addr = symbols[i].at, .size = symbols[i].len,
					   .name = symbols[i].name,
					   .name_len = strlen(symbols[i].name),
					   .binding = IMAGE_GLOBAL });
	fd = image_build_finish(b, NULL);
	image_build_free(b);
	return fd >= 0 ? image_open(fd, NULL) : NULL;
}

bool
engine_replay_symbols(struct engine *e, uint32_t dso)
{
	const struct dso *d = dsos_get(&e->model->dsos, dso);
	struct image *image;

	if (d->kind != DSO_KERNEL && d->kind != DSO_FILE)
		return false;
	image = recorded_image(e, d->kind == DSO_KERNEL ? "[kernel.kallsyms]"
							: strs_get(&e->model->strs, d->path));
	if (image == NULL)
		return false;
	dso_source_learn_names(&e->locations, dso, "the recording");
	if (locations_learn_image(&e->locations, dso, image, "", "") > 0)
		e->profile->fold_due = true;
	return true;
}

/* When the recording was last written; of a pipe it is now. */
static uint64_t
written_ns(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return clock_real_ns();
	return (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
}

int
engine_replay_open(struct engine *e, struct err *err)
{
	e->shown = e->shown_before = UINT32_MAX;
	e->file = datafile_open(e->config->input, err);
	if (e->file == NULL)
		return -1;
	engine_init_tables(e);
	model_set_from_file(e->model);
	e->feed.layouts = datafile_layouts(e->file);
	/* Trees are shown on the screen, by formats of stacks and in views of stacks. */
	e->feed.no_chains = e->config->no_call_chains ||
			    (e->config->batch && !e->query.stacks && !e->query.trees &&
			     !query_wants_nodes(&e->query));
	engine_want_inlines(e);
	e->locations.reads_all_names = e->config->batch;
	e->profile->sums_only = e->config->batch && e->query.window_ns == WINDOW_ALL &&
				!engine_shows_lines(e);
	if (e->profile->sums_only && !report_tells_tasks(&e->query, e->filter))
		model_set_by_name(e->model);
	e->replay.is_this_host = same_machine_is_here(datafile_info(e->file));
	e->replay.until_real_ns = written_ns(e->config->input);
	return 0;
}

void
engine_replay_head(const struct engine *e, struct snapshot *s)
{
	const struct datafile_info *info = datafile_info(e->file);

	if (info->hostname != NULL)
		s->head.host = arena_strdup(&s->arena, info->hostname);
	s->head.recording = arena_strdup(&s->arena, e->config->input);
	s->head.progress = e->replay.is_done ? 1 : datafile_progress(e->file);
}

void
engine_replay_release(struct engine *e)
{
	datafile_close(e->file);
	free(e->replay.events);
	buf_release(&e->replay.symfs_path);
}
