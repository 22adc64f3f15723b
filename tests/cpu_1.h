/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_CPU_1_H
#define PTOP_TESTS_CPU_1_H
/* CPU 1 as tests take it off line; it is on line again whatever becomes of them. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/skip.h"

#define CPU_1 "/sys/devices/system/cpu/cpu1/online"

/* @online: "0" or "1". */
static inline bool
cpu_1_set(const char *online)
{
	int fd = open(CPU_1, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, online, 1) == 1;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* A group's setup.  When the pipe that the tests hold is closed, the CPU is put back. */
static inline int
cpu_1_guard(void **state)
{
	int ends[2];
	char byte;
	int pid;

	(void)state;
	if (access(CPU_1, W_OK) != 0)
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		setsid();
		close(ends[1]);
		while (read(ends[0], &byte, 1) > 0)
			;
		_exit(!cpu_1_set("1"));
	}
	close(ends[0]);
	return pid < 0;
}

/* For the teardown of a test. */
static inline void
cpu_1_put_back(void)
{
	FILE *file = fopen(CPU_1, "re");

	if (file == NULL)
		return;
	if (fgetc(file) == '0')
		cpu_1_set("1");
	fclose(file);
}

/* Skips the test where that cannot be done. */
static inline void
cpu_1_need(void)
{
	if (access(CPU_1, W_OK) != 0)
		skip_for("CPU 1 cannot be taken off line here");
}

#endif
