/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arguments.h"

#include <string.h>

bool
argument_name_is_plain(const char *name)
{
	size_t len = 0;

	for (; name[len] != '\0'; len++) {
		const char c = name[len];
		const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

		if (!is_letter && (len == 0 || c < '0' || c > '9'))
			return false;
	}
	return len > 0 && len < ARGUMENT_NAME_MAX;
}
