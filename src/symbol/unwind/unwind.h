/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_UNWIND_UNWIND_H
#define PTOP_SYMBOL_UNWIND_UNWIND_H
/*
 * Call chains from registers and a copy of the stack, by the rules of the dsos that the code is
 * of.  No I/O and, but for the cache, no memory of its own.  One thread for each cache.
 */
#include "symbol/unwind/unwind_rules.h"

#include <stddef.h>

enum unwind_arch { UNWIND_X86_64, UNWIND_ARM64 };

enum { UNWIND_FRAMES_MAX = 512 };

/* What lies at an address. */
struct unwind_place {
	const struct unwind_rules *rules; /* NULL: its dso has none, or it is of none */
	uint64_t bias;                    /* address - bias is the offset in the dso's file */
	bool is_probed; /* the kernel runs a probed instruction there: frame pointers mislead */
};

enum unwind_end {
	UNWIND_WHOLE,     /* up to where the thread began */
	UNWIND_STACK_CUT, /* the copy of the stack ended */
	UNWIND_ELSEWHERE, /* a signal interrupted code on another stack, which is not in the copy */
	UNWIND_NO_RULES,  /* code without rules, and frame pointers did not lead on */
	UNWIND_NO_MAP,    /* an address where no code is mapped, which is not in the chain */
	UNWIND_BROKEN,    /* the rules lead nowhere, or in a circle */
	UNWIND_TOO_DEEP,  /* cut at the most frames that were asked for */
	UNWIND_WAITS,     /* find() asked to wait: what there is up to that frame */
	UNWIND_PROBED,    /* in such an instruction: of which function, and how far in it, is not known */
	UNWIND_UNREAD,    /* UNWIND_NO_RULES, of a file that could not be read: who asks knows it */
};

/*
 * What of a sample a chain was made from: another one with the same values there has the same chain,
 * as long as its copy reaches as far, and code and rules are the same.
 */
enum { UNWIND_READS_MAX = 24 };

struct unwind_reads {
	uint64_t regs;                 /* the registers, as bits of unwind_ask.regs_mask */
	unsigned len;                  /* words of the copy; above UNWIND_READS_MAX: nobody knows */
	uint16_t at[UNWIND_READS_MAX]; /* where they lie */
};

/* Rules that were looked up lately. */
struct unwind_cache;

struct unwind_cache *unwind_cache_new(void);
void unwind_cache_free(struct unwind_cache *c); /* NULL is allowed */

/* To be called before any rules that were in use are freed. */
void unwind_cache_clear(struct unwind_cache *c);

struct unwind_ask {
	enum unwind_arch arch;
	/* As perf gives them: a bit for each register (asm/perf_regs.h of that machine), and their
	 * values in that order.  Of 64 bit (PERF_SAMPLE_REGS_ABI_64) alone. */
	uint64_t regs_mask;
	const uint64_t *regs;
	const uint8_t *stack; /* little endian, as both machines are; from the stack pointer on */
	size_t stack_len;
	/* 0: fills @place, 1: the answer is not there yet, -1: no code is mapped there. */
	int (*find)(void *arg, uint64_t address, struct unwind_place *place);
	void *arg;
	struct unwind_cache *cache; /* NULL: none */
	struct unwind_reads *reads; /* to be filled; NULL: nobody wants to know */
};

struct unwind_result {
	enum unwind_end end;
	bool is_guessed;    /* the frame pointer was not known, and was looked for on the stack */
	unsigned by_fp;     /* frames that were found by frame pointer, for want of rules */
	size_t stack_used; /* bytes of the copy up to the highest one that was needed */
};

/*
 * The addresses of the chain, at most @max and UNWIND_FRAMES_MAX: first the one that was sampled (one
 * less, where only that has a rule: a trap stops behind its instruction), then return addresses, as
 * the kernel gives them.  A frame that a signal interrupted is given one past its address: so for all
 * but the first, one less is within the instruction that the frame is at.  perf script prints such
 * chains in the same way.  Returns how many; 0 if the stack pointer or the instruction pointer is
 * missing.
 */
size_t unwind(const struct unwind_ask *ask, uint64_t *ips, size_t max,
	      struct unwind_result *result);

#endif
