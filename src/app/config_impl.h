/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_CONFIG_IMPL_H
#define PTOP_APP_CONFIG_IMPL_H
/* What config.c, which makes sense of the options, has of config_options.c, which lists them. */
#include "app/config.h"
#include "app/option.h"

/* Their target is a struct config. */
extern const struct option_def config_options[];
extern const size_t config_option_count;

#endif
