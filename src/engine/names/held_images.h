/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_NAMES_HELD_IMAGES_H
#define PTOP_ENGINE_NAMES_HELD_IMAGES_H
/*
 * Which files' symbols can wait, while there is little time for them: those that have less than a
 * thousandth of the samples that were taken since the file was first hit, for ten seconds at most.
 * Zero-initialise to begin.  Engine thread only.
 */
#include "base/util.h"

struct profile;

struct held_images {
	struct held_image {
		uint64_t since_ns; /* it has been wanted since; 0: it is not */
		uint64_t before;   /* samples of all files by then, */
		uint64_t samples;  /* and now of this one */
	} *items; /* by dso */
	size_t cap;
	uint64_t all;     /* samples, when they were last counted */
	uint64_t next_ns; /* then they are counted again */
};

/* Looks how many samples each has, unless that was done just now. */
void held_images_count(struct held_images *h, const struct profile *p, uint64_t now_ns);

/* The symbols of @dso are wanted.  Whether they can wait. */
bool held_images_wait(struct held_images *h, uint32_t dso, uint64_t now_ns);

/* The symbols of @dso have been asked for: they wait no more. */
void held_images_end(struct held_images *h, uint32_t dso);

void held_images_release(struct held_images *h);

#endif
