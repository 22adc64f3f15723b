/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_VARIABLE_H
#define PTOP_PROFILE_COUNT_VARIABLE_H
/*
 * The names of variables at addresses of processes: of mutexes that are waited for.  What is wanted
 * is only noted here: the engine has them looked for.  Zero-initialise to begin.  Engine thread
 * only.
 */
#include "base/index.h"

enum { VARIABLES_MAX = 16384 }; /* more are not kept: they stay without a name */

struct variable {
	uint64_t address;
	uint32_t process; /* task */
	uint32_t name;    /* string: "g_cache_lock", "g_table+0x40", "heap 0x55d0"; 0: none, or not yet */
};

struct variables {
	struct variable *items; /* from 0 */
	size_t len, cap;
	size_t asked;       /* those from here on are to be looked for */
	struct index index; /* counted from 1 */
};

void variables_release(struct variables *v);

/* The name of what is at @address of @process, a task, is wanted. */
void variables_want(struct variables *v, uint32_t process, uint64_t address);

/* The answer: a string. */
void variables_learn(struct variables *v, size_t i, uint32_t name);

/* A string, 0: none is known so far. */
uint32_t variables_find(const struct variables *v, uint32_t process, uint64_t address);

#endif
