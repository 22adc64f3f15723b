/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which runtime a process runs, and as whom: read before anything is done to it. */
#include "broker/broker_impl.h"

#include "base/file.h"
#include "live/sys/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATUS_BYTES = 64 << 10, MAPS_BYTES = 8 << 20, ENVIRON_BYTES = 1 << 20, PATH_BYTES = 4096 };

/* Adds what is in the file of the process, as far as @max.  0, or errno. */
static int
read_file(const struct held *h, const char *name, struct buf *b, size_t max)
{
	char path[48];

	buf_reset(b);
	snprintf(path, sizeof(path), "/proc/%d/%s", h->pid, name);
	return file_read(path, b, max) == 0 || errno == EFBIG ? 0 : errno;
}

/* Number @nth of the line of /proc/PID/status that begins with @key. */
static uint64_t
status_number(const char *status, const char *key, int nth, int base)
{
	const char *line = strstr(status, key);
	uint64_t value = 0;
	char *end;

	if (line == NULL)
		return 0;
	line += strlen(key);
	for (int i = 0; i <= nth; i++, line = end)
		value = strtoull(line, &end, base);
	return value;
}

static int
take_status(struct subject *s, struct buf *b)
{
	int error = read_file(s->held, "status", b, STATUS_BYTES);

	if (error != 0)
		return error;
	s->uid = (uint32_t)status_number(buf_str(b), "\nUid:", 1, 10);
	s->gid = (uint32_t)status_number(buf_str(b), "\nGid:", 1, 10);
	s->takes_quit = (status_number(buf_str(b), "\nSigCgt:", 0, 16) >> (SIGQUIT - 1) & 1) != 0;
	if (!procfs_ns_pid(buf_str(b), b->len, &s->inner_pid) || s->inner_pid == 0)
		s->inner_pid = s->held->pid;
	return 0;
}

/* Who is 0 in there; root itself if nobody is, or that cannot be read. */
static uint32_t
namespace_root(const char *uid_map)
{
	uint32_t inside, outside;

	for (; uid_map != NULL && *uid_map != '\0'; uid_map = strchr(uid_map, '\n')) {
		uid_map += *uid_map == '\n';
		if (sscanf(uid_map, "%u %u", &inside, &outside) == 2 && inside == 0)
			return outside;
	}
	return 0;
}

/* Of those that it maps code of, the first of the table: a Java that is inside of a Python. */
static void
take_line(struct subject *s, const char *line, size_t len)
{
	const struct runtime *r;
	struct procfs_map map;
	char name[PATH_BYTES];

	if (!procfs_map(line, len, &map) || (map.prot & PROT_EXEC) == 0 ||
	    map.name_len >= PATH_BYTES)
		return;
	name[procfs_map_name(map.name, map.name_len, name)] = '\0';
	r = *name == '/' ? runtime_of_file(name) : NULL;
	if (r != NULL && (s->runtime == NULL || r < s->runtime))
		s->runtime = r;
}

int
subject_read_maps(const struct held *h, struct buf *b)
{
	return read_file(h, "maps", b, MAPS_BYTES);
}

static int
take_maps(struct subject *s, struct buf *b)
{
	int error = subject_read_maps(s->held, b);
	const char *line = buf_str(b), *end;

	for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
		take_line(s, line, (size_t)(end - line));
	return error;
}

static int
take_root(struct subject *s)
{
	struct stat its, own;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root", s->held->pid);
	s->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->root < 0)
		return errno == ENOENT ? ESRCH : errno;
	fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	s->other_root = fstat(s->root, &its) < 0 || fstat(fd, &own) < 0 ||
			its.st_dev != own.st_dev || its.st_ino != own.st_ino;
	close(fd);
	return 0;
}

/* Its environment as it began, if that can be read: it need not have one. */
static void
take_tmpdir(struct subject *s, struct buf *b)
{
	static const char key[] = "TMPDIR=";
	const char *at, *end;

	if (s->runtime == NULL || s->runtime->means != RUNTIME_BY_SOCKET ||
	    read_file(s->held, "environ", b, ENVIRON_BYTES) != 0)
		return;
	at = buf_str(b);
	for (end = at + b->len; at < end; at += strlen(at) + 1) {
		const char *value = at + strlen(key);

		if (strncmp(at, key, strlen(key)) != 0)
			continue;
		if (strlen(value) < sizeof(s->tmpdir))
			memcpy(s->tmpdir, value, strlen(value) + 1);
		return;
	}
}

int
subject_init(struct subject *s, const struct held *h)
{
	static const char no_attach[] = "-XX:+DisableAttachMechanism";
	struct buf b = { 0 };
	int error;

	*s = (struct subject){ .held = h, .root = -1 };
	error = take_status(s, &b);
	if (error == 0)
		error = take_maps(s, &b);
	if (error == 0)
		error = take_root(s);
	if (error == 0 && read_file(h, "cmdline", &b, STATUS_BYTES) == 0 && b.len > 0)
		s->refuses = memmem(b.data, b.len, no_attach, strlen(no_attach)) != NULL;
	if (error == 0)
		take_tmpdir(s, &b);
	if (error == 0 && read_file(h, "uid_map", &b, STATUS_BYTES) == 0)
		s->root_uid = namespace_root(buf_str(&b));
	buf_release(&b);
	/* Else some of it may be of who has its number now. */
	if (error == 0 && held_has_ended(h))
		error = ESRCH;
	return error == ENOENT ? ESRCH : error;
}

/* The real, effective and saved ones, and that of files. */
static bool
are_all(const char *status, const char *key, uint32_t id)
{
	for (int nth = 0; nth < 4; nth++)
		if (status_number(status, key, nth, 10) != id)
			return false;
	return true;
}

int
subject_check_rights(const struct subject *s)
{
	struct buf b = { 0 };
	int error;

	if (s->uid == 0 || s->uid == s->root_uid)
		return 0;
	error = read_file(s->held, "status", &b, STATUS_BYTES);
	if (error == 0 && (!are_all(buf_str(&b), "\nUid:", s->uid) ||
			   !are_all(buf_str(&b), "\nGid:", s->gid) ||
			   status_number(buf_str(&b), "\nCapPrm:", 0, 16) != 0))
		error = EPERM;
	buf_release(&b);
	return error == ENOENT ? ESRCH : error;
}

void
subject_release(struct subject *s)
{
	if (s->root >= 0)
		close(s->root);
	s->root = -1;
}
