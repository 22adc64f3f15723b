/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_METRICS_H
#define PTOP_SERVE_METRICS_H
/*
 * What Prometheus scrapes: counters, of a bounded number of names, made of two snapshots.  ptop's
 * main thread.
 */
#include "base/buf.h"
#include "serve/series.h"
#include "view/snapshot.h"

enum { METRICS_TASKS = 400, METRICS_FUNCTIONS = 200 };

/* The snapshots that it takes, in this order. */
enum metrics_part { METRICS_BY_TASK, METRICS_BY_FUNCTION, METRICS_PARTS };

struct metrics {
	struct series tasks, functions;
	uint64_t samples, losses[LOSS_KINDS];
	uint64_t own_cpu_ns; /* of all processes of ptop, as far as is known */
	uint64_t own_bytes;
	bool counts_time;    /* an event is sampled whose period is time */
};

void metrics_init(struct metrics *m);
void metrics_release(struct metrics *m);

/* What the engine is asked for a part, made of @base. */
void metrics_query(enum metrics_part part, const struct query *base, struct query *q);
void metrics_take(struct metrics *m, enum metrics_part part, const struct snapshot *s);

void metrics_put(const struct metrics *m, bool is_open_metrics, struct buf *b);

#endif
