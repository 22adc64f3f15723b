/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_SPEC_H
#define PTOP_EVENT_SPEC_H
/* The text of one event while it is parsed.  Errors name the column. */
#include "event/event.h"

struct spec {
	const struct event_env *env;
	const char *text;        /* one event, without its list and group; NUL-terminated */
	struct event_list *list; /* events are added here */
	struct err *err;
};

/* ERR_USAGE: "event 'TEXT': WHAT at column N", where @at is in the text.  Always -1. */
int spec_refuse(const struct spec *s, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The same with another code: well written, but this machine does not have it.  Always -1. */
int spec_lacks(const struct spec *s, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* A zeroed event at the end of the list, valid until the next is added. */
struct event *spec_add(const struct spec *s);

/*
 * The number at *@at, decimal or 0x and hexadecimal digits, and moves *@at behind it.  False if
 * there is none or it has more than 64 bits.
 */
bool spec_number(const char **at, uint64_t *out);

/*
 * How many bytes of @at are a symbol: to the first '/', or the first ':' that is not one of a
 * pair, or, where @lines, before a line number.
 */
size_t spec_symbol_len(const char *at, bool lines);

/* Whether the @len bytes of @at can be a symbol: 0, or -1 with the reason. */
int spec_check_symbol(const struct spec *s, const char *at, size_t len);

/* "+0x10" at the end of a symbol of @len bytes: cut off, and its value in *@offset. */
size_t spec_cut_offset(const char *at, size_t len, uint64_t *offset);

/* Whether it can be a file's name that leads nowhere else: for names that become paths. */
bool spec_is_file_name(const char *s, size_t len);

/*
 * The sources of events.  Each parses the front of a spec and adds its events to the spec's list;
 * *@rest becomes what follows, "/terms/" and modifiers.  1: parsed; 0: not of this source; -1: of
 * this source but wrong, see the spec's err.
 */
int breakpoint_parse(const struct spec *s, const char **rest);
int probe_parse(const struct spec *s, const char **rest);
int pfm_parse(const struct spec *s, const char **rest); /* "pfm:NAME" */
int pfm_parse_plain(const struct spec *s, const char **rest);
int builtin_parse(const struct spec *s, const char **rest);
int pair_parse(const struct spec *s, const char **rest); /* "syscall-time" */
int raw_parse(const struct spec *s, const char **rest);
int numeric_parse(const struct spec *s, const char **rest); /* "TYPE:CONFIG" */
int pmu_parse(const struct spec *s, const char **rest); /* "pmu/term=value,.../" */
int pmu_alias_parse(const struct spec *s, const char **rest); /* an event without its PMU */
int tracepoint_parse(const struct spec *s, const char **rest);

/*
 * The length of the part of @text in which commas and slashes belong to a path or a length: there
 * they neither end the event nor begin terms.
 */
size_t breakpoint_head_len(const char *text);
size_t probe_head_len(const char *text);

#endif
