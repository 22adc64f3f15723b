/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/page.h"

/* In a file of its own: who reads the table depends on none of the pages. */
#define PAGE_ROW(NAME, page) [PAGE_##NAME] = &page,
const struct page_ops *const pages[PAGE_COUNT] = { PAGES(PAGE_ROW) };
