/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_CODE_DISASM_H
#define PTOP_SYMBOL_CODE_DISASM_H
/*
 * One instruction after the other as text, by libcapstone, which is loaded when it is needed: that
 * takes a millisecond and 3 MiB.  Without it, or of machines that it does not know, instructions are
 * their bytes.  One thread.
 */
#include "base/err.h"
#include "view/listing.h"

enum { DISASM_TEXT_MAX = 256 };

/* Functions of the library; NULL wherever it is taken: there is none. */
struct disasm_lib;

/* Opens files: to be done before a process is confined.  NULL: there is no such library. */
struct disasm_lib *disasm_load(void);

struct disasm;

struct disasm_insn {
	enum listing_kind kind;
	uint8_t len;
	bool has_target, has_ref;
	bool is_number;   /* what it refers to is an immediate: an address only of code that never moves */
	uint64_t target;  /* of a jump or call */
	uint64_t ref;     /* an address that the instruction reads, writes or takes */
	uint8_t reg, size; /* as listing_instruction has them */
	int32_t disp;
	char text[DISASM_TEXT_MAX];
};

/*
 * For code of an ELF machine (EM_X86_64) and class.  Never NULL: why it cannot decode is in @err,
 * whose code is ERR_NONE if it can.
 */
struct disasm *disasm_new(const struct disasm_lib *lib, unsigned machine, bool is64, bool is_intel,
			  struct err *err);
void disasm_free(struct disasm *d);

/*
 * The instruction at @code, of @len bytes that are left, at least 1.  One that cannot be decoded
 * is as long as its encoding tells, else as short as one can be, of kind LISTING_BYTES.
 */
void disasm_next(struct disasm *d, const uint8_t *code, size_t len, uint64_t addr,
		 struct disasm_insn *out);

/*
 * How many bytes an x86-64 instruction has by its prefixes, opcode and operands, for those that are
 * newer than the decoder; 0: that cannot be told, or it does not end in @len bytes.
 */
unsigned x86_length(const uint8_t *code, size_t len);

/*
 * An instruction in AT&T's syntax as LLVM spells it, spelt as objdump and perf do: no suffix where
 * a register tells the size, no blanks between operands, numbers in hex.  @out has
 * DISASM_TEXT_MAX bytes.
 */
struct x86_spelling {
	const char *mnemonic, *operands;
	unsigned size;      /* of what is worked on, bytes: of negative immediates; 0: not known */
	bool has_disp;      /* a displacement is in the code, if it is 0, too */
	bool is_branch;     /* its operand is an address of code */
	uint64_t target;
	const uint8_t *code; /* its bytes */
	size_t len;
};
void x86_spell(const struct x86_spelling *s, char *out);

#endif
