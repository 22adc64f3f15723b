/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PUSH_SPOOL_H
#define PTOP_PUSH_SPOOL_H
/*
 * Profiles that wait on the disk for their store, also from one run to the next: a file each, in a
 * folder of this user alone, named by their order.  Together they have a bound; beyond it the oldest
 * go.  May block.  One thread at a time, one ptop at a time.
 */
#include "base/buf.h"
#include "base/err.h"
#include "push/push.h"

struct spool;

/* The oldest, to be read. */
struct spool_item {
	int fd; /* the caller's */
	uint64_t offset, len; /* of the profile in it */
	struct push_about about;
};

/* Adds the usual folder of what is pushed to @url.  false: there is none. */
bool spool_path(const char *url, struct buf *path);

/*
 * With what is in the folder @path, "/STATE/push/NAME", which is made.  NULL: another user can have made or changed it or
 * what is in it, another ptop has it, or it cannot be; see @err.  @dropped: what had no room.
 */
struct spool *spool_open(const char *path, uint64_t bytes_max, unsigned *dropped, struct err *err);
void spool_close(struct spool *s); /* what is in it stays; NULL is allowed */

size_t spool_count(const struct spool *s);
uint64_t spool_first(const struct spool *s); /* the number of the oldest; UINT64_MAX: it is empty */
uint64_t spool_next_number(struct spool *s); /* of the next profile */

/*
 * Keeps all of the file @fd under that number; what has to go for it is added to @dropped, which can
 * be itself.  -1: errno.
 */
int spool_add(struct spool *s, uint64_t number, int fd, const struct push_about *about,
	      unsigned *dropped);

/*
 * It then stays, whatever comes, until one of the two below.  -1: the oldest cannot be used any more,
 * see @err.  Only of one that is not empty.
 */
int spool_read_first(struct spool *s, struct spool_item *item, struct err *err);
void spool_let_first_go(struct spool *s);
void spool_remove_first(struct spool *s);

#endif
