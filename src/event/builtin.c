/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/event_table.h"
#include "event/spec.h"

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

static struct event *
add(const struct spec *s, uint32_t type, uint64_t config)
{
	struct event *ev = spec_add(s);

	ev->type = type;
	ev->config = config;
	ev->exclude_guest = sees_guests(type);
	return ev;
}

static void
add_row(const struct spec *s, const struct event_row *row)
{
	struct event *ev = add(s, row->type, row->config);

	ev->unit = row->unit;
	ev->looks = row->looks;
	ev->is_in_kernel = row->is_in_kernel;
	ev->is_clock = row->unit == EVENT_COUNTS_TIME && row->looks != EVENT_LOOKS_ALONE;
}

int
builtin_parse(const struct spec *s, const char **rest)
{
	size_t len = strcspn(s->text, ":/");
	const struct event_row *row = event_table_find(s->text, len);

	if (row == NULL)
		return 0;
	add_row(s, row);
	*rest = s->text + len;
	return 1;
}

int
raw_parse(const struct spec *s, const char **rest)
{
	size_t len = strcspn(s->text, ":/");
	const char *digits = s->text + 1;

	if (s->text[0] != 'r' || len < 2)
		return 0;
	if (digits[0] == '0' && digits[1] == 'x')
		digits += 2;
	*rest = s->text + len;
	for (const char *p = digits; p < *rest; p++) {
		if (!isxdigit((unsigned char)*p))
			return 0;
	}
	if (*rest - digits > RAW_DIGITS_MAX)
		return spec_refuse(s, digits + RAW_DIGITS_MAX, "a raw event has more than %d digits",
				   RAW_DIGITS_MAX);
	if (*rest == digits)
		return 0;
	add(s, PERF_TYPE_RAW, strtoull(digits, NULL, 16));
	return 1;
}

static const struct event_row *
row_of(uint64_t type, uint64_t config)
{
	size_t count;
	const struct event_row *rows = event_table(&count);

	for (size_t i = 0; i < count; i++) {
		if (rows[i].type == type && rows[i].config == config &&
		    rows[i].looks == EVENT_LOOKS_NONE)
			return &rows[i];
	}
	return NULL;
}

int
numeric_parse(const struct spec *s, const char **rest)
{
	const char *p = s->text;
	const struct event_row *row;
	uint64_t type, config;

	if (!spec_number(&p, &type) || *p != ':')
		return 0;
	if (type > UINT32_MAX)
		return spec_refuse(s, s->text, "a type has at most 32 bits");
	p++;
	if (!spec_number(&p, &config) || (*p != '\0' && *p != ':' && *p != '/'))
		return spec_refuse(s, p, "the config is no number");
	row = row_of(type, config);
	if (row != NULL)
		add_row(s, row);
	else
		add(s, (uint32_t)type, config)->is_tracepoint = type == PERF_TYPE_TRACEPOINT;
	*rest = p;
	return 1;
}
