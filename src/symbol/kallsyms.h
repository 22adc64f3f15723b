/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KALLSYMS_H
#define PTOP_SYMBOL_KALLSYMS_H
/*
 * The kernel's functions and those of its modules and BPF programs, from the text of
 * /proc/kallsyms.  Reading takes the kernel 45 to 65 ms of CPU: not for a thread that must answer.
 */
#include "base/err.h"

#include <stdatomic.h>

/*
 * An image of absolute addresses, for image_open().  -1: see @err; its hint says what would mend
 * it.  Ends early, with an error, once *@stop is true.
 */
int kallsyms_image(const char *path, const char *proc, const atomic_bool *stop, struct err *err);

#endif
