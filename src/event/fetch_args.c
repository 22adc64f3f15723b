/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/fetch_args.h"

#include <string.h>

#if defined(__x86_64__)
static const char *const registers[ARGUMENTS_MAX] = { "di", "si", "dx", "cx", "r8", "r9" };
enum { HAS_REGISTERS = 1 };
#elif defined(__aarch64__)
static const char *const registers[ARGUMENTS_MAX] = { "x0", "x1", "x2", "x3", "x4", "x5" };
enum { HAS_REGISTERS = 1 };
#else
static const char *const registers[ARGUMENTS_MAX] = { "" };
enum { HAS_REGISTERS = 0 };
#endif

static const char *const places[ARGUMENTS_MAX] = { "arg1", "arg2", "arg3", "arg4", "arg5", "arg6" };

static const char *
function_of(const struct event *ev)
{
	return ev->symbol != NULL ? ev->symbol : ev->name;
}

/* The kernel takes no field that is called as one of its own, and none twice. */
static bool
is_taken(const char *name)
{
	static const char *const heads[] = { "common_", "__probe_" };

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (strncmp(name, heads[i], strlen(heads[i])) == 0)
			return true;
	for (size_t i = 0; i < ARGUMENTS_MAX; i++)
		if (strcmp(name, places[i]) == 0)
			return true;
	return *name == '\0';
}

static const char *
name_of(const struct event *ev, size_t i)
{
	const char *name = ev->arguments.items[i].name;

	return is_taken(name) ? places[i] : name;
}

static size_t
count_of(const struct event *ev)
{
	return ev->arguments.count > 0 ? ev->arguments.count : ARGUMENTS_MAX;
}

static bool
is_called(const char *text, const char *name, size_t len)
{
	return strlen(text) == len && memcmp(text, name, len) == 0;
}

/* ARGUMENTS_MAX: none is called so. */
static size_t
find(const struct event *ev, const char *name, size_t len)
{
	size_t i = 0;

	while (i < count_of(ev) && !is_called(places[i], name, len) &&
	       !is_called(name_of(ev, i), name, len))
		i++;
	return i < count_of(ev) ? i : ARGUMENTS_MAX;
}

static int
refuse(const struct event *ev, const char *name, size_t len, struct err *err)
{
	struct buf known = { 0 };

	for (size_t i = 0; i < count_of(ev); i++)
		buf_addf(&known, "%s%s", i > 0 ? " " : "", name_of(ev, i));
	err_set(err, ERR_USAGE, 0, "'%.80s' has no argument '%.*s' that is known", function_of(ev),
		(int)MIN(len, 40u), name);
	err_hint(err, "it has: %.200s", buf_str(&known));
	buf_release(&known);
	return -1;
}

static int
mark_known(const struct event *ev, bool is_string[ARGUMENTS_MAX], struct err *err)
{
	bool has_any = false;

	for (size_t i = 0; i < count_of(ev); i++) {
		is_string[i] = ev->arguments.items[i].is_text;
		has_any |= is_string[i];
	}
	if (has_any)
		return 0;
	err_set(err, ERR_USAGE, 0, "no argument of '%.80s' is known to be a string",
		function_of(ev));
	return err_hint(err, "name it by its place, as string=arg1; what debug data tell of a function "
			"is asked where a single one is meant");
}

static int
mark_strings(const struct event *ev, bool is_string[ARGUMENTS_MAX], struct err *err)
{
	const char *at = ev->strings;

	if (*at == '\0')
		return mark_known(ev, is_string, err);
	while (*at != '\0') {
		size_t len = strcspn(at, ","), i = find(ev, at, len);

		if (i == ARGUMENTS_MAX)
			return refuse(ev, at, len, err);
		is_string[i] = true;
		at += len + (at[len] == ',');
	}
	return 0;
}

/* What is not known is a word. */
static void
put_number(const struct argument *a, const char *reg, struct buf *out)
{
	unsigned bytes = a->bytes > 0 && *a->name != '\0' ? a->bytes : 8;
	bool is_signed = *a->name == '\0' || a->is_signed;

	buf_addf(out, "%%%s:%c%u", reg, is_signed ? 's' : 'u', bytes * 8);
}

int
fetch_args_put(const struct event *ev, struct buf *out, struct err *err)
{
	bool is_string[ARGUMENTS_MAX] = { false };

	if (!HAS_REGISTERS)
		return err_set(err, ERR_UNSUPPORTED, 0, "in which registers arguments are is not known "
			       "of this machine");
	if (mark_strings(ev, is_string, err) < 0)
		return -1;
	for (size_t i = 0; i < count_of(ev); i++) {
		buf_addf(out, " %s=", name_of(ev, i));
		if (is_string[i])
			buf_addf(out, "+0(%%%s):string", registers[i]);
		else
			put_number(&ev->arguments.items[i], registers[i], out);
	}
	return 0;
}
