/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_MEMO_H
#define PTOP_PROFILE_COUNT_MEMO_H
/*
 * Samples that are alike, recognised by the tag of their record.  feed_repeat() and feed_flush()
 * are here as well; feed_count() says what is remembered.
 */
#include "profile/count/feed.h"

void memo_init(struct feed *f);
void memo_release(struct feed *f);

/*
 * Remembers the sample @s of @task with that @tag: it is counted, with others like it, from
 * feed_flush() on.
 * @space NULL: it has no user part.  false: it cannot be remembered, as with a tag of 0.
 */
bool memo_remember(struct feed *f, uint64_t tag, const struct profile_sample *s, uint32_t task,
		   const struct space *space);

#endif
