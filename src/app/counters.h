/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_COUNTERS_H
#define PTOP_APP_COUNTERS_H
/*
 * Reports of the view counters without a screen: nothing is sampled, so there is no engine.  One
 * each refresh and one at the end, as batch_run() has them.  Main thread.
 */
#include "app/config.h"

/* Whether this is what @config asks for. */
bool counters_wanted(const struct config *config);

/* As batch_run(). */
int counters_run(const struct config *config, int *status, struct err *err);

#endif
