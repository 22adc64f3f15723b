/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the manual page: its text from the file given, with what placeholders[] has (@OPTIONS@ and its
 * like, each alone on a line, and @VERSION@) filled in from the tables of the program.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>

#include "app/config.h"
#include "app/option.h"
#include "base/file.h"
#include "event/modifier.h"
#include "event/term.h"
#include "live/open/attr_table.h"
#include "live/sys/capabilities.h"
#include "view/column.h"
#include "view/view.h"
#include "ui/action_table.h"
#include "ui/nodetext.h"
#include "ui/other_keys.h"
#include "ui/pages.h"
#include "ui/settings.h"
#include "ui/style.h"
#include "ui/title_menu.h"

enum { PAGE_MAX = 1 << 20 };

/* One entry of a list; @more, in brackets after the name, may be NULL. */
static void
put_entry(struct buf *b, const char *name, const char *more, const char *help)
{
	buf_add_str(b, ".TP\n\\fB");
	options_put_escaped(b, name);
	buf_add_str(b, "\\fR");
	if (more != NULL) {
		buf_add_str(b, " (");
		options_put_escaped(b, more);
		buf_add_char(b, ')');
	}
	buf_add_char(b, '\n');
	options_put_escaped(b, help);
	buf_add_str(b, ".\n");
}

static void
put_keys(struct buf *b)
{
	const struct action *a;

	for (size_t i = 0; (a = action_table(i)) != NULL; i++)
		for (; a->name != NULL; a++)
			put_entry(b, a->keys, a->name, a->help);
}

static void
put_other_keys(struct buf *b)
{
	static const struct keymap as_in_rows;
	struct buf here = { 0 };

	for (size_t i = 0; i < other_key_count; i++) {
		buf_reset(&here);
		other_key_put_here(&here, &as_in_rows, &other_keys[i]);
		put_entry(b, other_keys[i].does, other_keys[i].program, here.data);
	}
	buf_release(&here);
}

static void
put_themes(struct buf *b)
{
	for (int i = 0; i < THEME_COUNT; i++)
		put_entry(b, theme_defs[i].name, NULL, theme_defs[i].help);
}

static void
put_styles(struct buf *b)
{
	buf_add_str(b, ".PP\n");
	for (int i = 0; i < STYLE_COUNT; i++)
		buf_addf(b, "%s%s", i > 0 ? ", " : "", style_defs[i].name);
	buf_add_str(b, ".\n");
}

static void
put_looks(struct buf *b)
{
	const char *between = "";

	for (int i = 0; i < NODE_KIND_COUNT; i++) {
		char mark[2] = { node_looks[i].mark };

		if (node_looks[i].name == NULL)
			continue;
		buf_addf(b, "%s.B \\&", between);
		options_put_escaped(b, mark);
		buf_addf(b, "\n%s", node_looks[i].name);
		between = ",\n";
	}
	buf_add_str(b, ".\n");
}

static void
put_settings(struct buf *b)
{
	const char *name, *help;

	for (size_t i = 0; (help = setting_help(i, &name)) != NULL; i++)
		if (*help != '\0')
			put_entry(b, name, NULL, help);
}

static void
put_processes(struct buf *b)
{
	const char *name, *help;

	for (size_t i = 0; (help = process_menu_help(i, &name)) != NULL; i++)
		put_entry(b, name, NULL, help);
}

static void
put_column_menu(struct buf *b)
{
	const char *name, *help;

	for (size_t i = 0; (help = title_menu_help(i, &name)) != NULL; i++)
		put_entry(b, name, NULL, help);
}

static void
put_columns(struct buf *b)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		put_entry(b, columns[i].name, columns[i].title, columns[i].help);
}

static void
put_views(struct buf *b)
{
	for (int i = 0; i < VIEW_COUNT; i++)
		put_entry(b, view_defs[i].name, NULL, view_defs[i].help);
}

static void
put_groups(struct buf *b)
{
	for (int i = 0; i < KEY_COUNT; i++)
		put_entry(b, key_name(i), NULL, columns[i].help);
}

static void
put_terms(struct buf *b)
{
	size_t count;
	const struct term_row *rows = term_table(&count);

	for (size_t i = 0; i < count; i++)
		put_entry(b, rows[i].name, NULL, rows[i].help);
}

static void
put_modifiers(struct buf *b)
{
	const char *help;
	char letter[2] = "";

	for (size_t i = 0; (help = modifier_help(i, letter)) != NULL; i++)
		put_entry(b, letter, NULL, help);
}

static void
put_attributes(struct buf *b)
{
	size_t count;
	const struct attr_field *fields = attr_fields(&count);

	for (size_t i = 0; i < count; i++)
		put_entry(b, fields[i].name, NULL, fields[i].help);
}

static void
put_capabilities(struct buf *b)
{
	size_t count;
	const struct capability *kept = capability_table(&count);

	for (size_t i = 0; i < count; i++)
		put_entry(b, kept[i].name, NULL, kept[i].why);
}

static void
put_version(struct buf *b)
{
	buf_add_str(b, PACKAGE_VERSION);
}

static void
put_date(struct buf *b)
{
	buf_add_str(b, PTOP_DATE);
}

static const struct placeholder {
	const char *text;
	void (*put)(struct buf *b);
} placeholders[] = {
	{ "@OPTIONS@\n", config_put_roff },
	{ "@KEYS@\n", put_keys },
	{ "@OTHER_KEYS@\n", put_other_keys },
	{ "@PROCESSES@\n", put_processes },
	{ "@SETTINGS@\n", put_settings },
	{ "@THEMES@\n", put_themes },
	{ "@STYLES@\n", put_styles },
	{ "@LOOKS@\n", put_looks },
	{ "@COLUMNS@\n", put_columns },
	{ "@COLUMN_MENU@\n", put_column_menu },
	{ "@VIEWS@\n", put_views },
	{ "@GROUPS@\n", put_groups },
	{ "@TERMS@\n", put_terms },
	{ "@MODIFIERS@\n", put_modifiers },
	{ "@ATTRIBUTES@\n", put_attributes },
	{ "@CAPABILITIES@\n", put_capabilities },
	{ "@VERSION@", put_version },
	{ "@DATE@", put_date },
};

static const struct placeholder *
placeholder_at(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(placeholders); i++)
		if (strncmp(text, placeholders[i].text, strlen(placeholders[i].text)) == 0)
			return &placeholders[i];
	return NULL;
}

static void
fill_in(struct buf *b, const char *text)
{
	while (*text != '\0') {
		const struct placeholder *p = placeholder_at(text);

		if (p == NULL) {
			buf_add_char(b, *text++);
			continue;
		}
		p->put(b);
		text += strlen(p->text);
	}
}

enum { LINE_MAX_BYTES = 80 }; /* of a source of a manual page, mandoc(1) says */

/* Where a line of text is broken, 0: nowhere.  What follows must not begin as a request does. */
static size_t
break_of(const char *line, size_t len)
{
	for (size_t at = MIN(len, (size_t)LINE_MAX_BYTES + 1); len > LINE_MAX_BYTES && at-- > 1;)
		if (line[at] == ' ' && line[at - 1] != ' ' && line[at - 1] != '\\' && strchr(" .'", line[at + 1]) == NULL)
			return at;
	return 0;
}

/* Text that is filled is the same in shorter lines. */
static void
put_wrapped(struct buf *b, const char *text)
{
	bool is_filled = true, is_tag = false;
	size_t len, at;

	for (; *text != '\0'; text += len + (text[len] == '\n')) {
		const bool is_request = *text == '.' || *text == '\'';

		len = strcspn(text, "\n");
		is_filled = strncmp(text, ".nf", 3) == 0 ? false : strncmp(text, ".fi", 3) == 0 ? true : is_filled;
		while (is_filled && !is_request && !is_tag && (at = break_of(text, len)) > 0) {
			buf_addf(b, "%.*s\n", (int)at, text);
			text += at + 1;
			len -= at + 1;
		}
		buf_addf(b, "%.*s\n", (int)len, text);
		is_tag = strncmp(text, ".TP", 3) == 0; /* of a paragraph: a line, whatever it is */
	}
}

int
main(int argc, char **argv)
{
	struct buf in = { 0 }, filled = { 0 }, out = { 0 };
	int res = 0;

	if (argc != 2) {
		fputs("usage: mangen ptop.1.in > ptop.1\n", stderr);
		return 2;
	}
	if (file_read(argv[1], &in, PAGE_MAX) < 0) {
		perror(argv[1]);
		return 1;
	}
	fill_in(&filled, buf_str(&in));
	put_wrapped(&out, buf_str(&filled));
	if (fwrite(buf_str(&out), 1, out.len, stdout) != out.len || fflush(stdout) != 0)
		res = 1;
	buf_release(&in);
	buf_release(&filled);
	buf_release(&out);
	return res;
}
