/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_PAGES_H
#define PTOP_BASE_PAGES_H
/*
 * Memory asked for in large pieces.  A page that comes when it is first written costs a fault: on a guest
 * whose page tables the host has to follow thirty times as much as one that is asked for together with
 * others.
 */
#include <stdbool.h>
#include <stddef.h>

enum { HEAP_LARGE = 1 << 20 }; /* what is as large lies outside of the heap, in pages of its own */

/* Asks for the pages of @len bytes at @at, which are written soon.  Without Linux 5.14 they come as ever. */
void pages_populate(void *at, size_t len);

bool leaks_are_looked_for(void); /* as a sanitizer does: in the heap alone */

/*
 * Whether memory is left to the end of the process, which takes it at once: given back piece by piece it
 * takes tens of milliseconds.  Not where leaks are looked for, nor if the process goes on.
 */
bool pages_are_left(bool process_ends);

/* How malloc() takes memory of the kernel: for the first lines of a program. */
void heap_set_up(void);

/*
 * Asks for what the heap has grown by since the last call: for a program that has forked its helpers, since
 * a page that these have, too, costs three faults when it is written.  Any thread.
 */
void heap_populate(void);

#endif
