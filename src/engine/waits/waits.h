/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_WAITS_WAITS_H
#define PTOP_ENGINE_WAITS_WAITS_H
/*
 * The room of what threads wait for: while an event is open whose samples are looks, a looker looks
 * at the threads of what is sampled, and its records come through intake as those of rings do.
 * While there is none nothing of it is there.  Engine thread only.
 */
#include "engine/intake/intake.h"
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"

struct waits;

/* Where its records go. */
void waits_begin(struct waits *w, struct intake *in);

/* Threads of that process (an id of the model) have more looks, 0: of none. */
void waits_prefer(struct waits *w, uint32_t process);

/* For a report: has all told that threads have waited so far.  True: intake has it, or it never will. */
void waits_ask_all(struct waits *w);
bool waits_have_all(struct waits *w);

extern const struct engine_part waits_part;

#endif
