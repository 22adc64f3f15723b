/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_RCFILE_H
#define PTOP_APP_RCFILE_H
/*
 * The files that ptop keeps for its user: the configuration, and what it remembers of last time.
 * Both have the same form, sections of lines "name = value".  They are read only if nobody but this
 * user can have written them.  Main thread.
 */
#include "base/buf.h"
#include "base/err.h"

enum { RC_BYTES_MAX = 256 << 10 }; /* of a file: a longer one is neither read nor changed */

struct rc_line {
	unsigned number; /* from 1 on */
	const char *section, *name, *value; /* "" if it has none */
};

struct rcfile {
	struct buf folder; /* where it is, or would be; empty: there is no place for it */
	const char *name;
	struct rc_line *lines;
	size_t len, cap;
	bool is_missing;   /* there is none yet, but there could be one */
	struct buf faults; /* what is wrong with it, a line each, with its path and number */
};

/* The file @name in ptop's folder of $@variable, else of @in_home, as own_folder_path() has it. */
void rcfile_find(struct rcfile *rc, const char *variable, const char *in_home, const char *name);

/* Reads it, if it is there, with the user's own rights. */
void rcfile_read(struct rcfile *rc);

/* The same of a text.  What is no line of the form is a fault; the rest is taken. */
void rcfile_parse(struct rcfile *rc, const char *text, size_t len);
void rcfile_release(struct rcfile *rc);

/* The last line of that section and name, NULL: there is none. */
const struct rc_line *rcfile_get(const struct rcfile *rc, const char *section, const char *name);

/* Adds a fault of line @number, 0: of the file. */
void rcfile_fault(struct rcfile *rc, unsigned number, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* What a line is to be: @value NULL: it is to go.  @help becomes the comment above a new one. */
struct rc_change {
	const char *section, *name, *value, *help;
};

/* Changes lines of @text, and adds those that it lacks; all others stay as they are. */
void rc_edit(struct buf *text, const struct rc_change *changes, size_t count);

/* The same in the file, which is made if it is not there.  -1: see @err. */
int rcfile_change(const struct rcfile *rc, const struct rc_change *changes, size_t count,
		  struct err *err);

#endif
