/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The attach protocol of HotSpot: a file .attach_pidN and SIGQUIT have the JVM listen at
 * .java_pidN.  It takes the version, a command and three arguments, and answers with a line that is
 * 0, then what the command says.
 */
#include "broker/broker_impl.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 32, STEP_MS = 10, ANSWER_BYTES = 64 << 10 };

/* Version, command, three arguments; each ends with a NUL. */
static const char command[] = "1\0jcmd\0Compiler.perfmap\0\0";

/* One that is its own already is as good as a new one; then it is not ours to remove. */
static int
make_file(const struct subject *s, const char *name, bool *is_new, struct outcome *o)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	const int error = errno;

	*is_new = fd >= 0;
	if (fd >= 0)
		close(fd);
	if (*is_new || (error == EEXIST && peer_look(s, name, S_IFREG) > 0))
		return 0;
	*o = error == EEXIST ? (struct outcome){ .result = BROKER_BAD_FILE }
			     : (struct outcome){ .result = BROKER_FAILED, .error = error };
	return -1;
}

static int
wait_for_socket(const struct subject *s, const char *name, uint64_t until_ns, struct outcome *o)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	int fd, got;

	while ((got = peer_connect(s, name, &fd, o)) == 0 && clock_mono_ns() < until_ns)
		nanosleep(&step, NULL);
	if (got == 0)
		*o = (struct outcome){ .result = BROKER_SILENT };
	return got > 0 ? fd : -1;
}

/* Has it listen. */
static int
wake(const struct subject *s, const char *name, uint64_t until_ns, struct outcome *o)
{
	char file[NAME_BYTES];
	bool is_new;
	int fd = -1, error;

	*o = (struct outcome){ .result = BROKER_DEAF };
	if (!s->takes_quit || s->refuses)
		return -1;
	snprintf(file, sizeof(file), ".attach_pid%d", s->inner_pid);
	if (make_file(s, file, &is_new, o) < 0)
		return -1;
	error = held_signal(s->held, SIGQUIT);
	*o = (struct outcome){ .result = BROKER_FAILED, .error = error };
	if (error == 0)
		fd = wait_for_socket(s, name, until_ns, o);
	if (is_new)
		unlinkat(AT_FDCWD, file, 0);
	return fd;
}

static void
read_answer(int fd, uint64_t until_ns, struct outcome *o)
{
	char *text = mem_calloc(1, ANSWER_BYTES + 1), *end;
	int len = peer_receive(fd, text, ANSWER_BYTES, until_ns, o);
	long status;

	if (len >= 0) {
		status = strtol(text, &end, 10);
		*o = (struct outcome){ .result = end == text || (*end != '\n' && *end != '\0')
						 ? BROKER_STRANGE
						 : status == 0 ? BROKER_DONE : BROKER_UNWILLING,
				       .value = (int32_t)status };
	}
	free(text);
}

struct outcome
attach_jvm(const struct subject *s, uint64_t until_ns)
{
	struct outcome o;
	char name[NAME_BYTES];
	int fd, got;

	snprintf(name, sizeof(name), ".java_pid%d", s->inner_pid);
	got = peer_connect(s, name, &fd, &o);
	if (got == 0)
		fd = wake(s, name, until_ns, &o);
	if (got < 0 || fd < 0)
		return o;
	if (peer_send(fd, command, sizeof(command), until_ns, &o) == 0)
		read_answer(fd, until_ns, &o);
	close(fd);
	return o;
}
