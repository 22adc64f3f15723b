/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_CONFIG_H
#define PTOP_APP_CONFIG_H
/*
 * What the command line asks for, and the configuration.  Made by main() at the start; read by all.
 */
#include "app/rcfile.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/leaf/engine_config.h"
#include "view/query.h"
#include "view/theme.h"

struct config {
	struct engine_config engine;
	bool chains_given; /* --call-graph */
	bool dump;         /* print the records of engine.input */
	bool list;
	char *list_pattern; /* NULL: all */
	char *explain;      /* events to explain, NULL: sample */
	char *explain_word; /* a column, key, view, ... to explain, NULL: none */
	/* view */
	double window_s; /* -1: all; 0: not given */
	enum view_id view;
	bool view_given; /* on the command line */
	enum key keys[KEYS_MAX];
	size_t key_count; /* --by */
	char *field;      /* of KEY_FIELD; NULL: none is named */
	int sort;         /* enum column_id, -1: not given */
	bool sort_ascending;
	char *filter;
	char *symbol, *dso;  /* the function that the view annotate shows; NULL: not given */
	bool hide_kernel, hide_user;
	enum theme_id theme;
	/* output */
	bool batch;          /* also when standard output is no terminal, or a format is named */
	char *output;
	bool feed;         /* what is counted is sent to another ptop */
	char *copy;        /* the file of the ptop that hosts get; "": this program; NULL: they get none */
	char *serve;       /* the address at which ptop is asked; NULL: it is not */
	char *serve_token; /* a file; NULL: none is wanted */
	char *push;        /* the store that profiles are pushed to; NULL: none */
	char *push_token;  /* a file; NULL: none is sent */
	uint64_t spool_bytes; /* of profiles that wait on the disk; UINT64_MAX: not given */
	bool check; /* what may be measured here */
	bool help, version;
	bool json_schema; /* print it */
	bool no_config;
	bool read_only; /* nothing is done to other processes */
	struct rcfile rc;   /* the configuration: ptoprc */
	struct rcfile last; /* what is remembered of last time */
	bool remembers;     /* the screen writes it at its end */
	bool *named;        /* by number of the option: argv has it; NULL: not known */
};

/*
 * Parses argv.  ERR_USAGE names what is wrong and the nearest right thing.  Free with
 * config_release(), also after an error.
 */
int config_parse(struct config *c, int argc, char **argv, struct err *err);
void config_release(struct config *c);

/* What hosts get, if they get something, is opened and looked at: once.  -1: see @err. */
int config_open_copy(struct config *c, struct err *err);

/*
 * Reads the files that ptop keeps for its user, and takes of them what argv, which is parsed, leaves
 * open; what does not go with it gives way.  What is wrong in them is told by c->rc.faults.
 */
void config_read_files(struct config *c, char **argv);

/* Whether ptop has no screen and no reports of its own: it serves, or pushes. */
bool config_is_asked(const struct config *c);

bool config_names(const struct config *c, const char *option); /* on the command line */
const char *config_option_help(const char *option);

/* Whether that option is as it was left last time: the line; NULL: it is not. */
const struct rc_line *config_recalls(const struct config *c, const char *option);

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

/* Why @view cannot count all that is sampled, or a process of it; NULL: it can, or does not count. */
const char *config_why_uncounted(const struct config *c, enum view_id view, bool in_process);

#endif
