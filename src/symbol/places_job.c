/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/places_job.h"
#include "symbol/places.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct job *
places_job_new(const struct symbol_places_ask *ask, int msg_type)
{
	struct job *job = job_new(&ask->file, msg_type);

	job->places = mem_calloc(1, sizeof(*job->places));
	job->places->pattern = mem_strdup(ask->pattern);
	job->places->pgoff = ask->pgoff;
	job->places->data = ask->data;
	job->places->answer = mem_calloc(1, sizeof(*job->places->answer));
	job->places->answer->dso = ask->file.dso;
	return job;
}

static bool
leads_to(const char *path, const struct stat *to)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == to->st_dev && st.st_ino == to->st_ino;
}

/* The process may have another root, and its file may be deleted. */
static char *
path_to(const struct job *job, const char *proc)
{
	const struct symbol_ask *ask = &job->ask;
	char path[4096 + 64];
	struct stat st;

	if (fstat(job->fd, &st) != 0 || leads_to(ask->path, &st))
		return mem_strdup(ask->path);
	snprintf(path, sizeof(path), "%s/%d/root%s", proc, ask->pid, ask->path);
	if (leads_to(path, &st))
		return mem_strdup(path);
	snprintf(path, sizeof(path), "%s/%d/map_files/%llx-%llx", proc, ask->pid,
		 (unsigned long long)ask->start, (unsigned long long)ask->end);
	return mem_strdup(leads_to(path, &st) ? path : ask->path);
}

void
places_job_run(struct job *job, const struct symbol_config *config, struct remote *remote)
{
	struct symbol_places_msg *m = job->places->answer;
	struct places found = { 0 };

	if (job->ask.kind != SYMBOL_KERNEL) {
		m->path = path_to(job, config->proc);
		remote_places(remote, job);
		return;
	}
	if (places_in_kernel(config->kallsyms, job->places->pattern, &found, &m->err) < 0) {
		places_release(&found);
		return;
	}
	m->places = found.items;
	m->count = found.len;
}
