/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/waits/waits.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/leaf/sample_ids.h"
#include "engine/waits/look_share.h"
#include "live/session/session.h"
#include "live/wait/looker.h"
#include "model/model.h"
#include "profile/count/feed.h"
#include "record/look.h"
#include "record/merge.h"
#include "view/snapshot.h"

enum {
	LIST_MS = 50,       /* so often is looked at whose threads are wanted */
	PATIENCE_MS = 500,  /* so long a picture waits for looks, */
	REPORT_PATIENCE_MS = 5000, /* and a report, on a busy machine or of many threads, */
	SLACK_MS = 15,      /* and for their records to be older than what rings still may bring */
	SELDOM_MS = 200,    /* looks that are so far apart are told about, */
	LISTED_MS = 1000,   /* and if there is no list of threads by then, */
	LAG_MS = 2000,
	UNTOLD_PART = 20,   /* and if more than that part of their time is missing */
	CPUS_PER_PERCENT = 8,
};

#define LOOK_IDS (UINT64_C(1) << 62) /* no kernel counts so far */

struct waits {
	const struct engine_config *config;
	const struct file_policy *policy;
	struct notes *notes;
	struct measured *measured;
	struct sample_ids *ids;
	const struct model *model;
	const struct feed *feed;
	const struct profile *profile;
	struct own_cost *cost;
	struct session *session;
	struct intake *intake;

	struct looker *looker; /* NULL: no event wants looks */
	struct look_share share; /* what it may cost */
	uint32_t event;        /* that does */
	uint64_t ids_given;
	struct wait_target *targets; /* as told to the looker */
	size_t target_len, target_cap;
	bool is_all;
	int preferred;          /* pid, 0: none */
	uint32_t model_changes; /* as of when, and */
	uint64_t listed_ns;
	struct wait_top *tops;  /* that samples told, and the looker is to know */
	size_t top_len, top_cap;
	uint64_t begun_ns;
	uint64_t asked_ns;      /* of a report: when, 0: it has all */
	uint64_t all_told_ns;   /* when all was told, 0: not yet */
	bool is_over;           /* nothing is looked at any more */
	bool has_said_kernel;   /* that its functions are left out */
	bool has_no_schedstat;  /* the kernel is built without */
};

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

/* All processes that are targets, and threads whose process is none. */
static size_t
list_targets(const struct waits *w, struct wait_target **list, size_t *cap)
{
	size_t len = 0;

	for (uint32_t id = 1; id < w->model->task_len; id++) {
		const struct task *t = model_task_at(w->model, id);
		bool is_process = t->process == id;

		if (!is_wanted(w, t) ||
		    (!is_process && model_task_at(w->model, t->process)->is_target))
			continue;
		VEC_ADD(*list, len, *cap) =
			(struct wait_target){ .pid = t->pid, .tid = is_process ? 0 : t->tid };
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

static void
follow_targets(struct waits *w, uint64_t now_ns)
{
	bool is_first = w->listed_ns == 0;

	if (w->is_over ||
	    (!is_first && (now_ns - w->listed_ns < LIST_MS * NSEC_PER_MSEC ||
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
	    u->result.end == UNWIND_WAITS || !record_look_sp(&rec->sample, &sp))
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

static const char lacks_kernel[] = "waits are shown without functions of the kernel: these take "
				   "CAP_SYS_ADMIN; run ptop as root: sudo ptop ...";

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
		notes_news(w->notes, "%s", lacks_kernel);
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
	w->cost->turn_ns = f.interval_ns > SELDOM_MS * NSEC_PER_MSEC ? f.interval_ns : 0;
	if (look_share_pass(&w->share, now_ns, own_cost_ns(w->cost), f.cpu_ns))
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

struct part_of {
	const char *state;
	uint64_t period;
};

static int
compare_parts(const void *a, const void *b)
{
	const struct part_of *x = a, *y = b;

	return (x->period < y->period) - (x->period > y->period);
}

/* What the window has of each state, the longest first; their sum.  @parts has room for all. */
static uint64_t
sum_states(const struct profile *p, uint32_t event, struct part_of *parts, size_t *count)
{
	const struct tables *t = &p->tables;
	uint64_t all = 0, samples, period;
	size_t i;

	*count = 0;
	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		uint32_t kind = t->hot[id].location - LOCATION_WAITING;
		const char *state = kind < WAIT_KINDS ? wait_kind_defs[kind].state : "run";

		if (t->hot[id].event != event)
			continue;
		profile_window(p, &t->cells[TABLE_HOT].items[id], &samples, &period);
		for (i = 0; i < *count && strcmp(parts[i].state, state) != 0;)
			i++;
		if (i == *count)
			parts[(*count)++] = (struct part_of){ .state = state };
		parts[i].period += period;
		all += period;
	}
	qsort(parts, *count, sizeof(*parts), compare_parts);
	return all;
}

static void
put_head(const void *waits, struct snapshot *s)
{
	const struct waits *w = waits;
	const struct engine_event *ev = measured_shown(w->measured);
	struct part_of parts[WAIT_KINDS + 1];
	struct buf b = { 0 };
	uint64_t all;
	size_t count;

	if (ev == NULL || ev->spec.looks == EVENT_LOOKS_NONE)
		return;
	all = sum_states(w->profile, w->measured->shown, parts, &count);
	for (size_t i = 0; i < count && parts[i].period > 0; i++)
		buf_addf(&b, "%s%s %.0f%%", i > 0 ? "  " : "", parts[i].state,
			 (double)parts[i].period * 100 / (double)MAX(all, 1));
	s->head.states = arena_strdup(&s->arena, buf_str(&b));
	buf_release(&b);
}

/* "deadlock: thread 12 worker waits for 13 other, which waits for 12 worker". */
static const char *
deadlock_text(const struct waits *w, struct arena *arena, const struct looker_figures *f)
{
	struct buf b = { 0 };
	const char *text;

	buf_add_str(&b, "deadlock: thread ");
	for (size_t i = 0; i <= f->deadlock_len; i++) {
		int tid = f->deadlock[i % f->deadlock_len];
		uint32_t task = model_find_task(w->model, tid);

		buf_addf(&b, "%s%d", i == 0 ? "" : i == 1 ? " waits for " : ", which waits for ", tid);
		if (task != 0 && model_task_at(w->model, task)->comm != 0)
			buf_addf(&b, " %s", strs_get(&w->model->strs,
						     model_task_at(w->model, task)->comm));
	}
	text = arena_strdup(arena, buf_str(&b));
	buf_release(&b);
	return text;
}

/* What of the window is missing, up to the moment that a report is of. */
static void
put_untold(const struct waits *w, struct part_notices *n, const struct looker_figures *f)
{
	uint64_t stopped_ns = w->measured->stopped_ns, from_ns, to_ns;
	uint64_t now = stopped_ns != 0 ? stopped_ns : clock_mono_ns();
	uint64_t all = now - MIN(f->begun_ns, now), untold = looker_untold_ns(f, now);

	if (profile_stretch(w->profile, w->event, &from_ns, &to_ns))
		all = MIN(all, to_ns - from_ns);
	all *= f->threads;
	/* A screen has no look of its own: a wait that goes on is told now and then. */
	if (w->config->is_watched)
		untold -= MIN(untold, f->threads * (LAG_MS * NSEC_PER_MSEC + f->hold_ns));

	if (f->threads == 0 && !f->is_listed && now > w->begun_ns + LISTED_MS * NSEC_PER_MSEC)
		part_notice(n, "no thread has been looked at yet: ptop does not get to it");
	if (all == 0 || untold < all / UNTOLD_PART)
		return;
	part_notice(n, arena_printf(n->arena, "%.0f %% of the time of %llu threads is not counted: "
		"they could not be looked at in time", (double)MIN(untold, all) * 100 / (double)all,
		(unsigned long long)f->threads));
}

/* Without a budget looks are near; of thousands of threads what they saw is told seldom even so. */
static void
put_turn(const struct waits *w, struct part_notices *n, const struct looker_figures *f)
{
	if (f->interval_ns <= SELDOM_MS * NSEC_PER_MSEC)
		return;
	if (w->share.budget > 0)
		part_notice(n, arena_printf(n->arena, "%llu threads are looked at only each %.1f s: "
			"more would cost more than --budget",
			(unsigned long long)f->threads, (double)f->interval_ns / 1e9));
	else
		part_notice(n, arena_printf(n->arena, "what %llu threads wait is told only each %.1f s: "
			"they are so many",
			(unsigned long long)f->threads, (double)f->interval_ns / 1e9));
}

static void
put_notices(const void *waits, struct part_notices *n)
{
	const struct waits *w = waits;
	struct looker_figures f;

	if (w->looker == NULL)
		return;
	looker_figures(w->looker, &f);
	if (w->has_no_schedstat)
		part_notice(n, "this kernel does not tell how long threads wait: it is built without "
			       "CONFIG_SCHED_INFO");
	if (f.deadlock_len > 0)
		part_notice(n, deadlock_text(w, n->arena, &f));
	if (f.denied > 0)
		part_notice(n, arena_printf(n->arena, "where %llu thread%s wait%s is not known: ptrace(2) "
			"is denied (kernel.yama.ptrace_scope, or another user namespace)",
			(unsigned long long)f.denied, f.denied == 1 ? "" : "s",
			f.denied == 1 ? "s" : ""));
	put_turn(w, n, &f);
	put_untold(w, n, &f);
	if (f.lacks_files)
		part_notice(n, "some threads are not looked at, for want of descriptors: raise the limit "
			       "of open files: ulimit -n");
	if (f.lacks_kernel && !w->config->is_watched)
		part_notice(n, lacks_kernel);
	if (f.is_full)
		part_notice(n, arena_printf(n->arena, "threads beyond %d are not looked at",
					    WAIT_THREADS_MAX));
}

static void
put_page(const void *waits, struct buf *b)
{
	const struct waits *w = waits;
	struct looker_figures f;

	if (w->looker == NULL)
		return;
	looker_figures(w->looker, &f);
	buf_addf(b, "off-cpu: %llu threads, looked at each %.3g ms or so; %llu looks, at %llu of them "
		    "the thread had not run since the last, nor its process at %llu, %llu thrown "
		    "away: it ran meanwhile\n",
		 (unsigned long long)f.threads, (double)f.interval_ns / 1e6,
		 (unsigned long long)f.looks, (unsigned long long)f.same,
		 (unsigned long long)f.stayed, (unsigned long long)f.thrown);
	if (f.presumed > 0)
		buf_addf(b, "off-cpu: at %llu looks, far from each other, what the thread had waited "
			    "was presumed by its times before; it is set right some looks later\n",
			 (unsigned long long)f.presumed);
	if (w->cost->turn_ns != 0)
		buf_add_str(b, "ptop does less beside looks that are so far apart: /proc is read less "
			       "often, threads get their names more slowly, and what is shown is new "
			       "up to 4 s later\n");
	if (f.lacks_kernel)
		buf_addf(b, "off-cpu: no functions of the kernel: /proc/PID/stack takes CAP_SYS_ADMIN\n");
}

static const struct intake_sink sink = { .sample = learn_top, .drained = follow };

const struct engine_part waits_part = {
	.name = "waits",
	.make = make,
	.release = release,
	.sink = &sink,
	.beat = beat,
	.put_head = put_head,
	.put_notices = put_notices,
	.put_page = put_page,
};
