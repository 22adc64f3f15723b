/* SPDX-License-Identifier: GPL-2.0-or-later */
/* EACCES and EPERM: which right is missing.  The rules are those of the kernel's events/core.c. */
#include "live/open/open_cause.h"
#include "live/open/open_lack.h"

#include <errno.h>
#include <unistd.h>

/* kernel.perf_event_paranoid forbids, from the level on: */
enum {
	PARANOID_RAW = 0,
	PARANOID_CPU = 1,
	PARANOID_KERNEL = 2,
	PARANOID_ALL = 3, /* Debian's and Android's 3, Ubuntu's 4: everything */
};

static bool
paranoid_is_from(struct open_refusal *r, int level)
{
	if (rights_perfmon(&r->rights) || r->rights.paranoid < level)
		return false;
	buf_addf(&r->found, "kernel.perf_event_paranoid is %d", r->rights.paranoid);
	return true;
}

/* Not even a counter of its own that counts nothing is given to this process. */
static bool
is_denied_all(const struct open_refusal *r)
{
	struct open_refusal own = *r;
	struct event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ABI_ATTR_SIZE_MIN,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int error = 0;

	own.pid = 0;
	own.cpu = -1;
	return !retry_opens(&own, attr, &error) &&
	       (error == EACCES || error == EPERM || error == ENOSYS);
}

bool
denied_by_seccomp(struct open_refusal *r)
{
	if (!r->rights.has_seccomp || !is_denied_all(r))
		return false;
	buf_add_str(&r->found, "Seccomp is 2 in /proc/self/status");
	return true;
}

bool
denied_to_all(struct open_refusal *r)
{
	return paranoid_is_from(r, PARANOID_ALL) && is_denied_all(r);
}

bool
denied_by_lockdown(struct open_refusal *r)
{
	if (!r->rights.has_lockdown || r->error != EPERM)
		return false;
	buf_add_str(&r->found, "/sys/kernel/security/lockdown: confidentiality");
	return true;
}

/* Who is root already needs another root: that of a container has what it was given. */
static void
put_admin(struct open_refusal *r)
{
	buf_add_str(&r->found, "it is not in CapEff of /proc/self/status");
	if (r->rights.is_root)
		buf_add_str(&r->remedy, "run ptop outside of the container, or start that with "
			    "--cap-add SYS_ADMIN");
}

bool
denied_kernel_breakpoint(struct open_refusal *r)
{
	const struct event_attr *attr = &r->plan->attr;

	/* The upper half of the addresses is the kernel's. */
	if (attr->type != PERF_TYPE_BREAKPOINT || !(attr->config1 >> 63) ||
	    rights_has(&r->rights, CAP_NR_SYS_ADMIN))
		return false;
	put_admin(r);
	buf_addf(&r->found, "; the address is %#llx", (unsigned long long)attr->config1);
	return true;
}

/* perf_uprobe_event_init() asks for more than that of kprobes does. */
bool
denied_uprobe(struct open_refusal *r)
{
	enum event_place place = r->plan->spec.place;

	if ((place != EVENT_PLACE_UPROBE && place != EVENT_PLACE_URETPROBE) ||
	    rights_has(&r->rights, CAP_NR_SYS_ADMIN))
		return false;
	put_admin(r);
	return true;
}

bool
denied_kprobe(struct open_refusal *r)
{
	enum event_place place = r->plan->spec.place;

	if ((place != EVENT_PLACE_KPROBE && place != EVENT_PLACE_KRETPROBE) ||
	    rights_perfmon(&r->rights))
		return false;
	buf_add_str(&r->found, "it is not in CapEff of /proc/self/status");
	return true;
}

bool
denied_raw_tracepoint(struct open_refusal *r)
{
	return r->plan->attr.type == PERF_TYPE_TRACEPOINT &&
	       (r->plan->attr.sample_type & PERF_SAMPLE_RAW) != 0 &&
	       paranoid_is_from(r, PARANOID_RAW);
}

bool
denied_cpu(struct open_refusal *r)
{
	return r->pid < 0 && paranoid_is_from(r, PARANOID_CPU);
}

/* Without the kernel there would be none of them. */
bool
denied_tracepoint(struct open_refusal *r)
{
	return r->plan->attr.type == PERF_TYPE_TRACEPOINT && denied_kernel(r);
}

bool
denied_event_in_kernel(struct open_refusal *r)
{
	return r->plan->spec.is_in_kernel && denied_kernel(r);
}

bool
denied_kernel(struct open_refusal *r)
{
	return !r->plan->attr.exclude_kernel && paranoid_is_from(r, PARANOID_KERNEL);
}

/* Root of a container that was given few capabilities: nothing that it can do there helps. */
bool
denied_poor_root(struct open_refusal *r)
{
	return rights_is_poor_root(&r->rights) &&
	       (denied_kprobe(r) || denied_raw_tracepoint(r) || denied_cpu(r) || denied_kernel(r));
}

static bool
is_owned(const struct open_refusal *r, struct rights_owner *owner)
{
	return r->pid > 0 && !rights_perfmon(&r->rights) &&
	       !rights_has(&r->rights, CAP_NR_SYS_PTRACE) &&
	       rights_owner(r->plan->env, r->pid, owner);
}

bool
denied_other_user(struct open_refusal *r)
{
	struct rights_owner owner;

	if (!is_owned(r, &owner) || owner.uid == geteuid())
		return false;
	buf_addf(&r->found, "its user is %u, ptop's %u; CAP_PERFMON is missing", owner.uid,
		 (unsigned)geteuid());
	return true;
}

bool
denied_closed_task(struct open_refusal *r)
{
	struct rights_owner owner;

	if (!is_owned(r, &owner) || !owner.is_closed)
		return false;
	buf_add_str(&r->found, "it is not dumpable; CAP_PERFMON is missing");
	return true;
}

bool
denied_attribute(struct open_refusal *r)
{
	const struct retry_attribute *a = retry_find(r);

	if (a == NULL)
		return false;
	buf_addf(&r->found, "without %s it opens", a->name);
	if (*a->remedy != '\0')
		buf_add_str(&r->remedy, a->remedy);
	return true;
}

bool
denied_by_module(struct open_refusal *r)
{
	if (r->rights.confined[0] == '\0')
		return false;
	buf_add_str(&r->found, r->rights.confined);
	return true;
}

/* Reading another task is not what Yama restricts, but signals to it (sigtrap) are. */
bool
denied_by_ptrace_scope(struct open_refusal *r)
{
	if (r->pid <= 0 || r->rights.ptrace_scope <= 0 ||
	    rights_has(&r->rights, CAP_NR_SYS_PTRACE))
		return false;
	buf_addf(&r->found, "kernel.yama.ptrace_scope is %d", r->rights.ptrace_scope);
	return true;
}

bool
denied_without_capability(struct open_refusal *r)
{
	if (rights_perfmon(&r->rights))
		return false;
	buf_addf(&r->found, "kernel.perf_event_paranoid is %d", r->rights.paranoid);
	buf_add_str(&r->remedy, open_remedy(&r->rights));
	return true;
}

/* What is refused to who has capabilities of a user namespace alone.  In order: no level grants the first. */
static const struct {
	bool (*test)(struct open_refusal *r);
	const char *level; /* NULL: none grants it */
} user_ns_rows[] = {
	{ denied_kernel_breakpoint, NULL },
	{ denied_uprobe, NULL },
	{ denied_kprobe, NULL },
	{ denied_other_user, NULL },
	{ denied_closed_task, NULL },
	{ denied_raw_tracepoint, OPEN_PARANOID("-1") },
	{ denied_cpu, OPEN_PARANOID("0") },
	{ denied_kernel, OPEN_PARANOID("1") },
};

static const char *
user_ns_level(struct open_refusal *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(user_ns_rows); i++)
		if (user_ns_rows[i].test(r))
			return user_ns_rows[i].level;
	return NULL;
}

bool
denied_in_user_ns(struct open_refusal *r)
{
	const uint64_t wanted = UINT64_C(1) << CAP_NR_PERFMON | 1 << CAP_NR_SYS_ADMIN;
	const char *level;

	if (!r->rights.in_user_ns || !(r->rights.caps & wanted))
		return false;
	level = user_ns_level(r);
	buf_reset(&r->found);
	buf_reset(&r->remedy);
	buf_add_str(&r->found, "/proc/self/uid_map");
	buf_add_str(&r->remedy, OPEN_REMEDY_USER_NS);
	if (level != NULL) {
		buf_addf(&r->found, "; kernel.perf_event_paranoid is %d", r->rights.paranoid);
		buf_addf(&r->remedy, ", or there: %s", level);
	}
	return true;
}
