/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SKIP_H
#define PTOP_TESTS_SKIP_H
/* After cmocka.h. */
#include <config.h>

/* Ends the test as skipped; run-tap takes the reason along.  As printf(), but for the newline. */
#define skip_for(...)                            \
	do {                                     \
		print_message("# " __VA_ARGS__); \
		print_message("\n");             \
		skip();                          \
	} while (0)

/* For tests of formats that are written, or read, by it. */
#ifdef HAVE_JANSSON
#define need_jansson() ((void)0)
#else
#define need_jansson() skip_for("built without jansson")
#endif

/* The same of pprof. */
#ifdef HAVE_ZLIB
#define need_zlib() ((void)0)
#else
#define need_zlib() skip_for("built without zlib")
#endif

#endif
