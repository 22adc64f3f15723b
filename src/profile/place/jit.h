/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_PLACE_JIT_H
#define PTOP_PROFILE_PLACE_JIT_H
/*
 * Locations in code that a process makes as it runs.  What is at an address changes; a location is
 * (dso, name of the function), so that what was counted keeps its name, wherever the code goes.
 * Places without a name are one location for each map.  Engine thread only.
 *
 * While it is not known yet whether the runtime tells names, or while it does, places whose name
 * did not come yet are kept by address, a bounded number of them, and forwarded when it comes.
 */
#include "profile/place/location_store.h"
#include "symbol/jit/jit_batch.h"

struct jit;

/* The location of @addr in @dso; @region is where its map begins.  See locations_find_in(). */
uint32_t jit_find(struct locations *l, uint32_t dso, uint64_t addr, uint64_t region);

/* Whether names may come, as at first: places without one wait; if not, those that wait give up. */
void jit_set_waiting(struct locations *l, uint32_t dso, bool is_waiting);

/* Whether @c puts code, or takes it away, where some is now. */
bool jit_replaces(const struct locations *l, uint32_t dso, const struct jit_change *c);

/* Whose process it is, if the part of that user is to be bounded: see jit_room.h.  Once. */
void jit_set_user(struct locations *l, uint32_t dso, uint32_t uid);

/* Of the room for names of code the part that is its own. */
size_t jit_bytes(const struct locations *l, uint32_t dso);

/* Whether there was room; else whose is full. */
enum jit_learned { JIT_LEARNED, JIT_PROCESS_IS_FULL, JIT_USER_IS_FULL, JIT_ALL_IS_FULL };

/* Applies a change; @name is of its name_len bytes. */
enum jit_learned jit_learn(struct locations *l, uint32_t dso, const struct jit_change *c,
			   const char *name);

/* Forwards places that waited for a name and have it by now; returns how many. */
size_t jit_settle(struct locations *l, uint32_t dso);

/* A second has passed: places that wait for too long give up; returns how many. */
size_t jit_age(struct locations *l, uint32_t dso);

/* The process is over: what was counted keeps its names, all else is given back. */
void jit_end(struct locations *l, uint32_t dso);

/* Of one that is over: its locations become those of DSO_ID_ANON with the same names. */
void jit_merge(struct locations *l, uint32_t dso);

/* The code of @location as it is now: a function's where it lies last.  false: there is none. */
bool jit_range_of(const struct locations *l, uint32_t location, uint64_t *start, uint64_t *size);

/* What is at @addr of @dso now: its name, NULL if nothing is known there, and where it begins. */
const char *jit_name_at(const struct locations *l, uint32_t dso, uint64_t addr, uint64_t *start);

void jit_free(struct jit *j); /* NULL is allowed */

#endif
