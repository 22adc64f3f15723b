/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has ended, for those who have older news. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static int
compare_tids(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

int *
model_ended(const struct model *m, size_t *count)
{
	int *tids;

	*count = (size_t)MIN(m->ended_count, (uint64_t)MODEL_ENDED_MAX);
	tids = mem_calloc(*count + 1, sizeof(*tids));
	memcpy(tids, m->ended, *count * sizeof(*tids));
	qsort(tids, *count, sizeof(*tids), compare_tids);
	return tids;
}

bool
model_has_ended(const struct model *m, uint32_t task, int tid, const int *ended, size_t count)
{
	if (task != 0)
		return m->tasks[task].died_ns != 0 && m->tasks[task].living == 0;
	return bsearch(&tid, ended, count, sizeof(*ended), compare_tids) != NULL;
}
