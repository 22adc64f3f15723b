/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_CHANGES_H
#define PTOP_ENGINE_VIEWER_CHANGES_H
/*
 * What has changed, told by itself: each second of the shown event is held against what is usual, for
 * each program and each of its functions.  Of many hosts also which is not like the others.  Engine
 * thread only.
 */
#include "base/buf.h"
#include "profile/count/profile.h"

enum { CHANGES_MAX = 64 }; /* so many are kept */

struct changes;

struct change {
	uint64_t at_ns;   /* when it began, in the time of the log */
	char *event;      /* that it is of */
	double points;    /* what its share gained, in percent of all */
	double before, after;
	char *host;       /* that is not like the others, which have @before of it; "": a change */
	char *comm, *function; /* function "": the program as a whole; of a host comm is the file */
	char *most;       /* what has half of it or more, of a program or of a caller, named or not; "": none */
	char *caller;     /* of the function, through which most of the change came; "": not known */
	char *instead;    /* what the caller calls in its place, or did; "": nothing */
};

struct changes *changes_new(void);
void changes_free(struct changes *c);

/* Looks at what the log has of @event since it was looked at last; another event begins anew. */
void changes_update(struct changes *c, const struct profile *p, uint32_t event);

/* What was told last first; NULL: there is no such. */
const struct change *changes_at(const struct changes *c, size_t n);

/*
 * All, as a person wants them: those that began last first, and of those that began within seconds of
 * each other what changed most; if another has changed about as much, what came or went.  How many.
 */
size_t changes_list(const struct changes *c, const struct change *list[CHANGES_MAX]);

/* The first of that list; NULL: there is none. */
const struct change *changes_newest(const struct changes *c);

/* The first of it that had begun by @ns; NULL: none had. */
const struct change *changes_by(const struct changes *c, uint64_t ns);

/*
 * What a header tells of them at @now_ns, of any clock: the newest, for a minute, and of those that began
 * together with it the first of the list.  What comes meanwhile waits, unless it is larger, or the same
 * has changed again.  NULL: nothing.
 */
const struct change *changes_line(struct changes *c, uint64_t now_ns);

/* "+7.2 points inflate < gzip_filter (nginx)", raw; of another event than @shown that one's name, too. */
void changes_put(struct buf *b, const struct change *change, const char *shown);

size_t changes_bytes(const struct changes *c);

#endif
