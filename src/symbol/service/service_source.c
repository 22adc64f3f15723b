/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of source files: where they may be, one place after the other, and what is read there. */
#include "symbol/service/service_impl.h"

#include "symbol/find/build_store.h"
#include "view/listing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUTS_MAX = 16 }; /* folders that a build's path may have in front of the user's */

static void
answer(struct symbol_service *s, struct job *job, struct listing_source *source)
{
	struct symbol_listing_msg *m = symbol_listing_msg_new(job->ask.dso, job->source->ask.id,
							      SYMBOL_MSG_SOURCE);

	m->file = job->source->ask.file;
	m->source = source;
	queue_send(s->answers, &m->msg);
	job_free(job);
}

static struct listing_source *
begin(const struct job *job)
{
	struct listing_source *source = listing_source_new();

	source->path = arena_strdup(&source->arena, job->source->ask.path);
	return source;
}

/*
 * Whether @path, taken apart at its slashes, stays below where it begins: debug data may have any
 * number of "..".
 */
static bool
stays_below(const char *path)
{
	int depth = 0;

	for (const char *at = path; *at != '\0' && depth >= 0;) {
		size_t len = strcspn(at, "/");

		if (len == 2 && at[0] == '.' && at[1] == '.')
			depth--;
		else if (len > 0 && !(len == 1 && *at == '.'))
			depth++;
		at += len + (at[len] == '/');
	}
	return depth >= 0;
}

/* The @n-th place below a folder of the user's: all of the path, then less and less of its begin. */
static bool
place_below(const char *dir, const char *path, unsigned n, struct buf *out)
{
	for (; *path == '/'; path++)
		continue;
	for (; n > 0; n--) {
		path = strchr(path, '/');
		if (path == NULL)
			return false;
		for (; *path == '/'; path++)
			continue;
	}
	if (*path == '\0' || !stays_below(path))
		return false;
	buf_addf(out, "%s/%s", dir, path);
	return true;
}

/* Where a source that a server sent is kept.  false: none can be. */
static bool
sent_place(const struct symbol_source_ask *ask, struct buf *out)
{
	if (ask->dso.build_id_len == 0 || !build_store_client_dir(out))
		return false;
	buf_add_char(out, '/');
	for (unsigned i = 0; i < ask->dso.build_id_len; i++)
		buf_addf(out, "%02x", ask->dso.build_id[i]);
	buf_add_char(out, '/');
	return build_store_source_name(ask->path, out);
}

/* Sets the next place to look at.  false: there is none. */
static bool
next_place(struct job *job)
{
	struct source_job *src = job->source;
	struct buf path = { 0 };
	bool has_place;

	job->ask.kind = SYMBOL_SOURCE;
	job->ask.pid = src->was_process ? 0 : src->ask.dso.pid;
	while (src->ask.path[0] == '/' && !src->was_own) {
		has_place = src->was_process ? src->ask.is_here : job->ask.pid > 0;

		*(src->was_process ? &src->was_own : &src->was_process) = true;
		if (has_place) {
			job_set_path(job, src->ask.path);
			return true;
		}
		job->ask.pid = 0;
	}
	job->ask.kind = SYMBOL_SOURCE_NAMED;
	for (; src->ask.dirs != NULL && src->ask.dirs[src->dir] != NULL; src->dir++, src->cut = 0) {
		while (src->cut < CUTS_MAX) {
			buf_reset(&path);
			if (!place_below(src->ask.dirs[src->dir], src->ask.path, src->cut++, &path))
				continue;
			job_set_path(job, buf_str(&path));
			buf_release(&path);
			return true;
		}
	}
	buf_reset(&path);
	has_place = !src->was_sent && sent_place(&src->ask, &path);
	src->was_sent = true;
	job->ask.kind = SYMBOL_SOURCE_SENT;
	if (has_place)
		job_set_path(job, buf_str(&path));
	buf_release(&path);
	return has_place;
}

/* Where a process is closed, this root tells of a path that is known to be of it. */
static bool
tells_more(const struct job *job)
{
	const struct source_job *src = job->source;

	return job->ask.kind == SYMBOL_SOURCE && src->was_own && src->why.sys == EACCES;
}

void
service_source_failed(struct symbol_service *s, struct job *job, const struct err *err)
{
	struct source_job *src = job->source;
	struct listing_source *source;

	/*
	 * What is wrong with a file that is there says more than that another is not, which of one
	 * that was not sent says nothing.
	 */
	if ((src->why.code == ERR_NONE && !src->was_sent) ||
	    (src->why.code == ERR_GONE && err->code != ERR_GONE) || tells_more(job))
		src->why = *err;
	if (next_place(job)) {
		msg_list_add(&s->listings_to_open, &job->msg);
		return;
	}
	source = begin(job);
	if (src->why.code == ERR_NONE)
		err_set(&src->why, ERR_GONE, 0, src->ask.path[0] == '/'
						  ? "recorded on another machine"
						  : "the debug data do not tell the folder that it was in");
	source->why = arena_strdup(&source->arena, src->why.text);
	source->remedy = "--source-dir with the folder that has the program's sources";
	answer(s, job, source);
}

void
service_begin_source(struct symbol_service *s, struct job *job)
{
	struct err none = { 0 };

	if (next_place(job))
		msg_list_add(&s->listings_to_open, &job->msg);
	else
		service_source_failed(s, job, &none);
}

static const char *
warning_of(const struct symbol_service *s, const struct job *job)
{
	if (job->source->was_sent)
		return "";
	for (size_t i = 0; i < ARRAY_SIZE(s->programs); i++)
		if (s->programs[i].dso == job->ask.dso && s->programs[i].changed_s != 0 &&
		    job->st.st_mtim.tv_sec > s->programs[i].changed_s)
			return "the file is newer than the program: its lines may be others";
	return "";
}

void
service_make_source(struct symbol_service *s, struct job *job)
{
	struct listing_source *source = begin(job);

	source->found = job->source->was_sent ? "debuginfod" : arena_strdup(&source->arena,
									      job->ask.path);
	source->warning = warning_of(s, job);
	remote_source(s->remote, job, source);
	if (source->count == 0)
		source->remedy = "--source-dir with the folder that has the program's sources";
	answer(s, job, source);
}
