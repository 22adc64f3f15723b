/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_FETCH_ARGS_H
#define PTOP_EVENT_FETCH_ARGS_H
/*
 * A uprobe whose arguments are read as strings, as tracefs is told of it: Documentation/trace/
 * uprobetracer.rst of the kernel's sources.  Plain text.
 */
#include "base/buf.h"
#include "event/event.h"

/*
 * Adds what its hits carry, as fields: " name=+0(%di):string size=%si:u64".  Those that are known of
 * @ev's function, else all that registers have.  -1: no such argument is there, or none is known to be
 * a string.
 */
int fetch_args_put(const struct event *ev, struct buf *out, struct err *err);

#endif
