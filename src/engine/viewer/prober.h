/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_PROBER_H
#define PTOP_ENGINE_VIEWER_PROBER_H
/*
 * Reads the catalogue of events and finds out which can be opened, in a thread of its own: both
 * block.  Software, hardware and cache events are tried once each, tracepoints as a class.
 */
#include "base/queue.h"
#include "event/catalogue.h"
#include "live/session/session.h"

enum prober_msg_type {
	PROBER_MSG_CATALOGUE = 350, /* struct prober_msg: all events, with their states */
};

struct prober_msg {
	struct msg msg;
	struct catalogue *catalogue; /* one reference, the receiver's */
};

struct prober;

/* Starts; the answer goes to @answers. */
struct prober *prober_new(const struct session_config *config, struct queue *answers);

/* Waits for the thread's end. */
void prober_free(struct prober *p); /* NULL is allowed */

#endif
