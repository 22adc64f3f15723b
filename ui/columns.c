/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/columns.h"

#include "app/rcfile.h"
#include "base/num.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_TEXT = 3 };

int
column_least_width(enum column_id id)
{
	return columns[id].is_number ? columns[id].width : LEAST_TEXT;
}

/* Whether rows of the view tell it. */
static bool
has_column(const struct view_def *def, enum column_id id)
{
	return memchr(def->columns, (int)id, def->column_count) != NULL ||
	       memchr(def->offers, (int)id, def->offer_count) != NULL;
}

/* -1: see @err. */
static int
take_width(struct column_choice *c, enum column_id id, const char *text, struct err *err)
{
	const int least = column_least_width(id);
	uint64_t width = 0;

	if (!num_u64(text, &width) || width < (uint64_t)least || width > COLUMN_WIDTH_MAX)
		return err_set(err, ERR_USAGE, 0, "column '%s' can have from %d to %d cells",
			       columns[id].name, least, COLUMN_WIDTH_MAX);
	c->widths[id] = (unsigned char)width;
	return 0;
}

/* Adds the column of that name, behind which there may be a width.  -1: see @err. */
static int
add(struct column_choice *c, const struct view_def *def, char *name, struct err *err)
{
	char *width = strchr(name, ':');
	enum column_id id = 0;
	bool ascending;

	if (width != NULL)
		*width++ = '\0';
	if (column_parse(name, &id, &ascending, err) < 0)
		return -1;
	if (!has_column(def, id))
		return err_set(err, ERR_USAGE, 0, "the view %s has no column '%s'", def->name, name);
	if (memchr(c->ids, (int)id, c->count) != NULL || c->count == CHOICE_MAX)
		return err_set(err, ERR_USAGE, 0, "column '%s' is there twice", name);
	c->ids[c->count++] = (unsigned char)id;
	return width != NULL ? take_width(c, id, width, err) : 0;
}

static void
take_line(struct column_choice choices[VIEW_COUNT], struct rcfile *rc, const struct rc_line *line)
{
	struct column_choice c = { .count = 0 };
	enum view_id view = 0;
	struct err err = { 0 };
	char word[32];
	int res = view_parse(line->name, &view, &err);

	for (const char *at = line->value; res == 0 && *(at += strspn(at, " ,")) != '\0';) {
		int len = (int)strcspn(at, " ,");

		snprintf(word, sizeof(word), "%.*s", len, at);
		res = add(&c, &view_defs[view], word, &err);
		at += len;
	}
	if (res == 0)
		choices[view] = c;
	else
		rcfile_fault(rc, line->number, *err.hint != '\0' ? "%s (%s)" : "%s%s", err.text, err.hint);
}

void
columns_read(struct column_choice choices[VIEW_COUNT], struct rcfile *rc)
{
	for (size_t i = 0; i < rc->len; i++)
		if (strcmp(rc->lines[i].section, "columns") == 0)
			take_line(choices, rc, &rc->lines[i]);
}

void
columns_spell_out(struct column_choice *c, enum view_id view)
{
	const struct view_def *def = &view_defs[view];

	if (c->count > 0)
		return;
	c->count = MIN(def->column_count, (size_t)CHOICE_MAX);
	memcpy(c->ids, def->columns, c->count);
}

void
columns_settle(struct column_choice *c, enum view_id view)
{
	const struct view_def *def = &view_defs[view];

	if (c->count == def->column_count && memcmp(c->ids, def->columns, c->count) == 0)
		c->count = 0;
}

size_t
columns_place(const struct column_choice *c, enum column_id id)
{
	size_t at = 0;

	while (at < c->count && c->ids[at] != id)
		at++;
	return at;
}

void
columns_take_out(struct column_choice *c, enum column_id id)
{
	const size_t at = columns_place(c, id);

	if (at == c->count)
		return;
	c->count--;
	memmove(c->ids + at, c->ids + at + 1, c->count - at);
}

void
columns_move(struct column_choice *c, enum column_id id, size_t to)
{
	columns_take_out(c, id);
	memmove(c->ids + to + 1, c->ids + to, c->count - to);
	c->ids[to] = (unsigned char)id;
	c->count++;
}

static bool
has_widths(const struct column_choice *c, const unsigned char *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (c->widths[ids[i]] != 0)
			return true;
	return false;
}

void
columns_put(const struct column_choice *c, enum view_id view, struct buf *b)
{
	const struct view_def *def = &view_defs[view];
	const unsigned char *ids = c->count > 0 ? c->ids : def->columns;
	const size_t count = c->count > 0 ? c->count : def->column_count;

	if (c->count == 0 && !has_widths(c, ids, count))
		return;
	for (size_t i = 0; i < count; i++) {
		buf_addf(b, "%s%s", i > 0 ? " " : "", columns[ids[i]].name);
		if (c->widths[ids[i]] != 0)
			buf_addf(b, ":%d", c->widths[ids[i]]);
	}
}

bool
columns_are_equal(const struct column_choice *a, const struct column_choice *b)
{
	return a->count == b->count && memcmp(a->ids, b->ids, a->count) == 0 &&
	       memcmp(a->widths, b->widths, sizeof(a->widths)) == 0;
}
