/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_owner.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"

/*
 * The owner of the directory is the effective user, also when the process is not dumpable: then
 * its files belong to root.
 */
int
proc_owner_of(int proc_fd, int pid, uint32_t *uid)
{
	char path[16];
	struct stat st;

	snprintf(path, sizeof(path), "%d", pid);
	if (fstatat(proc_fd, path, &st, 0) < 0)
		return errno == ENOENT ? ESRCH : errno;
	*uid = st.st_uid;
	return 0;
}

struct proc_owner_msg *
proc_owner_error(int pid, int error)
{
	struct proc_owner_msg *m = msg_new(sizeof(*m), PROC_MSG_OWNER, NULL);

	m->pid = pid;
	m->error = error;
	return m;
}

struct proc_owner_msg *
proc_owner_read(int proc_fd, int pid)
{
	struct proc_owner_msg *m = proc_owner_error(pid, 0);

	m->clock_ns = clock_mono_ns();
	m->error = proc_owner_of(proc_fd, pid, &m->uid);
	return m;
}
