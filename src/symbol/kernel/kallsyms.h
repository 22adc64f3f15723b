/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_KALLSYMS_H
#define PTOP_SYMBOL_KERNEL_KALLSYMS_H
/*
 * The kernel's functions and those of its modules and BPF programs, from the text of
 * /proc/kallsyms.  Reading takes the kernel 45 to 65 ms of CPU: not for a thread that must answer.
 */
#include "base/err.h"
#include "symbol/image/image.h"

#include <stdatomic.h>

struct kallsyms_source {
	const char *path;
	const char *proc;         /* "/proc": which setting hides addresses */
	bool is_file;             /* a copy, which may be of another boot */
	uint64_t text;            /* where the kernel begins; 0: where the list says */
	const struct image *base; /* functions of the kernel proper; NULL: they are in the list */
};

/*
 * An image of absolute addresses, for image_open().  A list of another boot, in which the kernel
 * begins elsewhere, is moved, without its modules: where those were, it cannot tell.  -1: see @err;
 * its hint says what would mend it.  @err may say something beside an image, too: what is missing.
 * Ends early, with an error, once *@stop is true.
 */
int kallsyms_image(const struct kallsyms_source *from, const atomic_bool *stop, struct err *err);

/*
 * Where the kernel begins by the list at @path: _text, else _stext, which are among its first
 * symbols.  0: it does not say, or hides it.
 */
uint64_t kallsyms_text(const char *path);

#endif
