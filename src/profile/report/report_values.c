/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of each group's row the values that a field of the payload has in it: by how many samples.  A
 * value that is not told as a number (too many of them are one) is none.
 */
#include "profile/report/report_impl.h"
#include "profile/report/report_key.h"

#include <stdlib.h>

struct value {
	uint32_t group; /* from 1, as in report.entry_group */
	uint64_t number, samples;
};

static int
compare(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/*
 * The number that the entry's value is.  false: it is none, or it is of another field, by which samples
 * were told apart before this one was chosen.
 */
static bool
read_value(const struct profile *p, uint32_t id, uint64_t *number)
{
	struct hot_entry e = hot_entry_at(p, id);
	const char *text = strs_get(&p->model->strs, e.label->field);
	char *end;

	if (e.label->field_of != split_asked(&p->split, e.hot->event) || *text < '0' || *text > '9')
		return false;
	*number = strtoull(text, &end, 10);
	return *end == '\0';
}

/* The value that @percent of the @all samples of @v do not exceed. */
static uint64_t
percentile(const struct value *v, uint64_t all, unsigned percent)
{
	uint64_t before = 0;

	while ((before += v->samples) * 100 < all * percent)
		v++;
	return v->number;
}

static void
fill(struct row *row, const struct value *v, size_t len)
{
	uint64_t all = 0;

	for (size_t i = 0; i < len; i++)
		all += v[i].samples;
	row->value_p50 = percentile(v, all, 50) + 1;
	row->value_p99 = percentile(v, all, 99) + 1;
}

void
report_find_values(struct report *r)
{
	const struct profile *p = r->src->profile;
	const struct cells *hot = &p->tables.cells[TABLE_HOT];
	struct value *values = mem_calloc(hot->len + 1, sizeof(*values));
	uint64_t period;
	size_t n = 0;

	for (uint32_t id = 1; id < hot->len; id++) {
		struct value *v = &values[n];

		if (r->entry_group[id] == 0 || !read_value(p, id, &v->number))
			continue;
		v->group = r->entry_group[id];
		profile_window(p, &hot->items[id], &v->samples, &period);
		n += v->samples > 0;
	}
	qsort(values, n, sizeof(*values), compare);
	for (size_t i = 0, len; i < n; i += len) {
		for (len = 1; i + len < n && values[i + len].group == values[i].group;)
			len++;
		fill(&r->rows[values[i].group - 1], &values[i], len);
	}
	free(values);
}
