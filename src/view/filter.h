/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_FILTER_H
#define PTOP_VIEW_FILTER_H
/*
 * Which rows to keep: terms KEY=GLOB, KEY!=GLOB, KEY~REGEX, KEY!~REGEX, joined by blanks, all of
 * which must hold.  A word without an operator is searched for in comm, dso and symbol.  Immutable.
 */
#include "view/snapshot.h"

struct filter;

/* NULL with ERR_USAGE naming the column of the fault.  "" gives a filter that keeps all. */
struct filter *filter_parse(const char *text, struct err *err);
void filter_free(struct filter *f); /* NULL is allowed */

/* Whether @row passes.  NULL keeps all. */
bool filter_keeps(const struct filter *f, const struct row *row);

/* Whether samples of the event can pass: terms of the key event alone are asked.  NULL keeps all. */
bool filter_keeps_event(const struct filter *f, const char *event);

/* The keys that the terms look at, which rows must have filled in. */
key_set filter_keys(const struct filter *f);

#endif
