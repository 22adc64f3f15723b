/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_MOMENT_H
#define PTOP_VIEW_MOMENT_H
/*
 * Moments and stretches of time, as people write and read them: by the clock, as "10:41" or
 * "10:41:30-10:42", back from now, as "-5m..-4m", or in seconds since the beginning, as "12-18".
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/wall.h"

/* What there is, in the time of what is measured. */
struct moments {
	struct wall wall;
	uint64_t begin_ns, now_ns; /* of sampling, or of the recording: its end */
	uint64_t kept_ns;          /* the oldest that is kept begins there; 0: all is */
};

/*
 * One moment is a stretch of the unit that it is told in: a minute, or ten seconds.  What is still to
 * come of it is left out; it may begin before anything is kept.  Where it begins at a time of day that
 * has not been today, that of the day before is meant.  -1: it is none, or lies where nothing is known:
 * @err says so.
 */
int moment_parse_stretch(const char *text, const struct moments *m, uint64_t *from_ns,
			 uint64_t *to_ns, struct err *err);

/* The same of a single moment: one that is not there yet, or not kept, is none less. */
int moment_parse(const char *text, const struct moments *m, uint64_t *ns, struct err *err);

/* "10:41:30", with its day where that is not today's; without the clock "12.5 s". */
void moment_put(struct buf *b, const struct moments *m, uint64_t ns);

/* The same, with tenths of a second where @with_tenths. */
void moment_put_real(struct buf *b, uint64_t real_ns, uint64_t now_real_ns, bool with_tenths);

/* The zone that times are told in: "CET".  Valid until the next call. */
const char *moment_zone(uint64_t real_ns);

/* "40 s", "4 min", "2.5 h". */
void moment_put_length(struct buf *b, uint64_t ns);

#endif
