/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_PARSER_PLACES_H
#define PTOP_SYMBOL_PARSER_PARSER_PLACES_H
/*
 * A question for places in a file on its way to the process that parses, and the answer on its
 * way back.
 */
#include "base/buf.h"
#include "base/reader.h"
#include "symbol/elf/debug_finder.h"
#include "symbol/parser/job.h"

/* The question: all of it but the file. */
void parser_places_put(const struct job *job, struct buf *out);

/* In the parser: reads the question from @r, looks into @fd, puts the answer. */
void parser_places(int fd, struct reader *r, const struct debug_finder *finder, struct buf *out);

/* Reads the answer into @m.  false: it makes no sense, and @m has no places. */
bool parser_places_get(struct reader *r, struct symbol_places_msg *m);

#endif
