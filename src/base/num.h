/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_NUM_H
#define PTOP_BASE_NUM_H
/*
 * Numbers, and yes or no, as people write them.  All return false, and leave *@out alone, on
 * anything that is not wholly of that kind.
 */
#include "base/util.h"

bool num_u64(const char *s, uint64_t *out);    /* decimal */
bool num_double(const char *s, double *out);   /* decimal, finite, point */
bool num_size(const char *s, uint64_t *bytes); /* 24M, 512K, 1G, 4096 */
bool num_bool(const char *s, bool *out);       /* yes, no; on, off; true, false; 1, 0 */

/*
 * "0-3,8" as the kernel prints lists (cpulist).  Appends to *@items (free with free()); numbers
 * above @max are refused, as are more than @max + 1 of them.  Blanks and a newline at the end are
 * allowed.
 */
bool num_list(const char *s, unsigned max, unsigned **items, size_t *len);

#endif
