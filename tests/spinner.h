/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SPINNER_H
#define PTOP_TESTS_SPINNER_H
/*
 * Programs that burn CPU in one function of a name that the test gives, started in a root and
 * namespaces of their own if wanted, and the question what ptop calls it.  For tests only:
 * everything asserts.
 */
#include "tests/run.h"
#include "base/file.h"
#include "symbol_fixture.h"

#include <sched.h>
#include <sys/mount.h>

/* DIR/spin.c, of which all are compiled.  Most of the time it rests: others want the CPU, too. */
static inline void
spinner_write_source(const struct fixture *f)
{
	write_text(f, "spin.c",
		   "#include <unistd.h>\n"
		   "#include <stdlib.h>\n"
		   "#include <dlfcn.h>\n"
		   "static volatile unsigned sink;\n"
		   "__attribute__((noinline, noclone, externally_visible)) void FUNCTION(void);\n"
		   "void FUNCTION(void) { for (unsigned i = 0; i < 3000000; i++) sink += i; }\n"
		   "#ifdef LOADS\n"
		   "static void turn(const char *path) {\n"
		   "	void *lib = dlopen(path, RTLD_NOW);\n"
		   "	void (*spin)(void) = lib ? (void (*)(void))dlsym(lib, LOADS) : abort;\n"
		   "	for (int i = 0; i < ROUNDS; i++) {\n"
		   "		spin();\n"
		   "		if (i == 0 && write(1, \"r\", 1) < 0) _exit(0);\n"
		   "		usleep(12000);\n"
		   "	}\n"
		   "	dlclose(lib);\n"
		   "}\n"
		   "#else\n"
		   "static void turn(const char *path) {\n"
		   "	(void)path;\n"
		   "	FUNCTION();\n"
		   "	if (write(1, \"r\", 1) < 0) _exit(0);\n"
		   "	usleep(12000);\n"
		   "}\n"
		   "#endif\n"
		   "#ifndef LIBRARY\n"
		   "int main(int argc, char **argv) {\n"
		   "	int rounds = argc > 2 ? atoi(argv[2]) : -1;\n"
		   "	while (rounds-- != 0) turn(argv[1]);\n"
		   "	return 0;\n"
		   "}\n"
		   "#endif\n");
}

/* DIR/@program of that, which spins in @function.  @options go to the compiler.  It asserts nothing. */
static inline bool
spinner_compile(const struct fixture *f, const char *program, const char *function, const char *options)
{
	char line[512];

	snprintf(line, sizeof(line), "cc -O1 -w -DFUNCTION=%s %s spin.c -o '%s'", function, options,
		 program);
	return sh(f, line);
}

static inline void
spinner_build(const struct fixture *f, const char *program, const char *function,
	      const char *options)
{
	spinner_write_source(f);
	assert_true(spinner_compile(f, program, function, options));
}

struct spinner {
	pid_t starter; /* ours, to be waited for */
	pid_t pid;
	int out;
};

/* How one is started; what is not named is as in the test itself. */
struct spinner_how {
	const char *program;   /* as it sees it */
	const char *arg;
	int fd;                /* the program, if not 0 */
	uid_t uid;
	bool new_pids, new_mounts;
	void (*prepare)(const struct fixture *f); /* in the new namespaces */
	const char *root;      /* then this is its root */
};

static inline void
spinner_exec(const struct fixture *f, const struct spinner_how *how, int out)
{
	char *argv[] = { (char *)(uintptr_t)how->program, (char *)(uintptr_t)how->arg, NULL };
	char *env[] = { NULL };
	pid_t starter = getppid();

	if (how->prepare != NULL)
		how->prepare(f);
	if (how->root != NULL && (chroot(how->root) != 0 || chdir("/") != 0))
		_exit(125);
	dup2(out, 1);
	if (how->uid != 0 && (setgid(how->uid) != 0 || setuid(how->uid) != 0))
		_exit(126);
	run_end_with(starter);
	if (how->fd != 0)
		fexecve(how->fd, argv, env);
	else
		execve(how->program, argv, env);
	_exit(127);
}

/* The first process of a pid namespace is a child of who made that. */
static inline void
spinner_start_in(const struct fixture *f, const struct spinner_how *how, int pid_out, int out)
{
	int flags = (how->new_pids ? CLONE_NEWPID : 0) | (how->new_mounts ? CLONE_NEWNS : 0);
	pid_t pid;

	if (unshare(flags) != 0 ||
	    (how->new_mounts && mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0))
		_exit(124);
	pid = run_fork();
	if (pid == 0)
		spinner_exec(f, how, out);
	if (write(pid_out, &pid, sizeof(pid)) != sizeof(pid))
		_exit(123);
	close(out);
	waitpid(pid, NULL, 0);
	_exit(0);
}

/* Returns when it has spun once. */
static inline struct spinner
spinner_start(const struct fixture *f, const struct spinner_how *how)
{
	struct spinner s = { 0 };
	int ids[2], out[2];
	char ready;

	assert_int_equal(pipe2(ids, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	s.starter = run_fork();
	if (s.starter == 0) {
		close(out[0]);
		spinner_start_in(f, how, ids[1], out[1]);
	}
	close(ids[1]);
	close(out[1]);
	assert_int_equal(read(ids[0], &s.pid, sizeof(s.pid)), sizeof(s.pid));
	close(ids[0]);
	s.out = out[0];
	if (read(s.out, &ready, 1) != 1)
		fail_msg("'%s' did not start", how->program);
	fcntl(s.out, F_SETPIPE_SZ, 1 << 20); /* a byte each round, which nobody reads */
	return s;
}

static inline void
spinner_end(const struct spinner *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->starter, NULL, 0);
	close(s->out);
}

/* Asks as if a sample had been taken in the map of the process whose path has @part in it. */
static inline struct child
spinner_map(const struct spinner *s, const char *part)
{
	struct child c = { .pid = s->pid };
	char path[64], line[1024];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)s->pid);
	maps = fopen(path, "r");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps) != NULL) {
		unsigned long start;

		if (strstr(line, "r-xp") != NULL && strstr(line, part) != NULL &&
		    sscanf(line, "%lx-", &start) == 1)
			find_map(&c, start);
	}
	fclose(maps);
	assert_true(c.start != 0);
	return c;
}

/* The part of the process's samples in @seconds that ptop gives to @function; -1: they are too few to tell. */
static inline double
spinner_share(const struct spinner *s, const char *function, const char *seconds)
{
	char pid[16];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", (char *)(uintptr_t)seconds, "-K",
			 "-p", pid, "--by", "comm,symbol", "--format", "csv", NULL };
	const char *const named[][2] = { { "symbol", function } };
	struct run_result r;
	double all, part;

	snprintf(pid, sizeof(pid), "%d", (int)s->pid);
	run_program(&r, 60, argv);
	if (r.status != 0)
		fail_msg("ptop: %s", r.err);
	all = run_csv_sum(r.out, "samples", 0, NULL);
	part = run_csv_sum(r.out, "samples", 1, named);
	if (all < 20 || part < 0.8 * all)
		print_message("# %.0f samples:\n%s", all, r.out);
	run_release(&r);
	return all < 20 ? -1 : part / all;
}

/* A machine that is busy may not tell the maps within the second, nor give it enough of a CPU. */
static inline void
assert_spins(const struct spinner *s, const char *function)
{
	static const char *const seconds[] = { "1", "2", "5", "10" };

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		if (spinner_share(s, function, seconds[i]) >= 0.8)
			return;
	fail_msg("'%s' has too few samples", function);
}

#endif
