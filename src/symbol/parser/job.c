/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/job.h"
#include "symbol/image/image.h"
#include "symbol/parser/answers.h"

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
