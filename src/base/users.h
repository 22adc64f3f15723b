/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_USERS_H
#define PTOP_BASE_USERS_H
/*
 * The users of this machine.  May block: a name service can be asked.  What is returned is valid
 * until the next call.  One thread at a time.
 */
#include "base/util.h"

#include <pwd.h>
#include <stdio.h>

/* NULL: there is none. */
const struct passwd *user_by_name(const char *name);
const struct passwd *user_by_id(uid_t uid);

/* One after the other, NULL: no more. */
FILE *users_begin(void);
const struct passwd *users_next(FILE *users);
void users_end(FILE *users);

#endif
