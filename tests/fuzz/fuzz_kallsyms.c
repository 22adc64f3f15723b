/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a copy of /proc/kallsyms: an image whose functions can all be looked up, or none. */
#include "fuzz.h"

#include "base/util.h"
#include "symbol/image/image.h"
#include "symbol/kernel/kallsyms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void
look_up_all(const struct image *image)
{
	uint64_t last = 0;

	for (uint32_t fn = 0; fn < image_count(image); fn++) {
		uint64_t at = image_address(image, fn), size = image_size(image, fn);

		if (size == 0 || at < last || at + size < at || image_find(image, at) != fn ||
		    image_find(image, at + size - 1) != fn || *image_raw_name(image, fn) == '\0' ||
		    strchr(image_module(image, fn), '\n') != NULL)
			abort();
		last = at + size;
	}
}

int
FUZZ_TARGET(kallsyms)(const uint8_t *data, size_t size)
{
	static atomic_bool never;
	int list = memfd_create("kallsyms", MFD_CLOEXEC), fd;
	struct kallsyms_source from = { .proc = "/nowhere" };
	struct image *image = NULL;
	struct err err;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", list);
	from.path = path;
	/* The first byte: whether it is a list of another boot. */
	from.is_file = size > 0 && data[0] & 1;
	from.text = from.is_file ? UINT64_C(0xffffffff9a000000) : 0;
	if (size > 0 && write(list, data + 1, size - 1) == (ssize_t)size - 1) {
		fd = kallsyms_image(&from, &never, &err);
		image = fd >= 0 ? image_open(fd, &err) : NULL;
		if (fd >= 0 && image == NULL)
			abort();
	}
	if (image != NULL)
		look_up_all(image);
	image_free(image);
	close(list);
	return 0;
}
