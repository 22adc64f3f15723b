/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_NODES_H
#define PTOP_EXPORT_NODES_H
/* Views of stacks as text and CSV: what text.h and csv.h say of nodes.  Any thread. */
#include "export/report.h"

void nodes_put_text(struct buf *b, const struct snapshot *s, const struct report_run *run);
void nodes_put_csv(struct buf *b, const struct snapshot *s, const struct report_run *run);

#endif
