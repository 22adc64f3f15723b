/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/copy.h"

#include "record/types.h"

/* Fields of any length: none of what is alike has them. */
#define OTHERS ((uint64_t)(PERF_SAMPLE_READ | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK))
#define NEEDED ((uint64_t)(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | \
			   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER))

static void
take_regs(const struct record_layout *layout, struct reader *r, struct record_regs *regs)
{
	regs->abi = reader_u64(r);
	regs->mask = layout->sample_regs_user;
	regs->words = NULL;
	if (regs->abi != PERF_SAMPLE_REGS_ABI_NONE)
		regs->words = record_words(r, (uint64_t)__builtin_popcountll(regs->mask), 1);
}

static void
take_stack(struct reader *r, struct bytes *stack)
{
	uint64_t len = reader_u64(r), copied;

	stack->data = reader_bytes(r, len);
	stack->len = 0;
	if (len == 0)
		return;
	copied = reader_u64(r);
	if (copied > len)
		reader_fail(r);
	else
		stack->len = copied;
}

bool
record_find_copy(const struct record_layout *layout, struct bytes bytes, struct record_copy *out)
{
	uint64_t place = record_sample_place(layout, bytes), len;
	struct reader r = reader_over(bytes);
	const uint8_t *chain;

	if (place == 0 || (layout->sample_type & NEEDED) != NEEDED || layout->sample_type & OTHERS)
		return false;
	memcpy(&out->pid, bytes.data + layout->sample_time_at - 8, sizeof(out->pid));
	reader_bytes(&r, layout->sample_period_at + 8u);
	chain = r.pos;
	len = reader_u64(&r);
	record_counted(&r, &len, 1);
	take_regs(layout, &r, &out->regs);
	if (r.failed)
		return false;
	place = hash_mix(place, hash_bytes(chain, (len + 2) * 8)); /* with its length and the ABI */
	take_stack(&r, &out->stack);
	out->tag = hash_mix(place, hash_bytes(r.pos, reader_left(&r))) | 1;
	return !r.failed;
}
