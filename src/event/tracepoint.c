/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/tracepoint.h"

#include "base/file.h"
#include "base/text.h"
#include "event/modifier.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MOUNTS_BYTES_MAX = 1 << 20,
	GROUPS_MAX = 4096,
	NAMES_MAX = 65536, /* of one group; a machine has some thousands in all */
};

/* What may be mounted, where its events are, and how the usual place is called. */
static const struct trace_mount {
	const char *type, *usual, *events;
} trace_mounts[] = {
	{ "tracefs", "/sys/kernel/tracing", "/events" },
	{ "debugfs", "/sys/kernel/debug", "/tracing/events" },
};

struct names {
	char **items;
	size_t len, cap;
};

static void
names_release(struct names *n)
{
	for (size_t i = 0; i < n->len; i++)
		free(n->items[i]);
	free(n->items);
}

/* The folders in @path. */
static void
names_read(struct names *n, const char *path, size_t max)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	if (dir == NULL)
		return;
	while (n->len < max && (d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.' || (d->d_type != DT_DIR && d->d_type != DT_UNKNOWN))
			continue;
		vec_reserve(&n->items, &n->cap, n->len + 1, sizeof(*n->items));
		n->items[n->len++] = mem_strdup(d->d_name);
	}
	closedir(dir);
}

/* Whether @path can be listed; remembers in *@denied if only a right is missing. */
static bool
is_readable(const char *path, bool *denied)
{
	if (access(path, R_OK | X_OK) == 0)
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
		return err_hint(err, "run as root, or: sudo mount -o remount,mode=755 "
				     "/sys/kernel/tracing");
	}
	err_set(err, ERR_UNSUPPORTED, 0, "tracefs is not mounted");
	return err_hint(err, "sudo mount -t tracefs tracefs /sys/kernel/tracing");
}

/* Of the group "ftrace" only the function tracer can be opened; the rest are formats. */
static bool
can_be_event(const char *group, const char *name)
{
	return strcmp(group, "ftrace") != 0 || strcmp(name, "function") == 0;
}

void
tracepoint_list(const char *dir, void (*each)(void *self, const char *group, const char *name),
		void *self)
{
	struct names groups = { 0 };
	struct buf path = { 0 };

	names_read(&groups, dir, GROUPS_MAX);
	for (size_t i = 0; i < groups.len; i++) {
		struct names names = { 0 };

		buf_reset(&path);
		buf_addf(&path, "%s/%s", dir, groups.items[i]);
		names_read(&names, path.data, NAMES_MAX);
		for (size_t j = 0; j < names.len; j++) {
			if (can_be_event(groups.items[i], names.items[j]))
				each(self, groups.items[i], names.items[j]);
		}
		names_release(&names);
	}
	names_release(&groups);
	buf_release(&path);
}

/* Names become paths: nothing that leads elsewhere. */
static bool
is_plain_name(const char *s, size_t len)
{
	if (len == 0 || len > NAME_MAX || s[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)s[i]) && strchr("_-.", s[i]) == NULL)
			return false;
	}
	return true;
}

/* The name in @dir nearest to @word, to be freed; NULL if none is near. */
static char *
nearest_in(const char *dir, const char *word)
{
	struct names names = { 0 };
	const char *found;
	char *copy = NULL;

	names_read(&names, dir, NAMES_MAX);
	found = text_nearest(word, (const char *const *)names.items, names.len);
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

	names_read(&groups, dir, GROUPS_MAX);
	for (size_t i = 0; i < groups.len && out->len == 0; i++) {
		buf_reset(&path);
		buf_addf(&path, "%s/%s/%s/id", dir, groups.items[i], name);
		if (access(path.data, F_OK) == 0)
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

	if (!is_plain_name(text, len) || tracepoint_dir(env, &dir, NULL) < 0)
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

/* The group is there, the tracepoint is not: 0 if even the group is not. */
static int
refuse_name(const char *dir, const char *group, const char *name, struct err *err)
{
	struct buf path = { 0 };
	char *near;
	int res = 0;

	buf_addf(&path, "%s/%s", dir, group);
	if (access(path.data, F_OK) == 0) {
		near = nearest_in(path.data, name);
		if (near != NULL)
			err_set(err, ERR_USAGE, 0, "unknown event '%s:%s': did you mean '%s:%s'?",
				group, name, group, near);
		else
			err_set(err, ERR_USAGE, 0, "unknown event '%s:%s'", group, name);
		res = err_hint(err, "ptop --list='%s:*' shows the tracepoints of this group",
			       group);
		free(near);
	}
	buf_release(&path);
	return res;
}

/* 1: its number is in @ev, 0: no such group, -1: see @err. */
static int
look_up(const struct event_env *env, const char *group, const char *name, struct event *ev,
	struct err *err)
{
	struct buf path = { 0 };
	size_t dir_len;
	int64_t id;
	int res = -1;

	if (tracepoint_dir(env, &path, err) < 0) {
		err_wrap(err, "cannot look for tracepoint '%.60s:%.60s'", group, name);
		goto out;
	}
	dir_len = path.len;
	buf_addf(&path, "/%s/%s/id", group, name);
	errno = 0;
	id = file_number(path.data, -1);
	if (id > 0) {
		ev->type = PERF_TYPE_TRACEPOINT;
		ev->config = (uint64_t)id;
		ev->is_tracepoint = true;
		res = 1;
		goto out;
	}
	if (errno == EACCES || errno == EPERM) {
		err_set(err, ERR_DENIED, errno, "cannot read tracepoint '%.60s:%.60s'", group,
			name);
		err_hint(err, "run as root, or: sudo mount -o remount,mode=755 "
			      "/sys/kernel/tracing");
		goto out;
	}
	path.data[dir_len] = '\0';
	res = refuse_name(path.data, group, name, err);
out:
	buf_release(&path);
	return res;
}

int
tracepoint_parse(const struct event_env *env, const char *text, struct event *ev, struct err *err)
{
	size_t group_len = strcspn(text, ":");
	const char *rest = text + group_len + 1;
	char *group, *name;
	size_t name_len;
	int res;

	if (text[group_len] == '\0')
		return 0;
	name_len = strcspn(rest, ":");
	if (!is_plain_name(text, group_len) || !is_plain_name(rest, name_len))
		return 0;
	group = mem_strndup(text, group_len);
	name = mem_strndup(rest, name_len);
	res = look_up(env, group, name, ev, err);
	/* "cylces:u" is rather a slip in an event's name than a tracepoint. */
	if (res < 0 && err != NULL && err->code != ERR_USAGE && modifier_is_valid(rest))
		res = 0;
	if (res > 0 && rest[name_len] == ':' &&
	    modifier_apply(rest + name_len + 1, text, ev, err) < 0)
		res = -1;
	free(group);
	free(name);
	return res;
}
