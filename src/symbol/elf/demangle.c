/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/demangle.h"
#include "symbol/elf/iberty.h"
#include "symbol/image/image.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define LLVM ".llvm."

enum {
	RAW_MAX = 8 << 10,
	D_RAW_MAX = 1 << 10, /* libiberty gives D's names whole, there is no stopping it */
	NAME_MAX_LEN = 64 << 10,
};

/* Where the pieces go.  A few hundred bytes of substitutions can stand for gigabytes. */
struct sink {
	struct buf out;
	jmp_buf too_long;
};

static void
sink_add(const char *piece, size_t len, void *self)
{
	struct sink *s = self;

	/* The demanglers that call this keep their state on the stack: they can be left. */
	if (s->out.len + len > NAME_MAX_LEN)
		longjmp(s->too_long, 1);
	buf_add(&s->out, piece, len);
}

/* Fills s->out.  Rust first: its older names are C++ names with a hash. */
static bool
by_pieces(struct sink *s, const char *raw)
{
	if (setjmp(s->too_long) != 0)
		return false;
	if (iberty_rust(raw, sink_add, s))
		return true;
	buf_reset(&s->out);
	return iberty_cplus(raw, sink_add, s);
}

static char *
demangle_mangled(const char *raw)
{
	struct sink s = { .out = { 0 } };

	if (raw[0] == '_' && raw[1] == 'D')
		return strlen(raw) <= D_RAW_MAX ? iberty_d(raw) : NULL;
	if (by_pieces(&s, raw) && s.out.len > 0)
		return s.out.data;
	buf_release(&s.out);
	return NULL;
}

/* Behind the hash that ends older Rust names, which have dots inside; else where @raw begins. */
static const char *
behind_hash(const char *raw)
{
	const char *hash;

	for (hash = raw; (hash = strstr(hash, "17h")) != NULL; hash++)
		if (strspn(hash + 3, "0123456789abcdef") == 16 && hash[19] == 'E')
			return hash + 20;
	return raw;
}

/*
 * Where what compilers and linkers put behind a mangled name begins: ".cold", ".part.0",
 * ".constprop.0", ".llvm.123", "@plt".
 */
static const char *
mangled_end(const char *raw)
{
	const char *from = behind_hash(raw);

	return from + strcspn(from, ".@");
}

/*
 * The rest is kept as it is, so that two functions that are not the same do not look so, but for
 * LLVM's number, which tells as little as Rust's hash, and gcc's second name of the same code.
 */
static void
add_suffix(struct buf *b, const char *suffix)
{
	static const char alias[] = ".localalias";
	const char *llvm;

	if (strncmp(suffix, alias, strlen(alias)) == 0)
		suffix += strlen(alias);
	llvm = strstr(suffix, LLVM);
	if (llvm == NULL) {
		buf_add_str(b, suffix);
		return;
	}
	buf_add(b, suffix, (size_t)(llvm - suffix));
	llvm += strlen(LLVM);
	buf_add_str(b, llvm + strspn(llvm, "0123456789"));
}

/* Go's linker writes what must not be in a name as "%2e"; its assembler has "·" for a dot. */
static void
add_plain(struct buf *b, const char *raw)
{
	static const struct {
		const char *escape;
		char is;
	} escapes[] = { { "%2e", '.' }, { "\302\267", '.' }, { "\342\210\225", '/' } };

	while (*raw != '\0') {
		size_t i = 0;

		while (i < ARRAY_SIZE(escapes) &&
		       strncmp(raw, escapes[i].escape, strlen(escapes[i].escape)) != 0)
			i++;
		buf_add_char(b, i < ARRAY_SIZE(escapes) ? escapes[i].is : *raw);
		raw += i < ARRAY_SIZE(escapes) ? strlen(escapes[i].escape) : 1;
	}
}

char *
demangle(const char *raw)
{
	size_t len = strnlen(raw, RAW_MAX + 1);
	const char *suffix;
	char *head, *name;
	struct buf b = { 0 };

	if (len > RAW_MAX || !image_is_mangled(raw))
		return mem_strdup(raw);
	suffix = strstr(raw, LLVM);
	if (raw[0] == '_')
		suffix = mangled_end(raw);
	else if (suffix == NULL)
		suffix = raw + len;
	head = mem_strndup(raw, (size_t)(suffix - raw));
	name = demangle_mangled(head);
	if (name != NULL)
		buf_add_str(&b, name);
	else
		add_plain(&b, head);
	add_suffix(&b, suffix);
	free(head);
	free(name);
	return b.data;
}
