/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_JSON_H
#define PTOP_EXPORT_JSON_H
/*
 * A report is one object in one line.  "rows" has an object for each row with the columns of the
 * CSV as members, in that order; other members say when, where, of which events and what was lost.
 * Of views of stacks they are nodes, depth first, and say the kind of code as well.  What filters
 * left out is one sum, "filtered".  Counters' rows have null where nothing can be known.  Any
 * thread.
 */
#include "export/report.h"
#include "export/sink.h"

/* Only with jansson (HAVE_JANSSON). */
void json_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

#endif
