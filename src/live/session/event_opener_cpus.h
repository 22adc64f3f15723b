/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_EVENT_OPENER_CPUS_H
#define PTOP_LIVE_SESSION_EVENT_OPENER_CPUS_H
/* CPUs that go off line and come on line, for the opener's own thread. */
#include "live/session/event_opener.h"

/*
 * Looks whether any did since the last time.  Closes rings and events of those that were off line,
 * also if they are on line again; opens them on those that came.  Sends SESSION_MSG_RINGS.
 */
void event_opener_follow_cpus(struct event_opener *o);

/* Adds @cpus to those that were to be sampled at some time. */
void event_opener_learn_cpus(struct event_opener *o, const struct cpus *cpus);

#endif
