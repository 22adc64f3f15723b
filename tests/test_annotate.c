/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each instruction has, in reports of recordings: perf annotate of the same recording says it.
 * It takes more than half a minute: each program is recorded for two seconds, one is compiled, and
 * perf has objdump list each file, one of them of a megabyte.
 */
#include "tests/csv.h"
#include "tests/run_output.h"
#include "tests/skip.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "tests/asserts.h"

enum { SECONDS = 120, ROWS_MAX = 400000, PATH_LEN = 300, LEAST_SAMPLES = 20 };

static char dir[] = "/tmp/ptop-annotate-XXXXXX";

/* The samples of one instruction. */
struct at {
	uint64_t addr, samples;
};

struct counts {
	struct at rows[ROWS_MAX];
	size_t len;
	uint64_t elsewhere; /* at no instruction */
};

static int
setup(void **state)
{
	(void)state;
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command) == 0 ? 0 : -1;
}

static const char *
recording_of(const char *load)
{
	static char path[PATH_LEN];

	snprintf(path, sizeof(path), "%s/%s.data", dir, load);
	return path;
}

/* Records @pids, "12,13", for two seconds of their time. */
static void
record(const char *pids, const char *load)
{
	struct run_result r;
	char *argv[] = { "perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-p",
			 (char *)(uintptr_t)pids, "-o", (char *)(uintptr_t)recording_of(load), "--",
			 "sleep", "2", NULL };

	run_program(&r, SECONDS, argv);
	assert_true(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0);
	run_release(&r);
}

static void
need_tools(void)
{
	if (!run_has_perf())
		skip_for("there is no perf here");
	if (system("objdump --version > /dev/null 2>&1") != 0)
		skip_for("there is no objdump, which perf annotate reads");
}

/* "    298 :   1155:   jmp    115d": lines of source have no address. */
static void
read_perf(struct counts *c, const char *load, const char *symbol)
{
	char *text = run_output(SECONDS, (char *[]){ "perf", "annotate", "-i",
					   (char *)(uintptr_t)recording_of(load), "--stdio", "-n",
					   "-s", (char *)(uintptr_t)symbol, "-d",
					   (char *)(uintptr_t)load, NULL });
	char *save = NULL;

	*c = (struct counts){ .len = 0 };
	for (char *line = strtok_r(text, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		struct at *at = &c->rows[c->len];
		int end = 0;

		if (sscanf(line, " %" SCNu64 " : %" SCNx64 ":%n", &at->samples, &at->addr, &end) == 2 &&
		    end > 0)
			assert_that(++c->len, <, ROWS_MAX);
	}
	free(text);
}

static char *
ptop_csv(const char *load, const char *symbol, const char *filter)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-i", (char *)(uintptr_t)recording_of(load),
			 "--view", "annotate", "--symbol", (char *)(uintptr_t)symbol, "--dso",
			 (char *)(uintptr_t)load, "--format", "csv",
			 filter != NULL ? "--filter" : NULL, (char *)(uintptr_t)filter, NULL };

	return run_output(SECONDS, argv);
}

static void
read_ptop(struct counts *c, const char *load, const char *symbol, const char *filter)
{
	char *text = ptop_csv(load, symbol, filter), *save = NULL;
	const char *header = "address,bytes,text,file,line,inline,samples,period,percent";
	char *line = strtok_r(text, "\n", &save);

	assert_string_equal(line, header);
	*c = (struct counts){ .len = 0 };
	while ((line = strtok_r(NULL, "\n", &save)) != NULL) {
		const char *last = line + strlen(line);
		uint64_t samples;

		/* Three fields from the end. */
		for (int commas = 0; commas < 3; commas += *last == ',')
			last--;
		samples = strtoull(last + 1, NULL, 10);
		if (*line == ',') {
			c->elsewhere += samples;
			continue;
		}
		c->rows[c->len++] = (struct at){ strtoull(line, NULL, 16), samples };
		assert_that(c->len, <, ROWS_MAX);
	}
	free(text);
}

/* Of data among code both see other instructions: what is in one of perf's is held against it. */
static void
assert_same(const struct counts *perf, const struct counts *ptop)
{
	uint64_t sum = 0, of_perf = 0, of_ptop = 0;
	size_t k = 0;

	assert_that(perf->len, >, 1);
	assert_that(ptop->len, >, 0);
	assert_that(ptop->rows[0].addr, >=, perf->rows[0].addr);
	for (size_t i = 0; i < perf->len; i++) {
		uint64_t end = i + 1 < perf->len ? perf->rows[i + 1].addr : UINT64_MAX, here = 0;

		while (k < ptop->len && ptop->rows[k].addr < end)
			here += ptop->rows[k++].samples;
		if (here != perf->rows[i].samples)
			fail_msg("at %" PRIx64 ": perf has %" PRIu64 " samples, ptop %" PRIu64,
				 perf->rows[i].addr, perf->rows[i].samples, here);
		sum += here;
		of_perf += perf->rows[i].samples;
	}
	for (k = 0; k < ptop->len; k++)
		of_ptop += ptop->rows[k].samples;
	assert_int_equal(of_ptop, sum);
	assert_int_equal(of_perf, sum);
	assert_int_equal(ptop->elsewhere, 0);
	if (sum < LEAST_SAMPLES)
		skip_for("the machine is too busy: %" PRIu64 " samples", sum);
}

/* Ends the process. */
static void
record_one(pid_t pid, const char *load)
{
	char pids[16];

	if (pid < 0)
		skip_for("%s does not run here", load);
	snprintf(pids, sizeof(pids), "%d", pid);
	record(pids, load);
	run_end(pid);
}

static void
agree_of(pid_t pid, const char *load, const char *symbol)
{
	static struct counts perf, ptop;

	record_one(pid, load);
	read_perf(&perf, load, symbol);
	read_ptop(&ptop, load, symbol, NULL);
	assert_same(&perf, &ptop);
}

static void
agree(const char *load, const char *symbol)
{
	need_tools();
	agree_of(run_load(load), load, symbol);
}

static void
instructions_of_c_have_what_perf_says(void **state)
{
	(void)state;
	agree("hot", "hot_loop");
}

static void
instructions_of_inlined_cpp_have_what_perf_says(void **state)
{
	(void)state;
	agree("deep", "main");
}

static void
instructions_with_data_among_them_have_what_perf_says(void **state)
{
	(void)state;
	agree("islands", "islands");
}

static void
instructions_of_a_function_of_a_megabyte_have_what_perf_says(void **state)
{
	(void)state;
	agree("vast", "vast");
}

static const char rust_source[] =
	"use std::hint::black_box;\n"
	"#[inline(never)]\n"
	"#[no_mangle]\n"
	"pub fn rust_loop(rounds: u64) -> u64 {\n"
	"    let words: Vec<u64> = (0..64).map(black_box).collect();\n"
	"    let mut sum = 0u64;\n"
	"    for i in 0..rounds {\n"
	"        sum = sum.rotate_left(3) ^ words.iter().map(|w| w ^ i).sum::<u64>();\n"
	"    }\n"
	"    sum\n"
	"}\n"
	"fn main() {\n"
	"    loop {\n"
	"        black_box(rust_loop(black_box(100000)));\n"
	"    }\n"
	"}\n";

static void
instructions_of_rust_have_what_perf_says(void **state)
{
	char source[PATH_LEN], program[PATH_LEN];
	FILE *f;

	(void)state;
	need_tools();
	if (system("rustc --version > /dev/null 2>&1") != 0)
		skip_for("there is no rustc here");
	snprintf(source, sizeof(source), "%s/rusty.rs", dir);
	snprintf(program, sizeof(program), "%s/rusty", dir);
	f = fopen(source, "w");
	assert_non_null(f);
	fputs(rust_source, f);
	assert_int_equal(fclose(f), 0);
	free(run_output(SECONDS, (char *[]){ "rustc", "-O", "-g", "-o", program, source, NULL }));
	agree_of(run_background(program), "rusty", "rust_loop");
}

/* The key of reports has each instruction's text, and together what the function has at it. */
static void
reports_by_instruction_have_its_text(void **state)
{
	char *code, *keys;
	struct csv c;
	size_t seen = 0;

	(void)state;
	need_tools();
	record_one(run_load("hot"), "hot");
	code = ptop_csv("hot", "hot_loop", NULL);
	keys = run_output(SECONDS, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i",
		(char *)(uintptr_t)recording_of("hot"), "--by", "symbol,address,instruction",
		"--format", "csv", "-b", NULL });
	csv_init(&c, code);
	while (csv_next(&c)) {
		const char *text = csv_field(&c, "text");
		const char *const of_code[][2] = { { "text", text } };
		const char *const of_keys[][2] = { { "symbol", "hot_loop" }, { "instruction", text } };

		if (csv_number(&c, "samples") == 0 || *csv_field(&c, "address") == '\0')
			continue;
		assert_int_equal(run_csv_sum(keys, "samples", 2, of_keys),
				 run_csv_sum(code, "samples", 1, of_code));
		seen++;
	}
	if (seen == 0)
		skip_for("the machine is too busy: there are no samples");
	csv_release(&c);
	free(code);
	free(keys);
}

/* Filters apply to each instruction, and what they leave is together what there is. */
static void
processes_of_a_recording_are_told_apart_by_instruction(void **state)
{
	static struct counts all, parts[2];
	pid_t loads[2];
	char pids[32], filter[32];

	(void)state;
	need_tools();
	loads[0] = run_load("hot");
	loads[1] = run_load("hot");
	assert_that(loads[0], >, 0);
	assert_that(loads[1], >, 0);
	snprintf(pids, sizeof(pids), "%d,%d", loads[0], loads[1]);
	record(pids, "hot");
	for (int i = 0; i < 2; i++)
		run_end(loads[i]);
	read_ptop(&all, "hot", "hot_loop", NULL);
	for (int i = 0; i < 2; i++) {
		snprintf(filter, sizeof(filter), "pid=%d", loads[i]);
		read_ptop(&parts[i], "hot", "hot_loop", filter);
		assert_int_equal(parts[i].len, all.len);
		assert_int_equal(parts[i].elsewhere, 0);
	}
	for (size_t k = 0; k < all.len; k++)
		assert_int_equal(all.rows[k].samples,
				 parts[0].rows[k].samples + parts[1].rows[k].samples);
}

static void
a_function_that_is_not_there_is_an_error_with_the_nearest_name(void **state)
{
	struct run_result r;
	pid_t pid;
	char pids[16];

	(void)state;
	need_tools();
	pid = run_load("hot");
	assert_that(pid, >, 0);
	snprintf(pids, sizeof(pids), "%d", pid);
	record(pids, "hot");
	run_end(pid);
	run_program(&r, SECONDS, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i",
		(char *)(uintptr_t)recording_of("hot"), "-V", "annotate", "--symbol", "hot_loops",
		"-b", NULL });
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_int_equal(r.out_len, 0);
	assert_non_null(strstr(r.err, "no samples in a function 'hot_loops': did you mean 'hot_loop'?"));
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_of_c_have_what_perf_says),
		cmocka_unit_test(instructions_of_inlined_cpp_have_what_perf_says),
		cmocka_unit_test(instructions_with_data_among_them_have_what_perf_says),
		cmocka_unit_test(instructions_of_a_function_of_a_megabyte_have_what_perf_says),
		cmocka_unit_test(instructions_of_rust_have_what_perf_says),
		cmocka_unit_test(reports_by_instruction_have_its_text),
		cmocka_unit_test(processes_of_a_recording_are_told_apart_by_instruction),
		cmocka_unit_test(a_function_that_is_not_there_is_an_error_with_the_nearest_name),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
