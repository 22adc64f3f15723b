/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push/spool.h"

#include "base/own_folder.h"
#include "base/own_rights.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_END ".profile"
#define MAGIC "ptoppush"

enum {
	FILE_VERSION = 1,
	DIGITS = 20,
	NAME_BYTES = DIGITS + sizeof(NAME_END),
	OTHERS_WRITE = 022, /* rights that others must not have to ptop's folder, */
	OTHERS = 077,       /* and to the spool in it */
	BLOCK = 4096,       /* files take whole ones */
};

/* At the beginning of each file. */
struct head {
	char magic[8];
	uint64_t version, len, from_ns, until_ns, rate;
};

struct entry {
	uint64_t number, bytes; /* on the disk */
};

struct spool {
	int dir;
	char *path;
	uint64_t bytes, bytes_max;
	struct entry *items; /* in rising order */
	bool is_held;        /* the first stays */
	size_t len, cap;
	uint64_t next;
};

bool
spool_path(const char *url, struct buf *path)
{
	if (!own_folder_path(path, "XDG_STATE_HOME", ".local/state"))
		return false;
	buf_addf(path, "/push/%016llx", (unsigned long long)hash_bytes(url, strlen(url)));
	return true;
}

static uint64_t
on_disk(uint64_t bytes)
{
	return (bytes + BLOCK - 1) / BLOCK * BLOCK;
}

static void
put_name(char name[NAME_BYTES], uint64_t number)
{
	snprintf(name, NAME_BYTES, "%0*llu" NAME_END, DIGITS, (unsigned long long)number);
}

static bool
get_number(const char *name, uint64_t *number)
{
	char again[NAME_BYTES];

	*number = strtoull(name, NULL, 10);
	put_name(again, *number);
	return strcmp(name, again) == 0;
}

/* What was being written when ptop was killed. */
static bool
is_left_over(const char *name)
{
	return strspn(name, "0123456789") == DIGITS && strstr(name, NAME_END ".new-") == name + DIGITS;
}

static int
compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static int
refuse(const char *path, const char *name, struct err *err)
{
	err_set(err, ERR_DENIED, 0, "--push: '%.120s%s%.40s' is not of this user alone", path,
		*name != '\0' ? "/" : "", name);
	return err_hint(err, "who else can write there? Look at it, and remove it");
}

/* A file that another user made, or may change, says that the folder is not what it should be. */
static int
take_file(struct spool *s, const char *name, uint64_t number, struct err *err)
{
	int fd = own_folder_file(s->dir, name, O_NOFOLLOW, OTHERS);
	struct stat st;
	bool is_known;

	if (fd < 0)
		return errno == ENOENT ? 0 : refuse(s->path, name, err);
	is_known = fstat(fd, &st) == 0;
	close(fd);
	if (!is_known || st.st_nlink > 1)
		return refuse(s->path, name, err);
	VEC_ADD(s->items, s->len, s->cap) = (struct entry){ number, on_disk((uint64_t)st.st_size) };
	s->bytes += on_disk((uint64_t)st.st_size);
	return 0;
}

static int
take_files(struct spool *s, struct err *err)
{
	int fd = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), res = 0;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	uint64_t number;

	if (d == NULL)
		return err_set(err, ERR_IO, errno, "--push: cannot read '%.120s'", s->path);
	while (res == 0 && (e = readdir(d)) != NULL) {
		if (get_number(e->d_name, &number))
			res = take_file(s, e->d_name, number, err);
		else if (is_left_over(e->d_name))
			unlinkat(s->dir, e->d_name, 0);
	}
	closedir(d);
	if (s->len > 0) {
		qsort(s->items, s->len, sizeof(*s->items), compare);
		s->next = s->items[s->len - 1].number + 1;
	}
	return res;
}

/* ptop's own, which systemd makes a link for users that it makes up. */
static int
open_state(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || own_folder_is(fd, S_IFDIR, OTHERS_WRITE))
		return fd >= 0 ? fd : own_folder_open(AT_FDCWD, path, OTHERS_WRITE);
	close(fd);
	errno = EPERM;
	return -1;
}

/* Folder by folder, each in one that is this user's. */
static int
open_folders(char *path)
{
	char *name = strrchr(path, '/'), *above;
	int state, push, dir, why;

	*name++ = '\0';
	above = strrchr(path, '/');
	*above++ = '\0';
	state = open_state(path);
	push = state >= 0 ? own_folder_open(state, above, OTHERS) : -1;
	dir = push >= 0 ? own_folder_open(push, name, OTHERS) : -1;
	why = errno;
	if (push >= 0)
		close(push);
	if (state >= 0)
		close(state);
	errno = why;
	return dir;
}

static int
open_folder(const char *path, struct err *err)
{
	char *copy = mem_strdup(path);
	int dir = open_folders(copy);

	if (dir < 0 && errno == EPERM) {
		refuse(path, "", err);
	} else if (dir < 0) {
		err_set(err, ERR_IO, errno, "--push: cannot make '%.120s' for what has to wait", path);
		err_hint(err, "XDG_STATE_HOME names another place; --spool 0: nothing waits");
	}
	free(copy);
	return dir;
}

static int
lock(const struct spool *s, struct err *err)
{
	if (flock(s->dir, LOCK_EX | LOCK_NB) == 0)
		return 0;
	err_set(err, ERR_BUSY, 0, "--push: another ptop pushes to there: it has '%.120s'", s->path);
	return err_hint(err, "one for each store is enough; or another XDG_STATE_HOME");
}

static void
remove_at(struct spool *s, size_t at)
{
	char name[NAME_BYTES];

	put_name(name, s->items[at].number);
	unlinkat(s->dir, name, 0);
	s->bytes -= s->items[at].bytes;
	memmove(s->items + at, s->items + at + 1, (--s->len - at) * sizeof(*s->items));
}

void
spool_let_first_go(struct spool *s)
{
	s->is_held = false;
}

void
spool_remove_first(struct spool *s)
{
	s->is_held = false;
	remove_at(s, 0);
}

static void
make_room(struct spool *s, uint64_t bytes, uint64_t before, unsigned *dropped)
{
	const size_t oldest = s->is_held ? 1 : 0;

	while (s->len > oldest && s->bytes + bytes > s->bytes_max && s->items[oldest].number < before) {
		remove_at(s, oldest);
		(*dropped)++;
	}
}

struct spool *
spool_open(const char *path, uint64_t bytes_max, unsigned *dropped, struct err *err)
{
	struct own_rights kept;
	struct spool *s = mem_calloc(1, sizeof(*s));

	s->path = mem_strdup(path);
	s->bytes_max = bytes_max;
	own_rights_begin(&kept);
	s->dir = open_folder(path, err);
	if (s->dir < 0 || lock(s, err) < 0 || take_files(s, err) < 0) {
		spool_close(s);
		s = NULL;
	} else {
		make_room(s, 0, UINT64_MAX, dropped);
	}
	own_rights_end(&kept);
	return s;
}

void
spool_close(struct spool *s)
{
	if (s == NULL)
		return;
	if (s->dir >= 0)
		close(s->dir);
	free(s->path);
	free(s->items);
	free(s);
}

size_t
spool_count(const struct spool *s)
{
	return s->len;
}

uint64_t
spool_first(const struct spool *s)
{
	return s->len > 0 ? s->items[0].number : UINT64_MAX;
}

uint64_t
spool_next_number(struct spool *s)
{
	return s->next++;
}

static int
read_whole(int fd, struct buf *b, size_t len)
{
	size_t at = b->len, done = 0;

	buf_add_fill(b, '\0', len);
	while (done < len) {
		ssize_t n = pread(fd, b->data + at + done, len - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? EIO : errno;
			return -1;
		}
		done += (size_t)n;
	}
	return 0;
}

static void
insert(struct spool *s, struct entry e)
{
	size_t at;

	FIND_FIRST(at, s->len, s->items[at].number > e.number);
	vec_reserve(&s->items, &s->cap, s->len + 1, sizeof(*s->items));
	memmove(s->items + at + 1, s->items + at, (s->len++ - at) * sizeof(*s->items));
	s->items[at] = e;
	s->bytes += e.bytes;
}

int
spool_add(struct spool *s, uint64_t number, int fd, const struct push_about *about,
	  unsigned *dropped)
{
	struct head head = { .version = FILE_VERSION, .from_ns = about->from_ns,
			     .until_ns = about->until_ns, .rate = about->rate };
	char name[NAME_BYTES];
	struct buf b = { 0 };
	struct stat st;
	uint64_t bytes;
	bool is_kept;

	if (fstat(fd, &st) < 0)
		return -1;
	bytes = on_disk(sizeof(head) + (uint64_t)st.st_size);
	make_room(s, bytes, bytes <= s->bytes_max ? number : 0, dropped);
	if (s->bytes + bytes > s->bytes_max) {
		(*dropped)++;
		return 0;
	}
	memcpy(head.magic, MAGIC, sizeof(head.magic));
	head.len = (uint64_t)st.st_size;
	buf_add(&b, &head, sizeof(head));
	put_name(name, number);
	is_kept = read_whole(fd, &b, (size_t)st.st_size) == 0 && own_folder_save(s->dir, name, &b);
	buf_release(&b);
	if (!is_kept)
		return -1;
	insert(s, (struct entry){ number, bytes });
	return 0;
}

static bool
read_head(int fd, struct head *head)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_nlink == 1 &&
	       pread(fd, head, sizeof(*head), 0) == (ssize_t)sizeof(*head) &&
	       memcmp(head->magic, MAGIC, sizeof(head->magic)) == 0 && head->version == FILE_VERSION &&
	       head->len > 0 && head->len == (uint64_t)st.st_size - sizeof(*head);
}

int
spool_read_first(struct spool *s, struct spool_item *item, struct err *err)
{
	char name[NAME_BYTES];
	struct head head;

	put_name(name, s->items[0].number);
	item->fd = own_folder_file(s->dir, name, O_NOFOLLOW, OTHERS);
	if (item->fd < 0 && errno == EPERM)
		return refuse(s->path, name, err);
	if (item->fd < 0)
		return err_set(err, ERR_IO, errno, "cannot read '%.120s/%s'", s->path, name);
	if (!read_head(item->fd, &head)) {
		close(item->fd);
		return err_set(err, ERR_FORMAT, 0, "'%.120s/%s' is not as ptop wrote it", s->path, name);
	}
	s->is_held = true;
	item->offset = sizeof(head);
	item->len = head.len;
	item->about = (struct push_about){ head.from_ns, head.until_ns, head.rate };
	return 0;
}
