/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_COMMANDS_H
#define PTOP_ENGINE_COMMANDS_H
/* What the front end asks for: sent from its thread, carried out by the engine's. */
#include "engine/rooms.h"

/* Whether @m is one; carries it out, and frees it. */
bool commands_take(struct engine *e, struct msg *m);

/* Tells the thread to end; any thread. */
void commands_stop(struct engine *e);

#endif
