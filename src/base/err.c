/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"
#include "base/own_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char err_files_hint[] = "raise the limit of open files: ulimit -n 256";

int
err_set(struct err *err, enum err_code code, int sys, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	if (err == NULL)
		return -1;
	err->code = code;
	err->sys = sys;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	if (sys != 0)
		snprintf(err->text + n, sizeof(err->text) - n, ": %s", strerror(sys));
	if (sys == EMFILE)
		err_hint(err, "%s", err_files_hint);
	return -1;
}

int
err_wrap(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->text)], front[sizeof(err->text)];
	va_list ap;

	if (err == NULL)
		return -1;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(front, sizeof(front), fmt, ap);
	va_end(ap);
	snprintf(err->text, sizeof(err->text), "%.150s: %.359s", front, old);
	return -1;
}

/* Where there is no room for its name, it stays a word for the shell. */
static void
name_own_file(struct err *err)
{
	struct buf b = { 0 };

	own_file_put(&b, err->hint, OWN_FILE_LINK);
	if (b.len < sizeof(err->hint))
		memcpy(err->hint, b.data, b.len + 1);
	buf_release(&b);
}

int
err_hint(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	name_own_file(err);
	return -1;
}

int
err_status(const struct err *err)
{
	return err->code == ERR_USAGE ? 2 : 1;
}
