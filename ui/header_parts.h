/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_HEADER_PARTS_H
#define PTOP_UI_HEADER_PARTS_H
/* What the lines above the table show: a set that the user chooses, on the second page of F2. */
#include "base/buf.h"

enum header_part {
	HEADER_UPTIME,
	HEADER_LOAD,
	HEADER_TASKS,
	HEADER_TIMES,
	HEADER_MEMORY,
	HEADER_PRESSURE,
	HEADER_EVENT,
	HEADER_SAMPLES,
	HEADER_LOST,
	HEADER_SELF,
	HEADER_CPUS,
	HEADER_BARS,
	HEADER_LINE,
	HEADER_PARTS,
};

struct header_part_def {
	const char *name, *help;
};

extern const struct header_part_def header_parts[HEADER_PARTS];

/* The numbers of HEADER_TIMES, each a part of all CPU time. */
struct header_time {
	const char *name, *help;
	size_t offset;  /* of a float in struct snapshot_head */
	bool is_seldom; /* it is left out while it is 0 */
};

enum { HEADER_TIME_COUNT = 6 };
extern const struct header_time header_times[HEADER_TIME_COUNT];

/* A set: a bit for each part. */
#define HEADER_BIT(part) (1u << (part))
#define HEADER_BY_ITSELF (HEADER_BIT(HEADER_PARTS) - 1 - HEADER_BIT(HEADER_BARS))

/* As the configuration has it: names, divided by blanks.  false: one of them is none. */
bool header_parts_read(const char *text, unsigned *parts);
void header_parts_put(struct buf *b, unsigned parts);

#endif
