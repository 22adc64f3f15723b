/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "live/sys/procfs.h"
#include "tests/asserts.h"

#define TAIL " S 1 42 42 0 -1 4194560 1 2 3 4 150 25 5 6 -51 -7 7 0 123456 1000 200 " \
	     "18446744073709551615 94000 95000 140736 0 0\n"

/* A copy that ends where the text ends, so that the sanitizer sees each byte read behind it. */
static bool
stat_of(const char *text, size_t len, struct procfs_stat *out)
{
	char *copy = malloc(len > 0 ? len : 1);
	bool res;

	memcpy(copy, text, len);
	res = procfs_stat(copy, len, out);
	free(copy);
	return res;
}

static void
stat_gives_its_fields(void **state)
{
	const char *text = "4242 (bash)" TAIL;
	struct procfs_stat s;

	(void)state;
	assert_true(stat_of(text, strlen(text), &s));
	assert_int_equal(s.pid, 4242);
	assert_string_equal(s.comm, "bash");
	assert_int_equal(s.state, 'S');
	assert_int_equal(s.ppid, 1);
	assert_int_equal(s.flags, 4194560);
	assert_int_equal(s.utime, 150);
	assert_int_equal(s.stime, 25);
	assert_int_equal(s.priority, -51);
	assert_int_equal(s.nice, -7);
	assert_int_equal(s.threads, 7);
	assert_int_equal(s.start_ticks, 123456);
	assert_int_equal(s.virt_bytes, 1000);
	assert_int_equal(s.rss_pages, 200);
	assert_int_equal(s.start_stack, 140736);
}

static void
a_comm_can_hold_parentheses_blanks_and_newlines(void **state)
{
	const char *text = "7 (a) R 9 (\n) b)" TAIL;
	struct procfs_stat s;

	(void)state;
	assert_true(stat_of(text, strlen(text), &s));
	assert_string_equal(s.comm, "a) R 9 (\n) b");
	assert_int_equal(s.state, 'S');
	assert_int_equal(s.start_ticks, 123456);
}

static void
a_comm_that_is_too_long_is_cut(void **state)
{
	char text[400] = "7 (";
	struct procfs_stat s;

	(void)state;
	memset(text + 3, 'x', 100);
	strcpy(text + 103, ")" TAIL);
	assert_true(stat_of(text, strlen(text), &s));
	assert_int_equal(strlen(s.comm), sizeof(s.comm) - 1);
	assert_int_equal(s.ppid, 1);
}

static void
stat_refuses_each_text_that_ends_before_its_last_field(void **state)
{
	const char *text = "4242 (ba) sh)" TAIL;
	size_t need = (size_t)(strstr(text, " 140736") - text) + 2;
	struct procfs_stat s;

	(void)state;
	for (size_t len = 0; len < need; len++)
		assert_false(stat_of(text, len, &s));
	assert_true(stat_of(text, need, &s));
	assert_false(stat_of("x (a)" TAIL, strlen("x (a)" TAIL), &s));
	assert_false(stat_of("1 )(" TAIL, strlen("1 )(" TAIL), &s));
}

static bool
map_of(const char *line, struct procfs_map *m)
{
	return procfs_map(line, strlen(line), m);
}

static void
a_map_gives_its_fields(void **state)
{
	struct procfs_map m;

	(void)state;
	assert_true(map_of("7f0000001000-7f0000003000 r-xp 00002000 fd:1a 789   "
			   "/lib/a b.so (deleted)", &m));
	assert_true(m.start == 0x7f0000001000 && m.end == 0x7f0000003000 && m.pgoff == 0x2000);
	assert_int_equal(m.maj, 0xfd);
	assert_int_equal(m.min, 0x1a);
	assert_int_equal(m.ino, 789);
	assert_int_equal(m.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(m.name_len, strlen("/lib/a b.so (deleted)"));
	assert_memory_equal(m.name, "/lib/a b.so (deleted)", m.name_len);
}

static void
a_map_can_be_without_a_name(void **state)
{
	struct procfs_map m;

	(void)state;
	assert_true(map_of("1000-2000 rwxs 00000000 00:00 0 ", &m));
	assert_int_equal(m.prot, PROT_READ | PROT_WRITE | PROT_EXEC);
	assert_int_equal(m.name_len, 0);
	assert_true(map_of("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 "
			   "[vsyscall]", &m));
	assert_int_equal(m.prot, PROT_EXEC);
	assert_true(m.end == 0xffffffffff601000);
}

static void
lines_that_are_no_maps_are_refused(void **state)
{
	static const char *const lines[] = {
		"", "1000", "1000-", "1000-2000", "1000-2000 r-x", "1000-2000 r-xp 0 00:00",
		"2000-1000 r-xp 0 00:00 0", "1000-1000 r-xp 0 00:00 0", "1000-2000 abcp 0 00:00 0",
		"10000000000000000-20000000000000000 r-xp 0 00:00 0", "1000-2000 r-xp 0 0000 0",
		"1000-2000 r-xp 0 00:00 99999999999999999999",
	};
	struct procfs_map m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_false(map_of(lines[i], &m));
}

static void
an_escaped_newline_is_decoded_and_nothing_else_is(void **state)
{
	const char *name = "\\012a\\012b\\134c\\01";
	char out[64];
	size_t n;

	(void)state;
	n = procfs_map_name(name, strlen(name), out);
	assert_int_equal(n, strlen("\na\nb\\134c\\01"));
	assert_memory_equal(out, "\na\nb\\134c\\01", n);
}

static void
a_command_has_blanks_for_its_nuls(void **state)
{
	char bytes[] = "ls\0-l\0\0a b\0\0";
	char nuls[] = "\0\0\0";

	(void)state;
	assert_int_equal(procfs_command(bytes, sizeof(bytes) - 1), strlen("ls -l  a b"));
	assert_memory_equal(bytes, "ls -l  a b", strlen("ls -l  a b"));
	assert_int_equal(procfs_command(nuls, 3), 0);
	assert_int_equal(procfs_command(nuls, 0), 0);
}

static void
cpu_lines_give_the_sum_and_each_cpu(void **state)
{
	const char *text = "cpu  10 20 30 40 50 60 70 80 90 99\ncpu0 1 2 3 4 5 6 7 8 9 9\n"
			   "cpu3 9 8 7 6 5 4 3 2 1 0\nintr 1 2 3\ncpu4 1 1 1 1 1 1 1 1 1 1\n";
	struct procfs_cpu all, cpus[4];
	size_t n;

	(void)state;
	assert_true(procfs_cpus(text, strlen(text), &all, cpus, 4, &n));
	assert_int_equal(all.ticks[PROCFS_USER], 10);
	assert_int_equal(all.ticks[PROCFS_STEAL], 80);
	assert_int_equal(n, 2);
	assert_int_equal(cpus[0].cpu, 0);
	assert_int_equal(cpus[1].cpu, 3);
	assert_int_equal(cpus[1].ticks[PROCFS_SOFTIRQ], 3);
	assert_true(procfs_cpus(text, strlen(text), &all, cpus, 1, &n));
	assert_int_equal(n, 1);
}

static void
cpu_lines_of_an_old_kernel_are_shorter(void **state)
{
	const char *text = "cpu  10 20 30 40\ncpu0 10 20 30 40\n";
	struct procfs_cpu all, cpus[4];
	size_t n;

	(void)state;
	assert_true(procfs_cpus(text, strlen(text), &all, cpus, 4, &n));
	assert_int_equal(n, 1);
	assert_int_equal(cpus[0].ticks[PROCFS_IDLE], 40);
	assert_int_equal(cpus[0].ticks[PROCFS_IRQ], 0);
}

static void
broken_cpu_lines_end_the_list(void **state)
{
	const char *text = "cpu  1 2 3 4 5 6 7 8\ncpu1 1 2 3 4 5 6 7 8\ncpu1 1 2 3 4 5 6 7 8\n";
	const char *cut = "cpu  1 2 3 4 5 6 7 8\ncpu0 1 2 x\n";
	struct procfs_cpu all, cpus[4];
	size_t n;

	(void)state;
	assert_true(procfs_cpus(text, strlen(text), &all, cpus, 4, &n));
	assert_int_equal(n, 1);
	assert_true(procfs_cpus(cut, strlen(cut), &all, cpus, 4, &n));
	assert_int_equal(n, 0);
	assert_false(procfs_cpus("", 0, &all, cpus, 4, &n));
	assert_false(procfs_cpus("cpu0 1 2 3 4\n", 13, &all, cpus, 4, &n));
	assert_false(procfs_cpus("cpu  1 2\n", 9, &all, cpus, 4, &n));
}

static void
memory_and_pressure_are_read_from_their_lines(void **state)
{
	static const char memory[] = "MemTotal:       16000 kB\nMemFree:         100 kB\n"
				     "MemAvailable:    9000 kB\nSwapTotal:       2000 kB\n"
				     "SwapFree:        1500 kB\n";
	static const char pressure[] = "some avg10=12.34 avg60=1.00 avg300=0.00 total=99\n"
				       "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
	struct procfs_memory m;
	double some;

	(void)state;
	assert_true(procfs_meminfo(memory, strlen(memory), &m));
	assert_int_equal(m.total, 16000 * 1024);
	assert_int_equal(m.available, 9000 * 1024);
	assert_int_equal(m.swap_total - m.swap_free, 500 * 1024);
	assert_false(procfs_meminfo("MemFree: 1 kB\n", 14, &m));
	assert_false(procfs_meminfo("MemTotal: 99999999999999999999 kB\n", 34, &m));
	assert_true(procfs_pressure(pressure, strlen(pressure), &some));
	assert_true(some > 12.33 && some < 12.35);
	assert_false(procfs_pressure(pressure, 11, &some));
	assert_false(procfs_pressure("", 0, &some));
}

static void
bytes_of_storage_are_read_from_io(void **state)
{
	static const char text[] = "rchar: 9\nwchar: 8\nsyscr: 7\nsyscw: 6\nread_bytes: 4096\n"
				   "write_bytes: 8192\ncancelled_write_bytes: 1\n";
	uint64_t r, w;

	(void)state;
	assert_true(procfs_io(text, strlen(text), &r, &w));
	assert_int_equal(r, 4096);
	assert_int_equal(w, 8192);
	assert_false(procfs_io(text, 50, &r, &w));
	assert_false(procfs_io("read_bytes: x\nwrite_bytes: 1\n", 29, &r, &w));
}

static void
load_uptime_and_schedstat_give_their_numbers(void **state)
{
	const char *text = "7.91 16.20 0.08 9/412 12345\n";
	struct procfs_schedstat s;
	struct procfs_loadavg l;
	uint64_t n;

	(void)state;
	assert_true(procfs_loadavg(text, strlen(text), &l));
	assert_that(l.load[0], >, 7.909);
	assert_that(l.load[0], <, 7.911);
	assert_that(l.load[1], >, 16.199);
	assert_that(l.load[1], <, 16.201);
	assert_that(l.load[2], >, 0.079);
	assert_that(l.load[2], <, 0.081);
	assert_int_equal(l.running, 9);
	assert_int_equal(l.tasks, 412);
	assert_false(procfs_loadavg(text, 18, &l));
	assert_true(procfs_uptime("8345.67 100.00\n", 15, &n));
	assert_int_equal(n, 8345);
	assert_false(procfs_uptime("", 0, &n));
	assert_true(procfs_schedstat("123456789012 5 6\n", 17, &s));
	assert_true(s.run_ns == 123456789012);
	assert_int_equal(s.queue_ns, 5);
	assert_int_equal(s.turns, 6);
	assert_false(procfs_schedstat("x", 1, &s));
	assert_false(procfs_schedstat("123456789012 5", 14, &s));
}

static void
a_thread_that_waits_tells_its_call_and_where_it_is(void **state)
{
	static const char call[] = "202 0x7f0a1c0 0x189 0x0 0xffffffffffffffff 0x1 0xdead "
				   "0x7ffc1 0x401136\n";
	struct procfs_syscall s;

	(void)state;
	assert_true(procfs_syscall(call, strlen(call), &s));
	assert_false(s.is_running);
	assert_int_equal(s.number, 202);
	assert_true(s.args[0] == 0x7f0a1c0);
	assert_true(s.args[3] == UINT64_MAX);
	assert_true(s.args[5] == 0xdead);
	assert_true(s.sp == 0x7ffc1);
	assert_true(s.pc == 0x401136);
	assert_true(procfs_syscall("running\n", 8, &s));
	assert_true(s.is_running);
	/* For a page. */
	assert_true(procfs_syscall("-1 0x10 0x20\n", 13, &s));
	assert_int_equal(s.number, PROCFS_NO_CALL);
	assert_true(s.sp == 0x10);
	assert_true(s.pc == 0x20);
}

static void
a_status_tells_the_id_in_the_innermost_pid_namespace(void **state)
{
	static const char own[] = "Name:\tx\nNSpid:\t4711\nVmPeak:\t1\n",
			  other[] = "Name:\tx\nNStgid:\t4711\t1\nNSpid:\t4712\t30\t7\nNSpgid:\t1\n",
			  *const refused[] = { "", "Name:\tNSpid:\n", "\nNSpid:\n", "\nNSpid:\t",
					       "\nNSpid:\t1\tx\n", "\nNSpid:\t1\t99999999999\n" };
	int id = -1;

	(void)state;
	assert_true(procfs_ns_pid(own, strlen(own), &id));
	assert_int_equal(id, 0);
	assert_true(procfs_ns_pid(other, strlen(other), &id));
	assert_int_equal(id, 7);
	/* Cut where the text was. */
	assert_true(procfs_ns_pid(other, strlen("Name:\tx\nNStgid:\t4711\t1\nNSpid:\t4712\t30"), &id));
	assert_int_equal(id, 30);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (procfs_ns_pid(refused[i], strlen(refused[i]), &id))
			fail_msg("taken: '%s'", refused[i]);
}

static void
a_status_tells_how_often_a_thread_has_left_its_cpu(void **state)
{
	static const char text[] = "Name:\tx\nvoluntary_ctxt_switches:\t12\n"
				   "nonvoluntary_ctxt_switches:\t34\n",
			  *const refused[] = { "", "Name:\tvoluntary_ctxt_switches:\t1\n",
					       "\nnonvoluntary_ctxt_switches:\t1\n",
					       "\nvoluntary_ctxt_switches:\t1\n",
					       "\nvoluntary_ctxt_switches:\t",
					       "\nvoluntary_ctxt_switches:\tx\n" };
	struct procfs_switches switches;

	(void)state;
	assert_true(procfs_switches(text, strlen(text), &switches));
	assert_int_equal(switches.sleeps, 12);
	assert_int_equal(switches.yielded, 34);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (procfs_switches(refused[i], strlen(refused[i]), &switches))
			fail_msg("taken: '%s'", refused[i]);
}

static void
a_call_that_is_cut_or_nonsense_is_refused(void **state)
{
	static const char *const texts[] = {
		"", "r", "runnin", "-", "-1", "-1 0x10", "-1 16 32", "202", "202 0x1 0x2 0x3 0x4 0x5 0x6",
		"202 0x1 0x2 0x3 0x4 0x5 0x6 0x7", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x", "0x7 0x1 0x2",
		"99999999999 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8", "1 0x11111111111111111 0x2",
		"1 2 3 4 5 6 7 8 9",
	};
	struct procfs_syscall s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (procfs_syscall(texts[i], strlen(texts[i]), &s))
			fail_msg("taken: '%s'", texts[i]);
}

static void
only_numbers_that_can_be_pids_are_pids(void **state)
{
	static const char *const names[] = { "", "self", "0", "01", "12x", "-1", "4194304",
					     "99999999999999999999", "1 " };
	int pid = 0;

	(void)state;
	assert_true(procfs_pid("1", &pid));
	assert_int_equal(pid, 1);
	assert_true(procfs_pid("4194303", &pid));
	assert_int_equal(pid, 4194303);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_false(procfs_pid(names[i], &pid));
}

static void
assert_cgroup(const char *text, const char *want)
{
	const char *path = NULL;
	size_t len = 0;
	bool found = procfs_cgroup(text, strlen(text), &path, &len);

	assert_int_equal(found, want != NULL);
	if (want != NULL) {
		assert_int_equal(len, strlen(want));
		assert_memory_equal(path, want, len);
	}
}

static void
the_cgroup_is_that_of_the_hierarchy_that_perf_knows(void **state)
{
	(void)state;
	assert_cgroup("0::/system.slice/a.service\n", "/system.slice/a.service");
	assert_cgroup("12:cpu,cpuacct:/no\n4:cpuset,perf_event:/docker/1\n0::/init.scope\n", "/docker/1");
	assert_cgroup("0::/v2\n4:perf_event:/v1\n", "/v1");
	assert_cgroup("4:no_perf_event,perf_events:/no\n1:name=systemd:/no\n0::/v2:with:colons\n",
		      "/v2:with:colons");
	assert_cgroup("0::/a/b (deleted)\n", "/a/b");
	assert_cgroup("0::/\n", "/");
	assert_cgroup("0::/cut off in the middl", NULL);
	assert_cgroup("4:cpu:/no\n", NULL);
	assert_cgroup("0::\n:\n::\n0:\n\n", NULL);
	assert_cgroup("", NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_storage_are_read_from_io),
		cmocka_unit_test(memory_and_pressure_are_read_from_their_lines),
		cmocka_unit_test(stat_gives_its_fields),
		cmocka_unit_test(a_comm_can_hold_parentheses_blanks_and_newlines),
		cmocka_unit_test(a_comm_that_is_too_long_is_cut),
		cmocka_unit_test(stat_refuses_each_text_that_ends_before_its_last_field),
		cmocka_unit_test(a_map_gives_its_fields),
		cmocka_unit_test(a_map_can_be_without_a_name),
		cmocka_unit_test(lines_that_are_no_maps_are_refused),
		cmocka_unit_test(an_escaped_newline_is_decoded_and_nothing_else_is),
		cmocka_unit_test(a_command_has_blanks_for_its_nuls),
		cmocka_unit_test(cpu_lines_give_the_sum_and_each_cpu),
		cmocka_unit_test(cpu_lines_of_an_old_kernel_are_shorter),
		cmocka_unit_test(broken_cpu_lines_end_the_list),
		cmocka_unit_test(load_uptime_and_schedstat_give_their_numbers),
		cmocka_unit_test(a_thread_that_waits_tells_its_call_and_where_it_is),
		cmocka_unit_test(a_status_tells_the_id_in_the_innermost_pid_namespace),
		cmocka_unit_test(a_status_tells_how_often_a_thread_has_left_its_cpu),
		cmocka_unit_test(a_call_that_is_cut_or_nonsense_is_refused),
		cmocka_unit_test(only_numbers_that_can_be_pids_are_pids),
		cmocka_unit_test(the_cgroup_is_that_of_the_hierarchy_that_perf_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
