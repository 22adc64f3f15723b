/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_FEED_H
#define PTOP_PROFILE_COUNT_FEED_H
/*
 * From a sample record to counts: who, where, called from where.  What is not known yet is noted
 * here as a question; the engine carries these to threads that may block.  Samples of a process
 * whose maps are on their way are held back, bounded, and counted when they are there.  Engine
 * thread only.
 */
#include "profile/count/cache.h"
#include "profile/count/profile.h"
#include "profile/count/unwinder.h"
#include "profile/count/wait_names.h"
#include "record/layouts.h"

/* The maps of the process of @task are wanted; answered with feed_learn_maps(). */
struct maps_ask {
	uint32_t cookie;
	uint32_t task;
	int pid;
};

/* The name of a task that was there before the sampling began. */
struct comm_ask {
	uint32_t task;
	int pid, tid;
};

struct asked_space {
	uint32_t cookie, task, execs;
	int pid;
	unsigned tries; /* others that share the space who were asked before */
	uint64_t since_ns;
	struct space *space; /* one reference */
	/*
	 * What it became while the answer is on its way, if there are samples of that: one reference, or
	 * NULL.  So there is one question at a time, however often the process changes its maps.
	 */
	struct space *follower;
	bool was_doubtful;   /* it had maps of which records were lost */
	uint64_t took_ns;    /* the reading */
};

/* The symbols of @dso are wanted, mapped by @pid at start..end. */
struct image_ask {
	uint32_t dso;
	int pid;
	uint64_t start, end;
};

/* Samples that wait for answers, in the order in which they came; see feed_held.c. */
struct held_queue {
	struct held *items;
	size_t item_len, item_cap;
	uint8_t *bytes; /* their records, and those of some that were counted meanwhile */
	size_t len, cap;
	size_t done;      /* bytes of these */
	size_t populated; /* bytes of the room whose pages are there */
};

/* What is remembered of samples that are alike, see memo.c. */
struct memos {
	uint64_t *marks;           /* a set in a word; 0: empty.  NULL: there are none yet */
	struct sample_memo *items; /* each a cache line, within */
	void *room;
	uint32_t sets;             /* a power of two */
	uint32_t turn;             /* which of those that a tag can have gives way next */
	uint32_t *summed;          /* those that hold samples not counted yet */
	size_t summed_len;
};

struct feed {
	struct model *model;
	struct locations *locations;
	struct profile *profile;
	const struct record_layouts *layouts; /* of live records: held ones are decoded again */
	bool targets_only;     /* drop samples of tasks that are no targets */
	bool no_chains;        /* nothing will ask for call trees */
	struct cache addresses;
	struct cache stacks;
	struct root_memo { uint32_t who, event, node; } roots[64]; /* by the low bits of who */
	struct memos memos;        /* of samples, */
	struct memos look_memos;   /* and of looks: threads by the thousand, each at a place of its own */
	uint32_t changes;          /* of the states of spaces, made here */
	uint64_t memo_labels;      /* labels.want when they were made, */
	uint32_t memo_field;       /* and split.turn */
	struct fresh_sample *fresh; /* first ones of a memo, not counted yet */
	size_t fresh_len;
	uint64_t summed_ns;        /* time of the last of them */
	uint32_t roots_epoch; /* profile.epoch when they were valid */

	struct maps_ask *maps;
	struct image_ask *images;
	struct comm_ask *comms;
	size_t map_len, map_cap, image_len, image_cap, comm_len, comm_cap;

	struct asked_space *asked;
	size_t asked_len, asked_cap;
	uint32_t next_cookie;

	struct held_queue held;        /* those without a copy of the stack */
	struct held_queue held_stacks; /* those with one, which are large */

	struct wait_names wait_names;
	struct unwinder unwinder;
	uint64_t trusted_lock; /* of a look that was counted last: the word of a lock with an owner; 0 */
	bool is_unwound;       /* the unwinder's chain is of the sample that is being counted */
	/*
	 * Told of each sample with a copy of its stack when it is counted, but for repeated ones; NULL:
	 * nobody is.  @tag: as feed_repeat() has it, 0: it will not be repeated.
	 */
	void (*counts)(void *self, uint32_t task, const struct record *rec, struct bytes bytes,
		       uint64_t tag);
	void *counts_self;

	uint64_t dropped;      /* samples of tasks that are no targets */
	uint64_t unmapped;     /* spaces whose samples were counted without maps: asked too late */
	uint64_t denied;       /* the same: they may not be read */
	uint64_t unwaited;     /* samples for which there was no room to wait for unwind rules */
};

void feed_init(struct feed *f, struct model *model, struct locations *locations,
	       struct profile *profile, const struct record_layouts *layouts);
void feed_release(struct feed *f);

/* Places that were found may be others now: each is looked for anew. */
void feed_forget_places(struct feed *f);

/*
 * Counts a sample of @event; @bytes is its record, from which @rec was decoded, and @tag its
 * record_sample_tag() or record_copy.tag, by which it is remembered, to be counted by feed_flush(); 0:
 * it is not.  false: it is of no target, and dropped.
 */
bool feed_sample(struct feed *f, uint32_t event, const struct record *rec, uint64_t tag,
		 struct bytes bytes);

/* Whether feed_sample() would count it, and the task that it is of. */
bool feed_wants(struct feed *f, const struct record *rec, uint32_t *task);

/*
 * The tag for feed_repeat() of a sample with a copy of its stack: of all that tells where it is and who
 * called.  0: no chain is known that it must have.
 */
uint64_t feed_copy_tag(const struct feed *f, const struct record_copy *s);

/*
 * Counts a sample of that @period where one with the same @tag was counted, a memo hit: it need not
 * be decoded.  It is in the tables from feed_flush() on.  false: there is no memo.  @tag is not 0.
 */
bool feed_repeat(struct feed *f, uint64_t tag, uint64_t period, uint64_t time_ns);
/* The same of a look (record/look.h). */
bool feed_repeat_look(struct feed *f, uint64_t tag, uint64_t period, uint64_t time_ns);

/* Other threads have trees of their own now: memos of these lead elsewhere. */
void feed_learn_trees(struct feed *f);

/* Drops all memos: feed_repeat() finds none. */
void feed_forget_alike(struct feed *f);

/* What memos take, and the most that they can. */
size_t feed_memo_bytes(const struct feed *f);
size_t feed_memo_max_bytes(void);

/*
 * Counts in the tables what feed_sample() and feed_repeat() counted with a tag.  Call before
 * anything reads the tables or folds them.
 */
void feed_flush(struct feed *f);

/* A map as /proc has it. */
struct feed_map {
	struct map map; /* dso is not set */
	uint32_t maj, min;
	uint64_t ino;
	const char *path;
};

/*
 * The answer to a maps_ask: @maps NULL if they cannot be had.  @clock_ns is when they were read:
 * all records older than that must have been applied.
 */
void feed_learn_maps(struct feed *f, uint32_t cookie, const struct feed_map *maps, size_t len,
		     uint64_t clock_ns);

/* Call it before an answer without maps, where they are there, but may not be read. */
void feed_deny_maps(struct feed *f, uint32_t cookie);

/* Call it before an answer: the CPU time of the reading.  Of what takes long not much is read. */
void feed_cost_of_maps(struct feed *f, uint32_t cookie, uint64_t took_ns);

/* The rules of @dso, taken, NULL if there are none: the answer to one of unwinder.asks. */
void feed_learn_rules(struct feed *f, uint32_t dso, struct unwind_rules *rules);

/* The symbols of @dso are there, or there are none: counts what has waited for them. */
void feed_learn_image(struct feed *f, uint32_t dso);

/* Counts what still waits for unwind rules with what there is of its chain. */
void feed_end_waiting(struct feed *f);

/* The time of the first sample with a copy of its stack that waits; UINT64_MAX: none does. */
uint64_t feed_waits_since(const struct feed *f);

/* How many samples of @event wait for answers. */
size_t feed_waiting(const struct feed *f, uint32_t event);

/* Bytes of samples that wait, and the most of them. */
size_t feed_held_bytes(const struct feed *f);
size_t feed_held_max(void);

/* The name of @task is wanted, if it is not known: of one that was there before the sampling. */
void feed_want_comm(struct feed *f, uint32_t task);

/* Counts what waits for answers since before @before_ns as unmapped: the reader hangs. */
void feed_expire(struct feed *f, uint64_t before_ns);

#endif
