/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_JIT_JIT_BATCH_H
#define PTOP_SYMBOL_JIT_JIT_BATCH_H
/*
 * Changes of a runtime's code, in the order in which the runtime wrote them down.  Bounded: who
 * fills it stops when it is full and goes on with an empty one.  One thread.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/reader.h"

enum {
	JIT_BATCH_MAX = 8192,    /* changes */
	JIT_NAME_MAX = 1024,     /* bytes of a name; what is longer is cut */
};

/* Bytes of one piece of code; what claims to be larger makes no sense. */
#define JIT_CODE_MAX (UINT64_C(1) << 30)

/* From @time_ns on there is code at @start. */
struct jit_change {
	uint64_t time_ns;  /* CLOCK_MONOTONIC, 0: not known */
	uint64_t start, size;
	uint64_t old;      /* moved: where it was, and it keeps its name */
	uint32_t name, name_len; /* in names */
	bool is_moved;
};

struct jit_batch {
	struct jit_change *items;
	size_t len, cap;
	struct buf names;
};

/* Adds a change; @name has @len bytes and any of them.  false: it is full. */
bool jit_batch_add(struct jit_batch *b, const struct jit_change *change, const char *name,
		   size_t len);

static inline bool
jit_batch_is_full(const struct jit_batch *b)
{
	return b->len >= JIT_BATCH_MAX;
}

/* Whether code of @size bytes at @start can be. */
bool jit_code_is_sane(uint64_t start, uint64_t size);

void jit_batch_reset(struct jit_batch *b); /* empty, memory kept */
void jit_batch_release(struct jit_batch *b);

/*
 * Parses a perf map, the text that JIT compilers append to: "START SIZE name" in each line,
 * numbers in hex, anything in the name.  Not trusted: lines that are not so are counted and passed
 * over. One thread.  Zero-initialise to begin.
 */
struct perf_map {
	uint64_t broken;     /* lines */
	bool is_passing_over; /* the rest of a line that is too long */
};

/*
 * Adds the lines of @b, which goes on where the last call stopped; @b shorter than a line can be is
 * the end of what is written so far.  Returns the bytes that are done with: a line that has no end
 * yet is not.
 */
size_t perf_map_read(struct perf_map *p, struct bytes b, struct jit_batch *out);

/*
 * Parses a jitdump (perf's jitdump-specification.txt), the binary file that JIT compilers append
 * to: what code was made or moved, and when.  Of either byte order, not trusted.  One thread.
 * Zero-initialise to begin.
 */
struct jitdump {
	bool has_header; /* what follows is known: */
	bool swap;       /* the file is of the other byte order */
	uint32_t pid;    /* of the runtime, in its own pid namespace */
	uint64_t broken; /* records that make no sense */
	bool is_closed;  /* the runtime wrote that it has ended */
};

/*
 * Adds what @b says, which goes on where the last call stopped; the file has @left bytes from
 * there. *@done is set to the bytes that are done with, which can be more than @b has, since code
 * itself is passed over; 0: the file must grow first.  -1: this is no jitdump, or not one that can
 * be used. @b shorter than JITDUMP_LEAST holds all that is left.
 */
enum { JITDUMP_LEAST = 4096 };
int jitdump_read(struct jitdump *d, struct bytes b, uint64_t left, struct jit_batch *out,
		 uint64_t *done, struct err *err);

#endif
