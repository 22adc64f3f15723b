/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_BENCH_REFRESH_H
#define PTOP_TESTS_BENCH_REFRESH_H
/* The CPU time that it takes to make a report. */
#include "profile/report/report.h"
#include "tests/bench/figure.h"

/* Makes it several times; prints @f with the median of them in ms. */
void refresh_measure(const struct report_source *src, const struct query *q, struct figure f);

#endif
