/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done with single rows of a table: they are followed, tagged, kept; those of one user. */
#include "ui/action_table.h"
#include "ui/pages.h"
#include "ui/place.h"
#include "ui/table.h"

#include <stdio.h>
#include <string.h>

/* Sets the filter, if it is not too long. */
static void
set_filter(struct ui *ui, const char *text)
{
	if (strlen(text) >= QUERY_FILTER_MAX) {
		ui_say(ui, true, "the filter would be longer than %d bytes", QUERY_FILTER_MAX - 1);
		return;
	}
	snprintf(ui->query.filter, sizeof(ui->query.filter), "%s", text);
	place_ask(ui, false);
}

/* Adds the filter's terms but those that begin so. */
static void
put_other_terms(struct buf *b, const char *filter, const char *begin)
{
	while (*(filter += strspn(filter, " ")) != '\0') {
		size_t len = strcspn(filter, " ");

		if (strncmp(filter, begin, strlen(begin)) != 0)
			buf_addf(b, "%s%.*s", b->len > 0 ? " " : "", (int)len, filter);
		filter += len;
	}
}

static void
replace_term(struct ui *ui, const char *begin, const char *rest)
{
	struct buf b = { 0 };

	put_other_terms(&b, ui->query.filter, begin);
	if (rest != NULL)
		buf_addf(&b, "%s%s%s", b.len > 0 ? " " : "", begin, rest);
	set_filter(ui, buf_str(&b));
	buf_release(&b);
}

static void
take_user(struct ui *ui, int i)
{
	replace_term(ui, "user=", i < 0 ? NULL : ui->users[i]);
}

/* By its name in the table, which a filter takes as it is. */
static size_t
add_user(struct ui *ui, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(ui->users[i], name) == 0)
			return count;
	if (count == USERS_MAX || *name == '\0' || strlen(name) >= USER_MAX || strpbrk(name, " ~*") != NULL)
		return count;
	strcpy(ui->users[count], name);
	return count + 1;
}

static void
open_users(struct ui *ui)
{
	const struct snapshot *s = ui->snap;
	size_t count = 0;

	for (size_t i = 0; s != NULL && i < s->row_count; i++)
		if (s->rows[i].user != NULL)
			count = add_user(ui, count, s->rows[i].user);
	menu_open(ui, "Rows of", take_user);
	menu_add(ui, "everybody", "all users", -1, true);
	for (size_t i = 0; i < count; i++)
		menu_add(ui, ui->users[i], "this user's alone: user= in the filter", (int)i, false);
}

/* Where the first row is selected whichever it is, or one wherever it goes. */
static void
follow(struct ui *ui)
{
	struct nav_place *p = nav_place(&ui->nav);

	if (p->pinned) {
		nav_unpin(p);
		ui_say(ui, false, "the first row is selected, whichever that is");
	} else if (ui_selected(ui) != NULL) {
		nav_to(p, ui->snap, p->index);
		ui_say(ui, false, "this row is followed, wherever it goes");
	}
}

static void
tag(struct ui *ui)
{
	const struct row *row = ui_selected(ui);
	struct nav_place *p = nav_place(&ui->nav);
	struct row_tag tag;
	const char *why;
	size_t i = 0;

	if (row == NULL)
		return;
	while (i < ui->tag_count && ui->tags[i].id != row->id)
		i++;
	if (i < ui->tag_count)
		ui->tags[i] = ui->tags[--ui->tag_count];
	else {
		row_tag_make(&tag, row, &why); /* any row can be tagged */
		VEC_ADD(ui->tags, ui->tag_count, ui->tag_cap) = tag;
	}
	nav_move(p, ui->snap, 1);
}

static void
untag(struct ui *ui)
{
	ui_say(ui, false, "%zu tags are taken off", ui->tag_count);
	ui->tag_count = 0;
}

/* Again: all that the rest of the filter keeps. */
static void
keep_tagged(struct ui *ui)
{
	static const char begin[] = "pid~^(";
	struct buf b = { 0 };

	for (size_t i = 0; i < ui->tag_count; i++)
		if (ui->tags[i].pid > 0)
			buf_addf(&b, "%s%d", b.len > 0 ? "|" : "", ui->tags[i].pid);
	buf_add_str(&b, ")$");
	if (strstr(ui->query.filter, begin) != NULL)
		replace_term(ui, begin, NULL);
	else if (b.len > 2)
		replace_term(ui, begin, b.data);
	else
		ui_say(ui, false, "no process is tagged: Space tags the row that is selected");
	buf_release(&b);
}

static void
shorten(struct ui *ui)
{
	ui->short_commands = !ui->short_commands;
	ui_say(ui, false, ui->short_commands ? "programs without path and arguments"
					     : "programs with path and arguments");
}

static void
tree(struct ui *ui)
{
	struct query *q = &ui->query;

	if (!q->by_view || q->view != VIEW_PROCESSES) {
		ui_say(ui, false, "only processes have a tree of who forked whom: Tab or v lead to them");
		return;
	}
	q->process_tree = !q->process_tree;
	ui_say(ui, false, q->process_tree ? "a tree: each process has what those that it forked have, too"
					  : "no tree: each process has its own");
	place_ask(ui, false);
}

const struct action row_actions[] = {
	{ "process-tree", "F5", "processes as a tree, each with what is below it, or as a list", IN_TABLE,
	  tree },
	{ "user", "u", "rows of one user alone, or of all", IN_TABLE, open_users, WITH_ROWS },
	{ "follow", "F", "follow this row wherever it goes, or stay at the top", IN_TABLE, follow,
	  WITH_ROWS },
	{ "tag", "Space", "tag this row, or take its tag off", IN_TABLE, tag, ON_SEEN_ROWS },
	{ "tagged-only", "&", "only processes that are tagged; again: all", IN_TABLE, keep_tagged, WITH_ROWS },
	{ "untag", "^U", "take all tags off", IN_TABLE, untag },
	{ "short-commands", "^P", "commands with or without path and arguments", IN_TABLE, shorten },
	{ NULL },
};
