/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_REFUSAL_H
#define PTOP_LIVE_SESSION_REFUSAL_H
/* The sentence of a refused event, for lists that have a place for the event's name.  Any thread. */
#include "base/buf.h"

/*
 * Of "cannot open event 'x' on ...: ENOENT (EventNotFound): the reason": "the reason (ENOENT)", plain
 * words first.  Any other text stays what it is.
 */
void refusal_put_reason(struct buf *b, const char *text);

#endif
