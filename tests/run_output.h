/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_RUN_OUTPUT_H
#define PTOP_TESTS_RUN_OUTPUT_H
/* What a program writes, for tests that cannot go on if it fails. */
#include "tests/run.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/wait.h>

/* Its standard output, to be freed; the test fails if its status is not 0. */
static inline char *
run_output(unsigned seconds, char *const argv[])
{
	struct run_result r;
	char *text;

	run_program(&r, seconds, argv);
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 0)
		fail_msg("%s: %s", argv[0], r.err);
	text = r.out;
	r.out = NULL;
	run_release(&r);
	return text;
}

#endif
