/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_LASTS_H
#define PTOP_PROFILE_COUNT_LASTS_H
/*
 * What threads were seen to do last in an interval, of those that waited for a lock: such a wait goes on
 * if nothing else was told of its thread since, nor that it was over.  Engine thread only.
 */
#include "profile/count/profile.h"

/* Puts the @deltas of waits that go on behind all others, the latest first.  How many these are. */
size_t lasts_take(const struct profile *p, struct delta *deltas, size_t count);

#endif
