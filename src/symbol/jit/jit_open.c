/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/jit/jit_open.h"
#include "symbol/find/open.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PROC_FILE_MAX = 64 << 10 };

/* The clock may have been set since the process began, and ticks are coarse. */
#define BORN_SLACK_NS (2 * NSEC_PER_SEC)

/* The line of /proc/PID/status behind @key, NULL if there is none. */
static const char *
status_line(const struct buf *status, const char *key)
{
	const char *line = buf_str(status);
	size_t len = strlen(key);

	while (line != NULL && strncmp(line, key, len) != 0) {
		line = strchr(line, '\n');
		line = line != NULL ? line + 1 : NULL;
	}
	return line != NULL ? line + len : NULL;
}

/* The second of the ids: the effective one, which files are made with. */
static unsigned
effective_id(const char *line)
{
	char *end;

	strtoul(line, &end, 10);
	return (unsigned)strtoul(end, NULL, 10);
}

static size_t
read_pids(const char *line, unsigned *pids)
{
	size_t count = 0;
	char *end;

	for (; count < JIT_PIDS_MAX && *line != '\n'; line = end) {
		unsigned long pid = strtoul(line, &end, 10);

		if (end == line)
			break;
		pids[count++] = (unsigned)pid;
	}
	return count;
}

static bool
read_status(struct jit_owner *o, const struct buf *status, int pid)
{
	const char *uid = status_line(status, "Uid:"), *gid = status_line(status, "Gid:");
	const char *pids = status_line(status, "NSpid:");

	if (uid == NULL || gid == NULL)
		return false;
	o->uid = effective_id(uid);
	o->gid = effective_id(gid);
	o->pid_count = pids != NULL ? read_pids(pids, o->pids) : 0;
	if (o->pid_count == 0)
		o->pids[o->pid_count++] = (unsigned)pid;
	return true;
}

/* Who is 0 in the process's user namespace; who it is itself if nobody is. */
static uid_t
namespace_root(const struct buf *uid_map, uid_t uid)
{
	const char *line = buf_str(uid_map);
	unsigned inside, outside;

	for (; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%u %u", &inside, &outside) == 2 && inside == 0)
			return outside;
	}
	return uid;
}

static uint64_t
clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

/* Field 22 of /proc/PID/stat; the name in front of it may hold blanks and brackets. */
static bool
read_born(struct jit_owner *o, const struct buf *stat)
{
	const char *p = strrchr(buf_str(stat), ')');
	uint64_t ticks, hz = (uint64_t)sysconf(_SC_CLK_TCK), since_boot_ns;

	for (int field = 2; p != NULL && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p == NULL)
		return false;
	ticks = strtoull(p + 1, NULL, 10);
	since_boot_ns = ticks / hz * NSEC_PER_SEC + ticks % hz * NSEC_PER_SEC / hz;
	o->born_ns = clock_real_ns() - clock_ns(CLOCK_BOOTTIME) + since_boot_ns;
	return true;
}

static int
read_proc(const char *proc, int pid, const char *name, struct buf *b)
{
	char path[512];

	buf_reset(b);
	snprintf(path, sizeof(path), "%s/%d/%s", proc, pid, name);
	return file_read(path, b, PROC_FILE_MAX);
}

int
jit_owner_init(struct jit_owner *o, const char *proc, int pid, struct err *err)
{
	struct buf b = { 0 };
	char path[512];
	bool known;

	*o = (struct jit_owner){ .root = -1 };
	known = read_proc(proc, pid, "status", &b) == 0 && read_status(o, &b, pid);
	known = known && read_proc(proc, pid, "stat", &b) == 0 && read_born(o, &b);
	o->root_uid = o->uid;
	if (known && read_proc(proc, pid, "uid_map", &b) == 0)
		o->root_uid = namespace_root(&b, o->uid);
	buf_release(&b);
	if (!known)
		return err_set(err, ERR_GONE, 0, "the process was gone before its perf map was "
						 "looked for");
	snprintf(path, sizeof(path), "%s/%d/root", proc, pid);
	o->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (o->root >= 0)
		return 0;
	err_set(err, errno == ENOENT ? ERR_GONE : ERR_DENIED, errno,
		"cannot look for a perf map in the process's root");
	return errno == ENOENT ? -1 : err_hint(err, "run ptop as root");
}

int
jit_owner_init_recorded(struct jit_owner *o, const char *proc, int pid, uint64_t until_ns,
			struct err *err)
{
	if (jit_owner_init(o, proc, pid, err) == 0) {
		o->until_ns = until_ns;
		if (o->born_ns <= until_ns + BORN_SLACK_NS)
			return 0;
		/* Its pid is another's now, and a map of that name is, too. */
		return err_set(err, ERR_GONE, 0, "the process is gone, and another has its pid");
	}
	*o = (struct jit_owner){ .uid = geteuid(), .gid = getegid(), .until_ns = until_ns,
				 .pids = { (unsigned)pid }, .pid_count = 1 };
	*err = (struct err){ 0 };
	o->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return o->root >= 0 ? 0 : err_set(err, ERR_IO, errno, "cannot open '/'");
}

void
jit_owner_release(struct jit_owner *o)
{
	if (o->root >= 0)
		close(o->root);
	o->root = -1;
}

/* Whether the process can have made the file, and nobody else written to it. */
static int
check_file(const struct jit_owner *o, const struct stat *st, const char *what, struct err *err)
{
	uint64_t changed_ns = (uint64_t)st->st_mtim.tv_sec * NSEC_PER_SEC +
			      (uint64_t)st->st_mtim.tv_nsec;

	if (!S_ISREG(st->st_mode))
		return err_set(err, ERR_FORMAT, 0, "its %s is not a regular file", what);
	if (st->st_uid != o->uid && st->st_uid != o->root_uid)
		return err_set(err, ERR_DENIED, 0, "its %s belongs to another user, uid %u", what,
			       (unsigned)st->st_uid);
	if (st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != o->gid)) {
		err_set(err, ERR_DENIED, 0, "its %s can be written by others, mode %04o", what,
			(unsigned)st->st_mode & 07777);
		return err_hint(err, "chmod go-w it, or start the program with umask 022");
	}
	if (changed_ns + BORN_SLACK_NS < o->born_ns)
		return err_set(err, ERR_GONE, 0, "its %s is older than the process", what);
	return 0;
}

/* A file made after the recording is of another process with that pid. */
static int
check_made(const struct jit_owner *o, int fd, const char *what, struct err *err)
{
	struct statx st;
	uint64_t made_ns;

	if (o->until_ns == 0 || statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) != 0 ||
	    !(st.stx_mask & STATX_BTIME))
		return 0;
	made_ns = (uint64_t)st.stx_btime.tv_sec * NSEC_PER_SEC + st.stx_btime.tv_nsec;
	if (made_ns <= o->until_ns + BORN_SLACK_NS)
		return 0;
	return err_set(err, ERR_GONE, 0, "its %s was made after the recording", what);
}

/* From an O_PATH descriptor, which opened nothing yet, to one that reads.  Takes @fd. */
static int
reopen(const struct jit_owner *o, int fd, const char *what, struct err *err)
{
	struct stat st;
	char path[64];
	int res = -1;

	if (fstat(fd, &st) != 0) {
		err_set(err, ERR_IO, errno, "cannot look at its %s", what);
	} else if (check_file(o, &st, what, err) == 0 && check_made(o, fd, what, err) == 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		res = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (res < 0)
			err_set(err, ERR_DENIED, errno, "cannot open its %s", what);
	}
	close(fd);
	return res;
}

int
jit_open_map(const struct jit_owner *o, struct err *err)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", o->pids[o->pid_count - 1]);
	fd = (int)syscall(SYS_openat2, o->root, path, &how, sizeof(how));
	if (fd < 0 && errno == ENOENT)
		return err_set(err, ERR_GONE, 0, "there is no perf map and no jitdump of this "
						 "code");
	if (fd < 0)
		return err_set(err, errno == ENOSYS ? ERR_UNSUPPORTED : ERR_DENIED, errno,
			       "cannot open '%s' of the process", path);
	return reopen(o, fd, "perf map", err);
}

int
jit_open_dump(const struct jit_owner *o, const struct symbol_ask *ask, const char *proc,
	      struct err *err)
{
	struct stat st;
	int fd = open_target(ask, proc, err);

	if (fd < 0)
		return err_wrap(err, "its jitdump");
	if (fstat(fd, &st) == 0 && check_file(o, &st, "jitdump", err) == 0 &&
	    check_made(o, fd, "jitdump", err) == 0)
		return fd;
	close(fd);
	return -1;
}
