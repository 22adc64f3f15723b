/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/engine_impl.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

enum {
	UNLISTED_MS = 3000, /* longer than a list of processes is under way */
	HELPER_DEPTH = 3,   /* the parser of symbols, its host, and that one's keeper */
};

void
engine_send_text(struct engine *e, enum engine_msg_type type, bool is_error, const char *text)
{
	size_t len = strlen(text);
	struct engine_text_msg *m = mem_calloc(1, sizeof(*m) + len + 1);

	m->msg.type = type;
	m->is_error = is_error;
	memcpy(m->text, text, len + 1);
	queue_send(e->out, &m->msg);
}

void
engine_send_status(struct engine *e, bool is_error, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	engine_send_text(e, ENGINE_MSG_STATUS, is_error, text);
}

void
engine_note(struct engine *e, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	journal_add(&e->journal, time(NULL), text);
	engine_send_text(e, ENGINE_MSG_STATUS, false, text);
}

void
engine_send_catalogue(struct engine *e)
{
	struct engine_catalogue_msg *m = mem_calloc(1, sizeof(*m));

	m->msg.type = ENGINE_MSG_CATALOGUE;
	m->catalogue = catalogue_get(e->catalogue);
	queue_send(e->out, &m->msg);
}

static int
compare_pid(const void *key, const void *item)
{
	int pid = *(const int *)key, other = ((const struct proc_info *)item)->pid;

	return pid < other ? -1 : pid > other;
}

/* Whether ptop, or one that ptop did, forked it to work for itself: those have such names. */
static bool
is_helper(const struct proc_info *p, const struct proc_info *infos, size_t count)
{
	static const char begin[] = "ptop-";

	for (unsigned depth = 0; p != NULL && depth < HELPER_DEPTH; depth++) {
		if (strncmp(p->comm, begin, sizeof(begin) - 1) != 0)
			return false;
		if (p->ppid == getpid())
			return true;
		p = bsearch(&p->ppid, infos, count, sizeof(*infos), compare_pid);
	}
	return false;
}

static struct task_facts *
facts_of(struct engine *e, const struct proc_info *infos, size_t count)
{
	struct task_facts *facts = mem_calloc(count + 1, sizeof(*facts));

	for (size_t i = 0; i < count; i++) {
		const struct proc_info *p = &infos[i];
		/* Whether a task is a target must be known before its first sample. */
		uint32_t id = e->feed.targets_only ? model_task(e->model, p->pid, p->tid)
						   : model_find_task(e->model, p->tid);

		facts[i] = (struct task_facts){ p->pid, p->tid, p->uid, p->threads, p->cpu, p->comm,
						p->command, p->is_kernel_thread,
						p->pid == p->tid && is_helper(p, infos, count) };
		if (id == 0)
			continue;
		e->model->tasks[id].uid = p->uid;
		engine_judge_target(e, id, p);
		model_learn_comm(e->model, id, p->comm);
	}
	return facts;
}

/*
 * Processes that were found in /proc, not born in records, may end without a record as well: where
 * the side-band does not cover them.  One that is not listed any more is over.
 */
static void
end_unlisted(struct engine *e, const struct proc_tick_msg *m)
{
	uint64_t now = clock_mono_ns();

	for (uint32_t i = 1; i < e->model->task_len && m->complete; i++) {
		const struct task *t = &e->model->tasks[i];

		if (!t->is_used || t->pid <= 0 || t->pid != t->tid ||
		    (t->born_ns != 0 && !t->was_detached) || t->died_ns != 0 ||
		    now - t->seen_ns < UNLISTED_MS * NSEC_PER_MSEC)
			continue;
		if (bsearch(&t->pid, m->processes, m->process_count, sizeof(*m->processes),
			    compare_pid) == NULL)
			model_end_task(e->model, i, now);
	}
}

void
engine_take_tick(struct engine *e, struct proc_tick_msg *m)
{
	proc_tick_msg_free(e->tick);
	free(e->processes);
	free(e->threads);
	e->tick = m;
	e->processes = facts_of(e, m->processes, m->process_count);
	e->threads = facts_of(e, m->threads, m->thread_count);
	end_unlisted(e, m);
	engine_forget_ended_targets(e);
	if (m->have_shares) {
		memmove(e->busy_history, e->busy_history + 1,
			(BUSY_HISTORY_LEN - 1) * sizeof(e->busy_history[0]));
		e->busy_history[BUSY_HISTORY_LEN - 1] = (100 - m->all.idle - m->all.iowait) / 100;
	} else {
		/* The first reading: a second one soon after makes shares of it. */
		e->next_tick_ns = MIN(e->next_tick_ns, clock_mono_ns() + 250 * NSEC_PER_MSEC);
	}
	e->changed = true;
}

void
engine_learn_owners(struct engine *e)
{
	for (size_t i = 0; e->tick != NULL && i < e->tick->process_count; i++) {
		uint32_t id = model_find_task(e->model, e->processes[i].pid);
		struct task *t = &e->model->tasks[id];

		if (id != 0 && t->uid == UID_UNKNOWN && t->died_ns == 0)
			t->uid = e->processes[i].uid;
	}
}

void
engine_measure_memory(struct engine *e)
{
	struct buf b = { 0 };
	unsigned long pages = 0;

	if (file_read_kept(&e->statm, AT_FDCWD, "/proc/self/statm", &b, 4096) == 0 &&
	    sscanf(buf_str(&b), "%*u %lu", &pages) != 1)
		pages = 0;
	buf_release(&b);
	e->self_bytes = (uint64_t)pages * page_size();
}

uint64_t
engine_own_cpu_ns(const struct engine *e)
{
	return clock_process_cpu_ns() + symbol_service_cpu_ns(e->symbols) +
	       fetch_cpu_ns(e->downloads.fetch);
}

void
engine_measure_self(struct engine *e, uint64_t now_ns)
{
	/* A parser that has just ended may be missing until its host has told. */
	uint64_t cpu_ns = MAX(engine_own_cpu_ns(e), e->cpu_before_ns);

	if (now_ns > e->cpu_since_ns)
		e->self_cpu = (double)(cpu_ns - e->cpu_before_ns) * 100 /
			      (double)(now_ns - e->cpu_since_ns);
	e->cpu_before_ns = cpu_ns;
	e->cpu_since_ns = now_ns;
	engine_measure_memory(e);
}

static void
head_machine(const struct engine *e, struct snapshot *s)
{
	const struct proc_tick_msg *t = e->tick;
	struct snapshot_head *h = &s->head;
	struct snapshot_cpu *cpus;

	h->host = "";
	memcpy(h->busy_history, e->busy_history, sizeof(h->busy_history));
	if (e->file != NULL)
		engine_replay_head(e, s);
	engine_record_head(e, s);
	if (t == NULL)
		return;
	h->host = arena_strdup(&s->arena, t->host);
	h->uptime_s = t->uptime_s;
	memcpy(h->load, t->load, sizeof(h->load));
	h->tasks = t->tasks;
	h->running = t->running;
	h->user = t->all.user / 100;
	h->system = t->all.system / 100;
	h->softirq = t->all.softirq / 100;
	h->idle = t->all.idle / 100;
	h->iowait = t->all.iowait / 100;
	h->steal = t->all.steal / 100;
	h->have_shares = t->have_shares;
	cpus = arena_alloc(&s->arena, (t->cpu_count + 1) * sizeof(*cpus));
	for (size_t i = 0; i < t->cpu_count; i++) {
		cpus[i].cpu = t->cpus[i].cpu;
		cpus[i].busy = (100 - t->cpus[i].idle - t->cpus[i].iowait) / 100;
	}
	h->cpus = cpus;
	h->cpu_count = t->cpu_count;
}

static unsigned
sampled_cpus(struct engine *e)
{
	size_t count, n = 0;
	const struct session_ring *rings = session_rings(e->session, &count);

	for (size_t i = 0; i < count; i++)
		n += !rings[i].is_sideband && !rings[i].is_closing;
	return (unsigned)n;
}

/* Samples per second of the event shown, over its last second: intervals can be short. */
static double
recent_rate(const struct engine *e)
{
	const struct interval_log *log = &e->profile->log;
	uint64_t samples = 0, ns = 0;

	for (uint64_t i = log->first + log->len; i > log->first && ns < NSEC_PER_SEC * 9 / 10; i--) {
		const struct interval *iv = log_at(log, i - 1);

		if (iv->event != e->shown)
			continue;
		samples += iv->samples;
		ns += iv->end_ns - iv->start_ns;
	}
	return ns > 0 ? (double)samples * 1e9 / (double)ns : 0;
}

/* What the window of event @n really holds. */
static double
window_have_s(const struct engine *e, uint32_t n)
{
	const struct profile_event *pe = &e->profile->events[n];

	if (e->profile->window_ns != WINDOW_ALL)
		return (double)pe->win_ns / 1e9;
	/* Of a recording, in which it need not be from the start. */
	if (e->file != NULL)
		return (double)(e->replay.now_ns - e->replay.first_ns) / 1e9;
	return (double)pe->all_ns / 1e9;
}

static void
head_event(struct engine *e, struct snapshot *s, uint64_t mono_ns)
{
	const struct engine_event *ev = &e->events[e->shown];
	const struct profile_event *pe = &e->profile->events[e->shown];
	struct snapshot_head *h = &s->head;
	uint64_t from_ns, to_ns;

	h->event = arena_strdup(&s->arena, ev->spec.name);
	if (event_takes_filter(&ev->spec))
		h->event_filter = arena_strdup(&s->arena, ev->spec.filter != NULL ? ev->spec.filter : "");
	h->is_freq = ev->is_freq;
	h->rate = engine_rate_now(ev);
	h->rate_asked = ev->is_freq ? MAX(ev->asked_hz, h->rate) : h->rate;
	h->switching = ev->opening;
	h->switching_to = ev->opening ? h->event : "";
	h->window_have_s = window_have_s(e, e->shown);
	if (profile_stretch(e->profile, e->shown, &from_ns, &to_ns)) {
		h->have_from_s = (double)(from_ns - MIN(from_ns, engine_begin_ns(e))) / 1e9;
		h->have_to_s = (double)(to_ns - MIN(to_ns, engine_begin_ns(e))) / 1e9;
	}
	if (e->file == NULL && (ev->live == NULL || e->stands_still) && pe->last_end_ns != 0)
		h->as_of_ns = clock_real_ns() - (mono_ns - pe->last_end_ns);
	h->samples_per_s = recent_rate(e);
}

/* What is left out, one line each; the same sentence only once. */
static void
head_notices(struct engine *e, struct snapshot *s)
{
	struct snapshot_head *h = &s->head;
	const struct engine_event *ev = e->shown < e->event_count ? &e->events[e->shown] : NULL;
	const char **list;
	const char *text;
	size_t n = 0, max = ev != NULL ? ev->notice_count : 0;

	while (session_notice(e->session, max - (ev != NULL ? ev->notice_count : 0)) != NULL)
		max++;
	list = arena_alloc(&s->arena, (max + 5) * sizeof(*list));
	text = symbol_service_lack(e->symbols);
	if (text != NULL)
		list[n++] = text;
	for (size_t i = 0; (text = session_notice(e->session, i)) != NULL; i++) {
		const char *remedy = session_remedy(e->session, i);

		list[n++] = arena_printf(&s->arena, "%s%s%s", text, remedy != NULL && *remedy ? ": " : "",
					 remedy != NULL ? remedy : "");
	}
	for (size_t i = 0; ev != NULL && i < ev->notice_count; i++)
		list[n++] = arena_strdup(&s->arena, ev->notices[i]);
	text = other_records_notice(&e->others);
	if (text != NULL)
		list[n++] = text;
	text = engine_auto_notice(e);
	if (text != NULL)
		list[n++] = arena_strdup(&s->arena, text);
	text = engine_chains_notice(e, &s->arena);
	if (text != NULL)
		list[n++] = text;
	text = engine_inlines_notice(e, &s->arena);
	if (text != NULL)
		list[n++] = text;
	h->notices = list;
	h->notice_count = n;
}

/* When the oldest interval that is kept began, since the beginning. */
static double
past_s(const struct engine *e)
{
	const struct interval *iv = log_at(&e->profile->log, e->profile->log.first);
	uint64_t begin_ns = engine_begin_ns(e);

	return iv != NULL && iv->start_ns > begin_ns ? (double)(iv->start_ns - begin_ns) / 1e9 : 0;
}

static void
fill_losses(struct engine *e, struct snapshot_head *h)
{
	const struct profile *p = e->profile;
	uint64_t *losses = h->losses;
	size_t count;
	const struct session_ring *rings = session_rings(e->session, &count);

	losses[LOSS_SAMPLES] = engine_lost(e) - e->lost_sideband;
	losses[LOSS_SIDEBAND] = e->lost_sideband;
	losses[LOSS_THROTTLED] = e->throttled;
	losses[LOSS_LATE] = e->late;
	losses[LOSS_UNKNOWN] = e->unknown - e->foreign;
	losses[LOSS_FOREIGN] = e->foreign;
	losses[LOSS_SHARED] = e->shared_samples;
	losses[LOSS_BROKEN] = e->broken;
	for (size_t i = 0; i < count; i++)
		losses[LOSS_BROKEN] += ring_broken(rings[i].ring);
	losses[LOSS_NOT_TARGETS] = e->feed.dropped;
	losses[LOSS_UNMAPPED] = e->feed.unmapped;
	losses[LOSS_CALLERS] = e->chains_missed;
	losses[LOSS_STACKS] = p->folded_nodes;
	losses[LOSS_ADDRESSES] = p->folded_addresses;
	losses[LOSS_TASKS] = p->merged_tasks;
	losses[LOSS_NAMES] = p->merged_names;
	losses[LOSS_RARE] = p->thinned;
	losses[LOSS_PAST] = p->dropped_intervals;
	losses[LOSS_SYMBOLS] = e->locations.images_given_back;
}

static void
fill_head(struct engine *e, struct snapshot *s, uint64_t mono_ns)
{
	struct snapshot_head *h = &s->head;

	head_machine(e, s);
	h->now_ns = clock_real_ns();
	h->event = h->switching_to = "";
	h->window_s = e->query.window_ns == WINDOW_ALL ? -1 : (double)e->query.window_ns / 1e9;
	h->window_end_s = (double)e->query.end_ns / 1e9;
	h->span_s = (double)((e->file != NULL ? e->replay.now_ns : mono_ns) - engine_begin_ns(e)) / 1e9;
	h->past_s = past_s(e);
	h->frozen = e->query.frozen;
	h->cpus_sampled = sampled_cpus(e);
	h->cpus_known = session_cpus_known(e->session);
	if (e->shown < e->event_count)
		head_event(e, s, mono_ns);
	fill_losses(e, h);
	h->window_lost = engine_window_lost(e, mono_ns);
	h->throttled_ns = e->losses.throttled_ns;
	h->self_cpu = e->self_cpu;
	h->self_bytes = e->self_bytes;
	h->self_budget = e->rate.budget.percent;
	head_notices(e, s);
	h->chains = engine_auto_head(e, &s->arena);
}

static const char *
task_crumb(const struct engine *e, struct snapshot *s, uint32_t id, bool is_thread)
{
	const struct task *t = &e->model->tasks[id];

	if (s->query.name != 0)
		return arena_printf(&s->arena, "%s%s", strs_get(&e->model->strs, s->query.name),
				    t->tid == TASK_ENDED_TID ? " (ended)" : "");
	return arena_printf(&s->arena, is_thread ? "thread %d %s" : "%d %s", t->tid,
			    strs_get(&e->model->strs, t->comm));
}

static void
fill_crumbs(const struct engine *e, struct snapshot *s)
{
	const struct query *q = &s->query;
	struct buf all = { 0 };
	size_t n = 0;

	engine_put_targets(e, &all);
	s->crumbs[n++] = arena_strdup(&s->arena, buf_str(&all));
	buf_release(&all);
	if (q->process != 0 && q->process < e->model->task_len)
		s->crumbs[n++] = task_crumb(e, s, q->process, false);
	if (q->thread != 0 && q->thread < e->model->task_len && q->name == 0)
		s->crumbs[n++] = task_crumb(e, s, q->thread, true);
	if (q->dso != 0 && q->dso < e->model->dsos.len)
		s->crumbs[n] = strs_get(&e->model->strs, dsos_get(&e->model->dsos, q->dso)->name);
}

static const char *
user_name(void *self, uint32_t uid)
{
	return users_name(self, uid);
}

static bool
counts_time(const struct engine *e, uint32_t n)
{
	return e->events[n].spec.unit == EVENT_COUNTS_TIME;
}

static const double *
time_windows(const struct engine *e, struct snapshot *s)
{
	double *list = arena_alloc(&s->arena, e->event_count * sizeof(*list));

	for (uint32_t i = 0; i < e->event_count; i++)
		list[i] = counts_time(e, i) ? window_have_s(e, i) : 0;
	return list;
}

struct snapshot *
engine_make_snapshot(struct engine *e, const struct query *q, const struct filter *filter)
{
	struct snapshot *s = snapshot_new();
	uint64_t now = clock_mono_ns();
	struct report_source src = {
		.profile = e->profile, .processes = e->processes, .threads = e->threads,
		.process_count = e->tick != NULL ? e->tick->process_count : 0,
		.thread_count = e->tick != NULL ? e->tick->thread_count : 0,
		.user_name = user_name, .self = e->users, .shown_event = e->shown,
		.self_pid = getpid(), .targets_only = engine_has_targets(e), .filter = filter,
		.mono_ns = now, .real_ns = clock_real_ns(), .is_recording = e->file != NULL,
	};

	src.time_window_s = time_windows(e, s);
	s->query = *q;
	s->seq = e->seq;
	s->elapsed_s = (double)(now - e->started_ns) / 1e9;
	fill_head(e, s, now);
	fill_crumbs(e, s);
	if (q->by_view && q->view == VIEW_COUNTERS)
		engine_counters_fill(e, s);
	else
		report_fill(s, &src, q);
	for (uint32_t i = 0; i < s->event_count && i < e->event_count; i++) {
		s->events[i].lost = engine_event_lost(e, i);
		s->events[i].throttled = e->events[i].throttled;
		s->events[i].counts_time = counts_time(e, i);
	}
	if (e->stopped_ns != 0)
		engine_tally_fill(e, s);
	for (uint32_t i = 0; i < s->event_count; i++)
		s->head.losses[LOSS_UNEXPLAINED] += s->events[i].unexplained;
	return s;
}

/* Of the formats of reports text alone has a column for them. */
bool
engine_shows_lines(const struct engine *e)
{
	const struct query *q = &e->query;

	return q->by_view && q->view == VIEW_FUNCTIONS &&
	       (q->trends || e->config->format == FORMAT_TEXT);
}

void
engine_send_snapshot(struct engine *e)
{
	struct engine_snapshot_msg *m = mem_calloc(1, sizeof(*m));

	m->msg.type = ENGINE_MSG_SNAPSHOT;
	m->snapshot = engine_make_snapshot(e, &e->query, e->filter);
	if (!e->config->batch && engine_shows_lines(e))
		engine_ask_lines(e, m->snapshot);
	if (!e->config->batch)
		engine_ask_inlines(e, &e->query);
	queue_send(e->out, &m->msg);
}

/* Of more than one event, each that is not whole. */
static void
put_events(const struct snapshot *s, struct buf *b)
{
	for (size_t i = 0; i < s->event_count && s->event_count > 1; i++) {
		const struct snapshot_event *ev = &s->events[i];

		if (ev->lost == 0 && ev->throttled == 0)
			continue;
		buf_addf(b, "event %s: ", ev->name);
		text_add_count(b, (double)ev->lost);
		buf_add_str(b, " samples lost, throttled ");
		text_add_count(b, (double)ev->throttled);
		buf_add_str(b, " times\n");
	}
}

void
engine_send_messages(struct engine *e)
{
	struct snapshot *s = engine_make_snapshot(e, &e->query, e->filter);
	const struct snapshot_head *h = &s->head;
	struct buf b = { 0 };

	for (size_t i = 0; i < h->notice_count; i++)
		buf_addf(&b, "%s\n", h->notices[i]);
	journal_put(&e->journal, &b);
	engine_put_lowered(e, &b);
	for (enum loss_kind k = 0; k < LOSS_KINDS; k++) {
		if (h->losses[k] == 0)
			continue;
		loss_put(&b, k, h->losses[k]);
		buf_add_char(&b, '\n');
	}
	losses_put(&e->losses, &b);
	put_events(s, &b);
	engine_put_chains(e, &b);
	other_records_put(&e->others, &b);
	engine_put_unnamed(e, &b);
	if (e->file == NULL)
		engine_put_cost(e, &b);
	engine_put_memory(e, &b);
	engine_send_text(e, ENGINE_MSG_MESSAGES, false, buf_str(&b));
	buf_release(&b);
	snapshot_put(s);
}
