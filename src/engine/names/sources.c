/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of source files: the service is asked, and, if it finds no such file and the user allows it, a
 * debuginfod server, and then the service once more.
 */
#include "engine/names/names_impl.h"

#include "profile/place/location.h"
#include "view/listing.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FETCHED_MAX = 1024 }; /* in one run */

/* A question that is not answered yet, and may be by a server. */
struct source_question {
	uint32_t id, dso, file, first, last;
	struct listing_file about; /* its path is the question's own */
	uint32_t number;           /* of the download, 0: none was asked for yet */
};

/* A container's program must not have its sources taken from here, nor one of another machine. */
static bool
is_of_this_root(const struct names *nm, uint32_t dso)
{
	return nm->env->policy->is_this_host &&
	       (!nm->env->policy->has_processes ||
		dso_source_ns(nm->env->locations, dso) == SYMBOL_NS_OWN);
}

/* Returns its bytes, 0: it is not known. */
static uint8_t
build_id_of(const struct names *nm, uint32_t dso, uint8_t id[BUILD_ID_MAX])
{
	const char *hex = strs_get(&nm->env->model->strs,
				   dso_source_build_id(nm->env->locations, dso));
	uint8_t len = 0;

	while (len < BUILD_ID_MAX && sscanf(hex + 2 * len, "%2hhx", &id[len]) == 1)
		len++;
	return len;
}

/* The recording's files come first, then the user's folders. */
static const char **
folders(const struct engine_config *c)
{
	const char **dirs;
	size_t count = 0;

	while (c->source_dirs != NULL && c->source_dirs[count] != NULL)
		count++;
	dirs = mem_calloc(count + 2, sizeof(*dirs));
	if (c->symfs != NULL)
		dirs[0] = c->symfs;
	for (size_t i = 0; i < count; i++)
		dirs[i + (c->symfs != NULL)] = c->source_dirs[i];
	return dirs;
}

static void
ask_service(const struct names *nm, const struct source_question *q)
{
	const char **dirs = folders(nm->env->config);
	struct symbol_source_ask ask = { .id = q->id, .file = q->file, .path = q->about.path,
					 .first = q->first, .last = q->last, .dirs = dirs,
					 .has_md5 = q->about.has_md5,
					 .is_here = is_of_this_root(nm, q->dso) };

	memcpy(ask.md5, q->about.md5, sizeof(ask.md5));
	ask.dso.dso = q->dso;
	ask.dso.build_id_len = build_id_of(nm, q->dso, ask.dso.build_id);
	if (files_are_known(nm, q->dso) && nm->env->policy->has_processes)
		ask.dso.pid = nm->files[q->dso].pid;
	symbol_service_ask_source(nm->env->symbols, &ask);
	free(dirs);
}

/* A server has sources by whole paths, and they are kept by names of files. */
static bool
may_be_sent(const struct names *nm, uint32_t dso, const char *path)
{
	struct buf name = { 0 };
	bool may = nm->downloads.fetch != NULL && !nm->downloads.is_stopped &&
		   dso_source_build_id(nm->env->locations, dso) != 0 &&
		   build_store_source_name(path, &name);

	buf_release(&name);
	return may;
}

void
names_ask_source(struct names *nm, uint32_t id, uint32_t dso, uint32_t file,
		 const struct listing_file *about, uint32_t first, uint32_t last)
{
	struct sources *s = &nm->sources;
	struct source_question q = { .id = id, .dso = dso, .file = file, .first = first,
				     .last = last, .about = *about };

	ask_service(nm, &q);
	if (!may_be_sent(nm, dso, about->path))
		return;
	q.about.path = mem_strdup(about->path);
	VEC_ADD(s->items, s->len, s->cap) = q;
}

static void
drop(struct sources *s, struct source_question *q)
{
	free((char *)(uintptr_t)q->about.path);
	*q = s->items[--s->len];
}

/* Each file is asked for once.  false: it was, or nothing more is. */
static bool
fetch_source(struct names *nm, struct source_question *q)
{
	struct sources *s = &nm->sources;
	size_t before = s->fetched.len;
	uint8_t id[BUILD_ID_MAX];
	struct buf key = { 0 };

	if (nm->downloads.is_stopped || before >= FETCHED_MAX)
		return false;
	buf_addf(&key, "%u %s", q->dso, q->about.path);
	q->number = strs_add_str(&s->fetched, buf_str(&key));
	buf_release(&key);
	if (s->fetched.len == before)
		return false;
	fetch_ask_source(nm->downloads.fetch, q->dso, q->number, q->about.path, id,
			 build_id_of(nm, q->dso, id));
	return true;
}

enum part_reply
sources_on_source(void *names, struct msg *msg)
{
	const struct symbol_listing_msg *m = (const struct symbol_listing_msg *)msg;
	struct names *nm = names;

	for (size_t i = 0; i < nm->sources.len; i++) {
		struct source_question *q = &nm->sources.items[i];

		if (q->id != m->id || q->file != m->file)
			continue;
		if (q->number == 0 && m->source->count == 0 && fetch_source(nm, q))
			return PART_DONE;
		drop(&nm->sources, q);
		break;
	}
	return PART_PASSES;
}

void
sources_on_file(struct names *nm, const struct fetch_msg *m)
{
	if (m->state == FETCH_GOING)
		return;
	for (size_t i = 0; i < nm->sources.len; i++) {
		const struct source_question *q = &nm->sources.items[i];

		if (q->number != m->source)
			continue;
		if (m->state == FETCH_FAILED && nm->env->config->is_watched)
			notes_keep(nm->env->notes, "source %s: %s", q->about.name, m->err.text);
		ask_service(nm, q);
	}
}

void
sources_free(struct names *nm)
{
	while (nm->sources.len > 0)
		drop(&nm->sources, &nm->sources.items[0]);
	free(nm->sources.items);
	strs_release(&nm->sources.fetched);
}
