/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/refusal.h"

#include <string.h>

/* Where the reason begins, NULL: there is none apart; @error: what the kernel said. */
static const char *
find_reason(const char *text, const char **error)
{
	const char *at = strstr(text, ": E");
	const char *end = at != NULL ? strstr(at, "): ") : NULL;

	if (end == NULL)
		return NULL;
	*error = at + 2;
	return end + 3;
}

const char *
refusal_reason(struct arena *arena, const char *text)
{
	const char *error, *reason = find_reason(text, &error);

	if (reason == NULL)
		return arena_strdup(arena, text);
	return arena_printf(arena, "%s (%.*s)", reason, (int)strcspn(error, " "), error);
}

const char *
refusal_cause(struct arena *arena, const char *text)
{
	const char *error, *reason = find_reason(text, &error);
	const char *found = reason != NULL ? strstr(reason, " (") : NULL;

	if (reason == NULL)
		return arena_strdup(arena, text);
	return found != NULL ? arena_strndup(arena, reason, (size_t)(found - reason))
			     : arena_strdup(arena, reason);
}
