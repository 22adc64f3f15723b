/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/build_store.h"
#include "symbol/file/build_id.h"

#include "base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* false: there is no such folder. */
static bool
perf_dir(struct buf *b)
{
	const char *home = getenv("HOME");

	if (home == NULL || *home != '/')
		return false;
	buf_addf(b, "%s/.debug", home);
	return true;
}

bool
build_store_client_dir(struct buf *b)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (own != NULL && *own == '/')
		buf_add_str(b, own);
	else if (cache != NULL && *cache == '/')
		buf_addf(b, "%s/debuginfod_client", cache);
	else if (home != NULL && *home == '/')
		buf_addf(b, "%s/.cache/debuginfod_client", home);
	return b->len > 0;
}

bool
build_store_source_name(const char *path, struct buf *b)
{
	size_t before = b->len;

	buf_add_str(b, BUILD_STORE_SOURCE);
	for (const char *p = path; *p != '\0' && b->len - before <= NAME_MAX; p++) {
		if (*p == '/')
			buf_add_str(b, "##");
		else if (*p == '#')
			buf_add_str(b, "#_");
		else
			buf_add_char(b, *p);
	}
	return *path == '/' && b->len - before <= NAME_MAX;
}

static bool
system_dir(struct buf *b)
{
	buf_add_str(b, "/usr/lib/debug");
	return true;
}

/* In order. */
static const struct store {
	enum build_store_want want;
	bool (*dir)(struct buf *b);
	bool is_own;  /* the user's: nothing is believed that others could have put there */
	bool is_split; /* "xx/yyyy", else the whole id; these have links, too */
	const char *before, *after;
} stores[] = {
	{ BUILD_STORE_FILE, perf_dir, true, true, ".build-id/", "/elf" },
	{ BUILD_STORE_FILE, system_dir, false, true, ".build-id/", "" },
	{ BUILD_STORE_FILE, build_store_client_dir, true, false, "", "/executable" },
	{ BUILD_STORE_DEBUG, perf_dir, true, true, ".build-id/", "/debug" },
	{ BUILD_STORE_DEBUG, build_store_client_dir, true, false, "", "/debuginfo" },
};

/* perf's cache has links to files, and hard links of files of the system: those may be root's. */
static bool
may_trust(const struct store *s, const struct stat *st)
{
	return !s->is_own || ((st->st_uid == geteuid() || st->st_uid == 0) &&
			      (st->st_mode & (S_IWGRP | S_IWOTH)) == 0);
}

/* A FIFO or a device must not even be opened. */
static int
open_regular(const struct store *s, int dir, const char *path)
{
	int at = openat(dir, path, O_PATH | O_CLOEXEC | (s->is_split ? 0 : O_NOFOLLOW)), fd = -1;
	char link[64];
	struct stat st;

	if (at < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	if (fstat(at, &st) == 0 && S_ISREG(st.st_mode) && may_trust(s, &st))
		fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	close(at);
	return fd;
}

static void
put_path(const struct store *s, const uint8_t *id, size_t len, struct buf *b)
{
	buf_add_str(b, s->before);
	for (size_t i = 0; i < len; i++)
		buf_addf(b, "%02x%s", id[i], i == 0 && s->is_split ? "/" : "");
	buf_add_str(b, s->after);
}

static int
open_in(const struct store *s, const uint8_t *id, size_t len)
{
	struct buf b = { 0 };
	struct stat st;
	int dir = -1, fd = -1;

	if (s->dir(&b))
		dir = open(buf_str(&b), O_PATH | O_DIRECTORY | O_CLOEXEC);
	buf_reset(&b);
	put_path(s, id, len, &b);
	if (dir >= 0 && fstat(dir, &st) == 0 && may_trust(s, &st))
		fd = open_regular(s, dir, buf_str(&b));
	if (dir >= 0)
		close(dir);
	buf_release(&b);
	return fd;
}

static bool
has_id(int fd, const uint8_t *id, size_t len)
{
	uint8_t own[BUILD_ID_BYTES];
	int own_len = build_id_read(fd, own);

	return own_len > 0 && (size_t)own_len == len && memcmp(own, id, len) == 0;
}

int
build_store_open(enum build_store_want want, const uint8_t *id, size_t len, unsigned nth)
{
	for (size_t i = 0; len > 1 && i < ARRAY_SIZE(stores); i++) {
		int fd = stores[i].want == want ? open_in(&stores[i], id, len) : -1;

		if (fd < 0)
			continue;
		if (has_id(fd, id, len) && nth-- == 0)
			return fd;
		close(fd);
	}
	return -1;
}

bool
build_store_is_none(enum build_store_want want, const uint8_t *id, size_t len)
{
	struct buf b = { 0 };
	bool is_none = true;

	for (size_t i = 0; i < ARRAY_SIZE(stores) && is_none; i++) {
		buf_reset(&b);
		if (stores[i].want != want || !stores[i].dir(&b))
			continue;
		buf_add_str(&b, "/");
		put_path(&stores[i], id, len, &b);
		is_none = file_is_known_missing(buf_str(&b));
	}
	buf_release(&b);
	return is_none;
}
