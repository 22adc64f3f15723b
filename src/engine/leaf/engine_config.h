/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_ENGINE_CONFIG_H
#define PTOP_ENGINE_LEAF_ENGINE_CONFIG_H
/* What the engine is told when it starts.  Plain data; what it points to outlives the engine. */
#include "base/clock.h"
#include "event/event.h"
#include "export/format.h"

/* --filter-event: of the last event of the first @end bytes of engine_config.events. */
struct config_event_filter {
	size_t end;
	char *text;
};

struct engine_config {
	/* targets */
	int *pids, *tids;
	size_t pid_count, tid_count;
	uint32_t *uids;
	size_t uid_count;
	char **cgroups; /* patterns of paths */
	size_t cgroup_count;
	unsigned *cpus;
	size_t cpu_count;
	bool no_inherit;
	char **command;     /* points into argv; NULL: none */
	char **command_env; /* COMMAND's environment, NULL: ptop's own */
	char *input; /* a recording to read instead of sampling; "-": standard input; NULL: none */
	char **hosts; /* that are asked instead, by name */
	size_t host_count; /* 0: none is */
	char *hosts_command; /* for sh -c, in place of ssh; NULL: ssh */
	struct copy_file *copy; /* a ptop that hosts get which have none; NULL: they do not */
	char *then_input; /* a recording to compare with; NULL: none */
	char *record;  /* where samples are written as they come, NULL: nowhere */
	bool force;    /* it takes the place of a file */
	bool compress; /* recordings that are written */
	bool raw_stacks; /* in them: copies of stacks, and not the chains that were unwound */
	bool shows_code; /* a report of instructions; a screen can at any time */
	bool writes_report; /* to a file that gets its name at the end */
	bool makes_socket;  /* of the file system, which goes at the end */
	uint64_t history_bytes; /* of the flight recorder, 0: none */
	bool overwrite; /* which is the kernel's: rings that are read when the past is written */
	/* events */
	char *events; /* all -e, joined by commas; NULL: default */
	bool events_given; /* by the user: not what a view needs */
	struct config_event_filter *event_filters; /* in order */
	size_t event_filter_count;
	bool wants_fields; /* samples are told apart by fields, or filtered */
	uint64_t freq;   /* Hz; UINT64_MAX: max */
	uint64_t count;  /* 0: use freq */
	bool rate_given; /* one of the two */
	enum event_call_graph call_graph; /* CALL_GRAPH_AUTO where the user says nothing */
	uint32_t stack_bytes; /* of CALL_GRAPH_DWARF and _AUTO, 0: the default */
	bool defer_chains;    /* user space's are taken when the task goes back there */
	char *attrs;          /* all --attr, joined by commas; NULL: none */
	const struct clock_def *clock; /* of records, NULL: CLOCK_MONOTONIC */
	unsigned mmap_pages;
	bool pages_given; /* by the user: not bounded by the number of CPUs */
	/* time and reports */
	double delay_s;
	uint64_t iterations; /* 0: no end */
	bool idle;           /* the idle loop counts like work */
	bool is_watched; /* somebody looks on: what is new is shown as it comes; else each refresh is a
			    report, which waits for its names */
	bool is_asked;   /* each report is asked for, by engine_report(): no refresh is one */
	bool is_fed;     /* what is asked for is what came since the last time, and never again */
	bool clock_times;    /* times of rows are by the clock */
	bool relative;       /* shares in reports are of what is shown, not of all */
	enum export_format format; /* of the reports */
	char **functions; /* whose calls are counted: "NAME", "uprobe:...", "kprobe:NAME"; NULL ends;
			     NULL: none */
	bool force_probe; /* whatever that harms */
	/* symbols */
	char *from, *to; /* of a recording: moments that bound what counts; NULL: not given */
	char *vmlinux, *kallsyms, *symfs; /* whole paths; NULL: not given */
	char **source_dirs; /* whole paths, NULL ends; NULL: none given */
	bool no_demangle;
	bool name_jit; /* runtimes are asked to name their code, by the front end */
	bool inlines; /* inlined functions as frames of call trees */
	bool debuginfod;
	char *debuginfod_urls; /* of servers, blanks between them; NULL: none */
	const char *told; /* lines for the page of messages: what was wrong before the start; NULL: nothing */
	/* self */
	bool owns_process; /* may give up its rights: it is ptop, not a test of it */
	uint64_t memory_bytes;
	double budget; /* percent of one CPU for ptop itself, 0: no bound, -1: the default */
};

/* Whether what runs here is sampled: no recording is read, and no other hosts are asked. */
static inline bool
engine_config_samples(const struct engine_config *c)
{
	return c->input == NULL && c->host_count == 0;
}

/* Whether what COMMAND does is one report, at its end. */
static inline bool
engine_config_is_whole_life(const struct engine_config *c)
{
	return c->command != NULL && c->iterations == 0;
}

#endif
