/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_CSV_H
#define PTOP_EXPORT_CSV_H
/*
 * CSV by RFC 4180, but lines end in LF alone, as line tools need.  A header row; then the keys,
 * samples, period and percent of each row.  What filters left out is a row whose first key is
 * "[filtered]", so that rows always add up.  Any thread.
 *
 * Views of stacks have a row for each node, depth first: depth, samples and period in itself and
 * with what it calls, percent; depth 0 begins a tree.
 *
 * Counters are rows of their own columns: task, counter, unit, its value since the beginning, per
 * second since the last report, how much of the time it had the hardware, and a note.
 */
#include "export/report.h"
#include "export/sink.h"

void csv_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

#endif
