/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/option.h"

#include "base/arena.h"
#include "base/num.h"
#include "view/name.h"

#include <stdlib.h>
#include <string.h>

struct parse {
	const struct option_def *defs;
	size_t count;
	void *target;
	char **argv; /* the next argument */
	struct err *err;
	bool *given; /* NULL, or nothing is set, and noted here */
};

static int
unknown_option(const struct parse *p, const char *word)
{
	const char **names = mem_calloc(p->count, sizeof(*names));
	struct arena arena = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++)
		if (p->defs[i].name != NULL)
			names[n++] = arena_printf(&arena, "--%s", p->defs[i].name);
	name_unknown(p->err, "unknown option", arena_printf(&arena, "--%s", word), names, n);
	/* All of them are no help in one line. */
	if (p->err != NULL && p->err->hint[0] != '\0')
		err_hint(p->err, "see ptop --help");
	arena_release(&arena);
	free(names);
	return -1;
}

static int
option_set(const struct parse *p, const struct option_def *def, const char *value)
{
	if (p->given != NULL) {
		p->given[def - p->defs] = true;
		return 0;
	}
	if (def->set != NULL)
		return def->set(p->target, def, value, p->err);
	*(bool *)((char *)p->target + def->offset) = true;
	return 0;
}

static const char *
next_value(struct parse *p)
{
	return *p->argv != NULL ? *p->argv++ : NULL;
}

static int
missing_value(const struct parse *p, const struct option_def *def)
{
	return err_set(p->err, ERR_USAGE, 0, "option '--%s' needs a value: %s", def->name,
		       def->arg);
}

static const struct option_def *
find(const struct parse *p, const char *name)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->defs[i].name != NULL && strcmp(p->defs[i].name, name) == 0)
			return &p->defs[i];
	return NULL;
}

/* Whether what follows an option that need not have a value is one: nothing else could be there. */
static bool
is_value(const char *word)
{
	return word != NULL && word[0] != '-';
}

/* @word is what follows the two hyphens. */
static int
parse_long(struct parse *p, const char *word)
{
	const struct option_def *def;
	size_t len = strcspn(word, "=");
	const char *value = word[len] == '=' ? word + len + 1 : NULL;
	char name[64];

	memcpy(name, word, MIN(len, sizeof(name) - 1));
	name[MIN(len, sizeof(name) - 1)] = '\0';
	def = find(p, name);
	if (def == NULL)
		return unknown_option(p, name);
	if (def->arg == NULL && value != NULL)
		return err_set(p->err, ERR_USAGE, 0, "option '--%s' takes no value", name);
	if (def->arg != NULL && value == NULL && (!def->optional || is_value(*p->argv))) {
		value = next_value(p);
		if (value == NULL)
			return missing_value(p, def);
	}
	return option_set(p, def, value != NULL ? value : "");
}

/* @word is what follows the hyphen: flags, the last of which may take a value. */
static int
parse_short(struct parse *p, const char *word)
{
	for (; *word != '\0'; word++) {
		const struct option_def *def = NULL;
		const char *value = "";

		for (size_t i = 0; i < p->count && def == NULL; i++)
			if (p->defs[i].name != NULL && p->defs[i].letter == *word)
				def = &p->defs[i];
		if (def == NULL) {
			err_set(p->err, ERR_USAGE, 0, "unknown option '-%c'", *word);
			return err_hint(p->err, "see ptop --help");
		}
		if (def->arg != NULL && !def->optional) {
			value = word[1] != '\0' ? word + 1 : next_value(p);
			if (value == NULL)
				return missing_value(p, def);
			return option_set(p, def, value);
		}
		if (option_set(p, def, value) < 0)
			return -1;
	}
	return 0;
}

static int
parse_all(struct parse *p, char ***rest)
{
	*rest = NULL;
	while (*p->argv != NULL) {
		char *word = *p->argv++;
		int res;

		if (strcmp(word, "--") == 0) {
			*rest = p->argv;
			return 0;
		}
		if (word[0] != '-' || word[1] == '\0')
			return err_set(p->err, ERR_USAGE, 0,
				       "unexpected argument '%s': a command goes after --", word);
		res = word[1] == '-' ? parse_long(p, word + 2) : parse_short(p, word + 1);
		if (res < 0)
			return -1;
	}
	return 0;
}

int
options_parse(const struct option_def *defs, size_t n, void *target, char **argv, char ***rest,
	      struct err *err)
{
	struct parse p = { defs, n, target, argv + (*argv != NULL), err, NULL };

	return parse_all(&p, rest);
}

void
options_given(const struct option_def *defs, size_t n, char **argv, bool *given)
{
	struct parse p = { defs, n, NULL, argv + (*argv != NULL), NULL, given };
	char **rest;

	parse_all(&p, &rest);
}

int
options_set(const struct option_def *defs, size_t n, void *target, const char *name,
	    const char *value, struct err *err)
{
	const struct parse p = { .defs = defs, .count = n, .target = target, .err = err };
	const struct option_def *def = find(&p, name);
	bool is_yes = false, is_word = num_bool(value, &is_yes);

	if (def == NULL)
		return unknown_option(&p, name);
	if (def->is_of_run)
		return err_set(err, ERR_USAGE, 0, "--%s is of the command line alone", name);
	if (def->arg == NULL && !is_word)
		return option_bad_value(err, def, value, "yes or no");
	if (def->arg == NULL || (def->optional && is_word))
		return is_yes ? option_set(&p, def, "") : 0;
	return option_set(&p, def, value);
}

int
option_bad_value(struct err *err, const struct option_def *def, const char *value, const char *what)
{
	return err_set(err, ERR_USAGE, 0, "--%s: '%.80s' is not %s", def->name, value, what);
}

int
option_out_of_range(struct err *err, const struct option_def *def, const char *value)
{
	return err_set(err, ERR_USAGE, 0, "--%s: '%.80s' is not between %.15g and %.15g",
		       def->name, value, def->min, def->max);
}

int
option_set_u64(void *target, const struct option_def *def, const char *value, struct err *err)
{
	uint64_t n;

	if (!num_u64(value, &n) || (double)n < def->min || (double)n > def->max)
		return option_out_of_range(err, def, value);
	*(uint64_t *)((char *)target + def->offset) = n;
	return 0;
}

int
option_set_seconds(void *target, const struct option_def *def, const char *value, struct err *err)
{
	double s;

	if (!num_double(value, &s) || s < def->min || s > def->max)
		return option_out_of_range(err, def, value);
	*(double *)((char *)target + def->offset) = s;
	return 0;
}

int
option_set_bytes(void *target, const struct option_def *def, const char *value, struct err *err)
{
	uint64_t n;

	if (!num_size(value, &n) || (double)n < def->min || (double)n > def->max) {
		const double mib = 1 << 20;

		return err_set(err, ERR_USAGE, 0, "--%s: '%.80s' is not between %.0fM and %.0fM",
			       def->name, value, def->min / mib, def->max / mib);
	}
	*(uint64_t *)((char *)target + def->offset) = n;
	return 0;
}

void
options_put_help(struct buf *b, const struct option_def *defs, size_t n)
{
	enum { HELP_COLUMN = 28 };

	for (size_t i = 0; i < n; i++) {
		const struct option_def *d = &defs[i];
		size_t start = b->len;

		if (d->name == NULL) {
			buf_addf(b, "%s%s:\n", i > 0 ? "\n" : "", d->help);
			continue;
		}
		if (d->letter != 0)
			buf_addf(b, "  -%c, --%s", d->letter, d->name);
		else
			buf_addf(b, "      --%s", d->name);
		if (d->arg != NULL)
			buf_addf(b, d->optional ? "[=%s]" : " %s", d->arg);
		if (b->len - start + 2 > HELP_COLUMN) {
			buf_add_char(b, '\n');
			start = b->len;
		}
		buf_add_fill(b, ' ', HELP_COLUMN - (b->len - start));
		buf_addf(b, "%s\n", d->help);
	}
}

void
options_put_escaped(struct buf *b, const char *text)
{
	/* A dot or an apostrophe that begins a line would be a request. */
	if (*text == '.' || *text == '\'')
		buf_add_str(b, "\\&");
	for (; *text != '\0'; text++) {
		if (*text == '\\')
			buf_add_str(b, "\\e");
		else if (*text == '-')
			buf_add_str(b, "\\-");
		else if (*text == '\'')
			buf_add_str(b, "\\(aq");
		else if (*text == '^')
			buf_add_str(b, "\\(ha");
		else if (*text == '~')
			buf_add_str(b, "\\(ti");
		else if (*text == '`')
			buf_add_str(b, "\\(ga");
		else
			buf_add_char(b, *text);
	}
}

void
options_put_roff(struct buf *b, const struct option_def *defs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct option_def *d = &defs[i];

		if (d->name == NULL) {
			buf_addf(b, ".SS %s\n", d->help);
			continue;
		}
		buf_add_str(b, ".TP\n");
		if (d->letter != 0)
			buf_addf(b, "\\fB\\-%c\\fR, ", d->letter);
		buf_add_str(b, "\\fB\\-\\-");
		options_put_escaped(b, d->name);
		buf_add_str(b, "\\fR");
		if (d->arg != NULL) {
			buf_add_str(b, d->optional ? "[=\\fI" : " \\fI");
			options_put_escaped(b, d->arg);
			buf_add_str(b, d->optional ? "\\fR]" : "\\fR");
		}
		buf_add_char(b, '\n');
		options_put_escaped(b, d->help);
		buf_add_str(b, ".\n");
	}
}
