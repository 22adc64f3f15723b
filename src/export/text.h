/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_TEXT_H
#define PTOP_EXPORT_TEXT_H
/*
 * The screen's table as text: header line first, columns aligned, no escape sequences.  An empty
 * cell is a hyphen.  In views of stacks callees are indented by two blanks.  Any thread.
 */
#include "export/report.h"
#include "export/sink.h"

void text_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

#endif
