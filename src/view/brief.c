/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/name.h"

#include <ctype.h>
#include <string.h>

enum {
	NAME_MAX_LEN = 4 << 10, /* no screen is that wide */
	KEPT_MAX = 3,           /* "..." would be no shorter */
};

struct name {
	const char *s;
	size_t len, at;
	size_t behind_operator; /* where a list may begin that no word is before */
};

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80) != 0;
}

static bool
begins(const struct name *n, size_t at, const char *part)
{
	size_t len = strlen(part);

	return n->len - at >= len && memcmp(n->s + at, part, len) == 0;
}

/* Bytes at @at that look like brackets and are none: operators, arrows.  0: there are none. */
static size_t
no_brackets(const struct name *n, size_t at)
{
	static const char word[] = "operator";
	/* The longer ones first. */
	static const char *const operators[] = { "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=",
						 "->", "()", "[]", "<", ">" };

	if (begins(n, at, "->"))
		return 2;
	if (!begins(n, at, word) || (at > 0 && is_word(n->s[at - 1])))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (begins(n, at + strlen(word), operators[i]))
			return strlen(word) + strlen(operators[i]);
	return 0;
}

static char
closing(char c)
{
	static const char pairs[] = "<>()[]{}";
	const char *open = c != '\0' ? strchr(pairs, c) : NULL;

	return open != NULL && (open - pairs) % 2 == 0 ? open[1] : '\0';
}

/* Bytes of what the bracket at @from begins, up to the one that closes it, or to the end. */
static size_t
group_len(const struct name *n, size_t from)
{
	char wanted[NAME_MAX_LEN];
	size_t depth = 0, skip;

	for (size_t i = from; i < n->len; i += MAX(skip, 1u)) {
		char c = n->s[i];

		skip = no_brackets(n, i);
		if (skip > 0)
			continue;
		if (closing(c) != '\0')
			wanted[depth++] = closing(c);
		if (strchr(">)]}", c) == NULL)
			continue;
		/* In "((3)>(2))" it compares, and so does "<" in "(a<b)". */
		while (depth > 0 && c != '>' && wanted[depth - 1] == '>')
			depth--;
		if (depth > 0 && wanted[depth - 1] == c)
			depth--;
		if (depth == 0)
			return i + 1 - from;
	}
	return n->len - from;
}

/* Whether the bracket here begins arguments, and not a type or a place. */
static bool
is_list(const struct name *n)
{
	/* What a list may follow; Rust has f::<T>, D f!(T). */
	static const struct {
		char open;
		const char *after;
	} kinds[] = { { '<', ":)]}!" }, { '(', ">)]}!" }, { '[', "" } };
	char before = n->at > 0 ? n->s[n->at - 1] : ' ';

	if (begins(n, n->at, "<impl ") || begins(n, n->at, "[abi:"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (n->s[n->at] == kinds[i].open)
			return is_word(before) || strchr(kinds[i].after, before) != NULL ||
			       (n->at > 0 && n->at == n->behind_operator);
	return false;
}

static void
add_list(struct buf *b, const struct name *n, size_t len)
{
	char open = n->s[n->at];

	if (len <= KEPT_MAX + 2)
		buf_add(b, n->s + n->at, len);
	else
		buf_addf(b, "%c...%c", open, closing(open));
}

void
brief_add(struct buf *b, const char *name)
{
	struct name n = { .s = name, .len = strnlen(name, NAME_MAX_LEN) };

	while (n.at < n.len) {
		size_t len = no_brackets(&n, n.at);

		if (len > 2) {
			n.behind_operator = n.at + len + (begins(&n, n.at + len, " <") ? 1 : 0);
			buf_add(b, n.s + n.at, len);
		} else if (len == 0 && is_list(&n)) {
			len = group_len(&n, n.at);
			add_list(b, &n, len);
		} else {
			len = MAX(len, 1u);
			buf_add(b, n.s + n.at, len);
		}
		n.at += len;
	}
	if (n.len == NAME_MAX_LEN)
		buf_add_str(b, "...");
}
