/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"
#include "event/modifier.h"
#include "event/names.h"
#include "event/spec.h"
#include "event/tracepoint.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	EVENTS_MAX = 4096, /* of one pattern */
	UPROBES_BYTES_MAX = 1 << 20,
};

/*
 * Whether all its samples have registers of the kernel, which the kernel passes over under :u
 * (perf_tp_event_match()).  System calls and uprobes have those of the program.
 */
static bool
is_in_kernel(const char *dir, const char *group, const char *name)
{
	struct buf path = { 0 }, uprobes = { 0 }, entry = { 0 };
	bool is_uprobe;

	if (strcmp(group, "syscalls") == 0)
		return false;
	buf_addf(&path, "%s/../uprobe_events", dir);
	file_read(path.data, &uprobes, UPROBES_BYTES_MAX);
	buf_addf(&entry, ":%s/%s ", group, name);
	is_uprobe = strstr(buf_str(&uprobes), entry.data) != NULL;
	buf_release(&path);
	buf_release(&uprobes);
	buf_release(&entry);
	return !is_uprobe;
}

static void
add(const struct spec *s, const char *dir, uint64_t id, const char *group, const char *name)
{
	struct event *ev = spec_add(s);
	struct buf full = { 0 };

	buf_addf(&full, "%s:%s", group, name);
	ev->name = full.data;
	ev->type = PERF_TYPE_TRACEPOINT;
	ev->config = id;
	ev->is_tracepoint = true;
	ev->is_in_kernel = is_in_kernel(dir, group, name);
}

/* Refuses a tracepoint that its group does not have; 0: there is no such group. */
static int
refuse_name(const struct spec *s, const char *dir, const char *group, const char *name)
{
	struct names names = { 0 };
	struct buf path = { 0 };
	const char *near;
	int res = 0;

	buf_addf(&path, "%s/%s", dir, group);
	if (faccessat(AT_FDCWD, path.data, F_OK, AT_EACCESS) == 0) {
		names_read(&names, path.data, false, TRACEPOINT_NAMES_MAX);
		near = names_nearest(&names, name);
		if (near != NULL)
			err_set(s->err, ERR_USAGE, 0, "unknown event '%s:%s': did you mean "
				"'%s:%s'?", group, name, group, near);
		else
			err_set(s->err, ERR_USAGE, 0, "unknown event '%s:%s'", group, name);
		res = err_hint(s->err, "ptop --list='%s:*' shows the tracepoints of this group",
			       group);
	}
	names_release(&names);
	buf_release(&path);
	return res;
}

static int
refuse_unreadable(const struct spec *s, const char *group, const char *name)
{
	err_set(s->err, ERR_DENIED, errno, "cannot read tracepoint '%.60s:%.60s'", group, name);
	return err_hint(s->err, TRACEFS_REMEDY);
}

static int
look_up(const struct spec *s, const char *dir, const char *group, const char *name)
{
	struct buf path = { 0 };
	int64_t id;

	buf_addf(&path, "%s/%s/%s/id", dir, group, name);
	errno = 0;
	id = file_number(path.data, -1);
	buf_release(&path);
	if (id > 0) {
		add(s, dir, (uint64_t)id, group, name);
		return 1;
	}
	if (errno == EACCES || errno == EPERM)
		return refuse_unreadable(s, group, name);
	return refuse_name(s, dir, group, name);
}

/* Adds those of one group that match.  How many; -1: too many. */
static int
match_names(const struct spec *s, const char *dir, const char *group, const char *pattern,
	    size_t room)
{
	struct names names = { 0 };
	struct buf path = { 0 };
	int n = 0;

	buf_addf(&path, "%s/%s", dir, group);
	names_read(&names, path.data, false, TRACEPOINT_NAMES_MAX);
	for (size_t i = 0; i < names.len && n >= 0; i++) {
		int64_t id;

		if (fnmatch(pattern, names.items[i], 0) != 0 ||
		    !tracepoint_can_open(group, names.items[i]))
			continue;
		buf_reset(&path);
		buf_addf(&path, "%s/%s/%s/id", dir, group, names.items[i]);
		id = file_number(path.data, -1);
		if (id <= 0)
			continue;
		if ((size_t)n == room) {
			n = -1;
			break;
		}
		add(s, dir, (uint64_t)id, group, names.items[i]);
		n++;
	}
	names_release(&names);
	buf_release(&path);
	return n;
}

static int
match(const struct spec *s, const char *dir, const char *group, const char *pattern)
{
	struct names groups = { 0 };
	int found = 0, n = 0;

	names_read(&groups, dir, false, TRACEPOINT_GROUPS_MAX);
	for (size_t i = 0; i < groups.len && n >= 0; i++) {
		if (fnmatch(group, groups.items[i], 0) != 0)
			continue;
		n = match_names(s, dir, groups.items[i], pattern, EVENTS_MAX - (size_t)found);
		found += n;
	}
	names_release(&groups);
	if (n < 0)
		return spec_refuse(s, s->text, "it stands for more than %d tracepoints",
				   EVENTS_MAX);
	if (found > 0)
		return 1;
	spec_refuse(s, s->text, "no tracepoint fits the pattern");
	return err_hint(s->err, "ptop --list='%.100s' shows what there is", s->text);
}

static bool
is_pattern(const char *s, size_t len)
{
	bool has_glob = false;

	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)s[i]) && strchr("*?[]^!_-.", s[i]) == NULL)
			return false;
		has_glob |= strchr("*?[", s[i]) != NULL;
	}
	return has_glob;
}

static bool
is_name(const char *s, size_t len)
{
	return spec_is_file_name(s, len) || is_pattern(s, len);
}

static int
find(const struct spec *s, const char *group, const char *name, bool is_glob)
{
	struct buf dir = { 0 };
	int res;

	if (tracepoint_dir(s->env, &dir, s->err) < 0)
		res = err_wrap(s->err, "cannot look for tracepoint '%.60s:%.60s'", group, name);
	else
		res = (is_glob ? match : look_up)(s, dir.data, group, name);
	buf_release(&dir);
	return res;
}

int
tracepoint_parse(const struct spec *s, const char **rest)
{
	size_t group_len = strcspn(s->text, ":/"), name_len;
	const char *second = s->text + group_len + 1;
	char *group, *name;
	bool is_glob;
	int res;

	if (s->text[group_len] != ':')
		return 0;
	name_len = strcspn(second, ":/");
	if (!is_name(s->text, group_len) || !is_name(second, name_len))
		return 0;
	is_glob = is_pattern(s->text, group_len) || is_pattern(second, name_len);
	group = mem_strndup(s->text, group_len);
	name = mem_strndup(second, name_len);
	*rest = second + name_len;
	res = find(s, group, name, is_glob);
	/* "cylces:u" is a misspelt event with a modifier rather than a tracepoint. */
	if (res < 0 && !is_glob && s->err != NULL && s->err->code != ERR_USAGE &&
	    modifiers_are_valid(second))
		res = 0;
	free(group);
	free(name);
	return res;
}
