/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/waits/waits_impl.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/leaf/sample_ids.h"
#include "live/session/session.h"
#include "model/model.h"
#include "profile/count/feed.h"
#include "record/look.h"
#include "record/merge.h"

enum {
	LIST_MS = 50,       /* so often is looked at whose threads are wanted, */
	LIST_TASKS = 20,    /* or each ms for so many tasks, which are all gone through, */
	LIST_MOST_MS = 500, /* but no more seldom */
	PATIENCE_MS = 500,  /* so long a picture waits for looks, */
	REPORT_PATIENCE_MS = 5000, /* and a report, on a busy machine or of many threads, */
	SLACK_MS = 15,      /* and for their records to be older than what rings still may bring */
	CPUS_PER_PERCENT = 8,
};

#define LOOK_IDS (UINT64_C(1) << 62) /* no kernel counts so far */

static int
peek(void *waits, struct bytes *out)
{
	struct waits *w = waits;

	return w->looker != NULL ? looker_peek(w->looker, out) : 0;
}

static void
advance(void *waits)
{
	looker_advance(((struct waits *)waits)->looker);
}

static uint64_t *
tag_of(void *waits, struct bytes look)
{
	struct waits *w = waits;

	return w->looker != NULL ? looker_tag(w->looker, look) : NULL;
}

void
waits_begin(struct waits *w, struct intake *in)
{
	w->intake = in;
}

static bool
wants_looks(const struct engine_event *ev)
{
	return (ev->spec.looks == EVENT_LOOKS_ALONE || ev->spec.looks == EVENT_LOOKS_BESIDE) &&
	       ev->live != NULL && !ev->is_paused;
}

/* Of several that are open the one that is shown has the looks.  UINT32_MAX: none is open. */
static uint32_t
open_event(const struct waits *w)
{
	const struct measured *m = w->measured;

	if (m->shown < m->event_count && wants_looks(&m->events[m->shown]))
		return m->shown;
	for (uint32_t n = 0; n < m->event_count; n++)
		if (wants_looks(&m->events[n]))
			return n;
	return UINT32_MAX;
}

static struct look_share
first_share(const struct waits *w)
{
	double budget = w->config->budget;

	if (budget < 0)
		budget = 2 * MAX((double)sysconf(_SC_NPROCESSORS_ONLN) / CPUS_PER_PERCENT, 1);
	return look_share_make(budget);
}

static void
begin(struct waits *w, uint32_t event)
{
	const struct sample_id id = { .id = LOOK_IDS + ++w->ids_given, .event = event };
	const struct engine_event *ev = &w->measured->events[event];
	struct looker_config config = {
		.proc = "/proc", .id = id.id, .has_stacks = w->config->call_graph != CALL_GRAPH_NONE,
		.has_queue = ev->spec.looks == EVENT_LOOKS_BESIDE,
	};
	struct event_attr attr = ev->attr;
	uint32_t layout;

	record_look_attr(&attr);
	w->share = first_share(w);
	config.percent = w->share.percent;

	w->event = event;
	layout = sample_ids_layout(w->ids, &attr);
	sample_ids_add(w->ids, &id, layout);
	intake_set_stream(w->intake, &(struct merge_stream){ w, peek, advance }, layout, tag_of);
	w->looker = looker_new(&config);
	looker_prefer(w->looker, w->preferred);
	w->has_no_schedstat = access("/proc/self/schedstat", R_OK) < 0;
	w->listed_ns = 0;
	w->is_over = false;
	w->begun_ns = clock_mono_ns();
}

/* What its threads have waited since they were told is of an event that is closed. */
static void
end(struct waits *w)
{
	looker_free(w->looker);
	w->looker = NULL;
	w->cost->turn_ns = 0;
	w->asked_ns = 0;
	w->top_len = 0;
}

/* COMMAND waits for ptop before its exec. */
static bool
is_wanted(const struct waits *w, const struct task *t)
{
	if (!t->is_used || t->died_ns != 0 || t->pid <= 0 || t->tid <= 0 || !t->is_target)
		return false;
	return t->execs > 0 || w->config->command == NULL ||
	       t->pid != session_command_pid(w->session);
}

/* All processes that are targets, and threads that are it alone. */
static size_t
list_targets(const struct waits *w, struct wait_target **list, size_t *cap)
{
	size_t len = 0;

	for (uint32_t id = 1; id < w->model->task_len; id++) {
		const struct task *t = model_task_at(w->model, id);
		bool is_all = task_is_process_target(model_task_at(w->model, t->process));

		if (!is_wanted(w, t) || (is_all && t->process != id))
			continue;
		VEC_ADD(*list, len, *cap) =
			(struct wait_target){ .pid = t->pid, .tid = is_all ? 0 : t->tid };
	}
	return len;
}

static void
set_all(struct waits *w, bool is_first)
{
	if (is_first || !w->is_all)
		looker_set(w->looker, NULL, 0);
	w->is_all = true;
}

static void
set_targets(struct waits *w, bool is_first)
{
	struct wait_target *list = NULL;
	size_t cap = 0, len = list_targets(w, &list, &cap);
	bool is_same = !is_first && !w->is_all && len == w->target_len &&
		       (len == 0 || memcmp(list, w->targets, len * sizeof(*list)) == 0);

	w->is_all = false;
	vec_reserve(&list, &cap, 1, sizeof(*list)); /* NULL would be all */
	if (!is_same)
		looker_set(w->looker, list, len);
	free(w->targets);
	w->targets = list;
	w->target_len = len;
}

static uint64_t
list_ns(const struct waits *w)
{
	uint64_t ms = MAX((uint64_t)LIST_MS, w->model->task_len / LIST_TASKS);

	return MIN(ms, (uint64_t)LIST_MOST_MS) * NSEC_PER_MSEC;
}

static void
follow_targets(struct waits *w, uint64_t now_ns)
{
	bool is_first = w->listed_ns == 0;

	if (w->is_over ||
	    (!is_first && (now_ns - w->listed_ns < list_ns(w) ||
			   (w->model->changes == w->model_changes &&
			    w->measured->has_targets != w->is_all))))
		return;
	w->listed_ns = now_ns;
	w->model_changes = w->model->changes;
	if (w->measured->has_targets)
		set_targets(w, is_first);
	else
		set_all(w, is_first);
}

/* Of a look that was just counted: how much of its stack the chain took. */
static void
learn_top(void *waits, const struct record *rec, struct bytes bytes, uint64_t tag)
{
	const struct unwinder *u = &((struct waits *)waits)->feed->unwinder;
	struct waits *w = waits;
	uint64_t sp;

	(void)bytes;
	(void)tag;
	if (w->looker == NULL || rec->id.id != LOOK_IDS + w->ids_given || !w->feed->is_unwound ||
	    u->result.end == UNWIND_WAITS || !record_look_sp(&rec->sample, &sp) ||
	    rec->sample.stack_dyn_size == 0) /* not read: that says nothing of how long it is */
		return;
	VEC_ADD(w->tops, w->top_len, w->top_cap) = (struct wait_top){
		.tid = (int)rec->id.tid,
		.is_cut = u->result.end == UNWIND_STACK_CUT,
		.top = u->result.end == UNWIND_WHOLE ? sp + u->result.stack_used : 0,
		.lock = w->feed->trusted_lock,
	};
}

static void
tell_tops(struct waits *w)
{
	if (w->top_len == 0)
		return;
	looker_set_tops(w->looker, w->tops, w->top_len);
	w->top_len = 0;
}

/* All that intake has taken so far has been counted. */
static void
follow(void *waits, uint64_t waits_since)
{
	struct waits *w = waits;
	uint32_t event = open_event(w);

	(void)waits_since;
	if (w->looker != NULL && event != w->event)
		end(w);
	if (w->looker == NULL && event != UINT32_MAX && w->measured->stopped_ns == 0)
		begin(w, event);
	if (w->looker == NULL)
		return;
	follow_targets(w, clock_mono_ns());
	tell_tops(w);
}

void
waits_prefer(struct waits *w, uint32_t process)
{
	int pid = process != 0 ? model_task_at(w->model, process)->pid : 0;

	if (pid == w->preferred)
		return;
	w->preferred = pid;
	if (w->looker != NULL)
		looker_prefer(w->looker, pid);
}

void
waits_ask_all(struct waits *w)
{
	if (w->looker == NULL)
		return;
	looker_flush(w->looker, w->measured->stopped_ns != 0);
	w->asked_ns = clock_mono_ns();
	w->all_told_ns = 0;
}

/* After the last report nothing is looked at. */
static void
end_report(struct waits *w)
{
	w->asked_ns = 0;
	w->is_over = w->measured->stopped_ns != 0;
	if (w->is_over)
		looker_set(w->looker, &(struct wait_target){ 0 }, 0);
}

static uint64_t
patience_ms(const struct waits *w)
{
	return w->config->is_watched ? PATIENCE_MS : REPORT_PATIENCE_MS;
}

bool
waits_have_all(struct waits *w)
{
	uint64_t now = clock_mono_ns();

	if (w->looker == NULL || w->asked_ns == 0)
		return true;
	if (w->all_told_ns == 0 && looker_is_flushed(w->looker))
		w->all_told_ns = now;
	if ((w->all_told_ns == 0 || now - w->all_told_ns < SLACK_MS * NSEC_PER_MSEC) &&
	    now - w->asked_ns < patience_ms(w) * NSEC_PER_MSEC)
		return false;
	end_report(w);
	return true;
}

/* On a screen once: it does not change. */
static void
say_what_lacks(struct waits *w)
{
	struct looker_figures f;

	if (w->looker == NULL || w->has_said_kernel || !w->config->is_watched)
		return;
	looker_figures(w->looker, &f);
	w->has_said_kernel = f.lacks_kernel;
	if (f.lacks_kernel)
		notes_news(w->notes, "%s", waits_lacks_kernel);
}

/* Samples beside looks have their part of the budget: what they leave of it is no measure. */
static void
share_budget(struct waits *w, uint64_t now_ns)
{
	struct looker_figures f;

	if (w->looker == NULL || w->share.budget <= 0 ||
	    w->measured->events[w->event].spec.looks == EVENT_LOOKS_BESIDE)
		return;
	looker_figures(w->looker, &f);
	w->cost->turn_ns = f.interval_ns > WAITS_SELDOM_MS * NSEC_PER_MSEC ? f.interval_ns : 0;
	if (look_share_pass(&w->share, now_ns, own_cost_ns(w->cost), f.cpu_ns,
			    f.is_first_turn))
		looker_set_percent(w->looker, w->share.percent);
}

static void
beat(void *waits, uint64_t now_ns)
{
	struct waits *w = waits;
	int pid = w->looker != NULL ? looker_check(w->looker) : 0;

	share_budget(w, now_ns);
	if (pid != 0)
		notes_news(w->notes, "process %d is not looked at any more: reading its stack "
				     "takes too long", pid);
	say_what_lacks(w);
}

static void *
make(const struct engine_env *env)
{
	struct waits *w = mem_calloc(1, sizeof(*w));

	w->config = env->config;
	w->policy = env->policy;
	w->notes = env->notes;
	w->measured = env->measured;
	w->ids = env->ids;
	w->model = env->model;
	w->feed = env->feed;
	w->profile = env->profile;
	w->session = env->session;
	w->cost = env->cost;
	return w;
}

static void
release(void *waits)
{
	struct waits *w = waits;

	looker_free(w->looker);
	free(w->targets);
	free(w->tops);
	free(w);
}

static const struct intake_sink sink = { .sample = learn_top, .drained = follow };

const struct engine_part waits_part = {
	.name = "waits",
	.make = make,
	.release = release,
	.sink = &sink,
	.beat = beat,
	.put_head = waits_put_head,
	.put_notices = waits_put_notices,
	.put_page = waits_put_page,
};
