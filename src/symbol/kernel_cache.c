/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_PREFIX "kernel-"

struct kernel_cache {
	int dir;
	char name[64]; /* of the image for the kernel as it is now */
};

static bool
is_ours_alone(int fd, mode_t type)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() &&
	       (st.st_mode & 077) == 0;
}

struct kernel_cache *
kernel_cache_open(const char *dir, const struct kernel_state *state)
{
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
	snprintf(c->name, sizeof(c->name), NAME_PREFIX "%016llx%016llx",
		 (unsigned long long)state->one, (unsigned long long)state->two);
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
