/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_JIT_JIT_BATCH_H
#define PTOP_SYMBOL_JIT_JIT_BATCH_H
/*
 * Changes of a runtime's code, in the order in which the runtime wrote them down.  Bounded: who
 * fills it stops when it is full and goes on with an empty one.  One thread.
 */
#include "base/buf.h"

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

#endif
