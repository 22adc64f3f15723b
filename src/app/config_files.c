/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is outside of the command line: files that it names, servers, the environment. */
#include "app/config_impl.h"

#include "base/own_rights.h"

#include <config.h> /* the one of configure: in quotes it would be that of this folder */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Other threads open it, whatever they take a path for: it is made whole. */
static int
check_named_file(const char *option, char **path, mode_t type, struct err *err)
{
	char *whole = *path != NULL ? realpath(*path, NULL) : NULL;
	struct stat st;

	if (*path == NULL)
		return 0;
	if (whole == NULL || stat(whole, &st) < 0)
		return err_set(err, ERR_GONE, errno, "%s: cannot open '%.200s'", option, *path);
	free(*path);
	*path = whole;
	if ((st.st_mode & S_IFMT) == type)
		return 0;
	return err_set(err, ERR_GONE, 0, "%s: '%.200s' is not a %s", option, whole,
		       type == S_IFDIR ? "folder" : "file");
}

static int
check_named_files(struct config *c, struct err *err)
{
	const struct {
		const char *option;
		char **path;
		mode_t type;
	} rows[] = {
		{ "--vmlinux", &c->engine.vmlinux, S_IFREG },
		{ "--kallsyms", &c->engine.kallsyms, S_IFREG },
		{ "--symfs", &c->engine.symfs, S_IFDIR },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (check_named_file(rows[i].option, rows[i].path, rows[i].type, err) < 0)
			return -1;
	for (char **dir = c->engine.source_dirs; dir != NULL && *dir != NULL; dir++)
		if (check_named_file("--source-dir", dir, S_IFDIR, err) < 0)
			return -1;
	return 0;
}

int
config_check_files(struct config *c, struct err *err)
{
	struct own_rights kept;
	int res;

	own_rights_begin(&kept);
	res = check_named_files(c, err);
	own_rights_end(&kept);
	return res;
}

int
config_check_copies(const struct config *c, struct err *err)
{
	if (!c->engine.raw_stacks || !own_rights_are_lent())
		return 0;
	err_set(err, ERR_DENIED, 0, "--raw-stacks: not with capabilities of ptop's file");
	return err_hint(err, "copies of others' stacks are what they have in memory, secrets, too: sudo ptop ..., or "
			"use a copy of it without them");
}

/* Whose libraries would otherwise ask the servers by themselves, and wait. */
#define SERVERS "DEBUGINFOD_URLS"

int
config_check_servers(struct config *c, struct err *err)
{
	const char *env = getenv(SERVERS);

	if (!c->engine.debuginfod)
		return 0;
#ifndef HAVE_DEBUGINFOD
	return err_set(err, ERR_UNSUPPORTED, 0, "--debuginfod: ptop was built without it");
#endif
	if (own_rights_are_lent()) {
		err_set(err, ERR_DENIED, 0, "--debuginfod: not with capabilities of ptop's file");
		return err_hint(err, "downloads are kept in your cache, which such a ptop leaves "
				"alone: sudo ptop ..., or use a copy of it without them");
	}
	if (c->engine.debuginfod_urls == NULL && env != NULL && env[strspn(env, " ")] != '\0')
		c->engine.debuginfod_urls = mem_strdup(env);
	if (c->engine.debuginfod_urls != NULL)
		return 0;
	err_set(err, ERR_GONE, 0, "--debuginfod: no server is named");
	return err_hint(err, "--debuginfod=https://debuginfod.elfutils.org, or " SERVERS
			" in the environment, which sudo takes out of it");
}

/* What libraries or ptop take for names of files and folders: not for rights that are lent. */
static const char *const file_variables[] = {
	"HOME", "XDG_CACHE_HOME", "DEBUGINFOD_CACHE_PATH",
	"TERMINFO", "TERMINFO_DIRS", "TERMCAP", "TERMPATH",
};

void
config_hide_environment(struct config *c)
{
	size_t count = 0;

	while (environ[count] != NULL)
		count++;
	c->engine.command_env = mem_calloc(count + 1, sizeof(*c->engine.command_env));
	memcpy(c->engine.command_env, environ, count * sizeof(*c->engine.command_env));
	unsetenv(SERVERS);
	for (size_t i = 0; own_rights_are_lent() && i < ARRAY_SIZE(file_variables); i++)
		unsetenv(file_variables[i]);
}
