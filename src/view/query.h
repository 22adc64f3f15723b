/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_QUERY_H
#define PTOP_VIEW_QUERY_H
/*
 * What a screen or a batch report asks of the engine.  Plain data: copied between threads.
 */
#include "view/view.h"

enum { QUERY_FILTER_MAX = 256, QUERY_SYMBOL_MAX = 256, QUERY_FIND_MAX = 256, QUERY_DSO_MAX = 128,
       QUERY_SOURCE_MAX = 512, QUERY_WITHIN_MAX = 4, QUERY_NAME_MAX = 64, QUERY_FIELD_MAX = 64 };

/* What the sums of rows and nodes are divided by. */
enum shares {
	SHARES_OF_ALL,     /* by all that the event counted in the window */
	SHARES_PER_SECOND, /* the same; a screen shows what was counted in each second instead */
	SHARES_OF_SHOWN,   /* by what the place has that one went into, less what is left out */
	SHARES_COUNT,
};

/* What is shown beside the window: THEN. */
enum compare {
	COMPARE_NOTHING,
	COMPARE_BEFORE,    /* as much time before the window */
	COMPARE_MOMENT,    /* as much time up to query.then_end_ns */
	COMPARE_RECORDING, /* another recording: engine_config.then_input */
	COMPARE_OTHERS,    /* the other hosts, where one went into one of them */
	COMPARE_COUNT,
};

/* A group that one went into: of samples that have the key's part alone, or below it. */
struct query_within {
	enum key key;
	uint64_t part;  /* as row.part */
	char name[QUERY_NAME_MAX]; /* as its row was called, for the crumbs */
};

struct query {
	uint64_t seq;          /* chosen by the asker: comes back in the snapshot's query */
	enum view_id view;
	bool by_view;          /* keys are the view's, not those of --by */
	enum key keys[KEYS_MAX];
	size_t key_count;
	unsigned char columns[CHOICE_MAX]; /* enum column_id: those that the user chose for the view */
	size_t column_count;   /* 0: the view's own */
	uint32_t process;      /* only this process, as row.process gives it; 0: all */
	uint32_t thread;       /* only this thread, as row.thread */
	uint32_t name;         /* only tasks of this name, as row.name; 0: all */
	uint32_t dso;          /* only code of this dso, as row.dso_id, and of its like; 0: all */
	struct query_within within[QUERY_WITHIN_MAX]; /* only what is in all of these */
	size_t within_count;
	uint32_t lock;         /* only what waits for this lock, as row.lock_id; 0: all */
	bool locks;            /* only what waits for locks; the rest is one sum */
	bool unnamed;          /* only code without a name; the rest is one sum */
	/* KEY_FIELD, row.hottest: of payloads; "": of each event the one that tells most */
	char field[QUERY_FIELD_MAX];
	char filter[QUERY_FILTER_MAX]; /* see filter.h: comm=nginx dso!=libc*; "": none */
	enum shares shares;
	int sort;              /* enum column_id */
	bool ascending;
	uint64_t window_ns;    /* UINT64_MAX: all; 0: since the last report */
	bool hide_kernel, hide_user;
	bool hide_self;        /* hide ptop itself (key *) */
	bool idle;             /* the idle loop counts like work */
	uint64_t end_ns;       /* end of a window in the past, since the beginning; 0: now */
	bool frozen;           /* the screen stands still */
	bool all_events;       /* rows of every event (batch), not only of the one shown */
	bool process_tree;     /* processes are below those that forked them, each with what is below it */
	bool hide_threads;     /* processes without their threads' rows (key H) */
	size_t max_rows;       /* rows beyond it become one; 0: no bound */
	bool trends;           /* it is for a screen: wants row.trend, row.hottest */
	uint32_t line_process, line_function; /* wants a line of their own in the timeline, 0: all */
	bool stacks;           /* wants snapshot.frames: stacks by name, sorted */
	bool trees;            /* wants snapshot.stacks: for formats that tell places apart */
	bool hide_addresses;   /* in those code is in its file alone, not where processes and the kernel have it */
	/* Wants snapshot.callers, so many stacks at most; 0: none. Of a window since the last report. */
	size_t row_stacks;
	/*
	 * Views callers and annotate: a row.location; 0: the hottest.  Callers, batch: all.  Of
	 * annotate the function can be told otherwise, too: by its place or by its name.
	 */
	uint32_t function;
	uint32_t code_dso;     /* as row.dso_id, where @code_at is in it; 0: it is not told so */
	uint64_t code_at;      /* as samples have it: snapshot_code.start */
	char symbol[QUERY_SYMBOL_MAX]; /* "": it is not told by name */
	char symbol_dso[QUERY_DSO_MAX]; /* the file's name, "": any */
	/* Wants snapshot_code.file beside it: of this source file, as listing_file.path; "": of none. */
	char source_file[QUERY_SOURCE_MAX];
	bool bottom_up;        /* view tree: from the innermost functions on */
	double least_share;    /* of trees: smaller nodes are summed up or left out */
	char find[QUERY_FIND_MAX]; /* wants snapshot.found, of trees; "": nothing is looked for */
	bool sums;             /* wants row.sums: how sure shares are */
	enum compare compare;  /* wants differences, and so sums */
	bool is_then;          /* another query is compared with it: nodes have sums, too */
	bool of_others;        /* a host that one went into is left out, and all others are in */
	uint64_t then_end_ns;  /* of COMPARE_MOMENT, since the beginning */
};

/* Whether it is a view of stacks: its snapshot has nodes in place of rows. */
static inline bool
query_wants_nodes(const struct query *q)
{
	return q->by_view && view_defs[q->view].is_tree && !q->stacks && !q->trees;
}

/* Whether it is of one function by instruction: its snapshot has code in place of rows. */
static inline bool
query_wants_code(const struct query *q)
{
	return q->by_view && view_defs[q->view].is_code;
}

/* Whether its rows are compared; query.compare alone is the user's wish, also where there is no THEN. */
static inline bool
query_compares(const struct query *q)
{
	return q->compare != COMPARE_NOTHING && !(q->by_view && view_defs[q->view].no_then != NULL);
}

#endif
