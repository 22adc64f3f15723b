/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_TOKEN_H
#define PTOP_SERVE_TOKEN_H
/* What a client has to know: the first line of a file. */
#include "base/err.h"
#include "serve/link.h"

/*
 * Puts the token of the file @path into @setup.  -1: it cannot be read, others may read or change it,
 * or it is too short to keep anybody out; see @err.
 */
int token_read(const char *path, struct serve_setup *setup, struct err *err);

/*
 * Whether @header, of the name Authorization (NULL: there is none), is "Bearer TOKEN".  How long that
 * takes tells nothing of the token.
 */
bool token_fits(const struct serve_setup *setup, const char *header);

#endif
