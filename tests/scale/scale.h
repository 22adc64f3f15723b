/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SCALE_SCALE_H
#define PTOP_TESTS_SCALE_SCALE_H
/*
 * How large the machine is that never was, and what it does.  Rates are by the second of its time.
 * The same numbers give the same records, byte for byte.
 */
#include <stdint.h>

enum {
	SCALE_TEXT_AT = 0x1000,       /* offset of the code in each image, and its lowest address */
	SCALE_FUNCTION_BYTES = 64,    /* of each function */
	SCALE_MAPS = 2,               /* of each process: its program, and the library */
};

struct scale {
	uint64_t cpus, tasks, threads; /* tasks of all processes; threads of each of them */
	uint64_t programs, functions;  /* functions of all images together */
	uint64_t samples, seconds;
	uint64_t forks, execs, mmaps; /* with each fork another process ends */
	uint64_t depth; /* frames of a user's call chain, 0: there are no chains */
	uint64_t seed;
	const char *images; /* the folder where the binaries are put, NULL: there are none */
};

/* Of each image. */
static inline uint64_t
scale_functions(const struct scale *s)
{
	return (s->functions + s->programs) / (s->programs + 1);
}

/* A number from 0 on, in some order that the seed chose: splitmix64. */
static inline uint64_t
scale_mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

struct scale_random {
	uint64_t state;
};

/* Below @n, which is not 0. */
static inline uint64_t
scale_random(struct scale_random *r, uint64_t n)
{
	return scale_mix(r->state++) % n;
}

/*
 * Below @n, as tasks run and functions are called: 0 as often as 1 and 2 together, as 3 to 6
 * together, and so on (Zipf's law).
 */
static inline uint64_t
scale_skewed(struct scale_random *r, uint64_t n)
{
	uint64_t bits = 64 - (uint64_t)__builtin_clzll(n), value;

	do {
		uint64_t low = UINT64_C(1) << scale_random(r, bits);

		value = low - 1 + scale_random(r, low);
	} while (value >= n);
	return value;
}

#endif
