/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What went on over time, in steps of a second, ten seconds and a minute. */
#include "engine/viewer/viewer_impl.h"

#include <math.h>
#include <stdlib.h>

/* A row: sums, and for how long each step is known. */
struct line {
	uint64_t begin_ns, step_ns;
	size_t len;
	float *rate, *mine; /* mine NULL: it is not asked for */
	float *known_ns;
};

/* What the lines depend on: numbers that are compared. */
struct made_of {
	uint64_t event, entries;             /* the latter a hash of those of the row with a line; 0: none */
	uint64_t first[LOG_TIERS], len[LOG_TIERS]; /* intervals */
	uint64_t begin_ns[TIMELINE_ROWS];
};

/* As it was made last: a recording's day is the same in each picture. */
struct timeline {
	struct made_of of;
	struct line lines[TIMELINE_ROWS];
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

	while (is_mine != NULL && log_next_hot(&p->log, iv, &pos, &d))
		if (is_mine[d.id])
			period += (double)d.period;
	return period;
}

static void
release_lines(struct timeline *timeline)
{
	for (int t = 0; t < TIMELINE_ROWS; t++) {
		free(timeline->lines[t].rate);
		free(timeline->lines[t].mine);
		free(timeline->lines[t].known_ns);
	}
}

/* The steps of a row end where the clock's do. */
static struct line
line_begin(const struct viewer *v, int tier, bool has_mine)
{
	uint64_t ahead_ns = v->env->profile->clock_ahead_ns, step_ns = machine_step_ns[tier];
	uint64_t now_ns = stream_clock_now_ns(v->env->clock) + ahead_ns;
	uint64_t end_ns = (now_ns + step_ns - 1) / step_ns * step_ns - ahead_ns;
	size_t len = MIN(machine_steps[tier], (size_t)(end_ns / step_ns));

	return (struct line){
		.begin_ns = end_ns - len * step_ns, .step_ns = step_ns, .len = len,
		.rate = mem_calloc(len + 1, sizeof(float)),
		.mine = has_mine ? mem_calloc(len + 1, sizeof(float)) : NULL,
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

static struct made_of
made_of(const struct viewer *v, const struct line lines[TIMELINE_ROWS], const uint8_t *is_mine)
{
	const struct profile *p = v->env->profile;
	struct made_of of = { .event = v->env->measured->shown };

	if (is_mine != NULL)
		of.entries = hash_bytes(is_mine, p->tables.cells[TABLE_HOT].len) | 1;
	for (int t = 0; t < LOG_TIERS; t++) {
		of.first[t] = p->log.tiers[t].first;
		of.len[t] = p->log.tiers[t].len;
	}
	for (int t = 0; t < TIMELINE_ROWS; t++)
		of.begin_ns[t] = lines[t].begin_ns;
	return of;
}

/* The lines as they are now. */
static const struct line *
find_lines(struct viewer *v, const uint8_t *is_mine)
{
	struct timeline *kept = v->timeline, now = { .of.event = 0 };

	if (kept == NULL)
		kept = v->timeline = mem_calloc(1, sizeof(*kept));
	for (int t = 0; t < TIMELINE_ROWS; t++)
		now.lines[t] = line_begin(v, t, is_mine != NULL);
	now.of = made_of(v, now.lines, is_mine);
	if (memcmp(&now.of, &kept->of, sizeof(now.of)) == 0) {
		release_lines(&now);
		return kept->lines;
	}
	if (v->env->measured->shown < v->env->measured->event_count)
		add_intervals(v, now.lines, is_mine);
	for (int t = 0; t < TIMELINE_ROWS; t++)
		divide(&now.lines[t]);
	release_lines(kept);
	*kept = now;
	return kept->lines;
}

/* With one more, as arrays of the lines have: none is empty. */
static float *
copy(struct snapshot *s, const float *from, size_t len)
{
	return memcpy(arena_alloc(&s->arena, (len + 1) * sizeof(*from)), from, (len + 1) * sizeof(*from));
}

void
timeline_fill(struct viewer *v, struct snapshot *s)
{
	const uint64_t begin_ns = v->env->clock->begin_ns;
	uint8_t *is_mine = entries_of_line(v->env->profile, &s->query);
	const struct line *lines = find_lines(v, is_mine);

	for (int t = 0; t < TIMELINE_ROWS; t++) {
		const struct line *l = &lines[t];
		float *busy = arena_alloc(&s->arena, (l->len + 1) * sizeof(*busy));

		machine_log_busy(v->machine, t, l->begin_ns + l->len * l->step_ns, busy, l->len);
		s->timeline[t] = (struct timeline_row){
			.step_s = (double)l->step_ns / 1e9, .len = l->len,
			.from_s = ((double)l->begin_ns - (double)begin_ns) / 1e9,
			.busy = busy, .rate = copy(s, l->rate, l->len),
			.mine = l->mine != NULL ? copy(s, l->mine, l->len) : NULL,
		};
	}
	free(is_mine);
}

size_t
timeline_bytes(const struct timeline *t)
{
	size_t bytes = 0;

	for (int i = 0; t != NULL && i < TIMELINE_ROWS; i++)
		bytes += (t->lines[i].len + 1) * sizeof(float) * (t->lines[i].mine != NULL ? 3 : 2);
	return bytes;
}

void
timeline_free(struct timeline *t)
{
	if (t != NULL)
		release_lines(t);
	free(t);
}
