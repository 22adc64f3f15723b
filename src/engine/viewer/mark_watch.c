/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is worth a mark that nobody has set: looked for at each beat. */
#include "engine/viewer/viewer_impl.h"

#include <stdlib.h>
#include <string.h>

enum { PAUSE_S = 10 }; /* between marks of losses, and of rates */

#define BUSY_LEAST 0.05f /* of what is sampled: who is busier is told of */
#define NEW_PART 0.1f    /* what the newest interval counts beside those before it */

/* Another event is sampled and shown, or it is sampled more or less often. */
static void
watch_event(struct viewer *v, uint64_t now_ns)
{
	struct mark_watch *w = &v->marks;
	const struct engine_event *ev = measured_shown(v->env->measured);
	uint64_t rate = ev != NULL ? measured_rate(ev) : 0;

	if (ev == NULL || rate == 0 || !v->env->policy->has_processes)
		return;
	if (w->event != v->env->measured->shown + 1) {
		if (w->event != 0)
			marks_add(v->env->marks, MARK_EVENT, now_ns, "event %s", ev->spec.name);
	} else if (rate != w->rate && now_ns - w->rate_ns >= PAUSE_S * NSEC_PER_SEC) {
		marks_add(v->env->marks, MARK_RATE, now_ns, "%s: %llu to %llu%s", ev->spec.name,
			  (unsigned long long)w->rate, (unsigned long long)rate,
			  ev->is_freq ? " Hz" : "");
		w->rate_ns = now_ns;
	} else if (rate != w->rate) {
		return; /* told later, if it is still another one */
	}
	w->event = v->env->measured->shown + 1;
	w->rate = rate;
}

static void
watch_losses(struct viewer *v, uint64_t now_ns)
{
	struct mark_watch *w = &v->marks;
	uint64_t lost = losses_all(v->env->losses, measured_lost_all(v->env->measured));

	if (lost == w->lost || (w->lost_ns != 0 && now_ns - w->lost_ns < PAUSE_S * NSEC_PER_SEC))
		return;
	marks_add(v->env->marks, MARK_LOST, now_ns, "%llu lost", (unsigned long long)(lost - w->lost));
	w->lost = lost;
	w->lost_ns = now_ns;
}

static struct busy *
busy_of(struct mark_watch *w, uint32_t task)
{
	for (size_t i = 0; i < w->busy_len; i++)
		if (w->busy[i].task == task)
			return &w->busy[i];
	return NULL;
}

/* Adds what each process has of the interval's period. */
static void
add_periods(const struct profile *p, const struct interval *iv, float *periods)
{
	struct log_pos pos = { 0 };
	struct delta d;

	while (log_next_hot(&p->log, iv, &pos, &d)) {
		uint32_t task = p->model->whos[p->tables.hot[d.id].who].task;

		periods[p->model->tasks[task].process] += (float)d.period;
	}
}

/* Its part of all that the newest intervals have, which begin then.  Late samples tell nothing anew. */
static void
weigh(struct viewer *v, uint32_t process, float share, uint64_t from_ns)
{
	const struct task *t = &v->env->model->tasks[process];
	struct mark_watch *w = &v->marks;
	struct busy *b = busy_of(w, process);

	if (b == NULL && share >= BUSY_LEAST && w->busy_len < BUSY_MAX && t->pid > 0 &&
	    (t->died_ns == 0 || t->died_ns >= from_ns)) {
		b = &w->busy[w->busy_len++];
		*b = (struct busy){ .task = process, .pid = t->pid, .exec_ns = t->exec_ns };
	}
	if (b != NULL)
		b->share += share * NEW_PART;
}

/* The shares of processes in all intervals since the last time. */
static void
weigh_all(struct viewer *v)
{
	const struct profile *p = v->env->profile;
	struct mark_watch *w = &v->marks;
	float *periods = NULL;
	uint64_t sum = 0, from_ns = 0;

	for (w->seen = MAX(w->seen, log_first(&p->log)); w->seen < log_end(&p->log); w->seen++) {
		const struct interval *iv = log_at(&p->log, w->seen);

		if (iv->event != v->env->measured->shown)
			continue;
		if (periods == NULL) {
			periods = mem_calloc(p->model->task_len, sizeof(*periods));
			from_ns = iv->start_ns;
		}
		add_periods(p, iv, periods);
		sum += iv->period;
	}
	if (periods != NULL)
		w->weight += (1 - w->weight) * NEW_PART;
	for (size_t i = 0; periods != NULL && i < w->busy_len; i++)
		w->busy[i].share *= 1 - NEW_PART;
	for (uint32_t i = 0; periods != NULL && i < p->model->task_len; i++)
		if (periods[i] > 0)
			weigh(v, i, periods[i] / (float)MAX(sum, 1), from_ns);
	free(periods);
}

/* An interval is closed some time after what happened in it is known. */
static bool
has_samples_to_come(const struct viewer *v, uint64_t up_to_ns)
{
	const struct interval *newest = log_at(&v->env->profile->log, v->marks.seen - 1);

	return newest != NULL && newest->end_ns <= up_to_ns;
}

/* In the first seconds, of what came in these. */
static bool
is_busy(const struct mark_watch *w, const struct busy *b)
{
	return b->share >= BUSY_LEAST * w->weight;
}

/* Whether it is the same process, with samples to come; tells its end, and what it became. */
static bool
follow(struct viewer *v, struct busy *b)
{
	struct model *m = v->env->model;
	const struct task *t = b->task < m->task_len ? &m->tasks[b->task] : NULL;
	const char *comm;

	if (t == NULL || !t->is_used || t->pid != b->pid)
		return false;
	comm = strs_get(&m->strs, t->comm);
	if (t->died_ns != 0) {
		if (!b->is_told && is_busy(&v->marks, b)) {
			marks_add(v->env->marks, MARK_END, t->died_ns, "%s %d ended", comm, b->pid);
			b->is_told = true;
		}
		return has_samples_to_come(v, t->died_ns);
	}
	if (t->exec_ns == b->exec_ns || has_samples_to_come(v, t->exec_ns))
		return true;
	if (is_busy(&v->marks, b))
		marks_add(v->env->marks, MARK_EXEC, t->exec_ns, "%d executed %s", b->pid, comm);
	b->exec_ns = t->exec_ns;
	return true;
}

static void
watch_processes(struct viewer *v)
{
	struct mark_watch *w = &v->marks;
	size_t kept = 0;

	weigh_all(v);
	for (size_t i = 0; i < w->busy_len; i++)
		if (follow(v, &w->busy[i]) &&
		    (w->busy[i].share >= BUSY_LEAST / 20 * w->weight || w->busy[i].is_told))
			w->busy[kept++] = w->busy[i];
	w->busy_len = kept;
}

/* Of a recording it is the recording's time, and which event is shown says nothing of then. */
void
viewer_watch(void *viewer, uint64_t now_ns)
{
	struct viewer *v = viewer;

	if (v->env->counts_alone)
		return;
	if (v->env->session != NULL)
		watch_event(v, now_ns);
	watch_losses(v, now_ns);
	watch_processes(v);
	nameless_beat(v, now_ns);
	if (v->env->config->is_watched)
		nameless_notice_update(&v->nameless, v->env->profile, v->env->measured->shown);
}

void
marks_fill(const struct viewer *v, struct snapshot *s)
{
	const struct marks *m = v->env->marks;
	const struct stream_clock *clock = v->env->clock;
	struct snapshot_mark *list = arena_alloc(&s->arena, (m->len + 1) * sizeof(*list));

	for (size_t i = 0; i < m->len; i++)
		list[i] = (struct snapshot_mark){
			.kind = m->items[i].kind,
			.at_s = ((double)m->items[i].at_ns - (double)clock->begin_ns) / 1e9,
			.real_ns = wall_real_ns(&clock->wall, m->items[i].at_ns),
			.text = arena_strdup(&s->arena, m->items[i].text),
		};
	s->marks = list;
	s->mark_count = m->len;
}

/* On the page of messages. */
void
marks_put(const struct viewer *v, struct buf *b)
{
	const struct marks *m = v->env->marks;
	const struct stream_clock *clock = v->env->clock;
	struct moments moments = { .wall = clock->wall, .begin_ns = clock->begin_ns,
				   .now_ns = stream_clock_now_ns(clock) };

	if (m->len > 0)
		buf_add_str(b, "\nmarks (T shows them beside the time line):\n");
	for (size_t i = 0; i < m->len; i++) {
		buf_add_str(b, "  ");
		moment_put(b, &moments, m->items[i].at_ns);
		buf_addf(b, "  %s\n", m->items[i].text);
	}
	if (m->dropped > 0)
		buf_addf(b, "  (%zu older marks are not kept)\n", m->dropped);
}
