/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_JIT_JIT_READER_H
#define PTOP_SYMBOL_JIT_JIT_READER_H
/*
 * Reads perf maps and jitdumps as they grow, in a thread of its own: a file lies where the process
 * wants it to, and may hang whoever reads it.  Such a thread is left behind and replaced.  A file
 * is lent to the reader for one look and comes back by message.  Used by one thread.
 */
#include "base/queue.h"
#include "symbol/jit/jit_batch.h"
#include "symbol/jit/jit_open.h"

#include <stddef.h>

struct jit_reader;

enum { JIT_MSG_FILE = 340 }; /* struct jit_file */

enum { JIT_TAIL_BYTES = 64 };

enum jit_kind { JIT_PERF_MAP, JIT_DUMP, JIT_KINDS };

/* One file that a process writes. */
struct jit_file {
	struct msg msg;
	enum jit_kind kind;
	uint32_t dso;          /* the asker's name for the code */
	int pid;
	struct symbol_ask map; /* of a jitdump: where it is mapped */
	char *path;            /* of a jitdump, owned */
	uint64_t recorded_ns;  /* CLOCK_REALTIME until when it was recorded, 0: it is sampled */

	/* The reader's own: what it knows from one look to the next. */
	struct jit_owner owner;
	int fd;                /* -1: it was not found yet */
	uint64_t offset;       /* read up to there */
	uint8_t tail[JIT_TAIL_BYTES]; /* what was in front of that, of a perf map */
	size_t tail_len;
	struct perf_map perf_map;
	struct jitdump dump;

	/* What the last look found. */
	struct jit_batch changes; /* what is new */
	uint64_t read_ns;      /* CLOCK_MONOTONIC, before the look */
	bool has_more;         /* it was too much for one look */
	bool is_over;          /* nothing more will come of it: see err */
	struct err err;        /* why it is not read, or not any more */
};

/* @ask, of a jitdump, is copied; else NULL. */
struct jit_file *jit_file_new(enum jit_kind kind, uint32_t dso, int pid,
			      const struct symbol_ask *ask);
void jit_file_free(struct jit_file *f); /* NULL is allowed */

/* One look, in the calling thread, which may hang. */
void jit_file_look(struct jit_file *f, const char *proc);

/* The thread begins with the first file.  @late_ns: a look that hangs longer is given up. */
struct jit_reader *jit_reader_new(const char *proc, uint64_t late_ns, struct queue *answers);
void jit_reader_free(struct jit_reader *r); /* a look under way is left behind; NULL is allowed */

/* Lends @f for one look; it comes back as JIT_MSG_FILE. */
void jit_reader_send(struct jit_reader *r, struct jit_file *f);

/* To be called when a file has come back: the next one has its turn. */
void jit_reader_took(struct jit_reader *r);

/* Whether no file is lent. */
bool jit_reader_is_idle(const struct jit_reader *r);

/*
 * Gives up a look that was seen to hang for too long: its file never comes back.  false: there is none.
 * To be called now and then: it looks whether the thread waits for a CPU meanwhile.
 */
bool jit_reader_give_up(struct jit_reader *r, enum jit_kind *kind, uint32_t *dso);

#endif
