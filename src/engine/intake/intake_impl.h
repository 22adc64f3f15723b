/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_INTAKE_INTAKE_IMPL_H
#define PTOP_ENGINE_INTAKE_INTAKE_IMPL_H
/*
 * What the files of this room share; nobody else includes it.  foreign_samples.c, values.c,
 * deferred_samples.c, switch_samples.c and pair_samples.c each treat one kind of samples, effects.c
 * what is no sample; intake.c takes from the rings and hands on.
 */
#include "engine/intake/deferred.h"
#include "engine/intake/intake.h"
#include "engine/leaf/losses.h"
#include "engine/leaf/other_records.h"
#include "engine/leaf/sample_ids.h"
#include "profile/count/feed.h"
#include "record/gains.h"
#include "record/merge.h"

enum { FOREIGN_BYTES_MAX = 4 << 20 };

struct intake {
	const struct file_policy *policy;
	struct stream_clock *clock;
	struct own_cost *cost;
	struct measured *measured;
	struct losses *losses;
	struct sample_ids *ids;
	const struct record_layouts *layouts; /* of live records */
	struct model *model;
	struct locations *locations;
	struct profile *profile;
	struct feed *feed;
	struct session *session;

	struct {
		const struct intake_sink *ops;
		void *self;
	} sinks[ENGINE_PARTS_MAX];
	size_t sink_count;
	uint64_t (*horizon_ns)(const void *self, uint64_t limit_ns);
	void (*apply)(void *self, uint64_t until_ns);
	void *horizon_self;

	struct merge_stream stream; /* intake_set_stream(); its peek NULL: there is none */
	uint64_t *(*stream_tag)(void *self, struct bytes look);
	uint32_t stream_layout;
	struct merge *merge;
	struct merge_stream *streams;
	size_t stream_cap;
	uint64_t pace_ns;
	uint64_t taken_ns;      /* the newest time of a record taken from a ring */

	struct buf rewritten, postponed; /* foreign_samples.c */
	struct deferred *deferred;       /* NULL until a chain comes later */
	struct switch_samples *switches; /* NULL until there is one */
	struct pair_samples *pairs;      /* the same */
	struct gains gains;              /* of counters whose values samples carry */
	struct other_records others;
};

/* foreign_samples.c */
bool foreign_has_own_time(const struct intake *in, uint64_t time_ns); /* of a live sample */
enum sample_fate {
	SAMPLE_AS_IT_IS,  /* it is ptop's own */
	SAMPLE_REWRITTEN, /* a copy now, valid until the next call */
	SAMPLE_POSTPONED, /* until foreign_next() gives it */
	SAMPLE_OF_NONE,   /* of which event is not known, nor what it carries; it is counted as lost */
};
/* Gives a live sample, which tells @time_ns, an id and a time of ptop's own. */
enum sample_fate foreign_make_own(struct intake *in, struct bytes *bytes, uint64_t time_ns);
/* The next of those postponed between the bytes *@at and @len; false: there is none. */
bool foreign_next(struct intake *in, size_t *at, size_t len, struct bytes *out);

/* switch_samples.c: waits, of which switches are begin and end */
struct switch_samples;
void switch_samples_free(struct switch_samples *s); /* NULL is allowed */
/* Whether the sample is of an event that is made of them: it is not counted as it is. */
bool switch_samples_take(struct intake *in, uint32_t event, uint32_t layout,
			 const struct record *rec, struct bytes bytes);
bool switch_samples_other(struct intake *in, const struct record *rec); /* it is for nobody else */
void switch_samples_drained(struct intake *in);
void switch_samples_put(const struct intake *in, struct buf *b);
size_t switch_samples_held(const struct intake *in); /* bytes */

/* pair_samples.c: tracepoints that are begin and end of something */
struct pair_samples;
void pair_samples_free(struct pair_samples *p); /* NULL is allowed */
/* Whether the sample is of such an event: it is not counted as it is. */
bool pair_samples_take(struct intake *in, uint32_t event, uint32_t layout, const struct record *rec,
		       struct bytes bytes);
void pair_samples_other(struct intake *in, const struct record *rec);
void pair_samples_put(const struct intake *in, struct buf *b);
size_t pair_samples_held(const struct intake *in); /* bytes */
size_t pair_samples_bound(void);

/* To the sinks: a sample that counts. */
static inline void
intake_tell_sample(struct intake *in, const struct record *rec, struct bytes bytes, uint64_t tag)
{
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->sample != NULL)
			in->sinks[i].ops->sample(in->sinks[i].self, rec, bytes, tag);
}

/* deferred_samples.c: a chain that samples wait for */
void deferred_samples_join(struct intake *in, const struct record *rec);

#endif
