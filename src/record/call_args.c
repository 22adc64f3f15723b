/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/call_args.h"

#include <linux/perf_event.h>

#if defined(__x86_64__)
#include <asm/perf_regs.h>

static const uint8_t regs_of[CALL_ARGS] = {
	PERF_REG_X86_DI, PERF_REG_X86_SI, PERF_REG_X86_DX, PERF_REG_X86_CX, PERF_REG_X86_R8,
	PERF_REG_X86_R9,
};
enum { HAS_REGS = 1 };
#elif defined(__aarch64__)
static const uint8_t regs_of[CALL_ARGS] = { 0, 1, 2, 3, 4, 5 };
enum { HAS_REGS = 1 };
#else
static const uint8_t regs_of[CALL_ARGS];
enum { HAS_REGS = 0 };
#endif

static const char *const names[CALL_ARGS] = { "arg1", "arg2", "arg3", "arg4", "arg5", "arg6" };

uint64_t
call_args_mask(void)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < CALL_ARGS && HAS_REGS; i++)
		mask |= UINT64_C(1) << regs_of[i];
	return mask;
}

struct payload_formats *
call_args_formats(const struct arguments *known)
{
	const bool has_count = known != NULL && known->count > 0;

	return payload_formats_of_words(CALL_ARGS_EVENT, names, has_count ? known->count : CALL_ARGS,
					known != NULL ? known->items : NULL);
}

bool
call_args_take(const struct record_regs *regs, uint64_t args[CALL_ARGS])
{
	uint64_t mask = call_args_mask();

	if (mask == 0 || regs->words == NULL || regs->abi != PERF_SAMPLE_REGS_ABI_64 ||
	    (regs->mask & mask) != mask)
		return false;
	for (size_t i = 0; i < CALL_ARGS; i++)
		args[i] = regs->words[bits_below(regs->mask, UINT64_C(1) << regs_of[i])];
	return true;
}
