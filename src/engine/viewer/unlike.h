/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_UNLIKE_H
#define PTOP_ENGINE_VIEWER_UNLIKE_H
/*
 * Which host is not like the others: what each has of its functions in the seconds of the last minute
 * is held against what all the others have together.  Pure; one thread.
 */
#include "base/util.h"

struct unlike;

struct unlike *unlike_new(void);
void unlike_free(struct unlike *u); /* NULL is allowed, here and below */
size_t unlike_bytes(const struct unlike *u);

/* A function on a host. */
struct unlike_key {
	uint32_t host, dso;
	uint32_t name; /* 0: it has none, and counts for the host alone */
};

/* It has had that in the second that is being summed. */
void unlike_add(struct unlike *u, const struct unlike_key *key, double period, double samples);

struct unlike_row {
	struct unlike_key key;
	double share, others; /* what the host has of its own time, and the others have of theirs */
	unsigned seconds;     /* in the last so many */
};

/*
 * The second is over.  true: a host is not like the others, none of which is as far from the rest, in
 * the row that differs most.  That is told once while it stays so, and of a host once a minute.
 */
bool unlike_end_second(struct unlike *u, struct unlike_row *row);

#endif
