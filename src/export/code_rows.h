/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_CODE_ROWS_H
#define PTOP_EXPORT_CODE_ROWS_H
/*
 * A report of one function, a row for each instruction, as CSV and JSON have it.  Where its code
 * could not be read, a row for each address that has samples.  What is at no instruction is the last
 * row, so that rows add up to what the function has.  One thread.
 */
#include "export/report.h"
#include "export/sink.h"
#include "view/annotate.h"

struct code_row {
	uint32_t event;
	const struct listing_instruction *instruction; /* NULL: its code is not known */
	const char *member; /* that it accesses, see annotate_member() */
	uint64_t addr;     /* as the file has it, without an instruction as samples are counted by */
	bool is_elsewhere; /* the last row: it has no address */
	struct cost cost;
	double percent;
	const char *file;  /* "": not known */
	uint32_t line;     /* 0: not known */
	const struct listing_place *place; /* NULL: not known */
	const struct listing_lines *lines;
};

/* Zero-initialise, then code_rows_begin(). */
struct code_rows {
	const struct snapshot *s;
	struct annotate a;
	uint32_t event, event_end;
	size_t at;
};

void code_rows_begin(struct code_rows *r, const struct snapshot *s, const struct report_run *run);

/* The next row, event by event in rising order of addresses.  false: there is none. */
bool code_rows_next(struct code_rows *r, struct code_row *row);
void code_rows_release(struct code_rows *r);

/* Adds "4889e5"; "std::move@sort.cc:12;sort_it@sort.cc:40": who is inlined, innermost first, where. */
void code_row_put_bytes(struct buf *b, const struct code_row *row);
void code_row_put_inline(struct buf *b, const struct code_row *row);

/* Adds the function as text: its lines of source, and its instructions. */
void code_put_text(struct sink *out, const struct snapshot *s, const struct report_run *run);

#endif
