/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_MARK_H
#define PTOP_VIEW_MARK_H
/* Moments that have a name: the user's, and what ptop itself has seen. */
#include <stdint.h>

enum mark_kind {
	MARK_OWN,     /* the user's */
	MARK_EVENT,   /* another event is shown */
	MARK_RATE,    /* it is sampled more or less often */
	MARK_TARGET,  /* a process was attached */
	MARK_EXEC,    /* a busy process became another program */
	MARK_END,     /* a busy process ended */
	MARK_CPU,     /* a CPU went or came */
	MARK_LOST,    /* samples were lost */
	MARK_CLOCK,   /* the time of day was set, or the machine slept */
	MARK_KINDS,
};

extern const char *const mark_names[MARK_KINDS]; /* in JSON */

struct snapshot_mark {
	enum mark_kind kind;
	double at_s;      /* since the beginning */
	uint64_t real_ns; /* CLOCK_REALTIME, as it was then; 0: not known */
	const char *text; /* printable, UTF-8 */
};

#endif
