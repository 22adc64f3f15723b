/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_FILE_OPENER_H
#define PTOP_SYMBOL_FIND_FILE_OPENER_H
/*
 * Opens files in a process of its own, one at a time.  A dead network file system holds it for
 * ever: it is then left behind and another takes its place.  Used by one thread.
 */
#include "base/queue.h"
#include "symbol/find/open_process.h"

struct file_opener_config {
	open_fn *open;
	const char *proc;
	uint64_t late_ns;     /* an open that waits longer for its file system is given up */
	struct queue *answers;
	int answer_type;
};

struct file_opener_answer {
	struct msg msg;
	struct open_answer file;
	enum symbol_ns ns;
};

struct file_opener;

struct file_opener *file_opener_new(const struct file_opener_config *config);
void file_opener_free(struct file_opener *o); /* an open under way is left behind */

/* The last ask must have been answered or given up.  @wants_path: see struct open_request. */
void file_opener_ask(struct file_opener *o, const struct symbol_ask *ask, bool wants_path);

/*
 * Whether the open under way is late; it is then given up, and no answer will come.  The next ones
 * on the same device have a tenth of the time, until one is answered.
 */
bool file_opener_give_up(struct file_opener *o);

#endif
