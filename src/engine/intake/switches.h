/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_INTAKE_SWITCHES_H
#define PTOP_ENGINE_INTAKE_SWITCHES_H
/*
 * Waits of threads, from the switch to another task until the thread is switched to again.  Of each
 * thread that waits the sample is kept that tells where, a bounded amount of them.  A wait is known
 * from its begin to its end or not at all: where a record was lost it is unknown, not wrong.
 * Records come in the order of time, of each CPU at least.  One thread.
 */
#include "base/reader.h"

enum { SWITCHES_BYTES_MAX = 64 << 20 };

struct switches;

struct switch_wait {
	uint32_t tid;
	char state;         /* as in proc(5), R: it could run; 0: not known */
	bool has_begun;     /* else its sample is here, and the switch is not */
	uint64_t since_ns;
	uint64_t woken_ns;  /* 0: it was not, or it is not known */
	uint32_t waker;     /* 0: not known */
	uint64_t over_ns;   /* 0: it goes on */
	uint64_t told_ns;   /* the caller's: up to there it was counted */
	uint32_t event, layout; /* the caller's */
	size_t len;
	uint8_t *data;      /* the sample; who gets it from here frees it */
};

struct switches *switches_new(void);
void switches_free(struct switches *s); /* NULL is allowed */

/* A sample of a thread that is about to be switched from; of @w tid, state, event, layout count. */
void switches_sample(struct switches *s, const struct switch_wait *w, struct bytes bytes);

/* It is; @is_preempted: it could run. */
void switches_out(struct switches *s, uint32_t tid, uint64_t time_ns, bool is_preempted);

/* Whether that is what its wait was for; else it is none that is kept. */
bool switches_woken(struct switches *s, uint32_t tid, uint64_t time_ns, uint32_t waker);
void switches_in(struct switches *s, uint32_t tid, uint64_t time_ns);
void switches_end(struct switches *s, uint32_t tid); /* it has ended */

/*
 * Records were lost, or none came for a while, from @since_ns on until now: nothing is known of
 * what has begun, and of what was over later.
 */
void switches_lose(struct switches *s, uint64_t since_ns);

/*
 * The next wait that is over and was so at the last switches_settle(), in their order; false: there
 * is none.  That records were lost is told late: when there is room for more.
 */
bool switches_take(struct switches *s, struct switch_wait *out);
void switches_settle(struct switches *s);

/* The next that goes on, *@at 0 to begin with; NULL: there is none. */
struct switch_wait *switches_next(struct switches *s, size_t *at);

/* How many have begun, or are over, and are unknown since it was asked last. */
uint64_t switches_unknown(struct switches *s);

size_t switches_bytes(const struct switches *s);

#endif
