/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/mount.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/event.h"
#include "event/tracepoint.h"

/*
 * A mount of tracefs that only this process can reach (fsmount(2), kernel 5.2): the machine does
 * not change.  Writable, for tracepoint_filter_fault().  -1 if that is not allowed.
 */
static int
mount_privately(void)
{
#ifdef FSOPEN_CLOEXEC
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), fd = -1;

	if (fs < 0)
		return -1;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
				  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	close(fs);
	return fd;
#else
	return -1;
#endif
}

void
event_env_open(struct event_env *env)
{
	struct buf path = { 0 };

	*env = (struct event_env){ .root = "", .tracefs_fd = -1 };
	if (tracepoint_dir(env, &path, NULL) < 0)
		env->tracefs_fd = mount_privately();
	if (env->tracefs_fd >= 0)
		snprintf(env->tracefs, sizeof(env->tracefs), "/proc/self/fd/%d", env->tracefs_fd);
	buf_release(&path);
}

void
event_env_close(struct event_env *env)
{
	if (env->tracefs_fd >= 0 && *env->tracefs != '\0')
		close(env->tracefs_fd);
	*env = (struct event_env){ .root = "", .tracefs_fd = -1 };
}
