/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel/kernel.h"
#include "symbol/file/cache_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME_PREFIX "kernel-"

struct kernel_cache {
	int dir;
	char name[64]; /* of the image for the kernel as it is now */
};

struct kernel_cache *
kernel_cache_open(const char *dir, const struct kernel_state *state)
{
	struct kernel_cache *c = mem_calloc(1, sizeof(*c));

	c->dir = cache_dir_open(dir);
	if (c->dir < 0) {
		free(c);
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
