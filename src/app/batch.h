/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_BATCH_H
#define PTOP_APP_BATCH_H
/*
 * Reports without a screen: one each refresh, to standard output or to the config's file, until
 * there were as many as asked, COMMAND or sampling ends, SIGINT, SIGTERM or SIGHUP comes (then
 * what is there is one report more), or the reader closes the pipe.  What was lost, and what could
 * not be measured, goes to standard error.  Main thread.
 */
#include "app/config.h"

/*
 * @status is the exit status: COMMAND's own if it ended, as env(1) gives it.  -1 with @err if not
 * all that was asked for could be done; @status is that of the error then.
 */
int batch_run(const struct config *config, int *status, struct err *err);

#endif
