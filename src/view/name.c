/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/name.h"

#include "base/buf.h"
#include "base/text.h"

#include <string.h>

/* The only name that begins with @word: an abbreviation is no slip, but it is as clear. */
static const char *
only_completion(const char *word, const char *const *names, size_t n)
{
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (*word == '\0' || strncmp(names[i], word, strlen(word)) != 0)
			continue;
		if (found != NULL)
			return NULL;
		found = names[i];
	}
	return found;
}

int
name_unknown(struct err *err, const char *what, const char *word, const char *const *names,
	     size_t n)
{
	const char *near = only_completion(word, names, n);
	struct buf all = { 0 };

	if (near == NULL)
		near = text_nearest(word, names, n);
	if (near != NULL)
		return err_set(err, ERR_USAGE, 0, "%s '%.60s': did you mean '%s'?", what, word,
			       near);
	for (size_t i = 0; i < n; i++)
		buf_addf(&all, "%s%s", i > 0 ? ", " : "", names[i]);
	err_set(err, ERR_USAGE, 0, "%s '%.60s'", what, word);
	err_hint(err, "one of %s", buf_str(&all));
	buf_release(&all);
	return -1;
}
