/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_ATTR_H
#define PTOP_DATAFILE_ATTR_H
/* A perf_event_attr as some version of perf wrote it. */
#include "base/reader.h"
#include "record/abi.h"

/*
 * Decodes the attributes that @bytes begins with.  The bytes they take are attr->size: what they
 * say themselves if that can be, else all of @bytes.  -1: there are not enough.
 */
int attr_decode(struct bytes bytes, bool swapped, struct event_attr *attr);

#endif
