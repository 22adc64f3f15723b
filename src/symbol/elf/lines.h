/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_LINES_H
#define PTOP_SYMBOL_ELF_LINES_H
/*
 * Source lines from the DWARF data in a file or in its debug file.  The last few files stay open,
 * as much as fits a bound.  Symbol service thread only: libdw is not thread safe.
 */
#include "symbol/elf/debug_finder.h"
#include "symbol/elf/line_sum.h"

struct lines;
struct buf;

/* Functions that are inlined at one address, and the bytes of their names. */
enum { INLINES_BYTES_MAX = 16 << 10 };

struct lines *lines_new(void);
void lines_free(struct lines *l);

bool lines_is_open(const struct lines *l, uint32_t dso);

/*
 * Opens the file of @dso; @fd is taken.  @finder, NULL for none, is asked for its debug file.
 * -1: there are no lines.
 */
int lines_open(struct lines *l, uint32_t dso, int fd, const struct debug_finder *finder,
	       struct err *err);

/*
 * "file.c:12" of a file offset, a new string; NULL where nothing is known.  Adds the file's path to
 * @path, unless that is NULL, whole if the debug data tell the folder.
 */
char *lines_find(struct lines *l, uint32_t dso, uint64_t offset, struct buf *path);

/* Adds @path, behind @dir if it is not whole and that is known: so all paths of sources are put. */
void lines_put_path(struct buf *b, const char *dir, const char *path);

/*
 * Adds the names of the functions that are inlined at a file offset, see inlines_find(); returns
 * how many.  Those who ask for many do so in rising order.
 */
unsigned lines_inlined(struct lines *l, uint32_t dso, uint64_t offset, struct buf *out);

/* A function at a place, and the line: of the innermost the place's, else that of the call in it. */
struct line_frame {
	const char *function; /* as the linker has it; NULL: the function that all of them are in */
	const char *path;     /* NULL: not known */
	const char *dir;      /* that a path which is not whole is below; NULL: not known */
	unsigned line;        /* 0: not known */
	struct line_sum sum;  /* of the text at path, as DWARF 5 has it */
};

/*
 * The functions at a file offset, innermost first, as many as there are, at most INLINES_MAX + 1; 0:
 * nothing is known there.  Strings live until the next file is opened.  Those who ask for many do
 * so in rising order.
 */
unsigned lines_stack(struct lines *l, uint32_t dso, uint64_t offset,
		     struct line_frame frames[INLINES_MAX + 1]);

/* Memory that an instruction accesses: so far behind what a register holds. */
struct lines_operand {
	unsigned reg;  /* as DWARF numbers them */
	int32_t disp;
	unsigned size; /* in bytes; 0: its address is taken */
};

/*
 * Adds the member that the instruction at a file offset accesses, "req->header.len", if the register
 * holds a pointer that has a name there; false: none is known.  After lines_stack() of the same
 * offset.  What is walked is taken from @budget.
 */
bool lines_member(struct lines *l, uint32_t dso, uint64_t offset, const struct lines_operand *o,
		  uint64_t *budget, struct buf *out);

#endif
