/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_SIGNALS_H
#define PTOP_UI_SIGNALS_H
/* The signals that can be sent, in the order of the menu. */
#include "base/buf.h"

enum { SIGNALS_LAST = 64 }; /* of Linux, real-time ones too */

struct signal_def {
	int number;
	const char *name, *help;
};

extern const struct signal_def signal_defs[]; /* name NULL ends */

/* "SIGTERM", "SIGRTMIN+2", "signal 33". */
void signal_put_name(struct buf *b, int number);

/* "TERM", "SIGTERM", "15", "RTMIN+2": its number; 0: there is none. */
int signal_parse(const char *text);

#endif
