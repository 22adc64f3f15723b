/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_CALLS_CALLS_H
#define PTOP_ENGINE_CALLS_CALLS_H
/*
 * The room of functions whose calls are counted: which they are, for whom, and what was counted.
 * What is probed is a thread's (live/calls/call_counter.h).  Engine thread only.
 */
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"

struct calls;

enum { CALLS_MAX = 16 }; /* functions at a time */

/* Begins with the functions that the configuration names. */
void calls_begin(struct calls *c);

/* The function at @location is counted, for @process (a task of the model, 0: all targets); or not
 * any more. */
void calls_toggle(struct calls *c, uint32_t location, uint32_t process);
void calls_end(struct calls *c, uint32_t id); /* call_row.id */

/* A reading of all, for a report; and whether it has come. */
void calls_ask(struct calls *c);
bool calls_await(const struct calls *c);

extern const struct engine_part calls_part;

#endif
