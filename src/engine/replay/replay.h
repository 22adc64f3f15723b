/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_REPLAY_REPLAY_H
#define PTOP_ENGINE_REPLAY_REPLAY_H
/*
 * The room that reads a recording in place of sampling: the same model, tables and answers, fed from
 * a file.  Time is the recording's own.  Engine thread only, but for what says otherwise.
 */
#include "engine/intake/intake.h"
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"

struct payload_formats;
struct replay;
struct filter;
struct query;
struct record_layouts;

/* What is asked of whoever names code while records are read. */
struct replay_names {
	bool (*await_files)(const void *self); /* of files that make a difference to how is counted */
	bool (*change_by_time)(const void *self); /* what is at an address may do so */
	void (*go_on)(void *self, uint64_t now_ns); /* records have come so far */
	uint64_t (*horizon_ns)(const void *self, uint64_t limit_ns);
	void (*end)(void *self); /* no more records will come */
};

/* Opens the recording of @config; NULL: see @err. */
struct replay *replay_open(const struct engine_config *config, struct err *err);
const struct file_policy *replay_policy(const struct replay *rp);
struct payload_formats *replay_formats(const struct replay *rp); /* of its tracepoints; to be freed.  NULL: it has none */
const struct record_layouts *replay_layouts(const struct replay *rp); /* of its records */

/* Ends a read that waits for a pipe.  Any thread.  NULL is allowed. */
void replay_interrupt(struct replay *rp);

/* What @env has is there now; @q is the query to begin with, @filter its filter. */
void replay_begin(struct replay *rp, const struct engine_env *env, struct intake *in,
		  const struct replay_names *names, void *self);
/* @watch is called each second of the recording, before the dead are forgotten, and at its end. */
void replay_observe(struct replay *rp, void (*watch)(void *self, uint64_t now_ns), void *self);
/* Chooses what is kept, by what a report will show.  Before the first record. */
void replay_choose(struct replay *rp, const struct query *q, const struct filter *filter,
		   bool shows_lines);

/* Reads on, for a bounded number of records, unless names are waited for. */
void replay_step(struct replay *rp);
bool replay_is_done(const struct replay *rp);
bool replay_awaits_names(const struct replay *rp);
void replay_finish(struct replay *rp); /* a report of what is read so far is wanted */
/* What was counted last is in an interval, too: what had to wait for names. */
void replay_end_interval(struct replay *rp);

extern const struct engine_part replay_part;

#endif
