/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_FALLBACK_H
#define PTOP_LIVE_OPEN_FALLBACK_H
/* What is asked of the kernel when it has refused an event: the table of what can be left out. */
#include "live/open/open.h"

/* One attempt that failed. */
struct refusal {
	int sys;
	uint32_t size; /* as the kernel wrote it back */
};

/*
 * Asks for less.  true: worth another attempt.  What an old kernel may lack is tried with an event
 * that asks for nothing else, so that nothing is left out by a guess.
 */
bool fall_back(const struct sys *sys, struct open_plan *p, const struct refusal *r);

#endif
