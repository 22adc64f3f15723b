/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/formats.h"

#include <stdlib.h>
#include <string.h>

/* Of the event of that name: whether a line's number is its period. */
static bool
is_by_period(const struct snapshot *s, const char *event)
{
	for (size_t i = 0; i < s->event_count; i++)
		if (s->events[i].is_looks && strcmp(s->events[i].name, event) == 0)
			return true;
	return false;
}

void
folded_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct buf path = { 0 };
	size_t *ends = NULL, cap = 0; /* by depth: how much of the path is up to there */
	bool by_period = false;

	for (size_t i = 0; i < s->frame_count; i++) {
		const struct snapshot_frame *f = &s->frames[i];

		if (f->depth == 0)
			by_period = is_by_period(s, f->name);
		vec_reserve(&ends, &cap, f->depth + 1, sizeof(*ends));
		path.len = f->depth > 0 ? ends[f->depth - 1] : 0;
		if (path.len > 0)
			buf_add_char(&path, ';');
		if (f->depth > 0 || run->has_events)
			buf_add_str(&path, f->name);
		ends[f->depth] = path.len;
		if (f->samples == 0 && f->then_samples == 0)
			continue;
		buf_add(&out->buf, path.data, path.len);
		/* As difffolded.pl has it: before, after. */
		if (s->query.compare != COMPARE_NOTHING)
			buf_addf(&out->buf, " %llu", (unsigned long long)(by_period ? f->then_period
									   : f->then_samples));
		buf_addf(&out->buf, " %llu\n", (unsigned long long)(by_period ? f->period : f->samples));
		sink_flow(out);
	}
	free(ends);
	buf_release(&path);
}
