/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/replay/replay_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "event/pair.h"
#include "profile/report/report.h"
#include "record/abi.h"
#include "record/call_args.h"
#include "record/look.h"
#include "record/payload.h"
#include "view/snapshot.h"

enum {
	STEP_RECORDS = 8192,  /* between looks at the queue */
	STEP_AHEAD = 2,       /* samples between the steps in which a task is brought near */
};

#define NO_NUMBER (UINT32_MAX - 1) /* not given yet */

/* Registers are numbered by machine. */
static bool
has_arguments(const struct replay *rp, const struct datafile_event *ev)
{
	const char *arch = datafile_info(rp->file)->arch;
	uint64_t args = call_args_mask();
	struct utsname host;

	return strncmp(ev->name, "uprobe:", strlen("uprobe:")) == 0 && args != 0 &&
	       (ev->attr.sample_regs_user & args) == args && arch != NULL && uname(&host) == 0 &&
	       strcmp(arch, host.machine) == 0;
}

/* Looks beside which the kernel sampled are two events of one name in a file. */
static enum event_looks
kind_of_looks(const struct datafile_event *ev, const struct datafile_event *events, size_t count)
{
	if (!record_look_is_attr(&ev->attr))
		return EVENT_LOOKS_NONE;
	for (size_t i = 0; i < count; i++)
		if (!record_look_is_attr(&events[i].attr) && strcmp(events[i].name, ev->name) == 0)
			return EVENT_LOOKS_BESIDE;
	return EVENT_LOOKS_ALONE;
}

static struct replay_event *
event_of(struct replay *rp, uint32_t file_event)
{
	vec_reserve(&rp->events, &rp->event_cap, (size_t)file_event + 1, sizeof(*rp->events));
	while (rp->event_len <= file_event)
		rp->events[rp->event_len++] = (struct replay_event){ .number = NO_NUMBER };
	return &rp->events[file_event];
}

/*
 * Gives an event of the file its number, at its first sample: dummies have none, and a pipe names its
 * events after it has brought them.  The first one that has samples is shown.
 */
static __attribute__((noinline)) uint32_t
give_number(struct replay *rp, uint32_t file_event)
{
	struct event spec = { .unit = EVENT_COUNTS_THINGS };
	const struct datafile_event *ev, *all;
	size_t count;
	uint32_t n;

	all = datafile_events(rp->file, &count);
	ev = &all[file_event];
	spec.name = ev->name;
	spec.looks = kind_of_looks(ev, all, count);
	spec.is_clock = replay_is_clock(&ev->attr);
	spec.pair = event_pair_find(ev->name, strcspn(ev->name, ":/"));
	if (spec.is_clock || spec.looks != EVENT_LOOKS_NONE || spec.pair != NULL)
		spec.unit = EVENT_COUNTS_TIME;
	n = measured_add(rp->env->measured, rp->env->profile, &spec);
	event_of(rp, file_event)->number = n;
	if (n == UINT32_MAX)
		return n;
	rp->env->measured->events[n].spec.looks |= spec.looks;
	if (spec.pair != NULL)
		split_adopt(&rp->env->profile->split, n, spec.pair->begin, NULL);
	if (has_arguments(rp, ev))
		split_adopt(&rp->env->profile->split, n, CALL_ARGS_EVENT, call_args_formats(NULL));
	rp->env->measured->events[n].attr = ev->attr;
	rp->env->measured->events[n].is_freq = ev->attr.freq;
	rp->env->measured->events[n].rate = ev->attr.sample_period;
	if (rp->env->profile->events[n].open_since_ns == 0)
		rp->env->profile->events[n].open_since_ns = MAX(rp->now_ns, 1);
	if (rp->env->measured->shown == UINT32_MAX)
		rp->env->measured->shown = n;
	return n;
}

static inline uint32_t
number_of(struct replay *rp, uint32_t file_event)
{
	if (file_event < rp->event_len && rp->events[file_event].number != NO_NUMBER)
		return rp->events[file_event].number;
	return give_number(rp, file_event);
}

static void
take_event_sample(struct replay *rp, uint32_t file_event, const struct record *rec, uint64_t tag,
		  struct bytes bytes)
{
	uint32_t n = number_of(rp, file_event);

	if (n == UINT32_MAX)
		rp->env->losses->counts[LOSS_UNKNOWN]++;
	else if (!intake_defer(rp->intake, n, file_event, rec, bytes))
		feed_sample(rp->env->feed, n, rec, tag, bytes);
}

static bool
take_value(void *replay, uint64_t id, const struct record *rec, struct bytes bytes)
{
	struct replay *rp = replay;
	uint32_t event = record_layouts_find(datafile_layouts(rp->file), id);

	if (event == UINT32_MAX)
		rp->env->losses->counts[LOSS_UNKNOWN]++;
	else
		take_event_sample(rp, event, rec, 0, bytes);
	return event != UINT32_MAX;
}

static __attribute__((noinline)) bool
has_looks(struct replay *rp, uint32_t file_event)
{
	uint32_t n = number_of(rp, file_event);

	return n != UINT32_MAX && rp->env->measured->events[n].spec.looks != EVENT_LOOKS_NONE;
}

/*
 * Samples that carry counters, or copies of stacks that are looked at, are hardly ever alike.  Those
 * that are looks are, and their place does not say what they wait for.
 */
static inline uint64_t
tag_of(struct replay *rp, const struct record_layout *layout, uint32_t event, struct bytes bytes)
{
	if (layout->sample_type & PERF_SAMPLE_READ)
		return 0;
	if ((layout->sample_type & PERF_SAMPLE_RAW) && has_looks(rp, event))
		return record_sample_tag(layout, bytes);
	/* Its group comes behind its period, and so do fields that tell samples apart. */
	if (rp->env->feed->no_chains && !labels_want_payload(&rp->env->profile->labels) &&
	    (rp->env->model->by_name || !(layout->sample_type & ABI_SAMPLE_CGROUP)))
		return record_sample_place(layout, bytes);
	return layout->sample_type & PERF_SAMPLE_STACK_USER ? 0 : record_sample_tag(layout, bytes);
}

/* Of many tasks few are in a cache: those of the next samples are on their way meanwhile. */
static void
prefetch_tasks(const struct replay *rp, const struct record_layout *layout)
{
	size_t end = layout->sample_time_at; /* what is before it */
	struct bytes bytes;
	int tid;

	if (end == 0 || !(layout->sample_type & PERF_SAMPLE_TID))
		return;
	for (unsigned step = 0; step < MODEL_PREFETCH_STEPS; step++) {
		if (!datafile_ahead(rp->file, (step + 1) * STEP_AHEAD, &bytes))
			return;
		if (bytes.len < end)
			continue;
		memcpy(&tid, bytes.data + end - sizeof(tid), sizeof(tid));
		model_prefetch(rp->env->model, tid, step);
	}
}

/* Nothing has happened that is still to come: a time that cannot be is now. */
static void
bound_times(const struct replay *rp, struct record *rec)
{
	rec->id.time_ns = MIN(rec->id.time_ns, rp->now_ns);
	if (rec->type == PERF_RECORD_FORK || rec->type == PERF_RECORD_EXIT)
		rec->task.time_ns = MIN(rec->task.time_ns, rp->now_ns);
}

/* Seldom beside take_sample(), which has little to save for it. */
static __attribute__((noinline)) void
take_new_sample(struct replay *rp, uint32_t event, uint64_t tag, struct bytes bytes)
{
	const struct record_layout *layout = &datafile_layouts(rp->file)->items[event];
	const uint64_t counters = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	struct record rec;

	rp->has_new = rp->has_samples = true;
	if (model_is_far(rp->env->model))
		prefetch_tasks(rp, layout);
	if (record_decode(layout, bytes, &rec) < 0) {
		rp->env->losses->counts[LOSS_BROKEN]++;
		return;
	}
	bound_times(rp, &rec);
	/* Without a tid perf has all of them in one task of that number. */
	if (!(layout->sample_type & PERF_SAMPLE_TID))
		rec.id.pid = rec.id.tid = UINT32_MAX;
	if ((layout->sample_type & PERF_SAMPLE_READ) && (layout->read_format & counters))
		intake_values(rp->intake, layout, &rec, bytes, take_value, rp);
	else
		take_event_sample(rp, event, &rec, tag, bytes);
}

static inline void
take_sample(struct replay *rp, const struct record_layout *layout, uint32_t event,
	    struct bytes bytes)
{
	uint64_t tag = tag_of(rp, layout, event, bytes);

	if (tag == 0 || !feed_repeat(rp->env->feed, tag, record_sample_period(layout, bytes),
				    rp->now_ns))
		take_new_sample(rp, event, tag, bytes);
}

static bool
is_outside(const struct replay *rp, uint64_t time_ns)
{
	return time_ns < rp->from_ns || time_ns >= rp->to_ns;
}

/* The intake knows the ids of live events alone. */
static void
count_throttle(struct replay *rp, uint32_t file_event)
{
	uint32_t n = number_of(rp, file_event);

	if (n != UINT32_MAX)
		rp->env->measured->events[n].throttled++;
}

/*
 * The kernel tells of samples that never came to a ring.  What perf writes at its end has no time:
 * it is FORMAT_LOST's count, of what LOST records told as it happened.
 */
static void
take_lost_samples(struct replay *rp, uint32_t file_event, const struct record *rec)
{
	const struct record_layout *layout = &datafile_layouts(rp->file)->items[file_event];
	const bool is_count = (layout->read_format & ABI_FORMAT_LOST) && rec->id.time_ns == 0;

	if (rec->misc & ABI_MISC_LOST_SAMPLES_BPF)
		return; /* perf record --filter left them out: none is missing */
	event_of(rp, file_event)->lost += rec->lost.lost;
	if (!is_count)
		rp->env->losses->counts[LOSS_SAMPLES] += rec->lost.lost;
}

static __attribute__((noinline)) void
take_sideband(struct replay *rp, uint32_t event, struct bytes bytes)
{
	struct record rec;
	int res = record_decode(&datafile_layouts(rp->file)->items[event], bytes, &rec);

	rp->has_new = true;
	if (res == 1) {
		bound_times(rp, &rec);
		if (rec.type == PERF_RECORD_THROTTLE)
			count_throttle(rp, event);
		if (rec.type == PERF_RECORD_MMAP2)
			policy_learn_map(rp, &rec.mmap);
		if (rec.type == PERF_RECORD_LOST_SAMPLES)
			take_lost_samples(rp, event, &rec);
		else
			intake_other(rp->intake, &rec, bytes);
	} else {
		rp->env->losses->counts[res < 0 ? LOSS_BROKEN : LOSS_UNKNOWN] += 1;
	}
	policy_look_at_kernel(rp);
}

static inline void
take_record(struct replay *rp, const struct record_layouts *layouts, struct bytes bytes,
	    uint64_t time_ns)
{
	uint32_t event;

	if (time_ns > rp->now_ns) {
		rp->now_ns = rp->env->clock->counted_to_ns = time_ns;
		if (time_ns >= rp->next_due_ns)
			replay_do_due(rp, record_type(bytes) == PERF_RECORD_SAMPLE);
	}
	event = record_layouts_event(layouts, bytes);
	if (event == UINT32_MAX)
		rp->env->losses->counts[LOSS_UNKNOWN]++;
	else if (record_type(bytes) == PERF_RECORD_SAMPLE && rp->to_ns != 0 && is_outside(rp, time_ns))
		return;
	else if (record_type(bytes) == PERF_RECORD_SAMPLE)
		take_sample(rp, &layouts->items[event], event, bytes);
	else
		take_sideband(rp, event, bytes);
}

/* Events without samples, as dummies, are not shown. */
static void
count_losses(struct replay *rp)
{
	for (size_t i = 0; i < rp->event_len; i++) {
		const struct replay_event *ev = &rp->events[i];

		if (ev->number < NO_NUMBER)
			rp->env->measured->events[ev->number].lost_now += ev->lost;
		else
			rp->env->losses->unmeasured += ev->lost;
	}
}

/* What the file held back, or never had. */
static void
tell_losses(struct replay *rp)
{
	const struct datafile_losses *l = datafile_losses(rp->file);

	if (l->text[0] != '\0')
		notes_refuse(rp->env->notes, "%s", l->text);
	if (l->skipped_bytes > 0)
		notes_news(rp->env->notes, "%llu bytes of the file could not be read as records",
			    (unsigned long long)l->skipped_bytes);
	if (!rp->has_samples && !rp->is_finishing)
		notes_refuse(rp->env->notes, rp->to_ns != 0
				? "there is no sample between --from and --to in '%.200s'"
				: "there is no sample in '%.200s': --dump shows what is",
			     rp->config->input);
	rp->env->losses->counts[LOSS_UNKNOWN] += l->unknown_records;
}

/*
 * Whether samples that nothing stands between may come in any order: they are only summed, none is
 * told by what the one before had counted, and what is at an address changes by records alone.
 */
static bool
may_be_loose(const struct replay *rp, const struct record_layouts *layouts)
{
	for (size_t i = 0; i < layouts->len; i++)
		if (layouts->items[i].sample_type & PERF_SAMPLE_READ)
			return false;
	/* The first record, or sample, tells when all began. */
	return rp->env->profile->sums_only && rp->has_begun &&
	       !rp->names->change_by_time(rp->names_self);
}

/* Of a pipe it comes among its records, before those that it is needed for. */
static void
learn_origin(struct replay *rp)
{
	unwinder_set_machine(&rp->env->feed->unwinder, datafile_info(rp->file)->arch);
	policy_learn_origin(rp);
}

static void
finish(struct replay *rp)
{
	if (rp->is_finishing)
		notes_refuse(rp->env->notes, "interrupted: only what was read so far counts");
	learn_origin(rp);
	rp->names->end(rp->names_self);
	rp->policy.is_complete = true;
	agenda_want(rp->env->agenda, AGENDA_SHOW);
	replay_end_interval(rp);
	count_losses(rp);
	tell_losses(rp);
}

/* The next of them; whether reading may go on. */
static bool
take_next(struct replay *rp, const struct record_layouts *layouts, int *res)
{
	struct bytes bytes;
	uint64_t time_ns;

	*res = datafile_next(rp->file, &bytes, &time_ns, &rp->env->agenda->why);
	if (*res <= 0)
		return false;
	if (record_type(bytes) == RECORD_PERF_HEADER_FEATURE)
		learn_origin(rp);
	/* A pipe's first events come among the records. */
	if (record_type(bytes) >= RECORD_USER_TYPE_FIRST || layouts->len == 0)
		return true;
	take_record(rp, layouts, bytes, time_ns);
	/* Samples like others want nothing new. */
	if (!rp->has_new)
		return true;
	rp->has_new = false;
	return rp->env->feed->image_len == 0 && !replay_awaits_names(rp);
}

/* Of a pipe they come among its records. */
static void
tell_nodes(struct replay *rp)
{
	const char *features = datafile_info(rp->file)->features;
	size_t len = features != NULL ? strlen(features) : 0;

	if (len == rp->features_len)
		return;
	rp->features_len = len;
	cpu_nodes_of_text(&rp->env->profile->nodes, features);
}

void
replay_step(struct replay *rp)
{
	const struct record_layouts *layouts = datafile_layouts(rp->file);
	int res = rp->is_finishing || rp->is_read ? 0 : 1;

	learn_origin(rp);
	tell_nodes(rp);
	datafile_set_loose(rp->file, may_be_loose(rp, layouts));
	/* What answers have brought may change what is at an address, sooner than was known. */
	rp->next_due_ns = MIN(rp->next_beat_ns,
			      rp->names->horizon_ns(rp->names_self, UINT64_MAX));
	for (int i = 0; i < STEP_RECORDS && res > 0; i++)
		if (!take_next(rp, layouts, &res))
			break;
	feed_flush(rp->env->feed);
	/* A second of a large machine brings more than a budget. */
	if (profile_is_full(rp->env->profile))
		profile_fold(rp->env->profile, rp->now_ns);
	rp->is_read = res <= 0;
	if (rp->is_read && (rp->is_finishing || !replay_awaits_names(rp)))
		finish(rp);
}

bool
replay_is_done(const struct replay *rp)
{
	return rp->policy.is_complete;
}

bool
replay_awaits_names(const struct replay *rp)
{
	return rp->names->await_files(rp->names_self);
}

void
replay_finish(struct replay *rp)
{
	rp->is_finishing = true;
}

void
replay_interrupt(struct replay *rp)
{
	if (rp != NULL)
		datafile_interrupt(rp->file);
}

struct replay *
replay_open(const struct engine_config *config, struct err *err)
{
	struct replay *rp = mem_calloc(1, sizeof(*rp));

	rp->config = config;
	rp->file = datafile_open(config->input, err);
	if (rp->file == NULL) {
		free(rp);
		return NULL;
	}
	policy_begin(rp);
	return rp;
}

const struct file_policy *
replay_policy(const struct replay *rp)
{
	return &rp->policy;
}

struct payload_formats *
replay_formats(const struct replay *rp)
{
	struct bytes data = datafile_tracing_data(rp->file);

	return data.len > 0 ? payload_formats_new(data) : NULL;
}

const struct record_layouts *
replay_layouts(const struct replay *rp)
{
	return datafile_layouts(rp->file);
}

void
replay_begin(struct replay *rp, const struct engine_env *env, struct intake *in,
	     const struct replay_names *names, void *self)
{
	rp->env = env;
	rp->intake = in;
	rp->names = names;
	rp->names_self = self;
	rp->env->clock->is_recorded = true;
	replay_tell_time_of_day(rp);
	model_set_from_file(rp->env->model);
}

/* What a look waits for its callers may tell, in every view. */
static bool
holds_looks(const struct replay *rp)
{
	size_t count;
	const struct datafile_event *events = datafile_events(rp->file, &count);

	for (size_t i = 0; i < count; i++)
		if (record_look_is_attr(&events[i].attr))
			return true;
	return false;
}

void
replay_observe(struct replay *rp, void (*watch)(void *self, uint64_t now_ns), void *self)
{
	rp->watch = watch;
	rp->watch_self = self;
}

void
replay_choose(struct replay *rp, const struct query *q, const struct filter *filter,
	      bool shows_lines)
{
	const bool is_report = !rp->config->is_watched;

	rp->window_ns = q->window_ns;
	/* Trees are shown on the screen, by formats of stacks and in views of stacks. */
	rp->env->feed->no_chains = rp->config->call_graph == CALL_GRAPH_NONE ||
			      (is_report && !q->stacks && !q->trees && !query_wants_nodes(q) &&
			       !holds_looks(rp));
	rp->env->locations->reads_all_names = is_report;
	rp->env->profile->sums_only = is_report && q->window_ns == WINDOW_ALL && !shows_lines &&
				      !query_wants_code(q) && !q->sums && !q->locks;
	/* It is read once: whichever function is asked for, filters apply to its addresses. */
	rp->env->profile->watch.all = !is_report || query_wants_code(q);
	rp->env->profile->watch.by_cpu = (filter_keys(filter) & KEY_BIT(KEY_CPU)) != 0;
	if (rp->env->profile->sums_only && !report_tells_tasks(q, filter))
		model_set_by_name(rp->env->model);
}

static void
release(void *replay)
{
	struct replay *rp = replay;

	datafile_close(rp->file);
	free(rp->events);
	buf_release(&rp->symfs_path);
	free(rp);
}

static void
put_head(const void *replay, struct snapshot *s)
{
	const struct replay *rp = replay;
	const struct datafile_info *info = datafile_info(rp->file);

	if (info->hostname != NULL)
		s->head.host = arena_strdup(&s->arena, info->hostname);
	s->head.recording = arena_strdup(&s->arena, rp->config->input);
	s->head.progress = rp->policy.is_complete ? 1 : datafile_progress(rp->file);
}

const struct engine_part replay_part = {
	.name = "replay",
	.release = release,
	.put_head = put_head,
};
