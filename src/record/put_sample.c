/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/put.h"
#include "record/put_words.h"
#include "record/types.h"

#include <inttypes.h>

static void
put_chain(struct buf *b, const struct record_layout *layout, const void *member)
{
	const struct record_sample *s = member;

	(void)layout;
	put_chain_words(b, s->chain, s->chain_len);
}

/*
 * As perf script writes it: from/to/M or P/X in a transaction/A it was aborted/cycles, and of CPUs
 * that tell them type/speculation/privilege.
 */
static void
put_branch(struct buf *b, const uint64_t *entry)
{
	uint64_t bits = entry[2];

	buf_addf(b, "0x%" PRIx64 "/0x%" PRIx64 "/%c/%c/%c/%u", entry[0], entry[1],
		 bits & 2 ? 'P' : bits & 1 ? 'M' : '-', bits & 4 ? 'X' : '-',
		 bits & 8 ? 'A' : '-', (unsigned)(bits >> 4 & 0xffff));
	put_branch_words(b, bits);
}

static void
put_branches(struct buf *b, const struct record_layout *layout, const void *member)
{
	const struct record_branches *br = member;

	(void)layout;
	buf_add_char(b, '[');
	for (uint64_t i = 0; i < br->len; i++) {
		if (i > 0)
			buf_add_char(b, ' ');
		put_branch(b, br->entries + i * RECORD_BRANCH_WORDS);
	}
	buf_add_char(b, ']');
	if (br->hw_idx != UINT64_MAX)
		buf_addf(b, " branch_hw_idx=%" PRIu64, br->hw_idx);
	if (br->counters == NULL)
		return;
	buf_add_str(b, " branch_counters=");
	put_chain_words(b, br->counters, br->len);
}

/* By the names of the machine; where they are not known, rN is bit N of the mask. */
static void
put_regs(struct buf *b, const struct record_layout *layout, const void *member)
{
	const struct record_regs *regs = member;
	const uint64_t *word = regs->words;

	buf_addf(b, "[abi:%" PRIu64, regs->abi);
	for (unsigned i = 0; i < 64 && word != NULL; i++) {
		if (!(regs->mask >> i & 1))
			continue;
		if (layout->reg_names != NULL && layout->reg_names[i] != NULL)
			buf_addf(b, " %s:0x%" PRIx64, layout->reg_names[i], *word++);
		else
			buf_addf(b, " r%u:0x%" PRIx64, i, *word++);
	}
	buf_add_char(b, ']');
}

static void
put_stack(struct buf *b, const struct record_layout *layout, const void *member)
{
	const struct record_sample *s = member;

	(void)layout;
	buf_addf(b, "%zu/%" PRIu64, s->stack_user.len, s->stack_dyn_size);
}

static void
put_weight(struct buf *b, const struct record_layout *layout, const void *member)
{
	uint64_t w = *(const uint64_t *)member;

	if (layout->sample_type & PERF_SAMPLE_WEIGHT)
		buf_addf(b, "%" PRIu64, w);
	else
		buf_addf(b, "%u,%u,%u", (unsigned)(w & UINT32_MAX), (unsigned)(w >> 32 & 0xffff),
			 (unsigned)(w >> 48));
}

static void
put_size(struct buf *b, const struct record_layout *layout, const void *member)
{
	(void)layout;
	buf_addf(b, "%zu", ((const struct bytes *)member)->len);
}

/* The number, and in words what of it is set. */
static void
put_data_src(struct buf *b, const struct record_layout *layout, const void *member)
{
	uint64_t src = *(const uint64_t *)member;

	put_hex64(b, layout, member);
	if ((src & RECORD_DATA_SRC_KNOWN) == 0)
		return;
	buf_add_str(b, " (");
	record_put_data_src(b, src);
	buf_add_char(b, ')');
}

/* decode.c reads them, without this table: samples are most of all records. */
const struct record_field record_sample_fields[] = {
	FIELD_IF("ip", PERF_SAMPLE_IP, put_hex64, sample.ip),
	FIELD_IF("addr", PERF_SAMPLE_ADDR, put_hex64, sample.addr),
	FIELD_IF("period", PERF_SAMPLE_PERIOD, put_dec64, sample.period),
	FIELD_IF("read", PERF_SAMPLE_READ, put_read, sample.read),
	FIELD_IF("chain", PERF_SAMPLE_CALLCHAIN, put_chain, sample),
	FIELD_IF("raw", PERF_SAMPLE_RAW, put_hex_bytes, sample.raw),
	FIELD_IF("branches", PERF_SAMPLE_BRANCH_STACK, put_branches, sample.branches),
	FIELD_IF("regs_user", PERF_SAMPLE_REGS_USER, put_regs, sample.regs_user),
	FIELD_IF("stack_user", PERF_SAMPLE_STACK_USER, put_stack, sample),
	FIELD_IF("weight", PERF_SAMPLE_WEIGHT | ABI_SAMPLE_WEIGHT_STRUCT, put_weight,
		 sample.weight),
	FIELD_IF("data_src", PERF_SAMPLE_DATA_SRC, put_data_src, sample.data_src),
	FIELD_IF("transaction", PERF_SAMPLE_TRANSACTION, put_transaction, sample.transaction),
	FIELD_IF("regs_intr", PERF_SAMPLE_REGS_INTR, put_regs, sample.regs_intr),
	FIELD_IF("phys_addr", ABI_SAMPLE_PHYS_ADDR, put_hex64, sample.phys_addr),
	FIELD_IF("cgroup", ABI_SAMPLE_CGROUP, put_dec64, sample.cgroup),
	FIELD_IF("data_page_size", ABI_SAMPLE_DATA_PAGE_SIZE, put_dec64, sample.data_page_size),
	FIELD_IF("code_page_size", ABI_SAMPLE_CODE_PAGE_SIZE, put_dec64, sample.code_page_size),
	FIELD_IF("aux", ABI_SAMPLE_AUX, put_size, sample.aux),
	{ 0 },
};
