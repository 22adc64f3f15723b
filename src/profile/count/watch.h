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

enum { WATCHED_MAX = 16, WATCHED_PAST_MAX = 256 };

struct watched {
	uint32_t location;
	uint64_t since_ns; /* CLOCK_MONOTONIC: what is older had been counted, all else had not */
};

/* Code that was looked at for a while: tables tell whose its samples of that time are. */
struct watched_past {
	uint32_t dso;
	uint64_t start, end;             /* as offsets in it */
	uint64_t since_ns, cpu_since_ns; /* UINT64_MAX: not by CPU */
	uint64_t until_ns;
};

/* Where a sample was, and when. */
struct watch_moment {
	uint32_t dso;
	uint64_t offset, time_ns;
};

struct watch {
	struct watched items[WATCHED_MAX]; /* the oldest first */
	size_t len;
	struct watched_past past[WATCHED_PAST_MAX]; /* the one that ended first is first */
	size_t past_len;
	uint64_t past_from_ns; /* what was looked at before is not known any more */
	uint32_t dso; /* all functions of it, from @dso_since_ns on; 0: of none */
	uint64_t dso_since_ns;
	bool all;    /* functions, from the first sample on */
	bool by_cpu; /* and by CPU, from @cpu_since_ns on */
	uint64_t cpu_since_ns;
};

/* Watches @location from now on, in place of the oldest if there are too many. */
void watch_add(struct watch *w, const struct locations *l, uint32_t location, uint64_t now_ns);

/* Watches all functions of @dso, in place of those of another; 0: of none. */
void watch_dso(struct watch *w, uint32_t dso, uint64_t now_ns);

/* Watches nothing any more. */
void watch_end(struct watch *w, const struct locations *l, uint64_t now_ns);

/* Since when samples of @location, resolved, are told apart by who; 0: since the start; UINT64_MAX: not. */
uint64_t watch_since(const struct watch *w, const struct locations *l, uint32_t location);

/* The same of all functions of @dso. */
uint64_t watch_dso_since(const struct watch *w, uint32_t dso);

/* @since_ns, or if @by_cpu since when they are told apart by CPU, too. */
uint64_t watch_cpu_since(const struct watch *w, uint64_t since_ns, bool by_cpu);

/* Whether tables may tell, by CPU too if @by_cpu, whose a sample at that place and time is. */
bool watch_tells(const struct watch *w, const struct locations *l, const struct watch_moment *at,
		 bool by_cpu);

/* Whether samples in @leaf, resolved, are told apart. */
static inline bool
watch_has(const struct watch *w, const struct locations *l, uint32_t leaf)
{
	return w->all || (w->dso != 0 && l->items[leaf].dso == w->dso) ||
	       (w->len > 0 && watch_since(w, l, leaf) != UINT64_MAX);
}

#endif
