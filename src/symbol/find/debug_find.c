/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/debug_find.h"
#include "symbol/find/build_store.h"
#include "symbol/find/open.h"

#include "base/buf.h"
#include "base/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct look {
	const struct debug_finder *finder;
	const struct debug_ask *ask;
	const char *dir; /* of the dso, without the last slash; NULL: not known */
	bool is_own_root; /* what is looked in is the one of this process */
	int root;
	unsigned left; /* to pass over */
	struct buf path;
};

/* A FIFO or a device must not even be opened.  Takes @fd, of O_PATH. */
static int
read_regular(int fd)
{
	char path[64];
	struct stat st;
	int res = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		res = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	close(fd);
	return res;
}

/* The path may be anybody's choice: nothing but ELF files is handed out. */
static int
only_elf(int fd)
{
	char magic[SELFMAG];

	if (fd >= 0 && (pread(fd, magic, SELFMAG, 0) != SELFMAG ||
			memcmp(magic, ELFMAG, SELFMAG) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Below this process's root a link of somebody else's leads out of what is his: where a process
 * has another root in the same mount namespace, its files are there, too.
 */
static bool
is_others_link(const struct look *l)
{
	struct stat st;

	return l->is_own_root && lstat(buf_str(&l->path), &st) == 0 && S_ISLNK(st.st_mode) &&
	       st.st_uid != 0 && st.st_uid != geteuid();
}

/* The file at the look's path, unless it is one to pass over. */
static int
open_candidate(struct look *l)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = -1;

	if (is_others_link(l))
		return -1;
	fd = (int)syscall(SYS_openat2, l->root, buf_str(&l->path), &how, sizeof(how));
	/* Kernels before 5.6 do not have it: there only ptop's own root is looked at. */
	if (fd < 0 && errno == ENOSYS)
		fd = open(buf_str(&l->path), O_PATH | O_CLOEXEC);
	fd = fd >= 0 ? only_elf(read_regular(fd)) : -1;
	if (fd < 0 || l->left == 0)
		return fd;
	l->left--;
	close(fd);
	return -1;
}

static void
put_path_by_id(const struct debug_finder *finder, const struct debug_ask *ask, struct buf *path)
{
	buf_reset(path);
	buf_addf(path, "%s/.build-id/%02x/", finder->dir, ask->build_id[0]);
	for (unsigned i = 1; i < ask->build_id_len; i++)
		buf_addf(path, "%02x", ask->build_id[i]);
	buf_add_str(path, ".debug");
}

static int
find_by_id(struct look *l)
{
	const struct debug_ask *ask = l->ask;

	if (ask->build_id_len < 2 || ask->build_id_len > sizeof(ask->build_id))
		return -1;
	put_path_by_id(l->finder, ask, &l->path);
	return open_candidate(l);
}

static int
open_candidate_at(struct look *l, const char *top, const char *dir, const char *sub)
{
	buf_reset(&l->path);
	buf_addf(&l->path, "%s%s%s/%s", top, dir, sub, l->ask->name);
	return open_candidate(l);
}

static int
find_by_link(struct look *l)
{
	const char *name = l->ask->name;
	int fd;

	if (l->dir == NULL || *name == '\0' || strchr(name, '/') != NULL)
		return -1;
	fd = open_candidate_at(l, "", l->dir, "");
	if (fd < 0)
		fd = open_candidate_at(l, "", l->dir, "/.debug");
	return fd >= 0 ? fd : open_candidate_at(l, l->finder->dir, l->dir, "");
}

static int
find_by_path(struct look *l)
{
	int fd;

	if (*l->ask->name == '/')
		return open_candidate_at(l, "", "", "");
	if (l->dir == NULL || *l->ask->name == '\0')
		return -1;
	fd = open_candidate_at(l, l->finder->dir, l->dir, "");
	return fd >= 0 ? fd : open_candidate_at(l, "", l->dir, "");
}

static int
look_below(struct look *l, const char *root)
{
	static int (*const ways[DEBUG_WANTS])(struct look *l) = {
		[DEBUG_BY_ID] = find_by_id,
		[DEBUG_BY_LINK] = find_by_link,
		[DEBUG_BY_PATH] = find_by_path,
	};
	int fd;

	l->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (l->root < 0)
		return -1;
	fd = ways[l->ask->want](l);
	close(l->root);
	return fd;
}

/*
 * /proc/PID/maps tells paths as this process sees them: of a process with another root, that is in
 * front.  What of @dir is behind it.
 */
static const char *
below(const char *dir, const char *root_link)
{
	char root[4096];
	ssize_t n = readlink(root_link, root, sizeof(root));

	if (dir == NULL || n <= 1 || strncmp(dir, root, (size_t)n) != 0 ||
	    (dir[n] != '/' && dir[n] != '\0'))
		return dir;
	return dir + n;
}

static char *
folder_of(const struct symbol_ask *file)
{
	const char *slash = file != NULL && *file->path == '/' ? strrchr(file->path, '/') : NULL;

	return slash != NULL ? mem_strndup(file->path, (size_t)(slash - file->path)) : NULL;
}

int
debug_find(const struct debug_finder *self, const struct debug_ask *ask)
{
	char *dir = folder_of(self->file), root[512];
	struct look l = { .finder = self, .ask = ask, .dir = dir, .left = ask->nth };
	int fd = -1;

	if ((unsigned)ask->want >= DEBUG_WANTS || *self->dir != '/' ||
	    memchr(ask->name, '\0', sizeof(ask->name)) == NULL)
		goto out;
	if (self->file != NULL && self->file->pid > 0) {
		snprintf(root, sizeof(root), "%s/%d/root", self->proc, self->file->pid);
		l.dir = below(dir, root);
		fd = look_below(&l, root);
	}
	l.is_own_root = true;
	if (fd < 0)
		fd = look_below(&l, "/");
	if (fd < 0 && ask->want == DEBUG_BY_ID && ask->build_id_len <= sizeof(ask->build_id))
		fd = build_store_open(BUILD_STORE_DEBUG, ask->build_id, ask->build_id_len, l.left);
out:
	buf_release(&l.path);
	free(dir);
	return fd;
}

/* Of a process whose root is another, only a look below that tells. */
static bool
has_own_root(const struct debug_finder *self)
{
	char path[64], root[2];
	ssize_t n;

	if (self->file == NULL || self->file->pid <= 0)
		return true;
	snprintf(path, sizeof(path), "%s/%d/root", self->proc, self->file->pid);
	n = readlink(path, root, sizeof(root));
	/* It has ended, as those of a recording have: then only ptop's own root is looked in. */
	if (n < 0 && errno == ENOENT)
		return true;
	return n == 1 && *root == '/' && mount_ns_of(self->proc, self->file->pid) == SYMBOL_NS_OWN;
}

bool
debug_find_is_none(const struct debug_finder *self, const struct debug_ask *ask)
{
	struct buf path = { 0 };
	bool is_none;

	if (ask->want != DEBUG_BY_ID || ask->build_id_len < 2 ||
	    ask->build_id_len > sizeof(ask->build_id) || !has_own_root(self))
		return false;
	put_path_by_id(self, ask, &path);
	is_none = file_is_known_missing(buf_str(&path)) &&
		  build_store_is_none(BUILD_STORE_DEBUG, ask->build_id, ask->build_id_len);
	buf_release(&path);
	return is_none;
}
