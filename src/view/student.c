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

static double
beta_part(double x, double a, double b)
{
	bool is_far = x > (a + 1) / (a + b + 2);
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	return is_far ? 1 - front * beta_fraction(1 - x, b, a) / b
		      : front * beta_fraction(x, a, b) / a;
}

double
student_tail(double t, double df)
{
	if (isinf(t))
		return 0;
	if (df >= NORMAL_DF)
		return erfc(fabs(t) / sqrt(2));
	return beta_part(df / (df + t * t), df / 2, 0.5);
}

/* The density at @t. */
static double
density(double t, double df)
{
	if (df >= NORMAL_DF)
		return exp(-t * t / 2) / sqrt(2 * M_PI);
	return exp(log_gamma((df + 1) / 2) - log_gamma(df / 2) -
		   (df + 1) / 2 * log1p(t * t / df)) / sqrt(df * M_PI);
}

/* Newton's steps, within what is known to hold it. */
double
student_quantile(double p, double df)
{
	double low = 0, high = 1, t = 2;

	if (p >= 1)
		return 0;
	while (student_tail(high, df) > p && high < 1e150)
		high *= 4;
	for (int i = 0; i < STEPS_MAX && high - low > 1e-12 * high; i++) {
		double over, step;

		if (t <= low || t >= high)
			t = (low + high) / 2;
		over = student_tail(t, df) - p;
		*(over > 0 ? &low : &high) = t;
		step = over / (2 * density(t, df));
		if (fabs(step) < 1e-13 * t)
			break;
		t += step;
	}
	return t;
}
