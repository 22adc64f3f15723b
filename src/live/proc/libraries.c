/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/libraries.h"

#include "base/buf.h"
#include "base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 64, BYTES_MAX = 1 << 20, ANSWER_MS = 3000 };

/* The path in a line of maps, "" if it has none. */
static const char *
path_in(const char *line)
{
	const char *slash = strchr(line, '/');

	return slash != NULL ? slash : "";
}

/* The second file that the kernel has mapped for the program is what interprets it; NULL: none. */
static char *
interpreter_of(int pid, const char *program)
{
	char path[PATH_BYTES], *found = NULL, *save, *line;
	struct buf maps = { 0 };

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	if (file_read(path, &maps, BYTES_MAX) == 0 && maps.len > 0) {
		for (line = strtok_r(maps.data, "\n", &save); line != NULL && found == NULL;
		     line = strtok_r(NULL, "\n", &save))
			if (*path_in(line) != '\0' && strcmp(path_in(line), program) != 0)
				found = mem_strdup(path_in(line));
	}
	buf_release(&maps);
	return found;
}

/* The strings in @b, NULL behind the last; points into @b. */
static char **
split(const struct buf *b)
{
	size_t count = 0, i = 0;
	char **strings;

	for (size_t at = 0; at < b->len; at += strlen(b->data + at) + 1)
		count++;
	strings = mem_calloc(count + 1, sizeof(*strings));
	for (size_t at = 0; at < b->len; at += strlen(b->data + at) + 1)
		strings[i++] = b->data + at;
	return strings;
}

/* -1: it could not be started. */
static pid_t
start(char *const argv[], char *const env[], int output)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, fatal;
	pid_t pid;
	int res;

	sigemptyset(&none);
	sigemptyset(&fatal);
	sigaddset(&fatal, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &fatal);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	res = posix_spawn(&pid, argv[0], &files, &attr, argv, env);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return res == 0 ? pid : -1;
}

/* Until its end, or for as long as anybody would wait. */
static void
read_answer(int fd, struct buf *out)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char bytes[4096];
	ssize_t n;

	while (out->len < BYTES_MAX && poll(&p, 1, ANSWER_MS) > 0) {
		n = read(fd, bytes, sizeof(bytes));
		if (n <= 0)
			break;
		buf_add(out, bytes, (size_t)n);
	}
}

static void
ask(char *const argv[], char *const env[], struct buf *out)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	pid = start(argv, env, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		read_answer(ends[0], out);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(ends[0]);
}

/* "\tlibc.so.6 => /lib/libc.so.6 (0x7f...)", "\t/lib/ld.so (0x7f...)" */
static size_t
take_lines(char *text, char *files[LIBRARIES_MAX], size_t count)
{
	char *save, *line;

	for (line = strtok_r(text, "\n", &save); line != NULL && count < LIBRARIES_MAX;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *path = path_in(line), *end = strstr(path, " (0x");

		if (end != NULL)
			files[count++] = mem_strndup(path, (size_t)(end - path));
	}
	return count;
}

static size_t
list(int pid, char *program, char *interpreter, char *files[LIBRARIES_MAX])
{
	char path[PATH_BYTES], **env;
	struct buf words = { 0 }, out = { 0 };
	size_t count = 0;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	file_read(path, &words, BYTES_MAX);
	env = split(&words);
	ask((char *[]){ interpreter, (char *)"--list", program, NULL }, env, &out);
	if (out.len > 0) {
		files[count++] = mem_strdup(program);
		count = take_lines(out.data, files, count);
	}
	free(env);
	buf_release(&words);
	buf_release(&out);
	return count;
}

size_t
libraries_list(int pid, char *files[LIBRARIES_MAX])
{
	char path[PATH_BYTES], program[PATH_MAX], *interpreter;
	size_t count = 0;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	len = readlink(path, program, sizeof(program) - 1);
	if (len <= 0)
		return 0;
	program[len] = '\0';
	interpreter = interpreter_of(pid, program);
	if (interpreter != NULL)
		count = list(pid, program, interpreter, files);
	free(interpreter);
	return count;
}
