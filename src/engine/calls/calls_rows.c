/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was counted, as rows of the view Calls and lines above the footer of others.
 */
#include "engine/calls/calls_impl.h"

#include "live/session/refusal.h"
#include "view/call_row.h"
#include "view/snapshot.h"

#include <math.h>

const char *
calls_state(enum call_phase phase)
{
	static const char *const states[] = {
		[CALL_FINDING] = "looked for", [CALL_ON_TRIAL] = "on trial", [CALL_TIMING] = "timed",
		[CALL_COUNTING] = "entry only", [CALL_CLOSING] = "closing", [CALL_CLOSED] = "closed",
		[CALL_REFUSED] = "refused",
	};

	return states[phase];
}

/* What is counted for one process alone is nothing of another one. */
static bool
is_shown_in(const struct function *f, int pid)
{
	return pid == 0 || f->pid == 0 || f->pid == pid;
}

static uint64_t *
octaves_of(const struct histogram *h, struct snapshot *s)
{
	uint64_t *octaves = arena_alloc(&s->arena, CALL_ROW_OCTAVES * sizeof(*octaves));

	for (unsigned i = 0; i < CALL_ROW_OCTAVES; i++)
		octaves[i] = histogram_octave(h, i);
	return octaves;
}

static int
pid_of(const struct call_order *o)
{
	return o->root_count == 1 ? o->roots[0].pid : -1;
}

/* One report is of all that it has counted, as its CALLS; else the last second says how it goes. */
static bool
is_one_report(const struct engine_config *c)
{
	return !c->is_watched && (c->iterations == 1 || engine_config_is_whole_life(c));
}

static struct call_row *
row_of(const struct calls *c, const struct function *f, struct snapshot *s)
{
	struct call_row *row = arena_alloc(&s->arena, sizeof(*row));
	const struct call_reading *r;
	enum call_phase phase = f->last != NULL ? f->last->reading.phase : CALL_FINDING;

	*row = (struct call_row){ .id = f->id, .pid = pid_of(&f->order), .location = f->location, .cost_percent = -1,
				  .event = arena_strdup(&s->arena, f->event),
				  .function = arena_strdup(&s->arena, f->name), .note = "",
				  .state = calls_state(phase) };
	row->shown = f->pid != 0 && s->query.process == 0
			     ? arena_printf(&s->arena, "%s of %d", f->name, f->pid) : row->function;
	if (f->last == NULL)
		return row;
	r = &f->last->reading;
	row->is_refused = phase == CALL_REFUSED;
	row->is_on = phase >= CALL_ON_TRIAL && phase <= CALL_COUNTING;
	row->calls = r->calls;
	row->seconds = (double)r->for_ns / 1e9;
	row->per_second = !is_one_report(c->env->config) ? r->per_second
			  : r->for_ns > 0 ? (double)r->calls / row->seconds : 0;
	row->timed = r->times.count;
	row->is_timed = row->timed > 0;
	row->lost = r->unreturned + r->lost_hits;
	row->running = r->open_calls;
	row->recursive = r->recursive;
	row->min_ns = r->times.min;
	row->p50_ns = histogram_quantile(&r->times, 0.5);
	row->p95_ns = histogram_quantile(&r->times, 0.95);
	row->p99_ns = histogram_quantile(&r->times, 0.99);
	row->max_ns = r->times.max;
	row->octaves = octaves_of(&r->times, s);
	row->cost_percent = r->cost_percent;
	row->note = row->is_refused ? refusal_reason(&s->arena, f->last->err.text)
				    : arena_strdup(&s->arena, r->note);
	return row;
}

static void
add_row(struct snapshot *s, const struct call_row *call)
{
	s->rows[s->row_count] = (struct row){
		.id = s->row_count + 1, .pid = -1, .tid = -1, .cpu = NAN, .cpu_number = -1,
		.event = "", .comm = "", .dso = "", .symbol = call->function, .source = "",
		.user = "", .cgroup = "", .command = "", .instruction = "", .data_src = "",
		.branch = "", .hottest = "", .reason = call->note, .call = call,
	};
	s->row_count++;
}

/* Rows of functions that are counted, in any view. */
static void
mark_rows(struct snapshot *s)
{
	for (size_t i = 0; i < s->row_count; i++)
		if (snapshot_counts_calls(s, s->rows[i].location))
			s->rows[i].flags |= ROW_COUNTED;
}

/* Within a process only what is counted for it alone is of it. */
static bool
is_of(const struct call_order *o, int pid)
{
	return pid == 0 || pid_of(o) == pid;
}

void
calls_put_rows(const void *calls, struct snapshot *s)
{
	const struct calls *c = calls;
	const struct call_row **list = arena_alloc(&s->arena, (c->count + 1) * sizeof(*list));
	bool is_view = s->query.by_view && s->query.view == VIEW_CALLS;
	const int pid = calls_pid_of(c, s->query.process);

	if (is_view)
		s->rows = arena_alloc(&s->arena, (c->count + 1) * sizeof(*s->rows));
	for (size_t i = 0; i < c->count; i++) {
		if (!is_shown_in(&c->items[i], pid))
			continue;
		list[s->call_count] = row_of(c, &c->items[i], s);
		if (is_view && is_of(&c->items[i].order, pid))
			add_row(s, list[s->call_count]);
		s->call_count++;
	}
	s->calls = list;
	if (!is_view) {
		mark_rows(s);
		return;
	}
	s->why_empty = c->count == 0 ? "no function is counted: b on a function's row"
		: "what is counted is not of this process alone: Esc, or b on a function's row";
}
