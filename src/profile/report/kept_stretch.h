/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_KEPT_STRETCH_H
#define PTOP_PROFILE_REPORT_KEPT_STRETCH_H
/*
 * Sums over the units of a stretch of the log that moves on: see share_moments for what they are.
 * Rows are told by slots, from 1.  Internal to kept_sums.c.  Engine thread only.
 */
#include "profile/count/log.h"
#include "view/share.h"

/* Of a hot entry: its slot (0: none), whether it is of what shares are of, whether it was met. */
#define KEPT_SLOT_MASK UINT32_C(0x3fffffff)
#define KEPT_IN_BASE UINT32_C(0x40000000)
#define KEPT_MET UINT32_C(0x80000000)
#define KEPT_ALL UINT32_MAX /* in the place of a slot: all that shares are of */

struct kept_gain {
	uint64_t of;
	uint32_t slot;
};

/* What slots have in a unit; all others have nothing. */
struct kept_gains {
	struct kept_gain *items;
	size_t len, cap;
	uint64_t all;
};

/* Its intervals in the log's newest tier: those of other events may be between. */
struct kept_unit {
	uint64_t first, end; /* serials */
	uint64_t end_ns;
};

struct kept_moments;

struct kept_totals {
	unsigned __int128 all_all, all_all_next;
	uint64_t all;
};

struct kept_stretch {
	struct kept_unit *units;
	size_t gone, len, cap;
	bool has_tail; /* the last is shorter than a unit: it may become one */
	struct kept_gains first, last; /* units: what is about to leave the log may be merged by then */
	struct kept_moments *slots;
	size_t slot_cap;
	struct kept_totals totals;
};

struct report_source;

/* Who asks, and what is shared by all stretches. */
struct kept_walk {
	const struct report_source *src;
	const struct interval_log *log;
	uint32_t event;
	uint64_t from_ns, to_ns;
	uint32_t *entries; /* by hot entry; */
	/* sets that of one that was not met: it becomes what is told */
	uint32_t (*meet)(void *self, uint32_t id);
	void *self;
	uint32_t *places;  /* by slot: all zero between uses; as many as there are slots */
	size_t place_cap;
	struct kept_gains gains; /* of the unit that is being summed */
};

/*
 * Makes the stretch that of @w's time.  false: it has intervals that were merged, of which more is
 * known than is kept here; the stretch is empty then.
 */
bool kept_stretch_move(struct kept_stretch *st, struct kept_walk *w);

/* As share_add() makes it of all units, but for what the last has. */
void kept_stretch_read(const struct kept_stretch *st, uint32_t slot, struct share_moments *m);

void kept_stretch_clear(struct kept_stretch *st); /* it is empty; its memory stays */
size_t kept_stretch_bytes(const struct kept_stretch *st);
void kept_stretch_release(struct kept_stretch *st);

#endif
