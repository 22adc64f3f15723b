/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "figure.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_MAX = 16, WHAT_MAX = 128 };

void
series_add(struct series *s, double value)
{
	if (s->len < SERIES_MAX)
		s->values[s->len++] = value;
}

/* What did not happen comes last. */
static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x > y) - (x < y);
}

double
series_percentile(struct series *s, double percent)
{
	size_t at = (size_t)ceil((double)s->len * percent / 100);

	if (s->len == 0)
		return NAN;
	qsort(s->values, s->len, sizeof(s->values[0]), by_value);
	return s->values[at > 0 ? at - 1 : 0];
}

/* By ranks: it is all the same how the values are spread. */
void
series_interval(struct series *s, double *low, double *high)
{
	double n = (double)s->len, reach = 0.98 * sqrt(n); /* half of 1.96 */
	double from = fmax(floor(n / 2 - reach), 1), to = fmin(ceil(n / 2 + 1 + reach), n);

	*low = series_percentile(s, from * 100 / n);
	*high = series_percentile(s, to * 100 / n);
}

static void
put_value(char out[TEXT_MAX], double value)
{
	if (isnan(value))
		snprintf(out, TEXT_MAX, "-");
	else
		snprintf(out, TEXT_MAX, "%.*f", fabs(value) < 100 ? 2 : 0, value);
}

static double
ratio_of(const struct figure *f)
{
	double to = f->rule == FIGURE_TIMES || f->base > 0 ? f->base : f->perf;

	return to > 0 ? f->ptop / to : NAN;
}

static void
put_ratio(char out[TEXT_MAX], double ratio)
{
	if (isnan(ratio) || ratio <= 0)
		snprintf(out, TEXT_MAX, "-");
	else if (ratio < 0.5)
		snprintf(out, TEXT_MAX, "1/%.1f", 1 / ratio);
	else
		snprintf(out, TEXT_MAX, "x %.2f", ratio);
}

static void
put_limit(char out[TEXT_MAX], const struct figure *f)
{
	static const char *const signs[] = {
		[FIGURE_MOST] = "",
		[FIGURE_PART] = "1/",
		[FIGURE_TIMES] = "x ",
	};

	if (f->rule == FIGURE_INFO)
		snprintf(out, TEXT_MAX, "-");
	else
		snprintf(out, TEXT_MAX, "%s%g", signs[f->rule], f->limit);
}

static const char *
verdict(const struct figure *f)
{
	bool ok = false;

	switch (f->rule) {
	case FIGURE_INFO:
		return "";
	case FIGURE_MOST:
		ok = f->ptop <= f->limit;
		break;
	case FIGURE_PART:
		if (isnan(f->perf))
			return "no perf";
		ok = f->ptop * f->limit <= f->perf;
		break;
	case FIGURE_TIMES:
		ok = f->ptop <= f->base * f->limit;
		break;
	}
	return ok ? "ok" : "MISSED";
}

static void
print_columns(const char *what, const char *const cells[5], const char *end)
{
	printf("%-70s %9s %9s %5s %8s %8s  %s\n", what, cells[0], cells[1], cells[2], cells[3],
	       cells[4], end);
}

void
figure_print(const struct figure *f)
{
	char perf[TEXT_MAX], ptop[TEXT_MAX], ratio[TEXT_MAX], limit[TEXT_MAX];

	put_value(perf, f->perf);
	put_value(ptop, f->ptop);
	put_ratio(ratio, ratio_of(f));
	put_limit(limit, f);
	print_columns(f->what, (const char *const[]){ perf, ptop, f->unit, ratio, limit },
		      verdict(f));
}

void
figure_print_series(struct figure f, struct series *s)
{
	char what[WHAT_MAX];

	snprintf(what, sizeof(what), "%s (max %.1f)", f.what, series_percentile(s, 100));
	f.what = what;
	f.ptop = series_percentile(s, 50);
	figure_print(&f);
}
