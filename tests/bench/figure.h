/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_BENCH_FIGURE_H
#define PTOP_TESTS_BENCH_FIGURE_H
/*
 * What was measured, and the lines that say so: a figure a line, what it is, perf's value, ptop's,
 * their ratio, the limit, and "ok" or "MISSED" at the end.
 */
#include <stddef.h>

enum { SERIES_MAX = 1024 };

/* Values of the same thing. */
struct series {
	double values[SERIES_MAX];
	size_t len;
};

void series_add(struct series *s, double value); /* what is too much is left out */

/* The value below which @percent of the values lie; 50 is the median.  NAN: there are none. */
double series_percentile(struct series *s, double percent);

/* Between these the median of what the values are of lies, by 19 of 20 such series. */
void series_interval(struct series *s, double *low, double *high);

enum figure_rule {
	FIGURE_INFO,  /* no limit */
	FIGURE_MOST,  /* ptop's value is at most the limit */
	FIGURE_PART,  /* at most one @limit-th of perf's */
	FIGURE_TIMES, /* at most @limit times @base, ptop's own value in another case */
};

/*
 * Values are NAN where there are none: perf is missing, or it did not happen.  @base, if there is one,
 * is what the ratio is to in the place of perf's.
 */
struct figure {
	const char *what, *unit;
	enum figure_rule rule;
	double perf, ptop, limit, base;
};

void figure_print(const struct figure *f);

/* The median of @s as ptop's value, its largest in the text. */
void figure_print_series(struct figure f, struct series *s);

#endif
