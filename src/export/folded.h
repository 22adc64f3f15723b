/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_FOLDED_H
#define PTOP_EXPORT_FOLDED_H
/*
 * Folded stacks, as the tools that draw flame graphs read them: "comm;outermost;...;innermost
 * samples", a line a stack, the event in front if there are several.  Reports of a series follow
 * each other without a mark: such tools add up lines that are equal.  Any thread.
 */
#include "export/report.h"
#include "export/sink.h"

/* @s is of a query that wants stacks. */
void folded_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

#endif
