/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_VALUE_NAME_H
#define PTOP_RECORD_VALUE_NAME_H
/*
 * What values are called that no format tells: system calls, errors, signals, devices.  Any thread.
 */
#include "base/buf.h"

/* "openat", NULL: not known.  Of a 32-bit program its numbers are others. */
const char *syscall_name(int64_t number, bool is_32);

/*
 * Adds what people call the value of field @field of the tracepoint @event ("signal:signal_generate").
 * false: it is just a number.
 */
bool value_name_put(const char *event, const char *field, int64_t value, struct buf *out);

#endif
