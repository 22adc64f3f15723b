/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/refusal.h"

#include <string.h>

void
refusal_put_reason(struct buf *b, const char *text)
{
	const char *error = strstr(text, ": E");
	const char *reason = error != NULL ? strstr(error, "): ") : NULL;

	if (reason != NULL)
		buf_addf(b, "%s (%.*s)", reason + 3, (int)strcspn(error + 2, " "), error + 2);
	else
		buf_add_str(b, text);
}
