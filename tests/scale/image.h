/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SCALE_IMAGE_H
#define PTOP_TESTS_SCALE_IMAGE_H
/* Binaries that cannot run: what names code in them, and no code. */
#include <stdbool.h>
#include <stdint.h>

enum { IMAGE_ID_BYTES = 20 };

/*
 * Writes an ELF file with @functions functions, @prefix_0 and on, as scale.h places them; the
 * build-id is made of @path.  false: it could not be written, errno says why.
 */
bool image_write(const char *path, const char *prefix, uint64_t functions,
		 uint8_t id[IMAGE_ID_BYTES]);

#endif
