/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_ABI_H
#define PTOP_RECORD_ABI_H
/*
 * The kernel's perf ABI, as new as this code knows it: the system's header may be years older than
 * the kernel.  Layouts are those of linux/perf_event.h.
 */
#include "base/util.h"

#include <linux/perf_event.h>

/*
 * struct perf_event_attr of 144 bytes (PERF_ATTR_SIZE_VER9).  Older kernels take it as long as what
 * they do not know is zero; else they answer E2BIG and write their own size into it.
 */
struct event_attr {
	uint32_t type, size;
	uint64_t config;
	uint64_t sample_period; /* or Hz, with freq */
	uint64_t sample_type, read_format;
	uint64_t disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1,
		exclude_kernel : 1, exclude_hv : 1, exclude_idle : 1, mmap : 1, comm : 1, freq : 1,
		inherit_stat : 1, enable_on_exec : 1, task : 1, watermark : 1, precise_ip : 2,
		mmap_data : 1, sample_id_all : 1, exclude_host : 1, exclude_guest : 1,
		exclude_callchain_kernel : 1, exclude_callchain_user : 1, mmap2 : 1, comm_exec : 1,
		use_clockid : 1, context_switch : 1, write_backward : 1, namespaces : 1,
		ksymbol : 1, bpf_event : 1, aux_output : 1, cgroup : 1, text_poke : 1, build_id : 1,
		inherit_thread : 1, remove_on_exec : 1, sigtrap : 1, defer_callchain : 1,
		defer_output : 1, reserved_1 : 24;
	uint32_t wakeup_watermark; /* or wakeup_events */
	uint32_t bp_type;
	uint64_t config1, config2;
	uint64_t branch_sample_type, sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack, reserved_2;
	uint32_t aux_sample_size, aux_action;
	uint64_t sig_data, config3, config4;
};

_Static_assert(sizeof(struct event_attr) == 144, "PERF_ATTR_SIZE_VER9");

enum {
	ABI_ATTR_SIZE_MIN = 64,  /* PERF_ATTR_SIZE_VER0 */
	ABI_FORMAT_LOST = 1 << 4, /* PERF_FORMAT_LOST, kernel 6.0 */
};

/* PERF_RECORD_* that the oldest headers lack. */
enum {
	ABI_RECORD_KSYMBOL = 17,
	ABI_RECORD_BPF_EVENT = 18,
	ABI_RECORD_CGROUP = 19,
	ABI_RECORD_TEXT_POKE = 20,
	ABI_RECORD_AUX_OUTPUT_HW_ID = 21,
	ABI_RECORD_CALLCHAIN_DEFERRED = 22, /* kernel 6.19 */
};

/* PERF_RECORD_MISC_*: the same bit means something else in each type. */
enum {
	ABI_MISC_MMAP_BUILD_ID = 1 << 14,
	ABI_MISC_SWITCH_OUT = 1 << 13,
	ABI_MISC_SWITCH_OUT_PREEMPT = 1 << 14,
	ABI_MISC_LOST_SAMPLES_BPF = 1 << 15, /* perf's own */
};

/* PERF_SAMPLE_* */
enum {
	ABI_SAMPLE_PHYS_ADDR = 1 << 19,
	ABI_SAMPLE_AUX = 1 << 20,
	ABI_SAMPLE_CGROUP = 1 << 21,
	ABI_SAMPLE_DATA_PAGE_SIZE = 1 << 22,
	ABI_SAMPLE_CODE_PAGE_SIZE = 1 << 23,
	ABI_SAMPLE_WEIGHT_STRUCT = 1 << 24,
};

/* PERF_SAMPLE_BRANCH_*; the first and the last add words to a sample. */
enum {
	ABI_BRANCH_HW_INDEX = 1 << 17,
	ABI_BRANCH_PRIV_SAVE = 1 << 18, /* kernel 6.1 */
	ABI_BRANCH_COUNTERS = 1 << 19,  /* kernel 6.8 */
};

/* PERF_CONTEXT_USER_DEFERRED, kernel 6.19: the cookie of the chain that follows later. */
#define ABI_CONTEXT_USER_DEFERRED ((uint64_t)-640)

/* The records of perf itself, PERF_RECORD_USER_TYPE_START and on. */
enum {
	RECORD_PERF_HEADER_ATTR = 64,
	RECORD_PERF_EVENT_TYPE = 65,
	RECORD_PERF_TRACING_DATA = 66,
	RECORD_PERF_BUILD_ID = 67,
	RECORD_PERF_FINISHED_ROUND = 68,
	RECORD_PERF_ID_INDEX = 69,
	RECORD_PERF_AUXTRACE_INFO = 70,
	RECORD_PERF_AUXTRACE = 71,
	RECORD_PERF_AUXTRACE_ERROR = 72,
	RECORD_PERF_THREAD_MAP = 73,
	RECORD_PERF_CPU_MAP = 74,
	RECORD_PERF_STAT_CONFIG = 75,
	RECORD_PERF_STAT = 76,
	RECORD_PERF_STAT_ROUND = 77,
	RECORD_PERF_EVENT_UPDATE = 78,
	RECORD_PERF_TIME_CONV = 79,
	RECORD_PERF_HEADER_FEATURE = 80,
	RECORD_PERF_COMPRESSED = 81,
	RECORD_PERF_FINISHED_INIT = 82,
	RECORD_PERF_COMPRESSED2 = 83,
	RECORD_PERF_BPF_METADATA = 84,
	RECORD_PERF_SCHEDSTAT_CPU = 85,
	RECORD_PERF_SCHEDSTAT_DOMAIN = 86,
	RECORD_TYPE_COUNT,
};

#endif
