/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"

#include "ui/keys.h"
#include "ui/refusal.h"

#include <string.h>

/* In the order of the man page; the help screen has those of the page before all others. */
static const struct {
	const char *title;
	const struct action *actions;
} themes[] = {
	{ "Tell", help_actions }, { "Go to another view", view_actions },
	{ "Move, go in and out", move_actions }, { "Find", find_actions },
	/* here those of pages */
	{ "What is shown", filter_actions }, { "Rows", row_actions },
	{ "Processes", process_actions }, { "What is measured", sampling_actions },
	{ "Which time is shown", time_actions }, { "Take along", file_actions },
	{ "The program", program_actions },
};

enum { BEFORE_PAGES = 4, TABLES = ARRAY_SIZE(themes) + PAGE_COUNT };

const struct action *
action_table(size_t i)
{
	static const struct action none = { .name = NULL };
	size_t page = i - BEFORE_PAGES;

	if (i >= TABLES)
		return NULL;
	if (i < BEFORE_PAGES)
		return themes[i].actions;
	if (page >= PAGE_COUNT)
		return themes[i - PAGE_COUNT].actions;
	return page != PAGE_NONE && pages[page]->actions != NULL ? pages[page]->actions : &none;
}

const struct action *
action_find(const char *name)
{
	for (size_t i = 0; i < TABLES; i++)
		for (const struct action *a = action_table(i); a->name != NULL; a++)
			if (strcmp(a->name, name) == 0)
				return a;
	return NULL;
}

const char *
action_keys(const struct keymap *m, const struct action *action)
{
	for (size_t i = 0; i < m->len; i++)
		if (m->changes[i].action == action)
			return m->changes[i].keys;
	return action->keys;
}

const struct action *
action_of_key(const struct keymap *m, int key, unsigned where)
{
	for (size_t i = 0; i < TABLES; i++)
		for (const struct action *a = action_table(i); a->name != NULL; a++)
			if ((a->where & where) != 0 && keys_hold(action_keys(m, a), key))
				return a;
	return NULL;
}

void
action_run(struct ui *ui, const struct action *action)
{
	struct buf why = { 0 };

	if (refusal_of_action(ui, action, &why))
		ui_say(ui, false, "%s", buf_str(&why));
	else if (action->step != NULL)
		action->step(ui, action->by);
	else
		action->run(ui);
	buf_release(&why);
}

static void
put_line(struct buf *b, const struct ui *ui, const struct action *action)
{
	buf_addf(b, "  %-20s %s\n", action_keys(&ui->keymap, action), action->help);
}

/* Those of a table that work in @where, below *@title, which is put once. */
static void
put_table(struct buf *b, struct ui *ui, const char **title, const struct action *table, unsigned where)
{
	for (const struct action *a = table; a->name != NULL; a++) {
		if ((a->where & where) == 0 || refusal_of_action(ui, a, NULL))
			continue;
		if (*title != NULL)
			buf_addf(b, "%s\n", *title);
		*title = NULL;
		put_line(b, ui, a);
	}
}

/* Those of the pages that @where holds, or of all others. */
static void
put_pages(struct buf *b, struct ui *ui, const char *title, unsigned where, bool is_own)
{
	for (size_t page = 0; page < PAGE_COUNT; page++)
		if (((where & 1u << page) != 0) == is_own)
			put_table(b, ui, &title, action_table(BEFORE_PAGES + page), where);
}

/* With a reason of its own; neighbours often share it. */
static void
put_refused(struct buf *b, struct ui *ui, unsigned where)
{
	struct buf why = { 0 }, last = { 0 };

	for (size_t i = 0; i < TABLES; i++) {
		for (const struct action *a = action_table(i); a->name != NULL; a++) {
			buf_reset(&why);
			if ((a->where & where) == 0 || !refusal_of_action(ui, a, &why))
				continue;
			if (strcmp(buf_str(&why), buf_str(&last)) != 0)
				buf_addf(b, "Not here: %s\n", buf_str(&why));
			put_line(b, ui, a);
			buf_reset(&last);
			buf_add_str(&last, buf_str(&why));
		}
	}
	buf_release(&why);
	buf_release(&last);
}

void
action_put_help(struct buf *b, struct ui *ui, unsigned where)
{
	put_pages(b, ui, "This page", where, true);
	put_pages(b, ui, "Open another page", where, false);
	for (size_t i = 0; i < ARRAY_SIZE(themes); i++) {
		const char *title = themes[i].title;

		put_table(b, ui, &title, themes[i].actions, where);
	}
	put_refused(b, ui, where);
}
