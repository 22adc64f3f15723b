/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "container/cgroup_path.h"

#include <stdio.h>
#include <string.h>

enum { ID_LONG = 64, TASK_ID = 32, UID_DIGITS = 10 };

/* A part of the path, between slashes. */
struct part {
	const char *at;
	size_t len;
};

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* How many hex digits @at begins with, at most @len. */
static size_t
hex_span(const char *at, size_t len)
{
	size_t n = 0;

	while (n < len && is_hex(at[n]))
		n++;
	return n;
}

static bool
ends_with(struct part p, const char *end)
{
	size_t len = strlen(end);

	return p.len > len && memcmp(p.at + p.len - len, end, len) == 0;
}

static bool
begins_with(struct part p, const char *begin)
{
	size_t len = strlen(begin);

	return p.len > len && memcmp(p.at, begin, len) == 0;
}

static struct part
without(struct part p, const char *begin, const char *end)
{
	size_t less = strlen(begin);

	return (struct part){ p.at + less, p.len - less - strlen(end) };
}

/* "user@UID.service": systemd hands over what is below it to that user. */
static bool
is_user_manager(struct part p)
{
	static const char begin[] = "user@", end[] = ".service";
	struct part uid;

	if (!begins_with(p, begin) || !ends_with(p, end))
		return false;
	uid = without(p, begin, end);
	return uid.len > 0 && uid.len <= UID_DIGITS && strspn(uid.at, "0123456789") == uid.len;
}

/* Of a @user, if it is not empty.  What does not fit is none: half an id would be another's. */
static void
keep(char *to, size_t size, struct part user, struct part p)
{
	if (user.len + 1 + p.len < size)
		snprintf(to, size, "%.*s%s%.*s", (int)user.len, user.at, user.len > 0 ? "/" : "", (int)p.len,
			 p.at);
}

/* The helper that watches a container of podman or CRI-O is none itself. */
static bool
is_monitor(struct part p)
{
	return begins_with(p, "libpod-conmon-") || begins_with(p, "crio-conmon-");
}

/*
 * "docker-ID.scope", "cri-containerd-ID.scope", "crio-ID", "libpod-ID.scope", ID alone,
 * "kubepods-pod1.slice:cri-containerd:ID"; of Amazon's tasks 32 digits, a hyphen and a number.
 */
static bool
find_id(struct part p, struct part *id)
{
	if (ends_with(p, ".scope"))
		p.len -= strlen(".scope");
	if (is_monitor(p))
		return false;
	*id = (struct part){ p.at + p.len - MIN(p.len, (size_t)ID_LONG), ID_LONG };
	if (p.len >= ID_LONG && hex_span(id->at, ID_LONG) == ID_LONG)
		return p.len == ID_LONG || id->at[-1] == '-' || id->at[-1] == ':';
	*id = p;
	return p.len > TASK_ID + 1 && hex_span(p.at, p.len) == TASK_ID && p.at[TASK_ID] == '-' &&
	       strspn(p.at + TASK_ID + 1, "0123456789") == p.len - TASK_ID - 1;
}

/* Containers and machines whose groups have their names. */
static const struct named_group {
	const char *begin, *end;
} named_groups[] = {
	{ "lxc.payload.", "" }, { "machine-", ".scope" }, { "systemd-nspawn@", ".service" },
};

/* systemd writes bytes that its names cannot have as \xNN. */
static void
unescape(char *text)
{
	char *to = text;
	unsigned byte;

	for (const char *at = text; *at != '\0'; at++) {
		if (at[0] == '\\' && at[1] == 'x' && hex_span(at + 2, 2) == 2 &&
		    sscanf(at + 2, "%2x", &byte) == 1 && byte != 0) {
			*to++ = (char)byte;
			at += 3;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
}

static void
find_container(struct part p, struct part user, struct cgroup_names *n)
{
	struct part id;

	if (find_id(p, &id)) {
		keep(n->container, sizeof(n->container), user, id);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(named_groups); i++) {
		const struct named_group *g = &named_groups[i];

		if (!begins_with(p, g->begin) || (*g->end != '\0' && !ends_with(p, g->end)) ||
		    p.len <= strlen(g->begin) + strlen(g->end))
			continue;
		keep(n->container, sizeof(n->container), user, without(p, g->begin, g->end));
		unescape(n->container);
		return;
	}
}

/* "8-4-4-4-12" digits with hyphens or underlines, or 32 digits: pods of the kubelet's own files. */
static bool
is_uid(struct part p)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	if (p.len == TASK_ID)
		return hex_span(p.at, p.len) == p.len;
	if (p.len != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < p.len; i++)
		if (form[i] == '-' ? p.at[i] != '-' && p.at[i] != '_' : !is_hex(p.at[i]))
			return false;
	return true;
}

/* "podUID", "kubepods-burstable-podUID.slice", "machine-libpod_pod_ID.slice". */
static void
find_pod(struct part p, struct part user, struct cgroup_names *n)
{
	static const char podman[] = "libpod_pod_";
	struct part id;

	if (memchr(p.at, ':', p.len) != NULL)
		p.len = (size_t)((const char *)memchr(p.at, ':', p.len) - p.at);
	if (ends_with(p, ".slice"))
		p.len -= strlen(".slice");
	if (p.len > ID_LONG + sizeof(podman) - 2 &&
	    memcmp(p.at + p.len - ID_LONG - strlen(podman), podman, strlen(podman)) == 0) {
		id = (struct part){ p.at + p.len - ID_LONG, ID_LONG };
		if (hex_span(id.at, ID_LONG) == ID_LONG)
			keep(n->pod, sizeof(n->pod), user, id);
		return;
	}
	for (size_t i = 0; i + 3 < p.len; i++) {
		id = (struct part){ p.at + i + 3, p.len - i - 3 };
		if (memcmp(p.at + i, "pod", 3) != 0 || (i > 0 && p.at[i - 1] != '-') || !is_uid(id))
			continue;
		keep(n->pod, sizeof(n->pod), user, id);
		for (char *c = n->pod; *c != '\0'; c++)
			*c = *c == '_' ? '-' : *c;
		return;
	}
}

void
cgroup_put_short(struct buf *b, const char *text)
{
	while (*text != '\0') {
		size_t n = hex_span(text, strlen(text));

		if (n == ID_LONG)
			buf_add(b, text, ID_SHOWN);
		else if (n > 0)
			buf_add(b, text, n);
		else
			buf_add_char(b, *text);
		text += MAX(n, 1);
	}
}

/* A slice only holds units: it names those that are in none. */
static void
find_unit(struct part p, struct part user, struct cgroup_names *n, bool *is_slice)
{
	static const char *const ends[] = { ".service", ".scope", ".mount", ".swap", ".socket", ".slice" };
	struct buf b = { 0 };
	char name[UNIT_NAME_MAX] = "";
	size_t i = 0;

	while (i < ARRAY_SIZE(ends) && !ends_with(p, ends[i]))
		i++;
	if (i == ARRAY_SIZE(ends) || (i == ARRAY_SIZE(ends) - 1 && *n->unit != '\0' && !*is_slice))
		return;
	keep(name, sizeof(name), user, p);
	unescape(name);
	cgroup_put_short(&b, name);
	*is_slice = i == ARRAY_SIZE(ends) - 1;
	if (*name != '\0') {
		snprintf(n->unit, sizeof(n->unit), "%s", buf_str(&b));
		keep(n->whole_unit, sizeof(n->whole_unit), user, p);
	}
	buf_release(&b);
}

void
cgroup_names_of(const char *path, struct cgroup_names *names)
{
	struct part user = { path, 0 };
	bool is_slice = false;

	*names = (struct cgroup_names){ 0 };
	for (const char *at = path; *at != '\0';) {
		struct part p = { at, strcspn(at, "/") };

		if (p.len > 0) {
			find_container(p, user, names);
			find_pod(p, user, names);
			find_unit(p, user, names, &is_slice);
			if (user.len == 0 && is_user_manager(p))
				user = without(p, "", ".service");
		}
		at += p.len;
		at += *at == '/';
	}
}
