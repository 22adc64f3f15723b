/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_REG_NAMES_H
#define PTOP_RECORD_REG_NAMES_H
/*
 * The registers that the bits of sample_regs_user and sample_regs_intr stand for, by asm/perf_regs.h
 * of each machine.
 */

enum { REG_NAMES = 64 };

/* Of vector registers, which are two words each, both have the name. */
extern const char *const reg_names_x86[REG_NAMES], *const reg_names_arm64[REG_NAMES];

/* @machine as uname -m tells it, NULL: not known.  REG_NAMES names, some NULL; or NULL. */
const char *const *record_reg_names(const char *machine);

#endif
