/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains from copies of stacks, on the real kernel: those of ptop are perf's, and what
 * functions sum up to with what they call is, too.  It takes half a minute: programs are recorded for
 * seconds, and perf takes as long to unwind what it recorded.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/strs.h"
#include "run_output.h"
#include "stack_loads.h"
#include "skip.h"
#include "tests/asserts.h"

enum { SECONDS = 400, LEAST_SAMPLES = 20, RECORD_S = 1, RECORD_S_MAX = 32, FRAMES_MAX = 600, MAPS_MAX = 1024, KEEP_TRIES = 20 };

static char dir[] = "/tmp/ptop-chains.XXXXXX";

static const char *
in_dir(const char *name)
{
	static char paths[4][300];
	static unsigned next;
	char *path = paths[next++ % ARRAY_SIZE(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static void
need_perf(void)
{
	struct run_result r;
	bool works;

	run_program(&r, SECONDS, (char *[]){ "perf", "--version", NULL });
	works = WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0;
	run_release(&r);
	if (works)
		return;
	skip_for("perf does not run here");
}

static pid_t
need_load(const char *name)
{
	pid_t pid = stack_load(name, dir);

	if (pid < 0)
		skip();
	return pid;
}

/* The recording of @pid as @name, call graphs of that kind. */
static void
record_for(pid_t pid, const char *kind, const char *name, int seconds)
{
	char number[16], length[16];
	struct run_result r;
	char *argv[] = { "perf", "record", "-q", "-F", "400", "--call-graph",
			 (char *)(uintptr_t)kind, "-p", number, "-o",
			 (char *)(uintptr_t)in_dir(name), "--", "sleep", length, NULL };

	snprintf(length, sizeof(length), "%d", seconds);
	snprintf(number, sizeof(number), "%d", pid);
	run_program(&r, SECONDS, argv);
	assert_true(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0);
	run_release(&r);
}

static void
record(pid_t pid, const char *kind, const char *name)
{
	record_for(pid, kind, name, RECORD_S);
}

static char *
ptop_reads(const char *name, const char *option, const char *value)
{
	return run_output(SECONDS, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-i",
				     (char *)(uintptr_t)name, (char *)(uintptr_t)option,
				     (char *)(uintptr_t)value, NULL });
}

struct chain {
	char time[32]; /* of the sample: seconds.nanoseconds */
	uint64_t addrs[FRAMES_MAX];
	size_t len;
	bool is_unwound, is_cut;
};

/* What the one process that is recorded maps, the newest last. */
static struct map {
	uint64_t start, len, pgoff;
} maps[MAPS_MAX];
static size_t map_count;

static void
chain_add(struct chain *c, uint64_t addr)
{
	assert_that(c->len, <, FRAMES_MAX);
	c->addrs[c->len++] = addr;
}

/* As perf script prints it: where it is in its file. */
static uint64_t
in_file(uint64_t addr)
{
	for (size_t i = map_count; i-- > 0;)
		if (addr - maps[i].start < maps[i].len)
			return addr - maps[i].start + maps[i].pgoff;
	return addr;
}

static uint64_t
number_of(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	assert_non_null(at);
	return strtoull(at + strlen(name), NULL, 16);
}

static void
add_map(const char *line)
{
	struct map m = { number_of(line, " start="), number_of(line, " len="),
			 number_of(line, " pgoff=") };

	/* The kernel's addresses are printed as they are. */
	if (m.start >> 63 != 0)
		return;
	assert_that(map_count, <, MAPS_MAX);
	maps[map_count++] = m;
}

/* The addresses between "NAME=[" and "]", without the names of contexts among them. */
static bool
add_list(struct chain *c, const char *line, const char *name)
{
	const char *at = strstr(line, name), *line_end = strchrnul(line, '\n'), *end;

	if (at == NULL || at >= line_end)
		return false;
	at += strlen(name);
	for (end = strchr(at, ']'); at < end; at += strcspn(at, " ]") + (at[strcspn(at, " ]")] == ' '))
		if (strncmp(at, "0x", 2) == 0)
			chain_add(c, in_file(strtoull(at, NULL, 16)));
	return true;
}

static void
set_time(struct chain *c, const char *at)
{
	snprintf(c->time, sizeof(c->time), "%.*s", (int)strspn(at, "0123456789."), at);
}

/* The chain of the next sample of what --dump printed.  false: there is none. */
static bool
next_dumped(const char **text, struct chain *c)
{
	c->len = 0;
	while (**text != '\0') {
		const char *line = *text, *end = strchrnul(line, '\n');
		const char *sample = strstr(line, " sample "), *when, *cut;

		*text = end + (*end == '\n');
		if (strncmp(line, "mmap", 4) == 0)
			add_map(line);
		if (sample == NULL || sample > end)
			continue;
		when = strstr(sample, " time=");
		if (when == NULL || when > end)
			fail_msg("a sample without its time: %.*s", (int)(end - line), line);
		set_time(c, when + strlen(" time="));
		add_list(c, sample, " chain=[");
		c->is_unwound = add_list(c, sample, " unwound=[");
		cut = strstr(sample, " cut=");
		c->is_cut = cut != NULL && cut < end;
		return true;
	}
	return false;
}

/* The same of what perf script printed: the time, and an address a line; it may have none. */
static bool
next_scripted(const char **text, struct chain *c)
{
	c->len = 0;
	*text += strspn(*text, " \n");
	if (**text == '\0')
		return false;
	set_time(c, *text);
	while (**text != '\0' && **text != '\n')
		(*text)++;
	while (strncmp(*text, "\n\t", 2) == 0) {
		chain_add(c, strtoull(*text + 2, NULL, 16));
		*text += 1 + strcspn(*text + 1, "\n");
	}
	/* Of the caller that the copy of the stack does not hold perf has a 0, and one less. */
	if (c->len > 1 && c->addrs[c->len - 1] == UINT64_MAX)
		c->len--;
	return true;
}

static void
print_chain(const char *who, const struct chain *c)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < c->len; i++)
		buf_addf(&b, " %llx", (unsigned long long)c->addrs[i]);
	print_message("%s:%s%s\n", who, buf_str(&b), c->is_cut ? " cut" : "");
	buf_release(&b);
}

/* At least 99 of 100 chains are perf's, to the address. */
static char *
ptop_dumps(const char *name)
{
	return run_output(SECONDS, (char *[]){ (char *)(uintptr_t)run_ptop(), "--dump", "-i",
				     (char *)(uintptr_t)in_dir(name), NULL });
}

/* How many samples there are. */
static size_t
has_the_chains_of_perf(const char *name)
{
	char *dumped = ptop_dumps(name);
	char *scripted = run_output(SECONDS, (char *[]){ "perf", "script", "-i", (char *)(uintptr_t)in_dir(name),
					       "-F", "time,ip", "--ns", "--no-inline", "--max-stack", "512", NULL });
	const char *a = dumped, *b = scripted;
	static struct chain mine, theirs;
	size_t samples = 0, equal = 0;

	map_count = 0;
	while (next_dumped(&a, &mine)) {
		assert_true(next_scripted(&b, &theirs));
		assert_string_equal(mine.time, theirs.time);
		samples++;
		if (mine.len == theirs.len &&
		    memcmp(mine.addrs, theirs.addrs, mine.len * sizeof(mine.addrs[0])) == 0)
			equal++;
		else if (samples - equal <= 3) {
			print_chain("ptop", &mine);
			print_chain("perf", &theirs);
		}
	}
	assert_false(next_scripted(&b, &theirs));
	print_message("%s: %zu of %zu chains equal\n", name, equal, samples);
	assert_that(equal * 100, >=, samples * 99);
	free(dumped);
	free(scripted);
	return samples;
}

/* On a busy machine it takes longer until there are enough samples. */
static void
check_load(const char *load)
{
	size_t samples = 0;
	pid_t pid;

	need_perf();
	pid = need_load(load);
	for (int s = RECORD_S; samples < LEAST_SAMPLES && s <= RECORD_S_MAX; s *= 4) {
		record_for(pid, "dwarf", load, s);
		samples = has_the_chains_of_perf(load);
	}
	run_end(pid);
	assert_that(samples, >=, LEAST_SAMPLES);
}

static void
chains_of_a_program_in_cpp_are_those_of_perf(void **state)
{
	(void)state;
	check_load("deep");
}

static void
chains_through_qsort_and_signal_handlers_are_those_of_perf(void **state)
{
	(void)state;
	check_load("nested");
}

static void
chains_of_an_interpreter_are_those_of_perf(void **state)
{
	(void)state;
	check_load("python3");
}

static void
chains_of_a_program_in_rust_are_those_of_perf(void **state)
{
	(void)state;
	check_load("rust");
}

/* How many files are in the folder whose names begin so. */
static size_t
count_kept(const char *folder, const char *begin)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	size_t n = 0;

	while (d != NULL && (entry = readdir(d)) != NULL)
		n += strncmp(entry->d_name, begin, strlen(begin)) == 0 &&
		     strstr(entry->d_name, ".new-") == NULL;
	if (d != NULL)
		closedir(d);
	return n;
}

static void
remove_folder(const char *path)
{
	free(run_output(SECONDS, (char *[]){ "rm", "-rf", (char *)(uintptr_t)path, NULL }));
}

static void
chains_by_rules_that_were_kept_are_the_same(void **state)
{
	static const char name[] = "XDG_CACHE_HOME";
	char *had = getenv(name) != NULL ? mem_strdup(getenv(name)) : NULL;
	char home[300], kept[320], *cold, *warm;
	size_t n;
	bool same;
	pid_t pid;

	(void)state;
	need_perf();
	pid = need_load("deep");
	record(pid, "dwarf", "kept");
	run_end(pid);
	snprintf(home, sizeof(home), "%s", in_dir("cache"));
	snprintf(kept, sizeof(kept), "%s/ptop", home);
	setenv(name, home, 1);
	cold = ptop_dumps("kept");
	/* The load and the library of C; that of C++ is in few samples, or in none. */
	for (int i = 0; i < KEEP_TRIES && count_kept(kept, "elf-cfi-") < 2; i++)
		free(ptop_dumps("kept"));
	n = count_kept(kept, "elf-cfi-");
	warm = ptop_dumps("kept");
	if (had != NULL)
		setenv(name, had, 1);
	else
		unsetenv(name);
	free(had);
	remove_folder(home);
	same = strcmp(cold, warm) == 0;
	free(cold);
	free(warm);
	assert_that(n, >=, 2);
	assert_true(same);
}

/* What is counted of one function: in itself, and with all that it calls. */
struct total {
	double self, total;
	unsigned seen; /* the line that it was counted in last */
};

struct totals {
	struct strs names;
	struct total *items; /* by string */
	size_t cap;
	double all;
};

static struct total *
total_of(struct totals *t, const char *name, size_t len)
{
	uint32_t id = strs_add(&t->names, name, len);
	size_t old = t->cap;

	vec_reserve(&t->items, &t->cap, id + 1, sizeof(*t->items));
	if (t->cap > old)
		memset(t->items + old, 0, (t->cap - old) * sizeof(*t->items));
	return &t->items[id];
}

static void
totals_release(struct totals *t)
{
	strs_release(&t->names);
	free(t->items);
}

/* "comm;outermost;...;innermost count": a function counts once, however often it is in the stack. */
static void
sum_folded(struct totals *t, const char *text)
{
	for (unsigned line = 1; *text != '\0'; line++) {
		const char *end = strchrnul(text, '\n'), *number = memrchr(text, ' ', (size_t)(end - text));
		const char *at = memchr(text, ';', (size_t)(end - text));
		double count;

		assert_non_null(number);
		count = strtod(number, NULL);
		t->all += count;
		while (at != NULL && at < number) {
			const char *next = memchr(at + 1, ';', (size_t)(number - at - 1));
			const char *stop = next != NULL ? next : number;
			struct total *one = total_of(t, at + 1, (size_t)(stop - at - 1));

			if (one->seen != line)
				one->total += count;
			one->seen = line;
			if (next == NULL)
				one->self += count;
			at = next;
		}
		text = end + (*end == '\n');
	}
}

/* "12.34% ;5.67% ;[.] name" a line, as perf report prints with -t ';'. */
static void
sum_reported(struct totals *t, const char *text)
{
	for (; *text != '\0'; text = strchrnul(text, '\n'), text += *text == '\n') {
		const char *end = strchrnul(text, '\n'), *name;
		char *after;
		double total = strtod(text, &after), self;
		struct total *one;

		if (after == text || *after != '%')
			continue;
		self = strtod(strchr(after, ';') + 1, &after);
		name = strstr(after, "] ");
		if (*after != '%' || name == NULL || name > end)
			continue;
		name += 2;
		while (end > name && end[-1] == ' ')
			end--;
		one = total_of(t, name, (size_t)(end - name));
		one->total += total;
		one->self += self;
	}
}

/* Names of C++ lose in perf what the compiler put behind them. */
static const struct total *
same_function(struct totals *t, const char *name)
{
	const struct total *as_it_is = total_of(t, name, strlen(name));
	char whole[2048];

	if (as_it_is->total > 0)
		return as_it_is;
	snprintf(whole, sizeof(whole), "%s.constprop.0", name);
	return total_of(t, whole, strlen(whole));
}

/* How many were compared.  Those of perf are rounded to hundredths of a percent. */
static size_t
compare_totals(struct totals *mine, struct totals *theirs)
{
	size_t compared = 0, wrong = 0;

	for (uint32_t id = 1; id < theirs->cap; id++) {
		const struct total *want = &theirs->items[id];
		const char *name;
		const struct total *got;
		double total, self;

		if (want->total < 0.05)
			continue;
		name = strs_get(&theirs->names, id);
		if (strncmp(name, "0x", 2) == 0)
			continue;
		got = same_function(mine, name);
		total = 100 * got->total / mine->all;
		self = 100 * got->self / mine->all;
		compared++;
		if (total - want->total < 0.02 && want->total - total < 0.02 &&
		    self - want->self < 0.02 && want->self - self < 0.02)
			continue;
		print_message("%s: %.2f %.2f, perf %.2f %.2f\n", name, total, self, want->total,
			      want->self);
		wrong++;
	}
	assert_int_equal(wrong, 0);
	return compared;
}

static size_t
check_totals_of(const char *path)
{
	char *folded = ptop_reads(path, "--format", "folded");
	char *reported = run_output(SECONDS, (char *[]){ "perf", "report", "--stdio", "--children",
					       "--no-inline", "-g", "none", "-F",
					       "overhead_children,overhead,sym", "-t", ";",
					       "--percent-limit", "0", "--max-stack", "512", "-i",
					       (char *)(uintptr_t)path, NULL });
	struct totals mine = { 0 }, theirs = { 0 };
	size_t compared;

	sum_folded(&mine, folded);
	sum_reported(&theirs, reported);
	compared = compare_totals(&mine, &theirs);
	totals_release(&mine);
	totals_release(&theirs);
	free(folded);
	free(reported);
	return compared;
}

/* On a busy machine a second brings few samples. */
static void
functions_sum_up_to_what_perf_report_says(void **state)
{
	static const char *const kinds[] = { "dwarf", "fp" };
	pid_t pid;

	(void)state;
	need_perf();
	pid = need_load("deep");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t compared = 0;

		for (int s = RECORD_S; compared < 5 && s <= RECORD_S_MAX; s *= 4) {
			record_for(pid, kinds[i], kinds[i], s);
			compared = check_totals_of(in_dir(kinds[i]));
		}
		assert_that(compared, >=, 5);
	}
	run_end(pid);
}

static const char *
fixtures(void)
{
	const char *from = getenv("PTOP_FIXTURES");

	return from != NULL ? from : "../shared/fixtures";
}

/* None of their programs is here: what is not known is said, not made up. */
static void
chains_of_programs_that_are_not_here_are_cut(void **state)
{
	static const char *const names[] = {
		"callgraph-dwarf-gcc", "callgraph-dwarf-precise",
		"callgraph-dwarf-zstd-inlining-attr136", "zstd-dwarf-gcc", "pipe-dwarf-contentsize",
	};
	static struct chain c;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[4096];
		const char *at;
		char *dumped;
		size_t unwound = 0;

		snprintf(path, sizeof(path), "%s/perfdata/%s.perf.data", fixtures(), names[i]);
		if (access(path, R_OK) != 0)
			skip_for("no recordings to read (PTOP_FIXTURES)");
		dumped = run_output(SECONDS, (char *[]){ (char *)(uintptr_t)run_ptop(), "--dump", "-i", path,
					       NULL });
		map_count = 0;
		for (at = dumped; next_dumped(&at, &c);)
			if (c.is_unwound) {
				unwound++;
				assert_true(c.is_cut);
			}
		print_message("%s: %zu chains, all cut\n", names[i], unwound);
		assert_that(unwound, >, 0);
		free(dumped);
	}
}

/* Live: main is the outermost function but for the C library's, and nothing is cut. */
static void
live_samples_are_unwound(void **state)
{
	struct run_result r;
	struct totals t = { 0 };
	char number[16];
	pid_t pid = run_load("nested");
	double whole, used;

	(void)state;
	assert_that(pid, >, 0);
	snprintf(number, sizeof(number), "%d", pid);
	run_program(&r, SECONDS, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-p", number, "-g",
					     "dwarf", "-d", "3", "-n", "1", "--format", "folded",
					     NULL });
	used = run_cpu_s(pid);
	run_end(pid);
	assert_true(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0);
	sum_folded(&t, r.out);
	whole = total_of(&t, "main", 4)->total;
	print_message("of %.0f samples %.0f are below main, %.0f are cut\n", t.all, whole,
		      total_of(&t, "[cut]", 5)->total);
	assert_clock_samples(t.all, used, 499); /* its budget may lower the rate */
	assert_that(whole + total_of(&t, "[cut]", 5)->total, >=, t.all * 0.99);
	/* On a busy machine the rules may come too late for the first ones. */
	assert_that(whole, >=, t.all * 0.9);
	/* What it calls last it does not come back to: sort_once() is not there. */
	assert_that(total_of(&t, "compare_slowly", 14)->total, >=, t.all * 0.5);
	totals_release(&t);
	run_release(&r);
}

/* A copy of 64 bytes holds hardly a frame: the callers are not known, and that is said. */
static void
chains_from_small_copies_are_cut(void **state)
{
	struct run_result r;
	struct totals t = { 0 };
	char number[16];
	double used;
	pid_t pid = run_load("nested");

	(void)state;
	assert_that(pid, >, 0);
	snprintf(number, sizeof(number), "%d", pid);
	run_program(&r, SECONDS, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-p", number, "-g",
					     "dwarf,64", "-d", "2", "-n", "1", "--format", "folded",
					     NULL });
	used = run_cpu_s(pid);
	run_end(pid);
	assert_true(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0);
	sum_folded(&t, r.out);
	assert_clock_samples(t.all, used, 499);
	assert_that(total_of(&t, "[cut]", 5)->total, >=, t.all * 0.5);
	assert_non_null(strstr(r.err, "[cut]"));
	totals_release(&t);
	run_release(&r);
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
	DIR *d = opendir(dir);
	struct dirent *entry;

	(void)state;
	while (d != NULL && (entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.')
			unlink(in_dir(entry->d_name));
	if (d != NULL)
		closedir(d);
	return rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_of_a_program_in_cpp_are_those_of_perf),
		cmocka_unit_test(chains_through_qsort_and_signal_handlers_are_those_of_perf),
		cmocka_unit_test(chains_of_an_interpreter_are_those_of_perf),
		cmocka_unit_test(chains_of_a_program_in_rust_are_those_of_perf),
		cmocka_unit_test(chains_by_rules_that_were_kept_are_the_same),
		cmocka_unit_test(functions_sum_up_to_what_perf_report_says),
		cmocka_unit_test(chains_of_programs_that_are_not_here_are_cut),
		cmocka_unit_test(live_samples_are_unwound),
		cmocka_unit_test(chains_from_small_copies_are_cut),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
