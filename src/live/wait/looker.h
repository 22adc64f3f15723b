/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_LOOKER_H
#define PTOP_LIVE_WAIT_LOOKER_H
/*
 * Looks at threads that do not run, some twenty times a second each and at random moments, in a
 * thread of its own: where they wait, as records (record/look.h) that tell for how long.  The
 * records are a stream that one thread reads, the owner; nothing here blocks it.
 */
#include "base/reader.h"
#include "live/wait/wait_cycle.h"

struct looker;

struct looker_config {
	const char *proc;  /* "/proc", outlives it */
	uint64_t id;       /* of the records */
	bool has_stacks;   /* they carry copies of stacks */
	bool has_queue;    /* they tell the time in the run queue, too */
	double percent;    /* of one CPU: more looks cost no more, 0: no bound; to begin with */
};

struct looker *looker_new(const struct looker_config *config);
void looker_free(struct looker *l); /* NULL is allowed */

/* Who is looked at, all of the machine but ptop if @targets is NULL.  Before that nobody is. */
void looker_set(struct looker *l, const struct wait_target *targets, size_t count);

/* What the stack of a thread has told.  It is needed so far: what is above need not be copied. */
struct wait_top {
	int tid;
	uint64_t top; /* an address, 0: not known */
	bool is_cut;  /* its copies were too short */
	uint64_t lock; /* what it waits for there is a lock with an owner, 0: not so */
};

/* Where there are many threads, those of this process are looked at more often, 0: of none. */
void looker_prefer(struct looker *l, int pid);

/* From now on, see looker_config. */
void looker_set_percent(struct looker *l, double percent);

void looker_set_tops(struct looker *l, const struct wait_top *tops, size_t count);

/*
 * Has all looked at once more, and all told that they have waited so far.  If that would cost more
 * than is allowed they are not looked at, but for the last report.
 */
void looker_flush(struct looker *l, bool is_last);
bool looker_is_flushed(const struct looker *l);

/* The stream, for merge_stream. */
int looker_peek(void *looker, struct bytes *out);
void looker_advance(void *looker);

/*
 * Of @record, that was peeked last and is not passed yet: where its tag (record_sample_tag()) is kept
 * for the next time that it comes, 0: it is not known yet.  NULL: it comes but once.
 */
uint64_t *looker_tag(const struct looker *l, struct bytes record);

/* At least once a second: a thread that hangs is replaced.  The process that it hung on, 0: none. */
int looker_check(struct looker *l);

struct looker_figures {
	uint64_t threads, interval_ns; /* looked at, each so often; */
	uint64_t planned_ns, reached_ns; /* a look at each, if they cost nothing, and of late; 0: not known */
	uint64_t behind_ns;            /* of late looks came so long after they were due, */
	bool is_dear, is_still;        /* had to be seldom for their price; most found what had not run */
	uint64_t unseen;               /* so many of them were not yet; */
	bool is_first_turn;            /* hundreds, more than come and go */
	uint64_t looks, same, torn;    /* in all; same: it had not run; torn: it did, stack unknown; */
	uint64_t stayed;               /* its whole process had not run: nothing was read; */
	uint64_t presumed;             /* what it had waited was presumed by its times before */
	uint64_t hold_ns;              /* so long what a thread has waited is kept, to be told at once */
	uint64_t denied;               /* threads that may not be looked at, */
	bool has_yama;                 /* which kernel.yama.ptrace_scope may be the cause of */
	uint64_t cpu_ns;               /* of looks at which something was read */
	uint64_t begun_ns, told_sum_ns; /* see looker_untold_ns() */
	bool is_listed;                /* it is known which threads there are */
	bool lacks_files;              /* descriptors, for files of /proc */
	bool lacks_kernel;             /* functions of the kernel, for want of CAP_SYS_ADMIN */
	bool is_full;                  /* there are more than WAIT_THREADS_MAX */
	int deadlock[WAIT_CYCLE_MAX];  /* threads that wait for each other: see wait_cycle.h */
	size_t deadlock_len;           /* 0: none do */
};

void looker_figures(const struct looker *l, struct looker_figures *out);

/* Of the time of all its threads up to @now_ns, as much as no record tells of yet. */
uint64_t looker_untold_ns(const struct looker_figures *f, uint64_t now_ns);

#endif
