/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/job.h"
#include "symbol/image/image.h"
#include "view/listing.h"

#include <stdlib.h>
#include <string.h>
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

static const uint8_t *
copy_bytes(const uint8_t *bytes, size_t len)
{
	return bytes != NULL && len > 0 ? memcpy(mem_calloc(1, len), bytes, len) : NULL;
}

static const char *
copy_text(const char *s)
{
	return mem_strdup(s != NULL ? s : "");
}

struct listing_job *
listing_job_new(const struct symbol_listing_ask *ask)
{
	struct listing_job *l = mem_calloc(1, sizeof(*l));

	l->ask = *ask;
	l->ask.code_len = ask->code != NULL ? MIN(ask->code_len, (size_t)LISTING_BYTES_MAX) : 0;
	l->ask.code = copy_bytes(ask->code, l->ask.code_len);
	l->ask.function = copy_text(ask->function);
	l->ask.bytes_from = copy_text(ask->bytes_from);
	l->ask.notice = copy_text(ask->notice);
	l->ask.why_none = ask->why_none != NULL ? mem_strdup(ask->why_none) : NULL;
	return l;
}

static void
listing_job_free(struct listing_job *l)
{
	if (l == NULL)
		return;
	listing_put(l->listing);
	if (l->bpf != NULL)
		l->free_bpf(l->bpf);
	free((uint8_t *)(uintptr_t)l->ask.code);
	free((char *)(uintptr_t)l->ask.function);
	free((char *)(uintptr_t)l->ask.bytes_from);
	free((char *)(uintptr_t)l->ask.notice);
	free((char *)(uintptr_t)l->ask.why_none);
	free(l);
}

struct source_job *
source_job_new(const struct symbol_source_ask *ask)
{
	struct source_job *s = mem_calloc(1, sizeof(*s));
	size_t count = 0;
	const char **dirs;

	while (ask->dirs != NULL && ask->dirs[count] != NULL)
		count++;
	dirs = mem_calloc(count + 1, sizeof(*dirs));
	for (size_t i = 0; i < count; i++)
		dirs[i] = mem_strdup(ask->dirs[i]);
	s->ask = *ask;
	s->ask.path = mem_strdup(ask->path);
	s->ask.dirs = dirs;
	return s;
}

static void
source_job_free(struct source_job *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; s->ask.dirs[i] != NULL; i++)
		free((char *)(uintptr_t)s->ask.dirs[i]);
	free((void *)(uintptr_t)s->ask.dirs);
	free((char *)(uintptr_t)s->ask.path);
	free(s);
}

void
job_set_path(struct job *job, const char *path)
{
	char *copy = mem_strdup(path);

	free(job->path);
	job->ask.path = job->path = copy;
}

void
job_close(struct job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	job->fd = -1;
}

void
job_free(struct job *job)
{
	if (job == NULL)
		return;
	job_close(job);
	if (job->lines != NULL)
		msg_free(&job->lines->msg);
	places_job_free(job->places);
	listing_job_free(job->listing);
	source_job_free(job->source);
	if (job->rules != NULL)
		msg_free(&job->rules->msg);
	image_free(job->base);
	free(job->kallsyms);
	free(job->path);
	free(job);
}
