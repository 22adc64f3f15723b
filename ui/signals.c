/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/signals.h"

#include "base/num.h"

#include <signal.h>
#include <string.h>

const struct signal_def signal_defs[] = {
	{ SIGTERM, "SIGTERM", "end; it can put its things in order first" },
	{ SIGKILL, "SIGKILL", "end at once: nothing is put in order, nothing is saved" },
	{ SIGHUP, "SIGHUP", "its terminal has gone; many servers read their configuration anew" },
	{ SIGINT, "SIGINT", "what ^C sends" },
	{ SIGQUIT, "SIGQUIT", "what ^\\ sends: end with a core dump; a JVM prints its threads" },
	{ SIGSTOP, "SIGSTOP", "stop, until SIGCONT: no process can refuse it" },
	{ SIGCONT, "SIGCONT", "go on, if it is stopped" },
	{ SIGTSTP, "SIGTSTP", "what ^Z sends" },
	{ SIGUSR1, "SIGUSR1", "what the program makes of it; without a handler it ends" },
	{ SIGUSR2, "SIGUSR2", "the same" },
	{ SIGABRT, "SIGABRT", "end with a core dump" },
	{ SIGALRM, "SIGALRM", "a timer of alarm(2) has run out" },
	{ SIGPIPE, "SIGPIPE", "nobody reads what it writes" },
	{ SIGCHLD, "SIGCHLD", "a child has stopped or ended; mostly ignored" },
	{ SIGWINCH, "SIGWINCH", "its terminal has another size; servers such as Apache end gently" },
	{ SIGIO, "SIGIO", "input or output is possible" },
	{ SIGURG, "SIGURG", "urgent data of a socket; mostly ignored" },
	{ SIGPROF, "SIGPROF", "a profiling timer has run out" },
	{ SIGVTALRM, "SIGVTALRM", "a timer of CPU time has run out" },
	{ SIGXCPU, "SIGXCPU", "it has used its CPU time" },
	{ SIGXFSZ, "SIGXFSZ", "a file has become too long" },
	{ SIGPWR, "SIGPWR", "the power fails" },
	{ SIGSEGV, "SIGSEGV", "memory that it may not use: end with a core dump" },
	{ SIGBUS, "SIGBUS", "memory that is not there: end with a core dump" },
	{ SIGILL, "SIGILL", "an instruction that there is not: end with a core dump" },
	{ SIGFPE, "SIGFPE", "arithmetic that cannot be done: end with a core dump" },
	{ SIGTRAP, "SIGTRAP", "a breakpoint: end with a core dump" },
	{ SIGSYS, "SIGSYS", "a system call that is forbidden: end with a core dump" },
	{ SIGTTIN, "SIGTTIN", "it reads from the terminal in the background: stop" },
	{ SIGTTOU, "SIGTTOU", "it writes to the terminal in the background: stop" },
	{ SIGSTKFLT, "SIGSTKFLT", "a fault of the coprocessor; never sent by Linux" },
	{ 0, NULL, NULL },
};

void
signal_put_name(struct buf *b, int number)
{
	const struct signal_def *d = signal_defs;

	while (d->name != NULL && d->number != number)
		d++;
	if (d->name != NULL)
		buf_add_str(b, d->name);
	else if (number >= SIGRTMIN && number <= SIGRTMAX)
		buf_addf(b, "SIGRTMIN+%d", number - SIGRTMIN);
	else
		buf_addf(b, "signal %d", number);
}

int
signal_parse(const char *text)
{
	struct buf name = { 0 };
	uint64_t typed = 0;
	int found = 0;

	if (num_u64(text, &typed))
		return typed >= 1 && typed <= SIGNALS_LAST ? (int)typed : 0;
	text += strncasecmp(text, "SIG", 3) == 0 ? 3 : 0;
	for (int number = 1; number <= SIGNALS_LAST && found == 0; number++) {
		buf_reset(&name);
		signal_put_name(&name, number);
		if (strncmp(name.data, "SIG", 3) == 0 && strcasecmp(name.data + 3, text) == 0)
			found = number;
	}
	buf_release(&name);
	if (found == 0 && strcasecmp(text, "RTMIN") == 0)
		found = SIGRTMIN;
	return found != 0 || strcasecmp(text, "RTMAX") != 0 ? found : SIGRTMAX;
}
