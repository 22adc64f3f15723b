/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_SOURCE_H
#define PTOP_EVENT_SOURCE_H
/*
 * The kinds of events.  Each takes the front of a spec: its events are added to the spec's list,
 * and *@rest becomes what is behind, "/terms/" and modifiers.  1: taken; 0: not of this kind;
 * -1: of this kind but wrong, see the spec's err.
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
int pmu_alias_parse(const struct spec *s, const char **rest); /* a PMU's event alone */
int tracepoint_parse(const struct spec *s, const char **rest);

/*
 * How many bytes at @text, a comma or slash among them, belong to a file's name or a length and
 * neither end the event nor begin terms.
 */
size_t breakpoint_head_len(const char *text);
size_t probe_head_len(const char *text);

#endif
