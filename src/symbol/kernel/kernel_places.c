/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/places.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024, NAME_MAX_BYTES = 512, DIGITS = 16 };

/* "ffffffffc0331000 t ext4_readdir\t[ext4]": false if it is no function. */
static bool
parse_line(char *line, struct symbol_place *place)
{
	char *rest;

	place->addr = strtoull(line, &rest, DIGITS);
	if (rest == line || rest[0] != ' ' || rest[1] == '\0' || strchr("tTwW", rest[1]) == NULL ||
	    rest[2] != ' ')
		return false;
	/* BPF programs are not what a kprobe can be put on. */
	if (strstr(rest, "\t[bpf]") != NULL)
		return false;
	place->name = rest + 3;
	place->name[strcspn(place->name, "\t\n")] = '\0';
	return *place->name != '\0' && strlen(place->name) < NAME_MAX_BYTES;
}

static void
keep_nearest(const char *pattern, const char *name, char *nearest)
{
	const char *names[] = { nearest, name };

	if (text_nearest(pattern, names, ARRAY_SIZE(names)) == name)
		strcpy(nearest, name);
}

int
places_in_kernel(const char *path, const char *pattern, struct places *out, struct err *err)
{
	FILE *in = fopen(path, "re");
	char line[LINE_MAX_BYTES], nearest[NAME_MAX_BYTES] = "";
	size_t wanted = strlen(pattern);
	int res = 0;

	if (in == NULL)
		return err_set(err, ERR_IO, errno, "cannot read '%s'", path);
	while (res == 0 && fgets(line, sizeof(line), in) != NULL) {
		struct symbol_place place = { 0 };

		if (!parse_line(line, &place))
			continue;
		/* Where addresses are hidden, all are 0. */
		place.offset = place.addr == 0 ? out->len : 0;
		if (places_match(pattern, place.name))
			res = places_add(out, &place, pattern, err);
		else if (out->len == 0 && strlen(place.name) <= wanted + wanted / 3 + 1)
			keep_nearest(pattern, place.name, nearest);
	}
	fclose(in);
	for (size_t i = 0; i < out->len; i++)
		out->items[i].offset = 0;
	if (res < 0 || out->len > 0)
		return res;
	err_set(err, ERR_GONE, 0, "the kernel has no function '%.100s'", pattern);
	return *nearest != '\0' && !places_is_glob(pattern)
		? err_hint(err, "did you mean '%.100s'?", nearest)
		: err_hint(err, "it may be inlined, or of a module that is not loaded");
}
