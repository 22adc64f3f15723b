/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/formats.h"

#include <stdlib.h>

void
folded_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct buf path = { 0 };
	size_t *ends = NULL, cap = 0; /* by depth: how much of the path is up to there */

	for (size_t i = 0; i < s->frame_count; i++) {
		const struct snapshot_frame *f = &s->frames[i];

		vec_reserve(&ends, &cap, f->depth + 1, sizeof(*ends));
		path.len = f->depth > 0 ? ends[f->depth - 1] : 0;
		if (path.len > 0)
			buf_add_char(&path, ';');
		if (f->depth > 0 || run->has_events)
			buf_add_str(&path, f->name);
		ends[f->depth] = path.len;
		if (f->samples == 0)
			continue;
		buf_add(&out->buf, path.data, path.len);
		buf_addf(&out->buf, " %llu\n", (unsigned long long)f->samples);
		sink_flow(out);
	}
	free(ends);
	buf_release(&path);
}
