/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of inlined functions, end to end: in recordings they are those of perf script --inline, in
 * all formats they are told from real ones, and without them everything is as it was.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "tests/asserts.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { PATIENCE_S = 120, STACK_LEN = 2048, STACKS_MAX = 4096 };

static char dir[] = "/tmp/ptop-inlined-XXXXXX";
static char program[64], recording[64];
static bool is_recorded;

static const char source[] =
	"#define IN static inline __attribute__((always_inline))\n"
	"#define OUT __attribute__((noinline, noclone))\n"
	"volatile unsigned sink; static unsigned a[4096];\n"
	"IN void innermost(unsigned n)\n"
	"{ for (unsigned i = 0; i < (n & 63) + 32; i++) sink += a[i] * i; }\n"
	"IN void middle(unsigned n)\n"
	"{ if (n & 1) innermost(n); else for (unsigned i = 0; i < 40; i++) sink ^= a[(n + i) & 4095]; }\n"
	"IN void outermost(unsigned n)\n"
	"{ middle(n); for (unsigned i = 0; i < 30; i++) sink *= 3; middle(n + 1); }\n"
	/* It has a frame since it calls. */
	"OUT void tick(void) { sink++; }\n"
	"OUT void leaf(unsigned n) { outermost(n); tick(); sink++; }\n"
	"IN void drive(unsigned n) { leaf(n); leaf(n + 3); sink ^= n; }\n"
	"OUT int turn(unsigned to) { for (unsigned n = 0; n < to; n++) drive(n); return (int)sink; }\n"
	"int main(int argc, char **argv)\n"
	"{ unsigned end = argc > 1 ? 1u << 22 : 4000000000u; (void)argv; return turn(end) == 7; }\n";

static void
need(bool has_perf)
{
#ifndef HAVE_LIBDW
	skip_for("built without libdw");
#endif
	if (has_perf && (geteuid() != 0 || !run_has_perf()))
		skip_for("needs root and a perf that runs");
}

static void
record(const char *file, const char *call_graph)
{
	struct run_result r;

	run_program(&r, PATIENCE_S, (char *[]){ "perf", "record", "-q", "-e", "cpu-clock:u", "-F",
		    "1999", "--call-graph", (char *)(uintptr_t)call_graph, "-o",
		    (char *)(uintptr_t)file, "--", program, "short", NULL });
	assert_true(access(file, R_OK) == 0);
	run_release(&r);
}

/* Once: most tests look at the same one. */
static const char *
recorded(void)
{
	need(true);
	if (!is_recorded)
		record(recording, "fp");
	is_recorded = true;
	return recording;
}

static char *
ptop_of(const char *file, const char *const *more)
{
	char *argv[16] = { (char *)(uintptr_t)run_ptop(), "-i", (char *)(uintptr_t)file, "-b" };
	struct run_result r;
	size_t n = 4;

	while (*more != NULL)
		argv[n++] = (char *)(uintptr_t)*more++;
	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("%s", r.err);
	free(r.err);
	return r.out;
}

#define PTOP(...) ptop_of(recorded(), (const char *const[]){ __VA_ARGS__, NULL })

/* Stacks from main on, and how many samples have them. */
struct stacks {
	struct { char text[STACK_LEN]; long samples; } items[STACKS_MAX];
	size_t len;
	long all;
};

static void
stacks_add(struct stacks *s, const char *stack, long samples)
{
	const char *from = strstr(stack, ";main");
	size_t i = 0;

	s->all += samples;
	stack = from != NULL ? from : stack;
	while (i < s->len && strcmp(s->items[i].text, stack) != 0)
		i++;
	if (i == s->len) {
		assert_that(s->len, <, STACKS_MAX);
		snprintf(s->items[s->len++].text, STACK_LEN, "%s", stack);
	}
	s->items[i].samples += samples;
}

static void
read_folded(struct stacks *s, char *text)
{
	char *rest, *line;

	for (line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		char *count = strrchr(line, ' ');

		*count = '\0';
		stacks_add(s, line, atol(count + 1));
	}
}

/* Samples apart by an empty line, a frame a line, the innermost first: "  1169 middle (inlined)". */
static void
read_script(struct stacks *s, char *text)
{
	static const char mark[] = " (inlined)";
	char stack[STACK_LEN] = "", before[STACK_LEN];
	char *line = text, *end;

	for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		char *name, *inlined;

		*end = '\0';
		if (*line == '\0') {
			if (*stack != '\0')
				stacks_add(s, stack, 1);
			*stack = '\0';
			continue;
		}
		name = line + strspn(line, " \t");
		name = strchr(name, ' ');
		if (*line != ' ' && *line != '\t')
			continue; /* what the sample begins with */
		assert_non_null(name);
		inlined = strstr(name, mark);
		if (inlined != NULL)
			*inlined = '\0';
		strcpy(before, stack);
		snprintf(stack, sizeof(stack), ";%.500s%s%.1500s", name + 1,
			 inlined != NULL ? "_[i]" : "", before);
	}
	if (*stack != '\0')
		stacks_add(s, stack, 1);
}

static long
common(const struct stacks *a, const struct stacks *b)
{
	long sum = 0;

	for (size_t i = 0; i < a->len; i++)
		for (size_t k = 0; k < b->len; k++)
			if (strcmp(a->items[i].text, b->items[k].text) == 0)
				sum += MIN(a->items[i].samples, b->items[k].samples);
	return sum;
}

/* Unwound ones: perf 6.1 looks for inlined functions in these alone. */
static void
chains_with_inlined_functions_are_those_of_perf_script(void **state)
{
	static struct stacks ours, perfs;
	struct run_result r;
	char *folded, file[64];

	(void)state;
	need(true);
	snprintf(file, sizeof(file), "%s/unwound.data", dir);
	record(file, "dwarf,4096");
	folded = ptop_of(file, (const char *const[]){ "--format", "folded", "--inline", NULL });
	assert_non_null(strstr(folded, ";turn;drive_[i];leaf;outermost_[i];middle_[i];innermost_[i] "));
	read_folded(&ours, folded);
	free(folded);
	run_program(&r, PATIENCE_S, (char *[]){ "perf", "script", "-i", file, "-F",
		    "comm,ip,sym", "--inline", NULL });
	assert_int_equal(r.status, 0);
	read_script(&perfs, r.out);
	run_release(&r);
	print_message("# %ld samples, %ld in perf, %ld alike\n", ours.all, perfs.all,
		      common(&ours, &perfs));
	assert_that(ours.all, >, 100);
	assert_int_equal(ours.all, perfs.all);
	assert_that(common(&ours, &perfs) * 100, >=, ours.all * 99);
}

/* Takes the frames of inlined functions out. */
static void
drop_inlined(char *text)
{
	char *mark;

	while ((mark = strstr(text, "_[i]")) != NULL) {
		char *begin = mark;

		while (*begin != ';')
			begin--;
		memmove(begin, mark + 4, strlen(mark + 4) + 1);
		text = begin;
	}
}

static void
real_frames_have_the_same_stacks_as_without(void **state)
{
	static struct stacks with, without;
	char *a = PTOP("--format", "folded", "--inline"), *b = PTOP("--format", "folded");

	(void)state;
	assert_null(strstr(b, "_[i]"));
	drop_inlined(a);
	read_folded(&with, a);
	read_folded(&without, b);
	assert_int_equal(with.all, without.all);
	assert_int_equal(with.len, without.len);
	assert_int_equal(common(&with, &without), without.all);
	free(a);
	free(b);
}

static void
functions_are_the_same_as_without(void **state)
{
	char *a = PTOP("--view", "functions", "--format", "csv", "--inline");
	char *b = PTOP("--view", "functions", "--format", "csv");

	(void)state;
	assert_string_equal(a, b);
	free(a);
	free(b);
}

static void
has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("no '%s' in '%.2000s'", part, text);
}

static void
trees_and_formats_tell_inlined_functions_from_real_ones(void **state)
{
	char *text = PTOP("--view", "tree", "--inline");
	char *csv = PTOP("--view", "tree", "--inline", "--format", "csv");
	char *svg = PTOP("--inline", "--format", "svg");
	char *callees = PTOP("--inline", "--view", "callees");

	(void)state;
	has(text, "innermost (inlined)  spin");
	has(text, "leaf  spin");
	has(csv, "middle (inlined)");
	has(svg, "innermost (inlined) (spin, program)");
	has(callees, "outermost (inlined)");
	free(text);
	free(csv);
	free(svg);
	free(callees);
#ifdef HAVE_JANSSON
	text = PTOP("--view", "tree", "--inline", "--format", "json");
	has(text, "\"symbol\":\"innermost\",\"kind\":\"program\",\"inlined\":true");
	assert_null(strstr(text, "\"symbol\":\"leaf\",\"kind\":\"program\",\"inlined\""));
	free(text);
	text = PTOP("--inline", "--format", "speedscope");
	has(text, "{\"name\":\"innermost (inlined)\",\"file\":\"spin\"}");
	has(text, "{\"name\":\"leaf\",\"file\":\"spin\"}");
	free(text);
#endif
}

static char *
go_top(const char *kind, const char *file)
{
	struct run_result r;

	run_program(&r, PATIENCE_S, (char *[]){ "go", "tool", "pprof", (char *)(uintptr_t)kind,
		    "-top", "-nodefraction=0", (char *)(uintptr_t)file, NULL });
	assert_int_equal(r.status, 0);
	free(r.err);
	return r.out;
}

/* From the table on. */
static const char *
table_of(const char *top)
{
	const char *table = strstr(top, "      flat");

	assert_non_null(table);
	return table;
}

static void
pprof_has_one_location_for_a_function_and_what_is_inlined_there(void **state)
{
	char with[80], without[80], *a, *b;

	(void)state;
	need_zlib();
	need(true);
	if (system("go version >/dev/null 2>&1") != 0)
		skip_for("needs go");
	snprintf(with, sizeof(with), "%s/with.pb.gz", dir);
	snprintf(without, sizeof(without), "%s/without.pb.gz", dir);
	free(PTOP("--inline", "-o", with));
	free(PTOP("-o", without));
	a = go_top("-functions", with);
	has(a, "innermost (inline)");
	has(a, "leaf");
	free(a);
	/* Without them it is as if nobody had asked. */
	a = go_top("-noinlines", with);
	b = go_top("-noinlines", without);
	assert_null(strstr(a, "innermost"));
	assert_string_equal(table_of(a), table_of(b));
	free(a);
	free(b);
	unlink(with);
	unlink(without);
}

static void
a_running_program_shows_inlined_functions_too(void **state)
{
	char number[16];
	struct run_result r;
	pid_t pid;

	(void)state;
	need(false);
	pid = run_background(program);
	assert_that(pid, >, 0);
	snprintf(number, sizeof(number), "%d", (int)pid);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-p", number, "-e",
		    "cpu-clock:u", "-d", "1", "-n", "1", "--format", "folded", "--inline", NULL });
	run_end(pid);
	if (r.status != 0 && geteuid() != 0)
		skip_for("not root, and others are not sampled");
	assert_int_equal(r.status, 0);
	has(r.out, ";turn;drive_[i];leaf;outermost_[i];middle_[i]");
	run_release(&r);
}

static int
setup(void **state)
{
	char path[64], command[512];
	FILE *out;

	(void)state;
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(program, sizeof(program), "%s/spin", dir);
	snprintf(recording, sizeof(recording), "%s/a.data", dir);
	snprintf(path, sizeof(path), "%s/spin.c", dir);
	out = fopen(path, "w");
	fputs(source, out);
	fclose(out);
	snprintf(command, sizeof(command), "cc -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls "
		 "'%s' -o '%s'", path, program);
	return system(command);
}

static int
teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_with_inlined_functions_are_those_of_perf_script),
		cmocka_unit_test(real_frames_have_the_same_stacks_as_without),
		cmocka_unit_test(functions_are_the_same_as_without),
		cmocka_unit_test(trees_and_formats_tell_inlined_functions_from_real_ones),
		cmocka_unit_test(pprof_has_one_location_for_a_function_and_what_is_inlined_there),
		cmocka_unit_test(a_running_program_shows_inlined_functions_too),
	};

	return cmocka_run_group_tests_name("inlined frames", tests, setup, teardown);
}
