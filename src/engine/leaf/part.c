/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/part.h"

#include <string.h>

void
part_notice(struct part_notices *n, const char *text)
{
	if (text == NULL)
		return;
	for (size_t i = 0; i < n->len; i++)
		if (strcmp(n->items[i], text) == 0)
			return;
	VEC_ADD(n->items, n->len, n->cap) = text;
}
