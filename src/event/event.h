/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_EVENT_H
#define PTOP_EVENT_EVENT_H
/*
 * From an event's text, in perf's syntax, to what perf_event_open(2) is to be given.
 */
#include "base/arguments.h"
#include "base/err.h"

/* What an event counts decides what can be said of it. */
enum event_unit {
	EVENT_COUNTS_THINGS, /* faults, misses, calls */
	EVENT_COUNTS_TIME,   /* the period is nanoseconds: cpu-clock, task-clock */
	EVENT_COUNTS_CYCLES, /* time too, of a clock that varies */
};

/* Looks at threads that wait (record/look.h), as samples of an event. */
enum event_looks {
	EVENT_LOOKS_NONE,
	EVENT_LOOKS_BESIDE, /* wall-clock: beside those that the kernel takes */
	EVENT_LOOKS_ALONE,  /* off-cpu: what is opened in the kernel is a dummy, which has none */
	EVENT_LOOKS_EXACT,  /* off-cpu/exact/: made of the kernel's, of switches between tasks */
};

/* What must be found in files or processes before the event can be opened: see site.h. */
enum event_place {
	EVENT_PLACE_NONE,      /* nothing: type and configs are complete */
	EVENT_PLACE_DATA,      /* mem:SYMBOL: config1 is the variable's address */
	EVENT_PLACE_UPROBE,    /* uprobe: a file and an offset in it */
	EVENT_PLACE_URETPROBE,
	EVENT_PLACE_KPROBE,    /* kprobe: a kernel function */
	EVENT_PLACE_KRETPROBE,
};

/*
 * Terms between slashes; one that was not given is 0, and its bit in event_terms.given is not set.
 */
enum event_term {
	TERM_PERIOD, TERM_FREQ, TERM_CALL_GRAPH, TERM_STACK_SIZE, TERM_MAX_STACK, TERM_INHERIT,
	TERM_OVERWRITE, TERM_TIME, TERM_PERCORE, TERM_BRANCH_TYPE, TERM_AUX_OUTPUT,
	TERM_AUX_SAMPLE_SIZE, TERM_AUX_ACTION, TERM_MAX_EVENTS, TERM_CONFIG, TERM_CONFIG1,
	TERM_CONFIG2, TERM_CONFIG3, TERM_CONFIG4, TERM_NAME, TERM_EXACT, TERM_FORCE, TERM_STRING,
};

enum event_call_graph {
	CALL_GRAPH_FP = 1,
	CALL_GRAPH_DWARF,
	CALL_GRAPH_LBR,
	CALL_GRAPH_NONE,
	CALL_GRAPH_AUTO, /* copies of stacks, and frame pointers where a copy ends; no event's own */
};

struct event_terms {
	uint32_t given; /* 1 << TERM_* */
	uint64_t period, freq;
	enum event_call_graph call_graph;
	uint32_t stack_size; /* bytes */
	uint16_t max_stack;  /* frames */
	bool inherit, overwrite, time, percore, aux_output, exact, force;
	uint64_t branch_type; /* PERF_SAMPLE_BRANCH_* */
	uint32_t aux_sample_size, aux_action, max_events;
};

/* One of the addresses of an event's place: see site.h. */
struct event_site {
	char *target; /* uprobe: the file's path; kprobe: the function, NULL: at is an address;
			 data: NULL */
	uint64_t tracepoint; /* what it was made in tracefs, see live/session/named_probes.h; 0: it
				is not */
	uint64_t at;  /* uprobe: offset in the file; kprobe: in the function; data: the address */
	int pid;      /* data: the process whose address it is; else 0: of all */
};

struct event_pair;

struct event {
	char *name; /* as perf names it, modifiers included: "cycles:P", "sched:sched_switch" */
	uint32_t type;
	uint64_t config, config1, config2, config3, config4;
	enum event_unit unit;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_host, exclude_guest, exclude_idle;
	bool lacks_kernel;    /* it was asked for, but refused when it was opened first */
	bool precise_max;     /* :P, as precise as this machine can */
	unsigned precise;     /* :p :pp :ppp */
	bool pinned, exclusive;
	bool sample_read;     /* :S, only the leader samples, with the counts of the others */
	bool is_weak;         /* :W, opened without its group if the group cannot be opened */
	bool is_bpf, retire_latency; /* :b :R */
	enum event_looks looks;
	bool is_in_kernel;    /* it happens there alone: with :u there would be nothing */
	bool is_clock;        /* cpu-clock, task-clock: IOC_PERIOD takes nanoseconds */
	bool is_tracepoint;   /* sampled with period 1 unless told otherwise */
	const struct event_pair *pair; /* it is the time from one tracepoint to another; NULL: it is not */
	uint32_t bp_type;     /* breakpoints: HW_BREAKPOINT_*; config1 is bp_addr, config2 bp_len */
	unsigned group;       /* the same number: one group; 0: none */
	struct event_terms terms;
	enum event_place place;
	char *path;           /* the place's file, or library, without '/'; NULL: searched in what
				 the targets map */
	char *symbol;         /* "malloc", "data", "file.c:42" (uprobes), "*" allowed in it (uprobes) */
	uint64_t symbol_offset;
	struct event_site *sites; /* the addresses of the place, all opened as this one event.
				     NULL: not searched yet, or there is no place.  Of
				     EVENT_LOOKS_EXACT and of pairs the tracepoints, that of config first */
	size_t site_count;
	struct arguments arguments; /* uprobes: of the function at the only site */
	char *strings;        /* uprobes: the arguments that are read as strings, "name,arg2"; "": those
				 that are known to be; NULL: none */
	char *tracepoint;     /* the same as tracefs calls it, once it is made; NULL: it is not */
	char *format;         /* of its samples, as tracefs has it until the event is closed; NULL likewise */
	char *filter;         /* --filter-event: for IOC_SET_FILTER, NULL: none */
	unsigned *cpus;       /* the PMU counts on these CPUs alone (uncore's cpumask, a hybrid's
				 cpus), NULL: on all */
	size_t cpu_count;
	uint32_t *more_types; /* hybrid CPUs: the same event on the other core PMUs.  In hardware
				 and cache events it is the upper half of config, else type */
	size_t more_count;
};

struct event_list {
	struct event *items;
	size_t len, cap;
	size_t last; /* index of the first event of the last text: a pattern makes several */
};

/*
 * Where the machine describes its events.  Root "" is the real one; tests give a folder.  Copies
 * are valid as long as the original is open.
 */
struct event_env {
	const char *root;  /* prefix of /sys and /proc paths */
	char tracefs[32];  /* a private mount, "": there is none */
	int tracefs_fd;    /* of that mount */
};

/*
 * The real machine.  Where tracefs is not mounted, or not for this user, it is mounted for this
 * process alone, if that is allowed.
 */
void event_env_open(struct event_env *env);
void event_env_close(struct event_env *env); /* of a zeroed one, too */

/*
 * Parses perf's syntax, "cycles:u,{page-faults,cs}:S,sched:*", and appends to @list, nothing if it
 * is wrong.  Malformed: ERR_USAGE with the column in the event's own text ("event 'cycles:z':
 * unknown modifier 'z' at column 8").  Name unknown: ERR_USAGE with the nearest right one ("unknown
 * event 'cylces': did you mean 'cycles'?"), or why tracepoints, of which it may be one, cannot be
 * read.  Known, but the machine has it not (a tracepoint whose tracefs is not mounted or not
 * readable): another code, with a hint.  One thread at a time: libpfm4 is asked for names that
 * nothing else knows.
 */
int event_parse(const struct event_env *env, const char *text, struct event_list *list,
		struct err *err);

/* How long the first event of a list is, in perf's syntax. */
size_t event_len(const char *text);

/* Whether its samples have fields to filter by: those of tracepoints and probes do. */
bool event_takes_filter(const struct event *ev);

/*
 * Sets the filter of the last event that was parsed, or adds it to the one that it has.  ERR_USAGE:
 * the event is no tracepoint and no probe.
 */
int event_set_filter(struct event_list *list, const char *filter, struct err *err);

/* What samples of it lack where it is opened for tasks, not for CPUs; NULL: nothing. */
const char *event_gap_of_tasks(const struct event *ev);

/* How many events the group at the begin of @events has; 1: it is no group. */
size_t event_group_len(const struct event *events, size_t count);

/* Whether these can be sampled as one group; -1: why not. */
int event_group_check(const struct event *events, size_t count, struct err *err);

void event_list_release(struct event_list *list);
void event_copy(struct event *to, const struct event *from);
void event_release(struct event *ev);

#endif
