/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/demangle.h"
#include "symbol/iberty.h"
#include "symbol/image.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

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
sink_take(const char *piece, size_t len, void *self)
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
	if (iberty_rust(raw, sink_take, s))
		return true;
	buf_reset(&s->out);
	return iberty_cplus(raw, sink_take, s);
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

/* "_ZN3foo3barEv@plt": what follows the @ is not part of the mangled name. */
static char *
demangle_before_at(const char *raw, const char *at)
{
	char *head = mem_strndup(raw, (size_t)(at - raw));
	char *name = demangle_mangled(head);
	struct buf b = { 0 };

	free(head);
	if (name == NULL)
		return NULL;
	buf_add_str(&b, name);
	buf_add_str(&b, at);
	free(name);
	return b.data;
}

char *
demangle(const char *raw)
{
	const char *at = strchr(raw, '@');
	char *name = NULL;

	if (image_is_mangled(raw) && strnlen(raw, RAW_MAX + 1) <= RAW_MAX)
		name = at != NULL ? demangle_before_at(raw, at) : demangle_mangled(raw);
	return name != NULL ? name : mem_strdup(raw);
}
