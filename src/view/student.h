/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_STUDENT_H
#define PTOP_VIEW_STUDENT_H
/*
 * Student's t distribution: how likely a mean is so many standard errors off by chance, where the
 * error itself is an estimate.  Pure; any thread.
 */

/*
 * The probability that |t| is as large as this or larger, with @df degrees of freedom, above 0.
 * Infinite @df: of the normal distribution.
 */
double student_tail(double t, double df);

/* The t of which student_tail() is @p, above 0 and at most 1. */
double student_quantile(double p, double df);

#endif
