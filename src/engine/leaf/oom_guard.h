/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_OOM_GUARD_H
#define PTOP_ENGINE_LEAF_OOM_GUARD_H
/*
 * When memory is short, ptop goes before what it looks at.  It is bounded by --memory and what else
 * keeps to a bound of its own; this is for the day when that is not enough, or a machine has none
 * left.  Children inherit it: set when COMMAND was forked.
 */
#include <stdint.h>

/*
 * Offers this process to the kernel when it runs out of memory (oom_score_adj 800), and bounds what
 * it takes from now on to @more_bytes (RLIMIT_DATA).  What was set tighter before stays.
 */
void oom_guard_set(uint64_t more_bytes);

/*
 * What a run may take, far above what its bounds add up to; at least half of the machine's memory,
 * since what a recording holds is not known before.
 */
uint64_t oom_guard_bytes(uint64_t memory_bytes, uint64_t history_bytes);

#endif
