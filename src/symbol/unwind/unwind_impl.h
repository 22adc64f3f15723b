/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_UNWIND_UNWIND_IMPL_H
#define PTOP_SYMBOL_UNWIND_UNWIND_IMPL_H
/*
 * A chain that is being unwound.  Of each frame ip, sp, fp and CFA are known, by which nearly all
 * rules go.  Other registers are looked for when they are asked for, in the frames that it called.
 */
#include "base/reader.h"
#include "symbol/unwind/unwind.h"
#include "symbol/unwind/unwind_format.h"

struct unwind_frame {
	const struct unwind_rule *rule; /* NULL: it was left by frame pointer */
	const struct unwind_rules *rules;
	uint64_t ip, sp, fp, cfa;
	bool is_exact; /* ip is no return address: sampled, or interrupted by a signal */
	bool has_fp;
	bool is_fp_sampled; /* fp is still that of the sample */
	bool has_sp;
	bool is_probed; /* nothing leads on */
};

/* What lies further above the copy than this is on another stack, or nowhere. */
enum { UNWIND_STACK_MAX = 64 << 20 };

struct unwind_walk {
	const struct unwind_ask *ask;
	const struct unwind_machine *machine;
	uint64_t low; /* where the copy of the stack begins */
	size_t used;  /* bytes of it */
	unsigned budget; /* registers that may still be looked for, expressions evaluated */
	bool is_elsewhere; /* a signal had interrupted another stack */
	enum unwind_end why; /* what the last thing failed for */
	unsigned by_fp;
	bool is_guessed;
	size_t count; /* frames that are filled */
	struct unwind_frame frames[UNWIND_FRAMES_MAX + 1]; /* one more, to know that there is one */
};

/* The first frame, from the sampled registers.  false: no ip or no sp. */
bool unwind_first(struct unwind_walk *w);

/* All of these: false: it is not known, w->why says in what way. */
bool unwind_read(struct unwind_walk *w, uint64_t address, uint64_t *value);

/* Before the frame pointer of @f is used. */
void unwind_uses_fp(const struct unwind_walk *w, const struct unwind_frame *f);

/* Register @reg while frame @k ran. */
bool unwind_reg(struct unwind_walk *w, size_t k, unsigned reg, uint64_t *value);

/* What a rule of frame @k gives for its caller. */
bool unwind_value(struct unwind_walk *w, size_t k, unsigned how, int32_t value, uint64_t *out);

/* The result of a DWARF expression in frame @k, which begins with *@cfa, NULL: with nothing. */
bool unwind_expr(struct unwind_walk *w, size_t k, struct bytes code, const uint64_t *cfa,
		 uint64_t *out);

/* The tables of checked rules, for who follows them. */
struct unwind_rules {
	const uint8_t *map;
	size_t bytes;
	struct unwind_header head; /* a copy */
	const uint32_t *firsts;
	const struct unwind_part *parts;
	const struct unwind_rule *rules;
	const struct unwind_saved *saved;
	const uint8_t *code;
};

/* Where the row @i of all parts begins, from the base. */
static inline uint64_t
unwind_rules_start(const struct unwind_rules *r, size_t i)
{
	return (uint64_t)r->firsts[i / UNWIND_PART] + r->parts[i / UNWIND_PART].later[i % UNWIND_PART];
}

/* The number of its rule. */
static inline uint16_t
unwind_rules_number(const struct unwind_rules *r, size_t i)
{
	return r->parts[i / UNWIND_PART].numbers[i % UNWIND_PART];
}

/* The expression at a place of the code. */
static inline struct bytes
unwind_rules_code(const struct unwind_rules *r, int32_t at)
{
	uint16_t len;

	memcpy(&len, r->code + at, sizeof(len));
	return (struct bytes){ r->code + at + sizeof(len), len };
}

#endif
