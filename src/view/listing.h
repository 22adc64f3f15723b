/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_LISTING_H
#define PTOP_VIEW_LISTING_H
/*
 * The code of one function, as it is read: instructions first, then where they come from in the
 * source, then the source's text.  Each of the three is made once, immutable, in one arena, and
 * shared by reference count between threads.  All strings but paths and names of functions are
 * printable already; those are raw: who prints them makes them safe (base/text.h).  No string is
 * NULL.
 */
#include "base/arena.h"

/* In place of a number of an instruction, place or file: there is none. */
#define LISTING_NONE UINT32_MAX
#define LISTING_NO_REG UINT8_MAX

enum {
	LISTING_BYTES_MAX = 1 << 20,     /* of one function's code: the rest is left out, said */
	LISTING_SOURCE_MAX = 4 << 20,    /* bytes of one source file's lines */
	LISTING_LINE_MAX = 1024,         /* bytes of one line of source: the rest is cut, "..." */
	LISTING_FRAMES_MAX = 33,         /* a function and what is inlined in it */
};

enum listing_kind {
	LISTING_PLAIN,
	LISTING_JUMP,
	LISTING_CONDITIONAL, /* a jump that may not be taken */
	LISTING_CALL,
	LISTING_RETURN,
	LISTING_BYTES,       /* it could not be decoded: text is its bytes */
};

struct listing_instruction {
	uint64_t offset;     /* as samples are counted by: in the file; elsewhere as addr */
	uint64_t addr;       /* as it is shown: the ELF file's address; of the kernel and of code
				that was made at run time the one in memory */
	uint64_t target;     /* of jumps and calls to a known place, an addr; else 0 */
	uint32_t target_index; /* the instruction there, in this listing; LISTING_NONE: elsewhere */
	enum listing_kind kind;
	uint8_t len;
	uint8_t reg;         /* the memory that it accesses is disp behind what that holds, as DWARF
				numbers them; LISTING_NO_REG: it accesses none in that way */
	uint8_t size;        /* of that memory; 0: its address is taken */
	int32_t disp;
	const uint8_t *bytes; /* len of them */
	const char *text;    /* "mov    0x10(%rdi),%rax"; jumps and calls: "jne    4a10" */
	const char *operand; /* what it names: "malloc@plt", "main+0x20", "stdout", "\"GET %s\"";
				"": nothing */
};

struct listing {
	struct arena arena;
	unsigned refs;
	const char *function;  /* as it was asked for */
	uint64_t offset, size; /* the code: [offset, offset + size), counted as samples are */
	const struct listing_instruction *items; /* by rising address; they cover the code */
	uint32_t count;        /* 0: why tells why */
	const char *why;       /* there are no instructions, "" if there are */
	const char *bytes_from; /* "/usr/bin/cc1", "memory of the process", "jitdump", "/proc/kcore" */
	const char *const *notices; /* what is to be known of it, a sentence each */
	size_t notice_count;
	uint32_t undecoded;    /* items of LISTING_BYTES */
	bool is_intel;
};

/* A function at a place, and the line there: innermost the instruction's, else that of the call. */
struct listing_frame {
	const char *function; /* to show; of the outermost the one that was asked for */
	uint32_t file;        /* of listing_lines.files, LISTING_NONE: not known */
	uint32_t line;        /* 0: not known */
};

/* Instructions that come from the same line and the same calls share a place. */
struct listing_place {
	const struct listing_frame *frames; /* innermost first; the last is the function itself */
	uint32_t count; /* at least 1 */
};

struct listing_source;

struct listing_file {
	const char *path;     /* as the debug data has it, absolute if they tell the folder */
	const char *name;     /* what is behind the last slash */
	bool has_md5;
	uint8_t md5[16];      /* of its text, as DWARF 5 has it */
	struct listing_source *text; /* one reference: it came with the lines; NULL: a file has it */
};

/* Where the instructions of one listing come from. */
struct listing_lines {
	struct arena arena;
	unsigned refs;
	const uint32_t *places_of; /* for each instruction: of places, LISTING_NONE: not known */
	const char *const *members; /* for each instruction the member that it accesses, as its
				      variable has it: "req->header.len"; "": none.  NULL: all */
	uint32_t count;            /* as the listing's; 0: why tells why */
	const struct listing_place *places;
	uint32_t place_count;
	const struct listing_file *files;
	uint32_t file_count;
	const char *why;           /* there are no lines: "no debug data"; "" if there are some */
	const char *remedy;        /* what would give some, "" if nothing is known */
};

/* Lines of one source file. */
struct listing_source {
	struct arena arena;
	unsigned refs;
	const char *path;       /* as it was asked for: listing_file.path */
	const char *found;      /* where it was read: a path, or "debuginfod" */
	const char *const *lines; /* tabs are blanks already */
	uint32_t first;         /* the number of lines[0], from 1 on */
	uint32_t count;         /* 0: why tells why */
	uint32_t total;         /* lines of the whole file, 0: not known (it is too large) */
	const char *why;        /* it has no text: "no such file", "not a regular file"; else "" */
	const char *remedy;     /* what would give it one */
	const char *warning;    /* "newer than the program", "not the text that was compiled"; "" */
};

struct listing *listing_new(void); /* one reference, its strings "" */
struct listing *listing_get(struct listing *l);
void listing_put(struct listing *l); /* NULL is allowed; thread-safe; so the others */

struct listing_lines *listing_lines_new(void);
struct listing_lines *listing_lines_get(struct listing_lines *l);
void listing_lines_put(struct listing_lines *l);

struct listing_source *listing_source_new(void);
struct listing_source *listing_source_get(struct listing_source *s);
void listing_source_put(struct listing_source *s);

/* The instruction that @offset is in, LISTING_NONE: none is. */
uint32_t listing_find(const struct listing *l, uint64_t offset);

#endif
