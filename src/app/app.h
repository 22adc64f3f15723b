/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_APP_H
#define PTOP_APP_APP_H
/* The program without its screen.  Main thread. */
#include "app/config.h"

/*
 * Does what the arguments ask for; messages of failure go to standard error.  @ui_run shows the
 * screen, 0 or -1 with @err; NULL if there is none.  The exit status.
 */
int app_main(int argc, char **argv, int (*ui_run)(const struct config *config, struct err *err));

#endif
