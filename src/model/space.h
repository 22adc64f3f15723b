/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_MODEL_SPACE_H
#define PTOP_MODEL_SPACE_H
/*
 * An address space: its executable maps, in rising order, never overlapping.  A forked process
 * shares its parent's space until one of the two changes it (copy on write).  Engine thread only.
 */
#include "model/dso.h"

struct map {
	uint64_t start, end, pgoff;
	uint32_t dso;
};

/* What is taken from an address for its place in the dso: the vdso's is as it lies in memory. */
static inline uint64_t
map_bias(const struct map *map)
{
	bool is_vdso = map->dso == DSO_ID_VDSO || map->dso == DSO_ID_VDSO32;

	return map->start - (is_vdso ? 0 : map->pgoff);
}

enum space_state {
	SPACE_UNREAD,   /* nothing is known but what records brought since the start */
	SPACE_ASKED,    /* the /proc reader has been asked */
	SPACE_KNOWN,    /* whole: from /proc, or from records since its exec */
	SPACE_DOUBTFUL, /* records were lost: to be read again at the next sample */
	SPACE_LOST,     /* it cannot be read: its process is gone, or may not be looked at */
};

/* From here on a space is large: programs that nobody attacks with have a few hundred. */
enum { SPACE_LARGE = 512 };

/* What spaces cost together, in maps. */
struct space_costs {
	size_t held;     /* all have, of 32 bytes each */
	uint64_t second; /* in which so many were moved, or copied, */
	size_t moved;    /* for changes of large ones */
};

struct space {
	unsigned refs;
	enum space_state state;
	uint32_t id;         /* unique for ever: a key of caches */
	uint32_t generation; /* changes only when a map really changes */
	uint64_t changed_ns; /* time of the last record that changed it */
	uint64_t again_ns;   /* not to be read again before: it takes long */
	uint32_t told;       /* the round of telling recordings of it: known_state.c */
	struct space_costs *costs; /* NULL: nobody counts */
	bool is_unrecorded;  /* read from /proc: no record has its maps yet */
	bool has_code;       /* or had, executable memory without a file */
	bool is_denied;      /* SPACE_LOST since its process may not be looked at */
	bool is_followed;    /* one of the references is of who waits for an answer: it may change all the same */
	struct map *maps;
	size_t len, cap;
};

struct space *space_new(uint32_t id, enum space_state state, struct space_costs *costs);
struct space *space_copy(const struct space *s, uint32_t id); /* one reference, same state */
struct space *space_get(struct space *s);
void space_put(struct space *s); /* NULL is allowed; the last frees */

/* Whether a change of it is one of more than one process, or of what a question is about. */
static inline bool
space_is_shared(const struct space *s)
{
	return s->refs > 1u + s->is_followed;
}

/* The map that contains @addr, NULL if none does.  Valid until the space changes. */
const struct map *space_find(const struct space *s, uint64_t addr);

/* Whether adding @map would change anything: a JIT's mprotect sends the same map again. */
bool space_would_change(const struct space *s, const struct map *map);

/* Puts @map in, cutting what it covers out of older maps. */
void space_add(struct space *s, const struct map *map);

void space_clear(struct space *s);

#endif
