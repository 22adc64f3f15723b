/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_HITS_HITS_H
#define PTOP_ENGINE_HITS_HITS_H
/*
 * The room of the newest samples, with all the fields that they carry: kept while somebody looks at
 * them, no others, a bounded number.  Engine thread only.
 */
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"

struct hits;
struct query;

/*
 * Sends ENGINE_MSG_HITS: those of the event shown, of the query's process or thread, as far as they
 * are kept; and keeps them from now on, until a refresh and a few seconds have passed.
 */
void hits_ask(struct hits *h, const struct query *q);

extern const struct engine_part hits_part;

#endif
