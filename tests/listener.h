/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A real engine with the options of a command line, and its newest snapshot. */
#ifndef PTOP_TESTS_LISTENER_H
#define PTOP_TESTS_LISTENER_H

#include <sys/types.h>

#include "app/config.h"
#include "engine/engine.h"

struct listener {
	struct queue *answers;
	struct engine *engine;
	struct snapshot *last; /* NULL: none came yet */
	struct config config;
};

/* Asks for what the options show of the first event.  Fails where the engine does not start. */
void listener_start(struct listener *l, char **argv, int argc);

void listener_end(struct listener *l);

/* Takes what the engine answers for @ms. */
void listen_for(struct listener *l, unsigned ms);

/* The sum of a process in the last snapshot; of one function of it, if @symbol is not NULL. */
double period_of(const struct snapshot *s, pid_t pid, const char *symbol);

#endif
