/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/event_table.h"

#include <linux/perf_event.h>
#include <string.h>
#include <strings.h>

/* PERF_COUNT_SW_CGROUP_SWITCHES is an enumerator of kernel 5.13 that older headers lack. */
enum { SW_CGROUP_SWITCHES = 11 };

#define SW(what) .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##what
#define HW(what) .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##what
#define CACHE(cache, op, result)                                                                  \
	.type = PERF_TYPE_HW_CACHE,                                                               \
	.config = PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                \
		  PERF_COUNT_HW_CACHE_RESULT_##result << 16

/* The operations that each cache has, as perf has them (evsel__hw_cache_stat). */
static const struct event_row rows[] = {
	{ "off-cpu", NULL, "time that threads wait, by looks at where they do", SW(DUMMY),
	  .unit = EVENT_COUNTS_TIME, .looks = EVENT_LOOKS_ALONE },
	{ "wall-clock", NULL, "all the time of threads: on a CPU, waiting for one, waiting",
	  SW(CPU_CLOCK), .unit = EVENT_COUNTS_TIME, .looks = EVENT_LOOKS_BESIDE },
	{ "cpu-clock", NULL, "time on each CPU, by a timer: works everywhere", SW(CPU_CLOCK),
	  .unit = EVENT_COUNTS_TIME },
	{ "task-clock", NULL, "time that tasks run, by a timer", SW(TASK_CLOCK),
	  .unit = EVENT_COUNTS_TIME },
	{ "page-faults", "faults", "page faults, minor and major", SW(PAGE_FAULTS) },
	{ "minor-faults", NULL, "page faults solved without reading a disk",
	  SW(PAGE_FAULTS_MIN) },
	{ "major-faults", NULL, "page faults that had to read a disk", SW(PAGE_FAULTS_MAJ) },
	{ "context-switches", "cs", "switches from one task to another", SW(CONTEXT_SWITCHES),
	  .is_in_kernel = true },
	{ "cpu-migrations", "migrations", "tasks moved to another CPU", SW(CPU_MIGRATIONS),
	  .is_in_kernel = true },
	{ "alignment-faults", NULL, "unaligned accesses that the kernel had to mend",
	  SW(ALIGNMENT_FAULTS) },
	{ "emulation-faults", NULL, "instructions that the kernel had to emulate",
	  SW(EMULATION_FAULTS) },
	{ "dummy", NULL, "nothing: carries only records of tasks and maps", SW(DUMMY) },
	{ "bpf-output", NULL, "what BPF programs put out", SW(BPF_OUTPUT) },
	{ "cgroup-switches", NULL, "switches to a task of another cgroup",
	  .type = PERF_TYPE_SOFTWARE, .config = SW_CGROUP_SWITCHES, .is_in_kernel = true },

	{ "cycles", "cpu-cycles", "CPU cycles; their length varies with the clock",
	  HW(CPU_CYCLES), .unit = EVENT_COUNTS_CYCLES },
	{ "instructions", NULL, "instructions retired", HW(INSTRUCTIONS) },
	{ "cache-references", NULL, "accesses to the last level cache, as a rule",
	  HW(CACHE_REFERENCES) },
	{ "cache-misses", NULL, "misses of the last level cache, as a rule", HW(CACHE_MISSES) },
	{ "branches", "branch-instructions", "branches retired", HW(BRANCH_INSTRUCTIONS) },
	{ "branch-misses", NULL, "branches predicted wrongly", HW(BRANCH_MISSES) },
	{ "bus-cycles", NULL, "cycles of the bus", HW(BUS_CYCLES), .unit = EVENT_COUNTS_CYCLES },
	{ "stalled-cycles-frontend", "idle-cycles-frontend",
	  "cycles without instructions to issue", HW(STALLED_CYCLES_FRONTEND) },
	{ "stalled-cycles-backend", "idle-cycles-backend",
	  "cycles in which results or memory were waited for", HW(STALLED_CYCLES_BACKEND) },
	{ "ref-cycles", NULL, "cycles of a clock that does not vary", HW(REF_CPU_CYCLES),
	  .unit = EVENT_COUNTS_CYCLES },

	{ "L1-dcache-loads", NULL, "level 1 data cache: loads", CACHE(L1D, READ, ACCESS) },
	{ "L1-dcache-load-misses", NULL, "level 1 data cache: loads that missed",
	  CACHE(L1D, READ, MISS) },
	{ "L1-dcache-stores", NULL, "level 1 data cache: stores", CACHE(L1D, WRITE, ACCESS) },
	{ "L1-dcache-store-misses", NULL, "level 1 data cache: stores that missed",
	  CACHE(L1D, WRITE, MISS) },
	{ "L1-dcache-prefetches", NULL, "level 1 data cache: prefetches",
	  CACHE(L1D, PREFETCH, ACCESS) },
	{ "L1-dcache-prefetch-misses", NULL, "level 1 data cache: prefetches that missed",
	  CACHE(L1D, PREFETCH, MISS) },
	{ "L1-icache-loads", NULL, "level 1 instruction cache: loads", CACHE(L1I, READ, ACCESS) },
	{ "L1-icache-load-misses", NULL, "level 1 instruction cache: loads that missed",
	  CACHE(L1I, READ, MISS) },
	{ "L1-icache-prefetches", NULL, "level 1 instruction cache: prefetches",
	  CACHE(L1I, PREFETCH, ACCESS) },
	{ "L1-icache-prefetch-misses", NULL, "level 1 instruction cache: prefetches that missed",
	  CACHE(L1I, PREFETCH, MISS) },
	{ "LLC-loads", NULL, "last level cache: loads", CACHE(LL, READ, ACCESS) },
	{ "LLC-load-misses", NULL, "last level cache: loads that missed", CACHE(LL, READ, MISS) },
	{ "LLC-stores", NULL, "last level cache: stores", CACHE(LL, WRITE, ACCESS) },
	{ "LLC-store-misses", NULL, "last level cache: stores that missed",
	  CACHE(LL, WRITE, MISS) },
	{ "LLC-prefetches", NULL, "last level cache: prefetches", CACHE(LL, PREFETCH, ACCESS) },
	{ "LLC-prefetch-misses", NULL, "last level cache: prefetches that missed",
	  CACHE(LL, PREFETCH, MISS) },
	{ "dTLB-loads", NULL, "data address translation: loads", CACHE(DTLB, READ, ACCESS) },
	{ "dTLB-load-misses", NULL, "data address translation: loads that missed",
	  CACHE(DTLB, READ, MISS) },
	{ "dTLB-stores", NULL, "data address translation: stores", CACHE(DTLB, WRITE, ACCESS) },
	{ "dTLB-store-misses", NULL, "data address translation: stores that missed",
	  CACHE(DTLB, WRITE, MISS) },
	{ "dTLB-prefetches", NULL, "data address translation: prefetches",
	  CACHE(DTLB, PREFETCH, ACCESS) },
	{ "dTLB-prefetch-misses", NULL, "data address translation: prefetches that missed",
	  CACHE(DTLB, PREFETCH, MISS) },
	{ "iTLB-loads", NULL, "instruction address translation: loads",
	  CACHE(ITLB, READ, ACCESS) },
	{ "iTLB-load-misses", NULL, "instruction address translation: loads that missed",
	  CACHE(ITLB, READ, MISS) },
	{ "branch-loads", NULL, "branch prediction: look-ups", CACHE(BPU, READ, ACCESS) },
	{ "branch-load-misses", NULL, "branch prediction: look-ups that missed",
	  CACHE(BPU, READ, MISS) },
	{ "node-loads", NULL, "memory of the own node: loads", CACHE(NODE, READ, ACCESS) },
	{ "node-load-misses", NULL, "loads from the memory of another node",
	  CACHE(NODE, READ, MISS) },
	{ "node-stores", NULL, "memory of the own node: stores", CACHE(NODE, WRITE, ACCESS) },
	{ "node-store-misses", NULL, "stores to the memory of another node",
	  CACHE(NODE, WRITE, MISS) },
	{ "node-prefetches", NULL, "memory of the own node: prefetches",
	  CACHE(NODE, PREFETCH, ACCESS) },
	{ "node-prefetch-misses", NULL, "prefetches from the memory of another node",
	  CACHE(NODE, PREFETCH, MISS) },
};

/* perf's words for the three parts of a cache event (evsel__hw_cache and its neighbours). */
struct cache_word {
	const char *word;
	unsigned value;
};

static const struct cache_word cache_kinds[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D },  { "l1-d", PERF_COUNT_HW_CACHE_L1D },
	{ "l1d", PERF_COUNT_HW_CACHE_L1D },	   { "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I },  { "l1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "l1i", PERF_COUNT_HW_CACHE_L1I },	   { "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL },	   { "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB },	   { "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB },  { "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-tlb", PERF_COUNT_HW_CACHE_ITLB },	   { "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branches", PERF_COUNT_HW_CACHE_BPU },   { "branch", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU },	   { "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU },	   { "node", PERF_COUNT_HW_CACHE_NODE },
};

static const struct cache_word cache_ops[] = {
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "load", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "store", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH },
};

static const struct cache_word cache_results[] = {
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "Reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
};

const struct event_row *
event_table(size_t *count)
{
	*count = ARRAY_SIZE(rows);
	return rows;
}

/* Takes one of @words, and the dash behind it, off the front of *@s. */
static bool
take_word(const char **s, size_t *len, const struct cache_word *words, size_t count,
	  unsigned *value)
{
	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(words[i].word);

		if (n > *len || strncasecmp(*s, words[i].word, n) != 0)
			continue;
		if (n < *len && (*s)[n] != '-')
			continue;
		*value = words[i].value;
		*s += n;
		*len -= n;
		if (*len > 1) {
			(*s)++;
			(*len)--;
		}
		return true;
	}
	return false;
}

/* As perf: the default is a read access. */
static const struct event_row *
find_cache(const char *s, size_t len)
{
	unsigned kind, op = PERF_COUNT_HW_CACHE_OP_READ;
	unsigned result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	uint64_t config;

	if (!take_word(&s, &len, cache_kinds, ARRAY_SIZE(cache_kinds), &kind))
		return NULL;
	if (take_word(&s, &len, cache_ops, ARRAY_SIZE(cache_ops), &op)) {
		take_word(&s, &len, cache_results, ARRAY_SIZE(cache_results), &result);
	} else if (take_word(&s, &len, cache_results, ARRAY_SIZE(cache_results), &result)) {
		take_word(&s, &len, cache_ops, ARRAY_SIZE(cache_ops), &op);
	}
	if (len != 0)
		return NULL;
	config = kind | op << 8 | result << 16;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].type == PERF_TYPE_HW_CACHE && rows[i].config == config)
			return &rows[i];
	}
	return NULL;
}

static bool
is_named(const char *name, const char *text, size_t len)
{
	return name != NULL && strlen(name) == len && memcmp(name, text, len) == 0;
}

const struct event_row *
event_table_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (is_named(rows[i].name, name, len) || is_named(rows[i].alias, name, len))
			return &rows[i];
	}
	return find_cache(name, len);
}
