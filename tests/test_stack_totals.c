/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is spent in each function, and with what it calls, recursion counted once: ptop's figures
 * for a fresh recording are those of perf report --children.  It takes more than half a minute: each
 * load is recorded in each way, and read by both.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/run.h"
#include "tests/stack_loads.h"
#include "tests/skip.h"

/* Percent, and samples: on a busy machine there are few, and one of them is more than a percent. */
#define NAMED_FROM 1.0
#define NAMED_SAMPLES 8

static char dir[] = "/tmp/ptop-totals-XXXXXX";

enum { PATIENCE_S = 400, NAME_LEN = 512, LOADS_MAX = 8, TRIES = 4 };

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
is_named(const struct figure *p, double from)
{
	return p->total >= from && strlen(p->name) < NAME_LEN - 1 &&
	       strspn(p->name, "0123456789abcdefx") != strlen(p->name) &&
	       strcmp(p->name, "_init") != 0 && strcmp(p->name, "@plt") != 0 &&
	       strstr(p->name, ".cold") == NULL;
}

/* What is less is left out. */
static double
named_from(const struct figures *f)
{
	double one = 100;

	for (size_t i = 0; i < f->len; i++)
		if (f->items[i].self > 0)
			one = MIN(one, f->items[i].self);
	return MIN(MAX(NAMED_FROM, NAMED_SAMPLES * one), 50);
}

/* false: too few functions have samples enough to tell. */
static bool
assert_alike(const struct figures *ptop, const struct figures *perf, const char *what)
{
	const double from = named_from(ptop);
	size_t compared = 0, aliases = 0;

	for (size_t i = 0; i < perf->len; i++) {
		const struct figure *p = &perf->items[i], *f = find(ptop, p->name);

		if (!is_named(p, from))
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
	assert_that(aliases, <=, 2);
	return compared >= (from > NAMED_FROM ? 1 : 3);
}

static bool
compare(const char *file, const char *what)
{
	struct figures ptop = { 0 }, perf = { 0 };
	struct run_result r;
	bool has_enough;

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
	has_enough = assert_alike(&ptop, &perf, what);
	free(ptop.items);
	free(perf.items);
	return has_enough;
}

static bool
run_to_its_end(char *const argv[])
{
	struct run_result r;
	bool is_good;

	run_program(&r, PATIENCE_S, argv);
	is_good = r.status == 0;
	if (!is_good)
		fprintf(stderr, "%s: status %#x, %s\n", argv[0], (unsigned)r.status, r.err);
	run_release(&r);
	return is_good;
}

static bool
record_by_perf(const char *file, const char *pid, const char *kind)
{
	return run_to_its_end((char *[]){ "perf", "record", "-q", "-e", "cpu-clock", "-F", "999",
		"--call-graph", (char *)(uintptr_t)kind, "-p", (char *)(uintptr_t)pid, "-o",
		(char *)(uintptr_t)file, "--", "sleep", "0.5", NULL });
}

static bool
record_by_ptop(const char *file, const char *pid, char *event, const char *kind, char *how)
{
	return run_to_its_end((char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d",
		"0.5", "-e", event, "-g", (char *)(uintptr_t)kind, "-p", (char *)(uintptr_t)pid,
		"-r", (char *)(uintptr_t)file, how, NULL });
}

static bool
record_copies(const char *file, const char *pid, const char *kind)
{
	return record_by_ptop(file, pid, (char *)(uintptr_t)"cpu-clock", kind, "--raw-stacks");
}

/* One event alone carries copies. */
static bool
record_copies_of_event(const char *file, const char *pid, const char *kind)
{
	char event[64];

	snprintf(event, sizeof(event), "cpu-clock/call-graph=%s/", kind);
	return record_by_ptop(file, pid, event, "fp", "--raw-stacks");
}

static bool
record_chains(const char *file, const char *pid, const char *kind)
{
	return record_by_ptop(file, pid, (char *)(uintptr_t)"cpu-clock", kind, NULL);
}

/* A recording of one load. */
struct recording {
	const char *load, *kind;
	bool (*record)(const char *file, const char *pid, const char *kind);
	pid_t pid, recorder; /* the load, -1: it cannot run here */
	char file[64];
};

/*
 * A program that runs already: of one whose first samples are those of the dynamic linker, perf 6.1
 * keeps what it did not find then, and ends the chains in libraries that were mapped later.
 */
static void
begin_recording(struct recording *r, size_t number)
{
	char pid[16];

	snprintf(r->file, sizeof(r->file), "%s/%zu.data", dir, number);
	r->pid = stack_load(r->load, dir);
	if (r->pid < 0)
		return;
	snprintf(pid, sizeof(pid), "%d", (int)r->pid);
	r->recorder = run_fork();
	if (r->recorder == 0)
		_exit(!r->record(r->file, pid, r->kind));
}

static void
end_recording(struct recording *r)
{
	int status = 0;

	if (r->pid < 0)
		return;
	waitpid(r->recorder, &status, 0);
	run_end(r->pid);
	assert_int_equal(status, 0);
}

/* While one is compared, the next one is made. */
static void
compare_each(struct recording *recordings, size_t len)
{
	char what[64];
	bool has_enough;

	need_perf();
	begin_recording(&recordings[0], 0);
	for (size_t i = 0; i < len; i++) {
		struct recording *r = &recordings[i];

		end_recording(r);
		if (i + 1 < len)
			begin_recording(r + 1, i + 1);
		if (r->pid < 0)
			continue;
		snprintf(what, sizeof(what), "%s, %s", r->load, r->kind);
		has_enough = compare(r->file, what);
		/* On a busy machine it may have had no CPU. */
		for (int again = 1; !has_enough && again < TRIES; again++) {
			begin_recording(r, i);
			end_recording(r);
			has_enough = compare(r->file, what);
		}
		assert_true(has_enough);
		unlink(r->file);
	}
}

static void
compare_all(const char *kind, const char *const *loads, size_t len)
{
	struct recording all[LOADS_MAX];
	size_t n = 0;

	/* Those between go the same ways, with other numbers. */
	for (size_t i = 0; i < len; i += IS_SANITIZED ? 2 : 1)
		all[n++] = (struct recording){ .load = loads[i], .kind = kind,
					       .record = record_by_perf };
	compare_each(all, n);
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
	/* It appends what it unwinds to what the kernel followed: of auto there is nothing of that. */
	struct recording all[] = {
		{ .load = "deep", .kind = "dwarf", .record = record_copies },
		{ .load = "syscalls", .kind = "auto", .record = record_copies },
		{ .load = "deep", .kind = "dwarf", .record = record_copies_of_event },
	};

	(void)state;
	compare_each(all, ARRAY_SIZE(all));
}

static void
perf_reads_the_chains_that_ptop_records(void **state)
{
	struct recording one = { .load = "deep", .kind = "dwarf", .record = record_chains };

	(void)state;
	compare_each(&one, 1);
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
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
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
