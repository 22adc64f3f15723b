/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As many processes as it is told to, that do nothing. */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	while (n-- > 0) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			break;
		}
	}
	for (;;)
		pause();
}
