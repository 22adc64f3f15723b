/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_EXPLAIN_H
#define PTOP_APP_EXPLAIN_H
/* --explain-event: what the kernel would be asked for, and whether it gives it.  Main thread. */
#include "app/config.h"

/*
 * Prints, for each event of the config's SPEC, a line "name value  # meaning" for each attribute
 * that is not 0 (type, size, config and the rate always), what is left out, and "open", whether the
 * kernel takes it.  -1: SPEC is wrong, or an event cannot be opened.
 */
int explain_run(const struct config *config, struct err *err);

#endif
