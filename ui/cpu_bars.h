/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_CPU_BARS_H
#define PTOP_UI_CPU_BARS_H
/* CPUs with numbers: a bar each, or where there are many a line for each NUMA node. */
#include "view/snapshot.h"
#include "ui/canvas.h"

int cpu_bars_lines(const struct snapshot_head *h, int width); /* that it would take */

/* On @lines lines, which may be fewer: then bars give way to less. */
void cpu_bars_draw(struct canvas *c, int y, int lines, int width, const struct snapshot_head *h);

#endif
