/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel/vsyscall.h"
#include "symbol/image/image_build.h"

#include <string.h>

enum { EACH_BYTES = 1024 };

struct image *
vsyscall_image(void)
{
	static const char *const names[] = { "vgettimeofday", "vtime", "vgetcpu" };
	struct image_build *b = image_build_new(NULL);
	int fd;

	if (b == NULL)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		image_build_add(b, &(struct image_symbol){
			.addr = i * EACH_BYTES, .size = EACH_BYTES, .name = names[i],
			.name_len = strlen(names[i]), .binding = IMAGE_GLOBAL });
	fd = image_build_finish(b, NULL);
	image_build_free(b);
	return fd >= 0 ? image_open(fd, NULL) : NULL;
}
