/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing: a line is found as inih finds it, and its value alone is replaced.  So comments, blank
 * lines and what ptop does not know stay.
 */
#include "app/rcfile.h"

#include "base/file.h"
#include "base/own_folder.h"
#include "base/own_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OTHERS_WRITE = 022 };

static const char blanks[] = " \t\r";

/* A part of the text, without blanks around it. */
struct span {
	const char *at;
	size_t len;
};

static struct span
trim(const char *at, const char *end)
{
	while (at < end && strchr(blanks, *at) != NULL && *at != '\0')
		at++;
	while (end > at && strchr(blanks, end[-1]) != NULL && end[-1] != '\0')
		end--;
	return (struct span){ at, (size_t)(end - at) };
}

static bool
is_word(struct span s, const char *word)
{
	return s.len == strlen(word) && memcmp(s.at, word, s.len) == 0;
}

static const char *
line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline != NULL ? newline : end;
}

/* Where things stand in the text: all are offsets, SIZE_MAX: not there. */
struct found {
	size_t line, line_end; /* of the name's last line; the end is behind the newline */
	size_t value;          /* behind its = and blanks */
	size_t section_end;    /* behind the last line of the section that is no blank one */
};

static void
find(const struct buf *text, const char *section, const char *name, struct found *f)
{
	const char *begin = buf_str(text), *end = begin + text->len;
	bool is_in = *section == '\0';

	*f = (struct found){ SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX };
	for (const char *at = begin; at < end;) {
		const char *stop = line_end(at, end), *next = stop < end ? stop + 1 : end;
		struct span line = trim(at, stop);
		const char *close = line.len > 0 ? memchr(line.at, ']', line.len) : NULL;
		size_t to_value = 0;

		while (to_value < line.len && line.at[to_value] != '=' && line.at[to_value] != ':')
			to_value++;
		if (line.len > 0 && *line.at == '[')
			is_in = close != NULL && is_word((struct span){ line.at + 1, (size_t)(close - line.at) - 1 },
							 section);
		if (is_in && line.len > 0)
			f->section_end = (size_t)(next - begin);
		if (is_in && to_value < line.len && strchr("[;#", *line.at) == NULL &&
		    is_word(trim(line.at, line.at + to_value), name)) {
			f->line = (size_t)(at - begin);
			f->line_end = (size_t)(next - begin);
			f->value = (size_t)(trim(line.at + to_value + 1, stop).at - begin);
		}
		at = next;
	}
}

static void
exchange(struct buf *text, size_t from, size_t to, const char *with)
{
	struct buf b = { 0 };

	buf_add(&b, buf_str(text), from);
	buf_add_str(&b, with);
	buf_add(&b, buf_str(text) + to, text->len - to);
	buf_release(text);
	*text = b;
}

/* Up to the comment that may follow it, or the end of the line. */
static size_t
value_end(const struct buf *text, size_t value)
{
	const char *at = text->data + value, *end = line_end(at, text->data + text->len);

	for (const char *c = at; c < end; c++)
		if (*c == ';' && (c == at || strchr(blanks, c[-1]) != NULL))
			end = c;
	return value + trim(at, end).len;
}

static void
replace(struct buf *text, const struct found *f, const char *value)
{
	size_t end = value_end(text, f->value);
	char *old = mem_strndup(text->data + f->value, end - f->value);
	struct buf b = { 0 };

	/* "name =": there is no blank to write it behind. */
	if (*old == '\0' && f->value > 0 && strchr("=:", text->data[f->value - 1]) != NULL)
		buf_add_char(&b, ' ');
	buf_add_str(&b, value);
	if (strcmp(old, value) != 0)
		exchange(text, f->value, end, buf_str(&b));
	buf_release(&b);
	free(old);
}

static void
add(struct buf *text, const struct found *f, const struct rc_change *c)
{
	size_t at = f->section_end != SIZE_MAX ? f->section_end : text->len;
	struct buf b = { 0 };

	if (at > 0 && text->data[at - 1] != '\n')
		buf_add_char(&b, '\n');
	if (f->section_end == SIZE_MAX)
		buf_addf(&b, "%s[%s]\n", at > 0 ? "\n" : "", c->section);
	if (c->help != NULL)
		buf_addf(&b, "# %s\n", c->help);
	buf_addf(&b, "%s = %s\n", c->name, c->value);
	exchange(text, at, at, buf_str(&b));
	buf_release(&b);
}

void
rc_edit(struct buf *text, const struct rc_change *changes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct rc_change *c = &changes[i];
		struct found f;

		find(text, c->section, c->name, &f);
		if (f.line == SIZE_MAX && c->value != NULL)
			add(text, &f, c);
		else if (f.line != SIZE_MAX && c->value != NULL)
			replace(text, &f, c->value);
		else if (f.line != SIZE_MAX)
			exchange(text, f.line, f.line_end, "");
	}
}

/* own_folder_open() makes the folder and the one above; of ~/.local/state that may be missing, too. */
static int
open_folder(const char *path)
{
	char *above = mem_strdup(path), *slash;

	for (int i = 0; i < 2 && (slash = strrchr(above, '/')) != NULL; i++)
		*slash = '\0';
	slash = strrchr(above, '/');
	if (slash != NULL && strcmp(slash, "/.local") == 0)
		mkdir(above, 0700);
	free(above);
	return own_folder_open(AT_FDCWD, path, OTHERS_WRITE);
}

/* What is there stays, so it has to be a file of this user's, and no link to another. */
static int
read_old(int dir, const char *name, struct buf *text)
{
	int fd = own_folder_file(dir, name, O_NOFOLLOW, OTHERS_WRITE);

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	return file_read_close(fd, text, RC_BYTES_MAX);
}

static int
change(const struct rcfile *rc, int dir, const struct rc_change *changes, size_t count)
{
	struct buf text = { 0 }, old = { 0 };
	int res = read_old(dir, rc->name, &text);

	if (res == 0) {
		if (text.len == 0)
			buf_add_str(&text, "# ptop writes here; see CONFIGURATION in ptop(1)\n\n");
		buf_add(&old, buf_str(&text), text.len);
		rc_edit(&text, changes, count);
		if (text.len != old.len || memcmp(buf_str(&text), buf_str(&old), old.len) != 0)
			res = own_folder_save(dir, rc->name, &text) ? 0 : -1;
	}
	buf_release(&old);
	buf_release(&text);
	return res;
}

int
rcfile_change(const struct rcfile *rc, const struct rc_change *changes, size_t count,
	      struct err *err)
{
	struct own_rights kept;
	int dir, res = -1, sys;

	if (rc->folder.len == 0) {
		err_set(err, ERR_GONE, 0, "there is no folder for '%s'", rc->name);
		return err_hint(err, "HOME or XDG_CONFIG_HOME names one");
	}
	own_rights_begin(&kept);
	dir = open_folder(buf_str(&rc->folder));
	if (dir >= 0)
		res = change(rc, dir, changes, count);
	sys = errno;
	if (dir >= 0)
		close(dir);
	own_rights_end(&kept);
	if (res < 0)
		return err_set(err, ERR_IO, sys, "cannot write '%s/%s'", buf_str(&rc->folder), rc->name);
	return 0;
}
