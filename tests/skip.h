/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SKIP_H
#define PTOP_TESTS_SKIP_H
/* After cmocka.h. */

/* Ends the test as skipped; run-tap takes the reason along.  As printf(), but for the newline. */
#define skip_for(...)                            \
	do {                                     \
		print_message("# " __VA_ARGS__); \
		print_message("\n");             \
		skip();                          \
	} while (0)

#endif
