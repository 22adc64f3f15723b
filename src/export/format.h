/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_FORMAT_H
#define PTOP_EXPORT_FORMAT_H
/* All formats that reports are written in.  Any thread. */
#include "base/err.h"
#include "export/report.h"
#include "export/sink.h"

enum export_format {
	FORMAT_TEXT,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_NDJSON,
	FORMAT_FOLDED,
	FORMAT_PPROF,
	FORMAT_SPEEDSCOPE,
	FORMAT_SVG,
	FORMAT_COUNT,
};

/* The part of a snapshot that is written: the query must ask for it. */
enum format_content { CONTENT_ROWS, CONTENT_FRAMES, CONTENT_TREES };

struct format_def {
	const char *name;
	const char *ending; /* of a file's name */
	const char *help;
	enum format_content content;
	bool is_whole;      /* a file is one report: no other can follow */
	const char *lacks;  /* the library that this build lacks for it; NULL: none */
	/* Adds the report @s, whose query wants the content.  Not of what @lacks a library. */
	void (*put)(struct sink *out, const struct snapshot *s, const struct report_run *run);
};

extern const struct format_def format_defs[FORMAT_COUNT];

/* The format of the file's ending, FORMAT_COUNT: none. */
enum export_format format_of_file(const char *path);

/* Adds all endings, blanks between them. */
void format_put_endings(struct buf *b);

/* Makes the query ask for what the format writes. */
void format_set_query(enum export_format format, struct query *q);

/*
 * Adds a report to @out and passes it on.  0, or -1: see the sink.  Of formats that lack nothing.
 */
int format_put(enum export_format format, struct sink *out, const struct snapshot *s,
	       const struct report_run *run);

#endif
