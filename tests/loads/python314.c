/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stand-in for Python 3.14, which no Debian has yet: a program that has what is read and written
 * of it in its memory, laid out as CPython 3.14.6 for x86-64 has it (offsets recorded from that), and
 * whose main thread looks at its bits as the interpreter's does.  The script that it is told of is
 * run by the python3 that is there, in which sys.activate_stack_trampoline() is one of its own.
 *
 * usage: python314 KIND
 *   good     writes a map
 *   unable   cannot: its switch raises an exception
 *   asleep   its main thread never looks
 *   old, beta, other   the table is of 3.13, of a beta of 3.14, or no table
 *   disabled, busy     it may not be asked; it has been asked already
 *   twice    there are two tables
 *   lying    an offset is beyond its structure
 *   astray   the interpreter is where nothing is
 *   foreign  the thread belongs to another interpreter
 *   locked   its thread is in memory that cannot be written
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PAGE = 4096, DATA_PAGES = 4, WORDS = 95,
	INTERPRETERS_HEAD = 808, THREADS_MAIN = 7352, REMOTE_DEBUG = 7904, INTERPRETER_BYTES = 225672,
	THREAD_INTERP = 16, EVAL_BREAKER = 24, SUPPORT = 296, PENDING = 0, SCRIPT_PATH = 4,
	PATH_BYTES = 512, THREAD_BYTES = 824, PLEASE_STOP = 1 << 5,
};

/* Of the words of the table: what is not here is not looked at. */
static const struct {
	unsigned word;
	uint64_t value;
} table[] = {
	{ 1, 0x030e06f0 }, { 2, 0 },
	{ 3, 315600 }, { 4, 784 }, { 5, INTERPRETERS_HEAD },
	{ 6, INTERPRETER_BYTES }, { 7, 7280 }, { 8, 7272 }, { 9, 7336 }, { 10, THREADS_MAIN },
	{ 11, 7400 }, { 12, 7680 }, { 13, 7664 }, { 14, 7672 }, { 15, 16 }, { 16, 7768 },
	{ 17, 0 }, { 18, 7784 }, { 19, 7776 }, { 20, 7824 }, { 21, 0 },
	{ 22, THREAD_BYTES }, { 23, 0 }, { 24, 8 }, { 25, THREAD_INTERP }, { 26, 72 },
	{ 27, 152 }, { 28, 156 }, { 29, 224 }, { 30, 32 },
	{ 89, EVAL_BREAKER }, { 90, SUPPORT }, { 91, REMOTE_DEBUG }, { 92, PENDING },
	{ 93, SCRIPT_PATH }, { 94, PATH_BYTES },
};

static const char *kind;
static char *data, *interpreter, *thread;

static bool
is_kind(const char *name)
{
	return strcmp(kind, name) == 0;
}

/* Code that it is known by, and the data behind it. */
static void
map_library(void)
{
	char folder[] = "/tmp/python314-XXXXXX", path[64];
	int fd;

	if (mkdtemp(folder) == NULL)
		exit(1);
	snprintf(path, sizeof(path), "%s/libpython3.14.so.1.0", folder);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0755);
	if (fd < 0 || ftruncate(fd, PAGE * (1 + DATA_PAGES)) != 0 ||
	    mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(1);
	data = mmap(NULL, PAGE * DATA_PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, PAGE);
	if (data == MAP_FAILED)
		exit(1);
	close(fd);
	unlink(path);
	rmdir(folder);
}

static void
put(char *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void
put_table(char *at)
{
	memset(at, 0x5a, WORDS * sizeof(uint64_t)); /* decoys */
	memcpy(at, is_kind("other") ? "ydebugpy" : "xdebugpy", 8);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		put(at + table[i].word * sizeof(uint64_t), table[i].value);
	if (is_kind("old"))
		put(at + 8, 0x030d02f0);
	if (is_kind("beta"))
		put(at + 8, 0x030e00b3);
	if (is_kind("lying"))
		put(at + 89 * sizeof(uint64_t), THREAD_BYTES);
	put(at + INTERPRETERS_HEAD, (uint64_t)(uintptr_t)interpreter);
}

static char *
map_structure(size_t bytes)
{
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

static void
make_state(void)
{
	const int32_t one = 1, enabled = !is_kind("disabled");

	interpreter = map_structure(INTERPRETER_BYTES);
	thread = map_structure(PAGE);
	put(interpreter + THREADS_MAIN, (uint64_t)(uintptr_t)thread);
	memcpy(interpreter + REMOTE_DEBUG, &enabled, sizeof(enabled));
	put(thread + THREAD_INTERP, (uint64_t)(uintptr_t)interpreter + (is_kind("foreign") ? 64 : 0));
	if (is_kind("busy"))
		memcpy(thread + SUPPORT + PENDING, &one, sizeof(one));
	map_library();
	put_table(data + 192);
	if (is_kind("twice"))
		put_table(data + 2 * PAGE);
	if (is_kind("astray"))
		munmap(interpreter, INTERPRETER_BYTES);
	if (is_kind("locked"))
		mprotect(thread, PAGE, PROT_READ);
}

static void
run_script(const char *path)
{
	static const char text[] =
		"import os, sys\n"
		"def switch(how):\n"
		"    if how != 'perf' or %d: raise ValueError(how)\n"
		"    f = open('/tmp/perf-%d.map', 'w')\n"
		"    f.write('%llx 10 py::asked:/srv/app.py\\n')\n"
		"    f.close()\n"
		"sys.activate_stack_trampoline = switch\n"
		"exec(compile(open(sys.argv[1]).read(), sys.argv[1], 'exec'))\n";
	char program[1024];
	int status;
	pid_t pid;

	snprintf(program, sizeof(program), text, is_kind("unable"), (int)getpid(),
		 (unsigned long long)(uintptr_t)data);
	pid = fork();
	if (pid == 0) {
		execlp("python3", "python3", "-I", "-c", program, path, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
}

/* As the interpreter does between two instructions. */
static void
look(void)
{
	volatile uint64_t *breaker = (volatile uint64_t *)(void *)(thread + EVAL_BREAKER);
	volatile int32_t *pending = (volatile int32_t *)(void *)(thread + SUPPORT + PENDING);
	char path[PATH_BYTES];

	if ((*breaker & PLEASE_STOP) == 0 || *pending != 1)
		return;
	*breaker &= ~(uint64_t)PLEASE_STOP;
	*pending = 0;
	memcpy(path, thread + SUPPORT + SCRIPT_PATH, sizeof(path));
	path[PATH_BYTES - 1] = '\0';
	run_script(path);
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	kind = argv[1];
	alarm(600);
	make_state();
	dprintf(1, "ready\n");
	for (;;) {
		if (!is_kind("asleep") && !is_kind("busy") && !is_kind("locked"))
			look();
		usleep(1000);
	}
}
