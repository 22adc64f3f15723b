/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"

#include "ui/keys.h"
#include "ui/state.h"

#include <string.h>

/* In the order of the help screen and the man page. */
static const struct action *const themes[] = {
	help_actions,   view_actions,  move_actions, find_actions, table_actions,    stack_actions,
	filter_actions, event_actions, time_actions, file_actions, process_actions, program_actions,
};

const struct action *
action_at(size_t i)
{
	for (size_t t = 0; t < ARRAY_SIZE(themes); t++)
		for (const struct action *a = themes[t]; a->name != NULL; a++)
			if (i-- == 0)
				return a;
	return NULL;
}

const struct action *
action_find(const char *name)
{
	const struct action *a;

	for (size_t i = 0; (a = action_at(i)) != NULL; i++)
		if (strcmp(a->name, name) == 0)
			return a;
	return NULL;
}

static bool
has_key(const struct action *a, int key)
{
	char name[32];

	for (const char *keys = a->keys; key_next_name(&keys, name, sizeof(name));)
		if (key_parse(name) == key)
			return true;
	return false;
}

const struct action *
action_of_key(int key, unsigned where)
{
	const struct action *a;

	for (size_t i = 0; (a = action_at(i)) != NULL; i++)
		if ((a->where & where) != 0 && has_key(a, key))
			return a;
	return NULL;
}

void
action_run(struct ui *ui, const struct action *action)
{
	if (ui->config->engine.input != NULL && action->recorded != NULL)
		ui_say(ui, false, "%s", action->recorded);
	else
		action->run(ui);
}

void
action_put_help(struct buf *b, unsigned where)
{
	const struct action *a;

	for (size_t i = 0; (a = action_at(i)) != NULL; i++)
		if ((a->where & where) != 0)
			buf_addf(b, "  %-20s %s\n", a->keys, a->help);
}
