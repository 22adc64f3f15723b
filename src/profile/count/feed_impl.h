/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_FEED_IMPL_H
#define PTOP_PROFILE_COUNT_FEED_IMPL_H
/*
 * What the files of the feed share.  Each builds on those before it: feed_place.c says where a
 * sample is, feed_count.c counts one that nothing is missing of, feed_held.c keeps those that wait,
 * and counts them when they are due, feed.c takes each as it comes.
 */
#include "profile/count/feed.h"
#include "record/lock_call.h"

/* Whose a sample is: @who is @task, as it was called, or all tasks of its name. */
struct owner {
	uint32_t task, who;
	bool is_crowd; /* @who is all of its name */
};

/*
 * feed_owner.c: who a sample of @task at that time is counted for: @task as it is called now, or, if
 * it is young and of a crowd, those of its name that ended.
 */
struct owner feed_owner(struct feed *f, uint32_t task, uint64_t time_ns);

/* Where an address is; the location is that of a frame, see locations_frame(). */
struct code_at {
	uint32_t location, dso;
	uint64_t offset;
};

/* Where the sample itself is.  @space NULL: it has no user part. */
struct code_at feed_place_leaf(struct feed *f, const struct record *rec, struct space *space,
			       int pid);

/* The same of an address of the program. */
struct code_at feed_place_user(struct feed *f, const struct space *space, int pid, uint64_t addr);

/* The location of one end of a branch: samples tell no mode of it. */
uint32_t feed_locate_branch(struct feed *f, struct space *space, int pid, uint64_t addr);

/* Whether its stacks are told as its own, not as its process's. */
static inline bool
feed_has_own_tree(const struct feed *f, const struct task *t)
{
	return !model_task_at(f->model, t->process)->has_one_tree ||
	       t == model_task_at(f->model, f->profile->keep_thread);
}

enum { FEED_FRAMES_MAX = 512 }; /* of one half of a chain */

/* One half of a call chain, kernel or user, innermost first, without the sample's own place. */
struct half_chain {
	uint64_t addrs[FEED_FRAMES_MAX];
	size_t len;
};

/* Looks half a chain up in the tree: what it hangs from, and how its frames are told apart. */
struct chain_walk {
	const struct half_chain *half;
	struct space *space; /* NULL: the kernel's */
	int pid;
	uint32_t root;
	uint64_t seed; /* of the tags */
	uint64_t tag;  /* of all of it */
	uint64_t words[FEED_FRAMES_MAX]; /* if places are known by file */
	bool is_by_file;
};

/* Those that called a sample's function; the walk is of their first half. */
struct callers {
	struct half_chain kernel, user;
	struct chain_walk walk;
};

/*
 * The node of the tree of @who that the sample's callers lead to; @is_shared: many processes have that
 * tree.  In two steps: the first prefetches what the second looks at first, while other things are done
 * for the sample.
 */
void feed_begin_callers(struct feed *f, struct callers *c, const struct record *rec, uint32_t event,
			uint32_t who, bool is_shared, struct space *space);
uint32_t feed_end_callers(struct feed *f, struct callers *c, int pid);

static inline bool
feed_is_user(const struct record *rec)
{
	return (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

/*
 * feed_wait.c: what a look waits for, by its call and its stack, which feed_unwind() has made.
 * @space NULL: nothing is known of it.
 */
struct feed_wait {
	enum wait_kind kind;
	enum lock_call call; /* of futex(2) */
	bool is_nameless;    /* the names that would tell are on their way, and there was no room to wait */
};

struct feed_wait feed_wait_of(struct feed *f, const struct record *rec, struct space *space, int pid);

/* What it waits for is its place, and where it does the first of its callers. */
struct code_at feed_place_wait(const struct feed_wait *w);

/* The word that it waits for, if that is of a lock whose owner is to be believed in; 0: it is not. */
uint64_t feed_trusted_lock(const struct feed_wait *w, const struct record_sample *s);

/* Adds the lock and who holds it, the condition, file or peer; nothing if it is not known. */
void feed_put_wait(struct buf *b, const struct feed_wait *w, const struct record_sample *s);

/* The location of the innermost function that is not of the library that made the call; 0: none. */
uint32_t feed_wait_at(struct feed *f, const struct record *rec, struct space *space, int pid);

/*
 * memo.c: samples that are alike, recognised by the tag of their record.  feed_repeat() and
 * feed_flush() are there as well.
 */
void memo_init(struct feed *f);
void memo_release(struct feed *f);

/*
 * Remembers the sample @s of @task with that @tag: it is counted, with others like it, from
 * feed_flush() on.
 * @space NULL: it has no user part.  false: it cannot be remembered, as with a tag of 0.
 */
bool memo_remember(struct feed *f, uint64_t tag, const struct profile_sample *s, uint32_t task,
		   const struct space *space);
bool memo_remember_look(struct feed *f, uint64_t tag, const struct profile_sample *s, uint32_t task,
			const struct space *space);

/*
 * Before feed_count(): makes the chain of a sample with a copy of the stack.  0: done, or it
 * has none; else the dso whose rules must come first, if it @may_wait, or whose symbols: names tell
 * what some looks are.
 */
uint32_t feed_unwind(struct feed *f, const struct record *rec, struct space *space, uint32_t task,
		     bool may_wait);

/* Asks for the symbols of a sample's own place, if it has some soon: while it waits for rules. */
void feed_want_own_image(struct feed *f, const struct record *rec, const struct space *space, int pid);

/*
 * The first dso that the chain of @s, or the one that was just made of it, leads through and whose symbols are on their
 * way, 0: none; nor is there where too much waits already.
 */
uint32_t feed_lacks_image(struct feed *f, const struct record_sample *s, const struct space *space,
			  int pid);

/* Tells of a sample that feed_unwind() was called for, and that counts now. */
static inline void
feed_tell_counts(struct feed *f, uint32_t task, const struct record *rec, struct bytes bytes,
		 uint64_t tag)
{
	if (f->counts != NULL && (rec->sample.carries & PERF_SAMPLE_STACK_USER))
		f->counts(f->counts_self, task, rec, bytes, tag);
}

/* Counts a sample whose space is as known as it will be.  @space NULL: it has no user part. */
void feed_count(struct feed *f, uint32_t event, const struct record *rec, uint64_t tag,
		struct owner owner, struct space *space);

/* feed_held.c: counts what waited for the maps of @space. */
void feed_count_held(struct feed *f, const struct space *space);

/* feed_maps.c: who asked is answered no more. */
void feed_release_asked(struct feed *f);

/*
 * A sample needs @space, of @task's process, which is not known: asks for its maps, unless that is
 * done already, or took so long that it is to wait.
 */
void feed_want_maps(struct feed *f, uint32_t task, struct space *space, uint64_t now_ns);

/*
 * Keeps the record, from which @rec was decoded, until the rules of @dso are there, 0: until the
 * space is known.  False: there is no room, or its id is not known any more, by which it is decoded.
 */
bool feed_hold(struct feed *f, struct space *space, uint32_t event, uint32_t task,
	       struct bytes bytes, const struct record *rec, uint32_t dso);

/* Drops all that waits. */
void feed_release_held(struct feed *f);

#endif
