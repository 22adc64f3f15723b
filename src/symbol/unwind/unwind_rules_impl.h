/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_UNWIND_UNWIND_RULES_IMPL_H
#define PTOP_SYMBOL_UNWIND_UNWIND_RULES_IMPL_H
/* The tables of checked rules, for who follows them. */
#include "symbol/unwind/unwind_format.h"

#include "base/reader.h"

struct unwind_rules {
	const uint8_t *map;
	size_t bytes;
	struct unwind_header head; /* a copy */
	const uint32_t *starts;
	const uint16_t *numbers;
	const struct unwind_rule *rules;
	const struct unwind_saved *saved;
	const uint8_t *code;
};

/* The expression at a place of the code. */
static inline struct bytes
unwind_rules_code(const struct unwind_rules *r, int32_t at)
{
	uint16_t len;

	memcpy(&len, r->code + at, sizeof(len));
	return (struct bytes){ r->code + at + sizeof(len), len };
}

#endif
