/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_JSON_SCHEMA_H
#define PTOP_EXPORT_JSON_SCHEMA_H
/* What JSON reports are, for programs that read them (JSON Schema, draft 7).  Any thread. */
#include "base/buf.h"
#include "view/loss.h"

/* Of a report: one object.  Members are only ever added, so others may be there. */
void json_put_schema(struct buf *b);

/* Whether "losses" has it: those of samples, and by throttling, are members of the report itself. */
bool json_has_loss(enum loss_kind kind);

#endif
