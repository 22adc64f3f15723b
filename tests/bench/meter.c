/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "meter.h"

#include "base/buf.h"
#include "base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_MAX = 1 << 16 };

static double
field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at != NULL ? strtod(at + strlen(name), NULL) : 0;
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
	while ((d = readdir(dir)) != NULL)
		n += d->d_name[0] != '.';
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

int
meter_setting(const char *name, int otherwise)
{
	const char *text = getenv(name);
	int value = text != NULL ? atoi(text) : 0;

	return value > 0 ? value : otherwise;
}
