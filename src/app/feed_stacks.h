/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_FEED_STACKS_H
#define PTOP_APP_FEED_STACKS_H
/* Who called the functions of a second that is being fed.  Main thread. */
#include "feed/hostfeed_encode.h"
#include "view/snapshot.h"

/*
 * Adds the heaviest stacks of @s, which has some, to the rows of its second: @numbers says for each of
 * its rows which one that is, UINT32_MAX: none.
 */
void feed_stacks_add(struct hostfeed_encoder *e, const struct snapshot *s, const uint32_t *numbers);

#endif
