/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_MEMO_H
#define PTOP_PROFILE_MEMO_H
/*
 * Samples that are alike, recognised by the tag of their record: feed_again() and feed_flush() are
 * here, and what feed.c, which files all others, tells them.
 */
#include "profile/feed.h"

void memo_init(struct feed *f);
void memo_release(struct feed *f);

/*
 * Remembers what the sample @s with that @tag was counted in; a tag of 0 is not remembered.
 * @space NULL: the sample has no user part.
 */
void memo_set(struct feed *f, uint64_t tag, const struct profile_sample *s,
	      const struct profile_ids *ids, const struct space *space);

#endif
