/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/spec.h"

#include <ctype.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>

enum { LEN_DEFAULT = 4, LEN_MAX = 8 };

static const char prefix[] = "mem:";

static const struct access {
	char letter;
	uint32_t type;
} accesses[] = {
	{ 'r', HW_BREAKPOINT_R }, { 'w', HW_BREAKPOINT_W }, { 'x', HW_BREAKPOINT_X },
};

size_t
breakpoint_head_len(const char *text)
{
	size_t len = strlen(prefix);

	if (strncmp(text, prefix, len) != 0)
		return 0;
	len += strcspn(text + len, "/,{}");
	return text[len] == '/' && isdigit((unsigned char)text[len + 1]) ? len + 1 : len;
}

/* Parses the address, or the name of a variable. */
static int
take_place(const struct spec *s, const char **at, struct event *ev)
{
	const char *from = *at;
	size_t len;

	if (isdigit((unsigned char)*from)) {
		if (!spec_number(at, &ev->config1))
			return spec_refuse(s, from, "the address is no number of 64 bits");
		if (strchr("/:", **at) == NULL)
			return spec_refuse(s, *at, "'%.1s' in an address", *at);
		return 0;
	}
	len = spec_symbol_len(from, false);
	*at = from + len;
	if (spec_check_symbol(s, from, len) < 0)
		return -1;
	ev->place = EVENT_PLACE_DATA;
	ev->symbol = mem_strndup(from, spec_cut_offset(from, len, &ev->symbol_offset));
	return 0;
}

/* "/8": 0 if there is none. */
static int
take_len(const struct spec *s, const char **at, uint64_t *len)
{
	const char *from = *at + 1;

	*len = 0;
	if (**at != '/' || !isdigit((unsigned char)*from))
		return 0;
	*at = from;
	if (!spec_number(at, len) || *len == 0 || *len > LEN_MAX)
		return spec_refuse(s, from, "a breakpoint is 1 to %d bytes long", LEN_MAX);
	return strchr("/:", **at) != NULL ? 0 : spec_refuse(s, *at, "'%.1s' in a length", *at);
}

/* Parses ":rw"; other letters are modifiers. */
static int
take_access(const struct spec *s, const char **at, uint32_t *type)
{
	const char *from = *at + 1;
	size_t len = **at == ':' ? strspn(from, "rwx") : 0;

	*type = 0;
	if (len == 0 || strchr("/:", from[len]) == NULL)
		return 0;
	for (size_t i = 0; i < len; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(accesses); j++) {
			if (accesses[j].letter != from[i])
				continue;
			if (*type & accesses[j].type)
				return spec_refuse(s, from + i, "access '%c' is there twice",
						   from[i]);
			*type |= accesses[j].type;
		}
	}
	*at = from + len;
	return 0;
}

int
breakpoint_parse(const struct spec *s, const char **rest)
{
	const char *p = s->text + strlen(prefix);
	struct event *ev;

	if (strncmp(s->text, prefix, strlen(prefix)) != 0)
		return 0;
	ev = spec_add(s);
	ev->type = PERF_TYPE_BREAKPOINT;
	if (take_place(s, &p, ev) < 0 || take_len(s, &p, &ev->config2) < 0 ||
	    take_access(s, &p, &ev->bp_type) < 0)
		return -1;
	if (ev->bp_type == 0)
		ev->bp_type = HW_BREAKPOINT_RW;
	/* The length for execution: perf_event_open(2), bp_len. */
	if (ev->config2 == 0)
		ev->config2 = ev->bp_type == HW_BREAKPOINT_X ? sizeof(long) : LEN_DEFAULT;
	*rest = p;
	return 1;
}
