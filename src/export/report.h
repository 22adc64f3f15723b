/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_REPORT_H
#define PTOP_EXPORT_REPORT_H
/* What writers of all formats share.  Any thread. */
#include "base/buf.h"
#include "view/snapshot.h"

struct report_run {
	bool is_first;   /* no report before this one */
	bool is_series;  /* one of several: each says its time */
	bool has_events; /* there is more than one event: each row says its own */
};

/* The event to begin with: the one that a screen shows, else the first. */
static inline size_t
report_main_event(const struct snapshot *s)
{
	for (size_t i = 0; i < s->event_count && s->query.trends; i++)
		if (s->events[i].shown)
			return i;
	return 0;
}

/* Whether the rows are counters or counted functions, see view_def.is_counted, and not sums of samples. */
static inline bool
report_is_counters(const struct query *q)
{
	return q->by_view && view_defs[q->view].is_counted;
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

/* How many columns the view has beside its keys and counts: view_def.more. */
static inline size_t
report_more(const struct query *q)
{
	return q->by_view ? view_defs[q->view].more_count : 0;
}

/* @c in percent of what shares of the node's event are of. */
static inline double
report_node_percent(const struct snapshot *s, const struct snapshot_node *n, const struct cost *c)
{
	return snapshot_share(s, &s->events[n->event], c->period);
}

/* Follows the names of inlined functions in formats that have no other mark for them. */
static inline const char *
report_inlined_mark(bool is_inlined)
{
	return is_inlined ? " (inlined)" : "";
}

#endif
