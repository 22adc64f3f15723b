/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/histogram.h"

#include <math.h>

enum { SUBS = 1 << HISTOGRAM_SUB_BITS };

/* Steps 0 to 2 * SUBS - 1 are values themselves, each power of two above has SUBS of them. */
static size_t
step_of(uint64_t value)
{
	unsigned shift;

	if (value < SUBS)
		return (size_t)value;
	shift = 63U - (unsigned)__builtin_clzll(value) - HISTOGRAM_SUB_BITS;
	return ((size_t)shift << HISTOGRAM_SUB_BITS) + (size_t)(value >> shift);
}

/* The middle of the values of a step. */
static uint64_t
value_of(size_t step)
{
	size_t shift = step < 2 * SUBS ? 0 : (step >> HISTOGRAM_SUB_BITS) - 1;
	uint64_t low = (uint64_t)(step - (shift << HISTOGRAM_SUB_BITS)) << shift;

	return low + ((UINT64_C(1) << shift) - 1) / 2;
}

void
histogram_add(struct histogram *h, uint64_t value)
{
	uint32_t *step = &h->steps[step_of(value)];

	h->min = h->count == 0 ? value : MIN(h->min, value);
	h->max = MAX(h->max, value);
	h->count++;
	*step += *step < UINT32_MAX;
}

uint64_t
histogram_quantile(const struct histogram *h, double part)
{
	double want = ceil(part * (double)h->count);
	uint64_t seen = 0;

	for (size_t i = 0; i < HISTOGRAM_STEPS; i++) {
		seen += h->steps[i];
		if (h->steps[i] > 0 && (double)seen >= want)
			return MAX(h->min, MIN(h->max, value_of(i)));
	}
	return h->max;
}

uint64_t
histogram_octave(const struct histogram *h, unsigned power)
{
	size_t from = power == 0 ? 0 : step_of(UINT64_C(1) << power);
	size_t to = power >= 63 ? HISTOGRAM_STEPS : step_of(UINT64_C(2) << power);
	uint64_t sum = 0;

	for (size_t i = from; i < to; i++)
		sum += h->steps[i];
	return sum;
}
