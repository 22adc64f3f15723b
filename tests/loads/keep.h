/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_LOADS_KEEP_H
#define PTOP_TESTS_LOADS_KEEP_H
/* A function that stays one, under its own name: neither inlined nor cloned. */
#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noipa))
#endif

#endif
