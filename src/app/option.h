/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_OPTION_H
#define PTOP_APP_OPTION_H
/*
 * A command line read by a table of options; --help and the man page are printed from the same
 * table.  Main thread.
 */
#include "base/buf.h"
#include "base/err.h"

struct option_def {
	char letter;      /* 0: none */
	const char *name; /* NULL: a heading, its text in help */
	const char *arg;  /* NULL: takes no value */
	const char *help;
	/* Puts @value ("" if there is none) into @target; NULL for flags: a bool at offset. */
	int (*set)(void *target, const struct option_def *def, const char *value, struct err *err);
	size_t offset;
	double min, max;
	bool optional; /* the value may be missing: --name, --name=VALUE, --name VALUE */
	bool is_of_run; /* a target, a file, or done once: no configuration has it */
};

/*
 * Sets @target from argv.  What follows "--" is handed back in @rest, NULL if there is no "--".
 * ERR_USAGE names what is wrong and the nearest right thing.
 */
int options_parse(const struct option_def *defs, size_t n, void *target, char **argv, char ***rest,
		  struct err *err);

/* Which of @defs are in argv, a true for each in @given; argv is right. */
void options_given(const struct option_def *defs, size_t n, char **argv, bool *given);

/*
 * Sets one by its name, as "name = value" in a configuration has it: flags take yes or no, and what
 * may be without a value takes yes, too.  ERR_USAGE as above.
 */
int options_set(const struct option_def *defs, size_t n, void *target, const char *name,
		const char *value, struct err *err);

/* "--name: 'value' is not @what". */
int option_bad_value(struct err *err, const struct option_def *def, const char *value,
		     const char *what);
int option_out_of_range(struct err *err, const struct option_def *def, const char *value);

/* For option_def.set: a uint64_t, a double, a uint64_t with K M G, between min and max. */
int option_set_u64(void *target, const struct option_def *def, const char *value,
		   struct err *err);
int option_set_seconds(void *target, const struct option_def *def, const char *value,
		       struct err *err);
int option_set_bytes(void *target, const struct option_def *def, const char *value,
		     struct err *err);

void options_put_help(struct buf *b, const struct option_def *defs, size_t n);
void options_put_roff(struct buf *b, const struct option_def *defs, size_t n);

/* @text with what troff takes for itself escaped; also used for the other tables of the page. */
void options_put_escaped(struct buf *b, const char *text);

#endif
