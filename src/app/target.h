/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_TARGET_H
#define PTOP_APP_TARGET_H
/*
 * The options that say what is looked at: for option_def.set, with struct config as target.  They
 * may be given more than once; what they name is kept once.
 */
#include "app/option.h"

int target_set_tasks(void *target, const struct option_def *def, const char *value,
		     struct err *err); /* letter p: processes, else threads */
int target_set_users(void *target, const struct option_def *def, const char *value,
		     struct err *err);
int target_set_cpus(void *target, const struct option_def *def, const char *value,
		    struct err *err);

#endif
