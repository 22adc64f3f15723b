/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_MODIFIER_H
#define PTOP_EVENT_MODIFIER_H
/* The letters behind an event's last colon, as in perf: u k h G H I p P S D W e b R. */
#include "event/spec.h"

struct modifiers {
	bool user, kernel, hv, guest, host, idle, precise_max, sample_read, pinned, weak,
		exclusive, bpf, retire_latency;
	unsigned precise;
};

/* Adds the letters from @at, in the text of @s, to its end.  0, or -1: one is wrong. */
int modifiers_read(const struct spec *s, const char *at, struct modifiers *m);

/*
 * Adds the modifiers of the @group to those of one of its events, @m.  Only the leader can be
 * pinned or exclusive.  0, or -1 with the reason; @at is for its column.
 */
int modifiers_join(const struct spec *s, const char *at, struct modifiers *m,
		   const struct modifiers *group, bool is_leader);

void modifiers_apply(const struct modifiers *m, struct event *ev);

/* What modifier number @i does, and its letter in *@letter; NULL: there are no more. */
const char *modifier_help(size_t i, char *letter);

/* Whether @mods are all letters that could be modifiers. */
bool modifiers_are_valid(const char *mods);

#endif
