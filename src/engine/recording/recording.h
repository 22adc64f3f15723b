/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_RECORDING_RECORDING_H
#define PTOP_ENGINE_RECORDING_RECORDING_H
/*
 * The room that keeps raw records: the flight recorder, and perf.data files that are being written,
 * from now on or of the past.  Records come to it as a sink of intake; of events and files it is
 * told as an observer.  Engine thread only, but for what says otherwise.
 */
#include "engine/intake/intake.h"
#include "engine/leaf/engine_msg.h"
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"
#include "engine/names/names.h"
#include "engine/sampling/sampling.h"

struct recording;

/* What a round waits for, for a while: records of processes that are on their way. */
void recording_set_patience(struct recording *rg, bool (*waits)(const void *self), const void *self);

/* Before the thread is there: begins what the configuration asks for.  -1: it cannot, see @err. */
int recording_begin(struct recording *rg, struct err *err);

/* What a file of RECORD_CHANGE is around. */
struct recording_around {
	uint64_t at_ns;
	const char *text; /* what the note says of it */
};

/* A command of the user.  What comes of it is told as a note.  @around: read of RECORD_CHANGE alone. */
void recording_command(struct recording *rg, enum record_what what, const char *path,
		       const struct recording_around *around);

/* Ends what is written from now on: what was taken so far is its last. */
void recording_end(struct recording *rg);

/*
 * After the thread has ended: waits until all is written, and takes the last messages, the others of
 * which @free_msg frees.  -1: something is not whole, see @err.
 */
int recording_finish(struct recording *rg, void (*free_msg)(struct msg *m), struct err *err);

/*
 * past_samples.c: the samples that the flight recorder holds at this moment, decoded once more.
 * Each call of past_samples_next() tells those of one chunk, the newest chunk first, and the time
 * from which on it has them; false: there are no more.
 */
struct past_samples;
struct past_samples *past_samples_new(const struct recording *rg);
bool past_samples_next(struct past_samples *p, const struct recording *rg,
		       void (*take)(void *self, uint32_t event, const struct record *rec), void *self,
		       uint64_t *since_ns);
void past_samples_free(struct past_samples *p); /* NULL is allowed */

extern const struct sampling_observer recording_events;
extern const struct names_observer recording_names;
extern const struct engine_part recording_part;

#endif
