/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading; writing is in rc_edit.c. */
#include "app/rcfile.h"

#include "base/file.h"
#include "base/own_folder.h"
#include "base/own_rights.h"

#include <config.h> /* the one of configure: in quotes it would be that of this folder */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_INIH
#include <ini.h>
#endif

enum { OTHERS_WRITE = 022 };

void
rcfile_fault(struct rcfile *rc, unsigned number, const char *fmt, ...)
{
	va_list ap;

	buf_addf(&rc->faults, "%s/%s", buf_str(&rc->folder), rc->name);
	if (number > 0)
		buf_addf(&rc->faults, ":%u", number);
	buf_add_str(&rc->faults, ": ");
	va_start(ap, fmt);
	buf_addv(&rc->faults, fmt, ap);
	va_end(ap);
	buf_add_char(&rc->faults, '\n');
}

void
rcfile_find(struct rcfile *rc, const char *variable, const char *in_home, const char *name)
{
	*rc = (struct rcfile){ .name = name };
	own_folder_path(&rc->folder, variable, in_home);
}

#ifdef HAVE_INIH

/* The text, as inih takes it: line by line, which tells where each stands. */
struct source {
	struct rcfile *rc;
	const char *at, *end;
	unsigned number; /* of the line that was handed out last */
	bool is_due;     /* that is one of "name = value", and inih has not told of it yet */
};

/* What is no section, though it begins as one, hides what follows until the next. */
static const char no_section[] = "[?]";

static bool
is_broken_section(const char *line, size_t len)
{
	return len > 0 && *line == '[' && memchr(line, ']', len) == NULL;
}

static void
end_line(struct source *s)
{
	if (s->is_due)
		rcfile_fault(s->rc, s->number, "it is no 'name = value'");
	s->is_due = false;
}

static char *
next_line(char *out, int size, void *arg)
{
	struct source *s = arg;
	const char *line = s->at, *newline;
	size_t len;

	end_line(s);
	if (s->at == s->end)
		return NULL;
	newline = memchr(line, '\n', (size_t)(s->end - line));
	s->at = newline != NULL ? newline + 1 : s->end;
	s->number++;
	len = (size_t)((newline != NULL ? newline : s->end) - line);
	/* A blank at its beginning would make it a part of the one before. */
	for (; len > 0 && (*line == ' ' || *line == '\t' || *line == '\r'); len--)
		line++;
	if (memchr(line, '\0', len) != NULL || len >= (size_t)size) {
		rcfile_fault(s->rc, s->number, len < (size_t)size ? "it has a byte 0 in it"
								  : "it is longer than %d bytes", size - 1);
		len = 0;
	} else if (is_broken_section(line, len)) {
		rcfile_fault(s->rc, s->number, "a section is a name in brackets");
		line = no_section;
		len = strlen(no_section);
	}
	s->is_due = len > 0 && strchr("[;#", *line) == NULL;
	memcpy(out, line, len);
	out[len] = '\0';
	return out;
}

static int
take_line(void *arg, const char *section, const char *name, const char *value)
{
	struct source *s = arg;

	s->is_due = false;
	if (strcmp(section, "?") == 0)
		return 1;
	VEC_ADD(s->rc->lines, s->rc->len, s->rc->cap) = (struct rc_line){
		s->number, mem_strdup(section), mem_strdup(name), mem_strdup(value) };
	return 1;
}

void
rcfile_parse(struct rcfile *rc, const char *text, size_t len)
{
	struct source s = { .rc = rc, .at = text, .end = text + len };

	if (ini_parse_stream(next_line, &s, take_line, &s) < 0)
		rcfile_fault(rc, 0, "out of memory");
}

#else

void
rcfile_parse(struct rcfile *rc, const char *text, size_t len)
{
	(void)text;
	(void)len;
	rcfile_fault(rc, 0, "this ptop is built without inih: it is not read");
}

#endif

/* -1: errno says why; EPERM: another user can write it. */
static int
open_own(const char *folder, const char *name)
{
	int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1, saved;

	if (dir < 0)
		return -1;
	if (own_folder_is(dir, S_IFDIR, OTHERS_WRITE))
		fd = own_folder_file(dir, name, 0, OTHERS_WRITE);
	else
		errno = faccessat(dir, name, F_OK, 0) == 0 ? EPERM : ENOENT;
	saved = errno;
	close(dir);
	errno = saved;
	return fd;
}

/* -1: errno says why. */
static int
read_own(const struct rcfile *rc, struct buf *text)
{
	int fd = open_own(buf_str(&rc->folder), rc->name);

	return fd >= 0 ? file_read_close(fd, text, RC_BYTES_MAX) : -1;
}

void
rcfile_read(struct rcfile *rc)
{
	struct own_rights kept;
	struct buf text = { 0 };
	int res;

	if (rc->folder.len == 0)
		return;
	own_rights_begin(&kept);
	res = read_own(rc, &text);
	own_rights_end(&kept);
	if (res == 0)
		rcfile_parse(rc, buf_str(&text), text.len);
	else if (errno == ENOENT)
		rc->is_missing = true;
	else if (errno == EPERM)
		rcfile_fault(rc, 0, "it is not read: it, or its folder, is not of this user alone");
	else if (errno != ENOTDIR)
		rcfile_fault(rc, 0, "it cannot be read: %s", strerror(errno));
	buf_release(&text);
}

void
rcfile_release(struct rcfile *rc)
{
	for (size_t i = 0; i < rc->len; i++) {
		free((char *)(uintptr_t)rc->lines[i].section);
		free((char *)(uintptr_t)rc->lines[i].name);
		free((char *)(uintptr_t)rc->lines[i].value);
	}
	free(rc->lines);
	buf_release(&rc->folder);
	buf_release(&rc->faults);
	*rc = (struct rcfile){ 0 };
}

const struct rc_line *
rcfile_get(const struct rcfile *rc, const char *section, const char *name)
{
	for (size_t i = rc->len; i-- > 0;)
		if (strcmp(rc->lines[i].section, section) == 0 &&
		    strcmp(rc->lines[i].name, name) == 0)
			return &rc->lines[i];
	return NULL;
}
