/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_PERSON_H
#define PTOP_TESTS_PERSON_H
/*
 * Programs run as somebody with fewer rights than root: the test program itself, called with
 * PERSON_OPTION, becomes that one and executes the rest of its arguments.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PERSON_OPTION "--as"

enum { PERSON_NOBODY = 65534, PERSON_ARGS_MAX = 32 };

/* If @argv asks for a person, does not return.  First of all in main(). */
void person_main(char **argv);

/* The call of @argv as @who, "nobody" for one; valid until the next call. */
char *const *person_call(const char *who, char *const argv[]);

/* @argv runs as @who in the background, until run_end() or this program's end. */
pid_t person_start(const char *who, char *const argv[]);

/*
 * Set-up and teardown of a group of tests.  Root has kernel.perf_event_paranoid to itself, see
 * tests/paranoid.h, and a folder that everybody can enter, with copies of ptop ("ptop") and of a
 * load, called "mine" and "theirs".
 */
int person_begin(void **state);
int person_end(void **state);
const char *person_dir(void); /* that folder; NULL: not root */
/* tests/loads/@load, as @name in that folder. */
bool person_copy_load(const char *load, const char *name);

/* Gives a file the capabilities (bits), permitted and effective, as setcap(8) does. */
bool person_set_file_caps(const char *path, unsigned long long caps);
void person_drop_file_caps(const char *path);

#endif
