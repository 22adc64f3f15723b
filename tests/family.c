/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/family.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/run.h"

enum { STEP_MS = 50, SOON_MS = 60000, TEXT_MAX = 4096, NOBODY = 65534 };

/* "" if there is no such process. */
static void
read_text(pid_t pid, const char *file, struct buf *b)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	if (file_read(path, b, TEXT_MAX) < 0)
		buf_reset(b);
}

static void
read_stat(pid_t pid, char *state, int *parent)
{
	struct buf b = { 0 };
	const char *end;

	*state = 0;
	*parent = 0;
	read_text(pid, "stat", &b);
	end = strrchr(buf_str(&b), ')');
	if (end != NULL && sscanf(end, ") %c %d", state, parent) != 2)
		*state = 0;
	buf_release(&b);
}

char
family_state(pid_t pid)
{
	int parent;
	char state;

	read_stat(pid, &state, &parent);
	return state;
}

pid_t
family_parent(pid_t pid)
{
	int parent;
	char state;

	read_stat(pid, &state, &parent);
	return state == 'Z' || state == 0 ? 0 : parent;
}

bool
family_is_called(pid_t pid, const char *name)
{
	struct buf b = { 0 };
	bool is_it;

	read_text(pid, "comm", &b);
	is_it = strncmp(buf_str(&b), name, strlen(name)) == 0 &&
		strcmp(buf_str(&b) + strlen(name), "\n") == 0;
	buf_release(&b);
	return is_it;
}

size_t
family_find(pid_t pid, pid_t pids[FAMILY_MAX])
{
	size_t n = 1, before;
	struct dirent *d;

	pids[0] = pid;
	do {
		DIR *dir = opendir("/proc");

		before = n;
		while ((d = readdir(dir)) != NULL && n < FAMILY_MAX) {
			pid_t child = atoi(d->d_name), parent = child > 0 ? family_parent(child) : 0;
			bool known = false, is_child = false;

			for (size_t i = 0; i < n; i++) {
				known |= pids[i] == child;
				is_child |= pids[i] == parent;
			}
			if (is_child && !known)
				pids[n++] = child;
		}
		closedir(dir);
	} while (n > before);
	return n;
}

/* Its next limit comes after that. */
bool
family_parser_is_ready(pid_t pid)
{
	static const char limit[] = "\nMax processes ";
	struct buf b = { 0 };
	const char *at;
	bool is_ready;

	read_text(pid, "limits", &b);
	at = strstr(buf_str(&b), limit);
	is_ready = at != NULL && atoi(at + strlen(limit)) == 0;
	buf_release(&b);
	return is_ready;
}

static bool
has_ended(char state)
{
	return state == 0 || state == 'Z' || state == 'X';
}

bool
family_try_to_stop(pid_t pid)
{
	pid_t child = run_fork();
	int status;
	char state;

	if (child == 0) {
		if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) < 0)
			_exit(1);
		_exit(kill(pid, SIGSTOP) < 0 && errno != ESRCH);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	for (int ms = 0; (state = family_state(pid)) != 'T'; ms++) {
		if (has_ended(state))
			return false;
		assert_that(ms, <, SOON_MS);
		usleep(1000);
	}
	return true;
}

void
family_stop(pid_t pid)
{
	assert_true(family_try_to_stop(pid));
}

void
family_assert_gone(const pid_t *pids, size_t n)
{
	struct buf status = { 0 };

	for (size_t i = 0; i < n; i++) {
		int ms = 0;

		while (ms < SOON_MS && family_parent(pids[i]) != 0) {
			usleep(STEP_MS * 1000);
			ms += STEP_MS;
		}
		if (ms < SOON_MS)
			continue;
		read_text(pids[i], "status", &status);
		for (size_t k = i; k < n; k++)
			kill(pids[k], SIGKILL);
		fail_msg("process %d is left: %s", (int)pids[i], buf_str(&status));
	}
}

uint64_t
family_status_field(pid_t pid, const char *name, int base)
{
	char path[32];
	struct buf b = { 0 };
	const char *at;
	uint64_t value = UINT64_MAX;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (file_read(path, &b, 8192) == 0 && (at = strstr(buf_str(&b), name)) != NULL)
		value = strtoull(at + strlen(name), NULL, base);
	buf_release(&b);
	return value;
}
