/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_CONFIG_IMPL_H
#define PTOP_APP_CONFIG_IMPL_H
/*
 * What config.c, which makes sense of the options, has of config_options.c, which lists them, and
 * of config_input.c, which knows what goes with a recording.
 */
#include "app/config.h"
#include "app/option.h"

/* Their target is a struct config. */
extern const struct option_def config_options[];
extern const size_t config_option_count;

/*
 * Of @c as it was given, before defaults are filled in: what needs --input, and what has no effect
 * with it.  -1: ERR_USAGE.
 */
int config_check_input(const struct config *c, struct err *err);

#endif
