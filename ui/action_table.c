/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"

#include "ui/keys.h"
#include "ui/state.h"

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
	if (ui->config->engine.input != NULL && action->recorded != NULL)
		ui_say(ui, false, "%s", action->recorded);
	else if (ui->config->engine.host_count > 0 && action->recorded != NULL && !action->of_hosts)
		ui_say(ui, false, "hosts send what they count: this works in a ptop there");
	else if (action->step != NULL)
		action->step(ui, action->by);
	else
		action->run(ui);
}

/* Those of a table that work in @where, below *@title, which is put once. */
static void
put_table(struct buf *b, const struct keymap *m, const char **title, const struct action *table,
	  unsigned where)
{
	for (const struct action *a = table; a->name != NULL; a++) {
		if ((a->where & where) == 0)
			continue;
		if (*title != NULL)
			buf_addf(b, "%s\n", *title);
		*title = NULL;
		buf_addf(b, "  %-20s %s\n", action_keys(m, a), a->help);
	}
}

/* Those of the pages that @where holds, or of all others. */
static void
put_pages(struct buf *b, const struct keymap *m, const char *title, unsigned where, bool is_own)
{
	for (size_t page = 0; page < PAGE_COUNT; page++)
		if (((where & 1u << page) != 0) == is_own)
			put_table(b, m, &title, action_table(BEFORE_PAGES + page), where);
}

void
action_put_help(struct buf *b, const struct keymap *m, unsigned where)
{
	put_pages(b, m, "This page", where, true);
	put_pages(b, m, "Open another page", where, false);
	for (size_t i = 0; i < ARRAY_SIZE(themes); i++) {
		const char *title = themes[i].title;

		put_table(b, m, &title, themes[i].actions, where);
	}
}
