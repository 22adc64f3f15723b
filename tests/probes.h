/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_PROBES_H
#define PTOP_TESTS_PROBES_H
/* The probes of tracefs that a ptop makes.  For tests only: everything asserts. */
#include <stdbool.h>
#include <sys/types.h>

extern const char probes_path[]; /* uprobe_events */

/*
 * Ends the test as skipped where none can be made.  Where tracefs is not mounted it is from now on, for
 * this test and what it starts alone.
 */
void need_probes(void);

int probes_count(pid_t ptop); /* those that the ptop with that number has */
void probes_come(pid_t ptop); /* waits until it has one; fails if it ends before */

/* None is left, or soon none is. */
void assert_no_probes(pid_t ptop, bool at_once);

/* Removes them, as somebody may who needs them not; they must not be open. */
void probes_remove(pid_t ptop);

/* Gives the kernel an order as uprobe_events takes it, "p:..." or "-:...". */
void probes_order(const char *order);

#endif
