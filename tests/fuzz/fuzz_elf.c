/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a file of symbols: its image, which must then be a good one, source lines of its
 * functions and what is inlined there, and the places of functions, variables and a line.
 */
#include "fuzz.h"

#include "symbol/elf/elf_symbols.h"
#include "symbol/image/image.h"
#include "symbol/elf/lines.h"
#include "symbol/parser/parser.h"
#include "symbol/elf/places.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FUNCTIONS_MAX = 20, DSO = 1 };

/* The file itself stands for each that it wants to see beside. */
struct self_finder {
	struct debug_finder finder;
	int fd;
};

static int
find_self(const struct debug_finder *self, const struct debug_ask *ask)
{
	(void)ask;
	return dup(((const struct self_finder *)self)->fd);
}

static void
look_at_lines(int fd, const struct debug_finder *finder, const struct image *image)
{
	struct lines *lines = lines_new();
	struct buf names = { 0 };

	lines_open(lines, DSO, dup(fd), finder, NULL);
	for (uint32_t i = 0; image != NULL && i < image_count(image) && i < FUNCTIONS_MAX; i++) {
		free(lines_find(lines, DSO, image_address(image, i), NULL));
		lines_inlined(lines, DSO, image_address(image, i) + 4, &names);
	}
	free(lines_find(lines, DSO, 0x1000, &names));
	lines_inlined(lines, DSO, 0x1000, &names);
	buf_release(&names);
	lines_free(lines);
}

static void
look_for_places(int fd, const struct debug_finder *finder)
{
	static const char *const patterns[] = { "*", "main", "a.c:3" };
	struct elf_file f;

	if (elf_file_open(&f, fd, NULL) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct places places = { 0 };
		struct err err = { 0 };
		size_t file_len;
		unsigned line;

		if (places_is_line(patterns[i], &file_len, &line))
			places_of_line(&f, finder, patterns[i], &places, &err);
		else
			places_in_file(&f, &f, patterns[i], i == 0, &places, &err);
		places_release(&places);
	}
	elf_file_close(&f);
}

int
FUZZ_TARGET(elf)(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), image_fd;
	const struct self_finder self = { { .find = find_self }, fd };
	struct parser_file about = { 0 };
	struct image *image = NULL;
	struct err err = { 0 };

	if (write(fd, data, size) == (ssize_t)size) {
		image_fd = parser_image(fd, &self.finder, &about, &err);
		if (image_fd >= 0) {
			image = image_open(image_fd, &err);
			/* What the parser makes has to pass the check. */
			if (image == NULL)
				abort();
		}
		look_at_lines(fd, &self.finder, image);
		look_for_places(fd, &self.finder);
	}
	image_free(image);
	close(fd);
	return 0;
}
