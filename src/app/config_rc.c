/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options from files.  Whether a line goes with the command line is found out by parsing both: so
 * what does not go together is known in one place.
 */
#include "app/config_impl.h"

#include "base/num.h"

#include <stdlib.h>
#include <string.h>

struct taking {
	const struct config *given; /* what argv alone makes */
	char **argv;
	struct config written;      /* all lines so far, to find those that cannot be right */
	const struct rc_line **kept;
	size_t count, cap;
};

#define OPTIONS "options" /* the section */

/* Neither screen nor report becomes the other by a configuration, and a file's ending counts. */
static bool
is_meant(const struct taking *t, const struct config *c, const struct rc_line *line)
{
	return c->batch == t->given->batch &&
	       (t->given->output == NULL || strcmp(line->name, "format") != 0);
}

/* Whether argv takes these lines. */
static bool
goes(const struct taking *t, const struct rc_line *const *lines, size_t count, struct err *err)
{
	struct config c;
	bool is_right = config_parse_with(&c, lines, count, t->argv, err) == 0 &&
			is_meant(t, &c, lines[count - 1]);

	config_release(&c);
	return is_right;
}

/* config_option_count: there is none of this name. */
static size_t
option_number(const char *name)
{
	size_t i = 0;

	while (i < config_option_count &&
	       (config_options[i].name == NULL || strcmp(config_options[i].name, name) != 0))
		i++;
	return i;
}

bool
config_names(const struct config *c, const char *option)
{
	return c->named != NULL && c->named[option_number(option)];
}

const char *
config_option_help(const char *option)
{
	return config_options[option_number(option)].help;
}

static void
take_line(struct taking *t, struct rcfile *file, const struct rc_line *line)
{
	struct err err = { 0 };

	if (options_set(config_options, config_option_count, &t->written, line->name, line->value,
			&err) < 0) {
		rcfile_fault(file, line->number, *err.hint != '\0' ? "%s (%s)" : "%s%s", err.text,
			     err.hint);
		return;
	}
	if (config_names(t->given, line->name))
		return;
	VEC_ADD(t->kept, t->count, t->cap) = line;
	if (goes(t, t->kept, t->count, &err))
		return;
	t->count--;
	/* With the command line it does, but not with the lines before it. */
	if (t->count > 0 && goes(t, &line, 1, NULL))
		rcfile_fault(file, line->number, "%s", err.text);
}

static void
take_file(struct taking *t, struct rcfile *file)
{
	for (size_t i = 0; i < file->len; i++)
		if (strcmp(file->lines[i].section, OPTIONS) == 0)
			take_line(t, file, &file->lines[i]);
}

/* The screen begins with a view of rows: whoever was deep in stacks last time asks anew today. */
static bool
may_begin_with(const struct rc_line *line)
{
	enum view_id view;

	return strcmp(line->name, "view") != 0 ||
	       (view_parse(line->value, &view, NULL) == 0 && view_defs[view].is_overview);
}

/* What the user has written comes before what was left last time. */
static bool
is_left_open(const struct rc_line *line, const struct rcfile *rc)
{
	return strcmp(line->section, OPTIONS) == 0 && rcfile_get(rc, OPTIONS, line->name) == NULL &&
	       may_begin_with(line);
}

static void
take_last(struct taking *t, struct rcfile *last, const struct rcfile *rc)
{
	for (size_t i = 0; i < last->len; i++)
		if (is_left_open(&last->lines[i], rc))
			take_line(t, last, &last->lines[i]);
}

/* Those that the screen knows are told of by it: what a batch has no use for is no fault of it. */
static void
check_sections(struct rcfile *rc)
{
	static const char *const sections[] = { OPTIONS, "screen", "columns", "keys", "actions",
						"theme" };

	for (size_t i = 0; i < rc->len; i++) {
		size_t s = 0;

		while (s < ARRAY_SIZE(sections) && strcmp(rc->lines[i].section, sections[s]) != 0)
			s++;
		if (s == ARRAY_SIZE(sections))
			rcfile_fault(rc, rc->lines[i].number, "it is in no section of ptop's: [options], "
				     "[screen], [columns], [keys], [actions] or [theme]");
	}
}

/* --count-function has a view of its own, and --diff an order. */
static bool
wants_last(const struct config *c)
{
	return c->engine.functions == NULL && c->engine.then_input == NULL;
}

const struct rc_line *
config_recalls(const struct config *c, const char *option)
{
	const struct rc_line *line = rcfile_get(&c->last, OPTIONS, option);

	return line != NULL && wants_last(c) && !config_names(c, option) && is_left_open(line, &c->rc)
		       ? line : NULL;
}

static bool
may_remember(struct rcfile *rc)
{
	const struct rc_line *line = rcfile_get(rc, "screen", "remember");
	bool is_yes = true;

	if (line != NULL && !num_bool(line->value, &is_yes))
		rcfile_fault(rc, line->number, "'%.40s' is not yes or no", line->value);
	return is_yes;
}

void
config_read_files(struct config *c, char **argv)
{
	struct taking t = { .given = c, .argv = argv };
	struct config taken;

	c->named = mem_calloc(config_option_count + 1, sizeof(*c->named));
	options_given(config_options, config_option_count, argv, c->named);
	rcfile_find(&c->rc, "XDG_CONFIG_HOME", ".config", "ptoprc");
	rcfile_find(&c->last, "XDG_STATE_HOME", ".local/state", "last");
	if (!c->no_config)
		rcfile_read(&c->rc);
	check_sections(&c->rc);
	c->remembers = may_remember(&c->rc) && !c->batch && !c->no_config;
	if (c->remembers)
		rcfile_read(&c->last);
	config_set_defaults(&t.written);
	take_file(&t, &c->rc);
	if (wants_last(c))
		take_last(&t, &c->last, &c->rc);
	if (t.count > 0 && config_parse_with(&taken, t.kept, t.count, argv, NULL) == 0) {
		taken.rc = c->rc;
		taken.last = c->last;
		taken.remembers = c->remembers;
		taken.named = c->named;
		c->rc = c->last = (struct rcfile){ 0 };
		c->named = NULL;
		config_release(c);
		*c = taken;
	}
	config_release(&t.written);
	free(t.kept);
}
