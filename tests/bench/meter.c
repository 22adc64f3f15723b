/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "meter.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/util.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_MAX = 1 << 16, KIND_MAX = 128, DESCRIPTORS_MAX = 4096 };

static double
field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at != NULL ? strtod(at + strlen(name), NULL) : 0;
}

/* The link's text without digits. */
static void
read_kind(char kind[KIND_MAX], const char *path)
{
	char link[KIND_MAX];
	ssize_t len = readlink(path, link, sizeof(link));
	size_t n = 0;

	for (ssize_t i = 0; i < len; i++)
		if (link[i] < '0' || link[i] > '9')
			kind[n++] = link[i];
	kind[MIN(n, KIND_MAX - 1)] = '\0';
}

static bool
is_of_symbols(const char *path)
{
	char kind[KIND_MAX];

	read_kind(kind, path);
	return strstr(kind, "ptop-symbols") != NULL || strstr(kind, "/ptop/elf-") != NULL ||
	       strstr(kind, "/ptop/kernel-") != NULL;
}

static int
count_entries(pid_t pid, const char *folder)
{
	char path[64];
	struct dirent *d;
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, folder);
	dir = opendir(path);
	if (dir == NULL)
		return 0;
	while ((d = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%d/%s/%.16s", (int)pid, folder, d->d_name);
		n += d->d_name[0] != '.' && !is_of_symbols(path);
	}
	closedir(dir);
	return n;
}

void
meter_read(struct meter *m, pid_t pid)
{
	struct buf text = { 0 };
	char path[64];

	*m = (struct meter){ 0 };
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (file_read(path, &text, STATUS_MAX) == 0) {
		m->peak_mib = field(buf_str(&text), "VmHWM:") / 1024;
		m->anon_mib = field(buf_str(&text), "RssAnon:") / 1024;
		m->descriptors = count_entries(pid, "fd");
		m->threads = count_entries(pid, "task");
	}
	buf_release(&text);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

void
meter_print_descriptors(pid_t pid)
{
	static char kinds[DESCRIPTORS_MAX][KIND_MAX];
	char path[KIND_MAX];
	size_t count = 0, end;
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir != NULL && count < DESCRIPTORS_MAX && (d = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", (int)pid, d->d_name);
		read_kind(kinds[count++], path);
	}
	if (dir != NULL)
		closedir(dir);
	qsort(kinds, count, sizeof(kinds[0]), compare_names);
	for (size_t i = 0; i < count; i = end) {
		for (end = i; end < count && strcmp(kinds[end], kinds[i]) == 0; end++)
			;
		printf("  %zu x '%s'\n", end - i, kinds[i]);
	}
}

int
meter_setting(const char *name, int otherwise)
{
	const char *text = getenv(name);
	int value = text != NULL ? atoi(text) : 0;

	return value > 0 ? value : otherwise;
}
