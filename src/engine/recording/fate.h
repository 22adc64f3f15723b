/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_RECORDING_FATE_H
#define PTOP_ENGINE_RECORDING_FATE_H
/*
 * What becomes of recordings, in words: notes while ptop runs, and for its end the first one that is
 * not whole.  Engine thread only.
 */
#include "engine/leaf/engine_msg.h"
#include "engine/leaf/notes.h"
#include "engine/recording/recorder.h"

/* Of the first that failed.  All zero: none did. */
struct fate {
	struct err err;
	bool is_noted;             /* what to do about it was said, when it came */
	char *path;                /* of the file that ended too early; NULL: there is none */
	uint64_t written, missing; /* its samples, and those since then that are not in it */
};

void fate_release(struct fate *f);

void fate_tell_begun(struct notes *notes, const char *path);
void fate_tell_refused(struct notes *notes, enum record_what what, const struct err *err);

/*
 * Before it is kept.  @about: what it is of, "": nothing is to be said of that.  @is_active: more would
 * have come, and it is not known yet how much is missing.
 */
void fate_tell_ended(struct fate *f, struct notes *notes, const struct recorder_ended_msg *m,
		     const char *about, bool is_active);

/* Keeps it if it is the first that failed.  true: what is measured from now on is missing in its file. */
bool fate_keep(struct fate *f, const struct recorder_ended_msg *m);
void fate_count_missing(struct fate *f, uint64_t samples);

/* 0: all are whole.  -1: one is not; @err, which may be NULL, says how much is missing. */
int fate_describe(const struct fate *f, struct err *err);

#endif
