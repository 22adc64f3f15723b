/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that say what is shown, and in which format. */
#include "app/config_impl.h"

#include "view/column.h"
#include "view/name.h"

#include <stdlib.h>
#include <string.h>

int
shown_set_view(void *target, const struct option_def *def, const char *value, struct err *err)
{
	(void)def;
	((struct config *)target)->view_given = true;
	return view_parse(value, &((struct config *)target)->view, err);
}

#define FIELD_KEY "field:"

/* The first item of the list that names a field; NULL: none does. */
static char *
find_field(char *list)
{
	for (char *at = list; (at = strstr(at, FIELD_KEY)) != NULL; at++)
		if (at == list || at[-1] == ',')
			return at;
	return NULL;
}

/* Of the list the key alone is left: whose field it is stands beside it. */
static int
take_field(char **field, char *list, struct err *err)
{
	char *at, *name, *end, *before;
	int res = 0;

	while (res == 0 && (at = find_field(list)) != NULL) {
		name = at + strlen(FIELD_KEY);
		end = name + strcspn(name, ",");
		before = *field;
		*field = mem_strndup(name, (size_t)(end - name));
		memmove(name - 1, end, strlen(end) + 1);
		if (before != NULL && strcmp(before, *field) != 0)
			res = err_set(err, ERR_USAGE, 0, "--by takes one field: choose field:%.60s or field:%.60s",
				      before, *field);
		free(before);
	}
	return res;
}

int
shown_set_by(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;
	char *list = mem_strdup(value), *field = NULL;
	int res;

	(void)def;
	res = take_field(&field, list, err);
	if (res == 0)
		res = key_parse_list(list, c->keys, &c->key_count, err);
	if (field != NULL) {
		free(c->field);
		c->field = field;
	}
	free(list);
	return res;
}

int
shown_set_sort(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;
	enum column_id id;

	(void)def;
	if (column_parse(value, &id, &c->sort_ascending, err) < 0)
		return -1;
	c->sort = id;
	return 0;
}

int
shown_set_format(void *target, const struct option_def *def, const char *value, struct err *err)
{
	const char *names[FORMAT_COUNT];
	struct config *c = target;

	(void)def;
	for (int i = 0; i < FORMAT_COUNT; i++) {
		names[i] = format_defs[i].name;
		if (strcmp(names[i], value) == 0) {
			c->engine.format = i;
			return 0;
		}
	}
	return name_unknown(err, "unknown format", value, names, FORMAT_COUNT);
}
