/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_ERR_H
#define PTOP_BASE_ERR_H
/*
 * Errors are values: the layer that knows the object writes the sentence once,
 * the layers above wrap it only to add a fact.  Any thread, no locking.
 */
#include "base/util.h"

enum err_code {
	ERR_NONE,
	ERR_DENIED,      /* a right is missing */
	ERR_UNSUPPORTED, /* this kernel or machine does not have it */
	ERR_BUSY,
	ERR_GONE,   /* no such task, file, CPU */
	ERR_FORMAT, /* bytes that are not what they should be */
	ERR_LIMIT,  /* a limit of the system or of ptop */
	ERR_USAGE,  /* the user wrote something that cannot be meant: exit status 2 */
	ERR_IO,
};

struct err {
	enum err_code code;
	int sys;        /* errno, 0 if none */
	char text[512]; /* "cannot open event 'cycles' on cpu 3: Permission denied" */
	char hint[320]; /* what the user can do, "" if nothing is known */
};

/* What helps against EMFILE. */
extern const char err_files_hint[];

/*
 * Fills @err (NULL is allowed), for EMFILE with what the user can do.  Always -1, so that callers
 * can return it.
 */
int err_set(struct err *err, enum err_code code, int sys, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Puts context in front of the text.  Always -1. */
int err_wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Sets what the user can do about it, with ptop's file for OWN_FILE_WORD.  Always -1. */
int err_hint(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The exit status that this error means: 2 for ERR_USAGE, else 1. */
int err_status(const struct err *err);

#endif
