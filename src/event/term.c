/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/term.h"

#include "event/event_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* "key", "key=value" or "key='value'". */
struct term {
	const char *key, *value; /* value: NULL, there is none */
	size_t key_len, value_len;
};

struct terms {
	const struct spec *s;    /* the text that is parsed: the user's, or a PMU's own */
	const struct spec *user; /* what the user wrote */
	const char *user_at;
	const struct pmu *pmu;
	struct event *ev;
	uint32_t seen; /* 1 << TERM_* of this text */
};

static bool
is_end(char c)
{
	return c == '\0' || c == ',' || c == '/';
}

/* Parses the term at *@at, up to a comma, a slash or the end; *@at moves there. */
static int
take_term(const struct terms *t, const char **at, struct term *term)
{
	const char *p = *at;
	bool is_quoted;

	*term = (struct term){ .key = p };
	while (!is_end(*p) && *p != '=')
		p++;
	term->key_len = (size_t)(p - term->key);
	if (term->key_len == 0)
		return spec_refuse(t->s, p, "a term is missing");
	if (*p == '=') {
		is_quoted = p[1] == '\'';
		term->value = p += 1 + is_quoted;
		while (is_quoted ? *p != '\0' && *p != '\'' : !is_end(*p))
			p++;
		term->value_len = (size_t)(p - term->value);
		if (is_quoted && *p == '\0')
			return spec_refuse(t->s, term->value - 1, "a quote is not closed");
		if (is_quoted)
			p++;
		if (term->value_len == 0)
			return spec_refuse(t->s, term->value, "term '%.*s' has no value",
					   (int)MIN(term->key_len, 40u), term->key);
		if (!is_end(*p))
			return spec_refuse(t->s, p, "',' or '/' is missing");
	}
	*at = p;
	return 0;
}

/* The value as a number; a term without a value is 1. */
static bool
number_of(const struct term *term, uint64_t *value)
{
	const char *p = term->value;

	*value = 1;
	return p == NULL || (spec_number(&p, value) && p == term->value + term->value_len);
}

static int
refuse_words(const struct terms *t, const struct term_row *row, const char *at, size_t len)
{
	struct buf words = { 0 };

	for (const struct term_word *w = row->words; w->word != NULL; w++)
		buf_addf(&words, "%s%s", words.len > 0 ? " " : "", w->word);
	spec_refuse(t->s, at, "unknown value '%.*s' of term '%s'", (int)MIN(len, 40u), at,
		    row->name);
	err_hint(t->s->err, "it takes: %s", words.data);
	buf_release(&words);
	return -1;
}

static int
read_words(const struct terms *t, const struct term_row *row, const struct term *term,
	   uint64_t *value)
{
	const char *at = term->value, *end = at + term->value_len;

	*value = 0;
	for (;;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		size_t len = (size_t)((comma != NULL ? comma : end) - at);
		const struct term_word *w = row->words;

		while (w->word != NULL && (strlen(w->word) != len || memcmp(w->word, at, len) != 0))
			w++;
		if (w->word == NULL || (comma != NULL && row->kind == TERM_TAKES_WORD))
			return refuse_words(t, row, at, len);
		*value |= w->value;
		if (comma == NULL)
			return 0;
		at = comma + 1;
	}
}

static int
read_number(const struct terms *t, const struct term_row *row, const struct term *term,
	    uint64_t *value)
{
	bool is_flag = row->kind != TERM_TAKES_NUMBER;
	uint64_t min = is_flag ? 0 : row->min, max = is_flag ? 1 : row->max;

	if (!number_of(term, value))
		return spec_refuse(t->s, term->value, "'%.*s' of term '%s' is no number",
				   (int)MIN(term->value_len, 40u), term->value, row->name);
	if (*value < min || *value > max)
		return spec_refuse(t->s, term->value, "term '%s' is from %" PRIu64 " to %" PRIu64,
				   row->name, min, max);
	if (row->kind == TERM_TAKES_NOT)
		*value = !*value;
	return 0;
}

static void
store(struct event *ev, const struct term_row *row, uint64_t value)
{
	char *at = (char *)ev + row->offset;
	uint32_t word = (uint32_t)value;
	uint16_t half = (uint16_t)value;
	bool flag = value != 0;
	const void *from = row->size == sizeof(value) ? (void *)&value
			   : row->size == sizeof(word) ? (void *)&word
			   : row->size == sizeof(half) ? (void *)&half : (void *)&flag;

	memcpy(at, from, row->size);
}

/* A privilege without a kind of branches means all kinds. */
static uint64_t
all_branches(uint64_t types)
{
	bool has_kind = (types & ~(uint64_t)PERF_SAMPLE_BRANCH_PLM_ALL) != 0;

	return types == 0 || has_kind ? types : types | PERF_SAMPLE_BRANCH_ANY;
}

/* Each of the words, with commas between them. */
static bool
are_names(const char *text)
{
	char name[ARGUMENT_NAME_MAX];

	for (;;) {
		size_t len = strcspn(text, ",");

		if (len >= sizeof(name))
			return false;
		memcpy(name, text, len);
		name[len] = '\0';
		if (!argument_name_is_plain(name))
			return false;
		if (text[len] == '\0')
			return true;
		text += len + 1;
	}
}

static int
read_text(const struct terms *t, const struct term_row *row, const struct term *term)
{
	char *text = mem_strndup(term->value != NULL ? term->value : "", term->value_len);
	char **at = (char **)(void *)((char *)t->ev + row->offset);

	if (row->kind == TERM_TAKES_NAMES && *text != '\0' && !are_names(text)) {
		free(text);
		return spec_refuse(t->s, term->value, "term '%s' takes names of arguments, as "
				   "'name,arg2'", row->name);
	}
	free(*at);
	*at = text;
	return 0;
}

static int
read_value(const struct terms *t, const struct term_row *row, const struct term *term)
{
	bool has_words = row->kind == TERM_TAKES_WORD || row->kind == TERM_TAKES_WORDS;
	bool needs_value = row->kind != TERM_TAKES_FLAG && row->kind != TERM_TAKES_NOT &&
			   row->kind != TERM_TAKES_NAMES;
	uint64_t value;

	if (term->value == NULL && needs_value)
		return spec_refuse(t->s, term->key + term->key_len, "term '%s' needs a value",
				   row->name);
	if (row->kind == TERM_TAKES_ANY)
		return 0;
	if (row->kind == TERM_TAKES_TEXT || row->kind == TERM_TAKES_NAMES)
		return read_text(t, row, term);
	if ((has_words ? read_words : read_number)(t, row, term, &value) < 0)
		return -1;
	if (row->kind == TERM_TAKES_WORDS)
		value = all_branches(value);
	if (row->term == TERM_STACK_SIZE)
		value = (value + 7) & ~UINT64_C(7);
	store(t->ev, row, value);
	return 0;
}

/* config is taken: by a place, or by a number that the name stands for. */
static bool
has_own_config(const struct terms *t)
{
	return t->pmu == NULL && (t->ev->type == PERF_TYPE_TRACEPOINT ||
				  t->ev->type == PERF_TYPE_BREAKPOINT);
}

static int
apply_row(struct terms *t, const struct term_row *row, const struct term *term)
{
	const uint32_t rates = 1u << TERM_PERIOD | 1u << TERM_FREQ;
	uint32_t bit = 1u << row->term;

	if (row->kind == TERM_TAKES_ANY)
		return read_value(t, row, term);
	if (row->is_config && has_own_config(t))
		return spec_refuse(t->s, term->key, "term '%s' is not for tracepoints "
				   "and breakpoints", row->name);
	if ((row->term == TERM_EXACT || row->term == TERM_FORCE) &&
	    t->ev->looks != EVENT_LOOKS_ALONE)
		return spec_refuse(t->s, term->key, "term '%s' is for off-cpu alone", row->name);
	if (row->term == TERM_STRING && t->ev->place != EVENT_PLACE_UPROBE)
		return spec_refuse(t->s, term->key, "term '%s' is for uprobes alone", row->name);
	if (t->seen & bit)
		return spec_refuse(t->s, term->key, "term '%s' is there twice", row->name);
	t->seen |= bit;
	if ((t->seen & rates) == rates)
		return spec_refuse(t->s, term->key, "'period' and 'freq' exclude each other");
	if (bit & rates)
		t->ev->terms.given &= ~rates;
	t->ev->terms.given |= bit;
	return read_value(t, row, term);
}

/* "r1c2": all of config, as without a PMU. */
static bool
take_raw(const struct terms *t, const struct term *term)
{
	char *end;

	if (term->value != NULL || term->key_len < 2 || term->key_len > 17 || *term->key != 'r' ||
	    has_own_config(t))
		return false;
	for (size_t i = 1; i < term->key_len; i++) {
		if (!isxdigit((unsigned char)term->key[i]))
			return false;
	}
	t->ev->config = strtoull(term->key + 1, &end, 16);
	return true;
}

/* "cpu_core/cycles/": a name of the kernel's, on this PMU alone. */
static bool
take_generic(const struct terms *t, const struct term *term)
{
	const struct event_row *row = event_table_find(term->key, term->key_len);

	if (row == NULL || row->looks != EVENT_LOOKS_NONE || term->value != NULL)
		return false;
	if (row->type == PERF_TYPE_SOFTWARE ? t->pmu->type != row->type : !t->pmu->is_core)
		return false;
	t->ev->type = row->type;
	t->ev->config = row->config;
	t->ev->unit = row->unit;
	t->ev->is_clock = row->unit == EVENT_COUNTS_TIME;
	if (t->pmu->is_hybrid)
		t->ev->config |= (uint64_t)t->pmu->type << 32;
	return true;
}

static int
apply_alias(const struct terms *t, const struct term *term)
{
	struct buf text = { 0 };
	int res = 0;

	if (term->value == NULL && pmu_alias(t->pmu, term->key, term->key_len, &text))
		res = terms_parse_alias(t->user, term->key, buf_str(&text), t->pmu, t->ev) < 0
			      ? -1 : 1;
	buf_release(&text);
	return res;
}

/* "core=?" in a PMU's own text: the user has to give the value. */
static int
check_parameter(const struct terms *t, const struct term *term)
{
	struct buf key = { 0 };
	bool is_given;

	buf_addf(&key, "%.*s=", (int)term->key_len, term->key);
	is_given = strstr(t->user->text, key.data) != NULL;
	buf_release(&key);
	return is_given ? 1 : spec_refuse(t->user, t->user_at, "it needs a value for '%.*s'",
					  (int)MIN(term->key_len, 40u), term->key);
}

static int
apply_field(const struct terms *t, const struct term *term)
{
	uint64_t value, max;
	int res;

	if (t->s != t->user && term->value != NULL && *term->value == '?')
		return check_parameter(t, term);
	if (!number_of(term, &value)) {
		if (pmu_set_field(t->pmu, term->key, term->key_len, 0, t->ev, &max) == 0)
			return 0;
		return spec_refuse(t->s, term->value, "'%.*s' is no number",
				   (int)MIN(term->value_len, 40u), term->value);
	}
	res = pmu_set_field(t->pmu, term->key, term->key_len, value, t->ev, &max);
	if (res < 0)
		spec_refuse(t->s, term->value != NULL ? term->value : term->key,
			    "the value does not fit into '%.*s', which is at most 0x%" PRIx64,
			    (int)MIN(term->key_len, 40u), term->key, max);
	return res;
}

/* 1: done, 0: the PMU has no such term, -1: it is wrong. */
static int
apply_pmu(const struct terms *t, const struct term *term)
{
	int res;

	if (t->pmu == NULL)
		return 0;
	res = t->s == t->user ? apply_alias(t, term) : 0;
	if (res == 0)
		res = apply_field(t, term);
	return res == 0 && take_generic(t, term) ? 1 : res;
}

static int
refuse_term(const struct terms *t, const struct term *term)
{
	char *key = mem_strndup(term->key, MIN(term->key_len, 60u));
	struct names names = { 0 };
	struct buf fields = { 0 };
	const char *near;
	size_t count;
	const struct term_row *rows = term_table(&count);

	if (t->pmu != NULL)
		pmu_files(t->pmu, "format", &names);
	for (size_t i = 0; i < names.len; i++)
		buf_addf(&fields, " %s", names.items[i]);
	if (t->pmu != NULL)
		pmu_files(t->pmu, "events", &names);
	for (size_t i = 0; i < count; i++)
		names_add(&names, rows[i].name);
	near = names_nearest(&names, key);
	spec_refuse(t->s, term->key, "unknown term '%s'", key);
	if (near != NULL)
		err_hint(t->s->err, "did you mean '%.60s'?", near);
	else
		err_hint(t->s->err, "terms are%.80s period freq name call-graph stack-size "
			 "max-stack config config1 and more: ptop(1)", buf_str(&fields));
	names_release(&names);
	buf_release(&fields);
	free(key);
	return -1;
}

static int
apply(struct terms *t, const struct term *term)
{
	const struct term_row *row = term_table_find(term->key, term->key_len);
	int res;

	if (*term->key == '@')
		return spec_lacks(t->s, ERR_UNSUPPORTED, "terms with '@' are for drivers of traces "
				  "that perf alone sets up");
	if (row != NULL)
		return apply_row(t, row, term);
	res = apply_pmu(t, term);
	if (res == 0 && !take_raw(t, term))
		return refuse_term(t, term);
	return res < 0 ? -1 : 0;
}

/* From *@at to a slash or the end, where *@at is then. */
static int
read_terms(struct terms *t, const char **at)
{
	struct term term;

	for (;;) {
		if (take_term(t, at, &term) < 0 || apply(t, &term) < 0)
			return -1;
		if (**at != ',')
			return 0;
		(*at)++;
	}
}

int
terms_parse(const struct spec *s, const char *at, const struct pmu *pmu, struct event *ev,
	    const char **rest)
{
	struct terms t = { .s = s, .user = s, .user_at = at, .pmu = pmu, .ev = ev };
	const char *end = at + 1;

	if (*end != '/' && read_terms(&t, &end) < 0)
		return -1;
	if (*end != '/')
		return spec_refuse(s, end, "the terms do not end with '/'");
	*rest = end + 1;
	return 0;
}

int
terms_parse_alias(const struct spec *s, const char *at, const char *text, const struct pmu *pmu,
		  struct event *ev)
{
	struct err err = { 0 };
	struct spec own = { .env = s->env, .text = text, .list = s->list, .err = &err };
	struct terms t = { .s = &own, .user = s, .user_at = at, .pmu = pmu, .ev = ev };
	const char *end = text;
	size_t len = strcspn(at, ",/:");
	const struct event_row *row = event_table_find(at, len);

	if (pmu->is_core && row != NULL)
		ev->unit = row->unit;
	if (read_terms(&t, &end) < 0) {
		if (err.code == ERR_NONE)
			return -1; /* said already: a value that the user has to give */
	} else if (*end == '\0') {
		return 0;
	}
	return spec_lacks(s, ERR_UNSUPPORTED, "PMU '%.40s' describes it by '%.60s', which ptop "
			  "does not understand", pmu->name, text);
}
