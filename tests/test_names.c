/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine that is busy with code of every kind, recorded by perf: what ptop and perf call it,
 * sample by sample.
 */
#include "config.h"

#include "tests/asserts.h"
#include "tests/named.h"
#include "tests/names_load.h"
#include "tests/spinner.h"
#include "tests/skip.h"

enum { LEAST = 40, DIFFERENCES = 40, RATE = 5000, KINDS_MAX = 64 };

#define RATE_TEXT "5000"
#define WARM_S 0.5 /* of CPU time, until a compiler has come to its code */

static struct recorded {
	struct fixture *f; /* NULL: nothing could be recorded */
	struct names_load *load;
	bool by_perf, is_there;
	struct named perf, ptop, perf_raw, ptop_raw;
	double used_s[KINDS_MAX]; /* the CPU time of each kind meanwhile, when it was warm */
} all;

/*
 * Linkage tables lie behind _init, which has no size: to perf it reaches over them up to the next
 * symbol.  Entries for what is chosen at run time have no name at all there, and ptop calls what is
 * no entry by its section.
 */
static void
as_one_linkage_table(char *name)
{
	static const char plt[] = "@plt";
	size_t len = strlen(name);

	if (strcmp(name, "_init") == 0 || strcmp(name, ".plt") == 0 ||
	    (len > strlen(plt) && strcmp(name + len - strlen(plt), plt) == 0))
		strcpy(name, plt);
}

/* What compilers put behind the name of a part or variant of a function: perf leaves it out. */
static void
without_variant(char *name)
{
	static const char *const variants[] = { ".cold", ".warm", ".part.", ".isra.",
						".constprop.", ".lto_priv." };
	char *dot;

	if (strpbrk(name, ":(<") == NULL)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++)
		if ((dot = strstr(name, variants[i])) != NULL)
			*dot = '\0';
}

/* A part that was moved elsewhere is a function of its own to perf. */
static void
without_part(char *name)
{
	static const char *const parts[] = { ".cold", ".warm" };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t len = strlen(name), tail = strlen(parts[i]);

		if (len > tail && strcmp(name + len - tail, parts[i]) == 0)
			name[len - tail] = '\0';
	}
}

static void
account_for(struct named *n, bool demangled)
{
	named_change(n, as_one_linkage_table);
	named_change(n, without_part);
	if (demangled)
		named_change(n, without_variant);
}

static int
setup(void **state)
{
	if (geteuid() != 0)
		return 0;
	if (unshare(CLONE_NEWNS) != 0 || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    fixture_setup(state) != 0)
		return -1;
	all.f = *state;
	chmod(all.f->dir, 0755);
	return 0;
}

static int
teardown(void **state)
{
	names_load_free(all.load);
	named_release(&all.perf);
	named_release(&all.ptop);
	named_release(&all.perf_raw);
	named_release(&all.ptop_raw);
	return all.f != NULL ? fixture_teardown(state) : 0;
}

/* The CPU time that a thread has used, not less than it takes to be warm. */
static double
warm_s(pid_t tid)
{
	struct buf b = { 0 };
	char path[64];
	double s = 0;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)tid);
	if (file_read(path, &b, 256) == 0)
		s = strtod(buf_str(&b), NULL) / 1e9;
	buf_release(&b);
	return s > WARM_S ? s : WARM_S;
}

static void
note_used(double sign)
{
	struct names_kind k;

	for (unsigned i = 0; i < KINDS_MAX && names_load_kind(all.load, i, &k); i++)
		all.used_s[i] += sign * warm_s(k.tid);
}

static void
record(const char *file)
{
	char *const perf[] = { "perf", "record", "-q", "-N", "-a", "-g", "-k", "mono", "-m", "16M", "-F",
			       RATE_TEXT, "-o", (char *)(uintptr_t)file, "sleep", "6", NULL };
	char *const ptop[] = { (char *)(uintptr_t)run_ptop(), "-b", "--budget", "off", "-n", "1",
			       "-d", "6", "-F", RATE_TEXT, "-r", (char *)(uintptr_t)file, NULL };
	struct run_result r;

	note_used(-1);
	run_program(&r, 60, all.by_perf ? perf : ptop);
	note_used(1);
	if (r.status != 0)
		fail_msg("%s", r.err);
	run_release(&r);
}

static void
a_machine_with_code_of_every_kind_is_recorded(void **state)
{
	const char *file;

	(void)state;
	if (all.f == NULL)
		skip_for("sampling every CPU needs root here");
	file = in_dir(all.f, "recording");
	all.by_perf = system("perf --version >/dev/null 2>&1") == 0;
	all.load = names_load_start(all.f);
	/* Files that others delete meanwhile must not be in the cache of one of the two. */
	setenv("HOME", all.f->dir, 1);
	/* Runtimes write their names, compilers get going. */
	sleep(2);
	record(file);
	names_load_stop(all.load);
	named_by_ptop(&all.ptop, file, false);
	if (all.by_perf) {
		named_by_perf(&all.perf, file, false);
		named_by_perf(&all.perf_raw, file, true);
		named_by_ptop(&all.ptop_raw, file, true);
	}
	all.is_there = true;
}

static void
need_recording(void)
{
	if (!all.is_there)
		skip_for("nothing was recorded");
}

static void
need_perf(void)
{
	need_recording();
	if (!all.by_perf)
		skip_for("perf is not installed");
}

static void
each_kind_of_code_has_its_name(void **state)
{
	struct names_kind k;
	unsigned failed = 0;

	(void)state;
	need_recording();
	for (unsigned i = 0; names_load_kind(all.load, i, &k); i++) {
		size_t sum = named_count(&all.ptop, (unsigned)k.tid, k.dso, "*");
		size_t named = named_count(&all.ptop, (unsigned)k.tid, k.dso, k.function);

		if (sum >= LEAST && named * 100 >= sum * k.percent)
			continue;
		/* They are nice: where others take the CPUs, some get next to nothing. */
		if (sum < LEAST && CLOCK_SAMPLES_LEAST(all.used_s[i], RATE) < LEAST) {
			print_message("# %s got %.2f s of CPU time, %zu samples\n", k.function, all.used_s[i], sum);
			continue;
		}
		print_message("# %zu of %zu samples in %s are in %s\n", named, sum, k.dso,
			      k.function);
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* 99.9 % of them. */
static bool
are_most(size_t part, size_t sum)
{
	return part <= sum && (sum - part) * 1000 <= sum;
}

static void
assert_agree(const struct named *perf, const struct named *ptop)
{
	struct named_difference d = named_compare(perf, ptop, 0);

	assert_int_equal(perf->samples, ptop->samples);
	print_message("# of %zu samples perf names %zu, ptop %zu; both %zu, alike %zu\n",
		      perf->samples, perf->samples - d.perf_unnamed,
		      ptop->samples - d.ptop_unnamed, d.both, d.agree);
	if (!are_most(d.agree, d.both) || !are_most(d.placed, perf->samples)) {
		named_compare(perf, ptop, DIFFERENCES);
		fail_msg("%zu are named, %zu placed differently", d.both - d.agree,
			 perf->samples - d.placed);
	}
	/* Most of a busy machine's are of others, without names. */
	assert_that(d.both, >, perf->samples / 20);
}

static void
names_are_those_of_perf(void **state)
{
	(void)state;
	need_perf();
	account_for(&all.perf_raw, false);
	account_for(&all.ptop_raw, false);
	assert_agree(&all.perf_raw, &all.ptop_raw);
}

static void
demangled_names_are_those_of_perf(void **state)
{
	(void)state;
	need_perf();
	account_for(&all.perf, true);
	account_for(&all.ptop, true);
	assert_agree(&all.perf, &all.ptop);
}

struct worse {
	struct run_result reasons;
	unsigned count;
};

/* What was built anew since then: perf takes the names of what is there now. */
static size_t
count_replaced(const struct worse *w, const char *dso)
{
	static const char *const reasons[] = { "replaced since it was mapped",
					       "changed since it was recorded" };
	size_t sum = 0;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		const char *const pairs[][2] = { { "dso", dso }, { "reason", reasons[i] } };

		sum += (size_t)run_csv_sum(w->reasons.out, "samples", 2, pairs);
	}
	return sum;
}

static void
check_dso(void *self, const char *dso, size_t perf, size_t ptop)
{
	struct worse *w = self;

	if (ptop <= perf + count_replaced(w, dso))
		return;
	print_message("# without a name in %s: %zu, %zu by ptop\n", dso, perf, ptop);
	w->count++;
}

static void
no_file_has_more_without_a_name(void **state)
{
	struct named_difference d;
	struct worse w = { .count = 0 };

	(void)state;
	need_perf();
	run_program(&w.reasons, 60,
		    (char *[]){ (char *)(uintptr_t)run_ptop(), "--by", "dso,reason", "--format",
				"csv", "-i", (char *)(uintptr_t)in_dir(all.f, "recording"), NULL });
	named_each_dso(&all.perf, &all.ptop, check_dso, &w);
	run_release(&w.reasons);
	d = named_compare(&all.perf, &all.ptop, 0);
	assert_int_equal(w.count, 0);
	assert_that(d.ptop_unnamed, <, d.perf_unnamed);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_with_code_of_every_kind_is_recorded),
		cmocka_unit_test(each_kind_of_code_has_its_name),
		cmocka_unit_test(names_are_those_of_perf),
		cmocka_unit_test(demangled_names_are_those_of_perf),
		cmocka_unit_test(no_file_has_more_without_a_name),
	};

	return cmocka_run_group_tests_name("names", tests, setup, teardown);
}
