/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_WAITS_LOOK_SHARE_H
#define PTOP_ENGINE_WAITS_LOOK_SHARE_H
/*
 * What looks at threads may cost: as much of --budget as the rest of ptop leaves.  To the rest
 * belongs what the engine does with their records, which is the more the more looks there are; that
 * comes later than the looks, so what was too much is paid back.
 */
#include "base/util.h"

struct look_share {
	double budget;    /* percent of one CPU, 0: no bound */
	double percent;   /* of it for looks */
	double rest;      /* percent that all else takes, of the last seconds */
	double owed;      /* percent times seconds: so much was more than the budget */
	double passed_s;
	uint64_t time_ns, own_ns, looks_ns; /* as seen last; time_ns 0: not yet */
};

struct look_share look_share_make(double budget);

/*
 * Own CPU time is @own_ns by now, and that of looks, as part of it, @looks_ns.  While threads wait for
 * their first look, @is_first_turn, looks keep a third, whatever the rest takes: else these would
 * wait for minutes.  True: @s->percent is another.
 */
bool look_share_pass(struct look_share *s, uint64_t now_ns, uint64_t own_ns, uint64_t looks_ns,
		     bool is_first_turn);

#endif
