/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_SNAPSHOT_H
#define PTOP_VIEW_SNAPSHOT_H
/*
 * What one query gave at one moment: immutable, in one arena, shared by reference count between
 * threads.  Strings are raw bytes as the machine has them: whoever prints makes them safe
 * (base/text.h; the columns do).
 */
#include "base/arena.h"
#include "view/counter_row.h"
#include "view/export_stacks.h"
#include "view/loss.h"
#include "view/query.h"

enum row_flags {
	ROW_DEAD = 1 << 0,     /* the task has ended */
	ROW_REST = 1 << 1,     /* all rows that did not fit: name in symbol */
	ROW_FILTERED = 1 << 2, /* what the filter, or query.unnamed, left out: name in symbol */
	ROW_UNNAMED = 1 << 3,  /* symbol is an address: reason says why */
	ROW_KERNEL = 1 << 4,
	ROW_IDLE = 1 << 5,     /* the idle loop: outside the shares */
	ROW_KTHREAD = 1 << 6,
	ROW_SELF = 1 << 7,     /* ptop itself */
	ROW_PENDING = 1 << 8,  /* name on its way */
	ROW_ESTIMATE = 1 << 9, /* its cpu is told by samples, not measured */
};

enum { TREND_LEN = 8 };

/* Members that are no keys of the query are 0, -1 or "". */
struct row {
	uint64_t id;        /* the same row in each snapshot of the same query */
	unsigned flags;     /* enum row_flags */
	uint32_t process;   /* to go into: query.process, 0: none */
	uint32_t thread;    /* query.thread */
	uint32_t name;      /* query.name, of a task that stands for many; 0: it is one */
	uint32_t dso_id;    /* query.dso, of rows that are code; 0: none */
	uint32_t location;  /* the engine's own: of symbol */
	uint64_t samples, period;
	double share;       /* 0..1 of its event's period sum over all samples of the window */
	double cpu;         /* percent of one CPU: measured, or estimated in function rows; NAN */
	uint8_t trend[TREND_LEN]; /* 0..8, oldest first, scaled to the row's own maximum */
	int pid, tid, threads, cpu_number;
	uint64_t address;
	const char *event, *comm, *dso, *symbol, *source, *user, *cgroup, *command;
	const char *data_src, *branch;
	uint64_t time;       /* ns since the start, plus one; 0: not known */
	uint64_t weight;     /* plus one; 0: it has none */
	const char *hottest; /* the task's hottest function */
	const char *reason;  /* why there is no name, "" if there is one */
	const char *remedy;  /* what would mend it */
	const char *path, *build_id, *names_from; /* of the dso */
	double unnamed;      /* 0..1: its part of its dso's samples; NAN but in the view unnamed */
	uint64_t ended_ns;   /* CLOCK_REALTIME, of ROW_DEAD */
	const struct counter_row *counter; /* of the view counters, NULL else */
};

/* What the kernel counted of an event on a CPU since the start, and what became of it. */
struct snapshot_tally {
	unsigned cpu;
	uint64_t counted, samples, lost;
};

struct snapshot_event {
	const char *name;
	bool shown;          /* the rows of a screen are this event's */
	bool open;           /* being sampled now */
	bool counts_time;    /* its period is nanoseconds */
	uint64_t samples, period; /* sums over the window */
	uint64_t lost, throttled;
	/*
	 * Of the last report of a batch, when nothing is sampled any more; NULL else, and where the
	 * kernel does not count losses (before 6.0).
	 */
	const struct snapshot_tally *tallies;
	size_t tally_count;
	uint64_t left_out;    /* samples since the start that are of no target, or come twice */
	uint64_t unexplained; /* counted with a period of 1, but neither sampled nor lost */
};

struct snapshot_cpu {
	unsigned cpu;
	float busy; /* 0..1 */
};

/*
 * A place in the call trees.  They are walked from the outside in: a stack is the last frames of
 * each depth up to its own.  As lines of text, joined by semicolons, the stacks are in rising order
 * of bytes, and no two are alike.
 */
struct snapshot_frame {
	const char *name; /* printable UTF-8 already, without a semicolon, never "" */
	uint32_t depth;   /* 0: the event, 1: the comm, then the functions, outermost first */
	uint64_t samples, period; /* of the stacks that end here; 0: it leads to others */
};

/* What a node of a call tree is: what its colour and its mark tell. */
enum node_kind {
	NODE_ALL,     /* the root: all stacks of an event */
	NODE_COMM,    /* threads of that name */
	NODE_OWN,     /* code of the program itself */
	NODE_LIBRARY,
	NODE_KERNEL,
	NODE_JIT,
	NODE_UNKNOWN, /* addresses that nothing is mapped at */
	NODE_CUT,     /* in the place of callers that the chain lacks */
	NODE_REST,    /* siblings that are too small, as one */
	NODE_KIND_COUNT,
};

extern const char *const node_kind_names[NODE_KIND_COUNT]; /* for programs */

struct cost {
	uint64_t samples, period;
};

/*
 * A function in a call tree, seen along one path.  Trees stand one behind the other, each in
 * pre-order: a node, then what is below it.  Siblings are in the order of their names in the view
 * flame, by falling weight elsewhere.
 */
struct snapshot_node {
	uint64_t id;       /* of its path: the same in each snapshot */
	uint64_t place;    /* of the function: the same when it gets a name, or another; 0: none */
	const char *name;  /* raw; of places without a name their address */
	const char *dso;   /* "" if it has none */
	uint32_t location; /* for query.function, 0: it is no function */
	uint32_t parent;   /* by number; a root is its own */
	uint32_t end;      /* the number after the last one below it */
	uint32_t depth;
	uint32_t event;    /* of the snapshot's, by number */
	enum node_kind kind;
	bool is_inlined;   /* in the function that it is below, or with views of callers, above */
	/*
	 * Spent in it, and with what it calls.  Of callers: spent in the function that is looked
	 * at, and with what that calls, when it was called along this path.  Of a root that is a
	 * function: in it, wherever on the stack it was.
	 */
	struct cost self, total;
};

/* The header's facts. */
struct snapshot_head {
	const char *host;
	const char *recording;    /* the file that is shown; NULL: the machine, live */
	double progress;          /* how much of it is read, 0..1 */
	bool is_recording;        /* samples are written to a file */
	uint64_t recorded_bytes;
	double history_s;         /* what the flight recorder reaches back */
	uint64_t uptime_s;
	double load[3];
	unsigned tasks, running;
	float user, system, softirq, idle, iowait, steal; /* 0..1, together 1 */
	bool have_shares;
	uint64_t now_ns;          /* CLOCK_REALTIME */
	uint64_t as_of_ns;        /* CLOCK_REALTIME of the window's end, 0: it is now */
	const char *event;        /* the one shown, "" when none is open */
	const char *event_filter; /* the kernel's, "": none; NULL: it takes none */
	bool is_freq;
	uint64_t rate;            /* Hz per CPU, or period, in force */
	uint64_t rate_asked;      /* more than that if the CPU budget lowered it */
	unsigned cpus_known, cpus_sampled; /* known: there since the start, off line or not */
	double samples_per_s;     /* of the event shown, over the last second */
	uint64_t losses[LOSS_KINDS]; /* since the start */
	uint64_t window_lost;     /* of the samples and records lost: in the window */
	uint64_t throttled_ns;    /* how long, summed over CPUs */
	double self_cpu;          /* percent of one CPU, over the last refresh; NAN: not known */
	double self_budget;       /* what it may be, 0: anything */
	uint64_t self_bytes;      /* resident */
	double window_s;          /* as asked; -1: all */
	double window_have_s;     /* what the window really holds; NAN: there is none */
	double window_end_s;      /* query.end_ns, 0: now */
	double have_from_s, have_to_s; /* of one in the past: what it holds; both 0: nothing */
	double past_s;            /* since the beginning, when the oldest interval that is kept began */
	double span_s;            /* from the beginning, of the sampling or the recording, to now */
	const char *chains;       /* how call chains are taken, where that is chosen; NULL: it is not */
	bool frozen;
	bool switching;           /* an event is being opened */
	const char *switching_to;
	const struct snapshot_cpu *cpus;
	size_t cpu_count;
	float busy_history
		[60]; /* busy share 0..1 of the machine each second, newest last; <0: none */
	const char *const *notices; /* what is left out, one line each: shown in the header */
	size_t notice_count;
};

struct snapshot {
	struct arena arena;
	unsigned refs;
	struct query query;       /* what was asked */
	uint64_t seq;             /* rises with each refresh */
	double elapsed_s;         /* since the start of sampling */
	struct snapshot_head head;
	struct snapshot_event *events;
	size_t event_count;
	struct row *rows;         /* in the order asked */
	struct row *own_rows;     /* the same if they are not the arena's, NULL else */
	size_t row_count;
	uint64_t total_samples, total_period; /* of the shown event (screen) or of all (batch) */
	struct row *filtered;     /* NULL: nothing was left out */
	struct row *named;        /* what query.unnamed left out, NULL: nothing */
	const struct snapshot_frame *frames; /* if the query wants them */
	size_t frame_count;
	/*
	 * Of views of stacks: view callers of the screen has two trees, who calls the function and
	 * what it calls; reports have one for each function; the others one for each event.
	 */
	const struct snapshot_node *nodes;
	size_t node_count;
	const struct stacks *stacks; /* NULL: the query does not want them */
	const char *why_empty;    /* of the view counters: why it has no rows, NULL else */
	const char *crumbs[4];    /* "All", "nginx 1234", "thread 1240 worker-3", "libx.so"; NULL ends */
};

struct snapshot *snapshot_new(void); /* one reference */
struct snapshot *snapshot_get(struct snapshot *s);
void snapshot_put(struct snapshot *s); /* NULL is allowed; thread-safe */

#endif
