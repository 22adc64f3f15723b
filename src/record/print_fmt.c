/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/print_fmt.h"

#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

enum { NAMES_MAX = 256, NAME_LEN_MAX = 64, DEPTH_MAX = 32, SHIFT_MAX = 63 };

static const char *
skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static bool constant_of(const char **at, unsigned depth, uint64_t *out);

/* "(gfp_t)", "(unsigned long)": what is in parentheses and begins with a letter is a type. */
static const char *
skip_casts(const char *at)
{
	for (;;) {
		const char *in;

		at = skip_blanks(at);
		if (*at != '(')
			return at;
		in = skip_blanks(at + 1);
		if (!isalpha((unsigned char)*in) && *in != '_')
			return at;
		at = in + strspn(in, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ *");
		if (*at != ')')
			return "";
		at++;
	}
}

static bool
atom_of(const char **at, unsigned depth, uint64_t *out)
{
	const char *p = skip_casts(*at);
	bool negated = *p == '~';
	char *end;

	if (negated)
		p = skip_casts(p + 1);
	if (*p == '(' && depth < DEPTH_MAX) {
		p++;
		if (!constant_of(&p, depth + 1, out))
			return false;
		p = skip_blanks(p);
		if (*p++ != ')')
			return false;
	} else {
		if (!isdigit((unsigned char)*p) && *p != '-')
			return false;
		*out = *p == '-' ? (uint64_t)strtoll(p, &end, 0) : strtoull(p, &end, 0);
		p = end + strspn(end, "uUlL");
	}
	if (negated)
		*out = ~*out;
	*at = p;
	return true;
}

/* How operators bind, the tightest first: all of a row bind alike, from the left. */
static const char *const operators[] = { "+-", "<", "&", "|" };

static bool
apply(char operator, uint64_t *left, uint64_t right)
{
	switch (operator) {
	case '+':
		*left += right;
		return true;
	case '-':
		*left -= right;
		return true;
	case '<':
		*left = right <= SHIFT_MAX ? *left << right : 0;
		return right <= SHIFT_MAX;
	case '&':
		*left &= right;
		return true;
	default:
		*left |= right;
		return true;
	}
}

/* Operators of rows up to @row. */
static bool
operation_of(const char **at, size_t row, unsigned depth, uint64_t *out)
{
	bool is_atom = row == 0;

	if (!(is_atom ? atom_of(at, depth, out) : operation_of(at, row - 1, depth, out)))
		return false;
	for (*at = skip_blanks(*at); **at != '\0' && strchr(operators[row], **at) != NULL;
	     *at = skip_blanks(*at)) {
		char operator = **at;
		uint64_t right;

		if (operator == '<' && (*at)[1] != '<')
			return false;
		*at += operator == '<' ? 2 : 1;
		if (!(is_atom ? atom_of(at, depth, &right)
			      : operation_of(at, row - 1, depth, &right)) ||
		    !apply(operator, out, right))
			return false;
	}
	return true;
}

/* A constant: numbers, casts, ~, operators, parentheses. */
static bool
constant_of(const char **at, unsigned depth, uint64_t *out)
{
	return operation_of(at, ARRAY_SIZE(operators) - 1, depth, out);
}

/* { VALUE, "NAME" }; false: it is none. */
static bool
take_pair(const char **at, struct print_names *n)
{
	const char *p = skip_blanks(*at), *end;
	uint64_t value;

	if (*p != '{')
		return false;
	p++;
	if (!constant_of(&p, 0, &value))
		return false;
	p = skip_blanks(p);
	if (*p != ',')
		return false;
	p = skip_blanks(p + 1);
	end = *p == '"' ? strchr(p + 1, '"') : NULL;
	if (end == NULL || end - p > NAME_LEN_MAX)
		return false;
	VEC_ADD(n->items, n->len, n->cap) =
		(struct print_name){ value, mem_strndup(p + 1, (size_t)(end - p - 1)) };
	p = skip_blanks(end + 1);
	if (*p != '}')
		return false;
	*at = skip_blanks(p + 1);
	return true;
}

/* Behind the first argument, whatever parentheses it has; NULL: there is no more. */
static const char *
skip_argument(const char *at)
{
	int depth = 0;

	for (; *at != '\0' && *at != '\n'; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (depth < 0)
			return NULL;
		if (*at == ',' && depth == 0)
			return at + 1;
	}
	return NULL;
}

/* Whether the argument at @at is of the field: "REC->flags & 3". */
static bool
is_of(const char *at, const char *field)
{
	const char *end = skip_argument(at), *rec = strstr(at, "REC->");
	size_t len = strlen(field);

	return end != NULL && rec != NULL && rec < end && strncmp(rec + 5, field, len) == 0 &&
	       !isalnum((unsigned char)rec[5 + len]) && rec[5 + len] != '_';
}

static void
take_pairs(const char *at, struct print_names *n)
{
	at = skip_argument(at);
	if (n->are_flags && at != NULL)
		at = skip_argument(at); /* what stands between them */
	while (at != NULL && n->len < NAMES_MAX && take_pair(&at, n))
		at = *at == ',' ? at + 1 : NULL;
}

void
print_names_parse(struct print_names *n, const char *fmt, const char *field)
{
	static const struct {
		const char *name;
		bool are_flags;
	} ways[] = { { "__print_symbolic(", false }, { "__print_flags(", true } };

	*n = (struct print_names){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		const char *at = fmt;

		while (n->len == 0 && (at = strstr(at, ways[i].name)) != NULL) {
			at += strlen(ways[i].name);
			n->are_flags = ways[i].are_flags;
			if (is_of(at, field))
				take_pairs(at, n);
		}
	}
}

void
print_names_release(struct print_names *n)
{
	for (size_t i = 0; i < n->len; i++)
		free(n->items[i].name);
	free(n->items);
	*n = (struct print_names){ 0 };
}

static bool
put_flags(const struct print_names *n, uint64_t value, struct buf *out)
{
	uint64_t left = value;
	bool any = false;

	for (size_t i = 0; i < n->len && left != 0; i++) {
		const struct print_name *p = &n->items[i];

		if (p->value == 0 || (left & p->value) != p->value)
			continue;
		buf_add_str(out, any ? "|" : "");
		text_add_safe(out, p->name, strlen(p->name));
		left &= ~p->value;
		any = true;
	}
	if (any && left != 0)
		buf_addf(out, "|0x%" PRIx64, left);
	return any;
}

bool
print_names_put(const struct print_names *n, uint64_t value, struct buf *out)
{
	for (size_t i = 0; i < n->len && !n->are_flags; i++)
		if (n->items[i].value == value) {
			text_add_safe(out, n->items[i].name, strlen(n->items[i].name));
			return true;
		}
	return n->are_flags && put_flags(n, value, out);
}
