/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is spent in each function, and with what it calls, recursion counted once: ptop's figures
 * for a fresh recording are those of perf report --children.
 */
#include <math.h>
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
#include "tests/csv.h"
#include "tests/run.h"
#include "tests/stack_loads.h"
#include "tests/skip.h"

#define NAMED_FROM 1.0 /* percent */

static char dir[] = "/tmp/ptop-totals-XXXXXX";

enum { PATIENCE_S = 120, NAME_LEN = 512 };

struct figure {
	char name[NAME_LEN];
	double total, self; /* percent */
};

struct figures {
	struct figure *items;
	size_t len, cap;
};

/* By name alone: files are named otherwise in perf, and more than one may have it. */
static void
add(struct figures *f, const char *name, double total, double self)
{
	size_t i = 0;

	while (i < f->len && strncmp(f->items[i].name, name, NAME_LEN - 1) != 0)
		i++;
	if (i == f->len) {
		vec_reserve(&f->items, &f->cap, f->len + 1, sizeof(*f->items));
		f->items[f->len] = (struct figure){ .total = 0 };
		snprintf(f->items[f->len++].name, NAME_LEN, "%s", name);
	}
	f->items[i].total += total;
	f->items[i].self += self;
}

/* perf leaves out what the compiler calls a copy of a function in C++. */
static const char *
without_clone(char *name)
{
	char *suffix = strstr(name, ">.constprop.");

	if (suffix != NULL)
		suffix[1] = '\0';
	return name;
}

static void
read_ptop(struct figures *f, const char *text)
{
	struct csv c;

	csv_init(&c, text);
	while (csv_next(&c)) {
		double period = csv_number(&c, "period"), percent = csv_number(&c, "percent");
		char name[NAME_LEN];

		if (strcmp(csv_field(&c, "depth"), "0") != 0)
			continue;
		snprintf(name, sizeof(name), "%s", csv_field(&c, "symbol"));
		add(f, without_clone(name), percent,
		    period > 0 ? percent * csv_number(&c, "self_period") / period : 0);
	}
	csv_release(&c);
}

/* "    99.85%;    18.30%;[.] main" */
static void
read_perf(struct figures *f, char *text)
{
	char *rest, *line;

	for (line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		char *self = strchr(line, ';'), *name = self != NULL ? strchr(self + 1, ';') : NULL;
		size_t len;

		if (*line == '#' || name == NULL || strlen(name) < 5)
			continue;
		name += strlen(";[.] ");
		for (len = strlen(name); len > 0 && name[len - 1] == ' '; len--)
			name[len - 1] = '\0';
		add(f, name, atof(line), atof(self + 1));
	}
}

static void
need_perf(void)
{
	if (geteuid() != 0 || !run_has_perf())
		skip_for("needs root and a perf that runs");
}

static struct figure *
find(const struct figures *f, const char *name)
{
	for (size_t i = 0; i < f->len; i++)
		if (strcmp(f->items[i].name, name) == 0)
			return &f->items[i];
	return NULL;
}

static bool
is_alike(const struct figure *a, const struct figure *b)
{
	/* perf rounds to hundredths. */
	return fabs(a->total - b->total) <= 0.011 && fabs(a->self - b->self) <= 0.011;
}

/* Of functions that the linker made one of, either may have told another's name. */
static const struct figure *
find_alias(const struct figures *ptop, const struct figures *perf, const struct figure *p)
{
	for (size_t i = 0; i < ptop->len; i++)
		if (find(perf, ptop->items[i].name) == NULL && is_alike(&ptop->items[i], p))
			return &ptop->items[i];
	return NULL;
}

/*
 * Which name a place has is held elsewhere: of functions that are hardly ever sampled some have
 * others here, such as labels inside of a function; the PLT of a stripped file has none in perf,
 * where the cold part of a function is another one.
 */
static bool
is_named(const struct figure *p)
{
	return p->total >= NAMED_FROM && strlen(p->name) < NAME_LEN - 1 &&
	       strspn(p->name, "0123456789abcdefx") != strlen(p->name) &&
	       strcmp(p->name, "_init") != 0 && strcmp(p->name, "@plt") != 0 &&
	       strstr(p->name, ".cold") == NULL;
}

static void
assert_alike(const struct figures *ptop, const struct figures *perf, const char *what)
{
	size_t compared = 0, aliases = 0;

	for (size_t i = 0; i < perf->len; i++) {
		const struct figure *p = &perf->items[i], *f = find(ptop, p->name);

		if (!is_named(p))
			continue;
		compared++;
		if (f == NULL && (f = find_alias(ptop, perf, p)) != NULL) {
			print_message("# %s: %s is %s in perf\n", what, f->name, p->name);
			aliases++;
		}
		if (f == NULL)
			fail_msg("%s: %s is not in ptop's report", what, p->name);
		if (!is_alike(f, p))
			fail_msg("%s: %s: %.4f %.4f, in perf %.2f %.2f", what, p->name, f->total,
				 f->self, p->total, p->self);
	}
	print_message("# %s: %zu functions\n", what, compared);
	assert_that(compared, >=, 3);
	assert_that(aliases, <=, 2);
}

static void
compare(const char *file, const char *what)
{
	struct figures ptop = { 0 }, perf = { 0 };
	struct run_result r;

	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i",
		    (char *)(uintptr_t)file, "-b", "--view", "callees", "--format", "csv", NULL });
	assert_int_equal(r.status, 0);
	read_ptop(&ptop, r.out);
	run_release(&r);
	run_program(&r, PATIENCE_S, (char *[]){ "perf", "report", "--children", "--no-inline", "-g",
		    "none", "--stdio", "-t", ";", "-F", "overhead_children,overhead,sym",
		    "--percent-limit", "0", "--max-stack", "512", "-i", (char *)(uintptr_t)file,
		    NULL });
	assert_int_equal(r.status, 0);
	read_perf(&perf, r.out);
	run_release(&r);
	assert_alike(&ptop, &perf, what);
	free(ptop.items);
	free(perf.items);
}

static void
record_by_perf(const char *file, const char *pid, const char *kind)
{
	struct run_result r;

	run_program(&r, PATIENCE_S, (char *[]){ "perf", "record", "-q", "-e", "cpu-clock", "-F",
		    "999", "--call-graph", (char *)(uintptr_t)kind, "-p", (char *)(uintptr_t)pid,
		    "-o", (char *)(uintptr_t)file, "--", "sleep", "1.5", NULL });
	assert_int_equal(r.status, 0);
	run_release(&r);
}

static void
record_by_ptop(const char *file, const char *pid, const char *kind, char *how)
{
	struct run_result r;

	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d",
		    "1.5", "-e", "cpu-clock", "-g", (char *)(uintptr_t)kind, "-p",
		    (char *)(uintptr_t)pid, "-r", (char *)(uintptr_t)file, how, NULL });
	assert_int_equal(r.status, 0);
	run_release(&r);
}

static void
record_copies(const char *file, const char *pid, const char *kind)
{
	record_by_ptop(file, pid, kind, "--raw-stacks");
}

static void
record_chains(const char *file, const char *pid, const char *kind)
{
	record_by_ptop(file, pid, kind, NULL);
}

/*
 * A program that runs already: of one whose first samples are those of the dynamic linker, perf 6.1
 * keeps what it did not find then, and ends the chains in libraries that were mapped later.
 */
static void
record_and_compare(const char *load, const char *kind,
		   void (*record)(const char *file, const char *pid, const char *kind))
{
	char file[64], number[16], what[64];
	pid_t pid = stack_load(load, dir);

	if (pid < 0)
		return;
	snprintf(file, sizeof(file), "%s/a.data", dir);
	snprintf(number, sizeof(number), "%d", (int)pid);
	snprintf(what, sizeof(what), "%s, %s", load, kind);
	record(file, number, kind);
	run_end(pid);
	compare(file, what);
	unlink(file);
}

static void
compare_all(const char *kind, const char *const *loads, size_t len)
{
	need_perf();
	/* Those between go the same ways, with other numbers. */
	for (size_t i = 0; i < len; i += IS_SANITIZED ? 2 : 1)
		record_and_compare(loads[i], kind, record_by_perf);
}

static void
totals_of_frame_pointer_chains_are_those_of_perf_report_children(void **state)
{
	/* Of an interpreter without frame pointers hardly a caller has a name in them. */
	static const char *const loads[] = {
		"hot", "syscalls", "threads", "deep", "nested", "rust",
	};

	(void)state;
	compare_all("fp", loads, ARRAY_SIZE(loads));
}

static void
totals_of_unwound_stacks_are_those_of_perf_report_children(void **state)
{
	static const char *const loads[] = { "threads", "deep", "nested", "python3", "rust" };

	(void)state;
	compare_all("dwarf", loads, ARRAY_SIZE(loads));
}

/* perf finds in the file what it needs to unwind: not the code alone is mapped. */
static void
perf_unwinds_the_stacks_that_ptop_records(void **state)
{
	(void)state;
	need_perf();
	record_and_compare("deep", "dwarf", record_copies);
	/* It appends what it unwinds to what the kernel followed: there must be nothing of that. */
	record_and_compare("deep", "auto", record_copies);
	record_and_compare("syscalls", "auto", record_copies);
}

static void
perf_reads_the_chains_that_ptop_records(void **state)
{
	(void)state;
	need_perf();
	record_and_compare("deep", "dwarf", record_chains);
}

static int
make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static int
remove_dir(void **state)
{
	static const char *const names[] = { "a.data", "a.data.old", "load.rs", "load" };
	char path[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_of_frame_pointer_chains_are_those_of_perf_report_children),
		cmocka_unit_test(totals_of_unwound_stacks_are_those_of_perf_report_children),
		cmocka_unit_test(perf_unwinds_the_stacks_that_ptop_records),
		cmocka_unit_test(perf_reads_the_chains_that_ptop_records),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
