/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/open_impl.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>

/* The kernel's own, which user space's headers do not have. */
enum { KERNEL_ENOTSUPP = 524 };

/* The second has the same layout, and little in it. */
static void
put_tracepoint(struct event_attr *attr, const struct event *ev, const struct event_site *site)
{
	attr->config = site->at;
	if (site->at == ev->config)
		return;
	attr->context_switch = 0;
	attr->exclude_callchain_kernel = attr->exclude_callchain_user = 1;
	attr->sample_stack_user = MIN(attr->sample_stack_user, (uint32_t)sizeof(uint64_t));
}

void
site_put(struct event_attr *attr, const struct event *ev, const struct event_site *site)
{
	if (ev->looks == EVENT_LOOKS_EXACT || ev->pair != NULL) {
		put_tracepoint(attr, ev, site);
		return;
	}
	if (site->tracepoint != 0) {
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = site->tracepoint;
		return;
	}
	if (!event_is_probe(ev)) {
		attr->config1 = site->at;
		return;
	}
	attr->config1 = (uintptr_t)site->target; /* uprobe_path, kprobe_func */
	attr->config2 = site->at;                /* probe_offset, kprobe_addr */
}

void
site_clear(struct event_attr *attr, const struct event *ev)
{
	if (event_is_probe(ev))
		attr->config1 = 0;
}

enum place_kind { DATA, UPROBE, KPROBE };

static const enum place_kind kinds[] = {
	[EVENT_PLACE_DATA] = DATA,
	[EVENT_PLACE_UPROBE] = UPROBE,
	[EVENT_PLACE_URETPROBE] = UPROBE,
	[EVENT_PLACE_KPROBE] = KPROBE,
	[EVENT_PLACE_KRETPROBE] = KPROBE,
};

static const struct site_refusal {
	enum place_kind kind;
	int sys;
	enum err_code code;
	const char *why, *hint;
	uint32_t bp_type; /* 0: any */
} refusals[] = {
	{ UPROBE, ENOENT, ERR_GONE, "the file is not there any more", "", 0 },
	{ UPROBE, EINVAL, ERR_UNSUPPORTED, "the kernel takes no probe in this file",
	  "it must be a regular file on a file system that can be mapped", 0 },
	{ UPROBE, EIO, ERR_UNSUPPORTED, "the file system cannot be read by the kernel's probes", "", 0 },
	{ UPROBE, KERNEL_ENOTSUPP, ERR_UNSUPPORTED, "the kernel can probe no such instruction",
	  "name another place: a function's begin, not its middle", 0 },
	{ UPROBE, EOPNOTSUPP, ERR_UNSUPPORTED, "the kernel can probe no such instruction",
	  "name another place: a function's begin, not its middle", 0 },
	{ KPROBE, ENOENT, ERR_GONE, "the kernel has no such function, or it is of a module that went",
	  "", 0 },
	{ KPROBE, EINVAL, ERR_UNSUPPORTED,
	  "the kernel takes no probe there: it needs the function itself to serve probes, or the "
	  "offset is not where an instruction begins",
	  "/sys/kernel/debug/kprobes/blacklist has those that cannot be probed", 0 },
	{ KPROBE, EILSEQ, ERR_UNSUPPORTED, "no instruction begins there", "try another offset", 0 },
	{ KPROBE, EADDRNOTAVAIL, ERR_UNSUPPORTED, "several functions of the kernel have that name",
	  "see their addresses as root, without kernel.kptr_restrict", 0 },
	{ KPROBE, EBUSY, ERR_BUSY, "another part of the kernel has a probe there that cannot be shared",
	  "", 0 },
	{ DATA, EINVAL, ERR_UNSUPPORTED, "the processor does not watch reads alone",
	  "watch both: mem:SYMBOL:rw", HW_BREAKPOINT_R },
	{ DATA, EINVAL, ERR_UNSUPPORTED,
	  "the processor watches no such range: its address must be a multiple of its length",
	  "give a length: mem:SYMBOL/1, /2, /4 or /8", 0 },
};

int
site_explain(struct err *err, const struct event *ev, const struct event_site *site)
{
	unsigned long long at = site->at;
	const char *what = site->target != NULL ? site->target : "";

	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		const struct site_refusal *r = &refusals[i];
		int sys = err->sys;

		/* Of the kernel's addresses open_error.c knows more. */
		if (r->kind != kinds[ev->place] || r->sys != sys ||
		    (r->kind == DATA && site->pid == 0) ||
		    (r->bp_type != 0 && r->bp_type != ev->bp_type))
			continue;
		err_set(err, r->code, 0, "cannot open event '%.80s' at %.100s%s0x%llx: %s", ev->name,
			what, *what != '\0' ? "+" : "", at, r->why);
		err->sys = sys;
		err_hint(err, "%s", r->hint);
		break;
	}
	return -1;
}
