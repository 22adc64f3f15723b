/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_BPF_CODE_H
#define PTOP_SYMBOL_KERNEL_BPF_CODE_H
/*
 * The code of BPF programs as the kernel compiled it, and the lines that it is of, which the
 * program's BTF has with their text: bpf(2), which takes CAP_SYS_ADMIN to ask for what others have
 * loaded.  Any thread.
 */
#include "base/err.h"

/* From an address on code is of a line; its strings are raw. */
struct bpf_line {
	uint64_t addr;
	const char *file, *text;
	uint32_t line;
};

struct bpf_code {
	uint64_t start;
	uint8_t *code;
	size_t len;
	struct bpf_line *lines; /* by rising addresses */
	size_t line_count;
	char *strings;          /* of the lines */
};

/* Whether the kernel calls its functions so, which have the program's tag in their names. */
bool bpf_code_is_name(const char *function);

/* The code of @function, which is at @addr.  NULL: see @err. */
struct bpf_code *bpf_code_read(const char *function, uint64_t addr, struct err *err);

void bpf_code_free(struct bpf_code *c); /* NULL is allowed */

#endif
