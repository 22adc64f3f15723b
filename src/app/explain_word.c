/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --explain: what a column, a key, a view, a word of the header or an option means. */
#include "app/run.h"

#include "app/app.h"
#include "app/config_impl.h"
#include "base/file.h"
#include "record/wait_kind.h"
#include "view/column.h"
#include "view/loss.h"
#include "view/name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the word is looked for in, and what was found. */
struct search {
	const char *word;
	struct buf shown; /* what is on the screen, spelt so */
	struct buf found; /* all else */
	const char **names; /* all that could have been meant */
	size_t len, cap;
};

/* Whether it is the word, in small or capital letters; else it may be what was meant. */
static bool
is_word(struct search *s, const char *name)
{
	VEC_ADD(s->names, s->len, s->cap) = name;
	return strcasecmp(name, s->word) == 0;
}

/* As any table has it. */
static bool
is_title(struct search *s, enum column_id id)
{
	static const struct query per_second = { .shares = SHARES_PER_SECOND };
	static const struct snapshot_event events[] = { { .counts_time = false }, { .counts_time = true } };
	bool is = is_word(s, columns[id].title);

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		is |= is_word(s, column_title(id, &per_second, &events[i]));
	return is;
}

static void
find_columns(struct search *s)
{
	for (int id = 0; id < COLUMN_COUNT; id++) {
		bool is_name = is_word(s, columns[id].name), of_table = is_title(s, (enum column_id)id);
		bool is_key = columns[id].key != NULL && is_word(s, columns[id].key);

		if (!is_name && !of_table && !is_key)
			continue;
		buf_add_str(&s->found, columns[id].key != NULL ? "column and key " : "column ");
		column_put_about(&s->found, (enum column_id)id);
		buf_add_char(&s->found, '\n');
	}
}

static void
find_views(struct search *s)
{
	for (int v = 0; v < VIEW_COUNT; v++)
		if (is_word(s, view_defs[v].name) || strcasecmp(view_defs[v].title, s->word) == 0)
			buf_addf(&s->found, "view %s: %s\n", view_defs[v].name, view_defs[v].help);
}

/* The header's "merged (--memory)" is found by "merged", too. */
static bool
is_in_header(struct search *s, const char *header)
{
	const size_t len = strcspn(header, "(");
	const bool has_more = len > 0 && header[len] != '\0' && strlen(s->word) == len - 1;

	return is_word(s, header) || (has_more && strncasecmp(header, s->word, len - 1) == 0);
}

static void
find_losses(struct search *s)
{
	for (int k = 0; k < LOSS_KINDS; k++) {
		const struct loss_def *d = &loss_defs[k];
		bool is_header = d->header != NULL && is_in_header(s, d->header);
		bool is_name = d->name != NULL && is_word(s, d->name);

		if (is_header || is_name)
			buf_addf(&s->found, "count %s: %s%s%s\n", d->header != NULL ? d->header : d->name,
				 d->what, *d->remedy != '\0' ? "; " : "", d->remedy);
	}
}

/* "disk" is told of what waits for a disk or a file. */
static void
find_waits(struct search *s)
{
	struct buf kinds = { 0 };

	for (int k = 0; k < WAIT_KINDS; k++) {
		const struct wait_kind_def *d = &wait_kind_defs[k];
		const bool is_name = is_word(s, d->name), is_frame = is_word(s, d->frame);
		const bool is_state = is_word(s, d->state);

		if (is_name || is_frame || is_state)
			buf_addf(&kinds, "%s%s", kinds.len > 0 ? ", " : "", d->name);
	}
	if (kinds.len > 0)
		buf_addf(&s->found, "state %s: of off-cpu and wall-clock: threads wait for: %s\n", s->word,
			 buf_str(&kinds));
	buf_release(&kinds);
}

/* "[JIT] tid 7" is explained by "[JIT]". */
static bool
is_begun_by(const struct search *s, const char *name)
{
	const size_t len = strlen(name);

	return *name == '[' && strncasecmp(s->word, name, len) == 0 && s->word[len] == ' ';
}

/* Of a key nothing else may have been meant, nor of a sign. */
static void
take_word(void *search, const char *word, enum app_word kind, const char *line)
{
	struct search *s = search;
	const bool is_letter = kind != APP_WORD_NAME && word[1] == '\0', is_same = strcmp(word, s->word) == 0;
	bool is_found;

	if (is_letter)
		is_found = is_same;
	else if (kind == APP_WORD_KEY)
		is_found = strcasecmp(word, s->word) == 0;
	else
		is_found = is_word(s, word) || is_begun_by(s, word);
	if (is_found)
		buf_addf(kind == APP_WORD_SHOWN && is_same ? &s->shown : &s->found, "%s\n", line);
}

static void
find_options(struct search *s)
{
	const char *word = s->word;

	s->word += strncmp(word, "--", 2) == 0 ? 2 : 0;
	for (size_t i = 0; i < config_option_count; i++) {
		const struct option_def *o = &config_options[i];

		if (o->name != NULL && is_word(s, o->name))
			buf_addf(&s->found, "option --%s%s%s: %s\n", o->name, o->arg != NULL ? " " : "",
				 o->arg != NULL ? o->arg : "", o->help);
	}
	s->word = word;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name that two tables have is one that may be meant. */
static size_t
without_doubles(const char **names, size_t len)
{
	size_t to = 0;

	qsort(names, len, sizeof(*names), compare_names);
	for (size_t i = 0; i < len; i++)
		if (to == 0 || strcmp(names[to - 1], names[i]) != 0)
			names[to++] = names[i];
	return to;
}

int
explain_word_run(const struct config *config, const struct app_screen *screen, struct err *err)
{
	struct search s = { .word = config->explain_word };
	int res = 0;

	find_columns(&s);
	find_views(&s);
	find_losses(&s);
	find_waits(&s);
	if (screen != NULL)
		screen->words(take_word, &s);
	find_options(&s);
	buf_add_str(&s.shown, buf_str(&s.found));
	if (s.shown.len == 0) {
		res = name_unknown(err, "nothing is called", s.word, s.names,
				   without_doubles(s.names, s.len));
		/* All of them are no help in one line. */
		if (err->hint[0] != '\0')
			err_hint(err, "columns, keys, views and options are in ptop(1)");
	} else if (file_write_all(STDOUT_FILENO, s.shown.data, s.shown.len) < 0) {
		res = err_set(err, ERR_IO, errno, "cannot write to standard output");
	}
	buf_release(&s.shown);
	buf_release(&s.found);
	free(s.names);
	return res;
}
