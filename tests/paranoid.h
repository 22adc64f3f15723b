/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_PARANOID_H
#define PTOP_TESTS_PARANOID_H
/*
 * kernel.perf_event_paranoid for tests: one program of the machine has it at a time, and it is put
 * back however that program ends.
 */
#include <stdbool.h>

/* Waits until nobody else has it.  false: it cannot be set here. */
bool paranoid_take(void);
void paranoid_set(int level);
void paranoid_give_back(void); /* without paranoid_take() it does nothing */

#endif
