/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_ASSERTS_H
#define PTOP_TESTS_ASSERTS_H
/* Numbers that are not as they should be are told.  After cmocka.h. */

/* assert_that(samples, >, 10): of integers up to 2^53, and of fractions. */
#define assert_that(a, op, b)                                                                 \
	do {                                                                                  \
		const double that_a = (double)(a), that_b = (double)(b);                      \
                                                                                              \
		if (!(that_a op that_b))                                                      \
			fail_msg("%.15g %s %.15g: %s %s %s", that_a, #op, that_b, #a, #op, #b); \
	} while (0)

/* As far as @tolerance from @want, not farther. */
#define assert_within(value, want, tolerance)                                                 \
	do {                                                                                  \
		const double within_value = (double)(value), within_want = (double)(want);    \
		const double within_by = (double)(tolerance);                                 \
                                                                                              \
		if (!(within_value >= within_want - within_by &&                              \
		      within_value <= within_want + within_by))                               \
			fail_msg("%s is %.15g, not %.15g within %.15g", #value, within_value, \
				 within_want, within_by);                                     \
	} while (0)

/*
 * Samples of a clock at @hz of who used @used_s of CPU time: ptop's own start, in which it takes
 * none, is among them, longer on a busy machine.
 */
#define CLOCK_SAMPLES_LEAST(used_s, hz) ((used_s) * (hz) / 10)
#define assert_clock_samples(samples, used_s, hz) \
	assert_that(samples, >, CLOCK_SAMPLES_LEAST(used_s, hz))

#endif
