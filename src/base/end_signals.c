/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/end_signals.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>

/* A signal that is blocked would come all the same. */
static bool
is_ignored(int sig)
{
	struct sigaction now;

	return sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int
end_signals_watch(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (!is_ignored(SIGHUP))
		sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, old);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
