/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_SPEEDSCOPE_H
#define PTOP_EXPORT_SPEEDSCOPE_H
/*
 * speedscope's file format: a "sampled" profile for each event, weighed by its period, with one
 * list of frames for all of them.  The outermost frame is the comm; a frame's file is its source
 * file, or the dso, which tells the kernel.  Any thread.
 */
#include "export/report.h"
#include "export/sink.h"

/* @s is of a query that wants trees.  Only with jansson (HAVE_JANSSON). */
void speedscope_put_report(struct sink *out, const struct snapshot *s,
			   const struct report_run *run);

#endif
