/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_RECORDING_KNOWN_LOOK_H
#define PTOP_ENGINE_RECORDING_KNOWN_LOOK_H
/*
 * Looks as they were kept, with the chain in place of the copy of the stack: a thread that waits
 * where it did is unwound no more, and only time and period of its next look are another's.
 * Bounded: the newest are known.  Zero-initialise to begin.  Engine thread only.
 */
#include "base/index.h"
#include "base/reader.h"

enum { KNOWN_LOOKS = 16384, KNOWN_LOOKS_BYTES = 16 << 20 };

struct known_look {
	uint64_t asked; /* the tag of the look as it comes, */
	uint64_t tag;   /* and as it is kept */
	uint8_t *bytes;
	size_t len;
};

struct known_looks {
	struct known_look *items; /* from 0; NULL: there was none yet */
	size_t next;              /* the place of the next one: that which is there is the oldest */
	size_t bytes;
	struct index index;       /* of asked: place from 1 */
};

/* @whole is copied. */
void known_looks_add(struct known_looks *k, uint64_t asked, uint64_t tag, struct bytes whole);

/* NULL: it is not known.  Until the next one is added. */
struct known_look *known_looks_find(const struct known_looks *k, uint64_t asked);

void known_looks_release(struct known_looks *k);

size_t known_looks_held(const struct known_looks *k);
size_t known_looks_bound(void); /* the most that it can be */

#endif
