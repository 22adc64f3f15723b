/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_SNAPSHOT_H
#define PTOP_VIEW_SNAPSHOT_H
/*
 * The answer to one query at one moment: immutable, in one arena, shared by reference count between
 * threads.  Strings are raw bytes as the machine has them: whoever prints them makes them safe
 * (base/text.h; the columns do).
 */
#include "base/arena.h"
#include "view/call_row.h"
#include "view/counter_row.h"
#include "view/export_stacks.h"
#include "view/row_callers.h"
#include "view/listing.h"
#include "view/loss.h"
#include "view/mark.h"
#include "view/moment.h"
#include "view/query.h"
#include "view/share.h"

enum row_flags {
	ROW_DEAD = 1 << 0,     /* the task has ended */
	ROW_REST = 1 << 1,     /* the sum of all rows beyond query.max_rows: symbol says so */
	ROW_FILTERED = 1 << 2, /* the sum of what filters left out: symbol says so */
	ROW_UNNAMED = 1 << 3,  /* symbol is an address: reason says why */
	ROW_KERNEL = 1 << 4,
	ROW_IDLE = 1 << 5,     /* the idle loop: outside the shares */
	ROW_KTHREAD = 1 << 6,
	ROW_SELF = 1 << 7,     /* ptop itself */
	ROW_PENDING = 1 << 8,  /* the name is being looked up */
	ROW_ESTIMATE = 1 << 9, /* cpu is estimated from samples, not measured */
	ROW_IRQ_ON = 1 << 10,  /* a timer's samples of what ran before with interrupts off, too */
	ROW_COUNTED = 1 << 12, /* its calls are counted */
	ROW_THREADS_ENDED = 1 << 13, /* a process's: samples of threads that have ended are there */
	ROW_ONE_THREAD = 1 << 14, /* a process's that does not live here: all of it is one thread's */
	ROW_HELD_ROUGHLY = 1 << 15, /* few looks say which part of the time its owner held the lock */
	ROW_DEADLOCK = 1 << 11, /* who holds the lock waits, over others, for itself */
};

enum { TREND_LEN = 8, BESIDE_MAX = 4 };

/* What a row has of an event that is sampled beside the one shown. */
struct beside {
	double share;      /* 0..1 of what the event's shares are of */
	double per_second; /* as snapshot_period_per_second() has it; NAN: not known */
};

/* What a row or a node is NOW, in the window, and was THEN, see query.compare: view/difference.h. */
struct difference {
	struct share_change change;
	uint64_t then_samples, then_period;
	double now_per_s, then_per_s; /* as snapshot_period_per_second() has it; NAN: not known */
	bool is_new, is_gone;         /* it is only in one of the two */
	double scale; /* of counters alone: what a share of 1 is, in the row's own unit */
};

/* What /proc tells of a task beside its names. */
struct task_stat {
	int ppid, priority, nice;
	char state;          /* R S D Z ... */
	uint64_t virt_bytes, rss_bytes;
	double memory;       /* rss_bytes: 0..1 of the machine's */
	uint64_t cpu_ns;     /* of all its life */
	double io_read, io_write; /* bytes a second; NAN: not known */
	uint64_t start_ns;   /* CLOCK_REALTIME */
	uint64_t start_ticks; /* field 22 of /proc/PID/stat: with the pid, who a process is */
};

/* Members that are no keys of the query are 0, -1 or "". */
struct row {
	uint64_t id;        /* stays the same from snapshot to snapshot of a query */
	unsigned flags;     /* enum row_flags */
	uint32_t process;   /* for query.process, 0: none */
	uint32_t thread;    /* for query.thread */
	uint32_t name;      /* for query.name, if the row stands for many tasks; 0: it is one */
	uint32_t dso_id;    /* for query.dso, of rows that are code; 0: none */
	uint32_t location;  /* of symbol, for query.function */
	int maker;          /* the process that made the code as it ran, if it lives; 0: none */
	uint64_t part;      /* for query.within: of the first key */
	uint8_t depth;      /* of a tree: 1: it is below nothing; 0: it is none */
	uint32_t group;     /* while the report is made: which one it is of, plus one; 0: none */
	uint64_t samples, period;
	uint64_t counted;    /* what the event counts: the period, but of what took time how often it was */
	double share;       /* 0..1 of its event's snapshot_event.base; NAN: no part of that */
	double cpu;         /* percent of one CPU: measured, or estimated in function rows; NAN */
	uint8_t trend[TREND_LEN]; /* 0..8, oldest first, scaled to the row's own maximum */
	int pid, tid, threads, cpu_number, node;
	uint64_t start_ticks; /* of the process @pid, as task_stat has it; 0: not known, or it has ended */
	uint64_t address;
	const char *event, *comm, *dso, *symbol, *source, *user, *cgroup, *command;
	const char *container, *pod, *unit, *program, *host;
	const char *container_ids[2], *pod_ids[2], *whole_unit; /* what filters take for these, too; NULL, "": none */
	const char *instruction, *data_src, *branch;
	uint64_t time;       /* ns since the start, plus one; 0: not known */
	uint64_t weight;     /* plus one; 0: it has none; so are the next two */
	uint64_t sample_id, stream_id;
	const char *hottest; /* the task's hottest function */
	/* 0..1 of the time of a task's threads, what is left they were idle; NAN: not known */
	double run, queue, stolen, wait;
	const char *waits_in; /* the function of the program that it has waited in for the longest */
	const char *on;      /* which file or lock is waited for, "" if it is not known */
	const char *lock;    /* the same of a lock, without who holds it */
	uint32_t lock_id;    /* for query.lock, 0: none, with process */
	int waiters, waiting; /* threads that wait for it: in the window, and as was seen last */
	int owner, held;     /* tid, 0: not known; percent of the time that was waited for it */
	const char *owner_comm, *does; /* and what the owner does meanwhile, or why none is known */
	uint64_t value_p50, value_p99; /* of query.field, plus one; 0: not known */
	const char *syscall, *field; /* of the payload of tracepoints, "-": it has none */
	const char *waker, *length; /* who woke it; "1-2 ms": "" if it is not known */
	const char *state, *waitkind; /* "run", "lock"; what is waited for, "" where it runs */
	const char *reason;  /* why there is no name, "" if there is one */
	const char *remedy;  /* what would give it one */
	const char *path, *build_id, *names_from; /* of the dso */
	double unnamed;      /* 0..1: its part of its dso's samples; NAN in other views */
	uint64_t ended_ns;   /* CLOCK_REALTIME, if ROW_DEAD */
	const struct task_stat *stat;      /* if a column wants it; NULL: it is not known */
	const struct counter_row *counter; /* of the view counters, NULL else */
	const struct call_row *call;       /* of the view calls, NULL else */
	const struct share_sums *sums; /* if the query wants them; NULL: nothing is known */
	const struct difference *difference; /* of a query that compares; NULL: of a sum */
	struct beside *beside; /* snapshot_event.beside_count of them; NULL: nothing */
	double ipc;          /* instructions per cycle, where both are sampled; NAN: not known */
};

/* What the kernel counted of an event on one CPU since the start, and what became of it. */
struct snapshot_tally {
	unsigned cpu;
	uint64_t counted, samples, lost;
};

struct snapshot_event {
	const char *name;
	const char *measures; /* what it counts, however its name is spelt; NULL: its name alone tells it */
	bool lacks_chains;   /* its samples have no call chains */
	bool shown;          /* on a screen: the rows are this event's */
	bool open;           /* being sampled now */
	bool counts_time;    /* its period is nanoseconds */
	bool is_looks;       /* how many samples there are says nothing, their periods do */
	bool is_all_time;    /* of looks: running is counted, too */
	bool is_traced;      /* of looks: they are made of switches, which do not tell who holds a lock */
	bool counts_things;  /* neither time nor cycles */
	bool is_elapsed;     /* each sample is something that took that time, on a CPU or not */
	bool is_of_hosts;    /* other hosts sample it, --hosts */
	bool is_picked;      /* a sample stands for many of what it counts */
	bool is_filtered;    /* the filter keeps none of its samples, whosever they are */
	double window_s;     /* what the window holds of it; 0: not known */
	uint64_t samples, period; /* sums over the window */
	uint64_t base;       /* what shares are of: the period sum that query.shares tells */
	uint64_t lost, throttled;
	const struct share_sums *sums; /* of all that shares are of, if the query wants them */
	/* Of the one that a screen shows: what samples carry, and the one that query.field chose. */
	const char **fields;
	size_t field_count;  /* 0: they carry none, or their format is not known */
	const char *field;   /* NULL: it has none like that */
	bool has_numbers;    /* its values are plain numbers */
	bool has_syscalls;   /* samples tell a system call */
	/* Of the one that a screen shows: those that are sampled beside it, by brief names. */
	const char *beside[BESIDE_MAX];
	size_t beside_count;
	bool has_ipc;        /* cycles and instructions are among them */
	/*
	 * Of the last report of a batch, when nothing is sampled any more; NULL else, and where the
	 * kernel does not count losses (before 6.0).
	 */
	const struct snapshot_tally *tallies;
	size_t tally_count;
	uint64_t left_out;    /* samples since the start: not of targets, or duplicates */
	uint64_t unexplained; /* counted with a period of 1, but neither sampled nor lost */
};

struct snapshot_limit {
	const char *text;
	const char *remedy; /* what would change it; "": nothing is known */
};

struct snapshot_cpu {
	unsigned cpu;
	int node;   /* -1: not known */
	float busy; /* 0..1; of that: */
	float user, system, iowait, steal; /* system with softirq; waiting is not busy */
};

/* What some tasks lacked so much that they stood still. */
enum pressure { PRESSURE_CPU, PRESSURE_MEMORY, PRESSURE_IO, PRESSURES };

/*
 * A frame of the stacks, for folded stacks.  Frames come depth first: a stack is the latest frame
 * of each depth up to its own.  As lines of text, joined by semicolons, the stacks are in rising
 * order of bytes, and all differ.
 */
struct snapshot_frame {
	const char *name; /* printable UTF-8 already, without a semicolon, never "" */
	uint32_t depth;   /* 0: the event, 1: the comm, then the functions, outermost first */
	uint64_t samples, period; /* of the stacks that end here; 0: none does */
	uint64_t then_samples, then_period; /* of a query that compares */
};

/* What a node of a call tree is: its colour and its mark. */
enum node_kind {
	NODE_ALL,     /* the root: all stacks of an event */
	NODE_COMM,    /* threads of that name */
	NODE_OWN,     /* code of the program itself */
	NODE_LIBRARY,
	NODE_KERNEL,
	NODE_JIT,
	NODE_WAITS,   /* no code: a kind of wait, [lock] and the like */
	NODE_UNKNOWN, /* addresses that nothing is mapped at */
	NODE_CUT,     /* stands for callers that the chain lacks */
	NODE_REST,    /* the sum of siblings that are too small */
	NODE_KIND_COUNT,
};

extern const char *const node_kind_names[NODE_KIND_COUNT]; /* in JSON */

struct cost {
	uint64_t samples, period;
};

/*
 * A node of a call tree: a function, called along one path.  The trees follow each other, each in
 * pre-order: a node, then what is below it.  Siblings are ordered by name in the view flame, by
 * falling weight elsewhere.
 */
struct snapshot_node {
	uint64_t id;       /* of its path: stays the same from snapshot to snapshot */
	uint64_t place;    /* of the function: stays the same when its name changes; 0: none */
	const char *name;  /* raw; of places without a name their address */
	const char *dso;   /* "" if it has none */
	uint32_t location; /* for query.function, 0: it is no function */
	uint32_t parent;   /* by number; a root is its own */
	uint32_t end;      /* the number after the last one below it */
	uint32_t depth;
	uint32_t event;    /* of the snapshot's, by number */
	enum node_kind kind;
	bool is_inlined;   /* into its parent; among callers, into its child */
	bool is_irq_on;    /* as ROW_IRQ_ON */
	/*
	 * Spent in it, and with what it calls.  A caller has what the function at the root spent
	 * when it was called along this path.  A root that is a function has what was spent in it
	 * anywhere on the stack.
	 */
	struct cost self, total;
	const struct share_sums *sums;       /* of total, if wanted; NULL: not known */
	const struct difference *difference; /* of total */
};

/* What the window is compared with. */
struct snapshot_then {
	const char *label;        /* "old.data", "the 10.0 s before"; NULL: nothing */
	double window_s;          /* how much time it holds */
	const char *lacks;        /* why nothing of the event shown is compared; NULL: it is */
	double needs_s;           /* until rows or nodes can be told apart; 0: nothing is needed */
	const char *const *notes; /* what makes the two less alike than they seem, a line each */
	size_t note_count;
};

/* What an address of a function has: the leaves of samples, not where calls return to. */
struct snapshot_count {
	uint64_t offset; /* in the dso; of the kernel and of code without a file an address */
	uint32_t event;
	struct cost cost;
};

/* What a line of a source file has, of all functions of the dso that have code of it. */
struct snapshot_line {
	uint32_t line, event;
	uint64_t at;       /* the hottest of its addresses, for query.code_at */
	uint64_t at_period;
	struct cost cost;
};

/* A whole source file. */
struct snapshot_file {
	const char *path;
	const struct snapshot_line *lines; /* in rising order of lines, then of events */
	size_t count;
	const struct cost *told;     /* by event: all lines together */
	struct listing_source *text; /* one reference; NULL: not read yet */
};

/* A function by instruction. */
struct snapshot_code {
	uint32_t location;   /* for query.function; 0: there is none, see @why */
	uint32_t dso_id;
	const char *symbol, *dso, *path;
	uint64_t start, end; /* as offsets of counts */
	const struct snapshot_count *counts; /* in rising order of offsets, then of events */
	size_t count_len;
	const struct cost *told; /* by event: all counts together */
	const struct cost *all;  /* by event: all that the function has */
	bool is_filtered;        /* counts are of some threads, processes or CPUs alone: */
	bool is_by_cpu;          /* CPUs are filtered */
	uint64_t since_ns;       /* then CLOCK_REALTIME since when these are told apart; 0: always */
	bool begins_before;      /* the window does */
	bool is_skidding;        /* the event shown: a count may be of the instruction before */
	const char *others;      /* more functions of that name, for a line; NULL: none */
	const uint32_t *same;    /* then all of them and itself, for query.function, hottest first */
	size_t same_len;
	const char *why;         /* there is no such function, and which are near; NULL: there is */
	/* One reference each; NULL: not read yet. */
	struct listing *listing;
	struct listing_lines *lines;      /* of that listing */
	struct listing_source **sources;  /* by lines.files */
	bool is_reading;                  /* one of these is on its way */
	bool is_changed;                  /* the code is not what it was when it was read first */
	struct snapshot_file *file;       /* NULL: the query does not want it */
};

/* What the header shows. */
struct snapshot_head {
	const char *host;
	bool lacks_hosts;    /* other hosts are asked, and none of them has sent anything, */
	bool hosts_answer;   /* but some ptop there has said why it does not, or that it will */
	const char *recording;    /* the file that is shown; NULL: the machine, live */
	double progress;          /* part of it that is read, 0..1 */
	bool is_recording;        /* samples are written to a file */
	uint64_t recorded_bytes;
	double history_s;         /* how far the flight recorder reaches back, -1: not known */
	uint64_t uptime_s;
	double load[3];
	unsigned tasks, running;
	float user, system, softirq, idle, iowait, steal; /* 0..1, together 1 */
	uint64_t memory_total, memory_available, swap_total, swap_free; /* bytes; total 0: not known */
	double pressure[PRESSURES]; /* percent of the last 10 s; NAN: not known */
	bool have_shares;         /* user to steal; */
	bool have_load;           /* load, tasks, running: they are known of the window's time */
	uint64_t now_ns;          /* CLOCK_REALTIME */
	uint64_t as_of_ns;        /* CLOCK_REALTIME of the window's end, 0: now */
	const char *event;        /* the one shown, "" when none is open */
	const char *event_asked;  /* the text of the user's choice that it is of; NULL: ptop's own */
	const char *event_filter; /* of the kernel, "": none; NULL: the event takes none */
	bool is_freq;
	uint64_t rate;            /* Hz per CPU, or period, in force */
	const char *states;       /* of looks: "lock 9%  net 40%  idle 15%"; NULL: it is no such event */
	uint64_t rate_asked;      /* more than rate if --budget lowered it */
	const char *rate_why;     /* then: why, in few words; NULL: not known */
	const char *rate_reason;  /* and in a sentence, with what would help; NULL, "": not known */
	unsigned cpus_known, cpus_sampled; /* known: online at some time since the start */
	double samples_per_s;     /* of the event shown, over the last second */
	uint64_t losses[LOSS_KINDS]; /* since the start */
	uint64_t window_lost;     /* of the samples and records lost: in the window */
	uint64_t throttled_ns;    /* how long, summed over CPUs */
	double self_cpu;          /* percent of one CPU, over the last refresh; NAN: not known */
	double self_budget;       /* what it may be, 0: anything */
	uint64_t self_bytes;      /* resident */
	double window_s;          /* as asked for; -1: all */
	double window_have_s;     /* what the window holds; NAN: there is none */
	double window_end_s;      /* query.end_ns, 0: now */
	double have_from_s, have_to_s; /* what a window in the past holds; both 0: nothing */
	double past_s;            /* when the oldest interval that is kept begins, since the beginning */
	struct moments moments;   /* the time of day of it all; kept_ns as past_s */
	const char *forgotten;    /* what of the window is not known; NULL: all of it is */
	double span_s;            /* from the beginning of sampling, or of the recording, to now */
	bool has_chains;          /* the event shown is sampled with those who called */
	const char *chain_ends;   /* why their chain may end too early; NULL: no event is shown */
	unsigned call_graph;      /* how chains are taken: enum event_call_graph; 0: of a recording */
	const char *chains;       /* -g auto: whose stacks are copied further; NULL: nobody's */
	double frozen_s;          /* when the screen was frozen, since the beginning; 0: it is not */
	bool is_paused;           /* the event shown is not sampled, by the user */
	bool switching;           /* an event is being opened */
	const char *switching_to;
	const struct snapshot_cpu *cpus;
	size_t cpu_count;
	const char *change;       /* what has changed last; NULL: nothing has, or a minute ago */
	double before_change_s;   /* when the last change surely had not begun; 0: there is none */
	const struct snapshot_limit *limits; /* of what is sampled and named here */
	size_t limit_count;
	const char *const *notices; /* what cannot be measured, a line each: in the header */
	size_t notice_count;
};

/* How much there was in each step of time, of a second, ten seconds or a minute; oldest first. */
struct timeline_row {
	double step_s, from_s;    /* the first begins there, since the beginning; it can be before that */
	size_t len;
	const float *busy;        /* part of the CPUs, 0..1; NAN: not known, here and below */
	const float *rate;        /* of the event shown: period in a second */
	const float *mine;        /* of query.line_process and line_function; NULL: not asked for */
};

enum { TIMELINE_ROWS = 3 };

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
	struct row *own_rows;     /* the same if they are not in the arena, NULL else */
	size_t row_count;
	unsigned hosts;           /* THEN, of other hosts: so many, of which difference_make() takes the mean */
	uint64_t total_samples, total_period; /* of the shown event (screen) or of all (batch) */
	/* Sums, a row for each event that has some: of what was left out; of what query.unnamed left out. */
	struct row *filtered, *named; /* NULL: nothing */
	size_t filtered_count, named_count;
	const struct snapshot_frame *frames; /* if the query wants them */
	size_t frame_count;
	/*
	 * The trees of views of stacks: one for each event.  The view callers has two on a screen,
	 * callers and callees of one function; callers and callees have one for each function in
	 * reports.
	 */
	const struct snapshot_node *nodes;
	size_t node_count;
	/*
	 * Of query.find: what stacks with a name that holds it are together, each counted once; also
	 * where the node is too small to be there.  Of more trees than one, of the last.
	 */
	struct cost found;
	const struct stacks *stacks; /* NULL: the query does not want them */
	const struct row_callers *callers; /* the same */
	struct timeline_row timeline[TIMELINE_ROWS]; /* of a screen */
	const struct snapshot_mark *marks; /* in the order of their times */
	size_t mark_count;
	struct snapshot_code *code; /* NULL: the query does not want it */
	const char *why_empty;    /* why a view of what is counted has no rows, NULL else */
	const struct call_row *const *calls; /* functions whose calls are counted, in any view */
	size_t call_count;
	struct snapshot_then then;   /* of a query that compares */
	struct snapshot *then_owner; /* holds the strings of rows that are gone; NULL: there are none */
	const char *crumbs[4 + QUERY_WITHIN_MAX];    /* "All", "nginx 1234", "thread 1240 worker-3", "libx.so"; NULL ends */
};

/* The event that a screen shows; NULL: none. */
const struct snapshot_event *snapshot_shown(const struct snapshot *s);
uint32_t snapshot_shown_id(const struct snapshot *s); /* its number, 0 if there is none */

/* Whether any of its trees is compared. */
bool snapshot_compares_nodes(const struct snapshot *s);

/* Whether the calls of the function at that location are counted now. */
bool snapshot_counts_calls(const struct snapshot *s, uint32_t location);

/*
 * Of @n samples, of @period, which the event has in the window, those of a second: time is in
 * milliseconds.  NAN: not known.  @e may be NULL.
 */
double snapshot_per_second(const struct snapshot_event *e, uint64_t n);
double snapshot_period_per_second(const struct snapshot_event *e, uint64_t period);

/*
 * @period as the query wants it: in percent of what shares are of, or per second.  And the unit:
 * "%", " ms/s", "/s".
 */
double snapshot_share(const struct snapshot *s, const struct snapshot_event *e, uint64_t period);
const char *snapshot_share_unit(const struct snapshot *s, const struct snapshot_event *e);

struct snapshot *snapshot_new(void); /* one reference */
struct snapshot *snapshot_get(struct snapshot *s);
void snapshot_put(struct snapshot *s); /* NULL is allowed; thread-safe */

#endif
