/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CALLS_CALL_GUARD_H
#define PTOP_LIVE_CALLS_CALL_GUARD_H
/*
 * A function without ends that stands beside a uprobe which is sampled or counted otherwise: it
 * counts the hits of all its sites, to limit what these harm.  Blocks.  One thread.
 */
#include "live/calls/call_function.h"

/* As call_function_open(); the points of @target are made here, of the sites of its event. */
struct call_function *call_guard_open(const struct sys *sys, const struct event_env *env,
				      const struct call_cost *cost,
				      const struct call_target *target, struct err *err);

#endif
