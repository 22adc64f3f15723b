/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/places.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE_MAX_BYTES = 1024, NAME_MAX_BYTES = 512, DIGITS = 16,
	MARKS_MAX = 1000, /* of sections, that each list has: with fewer it has no variables */
};

/* As nm(1) calls them. */
static const char functions[] = "tTwW", variables[] = "dDbBrRvV";

/* "ffffffffc0331000 t ext4_readdir\t[ext4]": false if it is none of @types. */
static bool
parse_line(char *line, const char *types, struct symbol_place *place)
{
	char *rest;

	place->addr = strtoull(line, &rest, DIGITS);
	if (rest == line || rest[0] != ' ' || rest[1] == '\0' || strchr(types, rest[1]) == NULL ||
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

/* Breakpoints need the address, kprobes do not. */
static int
check_variables(const struct places *p, struct err *err)
{
	for (size_t i = 0; i < p->len; i++) {
		if (p->items[i].addr >> 63)
			continue;
		if (p->items[i].addr != 0)
			return err_set(err, ERR_UNSUPPORTED, 0,
				       "each CPU has its own '%.100s' of the kernel",
				       p->items[i].name);
		err_set(err, ERR_DENIED, 0, "the kernel hides where its '%.100s' is",
			p->items[i].name);
		return err_hint(err, "sudo sysctl kernel.kptr_restrict=0");
	}
	return 0;
}

static int
tell_none(const char *pattern, bool data, size_t seen, const char *nearest, struct err *err)
{
	err_set(err, ERR_GONE, 0, "the kernel%s has no %s '%.100s'", data ? "'s list" : "",
		data ? "variable" : "function", pattern);
	if (data && seen < MARKS_MAX)
		return err_hint(err, "a kernel without CONFIG_KALLSYMS_ALL, as this, lists no "
				"variables: mem:0xADDRESS");
	return *nearest != '\0' && !places_is_glob(pattern)
		? err_hint(err, "did you mean '%.100s'?", nearest)
		: err_hint(err, "it may be inlined, or of a module that is not loaded");
}

int
places_in_kernel(const char *path, const char *pattern, bool data, struct places *out,
		 struct err *err)
{
	FILE *in = fopen(path, "re");
	char line[LINE_MAX_BYTES], nearest[NAME_MAX_BYTES] = "";
	size_t wanted = strlen(pattern), seen = 0;
	int res = 0;

	if (in == NULL)
		return err_set(err, ERR_IO, errno, "cannot read '%s'", path);
	while (res == 0 && fgets(line, sizeof(line), in) != NULL) {
		struct symbol_place place = { 0 };

		if (!parse_line(line, data ? variables : functions, &place))
			continue;
		seen++;
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
	if (res == 0 && data)
		res = check_variables(out, err);
	if (res < 0 || out->len > 0)
		return res;
	return tell_none(pattern, data, seen, nearest, err);
}
