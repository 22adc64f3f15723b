/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_FAKE_ROOT_H
#define PTOP_TESTS_FAKE_ROOT_H
/* A folder that stands for the root of a machine: what of /proc and /sys a test writes into it. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/asserts.h"

enum { FAKE_ROOT_BYTES = 64 };

/* Makes a new one. */
static inline bool
fake_root_make(char root[FAKE_ROOT_BYTES])
{
	strcpy(root, "/tmp/ptop-root.XXXXXX");
	return mkdtemp(root) != NULL;
}

/* Writes the file @path below it, and the folders that lead there.  Must be within a test. */
static inline void
fake_root_write(const char *root, const char *path, const char *text)
{
	char name[512];
	FILE *file;

	assert_that(snprintf(name, sizeof(name), "%s/%s", root, path), <, (int)sizeof(name));
	for (char *p = name + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(name, 0755);
		*p = '/';
	}
	file = fopen(name, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* 0 if all of it is gone, or it was never made. */
static inline int
fake_root_remove(const char *root)
{
	char command[FAKE_ROOT_BYTES + 16];

	if (*root == '\0')
		return 0;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

#endif
