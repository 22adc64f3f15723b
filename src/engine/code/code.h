/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_CODE_CODE_H
#define PTOP_ENGINE_CODE_CODE_H
/*
 * The room of what functions look like: their instructions, then the lines that these come from,
 * then the text of those.  Each is read once and kept for the functions that were looked at last;
 * snapshots of the view annotate get what is here.  Engine thread only.
 */
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"
#include "engine/names/names.h"

struct code;

/* Who carries its questions. */
void code_begin(struct code *c, struct names *names);

/*
 * Asks for what the snapshot would show and lacks; with each refresh once more for code made at run
 * time, which changes.
 */
void code_ask(struct code *c, const struct snapshot *s);

/* Something that was asked for is on its way. */
bool code_awaits(const struct code *c);

extern const struct engine_part code_part;

#endif
