/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/columns.h"

#include "app/rcfile.h"
#include "view/column.h"

#include <stdio.h>
#include <string.h>

/* Whether rows of the view tell it. */
static bool
has_column(const struct view_def *def, enum column_id id)
{
	return memchr(def->columns, (int)id, def->column_count) != NULL ||
	       memchr(def->offers, (int)id, def->offer_count) != NULL;
}

/* Adds the column of that name.  -1: see @err. */
static int
add(struct column_choice *c, const struct view_def *def, const char *name, struct err *err)
{
	enum column_id id = 0;
	bool ascending;

	if (column_parse(name, &id, &ascending, err) < 0)
		return -1;
	if (!has_column(def, id))
		return err_set(err, ERR_USAGE, 0, "the view %s has no column '%s'", def->name, name);
	if (memchr(c->ids, (int)id, c->count) != NULL || c->count == CHOICE_MAX)
		return err_set(err, ERR_USAGE, 0, "column '%s' is there twice", name);
	c->ids[c->count++] = (unsigned char)id;
	return 0;
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
columns_put(const struct column_choice *c, struct buf *b)
{
	for (size_t i = 0; i < c->count; i++)
		buf_addf(b, "%s%s", i > 0 ? " " : "", columns[c->ids[i]].name);
}

bool
columns_are_equal(const struct column_choice *a, const struct column_choice *b)
{
	return a->count == b->count && memcmp(a->ids, b->ids, a->count) == 0;
}
