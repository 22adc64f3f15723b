/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "app/app.h"
#ifdef HAVE_NCURSES
#include "ui/ui.h"
#endif

int
main(int argc, char **argv)
{
#ifdef HAVE_NCURSES
	const struct app_screen screen = { ui_run, ui_words };

	return app_main(argc, argv, &screen);
#else
	return app_main(argc, argv, NULL);
#endif
}
