/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_STACK_LOADS_H
#define PTOP_TESTS_STACK_LOADS_H
/*
 * Programs with deep stacks, in the background: those of tests/loads/ by their names, "python3", a
 * script that recurs, sorts and calls back, and "rust", compiled when it is asked for.
 */
#include <sys/types.h>

/*
 * -1: it cannot run here, and it was said why.  What has to be written for it goes to the folder
 * @dir, as "load.rs" and "load".  Ends with run_end().
 */
pid_t stack_load(const char *name, const char *dir);

#endif
