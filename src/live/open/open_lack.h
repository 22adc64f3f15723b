/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_OPEN_LACK_H
#define PTOP_LIVE_OPEN_OPEN_LACK_H
/*
 * What keeps a process from measuring all of the machine, in a few words, and what would let it.
 * Any thread.
 */
#include "base/buf.h"
#include "base/own_file.h"
#include "live/sys/rights.h"

#define OPEN_SETCAP(caps) "sudo setcap " caps "+ep " OWN_FILE_WORD
#define OPEN_PARANOID(level) "sudo sysctl kernel.perf_event_paranoid=" level
#define OPEN_REMEDY                                                                             \
	"run as root, or: "                                                                     \
	OPEN_SETCAP("cap_perfmon,cap_sys_ptrace,cap_syslog,cap_dac_read_search") ", or: "       \
	OPEN_PARANOID("-1")
#define OPEN_REMEDY_USER_NS "run ptop outside of the container"
#define OPEN_ADD_PERFMON "start the container with --cap-add PERFMON"
#define OPEN_REMEDY_POOR_ROOT OPEN_ADD_PERFMON ", or outside of it: " OPEN_PARANOID("-1")

/* Adds the words. */
void open_lack_put(const struct rights *r, struct buf *b);

/* What gives a process of these rights those to measure all; to own_file_put(). */
const char *open_remedy(const struct rights *r);

/* The same for what the kernel gives to CAP_PERFMON alone, at whatever level. */
const char *open_remedy_perfmon(const struct rights *r);

#endif
