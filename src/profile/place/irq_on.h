/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_PLACE_IRQ_ON_H
#define PTOP_PROFILE_PLACE_IRQ_ON_H
/*
 * Where interrupts come on again.  A timer's interrupt waits while they are off, so the samples of
 * cpu-clock and task-clock that belong to what ran then are taken here.
 */
#include <stdbool.h>

/* Whether the kernel's function of this name lets interrupts on again, as most of what it does. */
bool irq_on_in(const char *name);

#endif
