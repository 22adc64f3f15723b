/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/open_cause.h"

#include <errno.h>
#include <unistd.h>

/* The word of single bits, as the compiler lays them out. */
enum { FLAGS_AT = offsetof(struct event_attr, read_format) + sizeof(uint64_t) };

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BITS(first, count) (((UINT64_C(1) << (count)) - 1) << (first))
#else
#define BITS(first, count) (((UINT64_C(1) << (count)) - 1) << (64 - (first) - (count)))
#endif
#define FLAG(name, first, count, remedy) { name, FLAGS_AT, 8, BITS(first, count), remedy }
#define SAMPLE(name, bit, remedy) \
	{ name, offsetof(struct event_attr, sample_type), 8, bit, remedy }
#define FIELD(name, remedy)                                                                \
	{ #name, offsetof(struct event_attr, name), sizeof(((struct event_attr *)0)->name), 0, \
	  remedy }

/* Tried in this order. */
static const struct retry_attribute attributes[] = {
	FLAG("precise_ip", 15, 2, "leave out the modifier p, or ask for less of it: :p or :P"),
	SAMPLE("branch stacks", PERF_SAMPLE_BRANCH_STACK, "sample without branch stacks"),
	SAMPLE("dumps of the user stack", PERF_SAMPLE_STACK_USER, "--call-graph fp"),
	FIELD(sample_stack_user, "a stack dump is a multiple of 8, below 65536 bytes"),
	SAMPLE("registers of user space", PERF_SAMPLE_REGS_USER, "--call-graph fp"),
	SAMPLE("registers at the interrupt", PERF_SAMPLE_REGS_INTR, ""),
	SAMPLE("physical addresses", ABI_SAMPLE_PHYS_ADDR, ""),
	SAMPLE("call chains", PERF_SAMPLE_CALLCHAIN, "--call-graph none"),
	SAMPLE("raw data", PERF_SAMPLE_RAW, ""),
	SAMPLE("weights", PERF_SAMPLE_WEIGHT | ABI_SAMPLE_WEIGHT_STRUCT, ""),
	SAMPLE("data sources", PERF_SAMPLE_DATA_SRC, ""),
	SAMPLE("page sizes", ABI_SAMPLE_DATA_PAGE_SIZE | ABI_SAMPLE_CODE_PAGE_SIZE, ""),
	SAMPLE("cgroups", ABI_SAMPLE_CGROUP, ""),
	SAMPLE("AUX data", ABI_SAMPLE_AUX, ""),
	SAMPLE("bits of sample_type that this kernel does not know", ~(2 * ABI_SAMPLE_WEIGHT_STRUCT - 1),
	       "a newer kernel may know them"),
	FIELD(sample_max_stack, "ask for a lower max-stack"),
	FLAG("exclude_user", 4, 1, "leave out the modifiers u, k and h"),
	FLAG("exclude_kernel", 5, 1, "leave out the modifiers u, k and h"),
	FLAG("exclude_hv", 6, 1, "leave out the modifiers u, k and h"),
	FLAG("exclude_idle", 7, 1, "leave out the modifier I"),
	FLAG("exclude_host", 19, 1, "leave out the modifiers G and H"),
	FLAG("exclude_guest", 20, 1, "leave out the modifiers G and H"),
	FLAG("pinned", 2, 1, "leave out the modifier D"),
	FLAG("exclusive", 3, 1, "leave out the modifier e"),
	FLAG("inherit", 1, 1, "--no-inherit"),
	FLAG("inherit_thread", 35, 1, "--no-inherit"),
	FLAG("write_backward", 27, 1, "leave out the term overwrite"),
	FLAG("aux_output", 31, 1, "leave out the term aux-output"),
	FLAG("enable_on_exec", 12, 1, ""),
	FLAG("remove_on_exec", 36, 1, ""),
	FLAG("context_switch", 26, 1, ""),
	FLAG("namespaces", 28, 1, ""),
	FLAG("ksymbol, bpf_event", 29, 2, ""),
	FLAG("cgroup", 32, 1, ""),
	FLAG("text_poke", 33, 1, ""),
	FLAG("build_id", 34, 1, ""),
	FLAG("sigtrap", 37, 1, ""),
	FLAG("defer_callchain, defer_output", 38, 2, ""),
	FLAG("use_clockid", 25, 1, ""),
	FIELD(read_format, ""),
	FIELD(aux_sample_size, "leave out the term aux-sample-size"),
	FIELD(aux_action, "leave out the term aux-action"),
	FIELD(config1, "leave out what sets config1"),
	FIELD(config2, "leave out what sets config2"),
	FIELD(config3, "leave out what sets config3"),
	FIELD(config4, "leave out what sets config4"),
};

bool
retry_opens(const struct open_refusal *r, struct event_attr attr, int *error)
{
	int fd;

	attr.disabled = 1;
	fd = open_attempt(r->sys, r->plan, &attr, r->pid, r->cpu);
	if (fd < 0) {
		if (error != NULL)
			*error = errno;
		return false;
	}
	close(fd);
	return true;
}

struct event_attr
retry_minimal(const struct open_refusal *r)
{
	const struct event_attr *a = &r->plan->attr;

	return (struct event_attr){
		.type = a->type,
		.size = a->size,
		.config = a->config,
		.config1 = a->config1,
		.config2 = a->config2,
		.config3 = a->config3,
		.config4 = a->config4,
		.bp_type = a->bp_type,
		/* These two ask for fewer rights. */
		.exclude_kernel = a->exclude_kernel,
		.exclude_hv = a->exclude_hv,
	};
}

static uint64_t
mask(const struct retry_attribute *a)
{
	return a->bits != 0 ? a->bits : UINT64_MAX;
}

/* The kernel's config1 and config2 are part of what a breakpoint or a probe is. */
static bool
is_identity(const struct open_refusal *r, const struct retry_attribute *a)
{
	return a->at >= offsetof(struct event_attr, config1) &&
	       a->at <= offsetof(struct event_attr, config2) &&
	       (r->plan->attr.type == PERF_TYPE_BREAKPOINT ||
		r->plan->spec.place != EVENT_PLACE_NONE);
}

/* false: there was nothing to clear. */
static bool
clear(struct event_attr *attr, const struct retry_attribute *a)
{
	uint8_t *field = (uint8_t *)attr + a->at;
	uint64_t value = 0, cleared;

	memcpy(&value, field, a->size);
	cleared = value & ~mask(a);
	memcpy(field, &cleared, a->size);
	return cleared != value;
}

const struct retry_attribute *
retry_find(const struct open_refusal *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		struct event_attr attr = r->plan->attr;

		if (!is_identity(r, &attributes[i]) && clear(&attr, &attributes[i]) &&
		    retry_opens(r, attr, NULL))
			return &attributes[i];
	}
	return NULL;
}

uint64_t
retry_value(const struct open_refusal *r, const struct retry_attribute *a)
{
	uint64_t value = 0;

	memcpy(&value, (const uint8_t *)&r->plan->attr + a->at, a->size);
	value &= mask(a);
	return a->bits != 0 ? value >> __builtin_ctzll(a->bits) : value;
}
