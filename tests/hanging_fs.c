/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/hanging_fs.h"

#include "tests/run.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOT_INODE = FUSE_ROOT_ID, FILE_INODE = 2, REQUEST_MAX = 1 << 18 };

struct server {
	int dev;
	volatile int *mode;
	const char *name;
	char *bytes;
	size_t len;
};

struct request {
	struct fuse_in_header head;
	char body[REQUEST_MAX];
};

static void
reply(const struct server *s, const struct request *r, int error, const void *data, size_t len)
{
	struct fuse_out_header head = { .len = (uint32_t)(sizeof(head) + len), .error = -error,
					.unique = r->head.unique };
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)(uintptr_t)data, len } };

	if (writev(s->dev, parts, 2) < 0 && errno != ENOENT)
		_exit(1);
}

static struct fuse_attr
attr_of(const struct server *s, uint64_t inode)
{
	return (struct fuse_attr){
		.ino = inode, .nlink = 1, .blksize = 4096,
		.size = inode == FILE_INODE ? s->len : 0,
		.mode = inode == FILE_INODE ? S_IFREG | 0755 : S_IFDIR | 0755,
	};
}

static void
do_init(const struct server *s, const struct request *r)
{
	struct fuse_init_out out = { .major = FUSE_KERNEL_VERSION, .minor = 31,
				     .max_readahead = 1 << 17, .max_write = 1 << 17,
				     .time_gran = 1 };

	reply(s, r, 0, &out, sizeof(out));
}

static void
do_lookup(const struct server *s, const struct request *r)
{
	/* Nothing is kept by the kernel: each look is a question. */
	struct fuse_entry_out out = { .nodeid = FILE_INODE, .attr = attr_of(s, FILE_INODE) };

	if (strcmp(r->body, s->name) != 0)
		reply(s, r, ENOENT, NULL, 0);
	else
		reply(s, r, 0, &out, sizeof(out));
}

static void
do_getattr(const struct server *s, const struct request *r)
{
	struct fuse_attr_out out = { .attr = attr_of(s, r->head.nodeid) };

	reply(s, r, 0, &out, sizeof(out));
}

static void
do_open(const struct server *s, const struct request *r)
{
	struct fuse_open_out out = { .fh = 1 };

	reply(s, r, 0, &out, sizeof(out));
}

static void
do_read(const struct server *s, const struct request *r)
{
	struct fuse_read_in in;
	size_t at, len;

	memcpy(&in, r->body, sizeof(in));
	at = in.offset < s->len ? in.offset : s->len;
	len = in.size < s->len - at ? in.size : s->len - at;
	reply(s, r, 0, s->bytes + at, len);
}

static void
do_nothing(const struct server *s, const struct request *r)
{
	reply(s, r, 0, NULL, 0);
}

static const struct {
	uint32_t opcode;
	void (*serve)(const struct server *s, const struct request *r);
} operations[] = {
	{ FUSE_INIT, do_init },	      { FUSE_LOOKUP, do_lookup },   { FUSE_GETATTR, do_getattr },
	{ FUSE_OPEN, do_open },	      { FUSE_READ, do_read },	    { FUSE_FLUSH, do_nothing },
	{ FUSE_RELEASE, do_nothing },
};

static bool
is_begin(const struct request *r)
{
	struct fuse_read_in in;

	memcpy(&in, r->body, sizeof(in));
	return in.offset == 0;
}

static bool
is_answered(const struct server *s, const struct request *r)
{
	uint32_t opcode = r->head.opcode;

	if (opcode == FUSE_FORGET || opcode == FUSE_BATCH_FORGET || opcode == FUSE_INTERRUPT)
		return false;
	if (*s->mode == HANGING_FS_FINE || *s->mode == HANGING_FS_DEAD)
		return *s->mode == HANGING_FS_FINE;
	return opcode != FUSE_READ || (*s->mode == HANGING_FS_BEGINS && is_begin(r));
}

static void
serve(const struct server *s)
{
	static struct request r;
	size_t i;

	for (;;) {
		if (read(s->dev, &r, sizeof(r)) < 0) {
			if (errno == EINTR || errno == ENOENT)
				continue;
			_exit(0); /* unmounted */
		}
		if (!is_answered(s, &r))
			continue;
		for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
			if (operations[i].opcode == r.head.opcode)
				break;
		if (i < sizeof(operations) / sizeof(operations[0]))
			operations[i].serve(s, &r);
		else
			reply(s, &r, ENOSYS, NULL, 0);
	}
}

static bool
slurp(struct server *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return false;
	s->len = (size_t)st.st_size;
	s->bytes = malloc(s->len);
	s->len = (size_t)read(fd, s->bytes, s->len);
	close(fd);
	return true;
}

static bool
start(struct hanging_fs *fs, struct server *s)
{
	char options[128];

	fs->mode = mmap(NULL, sizeof(*fs->mode), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (fs->mode == MAP_FAILED)
		return false;
	s->mode = fs->mode;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 s->dev);
	if (mount("ptop-test", fs->dir, "fuse", MS_NOSUID | MS_NODEV, options) != 0)
		return false;
	fs->server = run_fork();
	if (fs->server == 0) {
		serve(s);
	}
	return fs->server > 0;
}

bool
hanging_fs_start(struct hanging_fs *fs, const char *dir, const char *path, const char *name)
{
	struct server s = { .name = name };
	bool started;

	*fs = (struct hanging_fs){ 0 };
	snprintf(fs->dir, sizeof(fs->dir), "%s", dir);
	s.dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (s.dev < 0)
		return false;
	started = slurp(&s, path) && start(fs, &s);
	/* The server has its own: with its end the mount is dead and nobody waits for it. */
	close(s.dev);
	free(s.bytes);
	return started;
}

void
hanging_fs_end(struct hanging_fs *fs)
{
	if (fs->server > 0) {
		kill(fs->server, SIGKILL);
		waitpid(fs->server, NULL, 0);
	}
	if (fs->dir[0] != '\0')
		umount2(fs->dir, MNT_DETACH);
	if (fs->mode != NULL && fs->mode != MAP_FAILED)
		munmap((void *)(uintptr_t)fs->mode, sizeof(*fs->mode));
	*fs = (struct hanging_fs){ 0 };
}
