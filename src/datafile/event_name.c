/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/contents.h"

#include "base/buf.h"

#include <inttypes.h>
#include <linux/hw_breakpoint.h>

static const char *const hardware[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches",
	"branch-misses", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
	"bpf-output", "cgroup-switches",
};

static const char *const caches[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

static const struct {
	const char *one, *many;
} cache_ops[] = {
	{ "load", "loads" }, { "store", "stores" }, { "prefetch", "prefetches" },
};

static void
add_listed(struct buf *b, const struct event_attr *attr)
{
	bool is_hw = attr->type == PERF_TYPE_HARDWARE;
	const char *const *names = is_hw ? hardware : software;
	size_t n = is_hw ? ARRAY_SIZE(hardware) : ARRAY_SIZE(software);
	/* On hybrid machines the high half of config is the PMU. */
	uint64_t config = is_hw ? attr->config & UINT32_MAX : attr->config;

	if (config < n)
		buf_add_str(b, names[config]);
	else
		buf_add_str(b, is_hw ? "unknown-hardware" : "unknown-software");
}

static void
add_cache(struct buf *b, const struct event_attr *attr)
{
	unsigned cache = attr->config & 0xff, op = attr->config >> 8 & 0xff;
	unsigned result = attr->config >> 16 & 0xff;

	if (cache >= ARRAY_SIZE(caches))
		buf_add_str(b, "unknown-ext-hardware-cache-type");
	else if (op >= ARRAY_SIZE(cache_ops))
		buf_add_str(b, "unknown-ext-hardware-cache-op");
	else if (result > 1)
		buf_add_str(b, "unknown-ext-hardware-cache-result");
	else if (result == 1)
		buf_addf(b, "%s-%s-misses", caches[cache], cache_ops[op].one);
	else
		buf_addf(b, "%s-%s", caches[cache], cache_ops[op].many);
}

static void
add_raw(struct buf *b, const struct event_attr *attr)
{
	buf_addf(b, "raw 0x%" PRIx64, attr->config);
}

static void
add_breakpoint(struct buf *b, const struct event_attr *attr)
{
	buf_addf(b, "mem:0x%" PRIx64 ":", attr->config1);
	if (attr->bp_type & HW_BREAKPOINT_R)
		buf_add_char(b, 'r');
	if (attr->bp_type & HW_BREAKPOINT_W)
		buf_add_char(b, 'w');
	if (attr->bp_type & HW_BREAKPOINT_X)
		buf_add_char(b, 'x');
}

/* The modifiers (-e) that tell how the attributes differ from the usual ones. */
static void
add_modifiers(struct buf *b, const struct event_attr *attr)
{
	bool is_excluding = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
	bool guest_usual = is_excluding || attr->precise_ip != 0;
	char text[16], *end = text;

	*end++ = ':';
	if (is_excluding && !attr->exclude_kernel)
		*end++ = 'k';
	if (is_excluding && !attr->exclude_user)
		*end++ = 'u';
	if (is_excluding && !attr->exclude_hv)
		*end++ = 'h';
	for (unsigned i = 0; i < attr->precise_ip; i++)
		*end++ = 'p';
	if (attr->exclude_host || attr->exclude_guest == guest_usual) {
		if (!attr->exclude_host)
			*end++ = 'H';
		if (!attr->exclude_guest)
			*end++ = 'G';
	}
	if (end > text + 1)
		buf_add(b, text, (size_t)(end - text));
}

static void (*const add_kind[])(struct buf *b, const struct event_attr *attr) = {
	[PERF_TYPE_HARDWARE] = add_listed,
	[PERF_TYPE_SOFTWARE] = add_listed,
	[PERF_TYPE_HW_CACHE] = add_cache,
	[PERF_TYPE_RAW] = add_raw,
	[PERF_TYPE_BREAKPOINT] = add_breakpoint,
};

const char event_name_unknown[] = "unknown tracepoint";

char *
event_name_make(const struct event_attr *attr)
{
	struct buf b = { 0 };

	if (attr->type == PERF_TYPE_TRACEPOINT) {
		buf_add_str(&b, event_name_unknown);
	} else if (attr->type >= ARRAY_SIZE(add_kind)) {
		buf_addf(&b, "unknown attr type: %u", attr->type);
	} else {
		add_kind[attr->type](&b, attr);
		add_modifiers(&b, attr);
	}
	return b.data;
}
