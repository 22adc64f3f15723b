/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_RUNNING_KERNEL_H
#define PTOP_SYMBOL_KERNEL_RUNNING_KERNEL_H
/* Which kernel runs here, and where: recordings name theirs in the same words. */
#include "symbol/ask/ask.h"

/* Its build-id, by a note of /sys/kernel/notes; the length, 0: it has none. */
size_t running_kernel_build_id(uint8_t id[BUILD_ID_MAX]);

/* Where its code begins; 0: hidden, or not found among the first symbols. */
uint64_t running_kernel_text(void);

#endif
