/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_AGENDA_H
#define PTOP_ENGINE_LEAF_AGENDA_H
/*
 * What is due, and when.  A leaf: rooms say what they want done, the loop does it and keeps the
 * times.  Engine thread only.
 */
#include "base/clock.h"
#include "base/err.h"

enum agenda_want {
	AGENDA_SHOW = 1 << 0,    /* there is something new: with the next picture */
	AGENDA_HURRY = 1 << 1,   /* the same, and it is worth a picture now */
	AGENDA_ANSWER = 1 << 2,  /* a picture at once: the user waits for it */
	AGENDA_DRAIN = 1 << 3,   /* rings are to be emptied now */
	AGENDA_TICK = 1 << 4,    /* /proc is to be read now */
	AGENDA_CATCH_UP = 1 << 5, /* sampling_caught_up(), once all that was written so far is counted */
};

struct agenda {
	unsigned wants; /* enum agenda_want */
	uint64_t next_drain_ns, next_refresh_ns, next_tick_ns, next_hurry_ns, next_beat_ns;
	uint64_t next_cut_ns;    /* an interval ends, for a window to begin; UINT64_MAX: none */
	uint64_t delay_ns;       /* between refreshes */
	uint64_t fresh_since_ns; /* the start, or when another event was shown */
	bool is_over;            /* the engine ends: */
	struct err why;          /* code ERR_NONE: in order */
};

static inline void
agenda_want(struct agenda *a, unsigned wants)
{
	a->wants |= wants;
}

/* Kept on the beat, unless the machine was too busy or asleep. */
static inline void
agenda_plan_refresh(struct agenda *a, uint64_t now_ns)
{
	a->next_refresh_ns += a->delay_ns;
	if (a->next_refresh_ns <= now_ns)
		a->next_refresh_ns = now_ns + a->delay_ns;
}

/* What is shown from now on is new: there is hurry as after the start. */
static inline void
agenda_begin_anew(struct agenda *a)
{
	a->fresh_since_ns = clock_mono_ns();
}

/* There is no point in going on; @why NULL: nothing is wrong. */
static inline void
agenda_end(struct agenda *a, const struct err *why)
{
	a->is_over = true;
	if (why != NULL)
		a->why = *why;
}

#endif
