/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LOOP_H
#define PTOP_ENGINE_LOOP_H
/* The engine's thread: it waits, takes what came, steps its source, and answers. */
#include "engine/rooms.h"

void *loop_main(void *engine);

#endif
