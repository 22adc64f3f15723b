/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LIVE_H
#define PTOP_ENGINE_LIVE_H
/* What runs here, as a source: rings are emptied, /proc is read, and all of it is shown, on time. */
#include "engine/rooms.h"

/* The window, the delay or the next refresh is another. */
void live_plan_cut(struct engine *e);

#endif
