/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_REPORT_OUT_H
#define PTOP_APP_REPORT_OUT_H
/* Where a batch puts its reports and what it has to say beside them.  Main thread. */
#include "app/config.h"
#include "base/whole_file.h"
#include "export/format.h"

#include <sys/types.h>

struct report_out {
	const struct config *config;
	int fd;           /* -1: its one report is written */
	bool is_file;     /* config's output; else standard output */
	bool is_series;   /* a file that can be read on while reports come */
	struct whole_file whole; /* else: of one report */
	struct sink sink;
	uint64_t reports; /* written so far, or begun */
	off_t whole_bytes; /* of a series: of the reports that are whole */
};

/*
 * Files of a series of reports grow report by report, all others are there whole or not at all.
 * -1: the file cannot be made, or is there already; see @err.
 */
int report_out_open(struct report_out *out, const struct config *config, bool is_series,
		    struct err *err);

/*
 * In config's format.  A file of one report is there then.  1: written, 0: nobody reads any more,
 * -1: not there, see @err, which also says where the report is: beside its file, or on standard
 * output.
 */
int report_out_write(struct report_out *out, const struct snapshot *s,
		     const struct report_run *run, struct err *err);

/*
 * A file without a report is removed; one that could not be written is cut off.  A series whose file
 * was deleted meanwhile is written again: under its name, or PATH.1, or on standard output.  -1: that
 * was so, or a series may not be whole, see @err.
 */
int report_out_close(struct report_out *out, struct err *err);

/* A line on standard error, made safe. */
void report_tell(const char *text);

#endif
