/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/filter.h"

#include "base/buf.h"
#include "view/column.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 32 };

enum term_op { TERM_SEARCH, TERM_GLOB, TERM_REGEX };

struct term {
	enum term_op op;
	bool negated;
	enum key key;
	char *pattern; /* of TERM_GLOB, TERM_SEARCH */
	regex_t regex; /* of TERM_REGEX */
};

struct filter {
	struct term terms[TERMS_MAX];
	size_t count;
};

/* Longest first: '!=' is not '='.  Who writes programs writes '==' for it. */
static const struct filter_op {
	const char *text;
	enum term_op op;
	bool negated;
} filter_ops[] = {
	{ "!=", TERM_GLOB, true },
	{ "!~", TERM_REGEX, true },
	{ "==", TERM_GLOB, false },
	{ "=", TERM_GLOB, false },
	{ "~", TERM_REGEX, false },
};

static int
compile_regex(struct term *t, const char *pattern, size_t column, struct err *err)
{
	char why[120];
	int res;

	if (*pattern == '\0')
		return err_set(err, ERR_USAGE, 0, "column %zu: no pattern", column);
	res = regcomp(&t->regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (res == 0)
		return 0;
	regerror(res, &t->regex, why, sizeof(why));
	return err_set(err, ERR_USAGE, 0, "column %zu: '%.80s': %s", column, pattern, why);
}

static bool
is_word(const char *text, size_t len, const char *word)
{
	return strncmp(word, text, len) == 0 && word[len] == '\0';
}

/* Whether the first @len bytes of @text are the name of a column, on the screen or in a report. */
static bool
is_name(const char *text, size_t len)
{
	bool found = is_word(text, len, "percent");

	for (enum key k = 0; k < KEY_COUNT; k++)
		found |= is_word(text, len, key_name(k));
	for (enum column_id i = 0; i < COLUMN_COUNT; i++)
		found |= is_word(text, len, columns[i].name);
	return found;
}

/* Else "samples>3" would be searched for in names and keep nothing; vector<int> is fine. */
static int
refuse_comparison(const char *text, size_t column, struct err *err)
{
	size_t len = strcspn(text, "<>");

	if (text[len] == '\0' || !is_name(text, len))
		return 0;
	err_set(err, ERR_USAGE, 0, "column %zu: '%.80s': rows are kept by names, not by numbers",
		column, text);
	return err_hint(err, "KEY=GLOB, KEY!=GLOB, KEY~REGEX, KEY!~REGEX; --sort orders by numbers");
}

/*
 * One term.  A word is a key only if an operator follows its letters, so that std::operator== is
 * something to search for.
 */
static int
parse_term(struct term *t, const char *text, size_t column, struct err *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t len = strspn(text, letters), key_count;
	enum key keys[KEYS_MAX];
	char word[32];

	t->op = TERM_SEARCH;
	for (size_t i = 0; i < ARRAY_SIZE(filter_ops) && t->op == TERM_SEARCH; i++) {
		const struct filter_op *op = &filter_ops[i];

		if (strncmp(text + len, op->text, strlen(op->text)) != 0)
			continue;
		if (len == 0)
			return err_set(err, ERR_USAGE, 0, "column %zu: no key before '%s'",
				       column, op->text);
		snprintf(word, sizeof(word), "%.*s", (int)MIN(len, sizeof(word) - 1), text);
		if (key_parse_list(word, keys, &key_count, err) < 0)
			return err_wrap(err, "column %zu", column);
		t->key = keys[0];
		t->negated = op->negated;
		text += len + strlen(op->text);
		column += len + strlen(op->text);
		if (op->op == TERM_REGEX && compile_regex(t, text, column, err) < 0)
			return -1;
		t->op = op->op;
	}
	if (t->op == TERM_SEARCH && refuse_comparison(text, column, err) < 0)
		return -1;
	if (t->op != TERM_REGEX)
		t->pattern = mem_strdup(text);
	return 0;
}

/*
 * The next term of @text from *@pos, without the quotes that keep its blanks together.  1: got
 * one, 0: the end, -1: a quote is left open.
 */
static int
next_word(const char *text, size_t *pos, size_t *start, struct buf *word, struct err *err)
{
	size_t i = *pos + strspn(text + *pos, " \t"), quote = 0;

	buf_reset(word);
	*start = i;
	if (text[i] == '\0')
		return 0;
	for (; text[i] != '\0' && (quote != 0 || strchr(" \t", text[i]) == NULL); i++) {
		if (text[i] != '"')
			buf_add_char(word, text[i]);
		else
			quote = quote == 0 ? i + 1 : 0;
	}
	if (quote != 0)
		return err_set(err, ERR_USAGE, 0, "column %zu: no closing quote", quote);
	*pos = i;
	return 1;
}

struct filter *
filter_parse(const char *text, struct err *err)
{
	struct filter *f = mem_calloc(1, sizeof(*f));
	struct buf word = { 0 };
	size_t pos = 0, start;
	int res;

	while ((res = next_word(text, &pos, &start, &word, err)) > 0) {
		if (f->count == TERMS_MAX) {
			res = err_set(err, ERR_USAGE, 0, "column %zu: more than %d terms",
				      start + 1, TERMS_MAX);
			break;
		}
		res = parse_term(&f->terms[f->count], buf_str(&word), start + 1, err);
		if (res < 0)
			break;
		f->count++;
	}
	buf_release(&word);
	if (res < 0) {
		filter_free(f);
		return NULL;
	}
	return f;
}

void
filter_free(struct filter *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->count; i++) {
		if (f->terms[i].op == TERM_REGEX)
			regfree(&f->terms[i].regex);
		free(f->terms[i].pattern);
	}
	free(f);
}

static bool
contains(const char *text, const char *part)
{
	return text != NULL && strcasestr(text, part) != NULL;
}

/* What a row is known as beside what it shows. */
static const struct alias {
	enum key key;
	size_t at;
} aliases[] = {
	{ KEY_CONTAINER, offsetof(struct row, container_ids[0]) },
	{ KEY_CONTAINER, offsetof(struct row, container_ids[1]) },
	{ KEY_POD, offsetof(struct row, pod_ids[0]) },
	{ KEY_POD, offsetof(struct row, pod_ids[1]) },
	{ KEY_UNIT, offsetof(struct row, whole_unit) },
};

/* "[kernel]" is a name as it is shown, not one of six letters. */
static bool
is_match(const char *pattern, const char *text)
{
	return strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0;
}

static bool
alias_matches(const struct term *t, const struct row *row)
{
	const char *text;

	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++) {
		if (aliases[i].key != t->key)
			continue;
		text = *(const char *const *)(const void *)((const char *)row + aliases[i].at);
		if (text != NULL && *text != '\0' && is_match(t->pattern, text))
			return true;
	}
	return false;
}

static bool
term_keeps(const struct term *t, const struct row *row)
{
	char number[COLUMN_TEXT_MAX];
	const char *text;
	bool found = false;

	switch (t->op) {
	case TERM_SEARCH:
		return contains(row->comm, t->pattern) || contains(row->dso, t->pattern) ||
		       contains(row->symbol, t->pattern);
	case TERM_GLOB:
		text = column_text((enum column_id)t->key, row, number);
		found = is_match(t->pattern, text) || alias_matches(t, row);
		break;
	case TERM_REGEX:
		text = column_text((enum column_id)t->key, row, number);
		found = regexec(&t->regex, text, 0, NULL, 0) == 0;
		break;
	}
	return found != t->negated;
}

bool
filter_keeps(const struct filter *f, const struct row *row)
{
	for (size_t i = 0; f != NULL && i < f->count; i++)
		if (!term_keeps(&f->terms[i], row))
			return false;
	return true;
}

bool
filter_keeps_event(const struct filter *f, const char *event)
{
	const struct row row = { .event = event };

	for (size_t i = 0; f != NULL && i < f->count; i++)
		if (f->terms[i].op != TERM_SEARCH && f->terms[i].key == KEY_EVENT &&
		    !term_keeps(&f->terms[i], &row))
			return false;
	return true;
}

key_set
filter_keys(const struct filter *f)
{
	key_set keys = 0;

	for (size_t i = 0; f != NULL && i < f->count; i++) {
		if (f->terms[i].op == TERM_SEARCH)
			keys |= KEY_BIT(KEY_COMM) | KEY_BIT(KEY_DSO) | KEY_BIT(KEY_SYMBOL);
		else
			keys |= KEY_BIT(f->terms[i].key);
	}
	return keys;
}
