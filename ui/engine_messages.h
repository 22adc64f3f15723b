/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_ENGINE_MESSAGES_H
#define PTOP_UI_ENGINE_MESSAGES_H
#include "ui/state.h"

/* Does what a message of the engine asks for, or gives it to the pages; frees it. */
void engine_message(struct ui *ui, struct msg *m);

#endif
