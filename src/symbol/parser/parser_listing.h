/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_PARSER_LISTING_H
#define PTOP_SYMBOL_PARSER_PARSER_LISTING_H
/*
 * The question for the code of a function on its way to the process that parses, what is done
 * there, and the answer on its way back.
 */
#include "base/buf.h"
#include "base/reader.h"
#include "symbol/code/code_file.h"
#include "symbol/code/disasm.h"
#include "symbol/parser/job.h"

/* Puts the question of @job: where the code is in its file, or the code itself. */
void parser_listing_put(const struct job *job, struct buf *out);

/*
 * In the parser: reads the question from @r and puts the answer.  @file has the code, or @jit_dump,
 * a descriptor, does; NULL and -1 if it is in the question, or if @why says that there is no file.
 */
struct listing_source_of {
	struct code_file *file;
	int jit_dump;
	struct err why;
};
void parser_listing(const struct listing_source_of *from, struct reader *r,
		    const struct disasm_lib *lib, struct buf *out);

/* Reads the answer; @in_file is where the code is in its file.  false: it makes no sense. */
bool parser_listing_get(struct reader *r, struct listing *l, uint64_t *in_file);

/*
 * The same for where the instructions of a listing come from: parser_lines.c.  @why:
 * the file of @dso is not open for its lines, as it tells; it is empty if it is.
 */
struct lines;
void parser_lines_put(const struct listing *l, uint64_t in_file, struct buf *out);
void parser_lines(struct lines *lines, uint32_t dso, const struct err *why, struct reader *r,
		  struct buf *out);

/* @of is what was asked about. */
bool parser_lines_get(struct reader *r, const struct listing *of, struct listing_lines *l);

/* The same for the lines of a source file, which is open as @fd: parser_source.c. */
void parser_source_put(const struct symbol_source_ask *ask, struct buf *out);
void parser_source(int fd, struct reader *r, struct buf *out);
/* The same of @text, not empty, as parser_source() answers. */
void parser_text_put(struct bytes text, struct buf *out);
bool parser_source_get(struct reader *r, struct listing_source *s);

#endif
