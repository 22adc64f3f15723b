/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/tracepoint.h"

#include "base/file.h"
#include "event/names.h"
#include "event/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOUNTS_BYTES_MAX = 1 << 20 };

/* The file systems that have tracepoints: their events, and where they are usually mounted. */
static const struct trace_mount {
	const char *type, *usual, *events;
} trace_mounts[] = {
	{ "tracefs", "/sys/kernel/tracing", "/events" },
	{ "debugfs", "/sys/kernel/debug", "/tracing/events" },
};

/*
 * Whether @path can be listed, capabilities of ptop's file counted, which access(2) does not;
 * remembers in *@denied if only a right is missing.
 */
static bool
is_readable(const char *path, bool *denied)
{
	if (faccessat(AT_FDCWD, path, R_OK | X_OK, AT_EACCESS) == 0)
		return true;
	*denied |= errno == EACCES || errno == EPERM;
	return false;
}

/* Looks where /proc/mounts says that a file system of type @m is. */
static bool
find_mounted(const struct event_env *env, const char *mounts, const struct trace_mount *m,
	     struct buf *path, bool *denied)
{
	for (const char *line = mounts; *line != '\0';) {
		size_t len = strcspn(line, "\n");
		size_t dev = strcspn(line, " \n");
		const char *where = line + MIN(dev + 1, len);
		size_t where_len = strcspn(where, " \n");
		const char *type = where + where_len + (where[where_len] == ' ');

		if (strncmp(type, m->type, strlen(m->type)) == 0 && type[strlen(m->type)] == ' ') {
			buf_reset(path);
			buf_addf(path, "%s%.*s%s", env->root, (int)where_len, where, m->events);
			if (is_readable(path->data, denied))
				return true;
		}
		line += len + (line[len] == '\n');
	}
	return false;
}

int
tracepoint_dir(const struct event_env *env, struct buf *path, struct err *err)
{
	struct buf mounts = { 0 }, name = { 0 };
	bool denied = false, found = false;

	if (*env->tracefs != '\0') {
		buf_reset(path);
		buf_addf(path, "%s/events", env->tracefs);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(trace_mounts) && !found; i++) {
		buf_reset(path);
		buf_addf(path, "%s%s%s", env->root, trace_mounts[i].usual, trace_mounts[i].events);
		found = is_readable(path->data, &denied);
	}
	if (!found) {
		buf_addf(&name, "%s/proc/mounts", env->root);
		file_read(name.data, &mounts, MOUNTS_BYTES_MAX);
		for (size_t i = 0; i < ARRAY_SIZE(trace_mounts) && !found; i++)
			found = find_mounted(env, buf_str(&mounts), &trace_mounts[i], path,
					     &denied);
	}
	buf_release(&mounts);
	buf_release(&name);
	if (found)
		return 0;
	if (denied) {
		err_set(err, ERR_DENIED, 0, "tracefs is not readable");
		return err_hint(err, TRACEFS_REMEDY);
	}
	err_set(err, ERR_UNSUPPORTED, 0, "tracefs is not mounted");
	return err_hint(err, TRACEFS_AS_ROOT_OR "sudo mount -t tracefs -o " TRACEFS_OPTIONS
			     " tracefs /sys/kernel/tracing");
}

bool
tracepoint_can_open(const char *group, const char *name)
{
	return strcmp(group, "ftrace") != 0 || strcmp(name, "function") == 0;
}

void
tracepoint_list(const char *dir, void (*each)(void *self, const char *group, const char *name),
		void *self)
{
	struct names groups = { 0 };
	struct buf path = { 0 };

	names_read(&groups, dir, false, TRACEPOINT_GROUPS_MAX);
	for (size_t i = 0; i < groups.len; i++) {
		struct names names = { 0 };

		buf_reset(&path);
		buf_addf(&path, "%s/%s", dir, groups.items[i]);
		names_read(&names, path.data, false, TRACEPOINT_NAMES_MAX);
		for (size_t j = 0; j < names.len; j++) {
			if (tracepoint_can_open(groups.items[i], names.items[j]))
				each(self, groups.items[i], names.items[j]);
		}
		names_release(&names);
	}
	names_release(&groups);
	buf_release(&path);
}

/* The name in @dir nearest to @word, to be freed; NULL if none is near. */
static char *
nearest_in(const char *dir, const char *word)
{
	struct names names = { 0 };
	const char *found;
	char *copy = NULL;

	names_read(&names, dir, false, TRACEPOINT_NAMES_MAX);
	found = names_nearest(&names, word);
	if (found != NULL)
		copy = mem_strdup(found);
	names_release(&names);
	return copy;
}

/* "sched_switch" alone: the group that has it. */
static void
find_group_of(const char *dir, const char *name, struct buf *out)
{
	struct names groups = { 0 };
	struct buf path = { 0 };

	names_read(&groups, dir, false, TRACEPOINT_GROUPS_MAX);
	for (size_t i = 0; i < groups.len && out->len == 0; i++) {
		buf_reset(&path);
		buf_addf(&path, "%s/%s/%s/id", dir, groups.items[i], name);
		if (faccessat(AT_FDCWD, path.data, F_OK, AT_EACCESS) == 0)
			buf_addf(out, "%s:%s", groups.items[i], name);
	}
	names_release(&groups);
	buf_release(&path);
}

static void
find_nearest(const char *dir, const char *group, const char *name, struct buf *out)
{
	char *near_group = nearest_in(dir, group), *near_name = NULL;
	struct buf path = { 0 };

	if (near_group != NULL) {
		buf_addf(&path, "%s/%s", dir, near_group);
		near_name = nearest_in(path.data, name);
	}
	if (near_name != NULL)
		buf_addf(out, "%s:%s", near_group, near_name);
	free(near_name);
	free(near_group);
	buf_release(&path);
}

void
tracepoint_nearest(const struct event_env *env, const char *text, struct buf *out)
{
	size_t len = strcspn(text, ":");
	struct buf dir = { 0 };
	char *group, *name;

	if (!spec_is_file_name(text, len) || tracepoint_dir(env, &dir, NULL) < 0)
		goto out;
	if (text[len] == '\0') {
		find_group_of(dir.data, text, out);
		goto out;
	}
	group = mem_strndup(text, len);
	name = mem_strndup(text + len + 1, strcspn(text + len + 1, ":"));
	find_nearest(dir.data, group, name, out);
	free(group);
	free(name);
out:
	buf_release(&dir);
}
