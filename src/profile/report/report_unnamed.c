/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view unnamed: the part of a dso's samples that has no name. */
#include "profile/report/report_impl.h"

#include <string.h>

/* The keys that samples of one dso have in common, named or not. */
static const enum key dso_keys[] = { KEY_DSO, KEY_PATH, KEY_BUILD_ID, KEY_SOURCE, KEY_EVENT };

static void
sum_dsos(const struct report *r, struct grouping *dsos)
{
	const struct profile *p = r->src->profile;
	uint64_t samples, period;

	for (uint32_t id = 1; id < p->tables.cells[TABLE_HOT].len; id++)
		if (report_entry(r, id, &samples, &period) && report_in_scope(r, id))
			group_find(dsos, id)->samples += samples;
}

void
report_find_unnamed(struct report *r)
{
	struct grouping dsos = { .profile = r->src->profile, .key_count = ARRAY_SIZE(dso_keys) };

	memcpy(dsos.keys, dso_keys, sizeof(dso_keys));
	dsos.key_count -= !r->query->all_events; /* the event is the last, and one */
	grouping_begin(&dsos);
	sum_dsos(r, &dsos);
	for (size_t i = 0; i < r->groups.len; i++)
		r->rows[i].unnamed = (double)r->rows[i].samples /
				     (double)group_find(&dsos, r->groups.items[i].first)->samples;
	grouping_release(&dsos);
}
