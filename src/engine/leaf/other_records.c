/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/other_records.h"

#include "base/text.h"
#include "record/abi.h"

#include <linux/perf_event.h>

#define NO_TRACES "what the processor wrote into AUX areas is not decoded: perf script does that"

static const struct kind {
	uint32_t types[2]; /* PERF_RECORD_*, 0: no other */
	const char *what, *use;
	const char *notice; /* what a profile lacks without what they tell of, NULL: nothing */
} kinds[] = {
	{ { PERF_RECORD_SWITCH, PERF_RECORD_SWITCH_CPU_WIDE }, "switches between tasks",
	  "they are in recordings", NULL },
	{ { PERF_RECORD_READ }, "final counts of ended tasks", "they are in recordings",
	  NULL },
	{ { PERF_RECORD_NAMESPACES }, "namespaces of tasks", "they are in recordings", NULL },
	{ { ABI_RECORD_TEXT_POKE }, "changes of the kernel's code", "they are in recordings", NULL },
	{ { PERF_RECORD_AUX, PERF_RECORD_ITRACE_START }, "traces in AUX areas",
	  "perf script decodes them", NO_TRACES },
	{ { ABI_RECORD_AUX_OUTPUT_HW_ID }, "events whose samples are in AUX areas",
	  "perf script decodes them", NO_TRACES },
};

_Static_assert(ARRAY_SIZE(kinds) <= OTHER_RECORD_KINDS, "each has its count");

void
other_records_add(struct other_records *others, uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && type != 0; i++)
		if (type == kinds[i].types[0] || type == kinds[i].types[1])
			others->counts[i]++;
}

void
other_records_put(const struct other_records *others, struct buf *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (others->counts[i] == 0)
			continue;
		buf_addf(b, "%s: ", kinds[i].what);
		text_add_count(b, (double)others->counts[i]);
		buf_addf(b, "; %s\n", kinds[i].use);
	}
}

const char *
other_records_notice(const struct other_records *others)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (others->counts[i] > 0 && kinds[i].notice != NULL)
			return kinds[i].notice;
	return NULL;
}
