/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ptop keeps of root's capabilities, and what it can still do with them. */
#include "live/sys/capabilities.h"
#include "live/sys/rights.h"
#include "person.h"
#include "run.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "tests/breakpoint.h"
#include "tests/skip.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"

enum { WAIT_MS = 60000, USER = 12345 };

#define BIT(cap) (UINT64_C(1) << (cap))
/* Of a batch without -r and -o on a kernel that has them all. */
#define KEPT (BIT(CAP_NR_PERFMON) | BIT(CAP_NR_SYS_PTRACE) | BIT(CAP_NR_CHECKPOINT_RESTORE) | \
	      BIT(CAP_NR_IPC_LOCK) | BIT(2) /* DAC_READ_SEARCH */ | BIT(34) /* SYSLOG */)

/* Effective while a file is written alone. */
#define WRITING (BIT(0) /* CHOWN */ | BIT(1) /* DAC_OVERRIDE */ | BIT(3) /* FOWNER */)

#define NICE BIT(23) /* SYS_NICE */
#define RESOURCE BIT(24) /* SYS_RESOURCE */

static void
need_root(void)
{
	if (geteuid() != 0 || file_number("/proc/sys/kernel/cap_last_cap", 0) < 40)
		skip_for("it takes root, and Linux 5.9");
}

static uint64_t
field(int pid, int tid, const char *name)
{
	char path[64], line[256];
	uint64_t value = UINT64_MAX;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	in = fopen(path, "r");
	while (in != NULL && fgets(line, sizeof(line), in) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			value = strtoull(line + strlen(name) + 1, NULL, 16);
	if (in != NULL)
		fclose(in);
	return value;
}

/* As KEPT, and what the engine's nice takes where root may not raise the limit for it. */
static uint64_t
kept_by_root(void)
{
	const uint64_t own = field(getpid(), getpid(), "CapPrm");
	struct rlimit r;

	assert_int_equal(getrlimit(RLIMIT_NICE, &r), 0);
	return KEPT | (r.rlim_max < 25 && !(own & RESOURCE) ? own & NICE : 0);
}

static int
threads_at_nice(pid_t pid, int nice)
{
	char path[64];
	int found = 0;
	struct dirent *e;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	assert_non_null(tasks);
	while ((e = readdir(tasks)) != NULL)
		found += atoi(e->d_name) > 0 &&
			 getpriority(PRIO_PROCESS, (id_t)atoi(e->d_name)) == nice;
	closedir(tasks);
	return found;
}

static pid_t
start(const char *const *args, const char *dir)
{
	char *argv[16] = { realpath(run_ptop(), NULL) }; /* which @dir may change */
	pid_t pid;

	for (int i = 0; args[i] != NULL; i++)
		argv[i + 1] = (char *)(uintptr_t)args[i];
	pid = run_fork();
	if (pid == 0) {
		if (dir != NULL && chdir(dir) < 0)
			_exit(1);
		if (freopen("/dev/null", "w", stdout) == NULL)
			_exit(1);
		execv(argv[0], argv);
		_exit(127);
	}
	free(argv[0]);
	return pid;
}

/* An ordinary user's also has none at its very start, when it has one thread only. */
static void
wait_rested(pid_t pid)
{
	uint64_t end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;

	while (run_count_threads(pid) < 2 || field(pid, pid, "CapEff") != 0) {
		assert_that(clock_mono_ns(), <, end);
		usleep(10000);
	}
}

/* Until it has been executed. */
static void
wait_name(pid_t pid, const char *name)
{
	uint64_t end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;
	char path[64], comm[32] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	while (strcmp(comm, name) != 0) {
		FILE *in = fopen(path, "r");

		assert_non_null(in);
		assert_that(clock_mono_ns(), <, end);
		if (fscanf(in, "%31s", comm) != 1)
			comm[0] = '\0';
		fclose(in);
		usleep(1000);
	}
}

/* false: the thread has ended meanwhile, which is no fault of it. */
static bool
thread_has(pid_t pid, int tid, uint64_t kept, uint64_t bounding)
{
	const struct {
		const char *name;
		uint64_t wanted;
	} sets[] = {
		{ "CapPrm", kept }, { "CapEff", tid == pid ? 0 : kept & ~WRITING }, { "CapInh", 0 },
		{ "CapAmb", 0 }, { "CapBnd", bounding },
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		uint64_t value = field(pid, tid, sets[i].name);

		if (value == UINT64_MAX)
			return false;
		assert_int_equal(value, sets[i].wanted);
	}
	return true;
}

static void
assert_sets(pid_t pid, uint64_t kept, uint64_t bounding)
{
	char path[64];
	struct dirent *e;
	DIR *tasks;
	int threads = 0;

	wait_rested(pid);
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	assert_non_null(tasks);
	while ((e = readdir(tasks)) != NULL) {
		int tid = atoi(e->d_name);

		if (tid <= 0)
			continue;
		threads += thread_has(pid, tid, kept, bounding);
	}
	closedir(tasks);
	assert_that(threads, >, 1);
}

static void
assert_kept(pid_t pid, uint64_t kept)
{
	assert_sets(pid, kept, kept);
}

static void
root_keeps_what_it_uses_and_the_thread_that_shows_has_none(void **state)
{
	const char *const args[] = { "-b", "-n", "100", "-d", "0.5", NULL };
	pid_t pid;

	(void)state;
	need_root();
	pid = start(args, NULL);
	assert_kept(pid, kept_by_root());
	run_end(pid);
}

static void
who_empties_rings_goes_before_who_makes_the_machine_busy(void **state)
{
	const char *const args[] = { "-b", "-n", "100", "-d", "0.5", NULL };
	uint64_t end;
	pid_t pid;

	(void)state;
	need_root();
	if (!(field(getpid(), getpid(), "CapPrm") & (NICE | RESOURCE)))
		skip_for("it takes CAP_SYS_NICE");
	pid = start(args, NULL);
	end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;
	while (threads_at_nice(pid, -5) == 0) {
		assert_that(clock_mono_ns(), <, end);
		usleep(1000);
	}
	assert_int_equal(threads_at_nice(pid, -5), 1);
	run_end(pid);
}

static void
a_report_in_a_file_needs_more(void **state)
{
	static const char *const forced[] = { NULL, "--force" };

	(void)state;
	need_root();
	for (size_t i = 0; i < sizeof(forced) / sizeof(forced[0]); i++) {
		const char *const args[] = { "-b", "-n", "1", "-d", "100", "-o",
					     "/tmp/ptop-caps-none.csv", forced[i], NULL };
		pid_t pid = start(args, NULL);

		assert_kept(pid, kept_by_root() | BIT(0) /* CHOWN */ | BIT(1) /* DAC_OVERRIDE */ |
				 (forced[i] != NULL ? BIT(3) /* FOWNER */ : 0));
		run_end(pid);
		/* It has no name yet. */
		assert_int_equal(access(args[6], F_OK), -1);
	}
}

static void
probes_and_breakpoints_in_the_kernel_need_more(void **state)
{
	char probe[4300];
	const char *const events[] = { probe, "mem:0xffffffff81000000:w" };
	const size_t count = breakpoints_work() ? ARRAY_SIZE(events) : 1;

	(void)state;
	need_root();
	snprintf(probe, sizeof(probe), "uprobe:%s:count_me", run_load_path("exact"));
	for (size_t i = 0; i < count; i++) {
		const char *const args[] = { "-b", "-n", "100", "-e", events[i], NULL };
		pid_t pid = start(args, NULL);

		assert_kept(pid, kept_by_root() | BIT(CAP_NR_SYS_ADMIN));
		run_end(pid);
	}
}

/* BPF programs may be among it. */
static void
instructions_in_a_report_need_more(void **state)
{
	static const char *const views[][2] = { { "-V", "annotate" }, { "--by", "instruction" } };

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		const char *const args[] = { "-b", "-n", "100", "-e", "cpu-clock", views[i][0],
					     views[i][1], NULL };
		pid_t pid = start(args, NULL);

		assert_kept(pid, kept_by_root() | BIT(CAP_NR_SYS_ADMIN));
		run_end(pid);
	}
}

static void
stacks_of_what_waits_in_the_kernel_need_more(void **state)
{
	static const char *const args[] = { "-b", "-n", "100", "-e", "off-cpu", NULL };
	static const char *const flat[] = { "-b", "-n", "100", "-e", "off-cpu", "-g", "none", NULL };
	pid_t pid;

	(void)state;
	need_root();
	pid = start(args, NULL);
	assert_kept(pid, kept_by_root() | BIT(CAP_NR_SYS_ADMIN));
	run_end(pid);
	pid = start(flat, NULL);
	assert_kept(pid, kept_by_root());
	run_end(pid);
}

/* What comes with the file or from who started it is given up like root's. */
static void
an_ordinary_users_ptop_keeps_no_more(void **state)
{
	static const struct {
		const char *who;
		uint64_t of_file, kept;
	} ways[] = {
		{ "nobody", BIT(CAP_NR_PERFMON), BIT(CAP_NR_PERFMON) },
		{ "nobody", BIT(CAP_NR_SYS_ADMIN), BIT(CAP_NR_SYS_ADMIN) },
		{ "nobody", BIT(CAP_NR_PERFMON) | BIT(CAP_NR_SYS_ADMIN), BIT(CAP_NR_PERFMON) },
		{ "nobody", KEPT | BIT(1) /* DAC_OVERRIDE */ | BIT(7) /* SETUID */, KEPT },
		{ "ambient", 0, BIT(CAP_NR_PERFMON) | BIT(CAP_NR_SYS_PTRACE) },
	};
	const uint64_t bounding = field(getpid(), getpid(), "CapBnd");
	char path[300];

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char *argv[] = { path, "-b", "-n", "100", "-d", "0.5", "--format", "csv", "--force",
				 "-o", "/dev/null", NULL };
		pid_t pid;

		if (ways[i].of_file != 0)
			assert_true(person_set_file_caps(path, ways[i].of_file));
		pid = person_start(ways[i].who, argv);
		wait_name(pid, "ptop");
		/* Without CAP_SETPCAP the bounding set cannot be changed. */
		assert_sets(pid, ways[i].kept, bounding);
		run_end(pid);
		if (ways[i].of_file != 0)
			person_drop_file_caps(path);
	}
}

static void
command_has_all_that_the_user_had(void **state)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "--", "sh", "-c",
			 "grep Cap /proc/self/status >&2", NULL };
	struct run_result r;
	char own[64];

	(void)state;
	need_root();
	run_program(&r, 60, argv);
	snprintf(own, sizeof(own), "CapEff:\t%016llx",
		 (unsigned long long)field(getpid(), getpid(), "CapEff"));
	assert_non_null(strstr(r.err, own));
	snprintf(own, sizeof(own), "CapBnd:\t%016llx",
		 (unsigned long long)field(getpid(), getpid(), "CapBnd"));
	assert_non_null(strstr(r.err, own));
	run_release(&r);
}

/* The folder is another user's, as it is under sudo. */
static void
a_recording_can_be_written_where_only_another_user_may(void **state)
{
	const char *const args[] = { "-b", "-n", "2", "-d", "0.2", "-r", "here.data", NULL };
	char dir[] = "/tmp/ptop-caps-XXXXXX", path[64], user[16];
	struct stat st;
	pid_t pid;
	int status;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chown(dir, USER, USER), 0);
	snprintf(user, sizeof(user), "%d", USER);
	setenv("SUDO_UID", user, 1);
	setenv("SUDO_GID", user, 1);
	pid = start(args, dir);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	waitpid(pid, &status, 0);
	snprintf(path, sizeof(path), "%s/here.data", dir);
	if (stat(path, &st) != 0)
		st = (struct stat){ 0 };
	unlink(path);
	rmdir(dir);
	assert_int_equal(status, 0);
	assert_int_equal(st.st_uid, USER);
	assert_that(st.st_size, >, 0);
}

static void
each_capability_that_is_kept_has_its_reason(void **state)
{
	size_t count;
	const struct capability *table = capability_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_non_null(strchr(table[i].why, ' ')); /* words */
		assert_int_equal(strncmp(table[i].name, "CAP_", 4), 0);
		for (size_t k = 0; k < i; k++) {
			assert_int_not_equal(table[i].number, table[k].number);
			assert_string_not_equal(table[i].name, table[k].name);
			assert_string_not_equal(table[i].why, table[k].why);
		}
	}
}

/* The manual page is made of that table. */
static void
readme_tells_each_capability_that_is_kept(void **state)
{
	const char *top = getenv("top_srcdir");
	struct buf text = { 0 }, path = { 0 };
	size_t count;
	const struct capability *table = capability_table(&count);

	(void)state;
	buf_addf(&path, "%s/README.md", top != NULL ? top : ".");
	assert_int_equal(file_read(path.data, &text, 1 << 20), 0);
	for (size_t i = 0; i < count; i++) {
		char name[64] = "`";

		for (size_t k = 0; table[i].name[k] != '\0'; k++)
			name[k + 1] = (char)tolower(table[i].name[k]);
		strcat(name, "`");
		if (strstr(text.data, name) == NULL)
			fail_msg("README.md lacks %s", name);
	}
	buf_release(&text);
	buf_release(&path);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_keeps_what_it_uses_and_the_thread_that_shows_has_none),
		cmocka_unit_test(who_empties_rings_goes_before_who_makes_the_machine_busy),
		cmocka_unit_test(a_report_in_a_file_needs_more),
		cmocka_unit_test(probes_and_breakpoints_in_the_kernel_need_more),
		cmocka_unit_test(instructions_in_a_report_need_more),
		cmocka_unit_test(stacks_of_what_waits_in_the_kernel_need_more),
		cmocka_unit_test(an_ordinary_users_ptop_keeps_no_more),
		cmocka_unit_test(command_has_all_that_the_user_had),
		cmocka_unit_test(a_recording_can_be_written_where_only_another_user_may),
		cmocka_unit_test(each_capability_that_is_kept_has_its_reason),
		cmocka_unit_test(readme_tells_each_capability_that_is_kept),
	};

	(void)argc;
	person_main(argv);
	return cmocka_run_group_tests(tests, person_begin, person_end);
}
