/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "child.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double
ms_of(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static void
run_child(const char *const argv[])
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

struct child_cost
child_run(const char *const argv[])
{
	struct rusage used;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		run_child(argv);
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid || status != 0)
		return (struct child_cost){ NAN, NAN };
	return (struct child_cost){ ms_of(used.ru_utime) + ms_of(used.ru_stime),
				    (double)used.ru_maxrss / 1024 };
}

struct child_cost
child_best(const char *const argv[])
{
	struct child_cost best = { NAN, NAN };

	for (int i = 0; i < CHILD_RUNS; i++) {
		struct child_cost c = child_run(argv);

		best.cpu_ms = fmin(best.cpu_ms, c.cpu_ms);
		best.peak_mib = fmax(best.peak_mib, c.peak_mib);
	}
	return best;
}
