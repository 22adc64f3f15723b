/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways in which the whole program ends, and what is left of it: nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "tests/asserts.h"
#include "tests/family.h"
#include "tests/hanging_fs.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { STEP_MS = 50, SOON_MS = 60000, TRIES = 5 };
/* The file is given up 3 s after it was asked for; who ends ptop waits half of that. */
enum { WAITING_MS = 300, ENDED_MS = 2600 };

enum { CALLER = 65534, OTHER = 65533 };

struct ending {
	char dir[64];   /* for all that is written */
	char state[96]; /* $XDG_STATE_HOME of ptop, empty: HOME says it */
	char home[96];  /* $HOME of ptop, empty: the test's own */
	bool is_sudo;   /* called by CALLER */
	char root[96];  /* stands at /root for ptop; empty: what is there does */
	pid_t load, ptop;
};

static int
setup(void **state)
{
	struct ending *e = calloc(1, sizeof(*e));

	strcpy(e->dir, "/tmp/ptop-ends-XXXXXX");
	*state = e;
	if (mkdtemp(e->dir) == NULL)
		return -1;
	strcpy(e->state, e->dir);
	return 0;
}

static int
teardown(void **state)
{
	struct ending *e = *state;
	char *argv[] = { "rm", "-rf", e->dir, NULL };
	struct run_result r;

	run_end(e->ptop);
	run_end(e->load);
	umount2(e->dir, MNT_DETACH); /* if one is still there */
	run_program(&r, 60, argv);
	run_release(&r);
	free(e);
	return 0;
}

static void
nap(void)
{
	usleep(STEP_MS * 1000);
}

static char *
read_text(const char *path)
{
	struct buf b = { 0 };
	char *text;

	if (file_read(path, &b, 1 << 20) < 0)
		buf_reset(&b);
	text = strdup(buf_str(&b));
	buf_release(&b);
	return text;
}

/* Where ptop believes that it runs. */
static bool
set_scene(const struct ending *e)
{
	char user[16];

	snprintf(user, sizeof(user), "%d", CALLER);
	if (e->state[0] != '\0')
		setenv("XDG_STATE_HOME", e->state, 1);
	else
		unsetenv("XDG_STATE_HOME");
	if (e->home[0] != '\0')
		setenv("HOME", e->home, 1);
	if (e->is_sudo) {
		setenv("SUDO_UID", user, 1);
		setenv("SUDO_GID", user, 1);
	}
	return e->root[0] == '\0' ||
	       (unshare(CLONE_NEWNS) == 0 && mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		mount(e->root, "/root", NULL, MS_BIND, NULL) == 0);
}

/* A batch without end, which has written its first report. */
static void
start_batch(struct ending *e, char *const *more)
{
	char *argv[16] = { "ptop", "-b", "-d", "0.2" }, out[96];
	struct stat st = { 0 };

	for (int i = 0; more[i] != NULL; i++)
		argv[4 + i] = more[i];
	/* Nothing of one before is taken for its. */
	snprintf(out, sizeof(out), "%s/err", e->dir);
	unlink(out);
	snprintf(out, sizeof(out), "%s/out", e->dir);
	unlink(out);
	e->ptop = run_fork();
	if (e->ptop == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		if (!set_scene(e) || freopen(out, "w", stdout) == NULL || freopen("/dev/null", "r", stdin) == NULL)
			_exit(127);
		snprintf(out, sizeof(out), "%s/err", e->dir);
		if (freopen(out, "w", stderr) == NULL)
			_exit(127);
		execv(run_ptop(), argv);
		_exit(127);
	}
	for (int ms = 0; ms < SOON_MS && st.st_size == 0; ms += STEP_MS) {
		nap();
		stat(out, &st);
	}
	assert_that(st.st_size, >, 0);
}

/* Until it reads @signal from a descriptor it is ended by it. */
static bool
reads_signal(pid_t pid, int signal)
{
	return (family_status_field(pid, "SigBlk:", 16) >> (signal - 1) & 1) != 0;
}

/* -1: it still runs. */
static int
wait_for_end(struct ending *e)
{
	int status = -1;

	for (int ms = 0; ms < SOON_MS; ms += STEP_MS) {
		if (waitpid(e->ptop, &status, WNOHANG) == e->ptop) {
			e->ptop = 0;
			return status;
		}
		nap();
	}
	return -1;
}

/* Groups of other tests come and go. */
static bool
is_ptops(const char *name)
{
	return strstr(name, "ptop") != NULL && strstr(name, "ptop-test") == NULL;
}

/* What a session may have made in the kernel: mounts, probes, groups of tasks. */
static char *
kernel_state(void)
{
	static const char *const files[] = {
		"/proc/self/mounts", "/sys/kernel/tracing/uprobe_events",
		"/sys/kernel/tracing/kprobe_events", "/sys/kernel/debug/kprobes/list",
	};
	static const char *const folders[] = { "/sys/kernel/tracing/instances", "/sys/fs/cgroup" };
	struct buf b = { 0 };
	char *all;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		file_read(files[i], &b, 1 << 20);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		DIR *dir = opendir(folders[i]);

		for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;)
			buf_addf(&b, "%s ", is_ptops(d->d_name) ? d->d_name : "");
		if (dir != NULL)
			closedir(dir);
	}
	all = strdup(buf_str(&b));
	buf_release(&b);
	return all;
}

static void
a_killed_ptop_leaves_no_process_and_nothing_in_the_kernel(void **state)
{
	struct ending *e = *state;
	char probe[4300], file[96], *before = kernel_state(), *after;
	pid_t pids[FAMILY_MAX];
	size_t n;

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	snprintf(probe, sizeof(probe), "cpu-clock,uprobe:%s:count_me", run_load_path("exact"));
	snprintf(file, sizeof(file), "%s/rec", e->dir);
	start_batch(e, (char *[]){ "-e", probe, "-e", "raw_syscalls:sys_enter", "--filter-event",
				   "id==39", "-r", file, NULL });
	n = family_find(e->ptop, pids);
	assert_that(n, >=, 2); /* the host of parsers at least */
	kill(e->ptop, SIGKILL);
	assert_int_equal(wait_for_end(e), SIGKILL);
	family_assert_gone(pids + 1, n - 1);
	after = kernel_state();
	for (int ms = 0; ms < SOON_MS && strcmp(before, after) != 0; ms += STEP_MS) {
		nap(); /* another test's ptop has something */
		free(after);
		after = kernel_state();
	}
	assert_string_equal(before, after);
	free(before);
	free(after);
}

/* One that is stopped does not see that its socket is closed, as one that hangs. */
static void
a_killed_ptop_leaves_no_opener_that_hangs(void **state)
{
	struct ending *e = *state;
	pid_t pids[FAMILY_MAX];
	size_t n, stopped = 0;

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	start_batch(e, (char *[]){ NULL });
	n = family_find(e->ptop, pids);
	for (size_t i = 1; i < n; i++)
		if (family_is_called(pids[i], "ptop-open"))
			stopped += kill(pids[i], SIGSTOP) == 0;
	assert_that(stopped, >, 0);
	kill(e->ptop, SIGKILL);
	assert_int_equal(wait_for_end(e), SIGKILL);
	family_assert_gone(pids + 1, n - 1);
}

/* Signals that are not asked for in batches end it, too, and its children with it. */
static void
every_signal_ends_all_of_it(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1 };
	struct ending *e = *state;

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		pid_t pids[FAMILY_MAX];
		size_t n;
		int status;

		start_batch(e, (char *[]){ NULL });
		n = family_find(e->ptop, pids);
		kill(e->ptop, signals[i]);
		status = wait_for_end(e);
		assert_int_not_equal(status, -1);
		if (signals[i] == SIGINT || signals[i] == SIGTERM || signals[i] == SIGHUP)
			assert_int_equal(status, 0);
		family_assert_gone(pids + 1, n - 1);
	}
}

/* The report that it would print in a minute. */
static void
a_hangup_brings_the_last_report(void **state)
{
	struct ending *e = *state;
	char out[96], rec[96], *text;
	int ms = 0;

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	snprintf(out, sizeof(out), "%s/hup.csv", e->dir);
	snprintf(rec, sizeof(rec), "%s/hup.data", e->dir);
	e->ptop = run_fork();
	if (e->ptop == 0) {
		execl(run_ptop(), "ptop", "-d", "60", "-e", "cpu-clock", "-o", out, "-r", rec, NULL);
		_exit(127);
	}
	/* It samples, a while after the file is there. */
	for (; ms < SOON_MS && access(rec, F_OK) != 0; ms += STEP_MS)
		nap();
	for (int i = 0; i < 1000 / STEP_MS; i++)
		nap();
	kill(e->ptop, SIGHUP);
	assert_int_equal(wait_for_end(e), 0);
	text = read_text(out);
	assert_int_equal(strncmp(text, "time,", 5), 0);
	assert_non_null(strstr(text, ",hot,"));
	free(text);
}

static void
a_hangup_that_is_ignored_stays_so(void **state)
{
	struct ending *e = *state;
	struct stat before, now;
	char out[96];

	need_root();
	signal(SIGHUP, SIG_IGN);
	start_batch(e, (char *[]){ "-e", "cpu-clock", NULL });
	signal(SIGHUP, SIG_DFL);
	snprintf(out, sizeof(out), "%s/out", e->dir);
	assert_int_equal(stat(out, &before), 0);
	kill(e->ptop, SIGHUP);
	now = before;
	/* Three reports more: the first may have been on its way. */
	for (int ms = 0, grown = 0; grown < 3; ms += STEP_MS) {
		assert_that(ms, <, SOON_MS);
		nap();
		stat(out, &now);
		grown += now.st_size > before.st_size;
		before = now;
	}
	kill(e->ptop, SIGTERM);
	assert_int_equal(wait_for_end(e), 0);
}

/* A recording of a program whose file does not answer any more. */
static void
record_far_away(struct ending *e, struct hanging_fs *fs)
{
	char dir[96], program[128], file[96];
	struct run_result r;

	snprintf(dir, sizeof(dir), "%s/far", e->dir);
	snprintf(program, sizeof(program), "%s/hot", dir);
	snprintf(file, sizeof(file), "%s/perf.data", e->dir);
	mkdir(dir, 0755);
	if (!hanging_fs_start(fs, dir, "tests/loads/hot", "hot"))
		skip_for("no file system of one's own here: %s", strerror(errno));
	run_program(&r, 60, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "1",
					"-e", "cpu-clock", "-r", file, "--", program, NULL });
	assert_int_equal(WEXITSTATUS(r.status), 0);
	run_release(&r);
	*fs->mode = HANGING_FS_NO_READS;
}

static struct hanging_fs fs;

static int
teardown_far(void **state)
{
	hanging_fs_end(&fs);
	return teardown(state);
}

/* Whether it is ended while it waits, in time, and its report has what was read. */
static bool
ends_with_its_samples(struct ending *e)
{
	char file[96], out[96], *text;
	uint64_t began_ns;
	bool is_so;

	snprintf(file, sizeof(file), "%s/perf.data", e->dir);
	snprintf(out, sizeof(out), "%s/out", e->dir);
	e->ptop = fork();
	if (e->ptop == 0) {
		setenv("XDG_CACHE_HOME", e->dir, 1); /* where no names are kept */
		if (freopen(out, "w", stdout) == NULL)
			_exit(127);
		execl(run_ptop(), "ptop", "-i", file, "-b", "--by", "comm", "--format", "csv", NULL);
		_exit(127);
	}
	for (int ms = 0; ms < SOON_MS && !reads_signal(e->ptop, SIGTERM); ms += STEP_MS)
		nap();
	usleep(WAITING_MS * 1000);
	began_ns = clock_mono_ns();
	is_so = waitpid(e->ptop, NULL, WNOHANG) == 0;
	if (is_so) {
		kill(e->ptop, SIGTERM);
		is_so = wait_for_end(e) == 0 && clock_mono_ns() - began_ns < ENDED_MS * NSEC_PER_MSEC;
	}
	text = read_text(out);
	is_so = is_so && run_csv_sum(text, "samples", 1, (const char *const[][2]){ { "comm", "hot" } }) >= 1;
	if (!is_so)
		print_message("# after %.1f s:\n%s", (double)(clock_mono_ns() - began_ns) / 1e9, text);
	free(text);
	return is_so;
}

/* What was read counts, with names or without, before ptop gives up its last report. */
static void
a_report_that_waits_for_names_has_its_samples_when_it_is_ended(void **state)
{
	bool is_so = false;

	need_root();
	record_far_away(*state, &fs);
	for (int tries = 0; tries < TRIES && !is_so; tries++)
		is_so = ends_with_its_samples(*state);
	assert_true(is_so);
}

static void
without_a_report_there_is_no_file(void **state)
{
	struct ending *e = *state;
	char out[96];
	struct run_result r;

	snprintf(out, sizeof(out), "%s/none.csv", e->dir);
	for (int i = 0; i < 2; i++) {
		run_program(&r, 60, (char *[]){ (char *)(uintptr_t)run_ptop(), "-e", "nonsense", "-o",
						out, i == 0 ? NULL : "--force", NULL });
		assert_int_equal(WEXITSTATUS(r.status), 2);
		assert_int_equal(access(out, F_OK), -1);
		run_release(&r);
	}
}

/* Its number would be that of a file which is opened later, a recording's or a ring's. */
static void
a_closed_output_is_told(void **state)
{
	static const char *const commands[] = {
		"exec \"$0\" -b -n 1 -d 0.2 >&-", "exec \"$0\" -b -n 1 -d 0.2 <&- >&-",
		"exec \"$0\" --version >&-", "exec \"$0\" -b -n 1 -d 0.2 1</dev/null",
	};
	char *argv[] = { "sh", "-c", NULL, (char *)(uintptr_t)run_ptop(), NULL };
	struct run_result r;

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		argv[2] = (char *)(uintptr_t)commands[i];
		run_program(&r, 60, argv);
		assert_int_equal(WEXITSTATUS(r.status), 1);
		assert_string_equal(r.err, "ptop: standard output is closed for writing (--output FILE "
					   "writes a report there)\n");
		run_release(&r);
	}
}

/* A report goes to its file all the same, and nothing of what is told goes there, too. */
static void
closed_descriptors_are_not_taken_by_files(void **state)
{
	struct ending *e = *state;
	char command[256], path[96], *text;
	char *argv[] = { "sh", "-c", command, (char *)(uintptr_t)run_ptop(), NULL };
	struct run_result r;

	need_root();
	snprintf(path, sizeof(path), "%s/closed.csv", e->dir);
	snprintf(command, sizeof(command), "exec \"$0\" -n 1 -d 0.2 -e cpu-clock -o %s -m 1 -- sh -c "
		 "'echo wrong; echo wrong >&2; sleep 5' <&- >&- 2>&-", path);
	run_program(&r, 60, argv);
	assert_int_equal(r.status, 0);
	run_release(&r);
	text = read_text(path);
	assert_int_equal(strncmp(text, "pid,", 4), 0);
	assert_null(strstr(text, "wrong"));
	assert_null(strstr(text, "ptop:"));
	free(text);
}

static void
a_command_that_still_runs_is_asked_to_end(void **state)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "0.3", "-e",
			 "cpu-clock", "--", "sh", "-c", "trap 'echo asked >&2; exit 3' TERM; echo $$ >&2; "
			 "while :; do sleep 0.05; done", NULL };
	struct run_result r;
	pid_t pid;

	(void)state;
	need_root();
	run_program(&r, 60, argv);
	pid = atoi(r.err);
	assert_that(pid, >, 0);
	assert_int_equal(kill(pid, SIGKILL), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "asked"));
	run_release(&r);
}

/* It has a second; the pipe behind ptop is then its own business. */
static void
a_command_that_does_not_want_to_end_is_left(void **state)
{
	struct ending *e = *state;
	char *text, path[96];
	pid_t pid;

	need_root();
	start_batch(e, (char *[]){ "-e", "cpu-clock", "-n", "2", "--", "sh", "-c",
				   "trap '' TERM; echo $$ >&2; "
				   "while :; do sleep 0.05; done", NULL });
	assert_int_equal(wait_for_end(e), 0);
	snprintf(path, sizeof(path), "%s/err", e->dir);
	text = read_text(path);
	pid = atoi(text);
	assert_that(pid, >, 0);
	assert_int_equal(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	free(text);
}

/* Lets a thread call address 16, where nothing is.  false: not on this machine. */
static bool
make_crash(pid_t tid)
{
#if defined(__x86_64__)
	struct user_regs_struct regs;
#elif defined(__aarch64__)
	struct user_pt_regs regs;
#else
	(void)tid;
	return false;
#endif
	struct iovec iov = { &regs, sizeof(regs) };
	bool done = ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0 &&
		    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0 &&
		    waitpid(tid, NULL, __WALL) == tid &&
		    ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &iov) == 0;

#if defined(__x86_64__)
	regs.rsp = ((regs.rsp - 256) & ~15ULL) - 8; /* beyond what a function may use unasked */
	done = done && ptrace(PTRACE_POKEDATA, tid, (void *)(uintptr_t)regs.rsp,
			      (void *)(uintptr_t)regs.rip) == 0;
	regs.rip = 16;
	regs.orig_rax = (unsigned long long)-1; /* no system call is to be begun again */
#elif defined(__aarch64__)
	regs.regs[30] = regs.pc;
	regs.pc = 16;
#endif
	done = done && ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &iov) == 0;
	return ptrace(PTRACE_DETACH, tid, NULL, NULL) == 0 && done;
}

/* The main thread first, then those that have its name: the engine is one. */
static pid_t
thread_of(pid_t pid, int which)
{
	char path[64];
	pid_t tids[64];
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	for (struct dirent *d; dir != NULL && n < 64 && (d = readdir(dir)) != NULL;)
		if (d->d_name[0] != '.')
			tids[n++] = atoi(d->d_name);
	if (dir != NULL)
		closedir(dir);
	return which < n ? tids[which] : 0;
}

/* The report that standard error names, which the caller frees. */
static char *
report_of(struct ending *e)
{
	char path[96], *text, *name, *report;
	struct stat st;

	snprintf(path, sizeof(path), "%s/err", e->dir);
	text = read_text(path);
	name = strstr(text, "the report is in ");
	if (name == NULL)
		fail_msg("no report is named: %s", text);
	name += strlen("the report is in ");
	name[strcspn(name, "\n")] = '\0';
	assert_int_equal(strncmp(name, e->dir, strlen(e->dir)), 0);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	report = read_text(name);
	unlink(name);
	free(text);
	return report;
}

static bool
send_fault(pid_t pid, pid_t tid)
{
	return syscall(SYS_tgkill, pid, tid, SIGSEGV) == 0;
}

static bool
make_fault(pid_t pid, pid_t tid)
{
	(void)pid;
	return make_crash(tid);
}

/* For each thread of a ptop of its own. */
static void
assert_reported(struct ending *e, bool (*fault)(pid_t pid, pid_t tid), const char *const wanted[])
{
	for (int i = 0;; i++) {
		pid_t tid;
		char *report;
		int status;

		start_batch(e, (char *[]){ NULL });
		tid = thread_of(e->ptop, i);
		if (tid == 0)
			break;
		if (!fault(e->ptop, tid))
			skip_for("no thread can be made to crash here");
		status = wait_for_end(e);
		assert_int_not_equal(status, -1);
		assert_int_not_equal(status, 0);
		if (WIFSIGNALED(status)) /* a sanitizer exits */
			assert_int_equal(WTERMSIG(status), SIGSEGV);
		report = report_of(e);
		for (size_t w = 0; wanted[w] != NULL; w++)
			if (strstr(report, wanted[w]) == NULL)
				fail_msg("thread %d: no '%s' in\n%s", i, wanted[w], report);
		free(report);
	}
	run_end(e->ptop);
	e->ptop = 0;
}

static void
a_bug_in_any_thread_is_reported_and_ends_it(void **state)
{
	static const char *const sent[] = { ", build-id ", "\nsignal SIGSEGV, code 6 (sent)",
					    "\nthread ptop", "ptop(+0x", "libc", NULL };
	static const char *const made[] = { "\nsignal SIGSEGV, code 1, address 0x10\nthread ptop",
					    ", at 0x10\n", NULL };
	struct ending *e = *state;

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	assert_reported(e, send_fault, sent);
	assert_reported(e, make_fault, made);
}

static void
a_bug_is_told_where_no_report_can_be_written(void **state)
{
	struct ending *e = *state;
	char path[96], *text;

	need_root();
	snprintf(path, sizeof(path), "%s/ptop", e->dir);
	assert_int_equal(symlink("/tmp", path), 0);
	start_batch(e, (char *[]){ NULL });
	kill(e->ptop, SIGABRT);
	assert_int_not_equal(wait_for_end(e), 0);
	snprintf(path, sizeof(path), "%s/err", e->dir);
	text = read_text(path);
	assert_non_null(strstr(text, "a bug of ptop ends it (SIGABRT): no report could be "));
	free(text);
}

static void
make_dir(char path[96], const struct ending *e, const char *name, uid_t owner)
{
	snprintf(path, 96, "%s/%s", e->dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chown(path, owner, owner), 0);
}

/* It was made for one user alone. */
static void
assert_made(const char *parent, const char *name, uid_t owner)
{
	struct stat st = { 0 };
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", parent, name);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(st.st_uid, owner);
}

/* ptop has a bug; what it says then, which the caller frees. */
static char *
end_by_bug(struct ending *e, char *const more[])
{
	char path[96];

	start_batch(e, more);
	kill(e->ptop, SIGABRT);
	assert_int_not_equal(wait_for_end(e), 0);
	snprintf(path, sizeof(path), "%s/err", e->dir);
	return read_text(path);
}

/* The report that is named is below @home, and @owner's. */
static void
assert_report_in(struct ending *e, char *const more[], const char *home, uid_t owner)
{
	char *text = end_by_bug(e, more), *name = strstr(text, "the report is in ");
	char path[512];
	struct stat st;

	if (name == NULL)
		fail_msg("no report is named: %s", text);
	name += strlen("the report is in ");
	name[strcspn(name, "\n")] = '\0';
	if (e->root[0] != '\0' && strncmp(name, "/root", 5) == 0) {
		snprintf(path, sizeof(path), "%s%s", e->root, name + 5);
		name = path;
	}
	if (strncmp(name, home, strlen(home)) != 0)
		fail_msg("%s is not below %s", name, home);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_uid, owner);
	assert_that(st.st_size, >, 0);
	free(text);
}

static void
folders_that_a_report_lacks_are_made(void **state)
{
	struct ending *e = *state;

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	e->state[0] = '\0';
	make_dir(e->home, e, "home", 0);
	assert_report_in(e, (char *[]){ NULL }, e->home, 0);
	assert_made(e->home, ".local", 0);
	assert_made(e->home, ".local/state", 0);
	assert_made(e->home, ".local/state/ptop", 0);
	/* And the second finds them. */
	assert_report_in(e, (char *[]){ NULL }, e->home, 0);
	snprintf(e->state, sizeof(e->state), "%s/some/where", e->dir);
	assert_report_in(e, (char *[]){ NULL }, e->state, 0);
	assert_made(e->dir, "some", 0);
	assert_made(e->dir, "some/where/ptop", 0);
}

/* Those in root's own folders are root's: programs look there for what they shall do. */
static void
folders_for_a_report_belong_to_who_called_sudo(void **state)
{
	struct ending *e = *state;
	char file[96];

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	e->state[0] = '\0';
	e->is_sudo = true;
	make_dir(e->home, e, "home", CALLER);
	snprintf(file, sizeof(file), "%s/recording", e->dir);
	assert_report_in(e, (char *[]){ "-r", file, NULL }, e->home, CALLER);
	assert_made(e->home, ".local", CALLER);
	assert_made(e->home, ".local/state", CALLER);
	assert_made(e->home, ".local/state/ptop", CALLER);
	make_dir(e->home, e, "home-of-root", 0);
	assert_report_in(e, (char *[]){ "-r", file, "--force", NULL }, e->home, CALLER);
	assert_made(e->home, ".local", 0);
	assert_made(e->home, ".local/state/ptop", 0);
}

/* Most batches have given up the right to write into the folders of others. */
static void
a_report_that_the_callers_folder_does_not_take_is_in_roots(void **state)
{
	struct ending *e = *state;

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	e->state[0] = '\0';
	e->is_sudo = true;
	make_dir(e->home, e, "home", CALLER);
	make_dir(e->root, e, "root", 0);
	assert_report_in(e, (char *[]){ NULL }, e->root, 0);
	assert_made(e->root, ".local/state/ptop", 0);
	assert_int_equal(rmdir(e->home), 0);
}

static void
a_report_follows_no_link_of_others(void **state)
{
	struct ending *e = *state;
	char target[96], link[128], *text;

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	e->state[0] = '\0';
	make_dir(e->home, e, "home", 0);
	make_dir(target, e, "target", 0);
	snprintf(link, sizeof(link), "%s/.local", e->home);
	assert_int_equal(symlink(target, link), 0);
	/* One's own may lead anywhere. */
	assert_report_in(e, (char *[]){ NULL }, e->home, 0);
	assert_made(target, "state/ptop", 0);
	assert_int_equal(lchown(link, OTHER, OTHER), 0);
	text = end_by_bug(e, (char *[]){ NULL });
	assert_non_null(strstr(text, "no report could be written to "));
	free(text);
}

/* Disks of all sizes: a report is whole or not there, and one line says why it is not. */
static void
a_full_disk_leaves_no_half_report(void **state)
{
	static const char *const sizes[] = { "size=4k", "size=8k", "size=16k", "size=64k" };
	static char *const ways[] = { "1", "4" }; /* one report, and a series in one file */
	struct ending *e = *state;
	char out[96];

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	snprintf(out, sizeof(out), "%s/out", e->dir);
	for (size_t i = 0; i < 8; i++) {
		char *argv[] = { (char *)run_ptop(), "-b", "-n", ways[i / 4], "-d", "0.3", "--by",
				 "comm,address", "--format", "json", "-o", out, NULL };
		char *text, *names;
		struct run_result r, ls;

		if (mount("ptop-test", e->dir, "tmpfs", 0, sizes[i % 4]) != 0)
			skip_for("a small disk cannot be mounted here");
		run_program(&r, 60, argv);
		run_program(&ls, 60, (char *[]){ "ls", "-A", e->dir, NULL });
		names = ls.out;
		text = read_text(out);
		umount2(e->dir, MNT_DETACH);
		assert_true(*names == '\0' || strcmp(names, "out\n") == 0);
		assert_int_equal(*names == '\0', *text == '\0');
		assert_true(*text == '\0' || strcmp(text + strlen(text) - 2, "}\n") == 0);
		if (WEXITSTATUS(r.status) == 0) {
			assert_int_not_equal(*text, '\0');
		} else {
			assert_int_equal(WEXITSTATUS(r.status), 1);
			assert_int_equal(run_count_text(r.err, "No space left on device"), 1);
		}
		assert_true(WIFEXITED(r.status));
		free(text);
		run_release(&ls);
		run_release(&r);
	}
}

/* It would be ended by a signal; and COMMAND shall be, as without ptop. */
static void
a_limit_of_file_sizes_is_an_error_like_others(void **state)
{
	struct ending *e = *state;
	struct run_result r;
	char command[512];

	need_root();
	e->load = run_load_with("hot", "33", NULL);
	snprintf(command, sizeof(command), "ulimit -f 1; exec %s -b -n 1 -d 0.5 --by comm,address "
		 "--format json -o %s/out", run_ptop(), e->dir);
	run_program(&r, 60, (char *[]){ "sh", "-c", command, NULL });
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_int_equal(run_count_text(r.err, "File too large"), 1);
	run_release(&r);
	run_program(&r, 60, (char *[]){ "ls", "-A", e->dir, NULL });
	assert_string_equal(r.out, "");
	run_release(&r);
	snprintf(command, sizeof(command), "%s -b -- sh -c 'ulimit -f 1; "
		 "exec head -c 99999 /dev/zero >%s/file'", run_ptop(), e->dir);
	run_program(&r, 60, (char *[]){ "sh", "-c", command, NULL });
	assert_int_equal(WEXITSTATUS(r.status), 128 + SIGXFSZ);
	run_release(&r);
}

int
main(void)
{
#define ending_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		ending_test(a_killed_ptop_leaves_no_process_and_nothing_in_the_kernel),
		ending_test(a_killed_ptop_leaves_no_opener_that_hangs),
		ending_test(every_signal_ends_all_of_it),
		ending_test(a_hangup_brings_the_last_report),
		ending_test(a_hangup_that_is_ignored_stays_so),
		cmocka_unit_test_setup_teardown(
			a_report_that_waits_for_names_has_its_samples_when_it_is_ended, setup,
			teardown_far),
		ending_test(without_a_report_there_is_no_file),
		ending_test(a_closed_output_is_told),
		ending_test(closed_descriptors_are_not_taken_by_files),
		ending_test(a_command_that_still_runs_is_asked_to_end),
		ending_test(a_command_that_does_not_want_to_end_is_left),
		ending_test(a_bug_in_any_thread_is_reported_and_ends_it),
		ending_test(folders_that_a_report_lacks_are_made),
		ending_test(folders_for_a_report_belong_to_who_called_sudo),
		ending_test(a_report_that_the_callers_folder_does_not_take_is_in_roots),
		ending_test(a_report_follows_no_link_of_others),
		ending_test(a_full_disk_leaves_no_half_report),
		ending_test(a_limit_of_file_sizes_is_an_error_like_others),
		ending_test(a_bug_is_told_where_no_report_can_be_written),
	};

	run_own_mounts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
