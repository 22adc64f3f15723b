/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tail is an incomplete beta function, I(df / (df + t^2); df / 2, 1 / 2), by its continued
 * fraction (Lentz's method, DLMF 8.17.22), on the side where that converges fast.
 */
#include "view/student.h"

#include <math.h>
#include <stdbool.h>

#define NORMAL_DF 1e7 /* from here on it is the normal distribution to all digits shown */
#define TINY 1e-300

enum { STEPS_MAX = 500 };

static double
not_zero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* lgamma(3) writes a variable of the whole process. */
static double
log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

static double
beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), sum = d;

	for (int m = 1; m <= STEPS_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		sum *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		sum *= d * c;
		if (fabs(d * c - 1) < 1e-14)
			break;
	}
	return sum;
}

/* What tail and density share that @df alone tells: the log of 1 / B(df / 2, 1 / 2). */
static double
log_factor(double df)
{
	return log_gamma((df + 1) / 2) - log_gamma(df / 2) - log_gamma(0.5);
}

/* The tail beyond @t, above 0, and the density there. */
static double
tail_at(double t, double df, double factor, double *density)
{
	const double a = df / 2, b = 0.5, x = df / (df + t * t);
	double front;

	if (df >= NORMAL_DF) {
		*density = exp(-t * t / 2) / sqrt(2 * M_PI);
		return erfc(t / sqrt(2));
	}
	if (x <= 0 || x >= 1) {
		*density = 0;
		return x <= 0 ? 0 : 1;
	}
	front = exp(factor + a * log(x) + b * log1p(-x));
	*density = front / t;
	return x > (a + 1) / (a + b + 2) ? 1 - front * beta_fraction(1 - x, b, a) / b
					 : front * beta_fraction(x, a, b) / a;
}

double
student_tail(double t, double df)
{
	double density;

	if (isinf(t))
		return 0;
	return tail_at(fabs(t), df, df < NORMAL_DF ? log_factor(df) : 0, &density);
}

/*
 * Newton's steps, within what is known to hold it: the tail is bent such that they come to it from
 * below.  After a small step the next one, its square, is none.
 */
double
student_quantile(double p, double df)
{
	const double factor = df < NORMAL_DF ? log_factor(df) : 0;
	double low = 0, high = INFINITY, t = 2;

	if (p >= 1)
		return 0;
	for (int i = 0; i < STEPS_MAX && high - low > 1e-12 * low; i++) {
		double density, over = tail_at(t, df, factor, &density) - p, next;

		*(over > 0 ? &low : &high) = t;
		next = t + over / (2 * density);
		if (fabs(next - t) < 1e-7 * t)
			return next;
		if (!(next > low && next < high))
			next = isinf(high) ? 4 * t : (low + high) / 2;
		t = next;
	}
	return t;
}
