/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asked of the engine: the query that the options make. */
#include "app/config.h"

#include "view/column.h"

#include <string.h>

/* Smaller nodes of trees are one in a text. */
#define TREE_LEAST 0.001

static uint64_t
window_ns(const struct config *c)
{
	bool whole_life = c->engine.input != NULL || engine_config_is_whole_life(&c->engine);

	if (c->window_s < 0)
		return UINT64_MAX;
	if (c->window_s > 0)
		return (uint64_t)(c->window_s * (double)NSEC_PER_SEC);
	if (!c->batch && c->engine.input == NULL)
		return 10 * NSEC_PER_SEC;
	if (c->batch && format_defs[c->engine.format].is_whole)
		return UINT64_MAX;
	return whole_life ? UINT64_MAX : 0;
}

/* Numbers of processes say nothing in another recording: rows are told apart by what is left. */
static void
group_by_names(struct query *q)
{
	size_t n = 0;

	q->sums = true;
	if (q->locks)
		return;
	for (size_t i = 0; i < q->key_count; i++)
		if (q->keys[i] != KEY_PID && q->keys[i] != KEY_TID)
			q->keys[n++] = q->keys[i];
	q->by_view &= n == q->key_count;
	q->key_count = n;
}

/* Numbers of processes are each host's own. */
static void
group_by_host(struct query *q)
{
	bool is_by_task = false;

	for (size_t i = 0; i < q->key_count; i++) {
		if (q->keys[i] == KEY_HOST)
			return;
		is_by_task |= q->keys[i] == KEY_PID || q->keys[i] == KEY_TID;
	}
	if (!is_by_task)
		return;
	memmove(q->keys + 1, q->keys, q->key_count * sizeof(q->keys[0]));
	q->keys[0] = KEY_HOST;
	q->key_count++;
}

void
config_query(const struct config *c, struct query *q)
{
	const struct view_def *view = &view_defs[c->view];

	*q = (struct query){
		.view = c->view,
		.by_view = c->key_count == 0,
		.sort = c->sort,
		.ascending = c->sort_ascending,
		.window_ns = window_ns(c),
		.hide_kernel = c->hide_kernel,
		.hide_user = c->hide_user,
		/* In a report and in a recording swapper is a comm like any other. */
		.idle = c->engine.idle || c->batch || c->engine.input != NULL,
		.all_events = c->batch,
		.max_rows = c->batch ? 0 : 1000,
		.trends = !c->batch,
		.sums = !c->batch,
		.shares = !c->batch || c->engine.relative ? SHARES_OF_SHOWN : SHARES_OF_ALL,
		.least_share = c->batch && c->engine.format == FORMAT_TEXT ? TREE_LEAST : 0,
	};
	q->unnamed = q->by_view && view->is_unnamed;
	q->locks = q->by_view && view->is_locks;
	if (c->batch)
		format_set_query(c->engine.format, q);
	q->key_count = q->by_view ? view->key_count : c->key_count;
	memcpy(q->keys, q->by_view ? view->keys : c->keys, q->key_count * sizeof(q->keys[0]));
	if (c->engine.host_count > 0 && c->batch)
		group_by_host(q);
	if (c->engine.then_input != NULL)
		q->compare = COMPARE_RECORDING;
	if (c->engine.then_input != NULL && c->batch)
		group_by_names(q);
	if (c->filter != NULL)
		strncpy(q->filter, c->filter, sizeof(q->filter) - 1);
	if (c->field != NULL)
		strncpy(q->field, c->field, sizeof(q->field) - 1);
	if (c->symbol != NULL)
		strncpy(q->symbol, c->symbol, sizeof(q->symbol) - 1);
	if (c->dso != NULL)
		strncpy(q->symbol_dso, c->dso, sizeof(q->symbol_dso) - 1);
	if (q->sort < 0) {
		bool is_data = format_defs[c->engine.format].content == CONTENT_ROWS &&
			       c->engine.format != FORMAT_TEXT;

		q->sort = c->batch && is_data ? COLUMN_PERIOD : COLUMN_SHARE;
		if (q->compare != COMPARE_NOTHING)
			q->sort = COLUMN_DELTA;
		q->ascending = false;
	}
}
