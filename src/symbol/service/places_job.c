/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/service/service_impl.h"
#include "symbol/elf/places.h"
#include "symbol/parser/job.h"

struct job *
places_job_new(const struct symbol_places_ask *ask, int msg_type)
{
	struct job *job = job_new(&ask->file, msg_type);

	job->places = mem_calloc(1, sizeof(*job->places));
	job->places->pattern = ask->pattern != NULL ? mem_strdup(ask->pattern) : NULL;
	job->places->offset = ask->offset;
	job->places->pgoff = ask->pgoff;
	job->places->data = ask->data;
	job->places->copies = ask->copies;
	job->places->arguments = ask->arguments;
	job->places->answer = symbol_places_msg_new(ask->file.dso);
	return job;
}

void
places_job_run(struct job *job, const struct symbol_config *config, struct remote *remote)
{
	struct symbol_places_msg *m = job->places->answer;
	struct places found = { 0 };

	if (job->ask.kind != SYMBOL_KERNEL) {
		remote_places(remote, job);
		return;
	}
	if (places_in_kernel(config->kallsyms, job->places->pattern, job->places->data, &found,
			     &m->err) < 0) {
		places_release(&found);
		return;
	}
	m->places = found.items;
	m->count = found.len;
}
