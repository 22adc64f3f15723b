/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/own_theme.h"

#include "app/rcfile.h"
#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 32, BRIGHT = 8 };

static const char *const colour_names[] = {
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
};

static const struct {
	const char *name;
	unsigned attr;
} attr_names[] = {
	{ "bold", STYLE_BOLD }, { "faint", STYLE_FAINT },
	{ "under", STYLE_UNDER }, { "reverse", STYLE_REVERSE },
};

/* "#ff8700" */
static bool
read_rgb(const char *word, int *colour)
{
	if (strlen(word) != 7 || strspn(word + 1, "0123456789abcdefABCDEF") != 6)
		return false;
	*colour = STYLE_RGB((int)strtoul(word + 1, NULL, 16));
	return true;
}

/* "red", "bright-red", "203", "#ff5f5f", "default" */
static bool
read_colour(const char *word, int *colour)
{
	int bright = strncmp(word, "bright-", 7) == 0 ? BRIGHT : 0;
	uint64_t n;

	if (*word == '#')
		return read_rgb(word, colour);
	if (strcmp(word, "default") == 0) {
		*colour = STYLE_COLOUR_OWN;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(colour_names); i++) {
		if (strcmp(colour_names[i], word + (bright ? 7 : 0)) == 0) {
			*colour = (int)i + bright;
			return true;
		}
	}
	if (!num_u64(word, &n) || n > 255)
		return false;
	*colour = (int)n;
	return true;
}

static bool
read_attr(const char *word, unsigned *attr)
{
	for (size_t i = 0; i < ARRAY_SIZE(attr_names); i++) {
		if (strcmp(attr_names[i].name, word) == 0) {
			*attr |= attr_names[i].attr;
			return true;
		}
	}
	return false;
}

/* false: @word is what it does not understand. */
static bool
read_look(const char *value, struct style_look *look, char word[WORD_MAX])
{
	bool is_bg = false;

	*look = (struct style_look){ STYLE_COLOUR_OWN, STYLE_COLOUR_OWN, 0 };
	for (const char *at = value; *(at += strspn(at, " \t")) != '\0';) {
		int len = (int)strcspn(at, " \t");

		snprintf(word, WORD_MAX, "%.*s", len, at);
		at += len;
		if (strcmp(word, "on") == 0) {
			is_bg = true;
			continue;
		}
		if (!read_attr(word, &look->attr) && !read_colour(word, is_bg ? &look->bg : &look->fg))
			return false;
	}
	return true;
}

static void
begin_as(struct own_theme *t, const struct theme *base)
{
	memcpy(t->full, base->full, sizeof(t->full));
	memcpy(t->some, base->some, sizeof(t->some));
	memcpy(t->few, base->few, sizeof(t->few));
}

static void
take_base(struct own_theme *t, struct rcfile *rc, const struct rc_line *line)
{
	enum theme_id base = THEME_DEFAULT;

	if (theme_parse(line->value, &base, NULL) < 0 || theme_table[base].full == NULL)
		rcfile_fault(rc, line->number, "base: '%.60s' is no theme with colours", line->value);
	else
		begin_as(t, &theme_table[base]);
}

static void
take_style(struct own_theme *t, struct rcfile *rc, const struct rc_line *line)
{
	struct style_look look;
	char word[WORD_MAX];

	for (int s = 0; s < STYLE_COUNT; s++) {
		if (strcmp(style_defs[s].name, line->name) != 0)
			continue;
		if (!read_look(line->value, &look, word)) {
			rcfile_fault(rc, line->number, "%s: '%s' is no colour: red, bright-red, 203, "
				     "#ff5f5f, default; bold, under, reverse, faint", line->name, word);
			return;
		}
		/* style_look() finds the nearest colours that there are. */
		t->full[s] = t->some[s] = t->few[s] = look;
		return;
	}
	rcfile_fault(rc, line->number, "there is no '%.60s' whose colours could be chosen", line->name);
}

static void
take_lines(struct own_theme *t, struct rcfile *rc, bool bases)
{
	for (size_t i = 0; i < rc->len; i++) {
		const struct rc_line *line = &rc->lines[i];

		if (strcmp(line->section, "theme") != 0 || (strcmp(line->name, "base") == 0) != bases)
			continue;
		t->is_told = true;
		if (bases)
			take_base(t, rc, line);
		else
			take_style(t, rc, line);
	}
}

void
own_theme_read(struct own_theme *t, struct rcfile *rc)
{
	*t = (struct own_theme){ .theme = { t->full, t->some, t->few } };
	begin_as(t, &theme_table[THEME_OWN]);
	/* First the base, wherever its line stands. */
	take_lines(t, rc, true);
	take_lines(t, rc, false);
}
