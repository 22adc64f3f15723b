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

/* The event to begin with: the one that a screen shows, else the first that is not filtered out. */
static inline size_t
report_main_event(const struct snapshot *s)
{
	for (size_t i = 0; i < s->event_count; i++)
		if (s->query.trends ? s->events[i].shown : !s->events[i].is_filtered)
			return i;
	return 0;
}

static inline const char *
report_event_unit(const struct snapshot_event *e)
{
	return e->counts_time ? "nanoseconds" : "count";
}

/* The period between samples; 0: it varies. */
static inline uint64_t
report_event_period(const struct snapshot *s, const struct snapshot_event *e)
{
	if (e->is_looks)
		return 0;
	if (!s->head.is_freq)
		return s->head.rate;
	return e->counts_time && s->head.rate > 0 ? NSEC_PER_SEC / s->head.rate : 0;
}

/* How long the window is, and the time of day at its end. */
static inline uint64_t
report_window_ns(const struct snapshot *s)
{
	return s->head.window_have_s > 0 ? (uint64_t)(s->head.window_have_s * 1e9) : 0;
}

static inline uint64_t
report_end_ns(const struct snapshot *s)
{
	return s->head.as_of_ns != 0 ? s->head.as_of_ns : s->head.now_ns;
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
