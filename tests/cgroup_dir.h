/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_CGROUP_DIR_H
#define PTOP_TESTS_CGROUP_DIR_H
/* A control group of the second version with a program in it that burns CPU.  After cmocka.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "tests/run.h"
#include "tests/skip.h"

struct cgroup_dir {
	char path[512];
	char name[256]; /* as rows show it */
	int child;
};

/* A place for one called @name; of the first version, perf has a hierarchy seldom.  false: there is none. */
static inline bool
cgroup_find(struct cgroup_dir *g, const char *name)
{
	static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char probe[300];

	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		snprintf(probe, sizeof(probe), "%s/cgroup.procs", roots[i]);
		snprintf(g->name, sizeof(g->name), "/%s", name);
		snprintf(g->path, sizeof(g->path), "%s%s", roots[i], g->name);
		if (access(probe, W_OK) == 0)
			return true;
	}
	return false;
}

static inline void
cgroup_choose(struct cgroup_dir *g, const char *name)
{
	if (!cgroup_find(g, name))
		skip_for("no hierarchy of control groups that can be written to");
}

/* This process goes into it, which is made if it is not there. */
static inline bool
cgroup_enter(const struct cgroup_dir *g)
{
	char procs[600];
	FILE *f;

	if (mkdir(g->path, 0755) < 0 && errno != EEXIST)
		return false;
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", g->path);
	f = fopen(procs, "w");
	if (f == NULL)
		return false;
	fprintf(f, "%d", (int)getpid());
	return fclose(f) == 0;
}

/* A child that burns CPU in the group, which it makes after a while. */
static inline void
cgroup_burn(struct cgroup_dir *g, const char *comm, unsigned after_us)
{
	g->child = run_fork();
	if (g->child != 0)
		return;
	prctl(PR_SET_NAME, comm);
	usleep(after_us);
	if (!cgroup_enter(g))
		_exit(1);
	for (;;)
		;
}

static inline void
cgroup_end(struct cgroup_dir *g)
{
	if (g->child > 0) {
		kill(g->child, SIGKILL);
		waitpid(g->child, NULL, 0);
	}
	for (int i = 0; i < 100 && rmdir(g->path) < 0 && errno == EBUSY; i++)
		usleep(20000);
}

#endif
