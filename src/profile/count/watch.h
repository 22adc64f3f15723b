/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_WATCH_H
#define PTOP_PROFILE_COUNT_WATCH_H
/*
 * Functions that are looked at by instruction: their addresses are told apart by who was sampled,
 * and by CPU if that is asked for, so that filters apply to them; of a source file that is looked
 * at, those of all functions of its dso.  All others are counted by address alone.  A recording that
 * may be asked for any function tells all of them apart.  Zero-initialise to begin.  Engine thread
 * only.
 */
#include "profile/place/location_store.h"

enum { WATCHED_MAX = 16 };

struct watched {
	uint32_t location;
	uint64_t since_ns; /* CLOCK_MONOTONIC: what is older had been counted, all else had not */
};

struct watch {
	struct watched items[WATCHED_MAX]; /* the oldest first */
	size_t len;
	uint32_t dso; /* all functions of it, from @dso_since_ns on; 0: of none */
	uint64_t dso_since_ns;
	bool all;    /* functions, from the first sample on */
	bool by_cpu; /* and by CPU, from @cpu_since_ns on */
	uint64_t cpu_since_ns;
};

/* Watches @location from now on, in place of the oldest if there are too many. */
void watch_add(struct watch *w, uint32_t location, uint64_t now_ns);

/* Since when samples of @location, resolved, are told apart by who; 0: since the start; UINT64_MAX: not. */
uint64_t watch_since(const struct watch *w, const struct locations *l, uint32_t location);

/* The same of all functions of @dso, and of what lies at one place in it. */
uint64_t watch_dso_since(const struct watch *w, uint32_t dso);
uint64_t watch_since_at(const struct watch *w, const struct locations *l, uint32_t dso,
			uint64_t offset);

/* Whether samples in @leaf, resolved, are told apart. */
static inline bool
watch_has(const struct watch *w, const struct locations *l, uint32_t leaf)
{
	return w->all || (w->dso != 0 && l->items[leaf].dso == w->dso) ||
	       (w->len > 0 && watch_since(w, l, leaf) != UINT64_MAX);
}

#endif
