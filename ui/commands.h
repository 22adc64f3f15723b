/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_COMMANDS_H
#define PTOP_UI_COMMANDS_H
/* The section [actions] of the configuration: the user's own commands for processes. */
#include "app/rcfile.h"
#include "ui/acting.h"

/* Adds them; what is none is a fault of the file. */
void commands_read(struct acting *a, struct rcfile *rc);

#endif
