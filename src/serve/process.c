/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/process.h"

#include "base/file.h"
#include "base/num.h"
#include "live/proc/cgroup_list.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { COMM_MAX = 64 }; /* kernel threads have more than 15 bytes */

/* The entries of /proc that are numbers are processes, and none of their threads. */
static bool
fits(const char *pid, const char *name)
{
	struct buf comm = { 0 };
	char path[300];
	uint64_t n;
	bool res;

	if (!num_u64(pid, &n))
		return false;
	if (strcmp(pid, name) == 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file_read(path, &comm, COMM_MAX);
	if (comm.len > 0 && comm.data[comm.len - 1] == '\n')
		comm.data[--comm.len] = '\0';
	res = comm.len > 0 && fnmatch(name, buf_str(&comm), 0) == 0;
	buf_release(&comm);
	return res;
}

bool
process_is_here(const char *name)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	bool found = false;

	while (dir != NULL && !found && (d = readdir(dir)) != NULL)
		found = fits(d->d_name, name);
	if (dir != NULL)
		closedir(dir);
	return found;
}

bool
cgroup_is_here(const char *path)
{
	struct cgroup_list_msg *m = cgroup_list_read();
	bool found = m->count == 0;

	for (size_t i = 0; i < m->count && !found; i++)
		found = strcmp(m->items[i].path, path) == 0 || fnmatch(path, m->items[i].path, 0) == 0;
	m->msg.free(&m->msg);
	return found;
}
