/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/rights.h"

#include "base/file.h"
#include "live/sys/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FILE_BYTES_MAX = 16384, SECCOMP_FILTER = 2 };

static const char *
read_below(const struct event_env *env, const char *name, struct buf *text)
{
	struct buf path = { 0 };

	buf_reset(text);
	buf_addf(&path, "%s%s", env->root, name);
	if (file_read(path.data, text, FILE_BYTES_MAX) < 0)
		buf_reset(text);
	buf_release(&path);
	return buf_str(text);
}

/* What stands behind "Name:" at the start of a line of /proc/PID/status; NULL: it is not there. */
static const char *
status_field(const char *text, const char *name)
{
	size_t len = strlen(name);

	while (*text != '\0') {
		if (strncmp(text, name, len) == 0 && text[len] == ':')
			return text + len + 1;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return NULL;
}

static uint64_t
status_number(const char *text, const char *name, int base)
{
	const char *field = status_field(text, name);

	return field != NULL ? strtoull(field, NULL, base) : 0;
}

/* "Uid:" has the real and the effective one. */
static bool
is_root(const char *status)
{
	const char *field = status_field(status, "Uid");
	unsigned real, effective;

	return field != NULL && sscanf(field, "%u %u", &real, &effective) == 2 && effective == 0;
}

/* The first namespace maps every number to itself. */
static bool
is_in_user_ns(const struct event_env *env)
{
	struct buf path = { 0 }, map = { 0 };
	unsigned inside, outside, count;
	bool is_other = false;

	buf_addf(&path, "%s/proc/self/uid_map", env->root);
	if (file_read(path.data, &map, FILE_BYTES_MAX) == 0)
		is_other = sscanf(buf_str(&map), "%u %u %u", &inside, &outside, &count) != 3 ||
			   inside != 0 || outside != 0 || count != UINT32_MAX;
	buf_release(&path);
	buf_release(&map);
	return is_other;
}

/* The context of SELinux, or the profile of AppArmor with its mode in brackets. */
static void
read_confinement(struct rights *r, const struct event_env *env)
{
	struct buf text = { 0 };
	const char *enforce = read_below(env, "/sys/fs/selinux/enforce", &text);
	bool has_selinux = *enforce == '1';
	const char *context = read_below(env, "/proc/self/attr/current", &text);
	int len = (int)strcspn(context, "\n");

	if (has_selinux)
		snprintf(r->confined, sizeof(r->confined), "SELinux: %.*s", MIN(len, 60), context);
	else if (strstr(context, "(enforce)") != NULL)
		snprintf(r->confined, sizeof(r->confined), "AppArmor: %.*s", MIN(len, 60), context);
	buf_release(&text);
}

void
rights_read(struct rights *r, const struct event_env *env)
{
	struct buf text = { 0 };
	const char *status = read_below(env, "/proc/thread-self/status", &text);

	/* Threads differ: the one that shows things has given up its capabilities. */
	if (*status == '\0')
		status = read_below(env, "/proc/self/status", &text);
	*r = (struct rights){
		.caps = status_number(status, "CapEff", 16),
		.has_seccomp = status_number(status, "Seccomp", 10) == SECCOMP_FILTER,
		.paranoid = limits_paranoid(env),
		.is_root = is_root(status),
	};
	r->ptrace_scope = limits_ptrace_scope(env->root);
	r->in_user_ns = is_in_user_ns(env);
	r->has_lockdown = strstr(read_below(env, "/sys/kernel/security/lockdown", &text),
				 "[confidentiality]") != NULL;
	read_confinement(r, env);
	buf_release(&text);
}

bool
rights_has(const struct rights *r, enum rights_cap cap)
{
	return !r->in_user_ns && (r->caps >> cap & 1);
}

bool
rights_perfmon(const struct rights *r)
{
	return rights_has(r, CAP_NR_PERFMON) || rights_has(r, CAP_NR_SYS_ADMIN);
}

bool
rights_is_poor_root(const struct rights *r)
{
	return r->is_root && !r->in_user_ns && !rights_perfmon(r);
}

bool
rights_owner(const struct event_env *env, int pid, struct rights_owner *owner)
{
	struct buf path = { 0 }, text = { 0 };
	unsigned real, effective;
	const char *field;
	struct stat st;
	bool is_there;

	buf_addf(&path, "/proc/%d/status", pid);
	field = status_field(read_below(env, path.data, &text), "Uid");
	is_there = field != NULL && sscanf(field, "%u %u", &real, &effective) == 2;
	if (is_there) {
		owner->uid = effective;
		/* Of a process that is not dumpable the files in its folder belong to root. */
		buf_reset(&path);
		buf_addf(&path, "%s/proc/%d/maps", env->root, pid);
		owner->is_closed = stat(path.data, &st) == 0 && st.st_uid != effective;
	}
	buf_release(&path);
	buf_release(&text);
	return is_there;
}

char
rights_task_state(const struct event_env *env, int pid)
{
	struct buf path = { 0 }, text = { 0 };
	const char *field;
	char state = 0;

	buf_addf(&path, "/proc/%d/status", pid);
	field = status_field(read_below(env, path.data, &text), "State");
	if (field != NULL)
		sscanf(field, " %c", &state);
	buf_release(&path);
	buf_release(&text);
	return state;
}
