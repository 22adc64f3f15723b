/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the names and source lines of a large file take: the symbol image with a cold and a warm
 * page cache, the first line and those after it.  usage: symbols WHAT FILE [DEBUG_DIR]
 */
#include "figure.h"

#include "symbol/elf/elf_image.h"
#include "symbol/find/debug_find.h"
#include "symbol/image/image.h"
#include "symbol/elf/lines.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LINES = 200, RUNS = 3 };

static const struct {
	const char *what;
	double most_ms;
} limits[] = { { "cold", 1000 }, { "warm", 1000 } };

static double
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct image *
image_of(int fd, const struct debug_finder *finder, struct err *err)
{
	struct elf_file f;
	int made;

	if (elf_file_open(&f, fd, err) != 0)
		return NULL;
	made = elf_image(&f, finder, err);
	elf_file_close(&f);
	return made >= 0 ? image_open(made, err) : NULL;
}

static void
print(const char *what, const char *which, const char *part, double ms, double limit)
{
	char text[128];
	struct figure f = { .what = text, .unit = "ms", .perf = NAN, .ptop = ms, .limit = limit,
			    .rule = limit > 0 ? FIGURE_MOST : FIGURE_INFO };

	snprintf(text, sizeof(text), "%s, %s: %s", what, which, part);
	figure_print(&f);
}

static int
bench_names(const char *what, int fd, const struct debug_finder *finder)
{
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		double best = INFINITY;

		for (int run = 0; run < RUNS; run++) {
			struct image *image;
			double start;

			if (i == 0)
				posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
			start = now_ms();
			image = image_of(fd, finder, &err);
			best = MIN(best, now_ms() - start);
			if (image == NULL) {
				fprintf(stderr, "symbols: %s\n", err.text);
				return 1;
			}
			image_free(image);
		}
		print(what, limits[i].what, "its names", best, limits[i].most_ms);
	}
	return 0;
}

static void
bench_lines(const char *what, int fd, const struct debug_finder *finder)
{
	struct image *image = image_of(fd, finder, NULL);
	struct lines *lines = lines_new();
	double start = now_ms(), first;
	unsigned found = 0;

	if (image == NULL || lines_open(lines, 1, dup(fd), finder, NULL) != 0)
		goto out;
	for (uint32_t i = 0; i < LINES; i++) {
		uint32_t fn = (uint32_t)((uint64_t)image_count(image) * i / LINES);
		char *line = lines_find(lines, 1, image_address(image, fn), NULL);

		found += line != NULL;
		free(line);
		if (i == 0)
			first = now_ms();
	}
	print(what, "warm", "the first source line", first - start, 0);
	print(what, "warm", "each of 199 more", (now_ms() - first) / (LINES - 1), 0);
	printf("note: %s: %u of %u lines, %u functions\n", what, found, LINES, image_count(image));
out:
	lines_free(lines);
	image_free(image);
}

int
main(int argc, char **argv)
{
	const char *dir = argc > 3 ? argv[3] : "/usr/lib/debug";
	struct debug_finder finder = { .find = debug_find, .dir = dir, .proc = "/proc" };
	struct rusage used;
	int fd = argc > 2 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1, res;

	if (fd < 0) {
		fprintf(stderr, "symbols: WHAT FILE [DEBUG_DIR]\n");
		return 2;
	}
	res = bench_names(argv[1], fd, &finder);
	getrusage(RUSAGE_SELF, &used);
	printf("note: %s: at most %ld MiB resident for names\n", argv[1], used.ru_maxrss / 1024);
	if (res == 0)
		bench_lines(argv[1], fd, &finder);
	close(fd);
	return res;
}
