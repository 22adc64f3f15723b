/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is sampled live and what the file says of it afterwards, to ptop and to perf.  It takes more
 * than half a minute: some twenty recordings of a second or more are made, and read by both.
 */
#include <config.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/csv.h"
#include "tests/run.h"

enum { PATIENCE_S = 60 };

#define RINGS "ptop: samples lost in full rings: "
#define NO_KERNEL "ptop: functions of the kernel have no names: the recording "

struct fixture {
	char dir[64], file[96];
	pid_t loads[2];
};

static int
begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/ptop-recording-XXXXXX");
	if (f == NULL || mkdtemp(f->dir) == NULL)
		return -1;
	snprintf(f->file, sizeof(f->file), "%s/perf.data", f->dir);
	*state = f;
	return 0;
}

static int
end(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++)
		run_end(f->loads[i]);
	umount2(f->dir, MNT_DETACH); /* if one is still there */
	unlink(f->file);
	rmdir(f->dir);
	free(f);
	return 0;
}

#define run_words(r, ...) run_program(r, PATIENCE_S, (char *[]){ __VA_ARGS__, NULL })
#define ptop(r, ...) run_words(r, (char *)run_ptop(), __VA_ARGS__)
#define ANY 0, (const char *const[][2]){ { NULL, NULL } }
#define HOT ((const char *const[][2]){ { "comm", "hot" } })

static int
compare_lines(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Keeps the lines that begin with one of @begins, NULL: all, and sorts them. */
static void
keep_lines(char *text, const char *const *begins)
{
	char *lines[4096], *copy = strdup(text), *at = text;
	size_t n = 0;

	for (char *s = strtok(copy, "\n"); s != NULL && n < 4096; s = strtok(NULL, "\n")) {
		bool keeps = begins == NULL;

		for (size_t i = 0; !keeps && begins[i] != NULL; i++)
			keeps = strncmp(s, begins[i], strlen(begins[i])) == 0;
		if (keeps)
			lines[n++] = s;
	}
	qsort(lines, n, sizeof(*lines), compare_lines);
	*at = '\0';
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%s\n", lines[i]);
	free(copy);
}

static bool
have_perf(void)
{
	return system("perf --version >/dev/null 2>&1") == 0;
}

/* The first column of the one row whose second is @comm. */
static double
perf_samples(const char *file, const char *comm)
{
	char command[512], line[256];
	double found = -1;
	FILE *p;

	snprintf(command, sizeof(command),
		 "perf report -i %s --stdio --no-children -g none -s comm -F sample,comm "
		 "-t '|' 2>/dev/null", file);
	p = popen(command, "r");
	while (p != NULL && fgets(line, sizeof(line), p) != NULL) {
		char *bar = strchr(line, '|');

		if (line[0] == '#' || bar == NULL)
			continue;
		if (strncmp(bar + 1, comm, strlen(comm)) == 0 && strchr(" \n", bar[1 + strlen(comm)]))
			found = atof(line);
	}
	if (p != NULL)
		pclose(p);
	return found;
}

static void
a_file_says_what_was_shown_live(void **state)
{
	static const char *const loads[] = { "hot,", "worker-a,", "worker-b,", NULL };
	struct run_result live, file;
	struct fixture *f = *state;
	struct stat st;

	need_root();
	f->loads[0] = run_load("hot");
	f->loads[1] = run_load("threads");
	ptop(&live, "-b", "-n", "1", "-d", "3", "-r", f->file, "--by", "comm,tid,dso,symbol",
	     "--format", "csv");
	ptop(&file, "-i", f->file, "--by", "comm,tid,dso,symbol", "--format", "csv");
	assert_int_equal(live.status, 0);
	assert_int_equal(file.status, 0);
	assert_that(run_csv_sum(live.out, "period", ANY), >, 2e9);
	assert_that(run_csv_sum(live.out, "samples", ANY), ==,
		    run_csv_sum(file.out, "samples", ANY));
	assert_that(run_csv_sum(live.out, "period", ANY), ==, run_csv_sum(file.out, "period", ANY));
	/* Of others, which come and go while the sampling begins, a name may be learned later. */
	keep_lines(live.out, loads);
	keep_lines(file.out, loads);
	assert_string_equal(live.out, file.out);
	assert_int_equal(stat(f->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	run_release(&live);
	run_release(&file);
}

static double
lost_in_rings(const struct run_result *r)
{
	const char *at = strstr(r->err, RINGS);

	return at != NULL ? strtod(at + strlen(RINGS), NULL) : 0;
}

/* No record tells of what a ring lost last. */
static void
a_file_says_what_was_lost_live(void **state)
{
	struct run_result live, file;
	struct fixture *f = *state;
	char pid[16];

	need_root();
	f->loads[0] = run_load("syscalls");
	snprintf(pid, sizeof(pid), "%d", (int)f->loads[0]);
	ptop(&live, "-b", "-n", "1", "-d", "2", "-m", "1", "-e", "raw_syscalls:sys_enter", "-c", "1",
	     "-r", f->file, "-p", pid);
	ptop(&file, "-i", f->file);
	assert_that(lost_in_rings(&live), >, 1000);
	assert_that(lost_in_rings(&file), ==, lost_in_rings(&live));
	run_release(&live);
	run_release(&file);
}

static void
assert_perf_counts_the_same(struct fixture *f, char *how)
{
	struct run_result file;
	double hot, used;

	need_root();
	if (!have_perf())
		skip_for("there is no perf to compare with");
	f->loads[0] = run_load_with("hot", "33", NULL);
	ptop(&file, "-b", "-n", "1", "-d", "2", "-r", f->file, how);
	used = run_cpu_s(f->loads[0]);
	assert_int_equal(file.status, 0);
	run_release(&file);
	ptop(&file, "-i", f->file, "--by", "comm", "--format", "csv");
	hot = run_csv_sum(file.out, "samples", 1, HOT);
	assert_clock_samples(hot, used, 499); /* its budget may lower the rate */
	assert_that(perf_samples(f->file, "hot"), ==, hot);
	run_release(&file);
}

static void
perf_counts_the_same(void **state)
{
	assert_perf_counts_the_same(*state, "--force");
}

#ifdef HAVE_ZSTD
static void
perf_counts_the_same_in_a_compressed_file(void **state)
{
	assert_perf_counts_the_same(*state, "--compress");
}
#endif

/*
 * A busy machine may have been late for a ring, and a file that was cut off has no build-id of its kernel,
 * or does not say where that was: nothing else is told of the file.
 */
static void
assert_no_more_is_missing(const struct run_result *r)
{
	size_t known = run_count_text(r->err, RINGS) + run_count_text(r->err, NO_KERNEL);

	if (run_count_text(r->err, "\n") != known)
		assert_string_equal(r->err, "");
}

/* What was written up to its last round is there. */
static void
a_killed_ptop_leaves_a_file(void **state)
{
	struct run_result r;
	struct fixture *f = *state;
	double begun;
	pid_t pid;

	need_root();
	f->loads[0] = run_load("hot");
	pid = run_fork();
	if (pid == 0) {
		if (freopen("/dev/null", "w", stdout) == NULL)
			_exit(127);
		execl(run_ptop(), "ptop", "-b", "--budget", "off", "-g", "fp", "-d", "1", "-r",
		      f->file, (char *)NULL);
		_exit(127);
	}
	for (int ms = 0; ms < PATIENCE_S * 1000 && access(f->file, F_OK) != 0; ms += 10)
		usleep(10000);
	begun = run_cpu_s(f->loads[0]);
	for (int ms = 0; ms < PATIENCE_S * 1000 && run_cpu_s(f->loads[0]) < begun + 2; ms += 100)
		usleep(100000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ptop(&r, "-i", f->file, "--by", "comm", "--format", "csv");
	assert_int_equal(r.status, 0);
	assert_no_more_is_missing(&r);
	assert_clock_samples(run_csv_sum(r.out, "samples", 1, HOT), 2, 999);
	run_release(&r);
	/* It says from the begin on which machine and kernel it is made: those of this one may be believed. */
	ptop(&r, "-i", f->file, "--by", "symbol", "--format", "csv");
	assert_non_null(strstr(r.out, "hot_loop,"));
	assert_null(strstr(r.err, "no build-id of its kernel"));
	run_release(&r);
}

/* By what is measured. */
static void
a_recording_that_was_deleted_is_there_again(void **state)
{
	char command[160];
	struct run_result r;
	struct fixture *f = *state;

	need_root();
	snprintf(command, sizeof(command), "rm %s; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done", f->file);
	ptop(&r, "-e", "cpu-clock", "-r", f->file, "--", "sh", "-c", command);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "was deleted while it was written (it is there again)"));
	run_release(&r);
	ptop(&r, "-i", f->file, "--by", "comm", "--format", "csv");
	assert_int_equal(r.status, 0);
	assert_that(run_csv_sum(r.out, "samples", 1, (const char *const[][2]){ { "comm", "sh" } }), >, 10);
	run_release(&r);
}

/* Its rows have addresses alone: a report has no other place to say why. */
static void
a_program_that_is_gone_is_told_with_its_part(void **state)
{
	char program[96], command[160];
	struct run_result r;
	struct fixture *f = *state;

	need_root();
	snprintf(program, sizeof(program), "%s/spinner", f->dir);
	run_words(&r, (char *)"cp", run_load_path("hot"), program);
	assert_int_equal(r.status, 0);
	run_release(&r);
	snprintf(command, sizeof(command), "timeout 1 %s; true", program);
	ptop(&r, "-b", "-r", f->file, "--", "sh", "-c", command);
	run_release(&r);
	unlink(program);
	/* Without a copy that perf may have kept in ~/.debug. */
	run_words(&r, (char *)"env", (char *)"HOME=/dev/null", (char *)run_ptop(), (char *)"-b",
		  (char *)"-i", f->file, (char *)"-V", (char *)"functions");
	assert_int_equal(r.status, 0);
	assert_int_equal(run_count_text(r.err, "ptop: functions of 'spinner' have no names ("), 1);
	assert_non_null(strstr(r.err, " % of samples): cannot open '"));
	assert_non_null(strstr(r.err, "name a folder that has it: --symfs DIR"));
	run_release(&r);
}

/* In a namespace of the test's own: the machine's mounts stay. */
static void
mount_small(struct fixture *f, const char *size)
{
	if (mount("ptop-test", f->dir, "tmpfs", 0, size) == 0)
		return;
	skip_for("no small file system can be mounted here");
}

/* Full before the first sample is written. */
static void
a_disk_that_is_full_at_once_leaves_an_empty_recording(void **state)
{
	struct run_result r, file;
	struct fixture *f = *state;

	need_root();
	mount_small(f, "size=12k");
	f->loads[0] = run_load("hot");
	ptop(&r, "-b", "-n", "2", "-d", "1", "-F", "10000", "-g", "fp", "-r", f->file);
	ptop(&file, "-i", f->file, "--by", "comm", "--format", "csv");
	umount2(f->dir, MNT_DETACH);
	assert_int_equal(file.status, 0);
	assert_int_equal(run_count_text(file.err, "\n"), 1);
	assert_non_null(strstr(file.err, "there is no sample in '"));
	run_release(&file);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "No space left on device"));
	run_release(&r);
}

static void
a_disk_that_is_full_from_the_start_has_no_recording(void **state)
{
	char fill[80];
	struct run_result r;
	struct fixture *f = *state;

	need_root();
	mount_small(f, "size=64k");
	snprintf(fill, sizeof(fill), "head -c 64K /dev/zero > %s/full", f->dir);
	assert_int_equal(system(fill), 0);
	ptop(&r, "-b", "-n", "1", "-d", "1", "-r", f->file);
	assert_int_equal(access(f->file, F_OK), -1);
	umount2(f->dir, MNT_DETACH);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "No space left on device; make room, "));
	run_release(&r);
}

/*
 * Before the first round has ended, which waits for names: what fits is there all the same, but for
 * @left_kib at most.  Every CPU is sampled: where a machine is busy, one process may not run often
 * enough to fill a disk.
 */
static void
assert_a_small_disk_is_made_use_of(struct fixture *f, const char *size, unsigned left_kib, char *how)
{
	unsigned long long missing = 0, all = 0;
	struct run_result r, file;
	struct statvfs fs;
	double perf;
	const char *says;

	need_root();
	mount_small(f, size);
	f->loads[0] = run_load("hot");
	ptop(&r, "-b", "-n", "2", "-d", "1", "-F", "10000", "--budget", "off", "-g", "fp", "-r", f->file,
	     "--by", "comm", how);
	ptop(&file, "-i", f->file, "--by", "comm", "--format", "csv");
	perf = have_perf() ? perf_samples(f->file, "hot") : -1;
	assert_int_equal(statvfs(f->dir, &fs), 0);
	umount2(f->dir, MNT_DETACH);
	assert_int_equal(file.status, 0);
	assert_no_more_is_missing(&file);
	assert_that(fs.f_bavail * fs.f_frsize, <=, left_kib << 10);
	assert_that(run_csv_sum(file.out, "samples", ANY), >, 100);
	if (perf >= 0)
		assert_that(perf, ==, run_csv_sum(file.out, "samples", 1, HOT));
	assert_int_equal(WEXITSTATUS(r.status), 1);
	says = strstr(r.err, "is not whole: ");
	assert_non_null(says);
	assert_int_equal(sscanf(says, "is not whole: %llu of %llu samples", &missing, &all), 2);
	assert_that((double)(all - missing), ==, run_csv_sum(file.out, "samples", ANY));
	assert_null(strstr(strstr(r.err, "as far as it goes") + 1, "as far as it goes"));
	run_release(&file);
	run_release(&r);
}

static void
a_disk_that_is_full_within_a_round_holds_what_fits(void **state)
{
	assert_a_small_disk_is_made_use_of(*state, "size=256k", 48, "--force");
}

#ifdef HAVE_ZSTD
static void
a_disk_that_is_full_within_a_compressed_round_holds_what_fits(void **state)
{
	assert_a_small_disk_is_made_use_of(*state, "size=64k", 32, "--compress");
}
#endif

/* It ends the file, not ptop. */
static void
a_limit_of_file_sizes_is_a_full_disk(void **state)
{
	struct run_result r, file;
	struct fixture *f = *state;
	char command[256];

	need_root();
	f->loads[0] = run_load("hot");
	snprintf(command, sizeof(command), "ulimit -f 600; exec %s -b -n 2 -d 1 -F 10000 -g fp "
		 "--budget off --by comm -r %s", run_ptop(), f->file);
	run_words(&r, "sh", "-c", command);
	ptop(&file, "-i", f->file, "--by", "comm", "--format", "csv");
	assert_int_equal(file.status, 0);
	assert_that(run_csv_sum(file.out, "samples", ANY), >, 300);
	run_release(&file);
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "File too large"));
	run_release(&r);
}

static double
last_time_s(const char *text)
{
	double last = 0;
	struct csv c;

	csv_init(&c, text);
	while (csv_next(&c))
		last = csv_number(&c, "time");
	csv_release(&c);
	return last;
}

static void
a_full_disk_is_said_and_what_is_there_can_be_read(void **state)
{
	struct run_result r, file;
	struct fixture *f = *state;
	double perf;
	char pid[16];

	need_root();
	mount_small(f, "size=400k"); /* a fifth of a second on a CPU fills it */
	f->loads[0] = run_load("hot");
	snprintf(pid, sizeof(pid), "%d", (int)f->loads[0]);
	ptop(&r, "--budget", "off", "-n", "5", "-d", "1", "-F", "20000", "-g", "fp", "-r", f->file,
	     "-p", pid, "--by", "comm", "--format", "csv");
	ptop(&file, "-i", f->file, "--by", "comm", "--format", "csv");
	perf = have_perf() ? perf_samples(f->file, "hot") : -1;
	umount2(f->dir, MNT_DETACH);
	assert_int_equal(file.status, 0);
	assert_no_more_is_missing(&file);
	assert_that(run_csv_sum(file.out, "samples", ANY), >, 100);
	if (perf >= 0)
		assert_that(perf, ==, run_csv_sum(file.out, "samples", 1, HOT));
	/* The measurement went on to its last report; in five seconds a busy machine may not fill the disk. */
	assert_that(run_csv_sum(r.out, "samples", ANY), >=, run_csv_sum(file.out, "samples", ANY));
	assert_that(last_time_s(r.out), >=, 5);
	run_release(&file);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "No space left on device"));
	assert_non_null(strstr(r.err, "it can be read as far as it goes"));
	run_release(&r);
}

static void
a_file_that_is_there_stays(void **state)
{
	struct run_result r;
	struct fixture *f = *state;
	FILE *file = fopen(f->file, "w");

	need_root();
	fputs("precious", file);
	fclose(file);
	ptop(&r, "-b", "-n", "1", "-d", "0.2", "-r", f->file);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "exists (--force overwrites it)"));
	run_release(&r);
	ptop(&r, "-b", "-n", "1", "-d", "0.2", "-r", f->file, "--force");
	assert_int_equal(WEXITSTATUS(r.status), 0);
	run_release(&r);
	ptop(&r, "-i", f->file, "-r", "/dev/null");
	assert_int_equal(WEXITSTATUS(r.status), 2);
	run_release(&r);
}

/* Processes that are there before, that come, exec and go: each sample has its name. */
static void
names_and_maps_of_all_are_in_the_file(void **state)
{
	struct run_result live, file;
	struct fixture *f = *state;

	need_root();
	f->loads[0] = run_load("hot");
	ptop(&live, "-r", f->file, "-b", "--by", "comm,dso", "--format", "csv", "--", "/bin/sh", "-c",
	     "for i in 1 2 3 4 5 6 7 8 9; do awk 'BEGIN { while (i < 300000) i++ }'; done");
	assert_int_equal(live.status, 0);
	ptop(&file, "-i", f->file, "--by", "comm,dso", "--format", "csv");
	keep_lines(live.out, NULL);
	keep_lines(file.out, NULL);
	assert_string_equal(live.out, file.out);
	run_release(&live);
	run_release(&file);
}

/* What tracepoints tell is in the file, and the formats to read it by. */
static void
fields_of_tracepoints_are_in_the_file(void **state)
{
	struct run_result r;
	struct fixture *f = *state;

	need_root();
	ptop(&r, "-b", "-n", "1", "-d", "2", "-e", "sched:sched_process_exec", "-r",
	     f->file, "--", "/bin/sh", "-c", "for i in 1 2 3; do sleep 0.1; done");
	if (strstr(r.err, "tracefs") != NULL) {
		print_message("# %s", r.err);
		skip();
	}
	assert_int_equal(r.status, 0);
	run_release(&r);
	ptop(&r, "-i", f->file, "--dump");
	assert_non_null(strstr(r.out, "sleep\" pid="));
	assert_non_null(strstr(r.out, " fields=(filename=\""));
	run_release(&r);
	if (!have_perf())
		return;
	run_words(&r, "perf", "script", "-i", f->file, "-F", "event,trace", "--kallsyms=/dev/null",
		  "--symfs=/dev/null");
	assert_int_equal(run_count_text(r.out, "sched:sched_process_exec: filename="), 4);
	run_release(&r);
}

/* The first and the last time of samples, as the dump has them. */
static void
read_times(const char *dump, double *first, double *last)
{
	*first = *last = 0;
	for (const char *at = dump; (at = strstr(at, " sample misc=")) != NULL; at++) {
		const char *time = strstr(at, " time=");

		assert_non_null(time);
		*last = atof(time + 6);
		*first = *first == 0 ? *last : *first;
	}
}

/* What is shown is the same; perf knows from the file which clock it was, and the time of day. */
static void
the_clock_of_a_recording_is_the_one_that_was_chosen(void **state)
{
	struct fixture *f = *state;

	need_root();
	f->loads[0] = run_load_with("hot", "33", NULL);
	for (size_t i = 0; i < CLOCK_DEFS; i++) {
		uint64_t begin_ns = clock_of_ns(clock_defs[i].id);
		double first, last, used = run_cpu_s(f->loads[0]);
		struct run_result r;
		char says[64];

		ptop(&r, "-b", "-n", "1", "-d", "0.5", "-e", "cpu-clock", "--clockid",
		     (char *)(uintptr_t)clock_defs[i].name, "--force", "-r", f->file, "--by",
		     "comm", "--format", "csv");
		used = run_cpu_s(f->loads[0]) - used;
		assert_int_equal(r.status, 0);
		assert_clock_samples(run_csv_sum(r.out, "samples", 1, HOT), MIN(used, 0.5), 499);
		assert_null(strstr(r.err, "late"));
		run_release(&r);
		ptop(&r, "-i", f->file, "--dump");
		read_times(r.out, &first, &last);
		assert_that(first, >=, (double)begin_ns / 1e9 - 0.001);
		assert_that(last, >, first);
		assert_that(last, <=, (double)clock_of_ns(clock_defs[i].id) / 1e9 + 0.001);
		snprintf(says, sizeof(says), "clock_data version 1, clockid %d, ", clock_defs[i].id);
		assert_non_null(strstr(r.out, says));
		run_release(&r);
		if (!have_perf())
			continue;
		snprintf(says, sizeof(says), "clockid: %s (%d)", clock_defs[i].name, clock_defs[i].id);
		run_words(&r, "perf", "report", "--header-only", "-i", f->file);
		assert_non_null(strstr(r.out, says));
		run_release(&r);
		run_words(&r, "perf", "script", "-F", "comm,tod", "-i", f->file, "--kallsyms=/dev/null",
			  "--symfs=/dev/null");
		assert_int_equal(r.status, 0);
		assert_non_null(strstr(r.out, "hot"));
		run_release(&r);
	}
}

static void
the_records_go_to_the_file_that_is_named(void **state)
{
	char out[128], *text;
	struct run_result r;
	struct fixture *f = *state;
	struct buf b = { 0 };

	need_root();
	snprintf(out, sizeof(out), "%s/dump.txt", f->dir);
	ptop(&r, "-e", "cpu-clock", "-r", f->file, "-o", "/dev/null", "--format", "text", "--force",
	     "--", "true");
	assert_int_equal(WEXITSTATUS(r.status), 0);
	run_release(&r);
	ptop(&r, "-i", f->file, "--dump");
	text = r.out;
	r.out = NULL;
	run_release(&r);
	ptop(&r, "-i", f->file, "--dump", "-o", out);
	assert_int_equal(WEXITSTATUS(r.status), 0);
	assert_int_equal(r.out_len, 0);
	run_release(&r);
	assert_int_equal(file_read(out, &b, 16 << 20), 0);
	assert_non_null(strstr(text, "comm "));
	assert_string_equal(buf_str(&b), text);
	ptop(&r, "-i", f->file, "--dump", "-o", out);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "exists (--force overwrites it)"));
	run_release(&r);
	unlink(out);
	buf_release(&b);
	free(text);
}

/* @how: an option, NULL: none. */
static void
record_stacks(struct fixture *f, struct run_result *live, char *how, char *const what[])
{
	char *argv[24] = { (char *)run_ptop(), "-b", "-g", "dwarf", "-e", "cpu-clock", "--budget", "off",
			   "--format", "folded", "-r", f->file, "--force", how };
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	for (size_t i = 0; what[i] != NULL; i++)
		argv[n + i] = what[i];
	run_program(live, PATIENCE_S, argv);
	if (live->status != 0)
		fail_msg("status 0x%x: %s", (unsigned)live->status, live->err);
}

static void
assert_same_trees(struct fixture *f, struct run_result *live, const char *const *begins)
{
	struct run_result file;

	ptop(&file, "-i", f->file, "--format", "folded");
	assert_int_equal(file.status, 0);
	keep_lines(live->out, begins);
	keep_lines(file.out, begins);
	assert_true(strlen(live->out) > 0);
	assert_string_equal(live->out, file.out);
	run_release(&file);
}

static void
assert_copies(struct fixture *f, bool are_there)
{
	struct run_result r;

	ptop(&r, "-i", f->file, "--dump");
	assert_true((strstr(r.out, " stack_user=") != NULL) == are_there);
	assert_true((strstr(r.out, " regs_user=") != NULL) == are_there);
	run_release(&r);
	if (!have_perf())
		return;
	run_words(&r, "perf", "evlist", "-v", "-i", f->file);
	assert_non_null(strstr(r.out, "CALLCHAIN"));
	assert_true((strstr(r.out, "STACK_USER") != NULL) == are_there);
	assert_true((strstr(r.out, "exclude_callchain_user") != NULL) == are_there);
	run_release(&r);
}

/* The samples of @comm that perf prints, and those whose chain goes on to the program's begin. */
static void
count_whole(struct fixture *f, char *comm, size_t *all, size_t *whole)
{
	struct run_result r;
	char *save = NULL;

	*all = *whole = 0;
	run_words(&r, "perf", "script", "-i", f->file, "--comms", comm, "-F", "comm,ip,sym",
		  "--kallsyms=/dev/null");
	assert_int_equal(r.status, 0);
	for (char *line = strtok_r(r.out, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		const char *sym = strrchr(line, ' ');

		*all += strncmp(line, comm, strlen(comm)) == 0;
		*whole += sym != NULL && strcmp(sym, " _start") == 0;
	}
	run_release(&r);
}

static void
assert_stacks_are_recorded(struct fixture *f, char *load, char *how)
{
	const char *const begins[] = { load, NULL };
	size_t all, whole;
	struct run_result live;
	char pid[16];

	need_root();
	f->loads[0] = run_load(load);
	snprintf(pid, sizeof(pid), "%d", (int)f->loads[0]);
	record_stacks(f, &live, how, (char *[]){ "-n", "1", "-d", "2", "-p", pid, NULL });
	assert_copies(f, how != NULL);
	assert_same_trees(f, &live, begins);
	run_release(&live);
	if (!have_perf())
		return;
	count_whole(f, load, &all, &whole);
	assert_that(all, >, 20);
	if (whole < all - all / 50)
		fail_msg("%s: of %zu chains perf prints %zu to their begin", load, all, whole);
}

static void
chains_are_in_the_file_in_place_of_copies(void **state)
{
	assert_stacks_are_recorded(*state, "deep", NULL);
}

/* Of samples in the kernel: its chain, then that of the program. */
static void
chains_from_the_kernel_into_programs_are_in_the_file(void **state)
{
	assert_stacks_are_recorded(*state, "syscalls", NULL);
}

static void
copies_are_in_the_file_if_they_are_asked_for(void **state)
{
	assert_stacks_are_recorded(*state, "deep", "--raw-stacks");
}

/* perf appends what it unwinds to what the kernel followed: of the user part nothing is there. */
static void
copies_of_the_default_way_have_no_chain_beside_them(void **state)
{
	struct fixture *f = *state;
	struct run_result r;
	char pid[16];

	need_root();
	f->loads[0] = run_load("deep");
	snprintf(pid, sizeof(pid), "%d", (int)f->loads[0]);
	ptop(&r, "-r", f->file, "--raw-stacks", "-n", "1", "-d", "1", "-p", pid);
	assert_int_equal(r.status, 0);
	run_release(&r);
	assert_copies(f, true);
}

/* Where copies are of another stack than the one that the chain began on. */
static void
chains_that_are_cut_are_so_in_the_file(void **state)
{
	static const char *const begins[] = { "nested", NULL };
	struct fixture *f = *state;
	struct run_result live;
	char pid[16];

	need_root();
	f->loads[0] = run_load("nested");
	snprintf(pid, sizeof(pid), "%d", (int)f->loads[0]);
	record_stacks(f, &live, NULL, (char *[]){ "-n", "1", "-d", "3", "-p", pid, NULL });
	assert_non_null(strstr(live.out, "nested;[cut];"));
	assert_same_trees(f, &live, begins);
	run_release(&live);
}

/* As perf sorts them: by time, within rounds. */
static void
assert_in_order(struct fixture *f)
{
	double before = 0, time_s;
	struct run_result r;
	char *save = NULL;

	run_words(&r, "perf", "script", "-i", f->file, "-F", "time", "--ns",
		  "--kallsyms=/dev/null", "--symfs=/dev/null");
	assert_int_equal(r.status, 0);
	for (char *line = strtok_r(r.out, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		time_s = atof(line);
		assert_that(time_s, >=, before);
		before = time_s;
	}
	assert_that(before, >, 0);
	run_release(&r);
}

/*
 * The rules of their files come when they run already, and some run no longer.
 * A link of /bin may lead nowhere.
 */
static void
chains_that_were_waited_for_are_in_the_file(void **state)
{
	struct fixture *f = *state;
	struct run_result live;

	need_root();
	record_stacks(f, &live, NULL, (char *[]){ "--", "/bin/sh", "-c",
		      "for i in 1 2 3 4 5 6; do awk 'BEGIN { while (i < 300000) i++ }'; done; "
		      "sort -n /proc/self/maps; cksum /bin/* >/dev/null; exit 0", NULL });
	assert_same_trees(f, &live, (const char *const[]){ "sh;", "awk;", "mawk;", "sort;", "cksum;", NULL });
	run_release(&live);
	if (!have_perf())
		return;
	assert_in_order(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_says_what_was_shown_live, begin, end),
		cmocka_unit_test_setup_teardown(a_file_says_what_was_lost_live, begin, end),
		cmocka_unit_test_setup_teardown(perf_counts_the_same, begin, end),
#ifdef HAVE_ZSTD
		cmocka_unit_test_setup_teardown(perf_counts_the_same_in_a_compressed_file, begin,
						end),
#endif
		cmocka_unit_test_setup_teardown(a_killed_ptop_leaves_a_file, begin, end),
		cmocka_unit_test_setup_teardown(a_recording_that_was_deleted_is_there_again, begin, end),
		cmocka_unit_test_setup_teardown(a_program_that_is_gone_is_told_with_its_part, begin, end),
		cmocka_unit_test_setup_teardown(a_disk_that_is_full_at_once_leaves_an_empty_recording,
						begin, end),
		cmocka_unit_test_setup_teardown(a_disk_that_is_full_from_the_start_has_no_recording,
						begin, end),
		cmocka_unit_test_setup_teardown(a_disk_that_is_full_within_a_round_holds_what_fits,
						begin, end),
#ifdef HAVE_ZSTD
		cmocka_unit_test_setup_teardown(
			a_disk_that_is_full_within_a_compressed_round_holds_what_fits, begin, end),
#endif
		cmocka_unit_test_setup_teardown(a_limit_of_file_sizes_is_a_full_disk, begin, end),
		cmocka_unit_test_setup_teardown(a_full_disk_is_said_and_what_is_there_can_be_read,
						begin, end),
		cmocka_unit_test_setup_teardown(a_file_that_is_there_stays, begin, end),
		cmocka_unit_test_setup_teardown(names_and_maps_of_all_are_in_the_file, begin, end),
		cmocka_unit_test_setup_teardown(the_clock_of_a_recording_is_the_one_that_was_chosen,
						begin, end),
		cmocka_unit_test_setup_teardown(the_records_go_to_the_file_that_is_named, begin, end),
		cmocka_unit_test_setup_teardown(chains_are_in_the_file_in_place_of_copies, begin, end),
		cmocka_unit_test_setup_teardown(chains_from_the_kernel_into_programs_are_in_the_file,
						begin, end),
		cmocka_unit_test_setup_teardown(copies_are_in_the_file_if_they_are_asked_for, begin,
						end),
		cmocka_unit_test_setup_teardown(copies_of_the_default_way_have_no_chain_beside_them, begin,
						end),
		cmocka_unit_test_setup_teardown(chains_that_are_cut_are_so_in_the_file, begin, end),
		cmocka_unit_test_setup_teardown(chains_that_were_waited_for_are_in_the_file, begin, end),
		cmocka_unit_test_setup_teardown(fields_of_tracepoints_are_in_the_file, begin, end),
	};

	run_own_mounts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
