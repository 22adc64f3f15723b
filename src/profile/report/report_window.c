/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What time a report is of. */
#include "profile/report/report_impl.h"

void
report_window_of(const struct profile *p, uint32_t event, uint64_t *from_ns, uint64_t *to_ns)
{
	const struct profile_event *ev = &p->events[event];
	struct log_walk w;
	const struct interval *iv, *first;
	bool is_any = false;

	*from_ns = ev->zero_ns;
	*to_ns = ev->last_end_ns;
	if (p->window_ns == WINDOW_ALL) {
		*to_ns = MIN(*to_ns, profile_shown_to_ns(p));
		return;
	}
	if (profile_stands_still(p)) {
		*from_ns = ev->win_from_ns;
		*to_ns = ev->win_end_ns;
		return;
	}
	*from_ns = *to_ns - MIN(*to_ns, ev->win_ns);
	first = ev->win_merged == 0 ? log_at(&p->log, ev->win_first) : NULL;
	log_walk_begin(&w, &p->log, event, first != NULL ? first->start_ns : 0, UINT64_MAX);
	while (p->window_ns != WINDOW_SINCE_REPORT && (iv = log_walk_next(&w)) != NULL) {
		if (!profile_window_has(p, iv))
			continue;
		if (!is_any)
			*from_ns = iv->start_ns;
		*to_ns = iv->end_ns;
		is_any = true;
	}
}

const struct interval *
report_next_whole(struct log_walk *w)
{
	const struct interval *iv;

	while ((iv = log_walk_next(w)) != NULL)
		if (iv->start_ns >= w->from_ns && iv->end_ns <= w->to_ns)
			return iv;
	return NULL;
}

/*
 * Those of a whole recording end with its seconds: a screen, which has shorter intervals than a report,
 * says the same of it.
 */
bool
report_ends_unit(const struct report_source *src, const struct interval *iv, uint64_t length_ns,
		 uint64_t least_ns)
{
	const struct profile *p = src->profile;
	const uint64_t begin_ns = p->labels.start_ns;

	if (length_ns < least_ns || !src->is_recording || p->window_ns != WINDOW_ALL)
		return length_ns >= least_ns;
	return (iv->start_ns - begin_ns) / NSEC_PER_SEC != (iv->end_ns - begin_ns) / NSEC_PER_SEC;
}
