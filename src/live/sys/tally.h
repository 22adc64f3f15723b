/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_TALLY_H
#define PTOP_LIVE_SYS_TALLY_H
/* What the kernel counted of an event, by CPU: how often it happened, the samples lost. */
#include "base/util.h"

struct tally {
	unsigned cpu;
	uint64_t counted; /* of the event: with a period of 1 each is a sample or lost */
	uint64_t lost;    /* samples that found their ring full, from kernel 6.0 on */
};

/* In rising order of their CPUs, each once.  All 0 is empty. */
struct tallies {
	struct tally *items;
	size_t len, cap;
};

/* Adds to what there is of @t's CPU. */
void tallies_add(struct tallies *all, const struct tally *t);
void tallies_append(struct tallies *to, const struct tallies *from);
uint64_t tallies_lost(const struct tallies *all);
void tallies_release(struct tallies *all);

#endif
