/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as events, on a machine of files that has every kind of PMU.  The machine is as
 * untrusted: after a line feed the text goes on with what the files of one PMU hold.
 */
#include "fuzz.h"

#include "event/event.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 4096, PATH_BYTES = 256 };

#define DEVICES "sys/bus/event_source/devices/"

static const char *const files[][2] = {
	{ DEVICES "cpu/type", "4" },
	{ DEVICES "cpu/cpus", "0-1" },
	{ DEVICES "cpu/format/event", "config:0-7,32-35" },
	{ DEVICES "cpu/format/ldlat", "config1:0-15" },
	{ DEVICES "cpu/events/loads", "event=0xcd,ldlat=3" },
	{ DEVICES "cpu/events/asks", "event=?" },
	{ DEVICES "atom/type", "10" },
	{ DEVICES "atom/cpus", "2-3" },
	{ DEVICES "uncore_0/type", "20" },
	{ DEVICES "uncore_0/cpumask", "0,18" },
	{ DEVICES "uprobe/type", "8" },
	{ DEVICES "uprobe/format/retprobe", "config:0" },
	{ DEVICES "kprobe/type", "7" },
	{ "sys/kernel/tracing/events/sched/sched_switch/id", "300" },
	{ "sys/kernel/tracing/events/sched/sched_wakeup/id", "301" },
};

/* What the text itself may say. */
static const char *const given[] = {
	DEVICES "cpu/format/own", DEVICES "cpu/events/own", DEVICES "cpu/cpus",
};

static char root[64]; /* of the machine, for all runs of a process: making it takes the time */

static void
put(const char *path, const char *text, size_t len)
{
	char full[PATH_BYTES];
	int fd;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		abort();
	close(fd);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void
remove_machine(void)
{
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void
make_machine(void)
{
	strcpy(root, "/tmp/fuzz_event.XXXXXX");
	if (mkdtemp(root) == NULL)
		abort();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		put(files[i][0], files[i][1], strlen(files[i][1]));
	atexit(remove_machine);
}

/* Parsed events have names; a refusal has a text and leaves nothing. */
static void
parse(const struct event_env *env, const char *text)
{
	struct event_list list = { 0 };
	struct err err = { 0 };
	struct event copy;

	if (event_parse(env, text, &list, &err) < 0) {
		if (list.len != 0 || *err.text == '\0' || err.code == ERR_NONE)
			abort();
	} else if (list.len == 0) {
		abort();
	}
	for (size_t i = 0; i < list.len; i++) {
		if (list.items[i].name == NULL)
			abort();
		event_copy(&copy, &list.items[i]);
		event_release(&copy);
	}
	event_list_release(&list);
}

int
FUZZ_TARGET(event)(const uint8_t *data, size_t size)
{
	static bool is_changed;
	struct event_env env = { .root = root, .tracefs_fd = -1 };
	char text[TEXT_MAX + 1], *next;

	if (size > TEXT_MAX)
		return 0;
	if (*root == '\0')
		make_machine();
	memcpy(text, data, size);
	text[size] = '\0';
	next = strchr(text, '\n');
	for (size_t i = 0; i < sizeof(given) / sizeof(*given) && (next || is_changed); i++) {
		char *line = next != NULL ? next + 1 : text + size;

		if (next != NULL)
			*next = '\0';
		next = strchr(line, '\n');
		put(given[i], line, strcspn(line, "\n"));
	}
	is_changed = strlen(text) < size;
	parse(&env, text);
	return 0;
}
