/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_PROBE_KEEPER_H
#define PTOP_LIVE_SESSION_PROBE_KEEPER_H
/*
 * Probes in tracefs stay until somebody removes them, whoever made them: so a process of its own does,
 * which outlives ptop, however that ends.  The kernel removes none that is in use: it is tried again
 * until all have closed it.  One thread.
 */
#include "base/err.h"

enum {
	PROBE_NAME_MAX = 96,   /* "ptop_123_1a2b_effffffc_124/parse_1", with its NUL */
	PROBE_NAMES_MAX = 512, /* that may be watched at once, beside those that are being removed */
};

struct probe_keeper {
	int pid, fd;
};

/* @events_fd: tracefs's uprobe_events, open for writing.  -1: there is none, see @err. */
int probe_keeper_start(struct probe_keeper *k, int events_fd, struct err *err);

/* Before it is made: @name is removed when ptop ends.  false: nobody would. */
bool probe_keeper_watch(const struct probe_keeper *k, const char *name);

/* It is removed as soon as nothing uses it. */
void probe_keeper_remove(const struct probe_keeper *k, const char *name);

/* Waits some seconds at most until all are removed. */
void probe_keeper_end(struct probe_keeper *k);

#endif
