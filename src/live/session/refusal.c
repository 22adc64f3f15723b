/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/refusal.h"

#include <string.h>

const char *
refusal_reason(struct arena *arena, const char *text)
{
	const char *error = strstr(text, ": E");
	const char *reason = error != NULL ? strstr(error, "): ") : NULL;

	if (reason == NULL)
		return arena_strdup(arena, text);
	error += 2;
	return arena_printf(arena, "%s (%.*s)", reason + 3, (int)strcspn(error, " "), error);
}
