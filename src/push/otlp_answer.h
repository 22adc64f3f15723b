/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PUSH_OTLP_ANSWER_H
#define PTOP_PUSH_OTLP_ANSWER_H
/* What an OTLP receiver says of a profile that it took: an ExportProfilesServiceResponse. */
#include "base/buf.h"
#include "base/reader.h"

/* Whether it took a part alone, or warns; then adds that to @b, made safe.  Any bytes. */
bool otlp_answer_put(struct bytes answer, struct buf *b);

#endif
