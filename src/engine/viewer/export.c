/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is shown, written to a file by an exporter's thread: the engine makes the snapshot alone. */
#include "engine/engine_impl.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/text.h"
#include "view/column.h"

static int
check(const struct engine *e, enum export_format format, struct err *err)
{
	const struct query *q = &e->query;
	const struct format_def *def = &format_defs[format];

	if (e->exporter != NULL || e->export_path != NULL)
		return err_set(err, ERR_BUSY, 0, "another export is being written");
	if (def->lacks != NULL)
		return err_set(err, ERR_UNSUPPORTED, 0, "built without %s: no %s", def->lacks,
			       def->name);
	if (def->content != CONTENT_ROWS && q->by_view && q->view == VIEW_COUNTERS)
		return err_set(err, ERR_UNSUPPORTED, 0, "counters have no stacks: "
			       "text, csv and json are for tables");
	if (def->content != CONTENT_ROWS && e->filter != NULL &&
	    key_labels(filter_keys(e->filter)) != 0)
		return err_set(err, ERR_UNSUPPORTED, 0, "the filter asks for what stacks do not "
			       "tell: text, csv and json are for tables");
	return 0;
}

static struct query
query_for(const struct engine *e, enum export_format format)
{
	struct query q = e->query;

	format_set_query(format, &q);
	q.max_rows = 0;
	/* There each event is a type of values; all others have one at a time. */
	q.all_events = format == FORMAT_PPROF;
	return q;
}

static void
begin(struct engine *e, enum export_format format, const char *path)
{
	struct query q = query_for(e, format);

	e->exporter = exporter_new(path, format, engine_make_snapshot(e, &q, e->filter), e->in);
	engine_send_status(e, false, "writing %s", path);
}

void
engine_export_command(struct engine *e, enum export_format format, const char *path)
{
	struct query q = query_for(e, format);
	struct err err = { 0 };

	if (check(e, format, &err) < 0) {
		engine_send_status(e, true, "%s", err.text);
		return;
	}
	if (!engine_awaits_inlines(e, &q)) {
		begin(e, format, path);
		return;
	}
	e->export_path = mem_strdup(path);
	e->export_format = format;
	engine_send_status(e, false, "%s is written when it is known what is inlined", path);
}

void
engine_export_waited(struct engine *e)
{
	char *path = e->export_path;

	/* What is new by now is not waited for: there may always be more. */
	if (path == NULL || e->asked_lines > 0)
		return;
	e->export_path = NULL;
	begin(e, e->export_format, path);
	free(path);
}

void
engine_take_export_ended(struct engine *e, struct exporter_ended_msg *m)
{
	char *path = mem_strdup(exporter_path(m->exporter));
	struct err err = { 0 };
	struct buf size = { 0 };

	e->exporter = NULL;
	text_add_bytes(&size, m->bytes);
	if (exporter_free(m->exporter, &err) < 0)
		engine_send_status(e, true, "%s%s%s", err.text, *err.hint ? "; " : "", err.hint);
	else
		engine_note(e, "written: %s, %s", path, buf_str(&size));
	buf_release(&size);
	free(path);
}
