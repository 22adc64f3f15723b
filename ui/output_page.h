/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_OUTPUT_PAGE_H
#define PTOP_UI_OUTPUT_PAGE_H
#include "ui/state.h"

void output_page_show(struct ui *ui);

/* Reads from @fd, which poll() has called readable, what COMMAND wrote.  false: that was all. */
bool output_page_read(struct ui *ui, int fd);

#endif
