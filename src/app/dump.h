/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_DUMP_H
#define PTOP_APP_DUMP_H
/* ptop --input FILE --dump: the records of a recording, one a line, all fields.  Main thread. */
#include "app/config.h"

/* Prints to standard output or config's output; -1: see @err. */
int dump_run(const struct config *config, struct err *err);

#endif
