/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_USER_REGS_H
#define PTOP_LIVE_OPEN_USER_REGS_H
/*
 * The registers of user space that an unwinder may need: all general ones that asm/perf_regs.h of
 * this architecture numbers and its kernel tells, as perf asks for.
 */
#include <stdint.h>

#if defined(__x86_64__)
/* But DS, ES, FS, GS (12 to 15): a 64-bit kernel refuses those. */
static const uint64_t user_regs = 0xff0fff;
#elif defined(__i386__)
static const uint64_t user_regs = 0xffff;
#elif defined(__aarch64__)
static const uint64_t user_regs = 0x1ffffffff;
#elif defined(__arm__)
static const uint64_t user_regs = 0xffff;
#elif defined(__riscv)
static const uint64_t user_regs = 0xffffffff;
#elif defined(__powerpc__)
static const uint64_t user_regs = 0x7fffffffffff;
#elif defined(__s390x__)
static const uint64_t user_regs = 0x3ffffffff;
#elif defined(__loongarch__)
static const uint64_t user_regs = 0x1ffffffff;
#else
static const uint64_t user_regs = 0; /* not known: user stacks cannot be dumped */
#endif

#endif
