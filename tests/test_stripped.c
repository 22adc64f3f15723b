/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stripped program and its stripped library, each of many functions: one row and one frame for
 * each, bounded as nm bounds those of the same files before they were stripped.
 */
#include "config.h"

#include "tests/csv.h"
#include "tests/root.h"
#include "tests/spinner.h"

#include <limits.h>

enum { FUNCTIONS = 20, OTHERS = 2, PATIENCE_S = 120, LABEL_LEN = 64 };

/* What a function of the files is to be called. */
struct label {
	char text[LABEL_LEN];
	bool is_other; /* it is not busy: main, or what begins it */
	unsigned seen;
};

static struct {
	struct fixture *f;
	char *recording;
	char *live; /* the report that was made beside it, CSV */
	struct label labels[2 * FUNCTIONS + OTHERS];
	size_t len;
} all;

static void
write_sources(const struct fixture *f)
{
	write_text(f, "twenty.c",
		   "static volatile unsigned sink;\n"
		   "#define KEEP __attribute__((noinline, noclone)) static unsigned\n"
		   "#define DEFINE(n) KEEP twenty_##n(unsigned x) \\\n"
		   "{ for (unsigned i = 0; i < 20000; i++) sink += i * n + x; return x + n; }\n"
		   "#define CALL(n) x += twenty_##n(x);\n"
		   "#define EACH(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) \\\n"
		   "	X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20)\n"
		   "EACH(DEFINE)\n"
		   "unsigned in_library(unsigned x);\n"
		   "#ifdef LIBRARY\n"
		   "unsigned in_library(unsigned x) { EACH(CALL) return x; }\n"
		   "#else\n"
		   "#include <unistd.h>\n"
		   "int main(void)\n"
		   "{\n"
		   "	for (unsigned x = 0;; x = in_library(x)) {\n"
		   "		EACH(CALL)\n"
		   "		if (write(1, \"r\", 1) < 0) return 1;\n"
		   "	}\n"
		   "}\n"
		   "#endif\n");
}

/* The program is not position-independent: its addresses are no offsets in the file. */
static bool
build(const struct fixture *f)
{
	static const char flags[] = "-O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls "
				    "-fasynchronous-unwind-tables";
	char line[512];

	write_sources(f);
	snprintf(line, sizeof(line),
		 "cc %s -DLIBRARY -fPIC -shared twenty.c -o full.so && strip -o libtwenty.so full.so && "
		 "cc %s -no-pie -fno-pie twenty.c -o full libtwenty.so -Wl,-rpath,$PWD && "
		 "strip -o twenty full", flags, flags);
	return sh(f, line);
}

/* As the functions begin in @file, so they are to be called in its stripped copy @dso. */
static void
expect(const char *file, const char *dso)
{
	char line[512], name[128], type;
	unsigned long addr;
	FILE *in;

	snprintf(line, sizeof(line), "nm --defined-only '%s'", in_dir(all.f, file));
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in) != NULL) {
		struct label l = { .is_other = true };

		if (sscanf(line, "%lx %c %127s", &addr, &type, name) != 3)
			continue;
		if (strncmp(name, "twenty_", 7) == 0)
			l.is_other = false;
		else if (strcmp(name, "main") != 0 && strcmp(name, "_start") != 0)
			continue;
		assert_that(all.len, <, ARRAY_SIZE(all.labels));
		snprintf(l.text, LABEL_LEN, "%s+0x%lx", dso, addr);
		all.labels[all.len++] = l;
	}
	pclose(in);
}

static int
setup(void **state)
{
	if (fixture_setup(state) != 0)
		return -1;
	all.f = *state;
	all.recording = strdup(in_dir(all.f, "recording"));
	setenv("HOME", in_dir(all.f, "home"), 1);
	setenv("XDG_CACHE_HOME", in_dir(all.f, "home/.cache"), 1);
	if (!sh(all.f, "mkdir -p -m 0755 home/.cache") || !build(all.f))
		return -1;
	expect("full", "twenty");
	expect("full.so", "libtwenty.so");
	return all.len == 2 * FUNCTIONS + OTHERS ? 0 : -1;
}

static int
teardown(void **state)
{
	free(all.recording);
	free(all.live);
	return fixture_teardown(state);
}

/* Of @seconds; what of a CPU the program got in them. */
static double
record_for(char *seconds)
{
	struct spinner_how how = { .program = in_dir(all.f, "twenty") };
	struct spinner s = spinner_start(all.f, &how);
	char pid[16];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "--budget", "off", "-n", "1", "-d",
			 seconds, "-F", "999", "-g", "fp", "-p", pid, "-r", all.recording,
			 "--by", "dso,symbol", "--format", "csv", NULL };
	struct run_result r;
	double used = run_cpu_s(s.pid);

	snprintf(pid, sizeof(pid), "%d", (int)s.pid);
	run_program(&r, PATIENCE_S, argv);
	used = run_cpu_s(s.pid) - used;
	spinner_end(&s);
	if (r.status != 0)
		fail_msg("%s", r.err);
	free(all.live);
	all.live = strdup(r.out);
	run_release(&r);
	return used;
}

/* Until each of the functions has run for some dozens of samples: others may take the CPUs. */
static void
record(void)
{
	static char *const seconds[] = { "4", "16", "64" };

	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		unlink(all.recording);
		if (record_for(seconds[i]) >= 1.5)
			break;
	}
}

/* The report that @how asks for of the recording. */
static char *
replay(char *const how[])
{
	char *argv[16] = { (char *)(uintptr_t)run_ptop(), "-b", "-i", all.recording };
	struct run_result r;
	char *out;

	for (size_t i = 0; how[i] != NULL; i++)
		argv[4 + i] = how[i];
	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("%s", r.err);
	out = strdup(r.out);
	run_release(&r);
	return out;
}

/* Recorded once for all of them. */
static void
need_recording(void)
{
	need_root();
#ifndef HAVE_LIBDW
	skip_for("built without libdw: unwind tables are not read");
#endif
	if (all.live == NULL)
		record();
}

/* The label that @text begins with, NULL: none of ours. */
static struct label *
label_at(const char *text)
{
	size_t len = strcspn(text, " ,;\"\n");

	for (size_t i = 0; i < all.len; i++)
		if (strlen(all.labels[i].text) == len && strncmp(all.labels[i].text, text, len) == 0)
			return &all.labels[i];
	return NULL;
}

/* Every place of the two files that @text tells without a name is one of the functions. */
static void
look_for_labels(const char *text)
{
	static const char *const begins[] = { "twenty+0x", "libtwenty.so+0x" };

	for (size_t i = 0; i < all.len; i++)
		all.labels[i].seen = 0;
	for (const char *at = text; *at != '\0'; at++) {
		struct label *l;

		if (at != text && strchr(" ,;\"\n", at[-1]) == NULL)
			continue;
		if (strncmp(at, begins[0], strlen(begins[0])) != 0 &&
		    strncmp(at, begins[1], strlen(begins[1])) != 0)
			continue;
		l = label_at(at);
		if (l == NULL)
			fail_msg("no function begins at %.40s\n%s", at, text);
		l->seen++;
	}
}

/* Each that is busy is there, @at_most so often. */
static void
assert_labels(char *text, unsigned at_most)
{
	look_for_labels(text);
	for (size_t i = 0; i < all.len; i++) {
		const struct label *l = &all.labels[i];

		if ((l->seen == 0 && !l->is_other) || l->seen > at_most)
			fail_msg("%s is there %u times:\n%s", l->text, l->seen, text);
	}
	free(text);
}

/* All samples in the two files are in the rows of these functions, but for what .dynsym names. */
static void
assert_rows(const char *text)
{
	struct csv c;

	csv_init(&c, text);
	while (csv_next(&c)) {
		const char *dso = csv_field(&c, "dso"), *symbol = csv_field(&c, "symbol");

		if (strcmp(dso, "twenty") != 0 && strcmp(dso, "libtwenty.so") != 0)
			continue;
		if (label_at(symbol) == NULL && strcmp(symbol, "in_library") != 0 &&
		    strstr(symbol, "@plt") == NULL)
			fail_msg("%s is no function of %s", symbol, dso);
	}
	csv_release(&c);
	assert_labels(strdup(text), 1);
}

static void
a_stripped_function_is_one_row_by_where_its_entry_begins(void **state)
{
	char *csv;

	(void)state;
	need_recording();
	assert_rows(all.live);
	csv = replay((char *[]){ "--by", "dso,symbol", "--format", "csv", NULL });
	assert_rows(csv);
	free(csv);
	assert_labels(replay((char *[]){ "--view", "functions", NULL }), 1);
}

/* Where it is interrupted before it has its frame, another one seems to call it. */
static void
it_is_one_frame_of_the_call_tree(void **state)
{
	(void)state;
	need_recording();
	assert_labels(replay((char *[]){ "--view", "tree", "--format", "csv", NULL }), UINT_MAX);
	assert_labels(replay((char *[]){ "--view", "callers", "--format", "csv", NULL }), UINT_MAX);
}

static void
it_is_one_frame_of_exports(void **state)
{
	(void)state;
	need_recording();
	assert_labels(replay((char *[]){ "--format", "folded", NULL }), UINT_MAX);
	assert_labels(replay((char *[]){ "--format", "speedscope", NULL }), 1);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stripped_function_is_one_row_by_where_its_entry_begins),
		cmocka_unit_test(it_is_one_frame_of_the_call_tree),
		cmocka_unit_test(it_is_one_frame_of_exports),
	};

	return cmocka_run_group_tests_name("stripped", tests, setup, teardown);
}
