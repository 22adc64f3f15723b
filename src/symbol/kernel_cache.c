/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel_cache.h"
#include "symbol/cache_dir.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/*
 * The ids of the BPF programs: they rise with each one loaded, so that equal lists are equal
 * programs at equal addresses.  false without the right to ask.
 */
static bool
add_bpf_ids(struct buf *key)
{
	union bpf_attr attr;
	unsigned n;

	memset(&attr, 0, sizeof(attr));
	for (n = 0; n < MAX_PROGRAMS; n++) {
		if (syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) != 0)
			return errno == ENOENT;
		buf_add(key, &attr.next_id, sizeof(attr.next_id));
		attr.start_id = attr.next_id;
	}
	return false;
}

static void
make_name(struct kernel_cache *c, const char *proc)
{
	struct buf key = { 0 };
	uint64_t one, two;

	add_proc_file(&key, proc, "sys/kernel/random/boot_id", MAX_SMALL);
	file_read("/sys/kernel/notes", &key, MAX_SMALL);
	buf_add_char(&key, '\0');
	add_proc_file(&key, proc, "modules", MAX_MODULES);
	c->knows_bpf = add_bpf_ids(&key);
	one = hash_bytes(key.data, key.len);
	buf_add_str(&key, "two");
	two = hash_bytes(key.data, key.len);
	snprintf(c->name, sizeof(c->name), NAME_PREFIX "%016llx%016llx", (unsigned long long)one,
		 (unsigned long long)two);
	buf_release(&key);
}

struct kernel_cache *
kernel_cache_open(const char *dir, const char *proc)
{
	struct kernel_cache *c = mem_calloc(1, sizeof(*c));

	c->dir = cache_dir_open(dir);
	if (c->dir < 0) {
		free(c);
		return NULL;
	}
	make_name(c, proc);
	return c;
}

void
kernel_cache_close(struct kernel_cache *c)
{
	if (c == NULL)
		return;
	close(c->dir);
	free(c);
}

int
kernel_cache_load(const struct kernel_cache *c)
{
	return cache_dir_load(c->dir, c->name);
}

void
kernel_cache_save(const struct kernel_cache *c, int image_fd)
{
	if (cache_dir_save(c->dir, c->name, image_fd))
		cache_dir_trim(c->dir, NAME_PREFIX, c->name, 0);
}

bool
kernel_cache_knows_bpf(const struct kernel_cache *c)
{
	return c->knows_bpf;
}
