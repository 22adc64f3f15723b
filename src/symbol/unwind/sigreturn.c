/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#ifdef HAVE_LIBDW

#include "symbol/unwind/cfi_program.h"
#include "symbol/unwind/unwind_format.h"

#include <dwarf.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	CODE_MAX = 1 << 20,
	FOUND_MAX = 16, /* there is one, or a few that the compiler has copied */
	PLACES = UNWIND_REGS,
};

/*
 * What the kernel has put on the stack when the handler returns, from the stack pointer on: where
 * registers lie in struct rt_sigframe, 0 for those that are not of interest.
 */
static const struct sigreturn {
	const struct unwind_machine *machine;
	const char *code;
	size_t code_len;
	uint16_t pc, sp;
	uint16_t at[PLACES];
} sigreturns[] = {
	/* mov $15, %rax; syscall.  The handler's return has taken the first word of the frame. */
	{ &unwind_x86_64,
	  "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05",
	  9,
	  168,
	  160,
	  { [0] = 144, [1] = 136, [2] = 152, [3] = 128, [4] = 112, [5] = 104, [6] = 120,
	    [8] = 40, [9] = 48, [10] = 56, [11] = 64, [12] = 72, [13] = 80, [14] = 88,
	    [15] = 96 } },
	/* mov x8, #139; svc #0 */
	{ &unwind_arm64,
	  "\x68\x11\x80\xd2\x01\x00\x00\xd4",
	  8,
	  568,
	  560,
	  { [0] = 312, [1] = 320, [2] = 328, [3] = 336, [4] = 344, [5] = 352, [6] = 360,
	    [7] = 368, [8] = 376, [9] = 384, [10] = 392, [11] = 400, [12] = 408, [13] = 416,
	    [14] = 424, [15] = 432, [16] = 440, [17] = 448, [18] = 456, [19] = 464, [20] = 472,
	    [21] = 480, [22] = 488, [23] = 496, [24] = 504, [25] = 512, [26] = 520, [27] = 528,
	    [28] = 536, [29] = 544, [30] = 552 } },
};

/* The place of an expression: so many bytes from the stack pointer, or the word that is there. */
static int32_t
from_sp(struct rules_build *b, const struct sigreturn *s, uint16_t offset, bool deref)
{
	const uint8_t code[] = { (uint8_t)(DW_OP_breg0 + s->machine->sp),
				 (uint8_t)(0x80 | (offset & 0x7f)),
				 (uint8_t)(offset >> 7), DW_OP_deref };

	return rules_build_code(b, (struct bytes){ code, sizeof(code) - !deref });
}

static void
save(struct unwind_state *state, unsigned reg, int32_t code)
{
	state->set |= UINT64_C(1) << reg;
	state->regs[reg].how = UNWIND_AT_EXPR;
	state->regs[reg].value = code;
}

static void
add_at(const struct sigreturn *s, uint64_t at, struct rules_build *b)
{
	const uint8_t pc = s->machine->pc;
	struct unwind_state state = {
		.cfa_reg = UNWIND_CFA_EXPR,
		.flags = UNWIND_SIGNAL,
		.ra = pc,
		.cfa = from_sp(b, s, s->sp, true),
	};

	for (unsigned reg = 0; reg < PLACES; reg++)
		if (s->at[reg] != 0)
			save(&state, reg, from_sp(b, s, s->at[reg], false));
	save(&state, pc, from_sp(b, s, s->pc, false));
	/* Who returns to it is looked for one byte before it. */
	if (rules_build_function(b, at - 1, at + s->code_len))
		rules_build_row(b, at - 1, &state);
}

static void
scan(const struct elf_file *f, const struct elf_segment *segment, const struct sigreturn *s,
     struct rules_build *b)
{
	uint8_t *code = mem_realloc(NULL, (size_t)segment->len + 1, 1), *p;
	size_t left = (size_t)segment->len;
	unsigned found = 0;

	p = code;
	if (pread(f->fd, code, left, (off_t)segment->offset) != (ssize_t)left)
		left = 0;
	while (left > s->code_len && found++ < FOUND_MAX &&
	       (p = memmem(p, left, s->code, s->code_len)) != NULL) {
		uint64_t at = segment->offset + (uint64_t)(p - code);

		if (at > segment->offset && !rules_build_has(b, at))
			add_at(s, at, b);
		p++;
		left = (size_t)segment->len - (size_t)(p - code);
	}
	free(code);
}

void
sigreturn_add(const struct elf_file *f, const struct unwind_machine *machine,
	      struct rules_build *b)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < f->segment_count; i++) {
		const struct elf_segment *segment = &f->segments[i];

		if (segment->len == 0 || segment->len > CODE_MAX - bytes ||
		    segment->offset > f->bytes || segment->len > f->bytes - segment->offset)
			continue;
		bytes += segment->len;
		for (size_t k = 0; k < ARRAY_SIZE(sigreturns); k++)
			if (sigreturns[k].machine->machine == machine->machine)
				scan(f, segment, &sigreturns[k], b);
	}
}

#endif
