/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_VALUE_NAME_H
#define PTOP_RECORD_VALUE_NAME_H
/*
 * What values are called that no format tells: system calls, errors, signals, devices; and which
 * field of a tracepoint tells most.  Any thread.
 */
#include "base/buf.h"

enum { VALUE_MINOR_BITS = 20 }; /* of the kernel's own dev_t */

/* "openat", NULL: not known.  Of a 32-bit program its numbers are others. */
const char *syscall_name(int64_t number, bool is_32);

/*
 * The @i-th of the fields that may tell most of the samples of @event, the best first: "sig" of
 * signal:signal_generate.  It may lack it.  NULL: there are no more.
 */
const char *value_field(const char *event, size_t i);

/* Whether values of that field have names of their own. */
bool value_has_name(const char *event, const char *field);

/*
 * Adds what people call the value of field @field of the tracepoint @event ("signal:signal_generate").
 * false: it is just a number.
 */
bool value_name_put(const char *event, const char *field, int64_t value, struct buf *out);

#endif
