/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_RC_FOLDER_H
#define PTOP_TESTS_RC_FOLDER_H
/* A folder for the configuration of a ptop, and for what it remembers.  For tests only. */
#include "tests/fake_root.h"

struct rc_folder {
	char root[FAKE_ROOT_BYTES];
	char config[96], state[96]; /* as an environment names it */
};

/* As nobody else can have written it, whatever the umask is. */
static inline void
rc_folder_write(const struct rc_folder *f, const char *name, const char *text)
{
	char path[FAKE_ROOT_BYTES + 32];

	snprintf(path, sizeof(path), "ptop/%s", name);
	fake_root_write(f->root, path, text);
	snprintf(path, sizeof(path), "%s/ptop/%s", f->root, name);
	assert_int_equal(chmod(path, 0600), 0);
}

/*
 * Makes a new one, with the configuration @text, not for the first start; NULL: with nothing.  Must be
 * within a test.
 */
static inline void
rc_folder_make(struct rc_folder *f, const char *text)
{

	assert_true(fake_root_make(f->root));
	snprintf(f->config, sizeof(f->config), "XDG_CONFIG_HOME=%s", f->root);
	snprintf(f->state, sizeof(f->state), "XDG_STATE_HOME=%s", f->root);
	if (text == NULL)
		return;
	rc_folder_write(f, "ptoprc", text);
	rc_folder_write(f, "last", "");
}

/* What is in the file @name of ptop's own. */
static inline void
rc_folder_read(const struct rc_folder *f, const char *name, char *text, size_t size)
{
	char path[FAKE_ROOT_BYTES + 32];
	FILE *file;

	snprintf(path, sizeof(path), "%s/ptop/%s", f->root, name);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

static inline void
rc_folder_remove(const struct rc_folder *f)
{
	assert_int_equal(fake_root_remove(f->root), 0);
}

#endif
