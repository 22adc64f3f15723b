/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/attr_table.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 128 };

static int
unknown_field(const char *name, struct err *err)
{
	const char *names[NAMES_MAX], *near;
	size_t n;
	const struct attr_field *fields = attr_fields(&n);

	n = MIN(n, (size_t)NAMES_MAX);
	for (size_t i = 0; i < n; i++)
		names[i] = fields[i].name;
	near = text_nearest(name, names, n);
	if (near != NULL)
		return err_set(err, ERR_USAGE, 0, "unknown attribute '%.80s': did you mean '%s'?",
			       name, near);
	err_set(err, ERR_USAGE, 0, "unknown attribute '%.80s'", name);
	return err_hint(err, "perf_event_open(2) describes them");
}

static bool
read_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno == 0 && *end == '\0';
}

/* One of the field's names, or a number. */
static int
read_part(const struct attr_field *f, const char *text, uint64_t *value, struct err *err)
{
	const char *names[NAMES_MAX], *near;
	size_t n = 0;

	if (read_number(text, value))
		return 0;
	for (size_t i = 0; i < MIN(f->name_count, (size_t)NAMES_MAX); i++) {
		if (f->names[i] == NULL)
			continue;
		if (strcasecmp(f->names[i], text) == 0) {
			*value = f->kind == ATTR_MASK ? 1ULL << i : i;
			return 0;
		}
		names[n++] = f->names[i];
	}
	near = n > 0 ? text_nearest(text, names, n) : NULL;
	if (near != NULL)
		return err_set(err, ERR_USAGE, 0,
			       "attribute %s: unknown '%.80s': did you mean '%s'?", f->name, text,
			       near);
	return err_set(err, ERR_USAGE, 0, "attribute %s: '%.80s' is no value of it", f->name, text);
}

/* @text is changed. */
static int
read_value(const struct attr_field *f, char *text, uint64_t *value, struct err *err)
{
	char *save = NULL, *part = strtok_r(text, "|", &save);

	*value = 0;
	if (part == NULL)
		return err_set(err, ERR_USAGE, 0, "attribute %s: no value after '='", f->name);
	for (; part != NULL; part = strtok_r(NULL, "|", &save)) {
		uint64_t v;

		if (read_part(f, part, &v, err) < 0)
			return -1;
		*value |= v;
	}
	if (f->bits < 64 && *value >> f->bits != 0)
		return err_set(err, ERR_USAGE, 0, "attribute %s: %#llx is more than %u bits",
			       f->name, (unsigned long long)*value, f->bits);
	return 0;
}

/* @item is "NAME[=VALUE]" and is changed. */
static int
assign_one(struct event_attr *attr, char *item, struct err *err)
{
	char *equals = strchr(item, '=');
	const struct attr_field *f;
	uint64_t value = 1;

	if (equals != NULL)
		*equals = '\0';
	f = attr_find(item);
	if (f == NULL)
		return unknown_field(item, err);
	if (equals != NULL && read_value(f, equals + 1, &value, err) < 0)
		return -1;
	if (attr == NULL)
		return 0;
	attr_field_set(attr, f, f->kind == ATTR_MASK ? attr_field_get(attr, f) | value : value);
	return 0;
}

int
attr_assign(struct event_attr *attr, const char *text, struct err *err)
{
	char *copy = mem_strdup(text), *save = NULL;
	char *item = strtok_r(copy, ",", &save);
	int res = 0;

	if (item == NULL)
		res = err_set(err, ERR_USAGE, 0, "no attribute is named");
	for (; item != NULL && res == 0; item = strtok_r(NULL, ",", &save))
		res = assign_one(attr, item, err);
	free(copy);
	return res;
}
