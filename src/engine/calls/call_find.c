/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/calls/call_find.h"

#include "engine/calls/function_ends.h"
#include "engine/place/place_lookup.h"

#include "live/sys/procfs.h"

#include "base/buf.h"
#include "base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROCESSES_MAX = 64, MAPS_BYTES_MAX = 1 << 20 };

struct reading {
	const struct place_processes *processes;
	struct listing *parts[FUNCTION_PARTS_MAX];
	struct function_code code;
	uint32_t copies;
	bool has_more_copies;
};

static uint64_t
read_part(void *reading, const struct listing *l)
{
	struct reading *r = reading;
	size_t at = r->code.count;

	/* What is elsewhere and cannot be read is no part: jumps to it are ends. */
	if (at > 0 && l->count == 0)
		return 0;
	/* The message's own goes with it. */
	r->parts[at] = listing_get((struct listing *)(uintptr_t)l);
	r->code.parts[at] = r->parts[at];
	r->code.count++;
	return function_part(&r->code);
}

/* Whether the process runs code of that file. */
static bool
maps(int pid, ino_t ino)
{
	struct buf b = { 0 };
	char path[64];
	bool found = false;
	struct procfs_map map;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file_read(path, &b, MAPS_BYTES_MAX);
	for (const char *line = buf_str(&b); *line != '\0' && !found;) {
		size_t len = strcspn(line, "\n");

		found = procfs_map(line, len, &map) && map.ino == ino && (map.prot & PROT_EXEC);
		line += len + (line[len] == '\n');
	}
	buf_release(&b);
	return found;
}

/* The file that most of the processes run code of. */
static void
choose_site(void *reading, struct event *ev)
{
	const struct reading *r = reading;
	size_t best = 0, most = 0;
	struct event_site first;

	for (size_t i = 0; i < ev->site_count && ev->site_count > 1; i++) {
		struct stat st;
		size_t count = 0;

		if (ev->sites[i].target == NULL || stat(ev->sites[i].target, &st) != 0)
			continue;
		for (size_t n = 0; n < r->processes->count; n++)
			count += maps(r->processes->pids[n], st.st_ino);
		if (count > most) {
			most = count;
			best = i;
		}
	}
	first = ev->sites[0];
	ev->sites[0] = ev->sites[best];
	ev->sites[best] = first;
}

static void
take_copies(void *reading, uint32_t count, bool more)
{
	struct reading *r = reading;

	r->copies = count;
	r->has_more_copies = more;
}

static void
release(struct reading *r)
{
	for (size_t i = 0; i < FUNCTION_PARTS_MAX; i++)
		listing_put(r->parts[i]);
}

/* What people call the file: not where the process has it. */
static void
name_file(const char *target, char name[PATH_MAX])
{
	ssize_t len = -1;

	if (strncmp(target, "/proc/", strlen("/proc/")) == 0)
		len = readlink(target, name, PATH_MAX - 1);
	if (len >= 0)
		name[len] = '\0';
	else
		snprintf(name, PATH_MAX, "%s", target);
}

static void
find_ends(const struct reading *r, const struct event *ev, bool is_choice,
	  struct call_found *found)
{
	char file[PATH_MAX] = "";
	const char *why = "returns of the kernel's functions are not probed";

	found->points[0] = (struct call_point){ .kind = CALL_BEGIN, .offset = ev->sites[0].at,
						.is_stepped = true };
	found->count = 1;
	if (r->code.count > 0)
		why = function_ends(&r->code, found->points, &found->count);
	if (ev->place == EVENT_PLACE_UPROBE)
		name_file(ev->sites[0].target, file);
	if (*why != '\0')
		snprintf(found->why, sizeof(found->why), "%s", why);
	else if (is_choice)
		snprintf(found->why, sizeof(found->why), "%zu found: this is the one in %.200s",
			 ev->site_count, file);
}

/* What is not counted of it. */
static void
note_copies(const struct reading *r, struct call_found *found)
{
	size_t len = strlen(found->why);

	if (r->copies > 0)
		snprintf(found->why + len, sizeof(found->why) - len,
			 "%salso inlined at %s%u place%s: not counted there", len > 0 ? "; " : "",
			 r->has_more_copies ? "no less than " : "", r->copies, r->copies > 1 ? "s" : "");
}

/* Of a name that can be anywhere: who is looked into where nobody is named, the oldest first. */
static size_t
list_processes(int pids[PROCESSES_MAX])
{
	int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ids[PROC_FILE_IDS];
	size_t count = 0, got;
	char path[64], link[8];

	while (fd >= 0 && count < PROCESSES_MAX && proc_file_ids(fd, ids, &got) > 0)
		for (size_t i = 0; i < got && count < PROCESSES_MAX; i++) {
			snprintf(path, sizeof(path), "/proc/%d/exe", ids[i]);
			/* The kernel's threads have none. */
			if (ids[i] != getpid() && readlink(path, link, sizeof(link)) > 0)
				pids[count++] = ids[i];
		}
	if (fd >= 0)
		close(fd);
	return count;
}

static size_t
list_roots(const struct call_order *o, int pids[PROCESSES_MAX])
{
	size_t count = 0;

	for (; count < o->root_count && count < PROCESSES_MAX; count++)
		pids[count] = o->roots[count].pid;
	return count;
}

int
call_find(void *self, struct call_order *o, struct call_found *found, struct err *err)
{
	int pids[PROCESSES_MAX];
	bool is_named = o->root_count > 0 || o->event.path != NULL;
	const struct place_processes processes = {
		.pids = pids, .count = is_named ? list_roots(o, pids) : list_processes(pids),
		.at_exec = o->at_exec,
	};
	struct reading r = { .processes = &processes };
	const struct place_reader reader = {
		.read = read_part, .choose = choose_site, .copies = take_copies, .self = &r,
	};
	int res = place_lookup_code(&o->event, &processes, &reader, err);

	(void)self;
	if (res == 0) {
		find_ends(&r, &o->event, !is_named || o->event.site_count > 1, found);
		note_copies(&r, found);
	}
	release(&r);
	return res;
}
