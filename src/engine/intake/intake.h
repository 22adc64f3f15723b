/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_INTAKE_INTAKE_H
#define PTOP_ENGINE_INTAKE_INTAKE_H
/*
 * The room through which records come: it merges the rings of all CPUs by time, makes samples that
 * another program takes too ptop's own again, lets samples wait for what comes later, and hands each
 * record on: side-band to the model, samples to the tables, all of them to the sinks.  A recording
 * that is read uses what comes after the merge.  Engine thread only.
 */
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"
#include "record/encode.h"

struct intake;

enum { VALUES_MAX = 16384 / 8 }; /* the kernel takes no group whose values are longer */

/*
 * Who gets records beside model and tables; any member may be NULL.  Of a recording that is read only
 * other() is told: its samples go to the tables at once.
 */
struct intake_sink {
	/* Any sample but one that is repeated, first of all, whether it counts or not. */
	void (*met)(void *self, const struct record *rec);
	/* Whether a sample counts.  Sets *@tag to 0 if others like it may not. */
	bool (*wants)(void *self, const struct record *rec, uint64_t *tag);
	void (*filed)(void *self, const struct record *rec); /* one that wants() let through */
	/* A sample that counts; @tag: of record_sample_tag(), 0: it has none. */
	void (*sample)(void *self, const struct record *rec, struct bytes bytes, uint64_t tag);
	/* Whether repeat() may come in place of unwound(), of a sample with that @tag. */
	bool (*knows)(void *self, uint64_t tag);
	/* A sample that counts and is like one before with that @tag: it was not decoded. */
	void (*repeat)(void *self, struct bytes bytes, uint64_t tag, uint64_t time_ns);
	/* Whether a look may come so, and such a one. */
	bool (*knows_look)(void *self, uint64_t tag);
	void (*repeat_look)(void *self, struct bytes bytes, uint64_t tag, uint64_t time_ns);
	/* A sample that counts for each of its counters with what that has gained, in their order. */
	void (*values)(void *self, const struct record_layout *layout, const struct record *rec,
		       struct bytes bytes, const uint64_t *gains);
	/*
	 * Beside sample() or values(), of a sample with a copy of its stack: when it counts, which may
	 * be later.  @user: what was unwound, as the kernel writes chains.  @tag: that of others like it,
	 * for knows() or knows_look(); 0: there will be none.
	 */
	void (*unwound)(void *self, uint32_t task, const struct record *rec, struct bytes bytes,
			const struct record_unwound *user, uint64_t tag);
	void (*other)(void *self, const struct record *rec, struct bytes bytes); /* no sample */
	/* All of a run has been handed on; the first that is still to be unwound() is of @waits_since. */
	void (*drained)(void *self, uint64_t waits_since);
};

/* One of each part of the engine at most. */
void intake_add_sink(struct intake *in, const struct intake_sink *sink, void *self);

/* What is at an address changes between samples: asked before, and told after each stretch. */
void intake_set_horizon(struct intake *in, uint64_t (*horizon_ns)(const void *self, uint64_t limit_ns),
			void (*apply)(void *self, uint64_t until_ns), void *self);

/*
 * Looks, merged by time with what is in the rings; @layout: their number in the feed's layouts.
 * @tag: where the record_sample_tag() of one that was peeked is kept, 0: it is not known yet; NULL:
 * it is not kept.
 */
struct merge_stream;
void intake_set_stream(struct intake *in, const struct merge_stream *stream, uint32_t layout,
		       uint64_t *(*tag)(void *self, struct bytes look));

/* Takes from the rings what was written before @limit_ns; UINT64_MAX: all there is. */
void intake_run(struct intake *in, uint64_t limit_ns);
bool intake_is_pressed(struct intake *in); /* a ring is so full that it should be emptied now */
bool intake_is_full(struct intake *in);    /* half of it, which is more than drains in time leave */
uint64_t intake_pace_ns(const struct intake *in); /* between runs, so that rings do not fill */

/* For who reads records from elsewhere: one that is no sample, for the sinks, and its effect. */
void intake_other(struct intake *in, const struct record *rec, struct bytes bytes);
/*
 * Lets a sample wait whose callers in user space come later.  false: it is not such a one, or cannot
 * wait, and is to be counted as it is.  @layout: its number in the feed's layouts.
 */
bool intake_defer(struct intake *in, uint32_t event, uint32_t layout, const struct record *rec,
		     struct bytes bytes);
/*
 * Counts how long threads have waited whose waits go on, by off-cpu/exact/: up to what was taken
 * from the rings.  false: that is not yet @until_ns, or the kernel's names are on their way.
 */
bool intake_tell_waits(struct intake *in, uint64_t until_ns);
void intake_expire(struct intake *in, uint64_t before_ns); /* counts those that waited in vain */
/* Hands @rec to @take for each of its counters that gained something, with that as its period. */
void intake_values(struct intake *in, const struct record_layout *layout, struct record *rec,
		   struct bytes bytes,
		   bool (*take)(void *self, uint64_t id, const struct record *rec,
				struct bytes bytes),
		   void *self);

extern const struct engine_part intake_part;

#endif
