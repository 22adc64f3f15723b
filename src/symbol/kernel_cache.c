/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel_cache.h"

#include "base/buf.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME_PREFIX "kernel-"

enum {
	MAX_SMALL = 64 << 10,
	MAX_MODULES = 4 << 20,
	MAX_PROGRAMS = 100000,
};

struct kernel_cache {
	int dir;
	bool knows_bpf;
	char name[64]; /* of the image for the kernel as it is now */
};

static void
add_proc_file(struct buf *key, const char *proc, const char *name, size_t max)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	file_read(path, key, max);
	buf_add_char(key, '\0');
}

void
kernel_programs_read(struct kernel_programs *p)
{
	union bpf_attr attr;
	unsigned n;

	*p = (struct kernel_programs){ .is_known = false };
	memset(&attr, 0, sizeof(attr));
	for (n = 0; n < MAX_PROGRAMS; n++) {
		if (syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) != 0) {
			p->is_known = errno == ENOENT;
			return;
		}
		buf_add(&p->ids, &attr.next_id, sizeof(attr.next_id));
		attr.start_id = attr.next_id;
	}
}

void
kernel_programs_release(struct kernel_programs *p)
{
	buf_release(&p->ids);
}

static void
make_name(struct kernel_cache *c, const char *proc, const struct kernel_programs *programs)
{
	struct buf key = { 0 };
	uint64_t one, two;

	add_proc_file(&key, proc, "sys/kernel/random/boot_id", MAX_SMALL);
	file_read("/sys/kernel/notes", &key, MAX_SMALL);
	buf_add_char(&key, '\0');
	add_proc_file(&key, proc, "modules", MAX_MODULES);
	buf_add(&key, programs->ids.data, programs->ids.len);
	c->knows_bpf = programs->is_known;
	one = hash_bytes(key.data, key.len);
	buf_add_str(&key, "two");
	two = hash_bytes(key.data, key.len);
	snprintf(c->name, sizeof(c->name), NAME_PREFIX "%016llx%016llx", (unsigned long long)one,
		 (unsigned long long)two);
	buf_release(&key);
}

static bool
is_ours_alone(int fd, mode_t type)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() &&
	       (st.st_mode & 077) == 0;
}

struct kernel_cache *
kernel_cache_open(const char *dir, const char *proc, const struct kernel_programs *programs)
{
	struct kernel_programs now = { .is_known = false };
	struct kernel_cache *c = mem_calloc(1, sizeof(*c));
	const char *slash = strrchr(dir, '/');
	char *parent = mem_strndup(dir, slash != NULL ? (size_t)(slash - dir) : 0);

	/* ~/.cache may not be there yet; whether both could be made shows when the last is opened. */
	mkdir(parent, 0700);
	mkdir(dir, 0700);
	free(parent);
	c->dir = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (c->dir < 0 || !is_ours_alone(c->dir, S_IFDIR)) {
		kernel_cache_close(c);
		return NULL;
	}
	if (programs == NULL)
		kernel_programs_read(&now);
	make_name(c, proc, programs != NULL ? programs : &now);
	kernel_programs_release(&now);
	return c;
}

void
kernel_cache_close(struct kernel_cache *c)
{
	if (c == NULL)
		return;
	if (c->dir >= 0)
		close(c->dir);
	free(c);
}

int
kernel_cache_load(const struct kernel_cache *c)
{
	int fd = openat(c->dir, c->name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && !is_ours_alone(fd, S_IFREG)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* All images but ours, and what a run that was killed left half written. */
static void
remove_others(const struct kernel_cache *c)
{
	int fd = openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d)) != NULL)
		if (strncmp(e->d_name, NAME_PREFIX, strlen(NAME_PREFIX)) == 0 &&
		    strcmp(e->d_name, c->name) != 0)
			unlinkat(c->dir, e->d_name, 0);
	closedir(d);
}

static int
copy_all(int from, int to)
{
	struct stat st;
	off_t pos = 0;

	if (fstat(from, &st) != 0)
		return -1;
	while (pos < st.st_size)
		if (sendfile(to, from, &pos, (size_t)(st.st_size - pos)) <= 0)
			return -1;
	return 0;
}

void
kernel_cache_save(const struct kernel_cache *c, int image_fd)
{
	char temp[96];
	bool good;
	int fd;

	snprintf(temp, sizeof(temp), NAME_PREFIX "new-%d", (int)getpid());
	unlinkat(c->dir, temp, 0);
	fd = openat(c->dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	good = copy_all(image_fd, fd) == 0;
	if (close(fd) != 0 || !good || renameat(c->dir, temp, c->dir, c->name) != 0)
		unlinkat(c->dir, temp, 0);
	else
		remove_others(c);
}

bool
kernel_cache_knows_bpf(const struct kernel_cache *c)
{
	return c->knows_bpf;
}
