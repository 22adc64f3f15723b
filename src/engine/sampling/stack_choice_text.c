/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -g auto, what is said of it. */
#include "engine/sampling/stack_choice.h"

#include <string.h>

#include "base/text.h"

size_t
stack_choice_processes(const struct stack_choice *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->len; i++)
		n += a->items[i].state == STACKS_OPEN;
	return n;
}

/* As session_lost(): each read interrupts a CPU, so when there is news of a loss. */
void
stack_choice_count_lost(struct sampling *sp)
{
	struct stack_choice *a = sp->stacks;

	if (a == NULL || a->lost_hint == sp->losses->counts[LOSS_SAMPLES])
		return;
	a->lost_hint = sp->losses->counts[LOSS_SAMPLES];
	for (uint32_t n = 0; n < sp->measured->event_count; n++)
		sp->measured->events[n].lost_copies = a->lost[n];
	for (size_t i = 0; i < a->len; i++) {
		const struct own_stacks *s = &a->items[i];

		for (size_t k = 0; k < s->event_count && s->state == STACKS_OPEN; k++)
			sp->measured->events[s->events[k].event].lost_copies +=
				session_stacks_lost(sp->session, s->open, s->events[k].event);
	}
}

const char *
stack_choice_head(const struct sampling *sp, struct arena *arena)
{
	size_t n;

	if (sp->stacks == NULL)
		return NULL;
	n = sp->measured->stopped_ns != 0 ? sp->stacks->last_count : stack_choice_processes(sp->stacks);
	return n == 0 ? NULL : arena_printf(arena, "-g auto: deep stacks of %zu %s", n,
					    n == 1 ? "process" : "processes");
}

const char *
stack_choice_notice(const struct sampling *sp)
{
	return sp->stacks != NULL ? sp->stacks->refusal.text : NULL;
}

void
stack_choice_put_process(const struct sampling *sp, const struct own_stacks *s, struct buf *b)
{
	const struct task *t = model_task_at(sp->model, s->task);
	const char *comm = t->pid == s->pid ? strs_get(&sp->model->strs, t->comm) : "";

	buf_addf(b, "process %d ", s->pid);
	text_add_safe(b, comm, strlen(comm));
}

void
stack_choice_put(const struct sampling *sp, struct buf *b)
{
	const struct stack_choice *a = sp->stacks;

	for (size_t i = 0; a != NULL && i < a->len; i++) {
		const struct own_stacks *s = &a->items[i];

		if (s->state != STACKS_OPEN)
			continue;
		buf_add_str(b, "-g auto: ");
		stack_choice_put_process(sp, s, b);
		buf_addf(b, " has deep stacks: %u bytes of them are copied, %zu descriptors\n", s->bytes,
			 s->id_count);
	}
	if (a != NULL && a->refusals > 1)
		buf_addf(b, "-g auto: larger copies of a stack were refused %llu times so far\n",
			 (unsigned long long)a->refusals);
}
