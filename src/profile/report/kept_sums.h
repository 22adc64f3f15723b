/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_KEPT_SUMS_H
#define PTOP_PROFILE_REPORT_KEPT_SUMS_H
/*
 * The sums of rows (share.h) as they were at the reports before, so that the next one needs no walk
 * over all of its window: units of time that came in are added, those that left are subtracted.  Of
 * the last few places that were shown.  All is whole numbers: what is kept is what a walk finds.
 *
 * Nobody need tell what has changed.  Each report asks each entry anew which row it is of: if that
 * is not what it was, the sums are made from nothing.  So they are where entries have other ids and
 * nobody told which, or entries of two rows became one.
 *
 * What a place takes: some 550 bytes for each row that had anything in two minutes, 4 for each
 * entry of the hot table.  More rows than KEPT_ROWS_MAX are not kept.  Engine thread only.
 */
#include <stddef.h>
#include <stdint.h>

enum { KEPT_ROWS_MAX = 16 << 10 };

struct kept_sums;
struct profile;

struct kept_sums *kept_sums_new(void);

/* As profile.hot_moved is called: what is kept stays that of the entries, under their new ids. */
void kept_sums_renumber(void *sums, const struct profile *p, const uint32_t *map, size_t len);

size_t kept_sums_bytes(const struct kept_sums *s);
void kept_sums_free(struct kept_sums *s); /* NULL is allowed */

#endif
