/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/job.h"

#include <stdlib.h>
#include <unistd.h>

struct job *
job_new(const struct symbol_ask *ask, int msg_type)
{
	struct job *job = mem_calloc(1, sizeof(*job));

	job->msg.type = msg_type;
	job->ask = *ask;
	job->path = mem_strdup(ask->path != NULL ? ask->path : "");
	job->ask.path = job->path;
	job->kallsyms = ask->kallsyms != NULL ? mem_strdup(ask->kallsyms) : NULL;
	job->ask.kallsyms = job->kallsyms;
	job->fd = -1;
	return job;
}

static void
places_job_free(struct places_job *p)
{
	if (p == NULL)
		return;
	symbol_places_msg_free(p->answer);
	free(p->pattern);
	free(p);
}

void
job_free(struct job *job)
{
	if (job == NULL)
		return;
	if (job->fd >= 0)
		close(job->fd);
	if (job->lines != NULL)
		symbol_lines_msg_free(job->lines);
	places_job_free(job->places);
	symbol_rules_msg_free(job->rules);
	image_free(job->base);
	free(job->kallsyms);
	free(job->path);
	free(job);
}

void
msg_list_init(struct msg_list *l)
{
	*l = (struct msg_list){ .tail = &l->head };
}

void
msg_list_add(struct msg_list *l, struct msg *m)
{
	m->next = NULL;
	*l->tail = m;
	l->tail = &m->next;
}

struct msg *
msg_list_take(struct msg_list *l)
{
	struct msg *m = l->head;

	if (m != NULL) {
		l->head = m->next;
		if (l->head == NULL)
			l->tail = &l->head;
	}
	return m;
}

void
symbol_image_msg_free(struct symbol_image_msg *m)
{
	if (m == NULL)
		return;
	image_free(m->image);
	free(m);
}

void
symbol_names_msg_free(struct symbol_names_msg *m)
{
	uint32_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->count; i++)
		free(m->names[i].name);
	free(m->names);
	free(m);
}

void
symbol_lines_msg_free(struct symbol_lines_msg *m)
{
	uint32_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->count; i++) {
		free(m->lines[i].line);
		free(m->lines[i].inlined);
	}
	free(m->lines);
	free(m);
}

void
symbol_places_msg_free(struct symbol_places_msg *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->count; i++)
		free(m->places[i].name);
	free(m->places);
	free(m->path);
	free(m);
}

void
symbol_rules_msg_free(struct symbol_rules_msg *m)
{
	if (m == NULL)
		return;
	unwind_rules_free(m->rules);
	free(m);
}
