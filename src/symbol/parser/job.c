/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/job.h"
#include "symbol/image/image.h"

#include <stdlib.h>
#include <unistd.h>

static void
free_job(struct msg *m)
{
	job_free((struct job *)m);
}

struct job *
job_new(const struct symbol_ask *ask, int msg_type)
{
	struct job *job = msg_new(sizeof(*job), msg_type, free_job);

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
	if (p->answer != NULL)
		msg_free(&p->answer->msg);
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
		msg_free(&job->lines->msg);
	places_job_free(job->places);
	if (job->rules != NULL)
		msg_free(&job->rules->msg);
	image_free(job->base);
	free(job->kallsyms);
	free(job->path);
	free(job);
}
