/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_REPORT_H
#define PTOP_EXPORT_REPORT_H
/* What the writers of all formats need to know of the run that a report belongs to. */
#include "base/buf.h"
#include "view/snapshot.h"

struct report_run {
	bool is_first;   /* no report before this one */
	bool is_series;  /* there may be others: each says its time */
	bool has_events; /* rows of more than one event: each says its own */
};

/* The event to begin with, where one can be chosen: what a screen shows, else the first. */
static inline size_t
report_main_event(const struct snapshot *s)
{
	for (size_t i = 0; i < s->event_count && s->query.trends; i++)
		if (s->events[i].shown)
			return i;
	return 0;
}

/* Whether the rows are counters, see profile/counter_row.h, and not sums of samples. */
static inline bool
report_is_counters(const struct query *q)
{
	return q->by_view && q->view == VIEW_COUNTERS;
}

/* Whether @q groups by @key. */
static inline bool
report_has_key(const struct query *q, enum key key)
{
	for (size_t i = 0; i < q->key_count; i++)
		if (q->keys[i] == key)
			return true;
	return false;
}

/* In percent of all that its event counted. */
static inline double
report_node_percent(const struct snapshot *s, const struct snapshot_node *n, const struct cost *c)
{
	uint64_t all = s->events[n->event].period;

	return all > 0 ? (double)c->period * 100 / (double)all : 0;
}

/* Behind the names of functions that are inlined, in formats that have no other mark for them. */
static inline const char *
report_inlined_mark(bool is_inlined)
{
	return is_inlined ? " (inlined)" : "";
}

#endif
