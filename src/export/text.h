/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_TEXT_H
#define PTOP_EXPORT_TEXT_H
/*
 * A report for people: the screen's table without what needs a screen; header line first, columns
 * aligned, no escape sequences.  An empty cell is a hyphen.  Of views of stacks, callees are two blanks
 * further in than who calls them.  Any thread.
 */
#include "export/report.h"
#include "export/sink.h"

void text_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

#endif
