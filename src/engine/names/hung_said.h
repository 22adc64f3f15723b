/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_NAMES_HUNG_SAID_H
#define PTOP_ENGINE_NAMES_HUNG_SAID_H
/* What is said where reading /proc hangs on processes. */
#include "base/buf.h"
#include "engine/leaf/users.h"
#include "live/proc/hung.h"

/* One sentence for the header; nothing if @h is empty. */
void hung_put(const struct hung *h, const struct users *users, struct buf *b);

#endif
