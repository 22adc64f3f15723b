/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/util.h"
#include "tests/csv.h"

void
run_end_with(pid_t parent)
{
	pid_t now;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	now = getppid();
	/* It ended before that; of a parent outside of the pid namespace 0 is told. */
	if (now != parent && now != 0)
		_exit(127);
}

pid_t
run_fork(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0)
		run_end_with(parent);
	return pid;
}

static pid_t
start_background(const char *path, const char *arg, const char *more)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	int executed[2];
	char none;
	pid_t pid;

	if (access(path, X_OK) != 0 || pipe2(executed, O_CLOEXEC) < 0)
		return -1;
	pid = run_fork();
	if (pid == 0) {
		execl(path, name, arg, more, (char *)NULL);
		_exit(127);
	}
	/* Until it is called what it is: its exec closes the pipe. */
	close(executed[1]);
	while (read(executed[0], &none, 1) < 0 && errno == EINTR)
		;
	close(executed[0]);
	return pid;
}

pid_t
run_background(const char *path)
{
	return start_background(path, NULL, NULL);
}

pid_t
run_load(const char *name)
{
	return run_load_with(name, NULL, NULL);
}

enum { LOAD_PATH_MAX = 4200 };

static void
put_load_path(char path[LOAD_PATH_MAX], const char *name)
{
	const char *top = getenv("top_builddir");
	char *cwd = getcwd(NULL, 0);

	snprintf(path, LOAD_PATH_MAX, "%s/tests/loads/%s", top != NULL ? top : cwd, name);
	free(cwd);
}

char *
run_load_path(const char *name)
{
	static char path[LOAD_PATH_MAX];

	put_load_path(path, name);
	return path;
}

pid_t
run_load_with(const char *name, const char *arg, const char *more)
{
	char path[LOAD_PATH_MAX];

	put_load_path(path, name);
	return start_background(path, arg, more);
}

pid_t
run_load_in_pids(const char *name, const char *arg, const char *more, pid_t *parent)
{
	pid_t inside = -1;
	int fds[2];

	*parent = -1;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	*parent = run_fork();
	if (*parent == 0) {
		if (unshare(CLONE_NEWPID) == 0)
			inside = run_load_with(name, arg, more);
		if (inside < 0)
			perror("a load in a pid namespace of its own");
		if (write(fds[1], &inside, sizeof(inside)) != sizeof(inside))
			_exit(1);
		waitpid(inside, NULL, 0);
		_exit(0);
	}
	close(fds[1]);
	if (read(fds[0], &inside, sizeof(inside)) != sizeof(inside))
		inside = -1;
	close(fds[0]);
	return inside;
}

pid_t
run_load_on_0(const char *name, const char *arg)
{
	cpu_set_t before, one;
	pid_t pid;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_getaffinity(0, sizeof(before), &before) < 0 ||
	    sched_setaffinity(0, sizeof(one), &one) < 0)
		return -1;
	pid = run_load_with(name, arg, NULL);
	sched_setaffinity(0, sizeof(before), &before);
	return pid;
}

double
run_cpu_s(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void
run_clean_tmp(pid_t pid)
{
	static const char *const names[][2] = {
		{ "perf-", ".map" }, { "jit-", ".dump" }, { "dotnet-diagnostic-", "-4711-socket" },
		{ ".java_pid", "" }, { ".java_pid", "-real" }, { ".attach_pid", "" },
	};
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "/tmp/%s%d%s", names[i][0], (int)pid, names[i][1]);
		unlink(path);
	}
}

void
run_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	run_clean_tmp(pid);
}

const char *
run_ptop(void)
{
	const char *path = getenv("PTOP");

	return path != NULL ? path : "./ptop";
}

static pid_t
start(char *const argv[], int out[2], int err[2])
{
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
		return -1;
	pid = run_fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDONLY);

		dup2(null, STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(out[1]);
	close(err[1]);
	return pid;
}

static bool
read_some(int fd, struct buf *b)
{
	char bytes[65536];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n > 0)
		buf_add(b, bytes, (size_t)n);
	return n > 0;
}

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void
run_program(struct run_result *r, unsigned seconds, char *const argv[])
{
	struct buf text[2] = { 0 };
	int out[2], err[2];
	pid_t pid = start(argv, out, err);
	struct pollfd fds[2] = { { .fd = out[0], .events = POLLIN },
				 { .fd = err[0], .events = POLLIN } };
	double end = now_s() + seconds;

	while ((fds[0].fd >= 0 || fds[1].fd >= 0) && now_s() < end) {
		if (poll(fds, 2, 100) <= 0)
			continue;
		for (int i = 0; i < 2; i++)
			if (fds[i].revents != 0 && !read_some(fds[i].fd, &text[i]))
				fds[i].fd = -1;
	}
	if (fds[0].fd >= 0 || fds[1].fd >= 0)
		kill(pid, SIGKILL);
	waitpid(pid, &r->status, 0);
	close(out[0]);
	close(err[0]);
	buf_add(&text[0], "", 0);
	buf_add(&text[1], "", 0);
	r->out = text[0].data;
	r->out_len = text[0].len;
	r->err = text[1].data;
}

void
run_release(struct run_result *r)
{
	free(r->out);
	free(r->err);
}

double
run_csv_sum(const char *text, const char *sum, size_t n, const char *const pairs[][2])
{
	struct csv c;
	double total = 0;

	csv_init(&c, text);
	while (csv_next(&c)) {
		bool holds = true;

		for (size_t i = 0; i < n && holds; i++)
			holds = strcmp(csv_field(&c, pairs[i][0]), pairs[i][1]) == 0;
		if (holds)
			total += csv_number(&c, sum);
	}
	csv_release(&c);
	return total;
}

bool
run_looks_are_whole(const struct run_result *r)
{
	return strstr(r->err, " is not counted: ") == NULL &&
	       strstr(r->err, "no thread has been looked at yet") == NULL;
}

size_t
run_count_text(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)) != NULL; text += strlen(word))
		n++;
	return n;
}

void
run_own_mounts(void)
{
	if (geteuid() == 0 && (unshare(CLONE_NEWNS) != 0 ||
			       mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)) {
		perror("cannot have mounts of its own");
		exit(1);
	}
}

int
run_count_descriptors(pid_t pid, const char *kind)
{
	char path[300], to[256];
	struct dirent *d;
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir != NULL && (d = readdir(dir)) != NULL) {
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)pid, d->d_name);
		len = readlink(path, to, sizeof(to) - 1);
		if (len < 0)
			continue;
		to[len] = '\0';
		n += strstr(to, kind) != NULL;
	}
	if (dir != NULL)
		closedir(dir);
	return n;
}

int
run_count_events(pid_t pid)
{
	return run_count_descriptors(pid, "[perf_event]");
}

int
run_settled_events(pid_t pid, unsigned quiet_ms)
{
	enum { STEP_MS = 50, PATIENCE_MS = 60000 };
	unsigned same_ms = 0;
	int now = 0;

	for (unsigned ms = 0; ms < PATIENCE_MS && same_ms < quiet_ms; ms += STEP_MS) {
		int before = now;

		usleep(STEP_MS * 1000);
		now = run_count_events(pid);
		same_ms = now > 0 && now == before ? same_ms + STEP_MS : 0;
	}
	return now;
}

int
run_count_threads(pid_t pid)
{
	char path[64];
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;)
		n += d->d_name[0] != '.';
	if (dir != NULL)
		closedir(dir);
	return n;
}

bool
run_has_perf(void)
{
	struct run_result r;
	bool has;

	run_program(&r, 60, (char *[]){ "perf", "version", NULL });
	has = r.status == 0;
	run_release(&r);
	return has;
}

static int
find_thread(pid_t pid, const char *comm)
{
	char path[300], name[64];
	struct dirent *d;
	int tid = 0, fd;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir != NULL && tid == 0 && (d = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", (int)pid, d->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (read(fd, name, sizeof(name)) > (ssize_t)strlen(comm) &&
		    strncmp(name, comm, strlen(comm)) == 0 && name[strlen(comm)] == '\n')
			tid = atoi(d->d_name);
		close(fd);
	}
	if (dir != NULL)
		closedir(dir);
	return tid;
}

int
run_thread(pid_t pid, const char *comm)
{
	int tid = 0;

	for (unsigned tries = 0; tries < 1000 && tid == 0; tries++) {
		tid = find_thread(pid, comm);
		if (tid == 0)
			usleep(10000);
	}
	return tid;
}
