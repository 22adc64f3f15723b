/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_APP_H
#define PTOP_APP_APP_H
/* The program without its screen.  Main thread. */
#include "app/config.h"

enum app_word {
	APP_WORD_KEY,   /* capital letters are other ones */
	APP_WORD_NAME,
	APP_WORD_SHOWN, /* as it is on the screen */
};

/* Takes a word and a line on what it means. */
typedef void app_word_fn(void *self, const char *word, enum app_word kind, const char *line);

struct app_screen {
	int (*run)(const struct config *config, struct err *err); /* shows it: 0, or -1 with @err */
	void (*words)(app_word_fn *take, void *self);           /* what --explain knows of it */
};

/*
 * Does what the arguments ask for; messages of failure go to standard error.  @screen NULL: there is
 * none.  The exit status.
 */
int app_main(int argc, char **argv, const struct app_screen *screen);

#endif
