/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --check: as root, as an ordinary user, and that what it says would grant a thing does. */
#include "app/run.h"
#include "event/event.h"
#include "breakpoint.h"
#include "paranoid.h"
#include "root.h"
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOBODY = 65534, TEXT_MAX = 65536, LINE_WIDTH = 80, ANSWER_COLUMN = 25, PAGES = 64 };

static const char *const names[] = {
	"own processes", "system-wide", "kernel", "other users' processes", "hardware events",
	"precise sampling", "branch stacks", "tracepoints", "fields of tracepoints", "breakpoints",
	"uprobes", "kprobes", "cgroups", "user stack dumps", "ring memory", "descriptors",
	"kernel symbols", "other mount namespaces",
};

/* What a child that checks was told, in memory that it shares. */
struct answer {
	bool may_own;
	char text[TEXT_MAX];
};

/* The line of @name: what stands behind the name.  It must be there once. */
static const char *
answer_to(const char *text, const char *name)
{
	size_t len = strlen(name);
	const char *found = NULL;

	for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
		if (strncmp(line, name, len) == 0 &&
		    len + strspn(line + len, " ") == ANSWER_COLUMN) {
			assert_null(found);
			found = line + ANSWER_COLUMN;
		}
	}
	if (found == NULL)
		fail_msg("no '%s' in:\n%s", name, text);
	return found;
}

static bool
says_yes(const char *text, const char *name)
{
	const char *answer = answer_to(text, name);

	if (strncmp(answer, "yes", 3) == 0)
		return true;
	assert_int_equal(strncmp(answer, "no", 2), 0);
	return false;
}

/* From the line of @name to that of the next one. */
static char *
part_of(const char *text, const char *name)
{
	const char *begin = answer_to(text, name), *end = begin + strcspn(begin, "\n");

	while (end[0] == '\n' && end[1] == ' ')
		end += 1 + strcspn(end + 1, "\n");
	return mem_strndup(begin, (size_t)(end - begin));
}

/* @name is denied, and @reason and @grant, each unbroken, are said of it. */
static void
assert_denied(const char *text, const char *name, const char *reason, const char *grant)
{
	char *part = part_of(text, name);

	if (says_yes(text, name) || strstr(part, reason) == NULL || strstr(part, grant) == NULL)
		fail_msg("%s: '%s', '%s' are not in: %s", name, reason, grant, part);
	free(part);
}

static void
assert_well_formed(const char *text)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		says_yes(text, names[i]);
	/* The name of a file, quoted, is not broken. */
	for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > LINE_WIDTH && line[strspn(line, " ")] != '\'')
			fail_msg("too long: %.200s", line);
}

/* The check of a child that @become()s somebody, on the real kernel. */
static struct answer *
check_as(void (*become)(void), unsigned pages)
{
	struct answer *a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, pid = run_fork();

	if (pid == 0) {
		struct config config = { .engine.mmap_pages = pages };
		struct event_env env;
		struct buf b = { 0 };

		become();
		event_env_open(&env);
		a->may_own = check_put(&b, &sys_kernel, &env, &config);
		event_env_close(&env);
		snprintf(a->text, sizeof(a->text), "%s", b.data);
		buf_release(&b);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_well_formed(a->text);
	return a;
}

static void
answer_free(struct answer *a)
{
	munmap(a, sizeof(*a));
}

static void
become_nobody(void)
{
	if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
}

static void
become_nobody_without_tracefs(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		_exit(1);
	while (umount2("/sys/kernel/debug/tracing", MNT_DETACH) == 0 ||
	       umount2("/sys/kernel/tracing", MNT_DETACH) == 0)
		;
	become_nobody();
}

static void
become_nobody_with_little_memory(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_MEMLOCK, &none);
	become_nobody();
}

static void
become_short_of_descriptors(void)
{
	struct rlimit few = { 70, 70 };

	if (setrlimit(RLIMIT_NOFILE, &few) < 0)
		_exit(1);
}

/* One that events can be opened for. */
static bool
has_cgroups(void)
{
	return system("grep -qE ' cgroup2 |perf_event' /proc/mounts") == 0;
}

static void
root_may_all_that_the_machine_has(void **state)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "--check", NULL };
	struct run_result r;

	(void)state;
	need_root();
	run_program(&r, 60, argv);
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 0);
	assert_string_equal(r.err, "");
	assert_well_formed(r.out);
	assert_int_equal(strncmp(r.out, "user root (0), Linux ", 21), 0);
	assert_true(says_yes(r.out, "own processes"));
	assert_true(says_yes(r.out, "system-wide"));
	assert_true(says_yes(r.out, "kernel"));
	assert_true(says_yes(r.out, "other users' processes"));
	assert_true(says_yes(r.out, "tracepoints"));
	assert_int_equal(says_yes(r.out, "breakpoints"), breakpoints_work());
	assert_true(says_yes(r.out, "user stack dumps"));
	assert_true(says_yes(r.out, "ring memory"));
	/* Stacks, and bursts, make them larger later. */
	assert_non_null(strstr(r.out, " at least "));
	assert_true(says_yes(r.out, "cgroups") || !has_cgroups());
	/* What ptop can do with them, which is not to count one. */
	assert_true(!has_cgroups() || strstr(r.out, "in samples: --by cgroup") != NULL);
	assert_int_equal(says_yes(r.out, "hardware events"),
			 access("/sys/bus/event_source/devices/cpu", F_OK) == 0);
	assert_int_equal(says_yes(r.out, "uprobes"),
			 access("/sys/bus/event_source/devices/uprobe", F_OK) == 0);
	run_release(&r);
}

static void
an_ordinary_user_is_told_what_would_grant_it(void **state)
{
	struct answer *a;

	(void)state;
	need_root();
	paranoid_set(2);
	a = check_as(become_nobody, PAGES);
	assert_true(a->may_own);
	assert_true(says_yes(a->text, "own processes"));
	assert_int_equal(says_yes(a->text, "breakpoints"), breakpoints_work());
	assert_denied(a->text, "system-wide", "ordinary users may not",
		      "or: sudo sysctl kernel.perf_event_paranoid=0");
	assert_denied(a->text, "kernel", "EACCES (PermissionDenied)",
		      "sudo sysctl kernel.perf_event_paranoid=1");
	assert_denied(a->text, "other users' processes", "another user",
		      "sudo setcap cap_perfmon,cap_sys_ptrace+ep");
	assert_denied(a->text, "other users' processes", "another user", "/test_check'");
	assert_denied(a->text, "tracepoints", "tracefs is not readable, and perf_event_paranoid is",
		      "sysctl kernel.perf_event_paranoid=1\n");
	assert_denied(a->text, "fields of tracepoints", "tracefs is not readable, and",
		      "sysctl kernel.perf_event_paranoid=-1\n");
	assert_denied(a->text, "tracepoints", "tracefs is not readable",
		      "sudo setcap cap_perfmon,cap_dac_read_search+ep");
	if (has_cgroups())
		assert_denied(a->text, "cgroups", "ordinary users may not",
			      "or: sudo sysctl kernel.perf_event_paranoid=0");
	assert_denied(a->text, "kernel symbols", "/proc/kallsyms shows no addresses",
		      "sudo setcap cap_syslog+ep");
	assert_denied(a->text, "other mount namespaces", "CAP_SYS_PTRACE is missing",
		      "sudo setcap cap_sys_ptrace,cap_dac_read_search+ep");
	answer_free(a);
}

/* A command is one: it can be pasted, and grants the whole of it. */
static void
without_tracefs_it_is_told_how_to_mount_it_and_what_else_it_takes(void **state)
{
	struct answer *a;

	(void)state;
	need_root();
	paranoid_set(2);
	a = check_as(become_nobody_without_tracefs, PAGES);
	assert_denied(a->text, "tracepoints", "tracefs is not mounted, and perf_event_paranoid is",
		      "sysctl kernel.perf_event_paranoid=1\n");
	assert_denied(a->text, "tracepoints", "tracefs is not mounted",
		      "sudo mount -t tracefs -o gid=65534,mode=750 tracefs");
	assert_denied(a->text, "fields of tracepoints", "tracefs is not mounted, and",
		      "sysctl kernel.perf_event_paranoid=-1\n");
	assert_null(strstr(a->text, "tracing;"));
	answer_free(a);
	paranoid_set(-1);
	a = check_as(become_nobody_without_tracefs, PAGES);
	assert_denied(a->text, "fields of tracepoints", "tracefs is not mounted\n",
		      "/sys/kernel/tracing\n");
	answer_free(a);
}

/* What the lines above say is true. */
static void
each_level_of_paranoid_grants_what_was_said(void **state)
{
	static const struct {
		int level;
		bool kernel, system;
	} levels[] = { { 2, false, false }, { 1, true, false }, { 0, true, true } };

	(void)state;
	need_root();
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		struct answer *a;

		paranoid_set(levels[i].level);
		a = check_as(become_nobody, PAGES);
		assert_true(a->may_own);
		assert_int_equal(says_yes(a->text, "kernel"), levels[i].kernel);
		assert_int_equal(says_yes(a->text, "system-wide"), levels[i].system);
		answer_free(a);
	}
}

static void
rings_above_the_limit_of_locked_memory_are_told(void **state)
{
	struct answer *a;

	(void)state;
	need_root();
	a = check_as(become_nobody_with_little_memory, 16384);
	assert_denied(a->text, "ring memory", "EPERM (RingMemory)", "kernel.perf_event_mlock_kb");
	assert_denied(a->text, "ring memory", "ptop goes on with", "smaller rings (-m)");
	answer_free(a);
}

static void
too_few_descriptors_are_told(void **state)
{
	struct answer *a;

	(void)state;
	need_root();
	a = check_as(become_short_of_descriptors, PAGES);
	assert_denied(a->text, "descriptors", "are needed", "ulimit -Hn");
	answer_free(a);
}

static int
take_paranoid(void **state)
{
	(void)state;
	return geteuid() != 0 || paranoid_take() ? 0 : -1;
}

static int
give_paranoid_back(void **state)
{
	(void)state;
	paranoid_give_back();
	return 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_may_all_that_the_machine_has),
		cmocka_unit_test(an_ordinary_user_is_told_what_would_grant_it),
		cmocka_unit_test(without_tracefs_it_is_told_how_to_mount_it_and_what_else_it_takes),
		cmocka_unit_test(each_level_of_paranoid_grants_what_was_said),
		cmocka_unit_test(rings_above_the_limit_of_locked_memory_are_told),
		cmocka_unit_test(too_few_descriptors_are_told),
	};

	return cmocka_run_group_tests(tests, take_paranoid, give_paranoid_back);
}
