/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_LOOK_WORKER_H
#define PTOP_LIVE_WAIT_LOOK_WORKER_H
/*
 * One thread that looks at others, as long as it lives.  A read of a process's memory can hang (a
 * stack in a file of a dead file system): its owner, one other thread, can then leave it behind.
 * All that it works on is its own; of what both have, whoever is last frees it.
 */
#include "live/wait/looker.h"
#include "live/wait/wait_list.h"

struct look_worker;

/* @config is copied, its text borrowed; @skips: processes that it leaves alone. */
struct look_worker *look_worker_new(const struct looker_config *config, const int *skips,
				    size_t skip_count);

/* Ends the thread, or leaves it behind if it does not end within @patience_ms. */
void look_worker_free(struct look_worker *w, unsigned patience_ms);

void look_worker_set(struct look_worker *w, const struct wait_target *targets, size_t count);
void look_worker_prefer(struct look_worker *w, int pid); /* see looker_prefer() */
void look_worker_set_percent(struct look_worker *w, double percent); /* see looker_set_percent() */
void look_worker_set_tops(struct look_worker *w, const struct wait_top *tops, size_t count);
void look_worker_flush(struct look_worker *w, uint64_t number, bool is_last); /* see looker_flush() */
uint64_t look_worker_flushed(const struct look_worker *w); /* the number of the last that is done */

/*
 * The next records, one behind the other (told_record.h), in a message that is the caller's; NULL:
 * none yet, and nothing is between @at and @end.
 */
struct msg *look_worker_take(struct look_worker *w, uint8_t **at, uint8_t **end);

/* @m, of such, is done with, all that was in it passed: it may be used again. */
void look_worker_give_back(struct look_worker *w, struct msg *m);

void look_worker_figures(const struct look_worker *w, struct looker_figures *out);

/*
 * Leaves it behind if it has been in one call for more than @patience_ms: the process that it hangs
 * on, and @w is freed; 0: it does not hang.
 */
int look_worker_abandon(struct look_worker *w, unsigned patience_ms);

#endif
