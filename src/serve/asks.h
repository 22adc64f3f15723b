/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_ASKS_H
#define PTOP_SERVE_ASKS_H
/*
 * What is asked, until it is answered: one after the other by the engine, which makes so many reports
 * a second and no more, whoever asks.  What is asked again within a second has the same answer.
 * ptop's main thread.
 */
#include "engine/engine.h"
#include "serve/link.h"

struct asks;
struct pusher;

/* @base: see serve.h.  Answers go to @link, -1: nobody asks; profiles to @pusher, NULL: to nobody. */
struct asks *asks_new(struct engine *e, const struct query *base, int link, struct pusher *pusher);
void asks_free(struct asks *a); /* NULL is allowed; before the engine ends */

/* Takes what has come over the link.  -1: the process at its other end is gone, or makes no sense. */
int asks_take(struct asks *a);

/* What the engine has sent. */
void asks_on_snapshot(struct asks *a, const struct snapshot *s);
void asks_on_recorded(struct asks *a, const struct engine_text_msg *m);

/* Does what is due.  When the next is, as poll(2) wants it: -1: nothing is. */
int asks_step(struct asks *a);

#endif
