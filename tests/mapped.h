/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_MAPPED_H
#define PTOP_TESTS_MAPPED_H
/* How much memory the test has.  After cmocka.h. */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "tests/run.h"
#include "tests/skip.h"

/* The first line of a test that uses it. */
static inline void
need_mapped_bytes(void)
{
	if (IS_SANITIZED)
		skip_for("a sanitizer keeps what is freed, and tells of leaks itself");
}

/* All that is mapped: what is left behind was hardly used. */
static inline long
mapped_bytes(void)
{
	struct buf b = { 0 };
	long pages;

	assert_int_equal(file_read("/proc/self/statm", &b, 4096), 0);
	pages = strtol(buf_str(&b), NULL, 10);
	buf_release(&b);
	return pages * sysconf(_SC_PAGESIZE);
}

#endif
