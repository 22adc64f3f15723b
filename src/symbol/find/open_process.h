/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_OPEN_PROCESS_H
#define PTOP_SYMBOL_FIND_OPEN_PROCESS_H
/*
 * A process that opens files for this one.  Whoever waits for a file system that does not answer
 * can often not even be killed: a thread would keep all of ptop from ending, a process is left
 * behind. One thread, but for open_process_stop().
 */
#include "symbol/find/debug_find.h"
#include "symbol/find/open.h"

#include <sys/stat.h>
#include <sys/types.h>

typedef int open_fn(const struct symbol_ask *ask, const char *proc, struct err *err);

struct open_process_config {
	open_fn *open;
	const char *proc;      /* "/proc" */
	const char *debug_dir; /* "/usr/lib/debug"; NULL: no debug file is asked for */
};

struct open_process {
	pid_t pid; /* -1: there is none */
	int fd;
};

/* Forks it, with a copy of @config.  -1: see @err. */
int open_process_start(struct open_process *p, const struct open_process_config *config,
		       struct err *err);

struct open_request {
	const struct symbol_ask *file;
	const struct debug_ask *debug; /* a debug file of that one; NULL: the file itself */
	bool wants_path;               /* for uses by path, as a uprobe has */
};

struct open_answer {
	int fd;                  /* a parcel with the file, see parcel.h; -1: see err */
	uint32_t ino_generation; /* 0: not known */
	struct stat st;          /* of what is open: whoever asks for it again may hang */
	uint64_t cpu_ns;         /* CPU time of that process since its last answer */
	struct err err;
	char path[OPEN_PATH_BYTES]; /* see open_path_to(); "" if it was not wanted */
};

/* Asks it to open a file.  -1: the process has ended, or the request is none, see @err. */
int open_process_send(const struct open_process *p, const struct open_request *request,
		      struct err *err);

/*
 * Waits a moment for the answer, or for the end of the process.  false: neither came.  Then @held_ns,
 * which begins as 0, is how long it has been seen to wait for something else than a CPU, and so for
 * a file system: of a busy machine that can be little of the time that went by.
 */
bool open_process_wait(const struct open_process *p, uint64_t *held_ns);

/* The answer to what was sent.  false: the process has ended or was stopped, which err says. */
bool open_process_receive(const struct open_process *p, struct open_answer *answer);

/* Who waits for an answer returns.  Any thread, while the process is not ended. */
void open_process_stop(const struct open_process *p);

/* Ends it, or leaves it behind if it hangs. */
void open_process_end(struct open_process *p);

#endif
