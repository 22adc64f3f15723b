/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/ui.h"

#include "ui/action_table.h"
#include "ui/header_parts.h"
#include "ui/keys.h"
#include "ui/nodetext.h"
#include "ui/screen_words.h"

/* By each of its keys, and by its name. */
static void
tell_action(app_word_fn *take, void *self, const struct action *a)
{
	const char *keys = a->keys;
	struct buf line = { 0 };
	char key[16];

	buf_addf(&line, "key %s (%s): %s", a->keys, a->name, a->help);
	while (key_next_name(&keys, key, sizeof(key)))
		take(self, key, APP_WORD_KEY, buf_str(&line));
	take(self, a->name, APP_WORD_NAME, buf_str(&line));
	buf_release(&line);
}

static void
tell_shown(app_word_fn *take, void *self, const char *what, const char *word, const char *help)
{
	struct buf line = { 0 };

	buf_addf(&line, "%s %s: %s", what, word, help);
	take(self, word, APP_WORD_SHOWN, buf_str(&line));
	buf_release(&line);
}

static const char *
kind_of(enum screen_word w)
{
	return w < WORD_TITLES ? "header" : w < WORD_SIGNS ? "title" : w < WORD_ROWS ? "sign" : "row";
}

static void
tell_header(app_word_fn *take, void *self)
{
	for (size_t i = 0; i < HEADER_PARTS; i++)
		tell_shown(take, self, "header", header_parts[i].name, header_parts[i].help);
	for (size_t i = 0; i < HEADER_TIME_COUNT; i++)
		tell_shown(take, self, "header", header_times[i].name, header_times[i].help);
	for (size_t i = 0; i < SCREEN_WORDS; i++)
		tell_shown(take, self, kind_of((enum screen_word)i), screen_words[i].word, screen_words[i].help);
}

static void
tell_looks(app_word_fn *take, void *self, const char *what, const struct node_look *looks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (looks[i].name != NULL)
			tell_shown(take, self, what, (char[]){ looks[i].mark, '\0' }, looks[i].name);
}

static void
tell_signs(app_word_fn *take, void *self)
{
	for (size_t i = 0; i < ROW_SIGNS; i++) {
		const struct row_sign *s = &row_signs[i];

		tell_shown(take, self, "sign", (char[]){ s->sign, '\0' }, s->help);
		if (s->glyph != NULL)
			tell_shown(take, self, "sign", s->glyph, s->help);
	}
	tell_looks(take, self, "sign in call trees", node_looks, NODE_KIND_COUNT);
	tell_looks(take, self, "sign in call trees that are compared", difference_looks, DIFFERENCE_LOOKS);
}

void
ui_words(app_word_fn *take, void *self)
{
	const struct action *a;

	for (size_t i = 0; (a = action_table(i)) != NULL; i++)
		for (; a->name != NULL; a++)
			tell_action(take, self, a);
	tell_header(take, self);
	tell_signs(take, self);
}
