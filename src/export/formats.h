/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_FORMATS_H
#define PTOP_EXPORT_FORMATS_H
/* The formats of reports: each writes what is in a snapshot to a sink.  Any thread. */
#include "export/report.h"
#include "export/sink.h"

/*
 * The screen's table as text: header line first, columns aligned, no escape sequences.  An empty
 * cell is a hyphen.  In views of stacks callees are indented by two blanks.
 */
void text_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

/*
 * CSV by RFC 4180, but lines end in LF alone, as line tools need.  A header row; then the keys,
 * samples, period and percent of each row.  What filters left out is a row whose first key is
 * "[filtered]", so that rows always add up.
 *
 * Views of stacks have a row for each node, depth first: depth, samples and period in itself and
 * with what it calls, percent; depth 0 begins a tree.
 *
 * Counters are rows of their own columns: task, counter, unit, its value since the beginning, per
 * second since the last report, how much of the time it had the hardware, and a note.
 */
void csv_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

/*
 * A report is one object in one line.  "rows" has an object for each row with the columns of the
 * CSV as members, in that order; other members say when, where, of which events and what was lost.
 * Of views of stacks they are nodes, depth first, and say the kind of code as well.  What filters
 * left out is one sum, "filtered".  Counters' rows have null where nothing can be known.  Only with jansson (HAVE_JANSSON).
 */
void json_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

/*
 * An object in a line for each row: the row's members as above, and when and where it was, of which
 * event.  "time" is seconds since the epoch, as lines of many reports and hosts come together.  Sums
 * are rows that say so ("sum_of"), so that rows always add up.  Only with jansson (HAVE_JANSSON).
 */
void ndjson_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

/*
 * Folded stacks, as the tools that draw flame graphs read them: "comm;outermost;...;innermost
 * samples", a line a stack, the event in front if there are several.  Reports of a series follow
 * each other without a mark: such tools add up lines that are equal.  @s is of a
 * query that wants stacks.
 */
void folded_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

/*
 * A profile.proto as `go tool pprof` reads it, packed by gzip.  Each event that is not filtered
 * out has two types of values, its samples and its period; dsos are mappings, places locations, functions have the name
 * that is shown and that of the file; comm, pid, tid, user, cgroup, container and pod are labels,
 * where they are known.  Code of the kernel is in the mapping "[kernel.kallsyms]" or that of its
 * module.  It has the time of day at which the window begins, if a recording tells it.
 * @s is of a query that wants trees.  Only with zlib (HAVE_ZLIB).
 */
void pprof_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

/*
 * OTLP's profiles (v1development), an ExportProfilesServiceRequest, packed by gzip: a profile for each
 * event, of its period; comm, pid and so on are attributes of samples, by their conventional names.
 * No format of files: it is pushed.  @s is of a query that wants trees.  Only with zlib (HAVE_ZLIB).
 */
void otlp_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

/*
 * speedscope's file format: a "sampled" profile for each event, weighed by its period, with one
 * list of frames for all of them.  The outermost frame is the comm; a frame's file is its source
 * file, or the dso, which tells the kernel.  @s is of a query that wants trees.  Only
 * with jansson (HAVE_JANSSON).
 */
void speedscope_put_report(struct sink *out, const struct snapshot *s,
			   const struct report_run *run);

/*
 * A flame graph as a picture for a browser, outermost functions on top: a box's width is its
 * weight, its colour what kind of code it is.  A script in it zooms and searches; nothing in it
 * refers to anything outside.  @s is of a query that wants trees.
 */
void svg_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

#endif
