/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the key w writes of the flight recorder, whatever was opened and closed meanwhile: files that
 * perf reads, with all their samples.  It takes more than half a minute: perf reads each of some 20
 * files twice, with the names of its kernel.
 */
#include <config.h>

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/screen_fixture.h"

#include "tests/cpu_1.h"

enum { PATIENCE_S = 120, WRITTEN_MS = 30000, BUDGET_MS = 30000, OPEN_MS = 20000, PATH_LEN = 128 };

/* ptop runs in a folder of its own, where its files go. */
struct past {
	struct screen s;
	char dir[64];
	char file[PATH_LEN]; /* the last */
	time_t written_at;
	pid_t other; /* another profiler */
};

static int
begin(void **state)
{
	struct past *p = calloc(1, sizeof(*p));

	strcpy(p->dir, "/tmp/ptop-past-XXXXXX");
	*state = p;
	return mkdtemp(p->dir) != NULL ? 0 : -1;
}

static int
end(void **state)
{
	struct past *p = *state;
	char command[PATH_LEN];

	cpu_1_put_back();
	run_end(p->other);
	pty_free(p->s.p);
	for (int i = 0; i < LOADS_MAX; i++)
		run_end(p->s.loads[i]);
	snprintf(command, sizeof(command), "rm -rf %s", p->dir);
	if (system(command) != 0)
		fprintf(stderr, "%s stays\n", p->dir);
	free(p);
	return 0;
}

/* Its files are small: perf takes a while for each. */
static void
start(struct past *p, const char *options)
{
	char command[PATH_MAX + 512], *cwd = getcwd(NULL, 0);

	need_root();
	if (!run_has_perf())
		skip_for("there is no perf to read the files");
	if (run_ptop()[0] == '/')
		*cwd = '\0';
	snprintf(command, sizeof(command), "cd %s && exec %s/%s --history 1M %s", p->dir, cwd,
		 run_ptop(), options);
	free(cwd);
	screen_load(&p->s, "threads");
	screen_load(&p->s, "faults");
	screen_run(&p->s, 150, 40, ARGS("sh", "-c", command), NULL);
	sees(&p->s, "event ");
	sees_match(&p->s, "threads|faults");
}

/* The recorder's thread is there until all is written. */
static bool
is_writing(pid_t pid)
{
	char path[64];
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;) {
		struct buf b = { 0 };
		char comm[PATH_LEN + 256];

		snprintf(comm, sizeof(comm), "%s/%s/comm", path, d->d_name);
		found |= file_read(comm, &b, 64) == 0 &&
			 strncmp(buf_str(&b), "ptop-record", strlen("ptop-record")) == 0;
		buf_release(&b);
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

static bool
find_file(struct past *p)
{
	DIR *dir = opendir(p->dir);
	bool found = false;

	for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;) {
		if (strstr(d->d_name, "-past.perf.data") == NULL)
			continue;
		snprintf(p->file, sizeof(p->file), "%s/%.60s", p->dir, d->d_name);
		found = true;
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

/* What there is to say of a busy machine, and of symbols. */
static bool
is_harmless(const char *line)
{
	static const char *const harmless[] = {
		"Warning:", "Processed ", "Check IO/CPU overload", "Kernel address maps",
		"As no suitable kallsyms", "can't be resolved", "If some relocation",
		"Samples in kernel modules", "Please use ", "[kernel.kallsyms]",
	};

	while (isspace((unsigned char)*line))
		line++;
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		if (strncmp(line, harmless[i], strlen(harmless[i])) == 0)
			return true;
	return *line == '\0';
}

static size_t
count_lines(const char *text)
{
	size_t n = 0;

	for (const char *c = text; *c != '\0'; c++)
		n += *c == '\n';
	return n;
}

/* How many lines it prints. */
static size_t
read_by_perf(const struct past *p, char *const argv[])
{
	struct run_result r;
	char *save = NULL;
	size_t lines;

	run_program(&r, PATIENCE_S, argv);
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 0)
		fail_msg("perf %s of %s: status %#x: %s", argv[1], p->file, r.status, r.err);
	lines = count_lines(r.out);
	for (char *line = strtok_r(r.err, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save))
		if (!is_harmless(line))
			fail_msg("perf %s of %s says: %s", argv[1], p->file, line);
	run_release(&r);
	return lines;
}

/* Of all events if @event is NULL. */
static double
count_of(const struct past *p, const char *event)
{
	struct run_result r;
	double samples;

	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-i", (char *)(uintptr_t)p->file,
					 "--by", "event", "--format", "csv"));
	if (r.status != 0)
		fail_msg("%s: %s", p->file, r.err);
	samples = run_csv_sum(r.out, "samples", event != NULL ? 1 : 0,
			      (const char *const[][2]){ { "event", event } });
	run_release(&r);
	return samples;
}

/* To all readers there are as many samples in it; its number. */
static double
assert_read(struct past *p, bool has_values)
{
	char *file = p->file;
	double samples = count_of(p, NULL);
	size_t lines;

	assert_that(samples, >, 0);
	read_by_perf(p, ARGS("perf", "report", "-i", file, "--stdio", "-g", "none",
			     "--no-children", "-s", "comm"));
	/* Without names, which may hold anything. */
	lines = read_by_perf(p, ARGS("perf", "script", "-i", file, "-F", "tid,time,event"));
	/* Of samples that carry values perf prints each value. */
	if (!has_values && (double)lines != samples)
		fail_msg("%s: perf prints %zu samples, ptop counts %.0f", file, lines, samples);
	unlink(file);
	return samples;
}

/* At the very first nothing was yet: the menu is as it was asked for. */
static void
open_menu(struct past *p)
{
	for (int ms = 0; ms < SOON_MS; ms += 1000) {
		keys(&p->s, "w");
		if (pty_wait_text(p->s.p, "What was", 1000))
			return;
		keys(&p->s, "\033");
		pty_run(p->s.p, 200);
	}
	sees(&p->s, "What was");
}

/* The key, and the file that comes of it. */
static void
write_past(struct past *p)
{
	/* Its name tells the second. */
	while (time(NULL) <= p->written_at)
		pty_run(p->s.p, 100);
	p->written_at = time(NULL) + 1;
	open_menu(p);
	keys(&p->s, "\r");
	for (int ms = 0; ms < WRITTEN_MS && (!find_file(p) || is_writing(pty_pid(p->s.p))); ms += 100)
		pty_run(p->s.p, 100);
	if (!find_file(p))
		fail_msg("no file was written:\n%s", pty_screen(p->s.p));
	assert_false(is_writing(pty_pid(p->s.p)));
}

static void
written_file_is_read(struct past *p)
{
	write_past(p);
	assert_read(p, false);
}

/* Opens what is typed, or the one of the list that has it in its name. */
static void
switch_to(struct past *p, const char *text, const char *event)
{
	char head[96];

	keys(&p->s, "e");
	sees_match(&p->s, "^ \\+ cpu-clock");
	keys(&p->s, text);
	sees_match(&p->s, "1 of |Enter opens what is typed");
	keys(&p->s, "\r");
	snprintf(head, sizeof(head), "event %s ", event);
	sees(&p->s, head);
	/* It is sampled: a row has something of it. */
	sees_match(&p->s, " [0-9]+\\.[0-9] .* (threads|faults)");
}

static void
a_file_after_switches_of_the_event_is_read_by_perf(void **state)
{
	struct past *p = *state;

	start(p, "");
	written_file_is_read(p);
	keys(&p->s, "+");
	sees(&p->s, "1999 Hz");
	switch_to(p, "page-f", "page-faults");
	written_file_is_read(p);
	keys(&p->s, "[");
	sees(&p->s, "event cpu-clock");
	pty_run(p->s.p, 1500);
	written_file_is_read(p);
	switch_to(p, "context-sw", "context-switches");
	keys(&p->s, "]");
	sees(&p->s, "event cpu-clock");
	pty_run(p->s.p, 3000); /* what was closed is forgotten, but here */
	written_file_is_read(p);
	leave(&p->s);
}

static void
a_file_after_changes_of_rate_is_read_by_perf(void **state)
{
	struct past *p = *state;

	start(p, "-e cpu-clock --budget off");
	sees(&p->s, "999 Hz");
	keys(&p->s, "+");
	sees(&p->s, "1999 Hz");
	pty_run(p->s.p, 500);
	written_file_is_read(p);
	keys(&p->s, "---");
	sees(&p->s, "199 Hz");
	pty_run(p->s.p, 3000);
	written_file_is_read(p);
	switch_to(p, "task-cl", "task-clock");
	keys(&p->s, "+");
	sees(&p->s, "499 Hz");
	pty_run(p->s.p, 500);
	written_file_is_read(p);
	leave(&p->s);
}

/* The rates are ptop's own then. */
static void
a_file_after_changes_by_the_budget_is_read_by_perf(void **state)
{
	struct past *p = *state;

	start(p, "-F 20000 --budget 0.05 -e cpu-clock");
	if (!pty_wait_match(p->s.p, " [0-9]+ of 20000 Hz", BUDGET_MS))
		fail_msg("the rate is not lowered:\n%s", pty_screen(p->s.p));
	pty_run(p->s.p, 1000);
	written_file_is_read(p);
	switch_to(p, "task-cl", "task-clock");
	pty_run(p->s.p, 4000);
	written_file_is_read(p);
	leave(&p->s);
}

/* Others may do the same with it. */
static void
set_cpu_1(struct past *p, const char *online, const char *regex)
{
	for (int i = 0; i < 3; i++) {
		assert_true(cpu_1_set(online));
		if (pty_wait_match(p->s.p, regex, SOON_MS))
			return;
	}
	sees_match(&p->s, regex);
}

static void
a_file_after_a_cpu_went_and_came_is_read_by_perf(void **state)
{
	struct past *p = *state;

	cpu_1_need();
	start(p, "");
	sees_match(&p->s, "Hz x [0-9]+ cpu");
	for (int i = 0; i < 2; i++) {
		set_cpu_1(p, "0", "Hz x [0-9]+/[0-9]+ CPUs");
		written_file_is_read(p);
		set_cpu_1(p, "1", "Hz x [0-9]+ cpu");
		pty_run(p->s.p, 1000);
		written_file_is_read(p);
	}
	leave(&p->s);
}

static pid_t
run_other(void)
{
	pid_t pid = run_fork();

	assert_that(pid, >=, 0);
	if (pid > 0)
		return pid;
	if (freopen("/dev/null", "w", stdout) != NULL && freopen("/dev/null", "w", stderr) != NULL)
		execlp("perf", "perf", "record", "-a", "-e", "page-faults,context-switches", "-c", "1",
		       "-o", "/dev/null", (char *)NULL);
	_exit(127);
}

/* It has no end but ours, unless a CPU goes while it begins. */
static void
start_other(struct past *p)
{
	for (int ms = 0; ms < OPEN_MS; ms += 100) {
		if (p->other <= 0 || waitpid(p->other, NULL, WNOHANG) == p->other)
			p->other = run_other();
		pty_run(p->s.p, 100);
		if (run_count_events(p->other) > 0)
			return;
	}
	fail_msg("perf record opens no event");
}

/* Whoever comes first, the samples of both carry its ids. */
static void
a_file_beside_another_profiler_is_read_by_perf(void **state)
{
	struct past *p = *state;

	start(p, "");
	keys(&p->s, "+");
	sees(&p->s, "1999 Hz");
	switch_to(p, "page-f", "page-faults");
	start_other(p);
	pty_run(p->s.p, 1000);
	written_file_is_read(p);
	switch_to(p, "context-sw", "context-switches");
	pty_run(p->s.p, 1000);
	written_file_is_read(p);
	keys(&p->s, "[");
	sees(&p->s, "event page-faults");
	keys(&p->s, "+");
	pty_run(p->s.p, 1000);
	written_file_is_read(p);
	run_end(p->other);
	p->other = 0;
	pty_run(p->s.p, 1000);
	written_file_is_read(p);
	leave(&p->s);
}

static void
a_file_of_groups_is_read_by_perf(void **state)
{
	struct past *p = *state;

	start(p, "");
	keys(&p->s, "+");
	sees(&p->s, "1999 Hz");
	switch_to(p, "{context-switches,task-clock}", "context-switches");
	written_file_is_read(p);
	switch_to(p, "{page-faults,context-switches}:S", "page-faults:S");
	pty_run(p->s.p, 1000);
	write_past(p);
	assert_read(p, true);
	keys(&p->s, "e");
	sees_match(&p->s, "^ \\+ cpu-clock");
	keys(&p->s, "cpu-cl");
	sees(&p->s, "1 of ");
	keys(&p->s, "\r");
	sees(&p->s, "event cpu-clock");
	pty_run(p->s.p, 3000);
	write_past(p);
	assert_read(p, true);
	leave(&p->s);
}

static void
a_file_with_stacks_of_some_processes_is_read_by_perf(void **state)
{
	struct past *p = *state;

	start(p, "-g auto -e cpu-clock");
	screen_load(&p->s, "large_frames");
	sees_match(&p->s, "deep stacks of [0-9]+ process");
	pty_run(p->s.p, 1000);
	written_file_is_read(p);
	keys(&p->s, "-");
	screen_end_load(&p->s, 2);
	pty_run(p->s.p, 4000);
	written_file_is_read(p);
	leave(&p->s);
}

/* What the flight recorder holds are chains, however large the copies were that they were made of. */
static void
a_file_of_unwound_stacks_has_their_chains(void **state)
{
	struct past *p = *state;
	struct run_result r;

	start(p, "-g dwarf -e cpu-clock --budget off");
	screen_load(&p->s, "nested");
	sees_match(&p->s, " nested");
	pty_run(p->s.p, 3000);
	write_past(p);
	run_program(&r, PATIENCE_S, ARGS("perf", "script", "-i", p->file, "--comms", "nested", "-F",
					 "comm,ip,sym"));
	assert_int_equal(r.status, 0);
	assert_that(run_count_text(r.out, " compare_slowly"), >, 200);
	assert_that(run_count_text(r.out, " _start\n"), >=, run_count_text(r.out, " compare_slowly"));
	run_release(&r);
	run_program(&r, PATIENCE_S, ARGS("perf", "evlist", "-v", "-i", p->file));
	assert_null(strstr(r.out, "STACK_USER"));
	run_release(&r);
	assert_read(p, false);
	leave(&p->s);
}

/* The same event, but its samples carry something else then. */
static void
switch_chains(struct past *p, const char *to, const char *says)
{
	keys(&p->s, "G");
	sees(&p->s, "Call chains");
	keys(&p->s, to);
	sees(&p->s, says);
	pty_run(p->s.p, 2000);
}

/* Samples with @what and without it are told apart in the file. */
static void
assert_some_have(struct past *p, const char *what)
{
	struct run_result r;
	size_t with = 0, without = 0;
	char *save = NULL;

	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-i", p->file, "--dump"));
	assert_int_equal(r.status, 0);
	for (char *line = strtok_r(r.out, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		bool is_sample = strstr(line, " sample ") != NULL;

		with += is_sample && strstr(line, what) != NULL;
		without += is_sample && strstr(line, what) == NULL;
	}
	run_release(&r);
	assert_that(with, >, 100);
	assert_that(without, >, 100);
}

static void
after_switches_of_call_chains(struct past *p, const char *options, const char *what)
{
	start(p, options);
	pty_run(p->s.p, 2000);
	switch_chains(p, "\033[B\r", "call chains are taken ");
	written_file_is_read(p);
	switch_chains(p, "\033[B\033[B\033[B\033[B\r", "call chains are taken no more");
	write_past(p);
	assert_some_have(p, what);
	assert_read(p, false);
	leave(&p->s);
}

static void
a_file_after_switches_of_call_chains_is_read_by_perf(void **state)
{
	after_switches_of_call_chains(*state, "-g fp -e cpu-clock", " chain=");
}

static void
a_file_with_copies_of_some_samples_is_read_by_perf(void **state)
{
	after_switches_of_call_chains(*state, "-g fp -e cpu-clock --raw-stacks --history 16M",
				      " stack_user=");
}

static void
a_file_of_a_tracepoint_has_its_fields(void **state)
{
	struct past *p = *state;
	struct run_result r;

	start(p, "-e sched:sched_switch");
	pty_run(p->s.p, 1000);
	write_past(p);
	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-i", p->file, "--dump"));
	assert_int_equal(r.status, 0);
	if (run_count_text(r.out, "fields=(prev_comm=") < 10)
		fail_msg("no fields: %.3000s", r.out);
	run_release(&r);
	assert_read(p, false);
	leave(&p->s);
}

/* The longest time between two samples that the file has; how many of @event come after it. */
static double
longest_gap_s(const char *file, const char *event, unsigned *after)
{
	double last = 0, longest = 0;
	struct run_result r;
	char *save = NULL;

	*after = 0;
	run_program(&r, PATIENCE_S, ARGS((char *)(uintptr_t)run_ptop(), "-i",
					 (char *)(uintptr_t)file, "--dump"));
	for (char *line = strtok_r(r.out, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		const char *time = strstr(line, " time=");
		double time_s = time != NULL ? atof(time + strlen(" time=")) : 0;

		if (strstr(line, " sample misc=") == NULL)
			continue;
		if (last > 0 && time_s - last > longest) {
			longest = time_s - last;
			*after = 0;
		}
		last = time_s;
		*after += strncmp(line, event, strlen(event)) == 0;
	}
	run_release(&r);
	return longest;
}

/* Its rows wait, and that there are no samples is no loss. */
static void
an_event_that_is_paused_takes_no_samples_until_it_goes_on(void **state)
{
	struct past *p = *state;
	char file[PATH_LEN];
	unsigned after;

	start(p, "-e cpu-clock,task-clock -r rec.perf.data");
	snprintf(file, sizeof(file), "%s/rec.perf.data", p->dir);
	sees(&p->s, "event cpu-clock");
	keys(&p->s, "P");
	sees(&p->s, "PAUSED (P)");
	sees(&p->s, "cpu-clock is not sampled until P is pressed again");
	sees(&p->s, "as of ");
	sees_match(&p->s, "threads|faults");
	/* The other one goes on. */
	keys(&p->s, "]");
	sees(&p->s, "event task-clock");
	sees_no(&p->s, "PAUSED");
	keys(&p->s, "P");
	sees(&p->s, "PAUSED (P)");
	pty_run(p->s.p, 3000);
	sees(&p->s, "lost 0");
	keys(&p->s, "P");
	sees_no(&p->s, "PAUSED");
	keys(&p->s, "[");
	sees(&p->s, "PAUSED (P)");
	keys(&p->s, "P");
	sees_no(&p->s, "PAUSED");
	sees_no(&p->s, "as of ");
	pty_run(p->s.p, 1500);
	sees(&p->s, "lost 0");
	leave(&p->s);
	assert_that(longest_gap_s(file, "task-clock", &after), >, 2.5);
	assert_that(after, >, 100);
	snprintf(p->file, sizeof(p->file), "%s", file);
	assert_that(assert_read(p, false), >, 1000);
}

/* Whichever of it is shown. */
static void
a_group_is_paused_and_goes_on_as_one(void **state)
{
	struct past *p = *state;
	char file[PATH_LEN];
	unsigned after;

	start(p, "-e '{cpu-clock,page-faults}' -r rec.perf.data");
	snprintf(file, sizeof(file), "%s/rec.perf.data", p->dir);
	keys(&p->s, "]");
	sees(&p->s, "event page-faults");
	keys(&p->s, "P");
	sees(&p->s, "PAUSED (P)");
	pty_run(p->s.p, 2500);
	keys(&p->s, "P");
	sees_no(&p->s, "PAUSED");
	pty_run(p->s.p, 2000);
	leave(&p->s);
	assert_that(longest_gap_s(file, "page-faults", &after), >, 2);
	assert_that(after, >, 20);
	longest_gap_s(file, "cpu-clock", &after);
	assert_that(after, >, 100);
	unlink(file);
}

/* Until the key nothing is kept: page ! tells of no more than the names of what came. */
static void
what_the_kernel_kept_is_written(void **state)
{
	struct past *p = *state;
	double first, second;

	start(p, "--overwrite --budget off -F 199");
	sees(&p->s, "199 Hz");
	pty_run(p->s.p, 2000);
	write_past(p);
	first = assert_read(p, false);
	assert_that(first, >, 199);
	/* It goes on; what was closed long ago is in there still, with the ids that it had. */
	switch_to(p, "task-cl", "task-clock");
	pty_run(p->s.p, 1000);
	keys(&p->s, "[");
	sees_no(&p->s, "event task-clock");
	pty_run(p->s.p, 4000);
	write_past(p);
	assert_that(count_of(p, "task-clock"), >, 99);
	second = assert_read(p, false);
	assert_that(second, >, first);
	/* A recording that is written beside it is as any other. */
	keys(&p->s, "w");
	sees(&p->s, "From now on");
	pty_keys(p->s.p, "\033[B\r");
	sees(&p->s, "REC ");
	pty_run(p->s.p, 1000);
	keys(&p->s, "w");
	sees(&p->s, "What was");
	pty_keys(p->s.p, "\033[B\r");
	sees(&p->s, "written: ");
	assert_true(find_file(p));
	assert_read(p, false);
	leave(&p->s);
}

/* All that was open when it was asked for has gone. */
static void
without_room_no_file_is_written(void **state)
{
	struct past *p = *state;

	start(p, "--history 1");
	open_menu(p);
	keys(&p->s, "\r");
	sees(&p->s, "the flight recorder holds no samples; --history gives it room");
	assert_false(find_file(p));
	leave(&p->s);
}

int
main(void)
{
#define past_test(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		past_test(a_file_after_switches_of_the_event_is_read_by_perf),
		past_test(a_file_after_changes_of_rate_is_read_by_perf),
		past_test(a_file_after_changes_by_the_budget_is_read_by_perf),
		past_test(a_file_after_a_cpu_went_and_came_is_read_by_perf),
		past_test(a_file_beside_another_profiler_is_read_by_perf),
		past_test(a_file_of_groups_is_read_by_perf),
		past_test(a_file_with_stacks_of_some_processes_is_read_by_perf),
		past_test(a_file_of_unwound_stacks_has_their_chains),
		past_test(a_file_after_switches_of_call_chains_is_read_by_perf),
		past_test(a_file_with_copies_of_some_samples_is_read_by_perf),
		past_test(a_file_of_a_tracepoint_has_its_fields),
		past_test(an_event_that_is_paused_takes_no_samples_until_it_goes_on),
		past_test(a_group_is_paused_and_goes_on_as_one),
		past_test(what_the_kernel_kept_is_written),
		past_test(without_room_no_file_is_written),
	};

	return cmocka_run_group_tests(tests, cpu_1_guard, NULL);
}
