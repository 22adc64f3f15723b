/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_ATTR_H
#define PTOP_DATAFILE_ATTR_H
/* A perf_event_attr as some version of perf wrote it. */
#include "base/reader.h"
#include "record/abi.h"

/*
 * Decodes the attributes at the begin of @bytes.  attr->size becomes how many bytes they take:
 * their own size member if that makes sense, else all of @bytes.  -1: there are too few.
 */
int attr_decode(struct bytes bytes, bool swapped, struct event_attr *attr);

#endif
