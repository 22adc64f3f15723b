/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_LOSS_H
#define PTOP_VIEW_LOSS_H
/*
 * What is missing in what is shown, or is not as it should be: a row each.  The header, a batch's
 * last lines, JSON, pprof and the page of messages (key !) walk this table.
 */
#include "base/buf.h"

enum loss_kind {
	LOSS_SAMPLES,     /* the rings were full */
	LOSS_SIDEBAND,    /* the same of records that are no samples */
	LOSS_THROTTLED,   /* by the kernel: times */
	LOSS_LATE,
	LOSS_UNKNOWN,     /* records */
	LOSS_FOREIGN,     /* samples with the event id of another profiler */
	LOSS_BROKEN,      /* records */
	LOSS_NOT_TARGETS, /* samples of other processes, left out on purpose */
	LOSS_UNMAPPED,    /* processes */
	LOSS_DENIED,      /* the same: their maps may not be read */
	LOSS_WAITS,       /* whose begin, or end, is unknown */
	LOSS_TIMES,       /* between tracepoints, of which one is unknown */
	LOSS_CALLERS,     /* samples without their callers in user space */
	LOSS_UNEXPLAINED, /* counted with a period of 1, but neither sampled nor lost */
	LOSS_STACKS,      /* these five to keep to --memory */
	LOSS_THREADS,
	LOSS_ADDRESSES,
	LOSS_TASKS,
	LOSS_NAMES,
	LOSS_RARE,        /* stacks, addresses, functions that no window shows */
	LOSS_PAST,        /* intervals */
	LOSS_SYMBOLS,     /* files */
	LOSS_SHARED,      /* samples that another profiler takes as well: none is missing */
	LOSS_KINDS,
};

struct loss_def {
	const char *what;   /* a sentence in front of any number: "samples lost in full rings" */
	const char *remedy; /* what helps, or what came of it; "": nothing is to be said */
	const char *again;  /* the same of a recording, of which nothing can be changed; NULL: @remedy */
	const char *name;   /* in JSON; NULL: it is not there, or in a sum alone */
	const char *header; /* on the screen, of the sum; NULL: not there */
	int rank;           /* those of low rank go first where a screen is narrow */
	bool is_always;     /* on the screen and in pprof also if it is 0 */
	bool is_harmless;   /* as it should be, no sum is wrong by it: no alarm on the screen */
	bool is_part;       /* counts in the sum of the kind before it that is none */
	bool is_at_end;     /* a batch says it at its end, on standard error */
};

extern const struct loss_def loss_defs[LOSS_KINDS];

/* @kind and its parts, of the counts @losses. */
uint64_t loss_sum(const uint64_t losses[LOSS_KINDS], enum loss_kind kind);

/* Adds "samples lost in full rings: 7; larger rings (-m) or ...".  @is_recorded: of a recording. */
void loss_put(struct buf *b, enum loss_kind kind, uint64_t count, bool is_recorded);

#endif
