/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel.h"
#include "symbol/kallsyms.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Only of the running kernel: another file of symbols may change without a sign. */
struct kernel_cache *
kernel_cache_for(const struct symbol_config *config)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/kallsyms", config->proc);
	if (config->cache == NULL || strcmp(path, config->kallsyms) != 0)
		return NULL;
	return kernel_cache_open(config->cache, config->proc, config->programs);
}

static struct image *
load(const struct kernel_cache *cache)
{
	int fd = kernel_cache_load(cache);
	struct image *img = fd >= 0 ? image_open(fd, NULL) : NULL;

	if (img != NULL && image_count(img) == 0) {
		image_free(img);
		img = NULL;
	}
	return img;
}

static bool
has_bpf(const struct image *img)
{
	uint32_t i, n = image_count(img);

	for (i = 0; i < n; i++)
		if (strcmp(image_module(img, i), "bpf") == 0)
			return true;
	return false;
}

struct image *
kernel_image(const struct symbol_config *config, const struct kernel_cache *cache,
	     const atomic_bool *stop, int *keep, struct err *err)
{
	struct image *img = cache != NULL ? load(cache) : NULL;
	int fd, copy;

	*keep = -1;
	if (img != NULL)
		return img;
	fd = kallsyms_image(config->kallsyms, config->proc, stop, err);
	if (fd < 0)
		return NULL;
	copy = cache != NULL ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	img = image_open(fd, err);
	if (img != NULL && copy >= 0 && (kernel_cache_knows_bpf(cache) || !has_bpf(img)))
		*keep = copy;
	else if (copy >= 0)
		close(copy);
	return img;
}
