/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/event.h"
#include "event/site.h"

#include "base/buf.h"
#include "base/text.h"
#include "event/event_table.h"
#include "event/modifier.h"
#include "event/tracepoint.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { RAW_DIGITS_MAX = 16 };

/* Counters see guests too unless told otherwise; software events and tracepoints never do. */
static bool
sees_guests(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

/* Applies what stands behind the name of @len bytes: nothing, or a colon and modifiers. */
static int
parse_tail(const char *text, size_t len, struct event *ev, struct err *err)
{
	ev->exclude_guest = sees_guests(ev->type);
	if (text[len] == '\0')
		return 1;
	return modifier_apply(text + len + 1, text, ev, err) < 0 ? -1 : 1;
}

static int
builtin_parse(const struct event_env *env, const char *text, struct event *ev, struct err *err)
{
	size_t len = strcspn(text, ":");
	const struct event_row *row = event_table_find(text, len);

	(void)env;
	if (row == NULL)
		return 0;
	ev->type = row->type;
	ev->config = row->config;
	ev->unit = row->unit;
	ev->is_clock = row->unit == EVENT_COUNTS_TIME;
	return parse_tail(text, len, ev, err);
}

static int
raw_parse(const struct event_env *env, const char *text, struct event *ev, struct err *err)
{
	size_t len = strcspn(text, ":");

	(void)env;
	if (text[0] != 'r' || len < 2)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (!isxdigit((unsigned char)text[i]))
			return 0;
	}
	if (len > RAW_DIGITS_MAX + 1)
		return err_set(err, ERR_USAGE, 0, "raw event '%.100s' has more than %d digits",
			       text, RAW_DIGITS_MAX);
	ev->type = PERF_TYPE_RAW;
	ev->config = strtoull(text + 1, NULL, 16);
	return parse_tail(text, len, ev, err);
}

/* Asked in order.  1: parsed, 0: not mine, -1: mine but wrong, see @err. */
static const struct event_source {
	const char *name;
	const char *example;
	int (*parse)(const struct event_env *env, const char *text, struct event *ev,
		     struct err *err);
} event_sources[] = {
	{ "builtin", "cycles:u", builtin_parse },
	{ "raw", "r01c2", raw_parse },
	{ "tracepoint", "sched:sched_switch", tracepoint_parse },
};

/* The nearest built-in name to the @len bytes at @text, NULL if none is near. */
static const char *
nearest_builtin(const char *text, size_t len)
{
	size_t count, n = 0;
	const struct event_row *rows = event_table(&count);
	const char **names = mem_calloc(2 * count, sizeof(*names));
	char *word = mem_strndup(text, len);
	const char *found;

	for (size_t i = 0; i < count; i++) {
		names[n++] = rows[i].name;
		if (rows[i].alias != NULL)
			names[n++] = rows[i].alias;
	}
	found = text_nearest(word, names, n);
	free(word);
	free(names);
	return found;
}

static int
refuse_unknown(const struct event_env *env, const char *text, struct err *err)
{
	size_t len = strcspn(text, ":");
	bool has_mods = text[len] == ':' && modifier_is_valid(text + len + 1);
	struct buf near = { 0 };

	tracepoint_nearest(env, text, &near);
	if (near.len == 0 && (text[len] == '\0' || has_mods)) {
		const char *builtin = nearest_builtin(text, len);

		if (builtin != NULL)
			buf_addf(&near, "%s%s", builtin, text + len);
	}
	if (near.len > 0)
		err_set(err, ERR_USAGE, 0, "unknown event '%.100s': did you mean '%.120s'?", text,
			buf_str(&near));
	else
		err_set(err, ERR_USAGE, 0, "unknown event '%.100s'", text);
	err_hint(err, "ptop --list shows the events of this machine");
	buf_release(&near);
	return -1;
}

static int
parse_one(const struct event_env *env, const char *text, struct event *ev, struct err *err)
{
	if (text[0] == '\0')
		return err_set(err, ERR_USAGE, 0, "an event has no name");
	for (size_t i = 0; i < ARRAY_SIZE(event_sources); i++) {
		struct event parsed = { 0 };
		int res = event_sources[i].parse(env, text, &parsed, err);

		if (res < 0)
			return -1;
		if (res > 0) {
			*ev = parsed;
			ev->name = mem_strdup(text);
			return 0;
		}
	}
	return refuse_unknown(env, text, err);
}

/* Up to the next comma that is not inside the slashes of "pmu/a=1,b=2/". */
static size_t
item_len(const char *text)
{
	bool in_slashes = false;
	size_t n;

	for (n = 0; text[n] != '\0'; n++) {
		if (text[n] == '/')
			in_slashes = !in_slashes;
		if (text[n] == ',' && !in_slashes)
			break;
	}
	return n;
}

int
event_parse(const struct event_env *env, const char *text, struct event_list *list,
	    struct err *err)
{
	size_t before = list->len;

	for (;;) {
		size_t len = item_len(text);
		char *item = mem_strndup(text, len);
		struct event ev;
		int res = parse_one(env, item, &ev, err);

		free(item);
		if (res < 0)
			goto fail;
		vec_reserve(&list->items, &list->cap, list->len + 1, sizeof(*list->items));
		list->items[list->len++] = ev;
		if (text[len] == '\0')
			return 0;
		text += len + 1;
	}
fail:
	while (list->len > before)
		event_release(&list->items[--list->len]);
	return -1;
}

void
event_list_release(struct event_list *list)
{
	for (size_t i = 0; i < list->len; i++)
		event_release(&list->items[i]);
	free(list->items);
	*list = (struct event_list){ 0 };
}

static char *
copy_text(const char *text)
{
	return text != NULL ? mem_strdup(text) : NULL;
}

static void *
copy_array(const void *items, size_t count, size_t size)
{
	return items != NULL ? memcpy(mem_calloc(count + 1, size), items, count * size) : NULL;
}

void
event_copy(struct event *to, const struct event *from)
{
	*to = *from;
	to->name = copy_text(from->name);
	to->path = copy_text(from->path);
	to->symbol = copy_text(from->symbol);
	to->filter = copy_text(from->filter);
	event_sites_copy(to, from);
	to->cpus = copy_array(from->cpus, from->cpu_count, sizeof(*from->cpus));
	to->more_types = copy_array(from->more_types, from->more_count, sizeof(*from->more_types));
}

void
event_release(struct event *ev)
{
	free(ev->name);
	free(ev->path);
	free(ev->symbol);
	free(ev->filter);
	event_sites_release(ev);
	free(ev->cpus);
	free(ev->more_types);
	*ev = (struct event){ 0 };
}
