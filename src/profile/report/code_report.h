/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_CODE_REPORT_H
#define PTOP_PROFILE_REPORT_CODE_REPORT_H
/* A report on one function by instruction in the making; report_code.c's, and those below it. */
#include "profile/report/report_impl.h"

/* A function of the name that is asked for, with what it has since the start. */
struct candidate {
	uint32_t location;
	uint64_t samples;
};

struct code_report {
	struct report *r;
	struct snapshot_code *code;
	struct candidate *candidates; /* hottest first */
	size_t candidate_len, candidate_cap;
	uint64_t *samples;            /* by location, of the event shown; in a batch of all */
	uint8_t *verdicts;            /* by who: what a filter of tasks said; 0: not asked yet */
	bool by_who, by_cpu, by_event; /* what the filter asks for beside the function */
	struct cost *told, *all;
};

/* code_counts.c: by what the filter tells samples of one function apart, set before the next two. */
void code_report_choose_filter(struct code_report *c);

/* Whether samples of @who on @cpu (-1: any) are asked for; counts of the dso with that key. */
bool code_report_passes(struct code_report *c, uint32_t event, uint32_t who, uint32_t location,
			int cpu);
bool code_report_counts(struct code_report *c, const struct address_key *key, uint32_t location);

/*
 * The next one from *@at on of the samples that the flight recorder tells of code from @start on,
 * from before @since_ns, when tables began to; NULL: there is none.
 */
const struct recount_sample *code_report_recounted(struct code_report *c, uint64_t start,
						   uint64_t since_ns, size_t *at);

/* Since when samples are told apart, with these; UINT64_MAX: from now on. */
void code_report_tell_since(struct code_report *c, uint64_t start, uint64_t since_ns);

void code_report_add(struct cost *sum, uint64_t samples, uint64_t period);

/* For qsort(): by offset or line, then by event. */
int code_report_compare(uint64_t place, uint32_t event, uint64_t other_place, uint32_t other_event);

/* One for each address and event, of all who and CPUs, in the order of snapshot_code; how many. */
size_t code_report_merge(const struct snapshot_code *code, struct snapshot_count *counts,
			 size_t len);

/* report_file.c: the source file that the query asks for. */
void report_fill_file(struct code_report *c);

#endif
