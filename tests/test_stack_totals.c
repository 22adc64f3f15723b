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
#include "tests/run.h"

#define NAMED_FROM 1.0 /* percent */

enum { PATIENCE_S = 120, NAME_LEN = 512, FIELDS = 8 };

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

/* The next field of a line of CSV, without its quotes. */
static const char *
csv_field(const char *at, char *field)
{
	bool quoted = *at == '"';
	size_t n = 0;

	at += quoted;
	while (*at != '\0' && *at != '\n' && (quoted ? *at != '"' || at[1] == '"' : *at != ',')) {
		at += *at == '"';
		if (n < NAME_LEN - 1)
			field[n++] = *at;
		at++;
	}
	field[n] = '\0';
	at += quoted;
	return *at == ',' ? at + 1 : at;
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

/* depth,dso,symbol,self_samples,self_period,samples,period,percent */
static void
read_ptop(struct figures *f, const char *csv)
{
	for (const char *line = strchr(csv, '\n'); line != NULL && line[1] != '\0';
	     line = strchr(line + 1, '\n')) {
		char fields[FIELDS][NAME_LEN];
		const char *at = line + 1;
		double period, percent;

		for (int i = 0; i < FIELDS; i++)
			at = csv_field(at, fields[i]);
		period = atof(fields[6]);
		percent = atof(fields[7]);
		if (strcmp(fields[0], "0") == 0)
			add(f, without_clone(fields[2]), percent,
			    period > 0 ? percent * atof(fields[4]) / period : 0);
	}
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
	if (geteuid() != 0 || !run_has_perf()) {
		print_message("# needs root and a perf that runs\n");
		skip();
	}
}

static const struct figure *
find(const struct figures *f, const char *name)
{
	for (size_t i = 0; i < f->len; i++)
		if (strcmp(f->items[i].name, name) == 0)
			return &f->items[i];
	return NULL;
}

/*
 * perf rounds to hundredths.  Which name a place has is held elsewhere: of functions that are
 * hardly ever sampled some have others here, such as labels inside of a function.
 */
static void
assert_alike(const struct figures *ptop, const struct figures *perf)
{
	size_t compared = 0;

	for (size_t i = 0; i < perf->len; i++) {
		const struct figure *p = &perf->items[i], *f = find(ptop, p->name);

		if (p->total < NAMED_FROM || strlen(p->name) >= NAME_LEN - 1 ||
		    strspn(p->name, "0123456789abcdefx") == strlen(p->name))
			continue;
		/* The PLT of a stripped file, which follows it, has no names in perf. */
		if (strcmp(p->name, "_init") == 0)
			continue;
		if (f == NULL)
			fail_msg("%s is not in ptop's report", p->name);
		if (fabs(f->total - p->total) > 0.011 || fabs(f->self - p->self) > 0.011)
			fail_msg("%s: %.4f %.4f, in perf %.2f %.2f", p->name, f->total, f->self,
				 p->total, p->self);
		compared++;
	}
	assert_true(compared >= 3);
}

static void
compare(const char *load)
{
	char dir[] = "/tmp/ptop-totals-XXXXXX", file[64], path[128];
	struct figures ptop = { 0 }, perf = { 0 };
	struct run_result r;

	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/a.data", dir);
	snprintf(path, sizeof(path), "tests/loads/%s", load);
	run_program(&r, PATIENCE_S, (char *[]){ "perf", "record", "-q", "-e", "cpu-clock", "-F",
		    "1999", "--call-graph", "fp", "-o", file, "timeout", "2", path, NULL });
	run_release(&r); /* its status is that of timeout */
	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i", file, "-b",
		    "--view", "callees", "--format", "csv", NULL });
	assert_int_equal(r.status, 0);
	read_ptop(&ptop, r.out);
	run_release(&r);
	run_program(&r, PATIENCE_S, (char *[]){ "perf", "report", "--children", "--no-inline", "-g",
		    "none", "--stdio", "-t", ";", "-F", "overhead_children,overhead,sym", "-i",
		    file, NULL });
	assert_int_equal(r.status, 0);
	read_perf(&perf, r.out);
	run_release(&r);
	unlink(file);
	rmdir(dir);
	assert_alike(&ptop, &perf);
	free(ptop.items);
	free(perf.items);
}

static void
totals_are_those_of_perf_report_children(void **state)
{
	static const char *const loads[] = { "hot", "syscalls", "threads", "deep" };
	char path[64];

	(void)state;
	need_perf();
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		snprintf(path, sizeof(path), "tests/loads/%s", loads[i]);
		if (access(path, X_OK) == 0) /* deep is there if a C++ compiler is */
			compare(loads[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_are_those_of_perf_report_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
