/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_FEED_IMPL_H
#define PTOP_PROFILE_FEED_IMPL_H
/* Between feed.c, which says where samples belong, and feed_held.c, which keeps those that wait. */
#include "profile/feed.h"

/* Whose a sample is: @who is @task, as it was called, or all tasks of its name. */
struct owner {
	uint32_t task, who;
};

/* Counts a sample whose space is as known as it will be.  @space NULL: it has no user part. */
void feed_file_sample(struct feed *f, uint32_t event, const struct record *rec, uint64_t tag,
		      struct owner owner, struct space *space);

/* @tries is how many others that share the space were asked before. */
void feed_want_maps(struct feed *f, uint32_t task, struct space *space, uint64_t now_ns,
		    unsigned tries);

/*
 * Keeps the record, from which @rec was decoded, until the rules of @dso are there, 0: until the
 * space is known.  False: there is no room.
 */
bool feed_hold(struct feed *f, struct space *space, uint32_t event, uint32_t task,
	       struct bytes bytes, const struct record *rec, uint32_t dso);

/* Drops all that waits. */
void feed_release_held(struct feed *f);

/*
 * Before feed_file_sample(): makes the chain of a sample with a copy of the stack.  0: done, or it
 * has none; else the dso whose rules must come first, if it @may_wait.
 */
uint32_t feed_unwind(struct feed *f, const struct record *rec, const struct space *space,
		     uint32_t task, bool may_wait);

#endif
