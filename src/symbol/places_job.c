/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/places_job.h"
#include "symbol/elf_image.h"
#include "symbol/elf_symbols.h"
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

/* From the file's addresses to those in the process; a map begins where a page of the file does. */
static uint64_t
bias_of(const struct elf_file *f, const struct job *job)
{
	uint64_t pgoff = job->places->pgoff, page = page_size();

	for (unsigned i = 0; i < f->segment_count && job->ask.end > job->ask.start; i++) {
		const struct elf_segment *s = &f->segments[i];

		if (pgoff >= s->offset - s->offset % page && pgoff < s->offset + s->len)
			return job->ask.start - (s->vaddr - s->offset + pgoff);
	}
	return 0;
}

/* A stripped file's names are in another, if there is one. */
static int
find_symbols(const struct elf_file *f, const struct places_job *p,
	     const struct debug_finder *finder, struct places *out)
{
	struct debug_file other = { 0 };
	const struct elf_file *names = f;
	int res;

	if (!elf_symbols_has_table(f) && elf_image_names_file(&other, f, finder))
		names = &other.elf;
	res = places_in_file(f, names, p->pattern, p->data, out, &p->answer->err);
	debug_file_close(&other);
	return res;
}

static int
find_in_file(struct job *job, const struct symbol_config *config,
	     const struct debug_finder *finder, struct places *out)
{
	struct places_job *p = job->places;
	struct elf_file f;
	size_t file_len;
	unsigned line;
	int res;

	if (elf_file_open(&f, job->fd, &p->answer->err) < 0)
		return -1;
	p->answer->bias = bias_of(&f, job);
	p->answer->path = path_to(job, config->proc);
	if (!p->data && places_is_line(p->pattern, &file_len, &line))
		res = places_of_line(&f, finder, p->pattern, out, &p->answer->err);
	else
		res = find_symbols(&f, p, finder, out);
	elf_file_close(&f);
	return res;
}

void
places_job_run(struct job *job, const struct symbol_config *config,
	       const struct debug_finder *finder)
{
	struct symbol_places_msg *m = job->places->answer;
	struct places found = { 0 };
	int res;

	if (job->ask.kind == SYMBOL_KERNEL)
		res = places_in_kernel(config->kallsyms, job->places->pattern, &found, &m->err);
	else
		res = find_in_file(job, config, finder, &found);
	if (res < 0) {
		places_release(&found);
		return;
	}
	m->places = found.items;
	m->count = found.len;
}
