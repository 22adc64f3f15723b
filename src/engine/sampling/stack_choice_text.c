/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -g auto, what is said of it. */
#include "engine/sampling/stack_choice.h"

#include <string.h>

size_t
auto_processes(const struct engine_auto *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->len; i++)
		n += a->items[i].state == STACKS_OPEN;
	return n;
}

/* As session_lost(): each read interrupts a CPU, so when there is news of a loss. */
void
engine_auto_count_lost(struct engine *e)
{
	struct engine_auto *a = e->autos;

	if (a == NULL || a->lost_hint == e->lost_hint)
		return;
	a->lost_hint = e->lost_hint;
	memset(a->lost_now, 0, sizeof(a->lost_now));
	for (size_t i = 0; i < a->len; i++) {
		const struct own_stacks *s = &a->items[i];

		for (size_t k = 0; k < s->event_count && s->state == STACKS_OPEN; k++)
			a->lost_now[s->events[k]] +=
				session_stacks_lost(e->session, s->open, s->events[k]);
	}
}

uint64_t
engine_auto_lost(const struct engine *e, uint32_t event)
{
	return e->autos != NULL ? e->autos->lost[event] + e->autos->lost_now[event] : 0;
}

const char *
engine_auto_head(const struct engine *e, struct arena *arena)
{
	size_t n;

	if (e->autos == NULL)
		return NULL;
	n = e->stopped_ns != 0 ? e->autos->last_count : auto_processes(e->autos);
	if (n == 0)
		return "-g auto: fp";
	return arena_printf(arena, "-g auto: dwarf for %zu %s", n,
			    n == 1 ? "process" : "processes");
}

const char *
engine_auto_notice(const struct engine *e)
{
	return e->autos != NULL ? e->autos->refusal : NULL;
}

void
engine_auto_put(const struct engine *e, struct buf *b)
{
	const struct engine_auto *a = e->autos;

	for (size_t i = 0; a != NULL && i < a->len; i++) {
		const struct own_stacks *s = &a->items[i];
		const struct task *t = model_task_at(e->model, s->task);

		if (s->state != STACKS_OPEN)
			continue;
		buf_addf(b, "-g auto: process %d %s keeps no frame pointers: %u bytes of its stack "
			 "are copied, %zu descriptors\n", s->pid,
			 t->pid == s->pid ? strs_get(&e->model->strs, t->comm) : "", s->bytes,
			 s->id_count);
	}
	if (a != NULL && a->refusals > 1)
		buf_addf(b, "-g auto: %llu times a process got no copies of its stacks: the first "
			 "is told above\n", (unsigned long long)a->refusals);
}
