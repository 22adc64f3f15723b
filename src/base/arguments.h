/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_ARGUMENTS_H
#define PTOP_BASE_ARGUMENTS_H
/* What is known of the arguments that a function gets in registers: plain data. */
#include <stdbool.h>
#include <stdint.h>

enum {
	ARGUMENTS_MAX = 6,      /* arg1 to arg6: registers for integers and addresses */
	ARGUMENT_NAME_MAX = 32, /* with its NUL: a longer name is none */
};

struct argument {
	char name[ARGUMENT_NAME_MAX]; /* "": it has none that is known */
	uint8_t bytes;                /* of the register that count: 1, 2, 4 or 8 */
	bool is_signed, is_address;
	bool is_text; /* an address, of characters */
};

/* By register. */
struct arguments {
	struct argument items[ARGUMENTS_MAX];
	uint32_t count; /* of the function's own: what is in the registers behind is none of it; 0: not known */
};

/* Whether it is a word of C's, or of a language like it. */
bool argument_name_is_plain(const char *name);

#endif
