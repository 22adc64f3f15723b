/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/event_list.h"

#include <stdlib.h>
#include <string.h>

/* Of which the first that opens is taken. */
static const char defaults[] = "cycles:P,cycles,cpu-clock";

/* The @len bytes at @text, without the comma that joins them to what was before. */
static int
parse_part(const struct event_env *env, const char *text, size_t len, struct event_list *list,
	   struct err *err)
{
	bool is_joined = len > 0 && list->len > 0;
	char *part;
	int res;

	if (len == 0)
		return 0;
	part = mem_strndup(text + is_joined, len - is_joined);
	res = event_parse(env, part, list, err);
	free(part);
	return res;
}

int
events_parse(const struct engine_config *c, const struct event_env *env, struct event_list *list,
	     struct err *err)
{
	const char *text = c->events != NULL ? c->events : defaults;
	size_t at = 0;

	for (size_t i = 0; i < c->event_filter_count; i++) {
		const struct config_event_filter *f = &c->event_filters[i];

		if (parse_part(env, text + at, f->end - at, list, err) < 0)
			return -1;
		if (event_set_filter(list, f->text, err) < 0)
			return err_wrap(err, "--filter-event");
		at = f->end;
	}
	return parse_part(env, text + at, strlen(text) - at, list, err);
}
