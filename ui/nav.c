/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/nav.h"

#include "view/column.h"

#include <stdio.h>
#include <string.h>

void
nav_init(struct nav *n, enum view_id view)
{
	memset(n, 0, sizeof(*n));
	n->levels[0].view = view;
}

struct nav_level *
nav_level(struct nav *n)
{
	return &n->levels[n->depth];
}

struct nav_place *
nav_place(struct nav *n)
{
	return &nav_level(n)->places[nav_level(n)->view];
}

void
nav_in_lock(struct nav *n, const struct row *row, enum view_id view)
{
	const struct nav_level *from = nav_level(n);
	struct nav_level *to = &n->levels[n->depth + 1];

	*to = (struct nav_level){ .view = view, .process = row->process, .lock = row->lock_id,
				  .within_count = from->within_count };
	memcpy(to->within, from->within, sizeof(to->within));
	n->depth++;
}

/* What the row stands for, under the name that it has there. */
static void
go_within(struct nav_level *to, enum key key, const struct row *row)
{
	static const struct column_style style = { .ascii = true };
	struct query_within *in = &to->within[to->within_count++];
	struct buf b = { 0 };

	in->key = key;
	in->part = row->part;
	/* A path whole, not as it is shown in a tree. */
	if (columns[key].kind == VALUE_TEXT)
		buf_add_str(&b, column_string((enum column_id)key, row));
	else
		column_put(&b, (enum column_id)key, row, &style);
	snprintf(in->name, sizeof(in->name), "%s", buf_str(&b));
	buf_release(&b);
}

/* Its threads would be one row; 0: how many live is not known. */
static bool
has_one_thread(const struct row *row)
{
	if (row->thread != 0)
		return false;
	return (row->flags & ROW_ONE_THREAD) != 0 ||
	       (row->threads == 1 && (row->flags & ROW_THREADS_ENDED) == 0);
}

bool
nav_in(struct nav *n, const struct row *row, bool skip_threads, const char **why)
{
	const struct nav_level *from = nav_level(n);
	struct nav_level *to = &n->levels[MIN(n->depth + 1, (size_t)NAV_LEVELS - 1)];
	int into = view_defs[from->view].into;

	if (into < 0 || n->depth + 1 == NAV_LEVELS) {
		*why = "nothing to open: this is the innermost view";
		return false;
	}
	/* Who holds a lock is what it is about, else who waits for it. */
	if (row->lock_id != 0 && row->thread == 0) {
		nav_in_lock(n, row, VIEW_TREE);
		return true;
	}
	if (view_defs[from->view].is_group && from->within_count == QUERY_WITHIN_MAX) {
		*why = "too many groups in each other: Esc leads out of one";
		return false;
	}
	if (row->process == 0 && row->thread == 0 && row->dso_id == 0 &&
	    (!view_defs[from->view].is_group || (row->flags & (ROW_REST | ROW_FILTERED)) != 0)) {
		*why = "nothing to open: this row is no single process or thread";
		return false;
	}
	if (into == VIEW_THREADS && (skip_threads || has_one_thread(row)))
		into = VIEW_FUNCTIONS;
	memset(to, 0, sizeof(*to));
	to->view = (enum view_id)into;
	to->process = row->process != 0 ? row->process : from->process;
	to->thread = row->process != 0 ? row->thread : from->thread;
	to->name = row->process != 0 ? row->name : from->name;
	to->dso = row->dso_id != 0 ? row->dso_id : from->dso;
	memcpy(to->within, from->within, sizeof(to->within));
	to->within_count = from->within_count;
	if (view_defs[from->view].is_group)
		go_within(to, view_defs[from->view].keys[0], row);
	memcpy(to->field, from->field, sizeof(to->field));
	to->unnamed = from->unnamed || view_defs[from->view].is_unnamed;
	n->depth++;
	return true;
}

bool
nav_out(struct nav *n)
{
	if (n->depth == 0)
		return false;
	n->depth--;
	return true;
}

void
nav_find(struct nav_place *p, const struct snapshot *s)
{
	if (!p->pinned) {
		p->index = 0;
		return;
	}
	for (size_t i = 0; i < s->row_count; i++) {
		if (s->rows[i].id == p->id) {
			p->index = i;
			return;
		}
	}
	/* The row is gone: stay at its place, and with whatever is there if the user moves on. */
	if (p->index >= s->row_count)
		p->index = s->row_count > 0 ? s->row_count - 1 : 0;
}

void
nav_to(struct nav_place *p, const struct snapshot *s, size_t index)
{
	if (s->row_count == 0)
		return;
	p->index = MIN(index, s->row_count - 1);
	p->id = s->rows[p->index].id;
	p->pinned = true;
}

void
nav_move(struct nav_place *p, const struct snapshot *s, long delta)
{
	long index = (long)p->index + delta;

	nav_to(p, s, index < 0 ? 0 : (size_t)index);
}

void
nav_unpin(struct nav_place *p)
{
	p->pinned = false;
	p->index = 0;
}

void
nav_scroll(struct nav_place *p, size_t count, size_t rows)
{
	if (rows == 0)
		return;
	if (p->index < p->top)
		p->top = p->index;
	if (p->index >= p->top + rows)
		p->top = p->index - rows + 1;
	if (p->top + rows > count)
		p->top = count > rows ? count - rows : 0;
}
