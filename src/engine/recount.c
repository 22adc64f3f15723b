/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function, or a whole source file, that is looked at through a filter: what was sampled of it
 * before is found in the flight recorder, a little at each turn of the loop, so that nothing waits for it.
 */
#include "engine/rooms.h"

#include "profile/count/recount.h"
#include "record/look.h"

#include <linux/perf_event.h>

enum { TURN_NS = 1000000 };

static bool
is_kernel(const struct record *rec)
{
	return (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/* As the address table counts it.  false: it is not of the function's dso. */
static bool
find_offset(struct engine *e, const struct record *rec, uint32_t task, uint64_t *offset)
{
	const struct recount *r = &e->env.profile->recount;
	enum dso_kind kind = dsos_get(&e->env.model->dsos, r->dso)->kind;
	bool is_of_kernel = kind == DSO_KERNEL || kind == DSO_MODULE;
	const struct map *map;

	*offset = rec->sample.ip;
	if (is_kernel(rec) || is_of_kernel)
		return is_kernel(rec) && is_of_kernel;
	map = space_find(model_space(e->env.model, task), rec->sample.ip);
	if (map == NULL || map->dso != r->dso)
		return false;
	*offset -= map_bias(map);
	return true;
}

/* A task that was another program then, or not there, is not whom it is now. */
static bool
was_there(const struct model *m, uint32_t task, uint64_t time_ns)
{
	const struct task *t = model_task_at(m, task);

	return task != 0 && t->born_ns <= time_ns && model_task_at(m, t->process)->exec_ns <= time_ns;
}

static void
take(void *engine, uint32_t event, const struct record *rec)
{
	struct engine *e = engine;
	struct profile *p = e->env.profile;
	struct recount *r = &p->recount;
	uint32_t task = model_find_task(e->env.model, (int)rec->id.tid);
	struct recount_sample s = { .period = rec->sample.period, .time_ns = rec->id.time_ns,
				    .tid = (int)rec->id.tid, .event = (uint16_t)event, .cpu = -1 };

	if (s.time_ns >= r->before_ns)
		return;
	if (record_is_look(&rec->sample) || !was_there(e->env.model, task, s.time_ns) ||
	    !find_offset(e, rec, task, &s.offset) || s.offset < r->start || s.offset >= r->end)
		return;
	/* The tables tell: it was looked at then, or of a whole file this function was. */
	if (watch_tells(&p->watch, p->locations, &(struct watch_moment){ r->dso, s.offset, s.time_ns },
			e->recount.is_by_cpu))
		return;
	if (rec->sample.carries & PERF_SAMPLE_CPU)
		s.cpu = (int16_t)rec->id.cpu;
	e->recount.is_full |= !recount_add(r, &s);
}

void
recount_stop(struct engine *e)
{
	past_samples_free(e->recount.past);
	e->recount.past = NULL;
}

void
recount_ask(struct engine *e, const struct snapshot *s)
{
	const struct snapshot_code *code = s->code;
	struct profile *p = e->env.profile;
	uint64_t start, end, before_ns;

	if (code == NULL || code->location == 0 || !code->is_filtered || e->replay != NULL)
		return;
	start = code->start;
	end = code->end;
	if (code->file != NULL) {
		start = 0;
		end = UINT64_MAX;
		before_ns = profile_dso_told_since(p, code->dso_id, code->is_by_cpu);
	} else {
		before_ns = profile_told_since(p, code->location, code->is_by_cpu);
	}
	if (before_ns == 0 || before_ns == UINT64_MAX ||
	    recount_is_of(&p->recount, code->dso_id, start, before_ns))
		return;
	recount_stop(e);
	recount_begin(&p->recount, code->dso_id, start, end, before_ns);
	e->recount.is_full = false;
	e->recount.is_by_cpu = code->is_by_cpu;
	e->recount.past = past_samples_new(e->recording);
}

void
recount_step(struct engine *e)
{
	uint64_t until_ns, since_ns;

	if (e->recount.past == NULL)
		return;
	until_ns = clock_mono_ns() + TURN_NS;
	do {
		if (!past_samples_next(e->recount.past, e->recording, take, e, &since_ns) ||
		    e->recount.is_full) {
			recount_stop(e);
			agenda_want(&e->agenda, AGENDA_ANSWER);
			return;
		}
		recount_reaches(&e->env.profile->recount, since_ns);
	} while (clock_mono_ns() < until_ns);
}
