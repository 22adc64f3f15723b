/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_FAKE_NODES_H
#define PTOP_TESTS_FAKE_NODES_H
/* The call trees of the fake engine. */
#include "view/snapshot.h"

/*
 * Fills the nodes of a snapshot whose query is of stacks.  @hostile, if not NULL, is the name of a
 * function.  With @shuffle, weights change with each sequence number, and a function comes and goes
 * in front of all others.  With @late, functions have other names in every other ten of them.
 */
void fake_nodes(struct snapshot *s, const char *hostile, bool shuffle, bool late);

#endif
