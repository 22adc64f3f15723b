/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_CHARSET_H
#define PTOP_BASE_CHARSET_H

/* From now on characters are those of the environment's locale (LC_CTYPE). */
void charset_begin(void);

#endif
