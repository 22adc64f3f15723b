/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"

#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *
from_env(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? value : otherwise;
}

const char *
load_built(char path[LOAD_PATH_MAX], const char *name)
{
	snprintf(path, LOAD_PATH_MAX, "%s/tests/%s", from_env("top_builddir", "."), name);
	return path;
}

const char *
load_source(char path[LOAD_PATH_MAX], const char *name)
{
	snprintf(path, LOAD_PATH_MAX, "%s/tests/%s", from_env("top_srcdir", "."), name);
	return path;
}

const char *
load_ptop(void)
{
	return from_env("PTOP", "./ptop");
}

bool
load_has_perf(void)
{
	return system("perf --version >/dev/null 2>&1") == 0;
}

const char *
load_scratch(char path[LOAD_PATH_MAX], const char *name)
{
	snprintf(path, LOAD_PATH_MAX, "%s/%s", from_env("BENCH_TMP", "/tmp"), name);
	return path;
}

void
load_new_cache(char env[LOAD_PATH_MAX])
{
	static const char name[] = "XDG_CACHE_HOME=";

	snprintf(env, LOAD_PATH_MAX, "%s%s/cache-XXXXXX", name, from_env("BENCH_TMP", "/tmp"));
	if (mkdtemp(env + strlen(name)) == NULL)
		die("cannot make '%s': %s", env + strlen(name), strerror(errno));
}

pid_t
load_start(const char *path, const char *arg)
{
	return load_start_with(path, arg, NULL);
}

pid_t
load_start_with(const char *path, const char *arg, const char *more)
{
	const char *slash = strrchr(path, '/');
	pid_t pid;

	if (access(path, X_OK) != 0)
		die("cannot run '%s': %s", path, strerror(errno));
	/* Its children come to the benchmark when it ends: load_end() sees the last of them. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		/* A group of its own, so that its children can be ended with it. */
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		execl(path, slash != NULL ? slash + 1 : path, arg, more, (char *)NULL);
		_exit(127);
	}
	setpgid(pid, pid);
	return pid;
}

void
load_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(-pid, SIGKILL);
	while (waitpid(-pid, NULL, 0) > 0)
		;
}
