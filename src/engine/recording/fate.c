/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/recording/fate.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

void
fate_release(struct fate *f)
{
	free(f->path);
}

/* The file is not there yet, and the folder is not looked at, which may block. */
void
fate_tell_begun(struct notes *notes, const char *path)
{
	char *folder = path[0] != '/' ? getcwd(NULL, 0) : NULL;

	notes_keep(notes, "recording until w ends it: %s%s%s", folder != NULL ? folder : "",
		   folder != NULL ? "/" : "", path);
	free(folder);
}

/* What became of RECORD_OWN, which has asked alone. */
static void
tell_own(struct notes *notes, const struct err *err, const char *path)
{
	struct buf b = { 0 };

	buf_addf(&b, "%s%s%s", err->text, *err->hint != '\0' ? "; " : "", err->hint);
	if (err->code == ERR_NONE)
		notes_send(notes, ENGINE_MSG_RECORDED, false, path);
	else
		notes_send(notes, ENGINE_MSG_RECORDED, true, b.data);
	buf_release(&b);
}

void
fate_tell_refused(struct notes *notes, enum record_what what, const struct err *err)
{
	if (what == RECORD_OWN)
		tell_own(notes, err, "");
	else
		notes_fail(notes, err);
}

/* Of what goes on it is known only at the end how much is missing. */
static void
tell_failure(struct notes *notes, const struct recorder_ended_msg *m, bool is_active)
{
	char missing[64] = "";

	if (m->is_made && !is_active)
		snprintf(missing, sizeof(missing), "; %llu samples are not in it",
			 (unsigned long long)recorder_missing(m));
	notes_refuse(notes, "the recording ends here: %s%s%s%s", m->err.text, *m->err.hint ? "; " : "",
		     m->err.hint, missing);
}

void
fate_tell_ended(struct fate *f, struct notes *notes, const struct recorder_ended_msg *m, const char *about,
		bool is_active)
{
	if (m->how & RECORDER_OWN) {
		tell_own(notes, &m->err, m->path);
	} else if (m->err.code != ERR_NONE) {
		f->is_noted |= f->err.code == ERR_NONE;
		tell_failure(notes, m, is_active);
	} else {
		notes_keep(notes, "written: %s%s%s, %llu sample%s, %.1f MiB%s", about,
			   *about != '\0' ? ": " : "", m->path,
			   (unsigned long long)m->samples, text_plural(m->samples),
			   (double)m->bytes / (1 << 20),
			   m->lost > 0 ? ", some lost: the disk was too slow" : "");
	}
}

bool
fate_keep(struct fate *f, const struct recorder_ended_msg *m)
{
	if (m->err.code == ERR_NONE || f->err.code != ERR_NONE || (m->how & RECORDER_OWN))
		return false;
	f->err = m->err;
	if (!m->is_made)
		return false;
	f->path = mem_strdup(m->path);
	f->written = m->samples;
	f->missing = recorder_missing(m);
	return true;
}

void
fate_count_missing(struct fate *f, uint64_t samples)
{
	f->missing += samples;
}

/* Why, and what to do, was told when it ended, if it was noted. */
int
fate_describe(const struct fate *f, struct err *err)
{
	if (f->err.code == ERR_NONE)
		return 0;
	if (err == NULL)
		return -1;
	*err = f->err;
	if (f->path == NULL || f->missing == 0)
		return -1;
	err_set(err, ERR_IO, f->err.sys, "'%s' is not whole: %llu of %llu samples are not in it", f->path,
		(unsigned long long)f->missing, (unsigned long long)(f->missing + f->written));
	if (!f->is_noted)
		err_hint(err, "%s", f->err.hint);
	return -1;
}
