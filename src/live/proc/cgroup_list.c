/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/cgroup_list.h"

#include "base/buf.h"
#include "base/file.h"
#include "live/sys/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOUNTS_BYTES_MAX = 1 << 20, CGROUPS_MAX = 1 << 16, DEPTH_MAX = 64, WORD_MAX = 256 };

/* One walk under way. */
struct walk {
	struct cgroup_list_msg *m;
	struct buf path; /* below the root of the hierarchy */
};

/* The id that samples carry is the number of the directory, on kernels of 64 bits. */
static void
add(struct walk *w, uint64_t id)
{
	struct cgroup_list_msg *m = w->m;

	VEC_ADD(m->items, m->count, m->cap) = (struct cgroup_list_item){
		id, mem_strdup(w->path.len > 0 ? w->path.data : "/") };
}

static void walk_below(struct walk *w, int fd, int depth);

static void
walk_into(struct walk *w, int parent_fd, const char *name, int depth)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	size_t len = w->path.len;

	if (fd < 0)
		return;
	buf_addf(&w->path, "/%s", name);
	walk_below(w, fd, depth);
	w->path.len = len;
	w->path.data[len] = '\0';
}

/* Takes @fd over. */
static void
walk_below(struct walk *w, int fd, int depth)
{
	struct dirent *d;
	struct stat st;
	DIR *dir;

	if (fstat(fd, &st) == 0)
		add(w, st.st_ino);
	dir = fdopendir(fd);
	if (dir == NULL) {
		close(fd);
		return;
	}
	while (depth < DEPTH_MAX && w->m->count < CGROUPS_MAX && (d = readdir(dir)) != NULL) {
		if (d->d_type == DT_DIR && d->d_name[0] != '.')
			walk_into(w, dirfd(dir), d->d_name, depth + 1);
	}
	closedir(dir);
}

/* That of perf_event in the first version if it has one, else the second version's. */
static bool
find_root(char root[WORD_MAX])
{
	struct buf b = { 0 };
	bool found = false, is_first = false;

	if (file_read("/proc/self/mounts", &b, MOUNTS_BYTES_MAX) < 0)
		return false;
	for (const char *line = buf_str(&b); line != NULL && *line != '\0' && !is_first;
	     line = strchr(line, '\n'), line += line != NULL) {
		char dir[WORD_MAX], type[WORD_MAX], options[WORD_MAX];

		if (sscanf(line, "%*s %255s %255s %255s", dir, type, options) != 3)
			continue;
		is_first = strcmp(type, "cgroup") == 0 && strstr(options, "perf_event") != NULL;
		if (is_first || (!found && strcmp(type, "cgroup2") == 0)) {
			memcpy(root, dir, WORD_MAX);
			found = true;
		}
	}
	buf_release(&b);
	return found;
}

static void
free_list(struct msg *msg)
{
	struct cgroup_list_msg *m = (struct cgroup_list_msg *)msg;

	for (size_t i = 0; i < m->count; i++)
		free(m->items[i].path);
	free(m->items);
	free(m);
}

struct cgroup_list_msg *
cgroup_list_read(void)
{
	struct cgroup_list_msg *m = mem_calloc(1, sizeof(*m));
	struct walk w = { .m = m };
	char root[WORD_MAX];
	int fd = -1;

	m->msg.free = free_list;
	if (find_root(root))
		fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		walk_below(&w, fd, 0);
	buf_release(&w.path);
	return m;
}

static bool
put_own_path(struct buf *path)
{
	struct buf b = { 0 };
	const char *own;
	size_t len;
	bool found;

	file_read("/proc/self/cgroup", &b, MOUNTS_BYTES_MAX);
	found = procfs_cgroup(buf_str(&b), b.len, &own, &len);
	if (found)
		buf_add(path, own, len);
	buf_release(&b);
	return found;
}

int
cgroup_open(const char *path)
{
	struct buf dir = { 0 };
	char root[WORD_MAX];
	int fd;

	if (!find_root(root))
		return -1;
	buf_addf(&dir, "%s%s", root, path);
	fd = open(dir.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	buf_release(&dir);
	return fd;
}

int
cgroup_open_own(struct buf *path, struct err *err)
{
	struct buf dir = { 0 };
	char root[WORD_MAX];
	int fd;

	if (!find_root(root) || !put_own_path(path)) {
		err_set(err, ERR_UNSUPPORTED, 0, "no hierarchy of control groups is mounted");
		return err_hint(err, "sudo mount -t cgroup2 none /sys/fs/cgroup");
	}
	buf_addf(&dir, "%s%s", root, path->data);
	fd = open(dir.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		err_set(err, ERR_GONE, errno, "cannot open %.150s", dir.data);
	buf_release(&dir);
	return fd;
}
