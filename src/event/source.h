/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_SOURCE_H
#define PTOP_EVENT_SOURCE_H
/*
 * The sources of events.  Each parses the front of a spec and adds its events to the spec's list;
 * *@rest becomes what follows, "/terms/" and modifiers.  1: parsed; 0: not of this source; -1: of
 * this source but wrong, see the spec's err.
 */
#include "event/spec.h"

int breakpoint_parse(const struct spec *s, const char **rest);
int probe_parse(const struct spec *s, const char **rest);
int pfm_parse(const struct spec *s, const char **rest); /* "pfm:NAME" */
int pfm_parse_plain(const struct spec *s, const char **rest);
int builtin_parse(const struct spec *s, const char **rest);
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
