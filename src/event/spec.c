/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/spec.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 200 };

int
spec_refuse(const struct spec *s, const char *at, const char *fmt, ...)
{
	char what[MESSAGE_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return err_set(s->err, ERR_USAGE, 0, "event '%.80s': %s at column %zu", s->text, what,
		       (size_t)(at - s->text) + 1);
}

int
spec_lacks(const struct spec *s, enum err_code code, const char *fmt, ...)
{
	char what[MESSAGE_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return err_set(s->err, code, 0, "event '%.80s': %s", s->text, what);
}

struct event *
spec_add(const struct spec *s)
{
	struct event_list *l = s->list;

	vec_reserve(&l->items, &l->cap, l->len + 1, sizeof(*l->items));
	l->items[l->len] = (struct event){ 0 };
	return &l->items[l->len++];
}

bool
spec_number(const char **at, uint64_t *out)
{
	bool is_hex = (*at)[0] == '0' && ((*at)[1] == 'x' || (*at)[1] == 'X');
	const char *digits = *at + (is_hex ? 2 : 0);
	char *end;

	if (is_hex ? !isxdigit((unsigned char)*digits) : !isdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*out = strtoull(digits, &end, is_hex ? 16 : 10);
	if (errno != 0)
		return false;
	*at = end;
	return true;
}

size_t
spec_symbol_len(const char *at, bool lines)
{
	size_t n;

	for (n = 0; at[n] != '\0' && at[n] != '/'; n++) {
		if (at[n] != ':')
			continue;
		if (at[n + 1] == ':')
			n++;
		else if (!lines || !isdigit((unsigned char)at[n + 1]))
			break;
	}
	return n;
}

size_t
spec_cut_offset(const char *at, size_t len, uint64_t *offset)
{
	const char *plus = memrchr(at, '+', len), *end;
	uint64_t value;

	if (plus == NULL || plus == at)
		return len;
	end = plus + 1;
	if (!spec_number(&end, &value) || end != at + len)
		return len;
	*offset = value;
	return (size_t)(plus - at);
}

bool
spec_is_file_name(const char *s, size_t len)
{
	if (len == 0 || len > NAME_MAX || s[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)s[i]) && strchr("_-.", s[i]) == NULL)
			return false;
	}
	return true;
}

int
spec_check_symbol(const struct spec *s, const char *at, size_t len)
{
	if (len == 0 || *at == '+')
		return spec_refuse(s, at, "a name is missing");
	for (size_t i = 0; i < len; i++) {
		if (!isgraph((unsigned char)at[i]))
			return spec_refuse(s, at + i, "a name cannot have such a character");
	}
	return 0;
}
