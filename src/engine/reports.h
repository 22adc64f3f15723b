/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_REPORTS_H
#define PTOP_ENGINE_REPORTS_H
/*
 * Reports wait: for names, for debug files that are being downloaded, for source lines.  Meanwhile
 * the loop goes on, and steps the report instead of its source.  The screen never waits.
 */
#include "engine/rooms.h"

/* Begins one, for the refresh that was due at @now_ns; @is_last: nothing is sampled after it. */
void reports_begin(struct engine *e, bool is_last, uint64_t now_ns);

static inline bool
reports_are_waiting(const struct engine *e)
{
	return e->report.step != 0;
}

/* Goes on with it; true: it has been sent. */
bool reports_step(struct engine *e);

/* A refresh that waits for nothing: the interval ends, and what the query gives is sent. */
void reports_refresh(struct engine *e, uint64_t now_ns);

/* Sends what the query gives now. */
void reports_show(struct engine *e);

/* Sends that nothing more will come, once. */
void reports_end(struct engine *e);

#endif
