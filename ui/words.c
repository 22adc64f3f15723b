/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/ui.h"

#include "ui/action_table.h"
#include "ui/header_parts.h"
#include "ui/keys.h"

/* By each of its keys, and by its name. */
static void
tell_action(app_word_fn *take, void *self, const struct action *a)
{
	const char *keys = a->keys;
	struct buf line = { 0 };
	char key[16];

	buf_addf(&line, "key %s (%s): %s", a->keys, a->name, a->help);
	while (key_next_name(&keys, key, sizeof(key)))
		take(self, key, true, buf_str(&line));
	take(self, a->name, false, buf_str(&line));
	buf_release(&line);
}

static void
tell_header(app_word_fn *take, void *self, const char *name, const char *help)
{
	struct buf line = { 0 };

	buf_addf(&line, "header %s: %s", name, help);
	take(self, name, false, buf_str(&line));
	buf_release(&line);
}

void
ui_words(app_word_fn *take, void *self)
{
	const struct action *a;

	for (size_t i = 0; (a = action_table(i)) != NULL; i++)
		for (; a->name != NULL; a++)
			tell_action(take, self, a);
	for (size_t i = 0; i < HEADER_PARTS; i++)
		tell_header(take, self, header_parts[i].name, header_parts[i].help);
	for (size_t i = 0; i < HEADER_TIME_COUNT; i++)
		tell_header(take, self, header_times[i].name, header_times[i].help);
}
