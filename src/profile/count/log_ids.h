/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_LOG_IDS_H
#define PTOP_PROFILE_COUNT_LOG_IDS_H
/*
 * Numbers that the log has for the entries of one table.  A fold renumbers the table, and then these
 * alone: what a day of intervals holds is not touched.  A number is given back when no interval names
 * it any more.  Two numbers can come to mean one entry.  Engine thread only.
 */
#include "base/util.h"

struct log_id {
	uint32_t entry;  /* of a number that is free: the next free one */
	uint32_t refs;   /* intervals that name it, */
	uint32_t merged : 31; /* of these such as were merged: they keep an entry that nothing else does */
	uint32_t is_twin : 1; /* another number means the same entry */
};

/* Zero-initialise to begin. */
struct log_ids {
	struct log_id *items; /* by number; [0] is not used */
	size_t len, cap;
	uint32_t free;        /* the first of those, 0: none */
	uint32_t *numbers;    /* by entry, 0: it has none */
	size_t number_cap;
	size_t live, kept;    /* numbers in use; entries that merged intervals name */
};

/* The number of @entry, made if it is new; one more interval names it. */
uint32_t log_ids_name(struct log_ids *ids, uint32_t entry, bool is_merged);

/* One interval less does. */
void log_ids_drop(struct log_ids *ids, uint32_t number, bool is_merged);

static inline uint32_t
log_ids_entry(const struct log_ids *ids, uint32_t number)
{
	return ids->items[number].entry;
}

/* The number that log_ids_name() would give, 0: a new one. */
static inline uint32_t
log_ids_number(const struct log_ids *ids, uint32_t entry)
{
	return entry < ids->number_cap ? ids->numbers[entry] : 0;
}

/* Whether merged intervals name the entry. */
static inline bool
log_ids_is_kept(const struct log_ids *ids, uint32_t entry)
{
	return ids->items != NULL && ids->items[log_ids_number(ids, entry)].merged > 0;
}

/* What was entry x is @map[x] now. */
void log_ids_renumber(struct log_ids *ids, const uint32_t *map);

/* Sets @marks[entry] of each that has a number; the others stay. */
void log_ids_mark(const struct log_ids *ids, uint8_t *marks);

size_t log_ids_bytes(const struct log_ids *ids);
void log_ids_release(struct log_ids *ids);

#endif
