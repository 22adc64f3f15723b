/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SETTING_H
#define PTOP_TESTS_SETTING_H
/*
 * A number below /proc/sys for tests: one program of the machine has it at a time, and it is put
 * back however that program ends.
 */
#include <stdbool.h>
#include <sys/types.h>

struct setting {
	int lock_fd, end_fd;
	pid_t keeper; /* 0: it is not taken */
};

/* Waits until nobody else has it.  false: it cannot be set here. */
bool setting_take(struct setting *s, const char *path);
void setting_set(const struct setting *s, int value);
void setting_give_back(struct setting *s); /* one that is not taken is allowed */

#endif
