/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a view or a format cannot show, or not here. */
#include "app/config_impl.h"

#include "view/column.h"
#include "view/filter.h"

#include <config.h> /* the one of configure: in quotes it would be that of this folder */
#include <stdio.h>
#include <string.h>

#ifdef HAVE_ZSTD
enum { HAS_ZSTD = true };
#else
enum { HAS_ZSTD = false };
#endif

/* Of a report of stacks, which have no labels: the keys of its filter. */
static int
read_stack_filter(const struct config *c, key_set *keys, struct err *err)
{
	struct filter *f = filter_parse(c->filter, err);

	if (f == NULL)
		return -1;
	*keys = filter_keys(f);
	filter_free(f);
	for (enum key k = 0; k < KEY_COUNT; k++)
		if (*keys & KEY_BIT(k) && columns[k].labels != 0)
			return err_set(err, ERR_USAGE, 0, "--filter: stacks do not tell '%s'",
				       key_name(k));
	return 0;
}

/* What each report of the view can be sorted by, whatever is sampled; trees have an order of their own. */
static int
hint_sorts(const struct config *c, struct err *err)
{
	const struct view_def *view = &view_defs[c->view];
	struct buf names = { 0 };

	for (size_t i = 0; i < view->column_count; i++) {
		const enum column_id id = (enum column_id)view->columns[i];

		if (column_is_of_screen(id) || columns[id].of != COLUMN_OF_ALL)
			continue;
		buf_addf(&names, "%s%s", names.len > 0 ? ", " : "", columns[id].name);
		if (id == COLUMN_SHARE)
			buf_addf(&names, ", %s, %s", columns[COLUMN_SAMPLES].name, columns[COLUMN_PERIOD].name);
	}
	if (names.len > 0 && c->key_count == 0 && !view->is_tree)
		err_hint(err, "--view %s is sorted by: %s", view->name, buf_str(&names));
	buf_release(&names);
	return -1;
}

/* The rows of some views are no groups of samples by keys; reports lack what is of now alone. */
int
config_check_keys(const struct config *c, struct err *err)
{
	const struct view_def *view = &view_defs[c->view];

	if (c->batch && c->sort >= 0 && column_is_of_screen((enum column_id)c->sort)) {
		err_set(err, ERR_USAGE, 0, "--sort %s: only the screen has this column",
			columns[c->sort].name);
		return hint_sorts(c, err);
	}
	if (c->key_count == 0 || !(view->is_tree || view->is_code || view->is_unnamed || view->is_locks ||
				   view->is_counted))
		return 0;
	err_set(err, ERR_USAGE, 0, "--view %s has rows of its own: it does not go with --by",
		view->name);
	return err_hint(err, "leave out one of the two");
}

/* Whether one of @events looks at threads while they wait; off-cpu/exact/ does not. */
static bool
looks_at_waits(const char *events)
{
	static const char name[] = "off-cpu";
	const char *at = events;

	while ((at = strstr(at, name)) != NULL) {
		at += strlen(name);
		if (strncmp(at, "/exact", strlen("/exact")) != 0)
			return true;
	}
	return strstr(events, "wall-clock") != NULL;
}

/* A wait that is known when it is over tells nothing of one that is not, nor who held the lock. */
int
config_check_locks(const struct config *c, struct err *err)
{
	const char *events = c->engine.events;

	if (!view_defs[c->view].is_locks || events == NULL || strstr(events, "off-cpu") == NULL ||
	    looks_at_waits(events))
		return 0;
	err_set(err, ERR_USAGE, 0, "--view locks: off-cpu/exact/ does not tell who holds a lock");
	return err_hint(err, "-e off-cpu looks at who waits");
}

/* What the views of stacks cannot do. */
int
config_check_tree(const struct config *c, struct err *err)
{
	key_set keys;

	if (!view_defs[c->view].is_tree || !c->batch)
		return 0;
	if (c->filter == NULL || format_defs[c->engine.format].content != CONTENT_ROWS)
		return 0;
	if (read_stack_filter(c, &keys, err) < 0)
		return -1;
	if (c->view != VIEW_TREE && c->view != VIEW_FLAME && (keys & FUNCTION_KEYS) != 0 &&
	    (keys & ~FUNCTION_KEYS) != 0)
		return err_set(err, ERR_USAGE, 0, "--filter: --view %s takes functions (dso, symbol) or "
			       "threads (comm, pid, ...), not both", view_defs[c->view].name);
	return 0;
}

/* Whether the format can be written here, and of what was asked. */
int
config_check_format(const struct config *c, struct err *err)
{
	const struct format_def *def = &format_defs[c->engine.format];
	key_set keys;

	if (c->engine.compress && !HAS_ZSTD)
		return err_set(err, ERR_UNSUPPORTED, 0, "--compress: this ptop is built without zstd");
	if (def->lacks != NULL)
		return err_set(err, ERR_UNSUPPORTED, 0, "--format %s: built without %s", def->name,
			       def->lacks);
	if (c->engine.then_input != NULL && c->engine.format == FORMAT_SPEEDSCOPE) {
		err_set(err, ERR_USAGE, 0, "--diff does not go with speedscope, which has no place for "
			"a second count");
		return err_hint(err, "--format folded, pprof or svg");
	}
	if (def->content == CONTENT_ROWS || c->filter == NULL)
		return 0;
	return read_stack_filter(c, &keys, err);
}

const char *
config_why_uncounted(const struct config *c, enum view_id view, bool in_process)
{
	const struct {
		bool is_given;
		const char *why;
	} rows[] = {
		{ c->engine.cpu_count > 0 && view == VIEW_CALLS, "calls do not keep to --cpu: leave it out" },
		{ c->engine.uid_count > 0 && !in_process,
		  "counts do not keep to --uid: enter a process, or name it with --pid" },
		{ c->engine.cgroup_count > 0 && !in_process,
		  "counts do not keep to --cgroup: enter a process, or name it with --pid" },
		{ c->engine.tid_count > 0 && !in_process && view == VIEW_CALLS,
		  "calls do not keep to --tid: enter a process, or name it with --pid" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows) && view_defs[view].is_counted; i++)
		if (rows[i].is_given)
			return rows[i].why;
	return NULL;
}

/* What the views of what is counted, which sample nothing, cannot do. */
int
config_check_counted(const struct config *c, struct err *err)
{
	const enum view_id view = c->engine.functions != NULL ? VIEW_CALLS : c->view;
	const char *why = config_why_uncounted(c, view, false);
	char format[64];
	const struct {
		bool is_given;
		const char *what;
	} wrong[] = {
		{ c->engine.input != NULL, "--input: a recording has samples" },
		{ format_defs[c->engine.format].content != CONTENT_ROWS, format },
		/* The screen samples beside it. */
		{ c->batch && c->engine.record != NULL, "--record: it writes samples" },
		{ c->batch && c->filter != NULL, "--filter: it keeps samples" },
		{ c->batch && c->engine.relative, "--relative: counters have no shares" },
		{ c->batch && c->hide_kernel, "--hide-kernel: -e EVENT:u counts so" },
		{ c->batch && c->hide_user, "--hide-user: -e EVENT:k counts so" },
	};

	snprintf(format, sizeof(format), "--format %s: it writes stacks",
		 format_defs[c->engine.format].name);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (wrong[i].is_given && view_defs[c->view].is_counted)
			return err_set(err, ERR_USAGE, 0, "--view %s does not go with %s",
				       view_defs[c->view].name, wrong[i].what);
	if (why != NULL)
		return err_set(err, ERR_USAGE, 0, "--view %s: %s", view_defs[view].name, why);
	return 0;
}

/* What is of the view of one function alone, and what that cannot do. */
int
config_check_annotate(const struct config *c, struct err *err)
{
	const struct format_def *format = &format_defs[c->engine.format];
	struct filter *f;
	key_set keys;

	if (!view_defs[c->view].is_code) {
		if (c->symbol == NULL && c->dso == NULL)
			return 0;
		err_set(err, ERR_USAGE, 0, "%s is of --view annotate", c->symbol != NULL ? "--symbol"
											 : "--dso");
		return err_hint(err, "--filter 'symbol=NAME dso=NAME' keeps rows of other views");
	}
	if (format->content != CONTENT_ROWS)
		return err_set(err, ERR_USAGE, 0, "--view annotate does not go with --format %s: it "
			       "writes stacks", format->name);
	f = c->filter != NULL ? filter_parse(c->filter, err) : NULL;
	keys = filter_keys(f);
	filter_free(f);
	for (enum key k = 0; k < KEY_COUNT; k++)
		if ((keys & KEY_BIT(k)) && columns[k].labels != 0 && k != KEY_CPU)
			return err_set(err, ERR_USAGE, 0, "--filter: instructions do not tell '%s'",
				       key_name(k));
	return 0;
}
