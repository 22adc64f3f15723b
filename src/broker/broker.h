/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BROKER_BROKER_H
#define PTOP_BROKER_BROKER_H
/*
 * The broker: a process that does for ptop what ptop itself has no right to any more, with rights
 * of the one who started ptop.  It is forked before rights are given up, and ends with ptop.  It does
 * only what its table of requests names (broker/table.c), whatever it is asked.  One thread.
 */
#include "base/err.h"
#include "broker/request.h"

enum { BROKER_COMMANDS_MAX = 16, BROKER_WORDS_MAX = 32, BROKER_PATIENCE_MS = 10000 };

/* A program of the user's, without a shell; in its words {pid} and {tid} become numbers. */
struct broker_command {
	const char *name;
	char *words[BROKER_WORDS_MAX + 1]; /* NULL ends them */
};

struct broker_config {
	/* The only ones that it ever runs: it has its own copy from the fork on. */
	const struct broker_command *commands;
	size_t command_count;
	char *const *env; /* of these; NULL: ptop's own */
	unsigned patience_ms; /* for the answer of a runtime; 0: BROKER_PATIENCE_MS */
};

struct broker;

/* As a request has it, of who has the number now; 0: there is no such process. */
uint64_t broker_start_of(int pid);

/* The thread that calls this must not end before ptop does.  NULL: see @err. */
struct broker *broker_new(const struct broker_config *config, struct err *err);
void broker_free(struct broker *b); /* NULL is allowed */

int broker_fd(const struct broker *b); /* readable: ask broker_take() */

/* Never waits.  false: it has ended, or somebody has stopped it, so that it takes no more. */
bool broker_ask(struct broker *b, const struct broker_request *request);

/* 1: an answer; 0: there is none yet; -1: it has ended. */
int broker_take(struct broker *b, struct broker_reply *reply);

#endif
