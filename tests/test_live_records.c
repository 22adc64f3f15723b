/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only records can tell while sampling goes on: control groups, and kernel code that comes. */
#include <config.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/bpf_fixture.h"
#include "tests/cgroup_dir.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 60, LATER_US = 1000000 };

static void
choose(struct cgroup_dir *g)
{
	char name[64];

	snprintf(name, sizeof(name), "ptop-test-%d", (int)getpid());
	cgroup_choose(g, name);
}

static double
samples_in(const struct cgroup_dir *g, const char *csv)
{
	const char *const pairs[][2] = { { "cgroup", g->name }, { "comm", "in_a_group" } };

	return run_csv_sum(csv, "samples", 2, pairs);
}

static void
groups_that_are_there_and_groups_that_come_have_their_paths(void **state)
{
	static const unsigned after_us[] = { 0, LATER_US };

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(after_us); i++) {
		char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "3",
				 "--by", "cgroup,comm", "--format", "csv", NULL };
		struct run_result r;
		struct cgroup_dir g = { .child = 0 };
		double samples, used;

		choose(&g);
		cgroup_burn(&g, "in_a_group", after_us[i]);
		usleep(100000);
		run_program(&r, PATIENCE_S, argv);
		used = run_cpu_s(g.child);
		cgroup_end(&g);
		assert_int_equal(r.status, 0);
		samples = samples_in(&g, r.out);
		/* The budget may lower the rate. */
		if (used <= 0 || samples <= CLOCK_SAMPLES_LEAST(used, 499))
			fail_msg("%.0f samples in %s, which ran for %.2f s:\n%s", samples, g.name, used, r.out);
		assert_null(strstr(r.out, "cgroup:"));
		run_release(&r);
	}
}

/* What others do comes to no ring: nothing of it has to be left out.  JSON alone tells. */
static void
assert_the_kernel_sorts_out(struct cgroup_dir *g)
{
#ifdef HAVE_JANSSON
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "1", "-e", "cpu-clock",
			 "-G", g->name, "--format", "json", NULL };
	struct run_result r;

	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0 || strstr(r.out, "\"left_out\":0,") == NULL) {
		cgroup_end(g);
		fail_msg("-G %s:\n%s%s", g->name, r.out, r.err);
	}
	run_release(&r);
#else
	(void)g;
#endif
}

/* In the kernel where it is one, else as samples come. */
static void
one_group_alone_is_sampled(void **state)
{
	char names[2][300], *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "2", "-e",
					"cpu-clock", "-F", "499", "-G", NULL, "--by", "cgroup,comm",
					"--format", "csv", NULL };
	char *none[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-G", "/ptop-no-such-group", NULL };
	struct cgroup_dir g = { .child = 0 };
	struct run_result r;

	(void)state;
	need_root();
	choose(&g);
	snprintf(names[0], sizeof(names[0]), "%s", g.name);
	snprintf(names[1], sizeof(names[1]), "%.280s*", g.name);
	cgroup_burn(&g, "in_a_group", 0);
	usleep(100000);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		double samples, used = run_cpu_s(g.child);

		argv[11] = names[i];
		run_program(&r, PATIENCE_S, argv);
		used = run_cpu_s(g.child) - used;
		assert_int_equal(r.status, 0);
		samples = samples_in(&g, r.out);
		if (used <= 0 || samples <= CLOCK_SAMPLES_LEAST(used, 499) ||
		    samples != run_csv_sum(r.out, "samples", 0, NULL)) {
			cgroup_end(&g);
			fail_msg("-G %s, which ran for %.2f s:\n%s%s", names[i], used, r.out, r.err);
		}
		run_release(&r);
	}
	assert_the_kernel_sorts_out(&g);
	cgroup_end(&g);
	run_program(&r, PATIENCE_S, none);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "no control group '/ptop-no-such-group'"));
	run_release(&r);
}

static void
a_filter_keeps_a_group(void **state)
{
	char filter[300], *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "2",
				      "--by", "comm", "--filter", filter, "--format", "csv", NULL };
	struct cgroup_dir g = { .child = 0 };
	bool has = false, is_wrong = false;
	struct run_result r;

	(void)state;
	need_root();
	choose(&g);
	snprintf(filter, sizeof(filter), "cgroup=%s", g.name);
	cgroup_burn(&g, "in_a_group", 0);
	for (int tries = 0; tries < 5 && !has; tries++) {
		run_program(&r, PATIENCE_S, argv);
		is_wrong |= r.status != 0 || strstr(r.out, "\nptop,") != NULL;
		has = strstr(r.out, "in_a_group,") != NULL;
		if (is_wrong || !has)
			print_message("# %s%s\n", r.out, r.err);
		run_release(&r);
	}
	cgroup_end(&g);
	assert_false(is_wrong);
	assert_true(has);
}

/* One event on each CPU: as many ids as there were CPUs that it ran on. */
static void
ids_of_events_and_of_what_children_inherit_can_be_shown(void **state)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "1", "-e",
			 "cpu-clock", "--attr", "sample_type=ID|STREAM_ID", "--by",
			 "id,stream_id", "--format", "csv", NULL };
	static const char head[] = "id,stream_id,samples,period,percent\n";
	unsigned long id, stream_id, samples = 0, some, rows = 0;
	pid_t load = run_load("hot");
	struct run_result r;

	(void)state;
	need_root();
	run_program(&r, PATIENCE_S, argv);
	run_end(load);
	assert_int_equal(r.status, 0);
	assert_int_equal(strncmp(r.out, head, strlen(head)), 0);
	for (const char *line = r.out + strlen(head); *line != '\0'; line = strchr(line, '\n') + 1) {
		if (sscanf(line, "%lu,%lu,%lu,", &id, &stream_id, &some) != 3)
			fail_msg("no ids in: %s", line);
		assert_true(id > 0 && stream_id > 0);
		samples += some;
		rows++;
	}
	assert_true(rows > 0 && samples > 50);
	run_release(&r);
}

static void
run_program_for_ever(int fd)
{
	while (bpf_run(fd) == 0)
		;
	_exit(1);
}

/* Whether ptop names a program that is loaded and run while it samples; its report is in @r. */
static bool
names_program(struct run_result *r)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "3", "--by",
			 "comm,symbol,dso", "--format", "csv", NULL };
	int child = run_fork();

	if (child == 0) {
		prctl(PR_SET_NAME, "bpf_user");
		usleep(LATER_US);
		run_program_for_ever(bpf_load("ptop_spin"));
	}
	run_program(r, PATIENCE_S, argv);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(r->status, 0);
	return strstr(r->out, "bpf_user,bpf_prog_") != NULL &&
	       strstr(r->out, "_ptop_spin,[bpf],") != NULL;
}

static void
a_bpf_program_that_comes_later_has_its_name(void **state)
{
	struct run_result r;
	int fd;

	(void)state;
	need_root();
	fd = bpf_load("ptop_spin");
	if (fd < 0)
		skip_for("no BPF program can be loaded: %s", strerror(errno));
	close(fd);
	/* The record is written on the CPU that loads it: there is none on one that just came. */
	for (int tries = 0; !names_program(&r); tries++) {
		if (tries == 2)
			fail_msg("no program has its name:\n%s", r.out);
		run_release(&r);
	}
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_that_are_there_and_groups_that_come_have_their_paths),
		cmocka_unit_test(one_group_alone_is_sampled),
		cmocka_unit_test(a_filter_keeps_a_group),
		cmocka_unit_test(ids_of_events_and_of_what_children_inherit_can_be_shown),
		cmocka_unit_test(a_bpf_program_that_comes_later_has_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
