/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_SVG_H
#define PTOP_EXPORT_SVG_H
/*
 * A flame graph as a picture for a browser, outermost functions on top: a box's width is its
 * weight, its colour what kind of code it is.  A script in it zooms and searches; nothing in it
 * refers to anything outside.  Any thread.
 */
#include "export/report.h"
#include "export/sink.h"

/* @s is of a query that wants trees. */
void svg_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

#endif
