/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_WAIT_OBJECT_H
#define PTOP_LIVE_WAIT_WAIT_OBJECT_H
/*
 * What a thread waits for, as text (record_look.file): the file behind its descriptor, what its
 * socket leads to, or a lock and who holds it.  One thread at a time; all may block.
 */
#include "live/wait/wait_state.h"
#include "record/look.h"

/* Zero-initialise to begin: it is not known. */
struct wait_object {
	uint8_t len;
	char text[RECORD_LOOK_FILE_MAX - 1];
	int fd;          /* that it waits for */
	uint64_t socket; /* its number, 0: it is none */
};

/* Names the file that @call waits for. */
void wait_object_find_file(struct wait_object *o, const struct wait_thread *t,
			   struct wait_env *env, const struct procfs_syscall *call);

/* A descriptor can be another connection by now, whose number tells. */
bool wait_object_is_same_file(const struct wait_object *o, const struct wait_thread *t,
			      const struct wait_env *env);

/*
 * Names the lock that @call waits for, and who holds it now: @owner, 0: not known.  true: the text
 * is another than it was.
 */
bool wait_object_find_lock(struct wait_object *o, const struct wait_thread *t,
			   const struct wait_env *env, const struct procfs_syscall *call, int *owner);

#endif
