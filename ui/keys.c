/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/keys.h"

#include "app/option.h"
#include "ui/canvas.h"

#include <string.h>

/* The first key of an action is the one that the footer shows. */
const struct key_binding default_keys[] = {
	{ "F1", ACTION_HELP }, { "h", ACTION_HELP }, { "?", ACTION_HELP },
	{ "e", ACTION_EVENT_PICKER },
	{ "Tab", ACTION_VIEW_NEXT }, { "Shift-Tab", ACTION_VIEW_PREV }, { "v", ACTION_VIEW_MENU },
	{ "Enter", ACTION_IN }, { "Right", ACTION_RIGHT },
	{ "Esc", ACTION_OUT }, { "Backspace", ACTION_OUT }, { "Left", ACTION_LEFT },
	{ "c", ACTION_CALLERS }, { "t", ACTION_TREE }, { "f", ACTION_FLAME },
	{ "+", ACTION_OPEN }, { "-", ACTION_CLOSE },
	{ "/", ACTION_FIND }, { "n", ACTION_FIND_NEXT }, { "N", ACTION_FIND_PREV },
	{ "\\", ACTION_FILTER }, { "F4", ACTION_FILTER },
	{ "F6", ACTION_SORT_MENU }, { "<", ACTION_SORT_LEFT }, { ">", ACTION_SORT_RIGHT },
	{ "I", ACTION_SORT_INVERT },
	{ "Up", ACTION_UP }, { "k", ACTION_UP }, { "WheelUp", ACTION_UP },
	{ "Down", ACTION_DOWN }, { "j", ACTION_DOWN }, { "WheelDown", ACTION_DOWN },
	{ "PgUp", ACTION_PAGE_UP }, { "PgDn", ACTION_PAGE_DOWN },
	{ "Home", ACTION_HOME }, { "End", ACTION_END },
	{ "[", ACTION_EVENT_PREV }, { "]", ACTION_EVENT_NEXT },
	{ "E", ACTION_EVENT_FILTER },
	{ "+", ACTION_FREQ_MORE }, { "-", ACTION_FREQ_FEWER },
	{ "K", ACTION_HIDE_KERNEL }, { "U", ACTION_HIDE_USER }, { "H", ACTION_THREADS },
	{ "*", ACTION_HIDE_SELF },
	{ "O", ACTION_IDLE }, { "Z", ACTION_FREEZE }, { "z", ACTION_ZERO }, { "d", ACTION_DELAY },
	{ ",", ACTION_EARLIER }, { ".", ACTION_LATER }, { "~", ACTION_STRETCH },
	{ "!", ACTION_MESSAGES }, { "i", ACTION_EXPLAIN },
	{ "w", ACTION_RECORD },
	{ "x", ACTION_EXPORT },
	{ "p", ACTION_ATTACH }, { "D", ACTION_DETACH }, { "S", ACTION_DOWNLOADS },
	{ "^L", ACTION_REDRAW }, { "^Z", ACTION_SUSPEND },
	{ "q", ACTION_QUIT }, { "F10", ACTION_QUIT }, { "^C", ACTION_QUIT },
};
const size_t default_key_count = ARRAY_SIZE(default_keys);

static const struct {
	const char *name;
	int key;
} key_names[] = {
	{ "Up", KEYCODE_UP }, { "Down", KEYCODE_DOWN },
	{ "Left", KEYCODE_LEFT }, { "Right", KEYCODE_RIGHT },
	{ "PgUp", KEYCODE_PAGE_UP }, { "PgDn", KEYCODE_PAGE_DOWN },
	{ "Home", KEYCODE_HOME }, { "End", KEYCODE_END },
	{ "Enter", KEYCODE_ENTER }, { "Esc", KEYCODE_ESCAPE },
	{ "Tab", KEYCODE_TAB }, { "Shift-Tab", KEYCODE_BACK_TAB },
	{ "Backspace", KEYCODE_BACKSPACE }, { "Insert", KEYCODE_INSERT },
	{ "Delete", KEYCODE_DELETE }, { "Space", ' ' },
	{ "F1", KEYCODE_F1 }, { "F2", KEYCODE_F1 + 1 }, { "F3", KEYCODE_F1 + 2 },
	{ "F4", KEYCODE_F1 + 3 }, { "F5", KEYCODE_F1 + 4 }, { "F6", KEYCODE_F1 + 5 },
	{ "F7", KEYCODE_F1 + 6 }, { "F8", KEYCODE_F1 + 7 }, { "F9", KEYCODE_F1 + 8 },
	{ "F10", KEYCODE_F1 + 9 }, { "F11", KEYCODE_F1 + 10 }, { "F12", KEYCODE_F12 },
	{ "Click", KEYCODE_CLICK },
	{ "WheelUp", KEYCODE_WHEEL_UP }, { "WheelDown", KEYCODE_WHEEL_DOWN },
	{ "unknown", KEYCODE_OTHER },
};

int
key_parse(const char *name)
{
	const char *end = name;
	uint32_t ch;

	for (size_t i = 0; i < ARRAY_SIZE(key_names); i++)
		if (strcmp(key_names[i].name, name) == 0)
			return key_names[i].key;
	if (name[0] == '^' && name[1] >= '@' && name[1] <= '_' && name[2] == '\0')
		return name[1] & 0x1f;
	ch = canvas_next(&end);
	return ch >= ' ' && *end == '\0' ? (int)ch : 0;
}

void
key_put_name(struct buf *b, int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(key_names); i++) {
		if (key_names[i].key == key) {
			buf_add_str(b, key_names[i].name);
			return;
		}
	}
	if (key < ' ')
		buf_addf(b, "^%c", key + '@');
	else if (key <= 0x7e)
		buf_add_char(b, (char)key);
	else
		buf_addf(b, "U+%04X", (unsigned)key);
}

enum action_id
key_action(int key, unsigned where)
{
	for (size_t i = 0; i < ARRAY_SIZE(default_keys); i++) {
		const struct key_binding *k = &default_keys[i];

		if ((actions[k->action].where & where) != 0 && key_parse(k->key) == key)
			return k->action;
	}
	return ACTION_COUNT;
}

const char *
key_of_action(enum action_id action)
{
	for (size_t i = 0; i < ARRAY_SIZE(default_keys); i++)
		if (default_keys[i].action == action)
			return default_keys[i].key;
	return "";
}

/* All of them: "h ? F1". */
static void
put_keys_of(struct buf *b, enum action_id action)
{
	const char *gap = "";

	for (size_t i = 0; i < ARRAY_SIZE(default_keys); i++) {
		if (default_keys[i].action != action)
			continue;
		buf_addf(b, "%s%s", gap, default_keys[i].key);
		gap = " ";
	}
}

void
keys_put_help(struct buf *b, unsigned where)
{
	struct buf keys = { 0 };

	for (int a = 0; a < ACTION_COUNT; a++) {
		if ((actions[a].where & where) == 0)
			continue;
		buf_reset(&keys);
		put_keys_of(&keys, (enum action_id)a);
		buf_addf(b, "  %-20s %s\n", buf_str(&keys), actions[a].help);
	}
	buf_release(&keys);
}

void
keys_put_roff(struct buf *b)
{
	struct buf keys = { 0 };

	for (int a = 0; a < ACTION_COUNT; a++) {
		buf_reset(&keys);
		put_keys_of(&keys, (enum action_id)a);
		buf_add_str(b, ".TP\n\\fB");
		options_put_escaped(b, buf_str(&keys));
		buf_add_str(b, "\\fR\n");
		options_put_escaped(b, actions[a].help);
		buf_add_str(b, ".\n");
	}
	buf_release(&keys);
}
