/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_CONFIG_H
#define PTOP_APP_CONFIG_H
/*
 * What the command line asks for.  Parsed once by main(); read by all.
 */
#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"
#include "export/format.h"
#include "view/query.h"


/* --filter-event: of the last event of the first @end bytes of config.events. */
struct config_event_filter {
	size_t end;
	char *text;
};

struct config {
	/* targets */
	int *pids, *tids;
	size_t pid_count, tid_count;
	uint32_t *uids;
	size_t uid_count;
	unsigned *cpus;
	size_t cpu_count;
	bool no_inherit;
	char **command; /* points into argv; NULL: none */
	bool owns_process; /* may give up its rights: it is ptop, not a test of it */
	char *input;    /* a recording to read instead of sampling; "-": standard input; NULL: none */
	bool dump;      /* print its records */
	char *record;   /* where samples are written as they come, NULL: nowhere */
	uint64_t history_bytes; /* of the flight recorder, 0: none */
	/* events */
	char *events;   /* all -e, joined by commas; NULL: default */
	struct config_event_filter *event_filters; /* in order */
	size_t event_filter_count;
	uint64_t freq;  /* Hz; UINT64_MAX: max */
	uint64_t count; /* 0: use freq */
	bool rate_given; /* one of the two */
	bool chains_given; /* --call-graph */
	bool no_call_chains;
	enum event_call_graph call_graph; /* 0: frame pointers */
	uint32_t stack_bytes; /* of CALL_GRAPH_DWARF, 0: the default */
	bool auto_chains;     /* frame pointers, but dwarf for processes that keep none */
	bool defer_chains;    /* user space's are taken when the task goes back there */
	char *attrs;    /* all --attr, joined by commas; NULL: none */
	unsigned mmap_pages;
	bool pages_given; /* by the user: not bounded by the number of CPUs */
	bool list;
	char *list_pattern; /* NULL: all */
	char *explain;      /* events to explain, NULL: sample */
	/* time and view */
	double delay_s;
	uint64_t iterations; /* 0: no end */
	double window_s;     /* -1: all; 0: not given */
	enum view_id view;
	enum key keys[KEYS_MAX];
	size_t key_count;    /* --by */
	int sort;            /* enum column_id, -1: not given */
	bool sort_ascending;
	char *filter;
	bool hide_kernel, hide_user, idle;
	/* output */
	bool batch;          /* also when standard output is no terminal, or a format is named */
	enum export_format format;
	char *output;
	bool force;
	bool compress;       /* recordings that are written */
	/* self */
	uint64_t memory_bytes;
	double budget;       /* percent of one CPU for ptop itself, 0: no bound, -1: the default */
	char *vmlinux, *kallsyms, *symfs; /* whole paths; NULL: not given */
	bool no_demangle;
	bool inlines;        /* inlined functions as frames of call trees */
	bool debuginfod;
	char *debuginfod_urls; /* of servers, blanks between them; NULL: none */
	char **command_env;    /* COMMAND's environment, NULL: ptop's own */
	bool check;          /* what may be measured here */
	bool help, version;
};

/*
 * Parses argv.  ERR_USAGE names what is wrong and the nearest right thing.  Free with
 * config_release(), also after an error.
 */
int config_parse(struct config *c, int argc, char **argv, struct err *err);
void config_release(struct config *c);

/*
 * Takes the names of debuginfod servers out of ptop's environment, but not out of COMMAND's: no
 * library is to ask them by itself.  The names of files go, too, where rights are only lent to this
 * user.  While there is one thread.
 */
void config_hide_environment(struct config *c);

void config_put_help(struct buf *b);    /* --help, from the table */
void config_put_version(struct buf *b); /* --version: and which libraries are in */
void config_put_roff(struct buf *b);    /* the options, for the man page */

/* The query that a report or the first screen asks. */
void config_query(const struct config *c, struct query *q);

#endif
