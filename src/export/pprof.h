/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_PPROF_H
#define PTOP_EXPORT_PPROF_H
/*
 * A profile.proto as `go tool pprof` reads it, packed by gzip.  Each event has two types of values,
 * its samples and its period; dsos are mappings, places locations, functions have the name that is
 * shown and that of the file; comm, pid and tid are labels.  Code of the kernel is in the mapping
 * "[kernel.kallsyms]" or that of its module.  Any thread.
 */
#include "export/report.h"
#include "export/sink.h"

/* @s is of a query that wants trees.  Only with zlib (HAVE_ZLIB). */
void pprof_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run);

#endif
