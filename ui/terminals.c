/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/terminals.h"

#include "base/util.h"

#include <string.h>

static const struct {
	const char *name, *description;
} terminals[] = {
#include "ui/terminals.inc"
};

const char *
terminal_description(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(terminals); i++)
		if (strcmp(terminals[i].name, name) == 0)
			return terminals[i].description;
	return NULL;
}
