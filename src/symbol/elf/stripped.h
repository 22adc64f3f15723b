/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_STRIPPED_H
#define PTOP_SYMBOL_ELF_STRIPPED_H
/* Why a stripped file has no names, and the command that brings them.  Reads /etc/os-release. */
#include "symbol/ask/ask.h"

/*
 * Sets @err to what is to be said of a file that has no symbol table of its own and no debug file
 * here; @has_exports: what it exports is named all the same.
 */
void stripped_explain(struct err *err, const uint8_t *build_id, size_t len, bool has_exports);

/* Its remedy: commands for the user, which ptop never runs. */
void stripped_hint(struct err *err, const uint8_t *build_id, size_t len,
		   const struct symbol_ask *ask, enum symbol_ns ns);

#endif
