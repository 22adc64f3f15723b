/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/keys.h"

#include "ui/canvas.h"

#include <stdio.h>
#include <string.h>

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
	{ "Click", KEYCODE_CLICK }, { "RightClick", KEYCODE_RIGHT_CLICK },
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

bool
key_next_name(const char **names, char *name, size_t size)
{
	size_t len;

	*names += strspn(*names, " ");
	len = strcspn(*names, " ");
	snprintf(name, size, "%.*s", (int)len, *names);
	*names += len;
	return len > 0;
}

bool
keys_hold(const char *names, int key)
{
	char name[32];

	while (key_next_name(&names, name, sizeof(name)))
		if (key_parse(name) == key)
			return true;
	return false;
}
