/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_PAST_H
#define PTOP_TESTS_PAST_H
/* Files that the key w writes of the flight recorder, and who reads them. */
#include <time.h>

#include "tests/screen_fixture.h"

enum { PATIENCE_S = 120, PATH_LEN = 128 };

/* ptop runs in a folder of its own, where its files go. */
struct past {
	struct screen s;
	char dir[64];
	char file[PATH_LEN]; /* the last */
	time_t written_at;
	pid_t other; /* another profiler */
};

#define past_test(name) cmocka_unit_test_setup_teardown(name, past_setup, past_teardown)

int past_setup(void **state);
int past_teardown(void **state);

/*
 * Starts loads, and ptop with a small flight recorder: perf takes a while for each file.  Skips the
 * test where this is not root's, or there is no perf.
 */
void past_start(struct past *p, const char *options);

/* The menu of the key w. */
void past_menu(struct past *p);

/* The key, and the file that comes of it. */
void past_write(struct past *p);

bool past_find(struct past *p); /* whether there is such a file; its name is p->file then */

/* The samples of @event in the file, NULL: of all events. */
double past_count(const struct past *p, const char *event);

/*
 * To ptop and to perf there are as many samples in the file, which is removed: how many.
 * @has_values: they carry values, of which perf prints each.
 */
double past_read(struct past *p, bool has_values);

void past_write_and_read(struct past *p);

/* Opens what is typed, or the one of the list that has it in its name: @event is shown then. */
void past_switch(struct past *p, const char *text, const char *event);

#endif
