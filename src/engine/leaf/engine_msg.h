/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_ENGINE_MSG_H
#define PTOP_ENGINE_LEAF_ENGINE_MSG_H
/* What the engine answers; each is freed with msg_free(). */
#include "base/queue.h"
#include "event/catalogue.h"
#include "view/snapshot.h"

enum engine_msg_type {
	ENGINE_MSG_SNAPSHOT = 500, /* struct engine_snapshot_msg: after each query and refresh */
	ENGINE_MSG_CATALOGUE,      /* struct engine_catalogue_msg: also when states become known */
	ENGINE_MSG_STATUS,         /* struct engine_text_msg: for the status line */
	ENGINE_MSG_RECORDED,       /* struct engine_text_msg: what became of RECORD_OWN; its path, or an error */
	ENGINE_MSG_MESSAGES,       /* struct engine_text_msg: the whole text behind '!' */
	ENGINE_MSG_CHANGES,        /* struct engine_text_msg: the text behind 'C' */
	ENGINE_MSG_HITS,           /* struct engine_text_msg: the text behind 'R' */
	ENGINE_MSG_EXPLAIN,        /* struct engine_text_msg: the text behind 'i' */
	ENGINE_MSG_NAMELESS,       /* struct engine_nameless_msg: see engine_name_again() */
	ENGINE_MSG_ENDED,          /* struct engine_ended_msg: nothing comes after it */
};

struct engine_snapshot_msg {
	struct msg msg;
	struct snapshot *snapshot; /* one reference, the receiver's */
};

struct engine_catalogue_msg {
	struct msg msg;
	struct catalogue *catalogue; /* one reference, the receiver's */
};

struct engine_text_msg {
	struct msg msg;
	bool is_error;
	bool is_news; /* nobody asked for it: an answer that is shown stays */
	char text[];
};

/* A process has code without names, or more than it had: its runtime may be asked to name it. */
struct engine_nameless_msg {
	struct msg msg;
	int pid;
};

/* COMMAND has ended, or sampling cannot go on. */
struct engine_ended_msg {
	struct msg msg;
	bool command_ended;
	int command_status; /* as waitpid() gives it */
	struct err err;     /* code ERR_NONE: in order */
};

/* What a recording is to be of: see engine_record(). */
enum record_what {
	RECORD_PAST,  /* what the flight recorder holds */
	RECORD_OWN,   /* the same, in a file that is ptop's own: ENGINE_MSG_RECORDED tells its end */
	RECORD_ON,    /* from now on, in place of what is being recorded */
	RECORD_STOP,
	RECORD_CHANGE, /* of what the flight recorder holds a minute before and after the first change
			  of the last ENGINE_MSG_CHANGES */
};

#endif
