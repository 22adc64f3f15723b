/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/viewer_impl.h"

#include <stdlib.h>

#include "engine/leaf/engine_msg.h"
#include "profile/count/feed.h"
#include "view/filter.h"

/* The task that is looked at keeps its id, whatever becomes of it. */
static void
hold_task(struct viewer *v, uint32_t task, uint32_t *held)
{
	if (task == *held)
		return;
	if (task != 0)
		model_hold_task(v->env->model, task);
	if (*held != 0)
		model_release_task(v->env->model, *held);
	*held = task;
}

static void
choose_filter(struct viewer *v, const struct query *q)
{
	struct err err = { 0 };

	filter_free(v->filter);
	v->filter = *q->filter != '\0' ? filter_parse(q->filter, &err) : NULL;
	if (err.code != ERR_NONE)
		notes_refuse(v->env->notes, "%s", err.text);
}

/* What is looked at is kept; a thread that is has a tree of its own from now on. */
static void
keep_tasks(struct viewer *v, const struct query *q)
{
	struct profile *p = v->env->profile;

	p->keep_process = q->process;
	if (q->thread == p->keep_thread)
		return;
	p->keep_thread = q->thread;
	feed_learn_trees(v->env->feed);
}

void
viewer_query(struct viewer *v, const struct query *q)
{
	struct profile *p = v->env->profile;
	const bool thaws = v->query.frozen && !q->frozen;

	if (q->frozen && !v->query.frozen) {
		processes_freeze(v);
		head_freeze(v);
	}
	choose_filter(v, q);
	hold_task(v, q->process, &v->held_process);
	hold_task(v, q->thread, &v->held_thread);
	v->query = *q;
	report_want_labels(p, q, v->filter);
	profile_show(p, q->window_ns, q->frozen,
		     q->end_ns != 0 ? v->env->clock->begin_ns + q->end_ns : 0);
	keep_tasks(v, q);
	/* A view of callers that was left knows it still, for when it is shown again. */
	if (q->function != 0)
		p->keep_location = q->function;
	if (q->process != 0)
		ends_watch(v->env->ends, v->env->model, q->process);
	if (q->thread != 0)
		ends_watch(v->env->ends, v->env->model, q->thread);
	if (!query_wants_code(q))
		profile_watch_none(p, v->env->clock->counted_to_ns);
	counter_view_query(v, q);
	agenda_want(v->env->agenda, AGENDA_ANSWER);
	/* The threads' CPU times of a process just entered are not read yet, what is held is old. */
	if (thaws || (q->process != 0 && q->view == VIEW_THREADS))
		agenda_want(v->env->agenda, AGENDA_TICK);
}

const struct query *
viewer_shows(const struct viewer *v)
{
	return &v->query;
}

/* Of the formats of reports text alone has a column for them. */
bool
viewer_shows_lines(const struct query *q, enum export_format format)
{
	return q->by_view && q->view == VIEW_FUNCTIONS && (q->trends || format == FORMAT_TEXT);
}

void
viewer_set_delay(struct viewer *v, uint64_t delay_ns)
{
	struct profile *p = v->env->profile;

	/* A recording is not refreshed as it was recorded. */
	p->step_ns = v->env->policy->has_processes ? MIN(delay_ns, NSEC_PER_SEC) : NSEC_PER_SEC;
	p->refresh_ns = delay_ns;
}

struct snapshot *
viewer_make(struct viewer *v)
{
	return viewer_snapshot(v, &v->query, v->filter);
}

static void
free_snapshot(struct msg *m)
{
	snapshot_put(((struct engine_snapshot_msg *)m)->snapshot);
	free(m);
}

void
viewer_send(struct viewer *v, struct snapshot *s)
{
	struct engine_snapshot_msg *m = msg_new(sizeof(*m), ENGINE_MSG_SNAPSHOT, free_snapshot);

	m->snapshot = s;
	queue_send(v->front_end, &m->msg);
}

void
viewer_count_refresh(struct viewer *v)
{
	v->seq++;
}

void
viewer_end_refresh(struct viewer *v)
{
	v->reported_ns = clock_mono_ns();
}

uint64_t
viewer_refreshes(const struct viewer *v)
{
	return v->seq;
}

static void
free_catalogue(struct msg *m)
{
	catalogue_put(((struct engine_catalogue_msg *)m)->catalogue);
	free(m);
}

static void
send_catalogue(struct viewer *v)
{
	struct engine_catalogue_msg *m = msg_new(sizeof(*m), ENGINE_MSG_CATALOGUE, free_catalogue);

	m->catalogue = catalogue_get(v->catalogue);
	queue_send(v->front_end, &m->msg);
}

void
viewer_ask_catalogue(struct viewer *v, const struct session_config *config)
{
	if (v->prober == NULL)
		v->prober = prober_new(config, v->env->answers);
	else if (v->catalogue != NULL)
		send_catalogue(v);
}

static enum part_reply
take_catalogue(void *viewer, struct msg *m)
{
	struct prober_msg *p = (struct prober_msg *)m;
	struct viewer *v = viewer;

	catalogue_put(v->catalogue);
	v->catalogue = p->catalogue;
	p->catalogue = NULL;
	send_catalogue(v);
	return PART_DONE;
}

struct viewer *
viewer_new(const struct engine_env *env, struct queue *front_end, const struct engine_parts *parts)
{
	struct viewer *v = mem_calloc(1, sizeof(*v));

	v->env = env;
	v->front_end = front_end;
	v->parts = parts;
	v->changes = changes_new();
	v->started_ns = v->reported_ns = clock_mono_ns();
	v->machine = machine_log_new();
	v->kept = kept_sums_new();
	env->profile->hot_moved = kept_sums_renumber;
	env->profile->hot_moved_self = v->kept;
	return v;
}

static void
release(void *viewer)
{
	struct viewer *v = viewer;

	snapshot_put(v->then);
	changes_free(v->changes);
	head_release(v);
	buf_release(&v->sent_change.text);
	prober_free(v->prober);
	machine_log_free(v->machine);
	v->env->profile->hot_moved = NULL;
	kept_sums_free(v->kept);
	free(v->caller_marks.nodes);
	free(v->caller_marks.places);
	timeline_free(v->timeline);
	name_watch_release(&v->names);
	nameless_notice_release(&v->nameless);
	counter_view_release(v);
	catalogue_put(v->catalogue);
	if (v->tick != NULL)
		msg_free(&v->tick->msg);
	free(v->processes);
	free(v->threads);
	filter_free(v->filter);
	free(v);
}

static size_t
log_held(const void *viewer)
{
	return log_bytes(&((const struct viewer *)viewer)->env->profile->log);
}

static size_t
machine_held(const void *viewer)
{
	const struct viewer *v = viewer;

	return machine_log_bytes(v->machine) + timeline_bytes(v->timeline);
}

static size_t
machine_bound(const void *viewer)
{
	const struct viewer *v = viewer;

	return machine_log_bound(v->machine) + timeline_bytes(v->timeline);
}

static size_t
kept_held(const void *viewer)
{
	const struct viewer *v = viewer;

	return kept_sums_bytes(v->kept) + v->caller_marks.node_cap * sizeof(*v->caller_marks.nodes) +
	       v->caller_marks.place_cap * sizeof(*v->caller_marks.places);
}

static size_t
log_bound(const void *viewer)
{
	return profile_log_share(((const struct viewer *)viewer)->env->profile);
}

static size_t
table_bytes(const void *viewer, enum table_id table)
{
	return tables_bytes(&((const struct viewer *)viewer)->env->profile->tables, table);
}

static size_t
tree_held(const void *viewer)
{
	return table_bytes(viewer, TABLE_TREE);
}

static size_t
address_held(const void *viewer)
{
	return table_bytes(viewer, TABLE_ADDRESS);
}

static size_t
hot_held(const void *viewer)
{
	return table_bytes(viewer, TABLE_HOT);
}

static size_t
share_bytes(const void *viewer, size_t share)
{
	return ((const struct viewer *)viewer)->env->profile->budget_bytes / PROFILE_SHARES * share;
}

static size_t
tree_bound(const void *viewer)
{
	return share_bytes(viewer, PROFILE_TREE_SHARE);
}

static size_t
address_bound(const void *viewer)
{
	return profile_address_share(((const struct viewer *)viewer)->env->profile);
}

static size_t
changes_held(const void *viewer)
{
	return changes_bytes(((const struct viewer *)viewer)->changes);
}

static size_t
tasks_held(const void *viewer)
{
	const struct model *m = ((const struct viewer *)viewer)->env->model;

	return m->task_cap * sizeof(*m->tasks);
}

static size_t
recount_held(const void *viewer)
{
	return recount_bytes(&((const struct viewer *)viewer)->env->profile->recount);
}

static size_t
recount_bound(const void *viewer)
{
	(void)viewer;
	return RECOUNT_MAX * sizeof(struct recount_sample);
}

/* In the order in which they give way; the last have nothing to give. */
static const struct part_memory memory[] = {
	{ "log of intervals", log_held, log_bound,
	  "older ones are merged sooner, the oldest forgotten: windows reach back less far (--memory)" },
	{ "states of the machine", machine_held, machine_bound, "a day of them: the oldest go" },
	{ "call trees", tree_held, tree_bound,
	  "ended tasks are merged by name, then threads by process, then the lightest stacks "
	  "into their callers (--memory)" },
	{ "addresses", address_held, address_bound,
	  "the rarest of each file are merged into one (--memory)" },
	{ "samples told apart", recount_held, recount_bound,
	  "of a function that is looked at through a filter the oldest are not told apart" },
	{ "functions by task", hot_held, NULL,
	  "no bound; ended tasks are merged by name, then rare names into one" },
	{ "sums of rows", kept_held, NULL,
	  "of three places, 16,384 rows each; where there are more a refresh finds them anew; "
	  "and of a feed four bytes for each stack" },
	{ "what changed", changes_held, NULL,
	  "each second of the 512 heaviest rows, the mean of others; beyond 8192 those with nothing are "
	  "forgotten; 16,384 functions of hosts, then new ones are not looked at" },
	{ "tasks", tasks_held, NULL, "no bound; each is forgotten when none of its samples is kept" },
};

static const struct part_message messages[] = {
	{ PROC_MSG_TICK, processes_on_tick },
	{ EXPORTER_MSG_ENDED, export_on_end },
	{ COUNTING_MSG_READING, counter_view_on_reading },
	{ COUNTING_MSG_STOPPED, counter_view_on_limit },
	{ SESSION_MSG_STOPPED, counter_view_on_stopped },
	{ PROBER_MSG_CATALOGUE, take_catalogue },
	{ ENGINE_MSG_SNAPSHOT, then_on_snapshot },
	{ ENGINE_MSG_STATUS, then_on_status },
	{ ENGINE_MSG_ENDED, then_on_end },
};

const struct engine_part viewer_part = {
	.name = "viewer",
	.release = release,
	.beat = viewer_watch,
	.messages = messages,
	.message_count = ARRAY_SIZE(messages),
	.memory = memory,
	.memory_count = ARRAY_SIZE(memory),
};
