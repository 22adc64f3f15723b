/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BROKER_BROKER_IMPL_H
#define PTOP_BROKER_BROKER_IMPL_H
/* The broker's own side: one process, one thread, no memory that grows. */
#include "broker/broker.h"

struct server {
	int socket;
	int parent, self; /* pids: ptop's, and its own */
	const struct broker_config *config;
};

/* A process that is held by more than its number. */
struct held {
	int pid;
	int tid; /* of a thread that is meant alone; 0: all */
	int fd;  /* of the process (pidfd); -1: there are none (before 5.3) */
};

/* Whether the kernel has any, and lets this process have them. */
bool held_has_pidfds(void);

/* Whether the process has not ended and is the one that is meant; then it is to be let go. */
enum broker_result held_take(struct held *h, const struct broker_request *r);
void held_let_go(struct held *h);

/* 0, or errno. */
int held_signal(const struct held *h, int sig);

/*
 * Calls @work for the thread that is meant, or for each: twice if @again, for those that began
 * meanwhile.  Threads that have ended are passed over.  0, or errno of the first that failed.
 */
int held_each_thread(const struct held *h, bool again, int (*work)(int tid, const void *arg),
		     const void *arg);

/* Checks the request and does it. */
void broker_do(const struct server *s, const struct broker_request *r, struct broker_reply *reply);

/* Of all that the table names: bits by numbers of capabilities. */
uint64_t broker_capabilities(void);

/* Runs the command, gives the terminal to it, and waits for its end. */
enum broker_result broker_run(const struct server *s, const struct broker_request *r,
			      struct broker_reply *reply);

/* At its beginning: closes all but @socket, whose new number is returned. */
int broker_settle(int socket, bool runs_commands);

/* Gives up what no request needs, for good; nothing where commands are run, which have it. */
void broker_confine(void);

#endif
