/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tests/scale/generate writes is what a machine would have recorded: by ptop's own reader and
 * by perf, the same each time, without holding it in memory.
 */
#include <config.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "datafile/datafile.h"
#include "tests/asserts.h"
#include "tests/run.h"
#include "tests/scale/machine.h"
#include "tests/scale/records.h"
#include "tests/skip.h"

enum { GENERATE_S = 60, READ_S = 120, ARGS_MAX = 24, FILE_MAX = 64 << 20 };

static char dir[] = "/tmp/ptop-test-scale-XXXXXX";

static int
make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static int
remove_dir(void **state)
{
	char command[sizeof(dir) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

static const char *
path_of(const char *name)
{
	static char paths[4][sizeof(dir) + 32];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* How many samples it says that it wrote; @words: its options, their end is NULL. */
static unsigned long
generate(const char *file, const char *const words[])
{
	const char *top = getenv("top_builddir");
	char program[4096];
	char *argv[ARGS_MAX] = { program };
	struct run_result r;
	unsigned long samples;
	int n = 1;

	snprintf(program, sizeof(program), "%s/tests/scale/generate", top != NULL ? top : ".");
	for (int i = 0; words[i] != NULL; i++)
		argv[n++] = (char *)(uintptr_t)words[i];
	argv[n++] = (char *)(uintptr_t)file;
	run_program(&r, GENERATE_S, argv);
	assert_string_equal(r.err, "");
	assert_int_equal(r.status, 0);
	assert_int_equal(sscanf(r.out, "samples %lu", &samples), 1);
	run_release(&r);
	return samples;
}

/* Much of all that there is, of few. */
static unsigned long
generate_small(const char *file)
{
	const char *const words[] = {
		"--cpus", "4", "--tasks", "40", "--samples", "20000", "--depth", "8",
		"--forks", "50", "--execs", "20", "--mmaps", "30",
		"--images", path_of("images"), NULL
	};

	return generate(file, words);
}

static void
the_same_numbers_give_the_same_bytes(void **state)
{
	struct buf a = { 0 }, b = { 0 }, c = { 0 };
	const char *one[] = { "--samples", "5000", "--forks", "100", "--seed", "7", NULL };

	(void)state;
	generate(path_of("a"), one);
	generate(path_of("b"), one);
	one[5] = "8";
	generate(path_of("c"), one);
	assert_int_equal(file_read(path_of("a"), &a, FILE_MAX), 0);
	assert_int_equal(file_read(path_of("b"), &b, FILE_MAX), 0);
	assert_int_equal(file_read(path_of("c"), &c, FILE_MAX), 0);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	assert_true(a.len != c.len || memcmp(a.data, c.data, a.len) != 0);
	buf_release(&a);
	buf_release(&b);
	buf_release(&c);
}

/* ---- the stream */

struct order {
	uint64_t cpu_ns[64];  /* of the last record of each CPU */
	uint64_t round_ns[3]; /* the youngest of this round and those before */
	size_t records, disorders;
	uint64_t last_ns;
};

static void
look_at(struct order *o, uint32_t cpu, uint64_t time_ns)
{
	assert_that(time_ns, >=, o->cpu_ns[cpu]);
	assert_that(time_ns, >, o->round_ns[2]);
	o->cpu_ns[cpu] = time_ns;
	o->disorders += time_ns < o->last_ns;
	o->last_ns = time_ns;
	o->round_ns[0] = MAX(o->round_ns[0], time_ns);
	o->records++;
}

static void
look_at_cpu(struct order *o, struct machine *m, uint32_t cpu, const struct record_layout *layout)
{
	struct buf b = { 0 };
	struct record rec;

	machine_put_cpu(m, cpu, &b);
	for (size_t at = 0; at < b.len;) {
		struct perf_event_header head;

		memcpy(&head, b.data + at, sizeof(head));
		assert_int_equal(record_decode(layout, (struct bytes){ (uint8_t *)b.data + at,
								       head.size }, &rec), 1);
		assert_int_equal(rec.id.cpu, cpu);
		look_at(o, cpu, rec.id.time_ns);
		at += head.size;
	}
	buf_release(&b);
}

/* Disorder between CPUs, as a reader of rings has it, and none beyond what a round ends. */
static void
times_rise_on_each_cpu_and_rounds_can_be_sorted(void **state)
{
	const struct scale s = { .cpus = 64, .tasks = 400, .threads = 4, .programs = 5,
				 .functions = 500, .samples = 200000, .forks = 1000,
				 .execs = 1000, .mmaps = 1000, .seed = 3 };
	struct event_attr attr = record_attr(RECORD_SAMPLING, 1, false);
	const struct record_layout layout = RECORD_LAYOUT(attr.sample_type, true);
	struct machine *m = machine_new(&s);
	struct order o = { 0 };

	(void)state;
	for (int round = 0; round < MACHINE_ROUNDS_PER_S; round++) {
		for (uint32_t cpu = 0; cpu < s.cpus; cpu++)
			look_at_cpu(&o, m, cpu, &layout);
		machine_end_round(m);
		o.round_ns[2] = o.round_ns[1];
		o.round_ns[1] = o.round_ns[0];
	}
	assert_in_range(machine_sums(m)->samples, 195000, 205000);
	assert_that(o.records, >, machine_sums(m)->samples + 10000);
	assert_that(o.disorders, >, MACHINE_ROUNDS_PER_S * s.cpus / 2);
	machine_free(m);
}

/* ---- the readers */

static void
all_samples_are_read_in_order(void **state)
{
	unsigned long written = generate_small(path_of("small")), samples = 0;
	struct err err = { 0 };
	struct datafile *f = datafile_open(path_of("small"), &err);
	uint64_t time_ns, last_ns = 0;
	struct bytes bytes;

	(void)state;
	assert_non_null(f);
	while (datafile_next(f, &bytes, &time_ns, &err) == 1) {
		assert_that(record_layouts_event(datafile_layouts(f), bytes), <, RECORD_EVENTS);
		assert_true(time_ns >= last_ns || time_ns == 0);
		last_ns = MAX(last_ns, time_ns);
		samples += record_type(bytes) == PERF_RECORD_SAMPLE;
	}
	assert_string_equal(err.text, "");
	assert_string_equal(datafile_losses(f)->text, "");
	assert_int_equal(samples, written);
	datafile_close(f);
}

/* Each of the rows is of a task and in a file that are known; user code has the names of images. */
static void
ptop_knows_all_tasks_maps_and_functions(void **state)
{
	unsigned long written = generate_small(path_of("small"));
	char *argv[] = { (char *)(uintptr_t)run_ptop(), (char *)(uintptr_t)"-i",
			 (char *)(uintptr_t)path_of("small"), (char *)(uintptr_t)"--by",
			 (char *)(uintptr_t)"comm,dso,symbol", (char *)(uintptr_t)"--format",
			 (char *)(uintptr_t)"csv", NULL };
	struct run_result r;

	(void)state;
	run_program(&r, READ_S, argv);
	assert_int_equal(r.status, 0);
	assert_int_equal((unsigned long)run_csv_sum(r.out, "samples", 0, NULL), written);
	assert_null(strstr(r.out, "unknown"));
	assert_non_null(strstr(r.out, ",libshared.so,lib_0,"));
	for (const char *row = strstr(r.out, "\nprogram-"); row != NULL;
	     row = strstr(row + 1, "\nprogram-")) {
		unsigned dso, function, of;

		if (sscanf(row, "\nprogram-%*u,program-%u,", &dso) != 1)
			continue;
		row = strchr(row + 1, ',');
		assert_int_equal(sscanf(row, ",program-%*u,p%u_%u,", &of, &function), 2);
		assert_int_equal(of, dso);
	}
	run_release(&r);
}

static void
perf_knows_them_too(void **state)
{
	unsigned long written = generate_small(path_of("small"));
	char command[512], expected[64];
	char *argv[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", command, NULL };
	struct run_result r;

	(void)state;
	if (system("perf --version >/dev/null 2>&1") != 0)
		skip_for("no perf");
	snprintf(command, sizeof(command),
		 "perf report -i %s --stdio --no-children -g none --sort comm,dso,sym -n 2>&1 |"
		 " awk '/unknown/ { print } /program-/ { n += $2 } END { print \"samples\", n }'",
		 path_of("small"));
	snprintf(expected, sizeof(expected), "samples %lu\n", written);
	run_program(&r, READ_S, argv);
	assert_string_equal(r.out, expected);
	run_release(&r);
}

/* ---- what it takes */

static long
peak_kib(const char *seconds)
{
	const char *const words[] = { "--seconds", seconds, "--samples", "50000", NULL };
	struct rusage used;
	int status;
	pid_t pid = run_fork();

	if (pid == 0) {
		generate(path_of("long"), words);
		getrusage(RUSAGE_CHILDREN, &used);
		_exit(used.ru_maxrss > 255 << 8 ? 255 : (int)(used.ru_maxrss >> 8));
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	return (long)WEXITSTATUS(status) << 8;
}

static void
a_longer_stream_takes_no_more_memory(void **state)
{
	long brief = peak_kib("1"), lasting = peak_kib("8");

	(void)state;
	assert_that(brief, >, 0);
	/* Eight times as long: an eighth of it, or a page table more on a busy machine, is no growth. */
	assert_that(lasting, <=, brief + brief / 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_numbers_give_the_same_bytes),
		cmocka_unit_test(times_rise_on_each_cpu_and_rounds_can_be_sorted),
		cmocka_unit_test(all_samples_are_read_in_order),
		cmocka_unit_test(ptop_knows_all_tasks_maps_and_functions),
		cmocka_unit_test(perf_knows_them_too),
		cmocka_unit_test(a_longer_stream_takes_no_more_memory),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
