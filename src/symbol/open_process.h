/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_OPEN_PROCESS_H
#define PTOP_SYMBOL_OPEN_PROCESS_H
/*
 * A process that opens files for this one.  Who waits for a file system that does not answer can
 * mostly not be ended: a thread there would keep the whole of ptop from ending.  A process is left
 * behind.  One thread, but for open_process_stop().
 */
#include "symbol/open.h"

#include <sys/types.h>

typedef int open_fn(const struct symbol_ask *ask, const char *proc, struct err *err);

struct open_process {
	pid_t pid; /* -1: there is none */
	int fd;
};

/* Forks it; @open is what it calls.  -1: see @err. */
int open_process_start(struct open_process *p, open_fn *open, const char *proc, struct err *err);

struct open_answer {
	int fd;                  /* -1: see err */
	uint32_t ino_generation; /* 0: not known */
	struct err err;
};

/* Opens a file there.  false: the process has ended or was stopped, which err says. */
bool open_process_ask(const struct open_process *p, const struct symbol_ask *ask,
		      struct open_answer *answer);

/* An ask that waits returns.  Any thread, while the process is not ended. */
void open_process_stop(const struct open_process *p);

/* Ends it, or leaves it behind if it hangs. */
void open_process_end(struct open_process *p);

#endif
