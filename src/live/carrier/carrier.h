/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CARRIER_CARRIER_H
#define PTOP_LIVE_CARRIER_CARRIER_H
/*
 * A program, such as ssh(1), that brings what another host says: its standard output is read without
 * waiting, the last line of its standard error is kept.  It has no terminal to ask at, and nothing to
 * read but a file.  One thread.
 */
#include "base/err.h"

#include <sys/types.h>

struct carrier;

/*
 * Starts argv[0], found by PATH, with the file @in, which stays the caller's, as its standard input;
 * -1: with none.  NULL: see @err.
 */
struct carrier *carrier_new(char *const argv[], int in, struct err *err);

/*
 * It is not needed any more: it is asked to end, with all that it has started, and nothing is read.
 * Then it is waited for with carrier_is_gone(); one that does not end is killed by a second call.
 */
void carrier_leave(struct carrier *c);

/* Whether it has ended after carrier_leave(): then it is free, else it is still to be asked for. */
bool carrier_is_gone(struct carrier *c);

/* What it has written: a number of bytes, 0: nothing yet, -1: that was all. */
ssize_t carrier_read(struct carrier *c, void *data, size_t len);

/* What it said last on standard error, "": nothing.  Valid until the next call. */
const char *carrier_said(struct carrier *c);

/* What it has said up to now are remarks: no reason why it ends. */
void carrier_pass_said(struct carrier *c);

/*
 * Why it has ended, by itself: what it said last if it failed, else how; "": it has in order.  NULL: it
 * goes on.  Valid until the next call.
 */
const char *carrier_why_ended(struct carrier *c);

#endif
