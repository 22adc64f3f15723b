/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ptop says of its options. */
#include "app/config_impl.h"

void
config_put_help(struct buf *b)
{
	buf_add_str(b, "Usage: ptop [OPTION...] [-- COMMAND [ARG...]]\n"
		    "Shows which functions of which processes keep the machine busy, live.\n\n");
	options_put_help(b, config_options, config_option_count);
	buf_add_str(b, "\nKeys and views are explained in ptop(1), and on the screen by h.\n");
}

void
config_put_roff(struct buf *b)
{
	options_put_roff(b, config_options, config_option_count);
}
