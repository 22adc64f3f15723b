/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_NOTICE_H
#define PTOP_VIEW_NOTICE_H
/* A snapshot's notices where they are lines on standard error, which all stay there.  One thread. */
#include "base/strs.h"

/*
 * Whether nothing of @told says that already; from now on that does.  The same with another figure
 * ("6.1 % of ...", "each 2.0 s") is nothing new, with other names and ids it is.
 */
bool notice_is_new(struct strs *told, const char *text);

#endif
