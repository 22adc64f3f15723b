/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/service/image_cache.h"
#include "symbol/file/build_id.h"
#include "symbol/file/cache_dir.h"
#include "symbol/image/image_format.h"
#include "symbol/unwind/unwind_format.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME_PREFIX "elf-"

enum {
	WAITING_MAX = 64, /* blocks noted and not written yet: each holds a descriptor */
	SETTLED_S = 2,    /* a file may change again within what its times can tell */
};

static const uint64_t BYTES_MAX = 256 << 20;

struct image_cache {
	int dir;
	bool is_trimmed;
	size_t first, count; /* of waiting, in a circle */
	struct {
		struct image_cache_key key;
		int fd;
	} waiting[WAITING_MAX];
};

struct image_cache *
image_cache_new(const char *path)
{
	struct image_cache *c = mem_calloc(1, sizeof(*c));

	c->dir = path != NULL ? cache_dir_open(path) : -1;
	return c;
}

void
image_cache_free(struct image_cache *c)
{
	for (size_t i = 0; i < c->count; i++)
		close(c->waiting[(c->first + i) % WAITING_MAX].fd);
	if (c->dir >= 0)
		close(c->dir);
	free(c);
}

/* What the name of each kind begins with: one prefix for all, which the bound holds for. */
static const struct {
	const char *prefix;
	unsigned made; /* how: what was made in another way is not found */
} kinds[] = {
	[IMAGE_CACHE_SYMBOLS] = { NAME_PREFIX, IMAGE_RULES },
	[IMAGE_CACHE_RULES] = { NAME_PREFIX "cfi-", UNWIND_RULES },
};

static uint64_t
ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * NSEC_PER_SEC + (uint64_t)t->tv_nsec;
}

/* All that tells files apart, and none of it shortened: equal names are equal files. */
struct image_cache_key
image_cache_key_of_file(enum image_cache_kind kind, const struct stat *st)
{
	struct image_cache_key key = { "" };

	if (st->st_ino == 0 || time(NULL) - st->st_ctime < SETTLED_S)
		return key;
	snprintf(key.name, sizeof(key.name), "%s%u-%llx-%llx-%llx-%llx-%llx-%x", kinds[kind].prefix,
		 kinds[kind].made,
		 (unsigned long long)st->st_dev, (unsigned long long)st->st_ino,
		 (unsigned long long)st->st_size, (unsigned long long)ns_of(&st->st_mtim),
		 (unsigned long long)ns_of(&st->st_ctim), (unsigned)st->st_uid);
	return key;
}

struct image_cache_key
image_cache_key_of_vdso(enum image_cache_kind kind, const uint8_t *build_id, size_t len)
{
	struct image_cache_key key = { "" };
	int n;

	if (len == 0)
		return key;
	n = snprintf(key.name, sizeof(key.name), "%s%u-vdso-", kinds[kind].prefix, kinds[kind].made);
	for (size_t i = 0; i < MIN(len, BUILD_ID_BYTES); i++, n += 2)
		snprintf(key.name + n, sizeof(key.name) - (size_t)n, "%02x", build_id[i]);
	return key;
}

int
image_cache_load(const struct image_cache *c, const struct image_cache_key *key)
{
	if (c->dir < 0 || *key->name == '\0')
		return -1;
	return cache_dir_load(c->dir, key->name);
}

void
image_cache_keep(struct image_cache *c, const struct image_cache_key *key, int fd)
{
	size_t at = (c->first + c->count) % WAITING_MAX;

	if (c->dir < 0 || c->count == WAITING_MAX || *key->name == '\0')
		return;
	c->waiting[at].key = *key;
	c->waiting[at].fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	c->count += c->waiting[at].fd >= 0;
}

bool
image_cache_save(struct image_cache *c)
{
	size_t at = c->first;

	if (c->count == 0)
		return false;
	cache_dir_save(c->dir, c->waiting[at].key.name, c->waiting[at].fd);
	close(c->waiting[at].fd);
	c->first = (c->first + 1) % WAITING_MAX;
	c->count--;
	if (!c->is_trimmed)
		cache_dir_trim(c->dir, NAME_PREFIX, NULL, BYTES_MAX);
	c->is_trimmed = true;
	return true;
}
