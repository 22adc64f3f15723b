/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "export/format.h"

#include "export/formats.h"

#include <string.h>

#ifdef HAVE_JANSSON
#define WITH_JANSSON(writer) .put = (writer)
#else
#define WITH_JANSSON(writer) .lacks = "jansson"
#endif
#ifdef HAVE_ZLIB
#define WITH_ZLIB(writer) .put = (writer)
#else
#define WITH_ZLIB(writer) .lacks = "zlib"
#endif

const struct format_def format_defs[FORMAT_COUNT] = {
	[FORMAT_TEXT] = { "text", ".txt", "the table, as it is shown", CONTENT_ROWS,
			  .put = text_put_report },
	[FORMAT_CSV] = { "csv", ".csv", "the table, for spreadsheets", CONTENT_ROWS,
			 .put = csv_put_report },
	[FORMAT_JSON] = { "json", ".json", "the table, for programs", CONTENT_ROWS,
			  WITH_JANSSON(json_put_report) },
	[FORMAT_NDJSON] = { "ndjson", ".ndjson", "the table, a row a line, for databases",
			    CONTENT_ROWS, WITH_JANSSON(ndjson_put_report) },
	[FORMAT_FOLDED] = { "folded", ".folded", "stacks, a line each", CONTENT_FRAMES,
			    .put = folded_put_report },
	[FORMAT_PPROF] = { "pprof", ".pb.gz", "stacks, for go tool pprof", CONTENT_TREES, true,
			   WITH_ZLIB(pprof_put_report) },
	[FORMAT_SPEEDSCOPE] = { "speedscope", ".speedscope.json", "stacks, for speedscope.app",
				CONTENT_TREES, true, WITH_JANSSON(speedscope_put_report) },
	[FORMAT_SVG] = { "svg", ".svg", "a flame graph, for browsers", CONTENT_TREES, true,
			 .put = svg_put_report },
};

/* The longest that fits: "x.speedscope.json" ends like a table as well. */
enum export_format
format_of_file(const char *path)
{
	enum export_format found = FORMAT_COUNT;
	size_t len = strlen(path), longest = 0;

	for (enum export_format i = 0; i < FORMAT_COUNT; i++) {
		size_t n = strlen(format_defs[i].ending);

		if (len > n && n > longest && strcmp(path + len - n, format_defs[i].ending) == 0) {
			found = i;
			longest = n;
		}
	}
	return found;
}

void
format_put_endings(struct buf *b)
{
	for (enum export_format i = 0; i < FORMAT_COUNT; i++)
		buf_addf(b, "%s%s", i > 0 ? " " : "", format_defs[i].ending);
}

void
format_set_query(enum export_format format, struct query *q)
{
	q->stacks = format_defs[format].content == CONTENT_FRAMES;
	q->trees = format_defs[format].content == CONTENT_TREES;
	if (q->stacks || q->trees)
		q->unnamed = q->locks = false;
}

int
format_put(enum export_format format, struct sink *out, const struct snapshot *s,
	   const struct report_run *run)
{
	format_defs[format].put(out, s, run);
	return sink_flush(out);
}
