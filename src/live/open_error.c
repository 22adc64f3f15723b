/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open_error.h"

#include "live/limits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ANY_TYPE = -1 };

/* The first row that fits tells: more special ones stand before general ones. */
static const struct open_error {
	int sys;
	const char *name;
	int type; /* PERF_TYPE_*, or ANY_TYPE */
	enum err_code code;
	const char *why, *hint; /* hint NULL: open_remedy() */
} open_errors[] = {
	{ ENOENT, "ENOENT", PERF_TYPE_TRACEPOINT, ERR_UNSUPPORTED,
	  "this kernel has no such tracepoint", "ptop --list shows those that it has" },
	{ ENOENT, "ENOENT", PERF_TYPE_SOFTWARE, ERR_UNSUPPORTED,
	  "this kernel has no such software event", "ptop --list shows those that it has" },
	{ ENOENT, "ENOENT", ANY_TYPE, ERR_UNSUPPORTED,
	  "this machine has no such hardware counter (virtual machines often have none)",
	  "software events work everywhere: -e cpu-clock" },
	{ EOPNOTSUPP, "EOPNOTSUPP", ANY_TYPE, ERR_UNSUPPORTED,
	  "this machine cannot sample it so", "try it without modifiers, or -e cpu-clock" },
	{ EINVAL, "EINVAL", ANY_TYPE, ERR_UNSUPPORTED,
	  "the kernel does not take these attributes", "try it without modifiers" },
	{ ENODEV, "ENODEV", ANY_TYPE, ERR_GONE, "the CPU or its counters are not on line",
	  "choose other CPUs with -C" },
	{ ENXIO, "ENXIO", ANY_TYPE, ERR_UNSUPPORTED, "the counters are not set up", "" },
	{ ESRCH, "ESRCH", ANY_TYPE, ERR_GONE, "the task has ended", "" },
	{ EBUSY, "EBUSY", ANY_TYPE, ERR_BUSY, "somebody else holds the counter",
	  "end other profilers; the NMI watchdog holds one: sudo sysctl kernel.nmi_watchdog=0" },
	{ ENOSPC, "ENOSPC", ANY_TYPE, ERR_LIMIT, "all counters of this kind are in use", "" },
	{ EMFILE, "EMFILE", ANY_TYPE, ERR_LIMIT, "too many open descriptors",
	  "raise the limit (ulimit -Hn), or name fewer processes or CPUs (-C)" },
	{ ENFILE, "ENFILE", ANY_TYPE, ERR_LIMIT, "too many open descriptors on this machine",
	  "raise the limit: sudo sysctl fs.file-max" },
	{ ENOMEM, "ENOMEM", ANY_TYPE, ERR_LIMIT, "the kernel has no memory for it", "" },
	{ E2BIG, "E2BIG", ANY_TYPE, ERR_UNSUPPORTED, "the kernel is too old for it", "" },
	{ EOVERFLOW, "EOVERFLOW", ANY_TYPE, ERR_LIMIT,
	  "call chains are longer than kernel.perf_event_max_stack allows", "" },
	{ ENOSYS, "ENOSYS", ANY_TYPE, ERR_UNSUPPORTED,
	  "the kernel is built without perf events, or a container forbids them",
	  "run ptop on the host" },
	{ EACCES, "EACCES", ANY_TYPE, ERR_DENIED, "a right is missing", NULL },
	{ EPERM, "EPERM", ANY_TYPE, ERR_DENIED, "a right is missing", NULL },
};

const char *
open_remedy(void)
{
	return "run as root, or: sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog,"
	       "cap_dac_read_search+ep \"$(command -v ptop)\", or: sudo sysctl "
	       "kernel.perf_event_paranoid=-1";
}

static const struct open_error *
find(uint32_t type, int sys)
{
	for (size_t i = 0; i < ARRAY_SIZE(open_errors); i++) {
		const struct open_error *e = &open_errors[i];

		if (e->sys == sys && (e->type == ANY_TYPE || (uint32_t)e->type == type))
			return e;
	}
	return NULL;
}

static void
put_place(struct buf *b, int pid, int cpu)
{
	if (pid > 0)
		buf_addf(b, "task %d", pid);
	else if (pid == 0)
		buf_add_str(b, "ptop itself");
	if (cpu >= 0)
		buf_addf(b, "%sCPU %d", b->len > 0 ? ", " : "", cpu);
}

int
open_error_set(struct err *err, const struct open_plan *p, int pid, int cpu, int sys)
{
	const struct open_error *e = find(p->attr.type, sys);
	struct buf place = { 0 };
	char denied[64] = "";

	if (err == NULL)
		return -1;
	put_place(&place, pid, cpu);
	if (e == NULL) {
		err_set(err, ERR_IO, sys, "cannot open event '%.80s' on %s", p->spec.name,
			buf_str(&place));
	} else {
		if (e->code == ERR_DENIED)
			snprintf(denied, sizeof(denied), " (perf_event_paranoid is %d)",
				 limits_paranoid(p->env));
		err_set(err, e->code, 0, "cannot open event '%.80s' on %s: %s: %s%s", p->spec.name,
			buf_str(&place), e->name, e->why, denied);
		err_hint(err, "%s", e->hint != NULL ? e->hint : open_remedy());
		err->sys = sys;
	}
	buf_release(&place);
	return -1;
}
