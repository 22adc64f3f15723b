/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_REFUSAL_H
#define PTOP_LIVE_SESSION_REFUSAL_H
/* The sentence of a refused event, for lists that have a place for the event's name.  Any thread. */
#include "base/arena.h"

/*
 * Of "cannot open event 'x' on ...: ENOENT (EventNotFound): the reason": "the reason (ENOENT)", plain
 * words first.  Any other text stays what it is.
 */
const char *refusal_reason(struct arena *arena, const char *text);

/* The reason alone, for a line that has little room: without the error, and what was found. */
const char *refusal_cause(struct arena *arena, const char *text);

#endif
