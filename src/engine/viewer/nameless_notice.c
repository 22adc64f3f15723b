/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/nameless_notice.h"

#include "base/text.h"
#include "profile/place/location.h"
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

enum {
	LOOKED_AT = 16,   /* processes; those that come first in the tables */
	LEAST = 20,       /* samples */
	BEGIN_PART = 10,  /* one in so many of all samples: it is told */
	END_PART = 20,    /* and as long as it is one in so many */
};

/* What is interpreted in a function. */
struct interpreter {
	uint32_t serial; /* of the location, 0: not looked up */
	const struct runtime *runtime; /* NULL: nothing is */
};

struct nameless_process {
	const struct task *task;
	uint64_t samples;
	const struct runtime *runtime; /* it interprets them; NULL: it made code */
	uint32_t dso; /* of code that was made */
};

struct nameless_walk {
	const struct profile *p;
	uint32_t event;
	struct nameless_process found[LOOKED_AT];
	size_t len;
	uint64_t all;
};

void
nameless_notice_release(struct nameless_notice *n)
{
	free(n->known);
	buf_release(&n->text);
}

static const struct runtime *
interpreter_at(struct nameless_notice *n, const struct profile *p, uint32_t id)
{
	const struct location *loc = &p->locations->items[id];

	vec_reserve_zeroed(&n->known, &n->cap, id + 1, sizeof(*n->known));
	if (n->known[id].serial != loc->serial)
		n->known[id] = (struct interpreter){
			loc->serial, runtime_of_function(strs_get(&p->model->strs, loc->name)) };
	return n->known[id].runtime;
}

static enum dso_symbols_state
symbols_state(const struct profile *p, uint32_t dso)
{
	return dso < p->locations->symbols_cap ? p->locations->symbols[dso].state : SYMBOLS_NONE;
}

static bool
is_made_without_names(const struct profile *p, const struct location *loc)
{
	const struct dso *dso = dsos_get(&p->model->dsos, loc->dso);

	return dso->kind == DSO_ANON && dso->pid > 0 && symbols_state(p, loc->dso) == SYMBOLS_FAILED;
}

static void
count(struct nameless_walk *w, const struct task *process, const struct runtime *runtime,
      uint32_t dso, uint64_t samples)
{
	struct nameless_process *item = w->found;

	while (item < w->found + w->len && item->task != process)
		item++;
	if (item == w->found + LOOKED_AT)
		return;
	if (item == w->found + w->len)
		w->found[w->len++] = (struct nameless_process){ .task = process };
	item->samples += samples;
	if (runtime != NULL)
		item->runtime = runtime;
	else
		item->dso = dso;
}

static void
walk(struct nameless_notice *n, struct nameless_walk *w)
{
	const struct profile *p = w->p;
	const struct tables *t = &p->tables;
	uint64_t samples, period;

	for (uint32_t i = 1; i < t->cells[TABLE_HOT].len; i++) {
		uint32_t id = locations_resolve(p->locations, t->hot[i].location);
		const struct location *loc = &p->locations->items[id];
		const struct runtime *runtime = NULL;

		if (t->hot[i].event != w->event)
			continue;
		profile_window(p, &t->cells[TABLE_HOT].items[i], &samples, &period);
		w->all += samples;
		if (samples == 0)
			continue;
		if (location_is_named(loc))
			runtime = interpreter_at(n, p, id);
		if (runtime != NULL ? *runtime->flag != '\0'
				    : !location_is_named(loc) && is_made_without_names(p, loc))
			count(w, model_task_at(p->model, model_task_at(p->model,
				p->model->whos[t->hot[i].who].task)->process), runtime, loc->dso,
			      samples);
	}
}

/* An interpreter that tells its functions has made code for each, which has their names. */
static bool
is_named_elsewhere(const struct profile *p, const struct nameless_process *item)
{
	return item->runtime != NULL && symbols_state(p, item->task->code) == SYMBOLS_READY;
}

static bool
matters(const struct nameless_notice *n, const struct nameless_walk *w,
	const struct nameless_process *item)
{
	const uint64_t part = item->task->pid == n->pid ? END_PART : BEGIN_PART;

	return item->samples >= LEAST && item->samples * part >= w->all &&
	       !is_named_elsewhere(w->p, item);
}

static void
put(struct nameless_notice *n, const struct profile *p, const struct nameless_process *item, size_t more)
{
	const struct strs *strs = &p->model->strs;
	const char *comm = strs_get(strs, item->task->comm);

	text_add_safe(&n->text, comm, strlen(comm));
	buf_addf(&n->text, " %d", item->task->pid);
	if (more > 0)
		buf_addf(&n->text, " (and %zu more)", more);
	buf_add_str(&n->text, ": functions without names; ");
	if (item->runtime != NULL)
		buf_addf(&n->text, "start it with: %s", item->runtime->flag);
	else
		buf_add_str(&n->text, strs_get(strs, p->locations->symbols[item->dso].remedy));
}

void
nameless_notice_update(struct nameless_notice *n, const struct profile *p, uint32_t event)
{
	struct nameless_walk w = { .p = p, .event = event };
	const struct nameless_process *most = NULL;
	size_t count = 0;

	walk(n, &w);
	for (size_t i = 0; i < w.len; i++) {
		if (!matters(n, &w, &w.found[i]))
			continue;
		count++;
		if (most == NULL || w.found[i].samples > most->samples)
			most = &w.found[i];
	}
	n->pid = most != NULL ? most->task->pid : 0;
	buf_reset(&n->text);
	if (most != NULL)
		put(n, p, most, count - 1);
}

const char *
nameless_notice_text(const struct nameless_notice *n)
{
	return n->pid != 0 ? buf_str(&n->text) : NULL;
}
