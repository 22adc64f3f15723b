/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_OWN_RIGHTS_H
#define PTOP_BASE_OWN_RIGHTS_H
/*
 * The program's file may lend rights to whoever runs it: capabilities, as setcap(8) gives them to a
 * file.  They are for measuring.  A file that this user names, by an option, a key or the
 * environment, is opened with what he may himself.  Of root nothing is lent.  Any thread, each for
 * itself: capabilities belong to threads.
 */
#include "base/err.h"

struct own_rights {
	bool is_changed;
	uint32_t effective[2];
};

/* Refuses to run setuid or setgid, whose rights would be for everything.  -1: see @err. */
int own_rights_check(struct err *err);

/* Whether rights are lent to this process. */
bool own_rights_are_lent(void);

/* From here to the end nothing that is lent counts, for this thread and those that it starts. */
void own_rights_begin(struct own_rights *kept);
void own_rights_end(const struct own_rights *kept); /* leaves errno as it is */

/*
 * The same, to write a file: what root kept for that counts, also in a thread that has nothing
 * effective.  To own_rights_end().
 */
void own_rights_begin_to_write(struct own_rights *kept);

/* The same for good: nothing is lent to it any more.  While there is one thread. */
void own_rights_only(void);

#endif
