/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/put_words.h"

#include "record/abi.h"
#include "record/put.h"

#include <inttypes.h>

/* The words of the bits that are set, the lowest first; false: there were none. */
static bool
put_bits(struct buf *b, uint64_t v, const char *const *words, size_t count)
{
	const char *between = "";

	for (size_t i = 0; i < count; i++) {
		if (!(v >> i & 1) || words[i] == NULL)
			continue;
		buf_addf(b, "%s%s", between, words[i]);
		between = "|";
	}
	return *between != '\0';
}

/* " (WORDS)", or nothing. */
static void
put_bits_behind(struct buf *b, uint64_t v, const char *const *words, size_t count)
{
	size_t at = b->len;

	buf_add_str(b, " (");
	if (put_bits(b, v, words, count))
		buf_add_char(b, ')');
	else
		b->len = at;
}

/* The word of a number, or "WHAT:NUMBER". */
static void
put_word(struct buf *b, uint64_t v, const char *const *words, size_t count, const char *what)
{
	if (v < count && words[v] != NULL)
		buf_add_str(b, words[v]);
	else
		buf_addf(b, "%s:%" PRIu64, what, v);
}

/* ---- the header's misc */

enum { MISC_SHIFT = 12, MISC_BITS = 4 };

static const char *const modes[] = { "unknown", "kernel", "user", "hypervisor", "guest-kernel",
				     "guest-user" };

/* Bits 12 to 15. */
static const struct {
	uint32_t type;
	const char *words[MISC_BITS];
} misc_words[] = {
	{ PERF_RECORD_SAMPLE, { NULL, NULL, "exact-ip", "extended" } },
	{ PERF_RECORD_MMAP, { "cut-by-timeout", "data", NULL, "extended" } },
	{ PERF_RECORD_MMAP2, { "cut-by-timeout", "data", "build-id", "extended" } },
	{ PERF_RECORD_COMM, { NULL, "exec", NULL, "extended" } },
	{ PERF_RECORD_FORK, { NULL, "exec", NULL, "extended" } },
	{ PERF_RECORD_LOST_SAMPLES, { NULL, NULL, NULL, "bpf-filter" } },
	{ PERF_RECORD_SWITCH, { NULL, "out", "preempt", "extended" } },
	{ PERF_RECORD_SWITCH_CPU_WIDE, { NULL, "out", "preempt", "extended" } },
};

void
put_misc_words(struct buf *b, uint32_t type, uint16_t misc)
{
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	size_t at = b->len;
	bool has_mode = mode != PERF_RECORD_MISC_CPUMODE_UNKNOWN, has_bits = false;

	buf_add_str(b, " (");
	if (has_mode)
		put_word(b, mode, modes, ARRAY_SIZE(modes), "mode");
	for (size_t i = 0; i < ARRAY_SIZE(misc_words); i++) {
		size_t before = b->len;

		if (misc_words[i].type != type)
			continue;
		if (has_mode)
			buf_add_char(b, '|');
		has_bits = put_bits(b, misc >> MISC_SHIFT, misc_words[i].words, MISC_BITS);
		if (!has_bits)
			b->len = before;
	}
	if (has_mode || has_bits)
		buf_add_char(b, ')');
	else
		b->len = at;
}

/* ---- parts of samples */

/* PERF_BR_* */
static const char *const branch_types[] = {
	"-", "cond", "uncond", "ind", "call", "ind-call", "ret", "syscall", "sysret", "cond-call",
	"cond-ret", "eret", "irq", "serror", "no-tx",
};

enum { BRANCH_EXTEND_ABI = 15 }; /* PERF_BR_NEW_* tell more */

static const char *const new_branch_types[] = {
	"fault-align", "fault-data", "fault-inst", "arch-1", "arch-2", "arch-3", "arch-4", "arch-5",
};

/* PERF_BR_SPEC_*, PERF_BR_PRIV_* */
static const char *const speculations[] = { "-", "spec-wrong", "correct", "spec-correct" };
static const char *const privileges[] = { "-", "user", "kernel", "hv" };

void
put_branch_words(struct buf *b, uint64_t bits)
{
	unsigned type = bits >> 20 & 15, spec = bits >> 24 & 3, new_type = bits >> 26 & 15;
	unsigned priv = bits >> 30 & 7;

	if ((type | spec | priv) == 0)
		return;
	buf_add_char(b, '/');
	if (type == BRANCH_EXTEND_ABI)
		put_word(b, new_type, new_branch_types, ARRAY_SIZE(new_branch_types), "new");
	else
		put_word(b, type, branch_types, ARRAY_SIZE(branch_types), "type");
	buf_addf(b, "/%s/", speculations[spec]);
	put_word(b, priv, privileges, ARRAY_SIZE(privileges), "priv");
}

void
put_transaction(struct buf *b, const struct record_layout *layout, const void *member)
{
	/* PERF_TXN_* */
	static const char *const words[] = { "elision", "transaction", "sync", "async", "retry",
					     "conflict", "capacity-write", "capacity-read" };
	uint64_t v = *(const uint64_t *)member, code = v >> PERF_TXN_ABORT_SHIFT;
	size_t end;

	put_hex64(b, layout, member);
	end = b->len;
	put_bits_behind(b, v, words, ARRAY_SIZE(words));
	if (code == 0)
		return;
	if (b->len > end)
		b->len--; /* the bracket */
	else
		buf_add_str(b, " (");
	buf_addf(b, "%sabort=0x%" PRIx64 ")", b->data[b->len - 1] == '(' ? "" : " ", code);
}

/* A field of union perf_mem_data_src: a set of names, or the one of its number. */
struct source_field {
	const char *name;
	uint8_t shift, width;
	bool is_number;
	const char *words[16];
};

static const struct source_field source_fields[] = {
	{ "op", 0, 5, false, { "na", "load", "store", "pfetch", "exec" } },
	{ "lvl", 5, 14, false, { "na", "hit", "miss", "L1", "LFB", "L2", "L3", "local-ram",
				 "remote-ram-1", "remote-ram-2", "remote-cache-1",
				 "remote-cache-2", "io", "uncached" } },
	{ "lvlnum", 33, 4, true, { [1] = "L1", "L2", "L3", "L4", "L2-mhb", "msc", "L0", "uncached",
				   "cxl", "io", "any-cache", "LFB", "ram", "pmem", "na" } },
	{ "remote", 37, 1, false, { "yes" } },
	{ "snoop", 19, 5, false, { "na", "none", "hit", "miss", "hitm" } },
	{ "snoopx", 38, 2, false, { "fwd", "peer" } },
	{ "lock", 24, 2, false, { "na", "locked" } },
	{ "tlb", 26, 7, false, { "na", "hit", "miss", "L1", "L2", "walker", "fault" } },
	{ "blk", 40, 3, false, { "na", "data", "addr" } },
	{ "hops", 43, 3, true, { [1] = "core", "node", "socket", "board" } },
	{ "region", 46, 5, true, { [1] = "reserved", "local-shared", "local-own", "other-io",
				   "other-shared", "other-own", "mmio", "mem0", "mem1", "mem2",
				   "mem3", "mem4", "mem5", "mem6", "mem7" } },
};

void
record_put_data_src(struct buf *b, uint64_t src)
{
	const char *between = "";

	for (size_t i = 0; i < ARRAY_SIZE(source_fields); i++) {
		const struct source_field *f = &source_fields[i];
		uint64_t v = src >> f->shift & ((UINT64_C(1) << f->width) - 1);

		if (v == 0)
			continue;
		buf_addf(b, "%s%s=", between, f->name);
		if (!f->is_number)
			put_bits(b, v, f->words, f->width);
		else if (v < ARRAY_SIZE(f->words) && f->words[v] != NULL)
			buf_add_str(b, f->words[v]);
		else
			buf_addf(b, "%" PRIu64, v);
		between = " ";
	}
}

/* ---- parts of other records */

void
put_aux_flags(struct buf *b, const struct record_layout *layout, const void *member)
{
	/* PERF_AUX_FLAG_*; the second byte is of the PMU. */
	static const char *const words[] = { "truncated", "overwrite", "partial", "collision",
					     [8] = "raw" };

	put_hex64(b, layout, member);
	put_bits_behind(b, *(const uint64_t *)member, words, ARRAY_SIZE(words));
}

/* "1 (bpf)" */
static void
put_kind(struct buf *b, uint64_t v, const char *const *words, size_t count)
{
	buf_addf(b, "%" PRIu64, v);
	if (v < count && words[v] != NULL)
		buf_addf(b, " (%s)", words[v]);
}

void
put_ksym_type(struct buf *b, const struct record_layout *layout, const void *member)
{
	static const char *const words[] = { NULL, "bpf", "out-of-line" };

	(void)layout;
	put_kind(b, *(const uint16_t *)member, words, ARRAY_SIZE(words));
}

void
put_ksym_flags(struct buf *b, const struct record_layout *layout, const void *member)
{
	static const char *const words[] = { "unregister" };

	put_hex16(b, layout, member);
	put_bits_behind(b, *(const uint16_t *)member, words, ARRAY_SIZE(words));
}

void
put_bpf_type(struct buf *b, const struct record_layout *layout, const void *member)
{
	static const char *const words[] = { NULL, "load", "unload" };

	(void)layout;
	put_kind(b, *(const uint16_t *)member, words, ARRAY_SIZE(words));
}
