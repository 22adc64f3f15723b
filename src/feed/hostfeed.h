/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_FEED_HOSTFEED_H
#define PTOP_FEED_HOSTFEED_H
/*
 * What one host tells another of its tables: each second what was counted in it, with names.
 *
 * The stream is HOSTFEED_MAGIC, its version (four bytes, the lowest first), then frames.  A frame is
 * its kind, whether it is packed by zlib, two bytes of 0, its length as it is sent, and its length
 * unpacked (four bytes each).  Names, tasks and places are told once and are numbers from then on,
 * until a frame says that it begins anew.  All other numbers are of as many bytes as they need.
 */
#include "base/util.h"

#define HOSTFEED_MAGIC "PTOPFEED"

/* In place of a feed: there is no ptop that could make one, and one is taken (--copy). */
#define HOSTFEED_WANTED "PTOPWANTED"

/* A place without a dso that stands for callers which a chain lacks. */
#define HOSTFEED_CUT "[cut]"

enum {
	HOSTFEED_MAGIC_LEN = sizeof(HOSTFEED_MAGIC) - 1,
	HOSTFEED_VERSION = 1,
	HOSTFEED_HEAD_LEN = 12,          /* of a frame */
	HOSTFEED_PACKED_MAX = 512 << 10, /* bytes of a frame */
	HOSTFEED_BYTES_MAX = 2 << 20,    /* the same, unpacked */
	/* Of frames in a second, as they are sent: what does not fit is one row, or comes in the next. */
	HOSTFEED_RATE_MAX = 20000,
	HOSTFEED_LATE_MAX = 10, /* so many seconds may be in one */
	HOSTFEED_TEXT_MAX = 512,         /* of a name; longer ones are cut */
	HOSTFEED_DEFS_MAX = 1 << 16,     /* names, tasks, places, each, until it begins anew */
	HOSTFEED_EVENTS_MAX = 256,       /* no ptop samples as many */
	HOSTFEED_CPUS_MAX = 1 << 16,     /* no Linux has as many */
	HOSTFEED_ROWS_MAX = 8192,        /* of a second */
	HOSTFEED_STACKS_MAX = 2048,      /* of a second: no ptop sends as many, more break the feed */
	HOSTFEED_STACKS_SENT = 1500,     /* at most, the heaviest */
	HOSTFEED_DEPTH_MAX = 192,        /* of those who called; deeper ones are not told */
	HOSTFEED_LIMITS_MAX = 16,        /* of its sampling: more are not told */
	HOSTFEED_ROWS_SENT = 1500,       /* at most, the heaviest; the rest is one row for each event */
};

/* So much a host cannot have counted in a second: sums of it stay far from their end. */
#define HOSTFEED_COUNT_MAX (UINT64_C(1) << 50)

enum hostfeed_kind {
	HOSTFEED_HELLO = 1,
	HOSTFEED_SECOND,
	HOSTFEED_LEFT_OUT,         /* these go before their second, once; older ptops pass them over */
	HOSTFEED_STACKS,
	HOSTFEED_LIMITS,           /* those of its sampling and names, from that second on */
	HOSTFEED_LACKS,            /* why places of that second have no name */
	HOSTFEED_WANTS_PTOP = 256, /* no frame: HOSTFEED_WANTED came */
};

enum hostfeed_event_flag {
	HOSTFEED_COUNTS_TIME = 1 << 0,
	HOSTFEED_COUNTS_THINGS = 1 << 1, /* neither time nor cycles */
	HOSTFEED_LOOKS = 1 << 2,         /* at what waits */
};

enum hostfeed_place_flag {
	HOSTFEED_KERNEL = 1 << 0,
	HOSTFEED_UNNAMED = 1 << 1, /* its symbol is where it is */
};

struct hostfeed_hello {
	uint32_t version;
	const char *host, *ptop; /* what it calls itself, and which ptop it has */
	uint32_t cpus;
};

struct hostfeed_event {
	const char *name;
	unsigned flags;
};

/* A task under one name. */
struct hostfeed_task {
	int pid, tid;
	const char *comm, *program, *user, *cgroup;
};

struct hostfeed_place {
	const char *dso, *symbol;
	unsigned flags;
	const char *reason; /* why it has no name; "": it has one, or that is not told */
	const char *remedy; /* what would give it one there */
};

/* By number: what each is stays, until hostfeed_second.is_anew. */
struct hostfeed_row {
	uint32_t event, task, place;
	uint64_t samples, period;
};

/* A place that is called along one path: by its parent, which is told before it. */
struct hostfeed_node {
	uint32_t parent; /* its number plus one; 0: nobody's */
	uint32_t place;
	uint32_t depth;  /* 1: nobody calls it; not sent */
};

/* So much more of a row was called along one path; who called what the row has is not known. */
struct hostfeed_stack {
	uint32_t row;
	uint32_t callers; /* number of a node plus one; 0: nobody */
	uint64_t samples, period;
};

/* What the ptop there cannot sample or name, in its words. */
struct hostfeed_limit {
	const char *text;
	const char *remedy; /* what would change it there; "": nothing is known */
};

struct hostfeed_second {
	uint64_t wall_ns;   /* CLOCK_REALTIME there, when it was sent */
	uint64_t length_ns; /* of the time that is in it */
	uint64_t lost;      /* samples */
	const struct hostfeed_limit *limits; /* all that there are by now; NULL: those of before */
	size_t limit_count;
	uint64_t left_out;  /* rows that are not told apart: they did not fit */
	bool is_anew;       /* numbers begin anew: what was known by them is void */
	const struct hostfeed_row *rows;     /* of their counts, when they were read: what no stack has */
	size_t row_count;
	const struct hostfeed_stack *stacks; /* in addition to that */
	size_t stack_count;
	const struct hostfeed_event *events; /* all that are known so far, by number */
	const struct hostfeed_task *tasks;
	const struct hostfeed_place *places;
	const struct hostfeed_node *nodes;
	size_t event_count, task_count, place_count, node_count;
};

#endif
