/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_WINDOW_H
#define PTOP_PROFILE_COUNT_WINDOW_H
/*
 * Windows: the sums over whole intervals that cells have beside those since the start.  What profile.h
 * declares of them is here, too.  Engine thread only.
 */
#include "profile/count/profile.h"

/* The interval, which is the newest, comes into its event's window, if that ends now. */
void window_take(struct profile *p, const struct interval *iv);

/*
 * Intervals are merged into one: window_leave() for each of them, which says whether it was in the
 * window, then window_enter() for the new one, if it is to be.
 */
bool window_leave(struct profile *p, enum log_tier tier, uint64_t serial, const struct interval *iv);
void window_enter(struct profile *p, struct interval *iv);

#endif
