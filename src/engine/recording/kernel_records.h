/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_RECORDING_KERNEL_RECORDS_H
#define PTOP_ENGINE_RECORDING_KERNEL_RECORDS_H
/* What a recording must know of the kernel's code that was there before it, as records. */
#include "base/buf.h"
#include "model/model.h"
#include "symbol/image/image.h"

#define KERNEL_RECORD_NAME "[kernel.kallsyms]_text"

/*
 * Of the running kernel's list: maps of the kernel and its modules, symbols of its BPF programs
 * and of what it made for itself, but for those that @known knows better.
 */
void kernel_records_put_list(struct buf *b, const struct record_layout *layout,
			     const struct image *list, const struct ksymbols *known);

/* Of symbols that records brought up to @last_ns, and what is still there. */
void kernel_records_put_ksymbols(struct buf *b, const struct record_layout *layout,
				 const struct model *m, uint64_t last_ns);

#endif
