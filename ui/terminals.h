/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_TERMINALS_H
#define PTOP_UI_TERMINALS_H
/*
 * Terminals that a static ptop knows by itself: the machine that it was copied to may have no terminfo.
 */

/* What curses takes as $TERMINFO for the terminal type @name; NULL: it is not known here. */
const char *terminal_description(const char *name);

#endif
