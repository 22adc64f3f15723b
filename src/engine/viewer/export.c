/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is shown, written to a file by an exporter's thread: the engine makes the snapshot alone. */
#include "engine/viewer/viewer_impl.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/text.h"
#include "view/column.h"
#include "view/filter.h"

static int
check(const struct viewer *v, enum export_format format, struct err *err)
{
	const struct query *q = &v->query;
	const struct format_def *def = &format_defs[format];

	if (v->exporter != NULL || v->export_path != NULL)
		return err_set(err, ERR_BUSY, 0, "another export is being written");
	if (def->lacks != NULL)
		return err_set(err, ERR_UNSUPPORTED, 0, "built without %s: no %s", def->lacks,
			       def->name);
	if (def->content != CONTENT_ROWS && q->by_view && view_defs[q->view].is_counted)
		return err_set(err, ERR_UNSUPPORTED, 0, "counters have no stacks: "
			       "text, csv and json are for tables");
	if (def->content != CONTENT_ROWS && v->filter != NULL &&
	    key_labels(filter_keys(v->filter)) != 0)
		return err_set(err, ERR_UNSUPPORTED, 0, "the filter names what stacks do not "
			       "tell: text, csv and json are for tables");
	return 0;
}

/* Text is held against the screen; files for programs are alike, whatever that shows. */
static enum shares
export_shares(const struct viewer *v, enum export_format format)
{
	if (format == FORMAT_TEXT)
		return v->query.shares;
	return v->env->config->relative ? SHARES_OF_SHOWN : SHARES_OF_ALL;
}

struct query
viewer_export_query(const struct viewer *v, enum export_format format)
{
	struct query q = v->query;

	format_set_query(format, &q);
	q.max_rows = 0;
	q.shares = export_shares(v, format);
	/* There each event is a type of values; all others have one at a time. */
	q.all_events = format == FORMAT_PPROF;
	return q;
}

static void
begin(struct viewer *v, enum export_format format, const char *path)
{
	struct query q = viewer_export_query(v, format);

	v->exporter = exporter_new(path, format, viewer_snapshot(v, &q, v->filter),
				   v->env->answers);
	notes_say(v->env->notes, "writing %s", path);
}

void
viewer_export(struct viewer *v, enum export_format format, const char *path, bool waits)
{
	struct err err = { 0 };

	if (check(v, format, &err) < 0) {
		notes_refuse(v->env->notes, "%s", err.text);
		return;
	}
	if (!waits) {
		begin(v, format, path);
		return;
	}
	v->export_path = mem_strdup(path);
	v->export_format = format;
	notes_say(v->env->notes, "%s will be written once inlined functions are known", path);
}

bool
viewer_export_waits(const struct viewer *v)
{
	return v->export_path != NULL;
}

/* What is new by now is not waited for: there may always be more. */
void
viewer_export_go(struct viewer *v)
{
	char *path = v->export_path;

	v->export_path = NULL;
	begin(v, v->export_format, path);
	free(path);
}

enum part_reply
export_on_end(void *viewer, struct msg *msg)
{
	const struct exporter_ended_msg *m = (const struct exporter_ended_msg *)msg;
	struct viewer *v = viewer;
	char *path = mem_strdup(exporter_path(m->exporter));
	struct err err = { 0 };
	struct buf size = { 0 };

	v->exporter = NULL;
	if (m->bytes < 1024)
		buf_addf(&size, "%llu bytes", (unsigned long long)m->bytes);
	else
		text_add_bytes(&size, m->bytes);
	if (exporter_free(m->exporter, &err) < 0)
		notes_fail(v->env->notes, &err);
	else
		notes_keep(v->env->notes, "written: %s, %s", path, buf_str(&size));
	buf_release(&size);
	free(path);
	return PART_DONE;
}

/* Its names are the engine's. */
int
viewer_end_export(struct viewer *v, struct err *err)
{
	int res = exporter_free(v->exporter, err);

	v->exporter = NULL;
	free(v->export_path);
	v->export_path = NULL;
	return res;
}
