/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints what a shell completes ptop's command line with, from the tables of the program: options,
 * and views, keys, columns, formats, events, processes and users as their values.
 */
#include "app/config_impl.h"
#include "base/clock.h"
#include "export/format.h"
#include "view/column.h"
#include "view/view.h"

#include <stdio.h>
#include <string.h>

static void
put_views(struct buf *b)
{
	for (int i = 0; i < VIEW_COUNT; i++)
		buf_addf(b, "%s ", view_defs[i].name);
}

static void
put_keys(struct buf *b)
{
	for (int i = 0; i < KEY_COUNT; i++)
		buf_addf(b, "%s ", key_name(i));
}

static void
put_columns(struct buf *b)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		buf_addf(b, "%s ", columns[i].name);
}

static void
put_formats(struct buf *b)
{
	for (int i = 0; i < FORMAT_COUNT; i++)
		buf_addf(b, "%s ", format_defs[i].name);
}

static void
put_call_graphs(struct buf *b)
{
	buf_add_str(b, "auto fp fp,defer dwarf lbr none ");
}

static void
put_clocks(struct buf *b)
{
	for (int i = 0; i < CLOCK_DEFS; i++)
		buf_addf(b, "%s ", clock_defs[i].name);
}

static void
put_themes(struct buf *b)
{
	for (int i = 0; i < THEME_COUNT; i++)
		buf_addf(b, "%s ", theme_defs[i].name);
}

enum values { WORDS, FILES, FOLDERS, EVENTS, PROCESSES, USERS, ANYTHING };

static const struct {
	const char *option; /* NULL: of each whose argument is called so */
	const char *arg;
	enum values values;
	void (*put)(struct buf *b); /* of WORDS */
} kinds[] = {
	{ "view", NULL, WORDS, put_views },
	{ "by", NULL, WORDS, put_keys },
	{ "sort", NULL, WORDS, put_columns },
	{ "explain", NULL, WORDS, put_columns },
	{ "format", NULL, WORDS, put_formats },
	{ "theme", NULL, WORDS, put_themes },
	{ "call-graph", NULL, WORDS, put_call_graphs },
	{ "clockid", NULL, WORDS, put_clocks },
	{ "event", NULL, EVENTS, NULL },
	{ "explain-event", NULL, EVENTS, NULL },
	{ "list", NULL, EVENTS, NULL },
	{ NULL, "FILE", FILES, NULL },
	{ NULL, "DIR", FOLDERS, NULL },
	{ NULL, "PID,...", PROCESSES, NULL },
	{ NULL, "USER,...", USERS, NULL },
};

/* @words: those of WORDS, "" for the rest. */
static enum values
values_of(const struct option_def *o, struct buf *words)
{
	buf_reset(words);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].option != NULL ? strcmp(kinds[i].option, o->name) != 0
					    : o->arg == NULL || strcmp(kinds[i].arg, o->arg) != 0)
			continue;
		if (kinds[i].put != NULL)
			kinds[i].put(words);
		return kinds[i].values;
	}
	return ANYTHING;
}

/* How each shell asks for what is not in a table. */
static const char list_events[] = "ptop --list 2>/dev/null | awk 'NR > 1 { print $2 }'";
static const char list_processes[] = "ps -e -o pid= 2>/dev/null";

static void
put_names(struct buf *b, const struct option_def *o, const char *gap)
{
	if (o->letter != '\0')
		buf_addf(b, "-%c%s", o->letter, gap);
	buf_addf(b, "--%s", o->name);
}

static void
bash_value(struct buf *b, const struct option_def *o, struct buf *words)
{
	static const char *const commands[] = {
		[FILES] = "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")",
		[FOLDERS] = "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")",
		[USERS] = "mapfile -t COMPREPLY < <(compgen -u -- \"$cur\")",
		[ANYTHING] = ":",
	};
	enum values values = values_of(o, words);

	buf_add_str(b, "\t");
	put_names(b, o, "|");
	buf_add_str(b, ")\n\t\t");
	if (values == WORDS)
		buf_addf(b, "words='%s'", buf_str(words));
	else if (values == EVENTS || values == PROCESSES)
		buf_addf(b, "words=$(%s)", values == EVENTS ? list_events : list_processes);
	else
		buf_addf(b, "%s; return", commands[values]);
	buf_add_str(b, " ;;\n");
}

static void
put_bash(struct buf *b)
{
	struct buf words = { 0 };

	buf_add_str(b, "# ptop completion for bash, made from the program's tables\n"
		       "_ptop()\n{\n"
		       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words\n"
		       "\tCOMPREPLY=()\n"
		       "\tif [[ $cur == = ]]; then\n\t\tcur=\n"
		       "\telif [[ $prev == = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n"
		       "\tcase $prev in\n");
	for (size_t i = 0; i < config_option_count; i++)
		if (config_options[i].name != NULL && config_options[i].arg != NULL &&
		    !config_options[i].optional)
			bash_value(b, &config_options[i], &words);
	buf_add_str(b, "\t*)\n\t\twords='");
	for (size_t i = 0; i < config_option_count; i++) {
		if (config_options[i].name == NULL)
			continue;
		put_names(b, &config_options[i], " ");
		buf_add_char(b, ' ');
	}
	buf_add_str(b, "' ;;\n\tesac\n"
		       "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
		       "\tif declare -F __ltrim_colon_completions >/dev/null; then\n"
		       "\t\t__ltrim_colon_completions \"$cur\"\n\tfi\n"
		       "}\ncomplete -F _ptop ptop\n");
	buf_release(&words);
}

/* @quoted: characters that mean something to the shell there. */
static void
put_quoted(struct buf *b, const char *text, const char *quoted)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			buf_add_str(b, "'\\'");
		else if (strchr(quoted, *text) != NULL)
			buf_add_char(b, '\\');
		buf_add_char(b, *text);
	}
}

static void
zsh_value(struct buf *b, const struct option_def *o, struct buf *words)
{
	static const char *const actions[] = {
		[FILES] = "_files", [FOLDERS] = "_files -/", [EVENTS] = "_ptop_events",
		[PROCESSES] = "_pids", [USERS] = "_users", [ANYTHING] = " ",
	};
	enum values values = values_of(o, words);

	if (o->arg == NULL)
		return;
	buf_add_str(b, o->optional ? "::" : ":");
	put_quoted(b, o->arg, ":[]");
	buf_add_char(b, ':');
	if (values == WORDS)
		buf_addf(b, "(%s)", buf_str(words));
	else
		buf_add_str(b, actions[values]);
}

static void
put_zsh(struct buf *b)
{
	struct buf words = { 0 };

	buf_addf(b, "#compdef ptop\n# ptop completion for zsh, made from the program's tables\n"
		    "_ptop_events()\n{\n\tlocal -a events\n\tevents=(${(f)\"$(%s)\"})\n"
		    "\tcompadd -a events\n}\n\n_arguments -s -S \\\n", list_events);
	for (size_t i = 0; i < config_option_count; i++) {
		const struct option_def *o = &config_options[i];

		if (o->name == NULL)
			continue;
		buf_add_str(b, "\t");
		if (o->letter != '\0')
			buf_addf(b, "'*'{-%c%s,--%s%s}", o->letter, o->arg != NULL ? "+" : "", o->name,
				 o->arg != NULL ? "=" : "");
		else
			buf_addf(b, "'*--%s%s'", o->name, o->arg == NULL ? "" : o->optional ? "=-" : "=");
		buf_add_str(b, "'[");
		put_quoted(b, o->help, "[]:\\");
		buf_add_char(b, ']');
		zsh_value(b, o, &words);
		buf_add_str(b, "' \\\n");
	}
	buf_add_str(b, "\t'*::command: _normal'\n");
	buf_release(&words);
}

static void
fish_value(struct buf *b, const struct option_def *o, struct buf *words)
{
	enum values values = values_of(o, words);

	if (o->arg == NULL || o->optional)
		return;
	buf_add_str(b, values == FILES ? " -r -F" : " -x");
	if (values == WORDS)
		buf_addf(b, " -a '%s'", buf_str(words));
	else if (values == EVENTS)
		buf_addf(b, " -a \"(%s)\"", "ptop --list 2>/dev/null | awk 'NR > 1 { print \\$2 }'");
	else if (values == FOLDERS)
		buf_add_str(b, " -a '(__fish_complete_directories)'");
	else if (values == PROCESSES)
		buf_add_str(b, " -a '(__fish_complete_pids)'");
	else if (values == USERS)
		buf_add_str(b, " -a '(__fish_complete_users)'");
}

static void
put_fish(struct buf *b)
{
	struct buf words = { 0 };

	buf_add_str(b, "# ptop completion for fish, made from the program's tables\n");
	for (size_t i = 0; i < config_option_count; i++) {
		const struct option_def *o = &config_options[i];

		if (o->name == NULL)
			continue;
		buf_addf(b, "complete -c ptop -l %s", o->name);
		if (o->letter != '\0')
			buf_addf(b, " -s %c", o->letter);
		fish_value(b, o, &words);
		buf_add_str(b, " -d '");
		for (const char *p = o->help; *p != '\0'; p++)
			buf_addf(b, *p == '\'' || *p == '\\' ? "\\%c" : "%c", *p);
		buf_add_str(b, "'\n");
	}
	buf_release(&words);
}

static const struct {
	const char *name;
	void (*put)(struct buf *b);
} shells[] = { { "bash", put_bash }, { "zsh", put_zsh }, { "fish", put_fish } };

int
main(int argc, char **argv)
{
	struct buf out = { 0 };
	int res;

	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(shells); i++)
		if (strcmp(argv[1], shells[i].name) == 0)
			shells[i].put(&out);
	if (out.len == 0) {
		fputs("usage: compgen bash|zsh|fish\n", stderr);
		return 2;
	}
	res = fwrite(buf_str(&out), 1, out.len, stdout) != out.len || fflush(stdout) != 0;
	buf_release(&out);
	return res;
}
