/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_QUERY_H
#define PTOP_VIEW_QUERY_H
/*
 * What the screen or a batch report asks of the engine.  Plain data: copied between threads.
 */
#include "view/view.h"

enum { QUERY_FILTER_MAX = 256 };

struct query {
	uint64_t seq;          /* the asker's own number: comes back in the snapshot */
	enum view_id view;
	bool by_view;          /* keys are the view's own */
	enum key keys[KEYS_MAX];
	size_t key_count;
	uint32_t process;      /* only this process, as row.process gives it; 0: all */
	uint32_t thread;       /* only this thread, as row.thread */
	uint32_t name;         /* of a task that stands for many: only those of this name, as row.name */
	uint32_t dso;          /* only code of this one, as row.dso_id, and what is alike; 0: all */
	bool unnamed;          /* only places without a name; all others are one sum */
	char filter[QUERY_FILTER_MAX]; /* INTERFACE: comm=nginx dso!=libc* symbol~^ngx_; "" none */
	int sort;              /* enum column_id */
	bool ascending;
	uint64_t window_ns;    /* UINT64_MAX: all; 0: since the last report */
	bool hide_kernel, hide_user;
	bool hide_self;        /* what ptop itself does (key *) */
	bool idle;             /* the idle loop counts like work */
	uint64_t end_ns;       /* the window ends there, since the beginning, and stands still; 0:
				  it ends now */
	bool frozen;           /* the screen stands still */
	bool all_events;       /* batch: rows of every event; else of the one shown */
	bool hide_threads;     /* processes without their threads' rows (key H) */
	size_t max_rows;       /* the rest is one row; 0: no bound */
	bool trends;           /* wants row.trend, row.hottest: the screen */
	bool stacks;           /* wants the snapshot's frames: the stacks by name, sorted */
	bool trees;            /* wants the snapshot's stacks: for formats that tell places apart */
	uint32_t function;     /* view callers: of this one, a location; 0: the hottest. Batch: all */
	bool bottom_up;        /* view tree: from the innermost functions on */
	double least_share;    /* of trees: nodes with less of their tree are summed up or left out */
};

/* Whether it is of stacks: its snapshot has nodes in place of rows. */
static inline bool
query_wants_nodes(const struct query *q)
{
	return q->by_view && view_defs[q->view].is_tree && !q->stacks && !q->trees;
}

#endif
