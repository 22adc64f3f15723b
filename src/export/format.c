/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "export/format.h"

#include "export/csv.h"
#include "export/folded.h"
#include "export/json.h"
#include "export/pprof.h"
#include "export/speedscope.h"
#include "export/svg.h"
#include "export/text.h"

#include <string.h>

#ifdef HAVE_JANSSON
#define WANTS_JANSSON NULL
#else
#define WANTS_JANSSON "jansson"
#endif
#ifdef HAVE_ZLIB
#define WANTS_ZLIB NULL
#else
#define WANTS_ZLIB "zlib"
#endif

const struct format_def format_defs[FORMAT_COUNT] = {
	[FORMAT_TEXT] = { "text", ".txt", "the table, as it is shown", CONTENT_ROWS },
	[FORMAT_CSV] = { "csv", ".csv", "the table, for spreadsheets", CONTENT_ROWS },
	[FORMAT_JSON] = { "json", ".json", "the table, for programs", CONTENT_ROWS,
			  .lacks = WANTS_JANSSON },
	[FORMAT_FOLDED] = { "folded", ".folded", "stacks, a line each", CONTENT_FRAMES },
	[FORMAT_PPROF] = { "pprof", ".pb.gz", "stacks, for go tool pprof", CONTENT_TREES, true,
			   WANTS_ZLIB },
	[FORMAT_SPEEDSCOPE] = { "speedscope", ".speedscope.json", "stacks, for speedscope.app",
				CONTENT_TREES, true, WANTS_JANSSON },
	[FORMAT_SVG] = { "svg", ".svg", "a flame graph, for browsers", CONTENT_TREES, true },
};

static const struct {
	void (*put)(struct buf *b, const struct snapshot *s, const struct report_run *run);
	/* Of what is long. */
	void (*stream)(struct sink *out, const struct snapshot *s, const struct report_run *run);
} writers[FORMAT_COUNT] = {
	[FORMAT_TEXT] = { .put = text_put_report },
	[FORMAT_CSV] = { .put = csv_put_report },
	[FORMAT_JSON] = { .put = json_put_report },
	[FORMAT_FOLDED] = { .stream = folded_put_report },
	[FORMAT_PPROF] = { .stream = pprof_put_report },
	[FORMAT_SPEEDSCOPE] = { .stream = speedscope_put_report },
	[FORMAT_SVG] = { .stream = svg_put_report },
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
		q->unnamed = false;
}

int
format_put(enum export_format format, struct sink *out, const struct snapshot *s,
	   const struct report_run *run)
{
	if (writers[format].put != NULL)
		writers[format].put(&out->buf, s, run);
	else
		writers[format].stream(out, s, run);
	return sink_flush(out);
}
