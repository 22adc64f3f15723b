/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/attr_table.h"

#include "record/reg_names.h"

#include <endian.h>
#include <string.h>

enum { BITS_OFFSET = 40 }; /* of the word of flags in struct event_attr */

_Static_assert(offsetof(struct event_attr, wakeup_watermark) == BITS_OFFSET + 8, "word of flags");

static const char *const type_names[] = {
	"HARDWARE", "SOFTWARE", "TRACEPOINT", "HW_CACHE", "RAW", "BREAKPOINT",
};

static const char *const sample_names[] = {
	"IP", "TID", "TIME", "ADDR", "READ", "CALLCHAIN", "ID", "CPU", "PERIOD", "STREAM_ID", "RAW",
	"BRANCH_STACK", "REGS_USER", "STACK_USER", "WEIGHT", "DATA_SRC", "IDENTIFIER",
	"TRANSACTION", "REGS_INTR", "PHYS_ADDR", "AUX", "CGROUP", "DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE", "WEIGHT_STRUCT",
};

static const char *const format_names[] = {
	"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST",
};

static const char *const branch_names[] = {
	"USER", "KERNEL", "HV", "ANY", "ANY_CALL", "ANY_RETURN", "IND_CALL", "ABORT_TX", "IN_TX",
	"NO_TX", "COND", "CALL_STACK", "IND_JUMP", "CALL", "NO_FLAGS", "NO_CYCLES", "TYPE_SAVE",
	"HW_INDEX", "PRIV_SAVE", "COUNTERS",
};

static const char *const breakpoint_names[] = { "R", "W", "X" };

static const char *const clock_names[] = {
	"REALTIME", "MONOTONIC", "PROCESS_CPUTIME_ID", "THREAD_CPUTIME_ID", "MONOTONIC_RAW",
	"REALTIME_COARSE", "MONOTONIC_COARSE", "BOOTTIME", "REALTIME_ALARM", "BOOTTIME_ALARM",
	NULL, "TAI",
};

/* The general registers of this machine. */
#if defined(__x86_64__)
#define MACHINE_REGS reg_names_x86, 24
#elif defined(__aarch64__)
#define MACHINE_REGS reg_names_arm64, 33
#else
#define MACHINE_REGS NULL, 0
#endif

static bool
is_freq(const struct event_attr *attr)
{
	return attr->freq;
}

static bool
is_period(const struct event_attr *attr)
{
	return !attr->freq;
}

static bool
is_watermark(const struct event_attr *attr)
{
	return attr->watermark;
}

static bool
is_wakeup_events(const struct event_attr *attr)
{
	return !attr->watermark;
}

static bool
is_breakpoint(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_BREAKPOINT;
}

static bool
is_no_breakpoint(const struct event_attr *attr)
{
	return attr->type != PERF_TYPE_BREAKPOINT;
}

#define AT(member) \
	.offset = offsetof(struct event_attr, member), \
	.bytes = sizeof(((struct event_attr *)NULL)->member), \
	.bits = 8 * sizeof(((struct event_attr *)NULL)->member)
#define FIELD(field, how, about) { .name = #field, AT(field), .kind = how, .help = about }
#define PART(as, member, how, when, about) \
	{ .name = as, AT(member), .kind = how, .is_meant = when, .help = about }
#define LISTED(field, how, list, count, about) \
	{ .name = #field, AT(field), .kind = how, .names = list, .name_count = count, .help = about }
#define NAMED(field, how, list, about) LISTED(field, how, list, ARRAY_SIZE(list), about)
#define REGS(field, list, about) LISTED(field, ATTR_MASK, list, about)
#define BITS(as, at, width, about) \
	{ .name = as, .offset = BITS_OFFSET, .bytes = 8, .shift = at, .bits = width, .help = about }
#define BIT(as, at, about) BITS(as, at, 1, about)
#define AUX_BIT(as, at, about) \
	{ .name = as, .offset = offsetof(struct event_attr, aux_action), .bytes = 4, .shift = at, \
	  .bits = 1, .help = about }

static const struct attr_field fields[] = {
	NAMED(type, ATTR_CHOICE, type_names, "which PMU counts"),
	FIELD(size, ATTR_NUMBER, "of these attributes in bytes: the version of the interface"),
	FIELD(config, ATTR_HEX, "which event of the PMU"),
	PART("sample_period", sample_period, ATTR_NUMBER, is_period, "a sample each so many events"),
	PART("sample_freq", sample_period, ATTR_NUMBER, is_freq,
	     "samples per second: the kernel finds the period"),
	NAMED(sample_type, ATTR_MASK, sample_names, "what a sample carries"),
	NAMED(read_format, ATTR_MASK, format_names, "what read(2) of a counter gives"),
	BIT("disabled", 0, "counts only when it is enabled"),
	BIT("inherit", 1, "new children are counted too"),
	BIT("pinned", 2, "always on the PMU, or in error"),
	BIT("exclusive", 3, "nothing else on the PMU meanwhile"),
	BIT("exclude_user", 4, "not while in user space"),
	BIT("exclude_kernel", 5, "not while in the kernel"),
	BIT("exclude_hv", 6, "not while in the hypervisor"),
	BIT("exclude_idle", 7, "not while the CPU is idle"),
	BIT("mmap", 8, "records of executable maps"),
	BIT("comm", 9, "records of names of tasks"),
	BIT("freq", 10, "sample_freq is meant, not sample_period"),
	BIT("inherit_stat", 11, "counts of each task are kept apart when it is switched"),
	BIT("enable_on_exec", 12, "begins at the next exec"),
	BIT("task", 13, "records of tasks that begin and end"),
	BIT("watermark", 14, "wakeup_watermark is meant, not wakeup_events"),
	BITS("precise_ip", 15, 2, "how near the address is: 0 any skid, 1 the same, 2 asked for no skid, 3 none"),
	BIT("mmap_data", 17, "records of other maps"),
	BIT("sample_id_all", 18, "all records carry id and time"),
	BIT("exclude_host", 19, "not while in the host"),
	BIT("exclude_guest", 20, "not while in a guest"),
	BIT("exclude_callchain_kernel", 21, "call chains without the kernel's part"),
	BIT("exclude_callchain_user", 22, "call chains without the part of user space"),
	BIT("mmap2", 23, "records of maps carry inode and protection"),
	BIT("comm_exec", 24, "records of names tell an exec"),
	BIT("use_clockid", 25, "clockid is meant, not the clock of perf"),
	BIT("context_switch", 26, "records of switches between tasks"),
	BIT("write_backward", 27, "the ring is written from its end: the newest is kept"),
	BIT("namespaces", 28, "records of namespaces of tasks"),
	BIT("ksymbol", 29, "records of symbols that the kernel gains and loses"),
	BIT("bpf_event", 30, "records of BPF programs that are loaded and unloaded"),
	BIT("aux_output", 31, "samples go to the AUX area of the group's leader"),
	BIT("cgroup", 32, "records of cgroups: id and path"),
	BIT("text_poke", 33, "records of changes of the kernel's code"),
	BIT("build_id", 34, "records of maps carry the build-id, not the inode"),
	BIT("inherit_thread", 35, "new threads are counted too, new processes are not"),
	BIT("remove_on_exec", 36, "ends at an exec"),
	BIT("sigtrap", 37, "the task gets SIGTRAP at each event"),
	BIT("defer_callchain", 38, "call chains of user space may come later"),
	BIT("defer_output", 39, "call chains that come later go to this event's ring"),
	PART("wakeup_watermark", wakeup_watermark, ATTR_NUMBER, is_watermark,
	     "bytes in the ring that wake the reader"),
	PART("wakeup_events", wakeup_watermark, ATTR_NUMBER, is_wakeup_events,
	     "samples that wake the reader"),
	NAMED(bp_type, ATTR_MASK, breakpoint_names, "what the breakpoint watches for"),
	PART("bp_addr", config1, ATTR_HEX, is_breakpoint, "address of the breakpoint"),
	PART("config1", config1, ATTR_HEX, is_no_breakpoint, "more of config, as the PMU defines"),
	PART("bp_len", config2, ATTR_NUMBER, is_breakpoint, "bytes that the breakpoint watches"),
	PART("config2", config2, ATTR_HEX, is_no_breakpoint, "more of config, as the PMU defines"),
	NAMED(branch_sample_type, ATTR_MASK, branch_names, "which branches are in a branch stack"),
	REGS(sample_regs_user, MACHINE_REGS, "registers of user space in a sample"),
	FIELD(sample_stack_user, ATTR_NUMBER, "bytes of the user stack in a sample"),
	NAMED(clockid, ATTR_CHOICE, clock_names, "the clock of times"),
	REGS(sample_regs_intr, MACHINE_REGS, "registers at the interrupt in a sample"),
	FIELD(aux_watermark, ATTR_NUMBER, "bytes in the AUX area that wake the reader"),
	FIELD(sample_max_stack, ATTR_NUMBER, "most frames of a call chain"),
	FIELD(aux_sample_size, ATTR_NUMBER, "bytes of the AUX area in a sample"),
	AUX_BIT("aux_start_paused", 0, "the AUX area begins paused"),
	AUX_BIT("aux_pause", 1, "pauses the AUX area of the group's leader"),
	AUX_BIT("aux_resume", 2, "resumes the AUX area of the group's leader"),
	FIELD(sig_data, ATTR_HEX, "what SIGTRAP brings"),
	FIELD(config3, ATTR_HEX, "more of config, as the PMU defines"),
	FIELD(config4, ATTR_HEX, "more of config, as the PMU defines"),
};

const struct attr_field *
attr_fields(size_t *count)
{
	*count = ARRAY_SIZE(fields);
	return fields;
}

const struct attr_field *
attr_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

/* Bit fields begin at the other end where the highest byte comes first. */
static unsigned
shift_of(const struct attr_field *f)
{
	if (f->offset == BITS_OFFSET && __BYTE_ORDER == __BIG_ENDIAN)
		return 64u - f->shift - f->bits;
	return f->shift;
}

static uint64_t
mask_of(const struct attr_field *f)
{
	return f->bits == 64 ? UINT64_MAX : (1ULL << f->bits) - 1;
}

static uint64_t
load(const struct event_attr *attr, const struct attr_field *f)
{
	const char *at = (const char *)attr + f->offset;
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	switch (f->bytes) {
	case sizeof(v16):
		memcpy(&v16, at, sizeof(v16));
		return v16;
	case sizeof(v32):
		memcpy(&v32, at, sizeof(v32));
		return v32;
	default:
		memcpy(&v64, at, sizeof(v64));
		return v64;
	}
}

static void
store(struct event_attr *attr, const struct attr_field *f, uint64_t value)
{
	char *at = (char *)attr + f->offset;
	uint32_t v32 = (uint32_t)value;
	uint16_t v16 = (uint16_t)value;

	switch (f->bytes) {
	case sizeof(v16):
		memcpy(at, &v16, sizeof(v16));
		break;
	case sizeof(v32):
		memcpy(at, &v32, sizeof(v32));
		break;
	default:
		memcpy(at, &value, sizeof(value));
		break;
	}
}

uint64_t
attr_field_get(const struct event_attr *attr, const struct attr_field *field)
{
	return load(attr, field) >> shift_of(field) & mask_of(field);
}

void
attr_field_set(struct event_attr *attr, const struct attr_field *field, uint64_t value)
{
	uint64_t mask = mask_of(field) << shift_of(field);

	store(attr, field, (load(attr, field) & ~mask) | (value << shift_of(field) & mask));
}

void
attr_put_names(struct buf *b, const struct attr_field *field, uint64_t value)
{
	const char *between = "";

	if (field->kind == ATTR_CHOICE) {
		if (value < field->name_count && field->names[value] != NULL)
			buf_add_str(b, field->names[value]);
		return;
	}
	if (field->kind != ATTR_MASK)
		return;
	for (size_t i = 0; i < field->name_count; i++) {
		if (!(value >> i & 1) || field->names[i] == NULL)
			continue;
		buf_addf(b, "%s%s", between, field->names[i]);
		between = "|";
		value &= ~(1ULL << i);
	}
	if (value != 0)
		buf_addf(b, "%s%#llx", between, (unsigned long long)value);
}
