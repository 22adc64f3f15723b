/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What went on over time, in steps of a second, ten seconds and a minute. */
#include "engine/viewer/viewer_impl.h"

#include <math.h>
#include <stdlib.h>

/* A row that is being made: sums, and for how long each step is known. */
struct line {
	uint64_t begin_ns, step_ns;
	size_t len;
	float *rate, *mine; /* mine NULL: it is not asked for */
	float *known_ns;
};

/* The part of [@from_ns, @to_ns) that lies in step @i. */
static float
part_ns(const struct line *l, size_t i, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t from = MAX(from_ns, l->begin_ns + i * l->step_ns);
	uint64_t to = MIN(to_ns, l->begin_ns + (i + 1) * l->step_ns);

	return to > from ? (float)(to - from) : 0;
}

/* An interval spreads evenly over the steps that it lies in. */
static void
add_interval(struct line *l, const struct interval *iv, double mine)
{
	size_t i = iv->start_ns > l->begin_ns ? (size_t)((iv->start_ns - l->begin_ns) / l->step_ns) : 0;
	float length_ns = (float)MAX(iv->end_ns - iv->start_ns, 1);

	for (; i < l->len && l->begin_ns + i * l->step_ns < iv->end_ns; i++) {
		float part = part_ns(l, i, iv->start_ns, iv->end_ns);

		l->rate[i] += (float)iv->period * part / length_ns;
		l->known_ns[i] += part;
		if (l->mine != NULL)
			l->mine[i] += (float)mine * part / length_ns;
	}
}

static void
divide(struct line *l)
{
	for (size_t i = 0; i < l->len; i++) {
		bool is_known = l->known_ns[i] > 0;

		l->rate[i] = is_known ? l->rate[i] * 1e9f / l->known_ns[i] : NAN;
		if (l->mine != NULL)
			l->mine[i] = is_known ? l->mine[i] * 1e9f / l->known_ns[i] : NAN;
	}
}

/* By entry: whether it is of the row that has a line of its own.  NULL: there is none. */
static uint8_t *
entries_of_line(const struct profile *p, const struct query *q)
{
	size_t len = p->tables.cells[TABLE_HOT].len;
	uint8_t *is_mine;

	if (q->line_process == 0 && q->line_function == 0)
		return NULL;
	is_mine = mem_calloc(len, 1);
	for (uint32_t id = 1; id < len; id++) {
		const struct hot_key *key = &p->tables.hot[id];
		uint32_t task = p->model->whos[key->who].task;

		is_mine[id] = (q->line_process == 0 ||
			       p->model->tasks[task].process == q->line_process) &&
			      (q->line_function == 0 ||
			       locations_resolve(p->locations, key->location) == q->line_function);
	}
	return is_mine;
}

static double
period_of_line(const struct profile *p, const struct interval *iv, const uint8_t *is_mine)
{
	struct log_pos pos = { 0 };
	struct delta d;
	double period = 0;

	while (is_mine != NULL && log_next(&p->log, iv, &pos, &d))
		if (d.table == TABLE_HOT && is_mine[d.id])
			period += (double)d.period;
	return period;
}

static float *
floats(struct snapshot *s, size_t len)
{
	return memset(arena_alloc(&s->arena, (len + 1) * sizeof(float)), 0, (len + 1) * sizeof(float));
}

/* The steps of a row end where the clock's do. */
static struct line
line_begin(const struct viewer *v, struct snapshot *s, int tier, bool has_mine)
{
	uint64_t ahead_ns = v->env->profile->clock_ahead_ns, step_ns = machine_step_ns[tier];
	uint64_t now_ns = stream_clock_now_ns(v->env->clock) + ahead_ns;
	uint64_t end_ns = (now_ns + step_ns - 1) / step_ns * step_ns - ahead_ns;
	size_t len = MIN(machine_steps[tier], (size_t)(end_ns / step_ns));

	return (struct line){
		.begin_ns = end_ns - len * step_ns, .step_ns = step_ns, .len = len,
		.rate = floats(s, len), .mine = has_mine ? floats(s, len) : NULL,
		.known_ns = mem_calloc(len + 1, sizeof(float)),
	};
}

static void
add_intervals(const struct viewer *v, struct line lines[TIMELINE_ROWS], const uint8_t *is_mine)
{
	const struct profile *p = v->env->profile;
	const struct interval *iv;
	struct log_walk walk;

	log_walk_begin(&walk, &p->log, v->env->measured->shown, lines[TIMELINE_ROWS - 1].begin_ns,
		       UINT64_MAX);
	while ((iv = log_walk_next(&walk)) != NULL) {
		double mine = period_of_line(p, iv, is_mine);

		for (int t = 0; t < TIMELINE_ROWS; t++)
			add_interval(&lines[t], iv, mine);
	}
}

void
timeline_fill(const struct viewer *v, struct snapshot *s)
{
	const uint64_t begin_ns = v->env->clock->begin_ns;
	uint8_t *is_mine = entries_of_line(v->env->profile, &s->query);
	struct line lines[TIMELINE_ROWS];

	for (int t = 0; t < TIMELINE_ROWS; t++)
		lines[t] = line_begin(v, s, t, is_mine != NULL);
	if (v->env->measured->shown < v->env->measured->event_count)
		add_intervals(v, lines, is_mine);
	for (int t = 0; t < TIMELINE_ROWS; t++) {
		struct timeline_row *row = &s->timeline[t];
		float *busy = floats(s, lines[t].len);

		divide(&lines[t]);
		machine_log_busy(v->machine, t, lines[t].begin_ns + lines[t].len * lines[t].step_ns, busy,
				 lines[t].len);
		*row = (struct timeline_row){
			.step_s = (double)lines[t].step_ns / 1e9, .len = lines[t].len,
			.from_s = ((double)lines[t].begin_ns - (double)begin_ns) / 1e9,
			.busy = busy, .rate = lines[t].rate, .mine = lines[t].mine,
		};
		free(lines[t].known_ns);
	}
	free(is_mine);
}
