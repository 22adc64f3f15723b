/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_UNWIND_FIXTURE_H
#define PTOP_TESTS_UNWIND_FIXTURE_H
/* Rules of files, for tests of unwinding: everything asserts. */
#include "symbol/unwind/cfi_compile.h"
#include "symbol/unwind/unwind.h"
#include "symbol/unwind/unwind_impl.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The rules of a file; NULL: it has none, as @err says. */
static inline struct unwind_rules *
rules_of(const char *path, struct err *err)
{
	struct unwind_rules *rules = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC), block;
	struct elf_file f;

	if (fd < 0)
		fail_msg("cannot open %s", path);
	assert_int_equal(elf_file_open(&f, fd, err), 0);
	block = cfi_compile(&f, NULL, err);
	if (block >= 0) {
		rules = unwind_rules_open(block, err);
		/* What is made has to pass the check. */
		if (rules == NULL)
			fail_msg("%s: %s", path, err->text);
	}
	elf_file_close(&f);
	close(fd);
	return rules;
}

/* The file of this process that has @part in its path.  false: none. */
static inline bool
mapped_file(const char *part, char *path, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	bool found = false;
	char line[1024];

	assert_non_null(maps);
	while (!found && fgets(line, sizeof(line), maps) != NULL) {
		const char *slash = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		found = slash != NULL && strstr(slash, part) != NULL;
		if (found)
			snprintf(path, size, "%s", slash);
	}
	fclose(maps);
	return found;
}

#endif
