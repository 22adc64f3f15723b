/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_ENV_H
#define PTOP_ENGINE_LEAF_ENV_H
/*
 * What a room is handed when it is made: leaves that all share, and handles.  Who makes, writes
 * and reads each is in doc/architecture.md.  It outlives all rooms.  Engine thread only, after
 * engine_start().
 */
#include "base/clock.h"
#include "base/wall.h"
#include "engine/leaf/agenda.h"
#include "engine/leaf/ends.h"
#include "engine/leaf/engine_config.h"
#include "engine/leaf/file_policy.h"
#include "engine/leaf/marks.h"
#include "engine/leaf/measured.h"
#include "engine/leaf/notes.h"
#include "engine/leaf/own_cost.h"

struct users;

/* Questions to /proc for maps: this bit of the cookie tells those of sampling from those of names. */
#define COOKIE_OF_PLACES (1u << 31)

struct engine_env {
	const struct engine_config *config;
	const struct event_env *events; /* where events are described */
	const struct file_policy *policy;
	struct queue *answers; /* to the engine's thread, of those who may block */

	struct agenda *agenda;
	struct notes *notes;
	struct stream_clock *clock;
	struct own_cost *cost;
	struct measured *measured;
	struct ends *ends;
	struct losses *losses;
	struct marks *marks;
	struct sample_ids *ids;
	const struct record_layout *layout; /* of live records, but of samples of some events */

	struct model *model;
	struct locations *locations;
	struct profile *profile;
	struct feed *feed;
	bool counts_alone;       /* reports of counters: nothing else is measured */
	struct session *session; /* NULL: nothing is sampled, a recording is read */
	struct proc_reader *proc; /* NULL: the same */
	struct symbol_service *symbols;
	const struct users *users; /* their names */
};

/*
 * The time of what is measured: CLOCK_MONOTONIC while it is sampled, that of its records while a
 * recording is read.  Whoever brings records sets it; all others read it.  Engine thread only.
 */
struct stream_clock {
	uint64_t begin_ns;      /* the start of sampling; of a recording the first time that counts */
	uint64_t counted_to_ns; /* all records that are older have been counted */
	uint64_t rings_since_ns; /* the newest ring is read; what it had before is no loss of order */
	uint64_t from_ns, to_ns; /* of a recording: what counts is in between; 0: all of it */
	bool is_recorded;        /* time goes on with the records alone */
	struct wall wall;        /* the time of day of each moment; of a recording, if it tells */
};

/* Now, in the time of what is measured. */
static inline uint64_t
stream_clock_now_ns(const struct stream_clock *c)
{
	return c->is_recorded ? c->counted_to_ns : clock_mono_ns();
}

#endif
