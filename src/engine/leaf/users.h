/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_USERS_H
#define PTOP_ENGINE_LEAF_USERS_H
/*
 * Names of users, from /etc/passwd alone: asking the name service could wait for a network.
 * Immutable once made.
 */
#include "base/util.h"

struct users;

struct users *users_new(const char *path); /* never NULL; unreadable gives no names */
void users_free(struct users *u);
const char *users_name(const struct users *u, uint32_t uid); /* NULL: none */

#endif
