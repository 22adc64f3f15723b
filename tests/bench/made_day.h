/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_BENCH_MADE_DAY_H
#define PTOP_TESTS_BENCH_MADE_DAY_H
/*
 * Hours of a machine that tests/scale makes up, by a clock that is simulated: its records take the way
 * of live ones into tables and log, and are counted here by themselves, by minute and program.
 */
#include "profile/count/feed.h"
#include "tests/profile_fixture.h"
#include "tests/scale/machine.h"

struct made_day {
	struct scale scale;
	struct machine *machine;
	struct fixture b;
	struct feed feed;
	struct record_layouts layouts;
	struct sums *minutes;  /* by minute and program, as the records say */
	uint16_t *programs;    /* by pid: of the last record of its name */
	size_t program_cap;
	size_t minute_len;
	size_t most_bytes;     /* that the log took */
	uint64_t keep_ns;      /* CPU time that it took to merge */
	uint64_t samples;
};

/* The samples of a minute begin at made_day_ns(), minutes are counted from 0. */
void made_day_open(struct made_day *d, const struct scale *s, size_t budget_bytes);
void made_day_run(struct made_day *d, unsigned minutes);
uint64_t made_day_ns(unsigned minute);

/* Whether the minutes from @first to before @end can be shown, with the sums of their records. */
bool made_day_is_whole(const struct made_day *d, unsigned first, unsigned end);
void made_day_close(struct made_day *d);

#endif
