/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_CHANGE_CALLER_H
#define PTOP_ENGINE_VIEWER_CHANGE_CALLER_H
/*
 * Whose change it is: a function that has changed was called by one through which that came, and others
 * that this one calls may have changed with it, or in its place.  Engine thread only.
 */
#include "base/buf.h"
#include "profile/count/profile.h"

#define CHANGE_MOST_PART 0.5 /* of a change: what has less does not have most of it */

/* A function of a program in the samples of one event, which changed at @at_ns; looked at up to @end_ns. */
struct change_of {
	uint32_t event, comm, function; /* the latter two strings */
	uint64_t at_ns, end_ns;
};

struct change_caller {
	uint32_t name;        /* string, 0: no caller is known that most of the change came through */
	double before, after; /* its share of all, with all that it calls; or the program's */
	bool is_together;     /* it has changed by clearly more: others that it calls have changed, too, */
	bool is_program;      /* and that is what the program has changed by */
	uint32_t instead;     /* string: what it calls in place of the function, or did, 0: nothing */
};

/* By the call chains that the log has of the time before and after. */
void change_caller_find(const struct profile *p, const struct change_of *what, struct change_caller *out);

/*
 * What has most of the program's @change, a share of all: added to @out as the screen names it, code
 * without a name by where it is.  Nothing is added: none has.
 */
void change_caller_put_most(const struct profile *p, const struct change_of *what, double change,
			    struct buf *out);

#endif
