/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel code that comes and goes while ptop runs: BPF programs, slots of kprobes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "tests/bpf_fixture.h"
#include "tests/csv.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { PATIENCE_S = 90, CODE_BYTES = 33, ENOUGH = 20 };

static void
need_bpf(void)
{
	int fd = geteuid() == 0 ? bpf_load("ptop_probe") : -1;

	if (fd < 0)
		skip_for("no BPF program can be loaded here");
	close(fd);
}

static void
run_for(int fd, double seconds)
{
	for (uint64_t end = clock_mono_ns() + (uint64_t)(seconds * 1e9); clock_mono_ns() < end;)
		if (bpf_run(fd) < 0)
			_exit(1);
}

/* A child that does @work under the name @comm. */
static pid_t
child(const char *comm, void (*work)(void *), void *arg)
{
	pid_t pid = run_fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_NAME, comm);
	work(arg);
	_exit(0);
}

static void
finish(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
ptop_csv(struct run_result *r, const char *seconds, const char *by)
{
	run_program(r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d",
					       (char *)(uintptr_t)seconds, "--by",
					       (char *)(uintptr_t)by, "--format", "csv", NULL });
	assert_int_equal(r->status, 0);
}

/* Samples of rows "COMM,bpf_prog_TAG_NAME,[bpf],..." */
static double
samples_of(const char *text, const char *comm, const char *name)
{
	double sum = 0;
	struct csv c;

	csv_init(&c, text);
	while (csv_next(&c)) {
		const char *symbol = csv_field(&c, "symbol"), *end = strstr(symbol, name);

		if (strcmp(csv_field(&c, "comm"), comm) == 0 && end != NULL &&
		    end[strlen(name)] == '\0' && strncmp(symbol, "bpf_prog_", 9) == 0 &&
		    strcmp(csv_field(&c, "dso"), "[bpf]") == 0)
			sum += csv_number(&c, "samples");
	}
	csv_release(&c);
	return sum;
}

static void
run_for_ever(void *fd)
{
	for (;;)
		run_for(*(int *)fd, 1);
}

/* Seconds that are sampled: the next if the ones before brought too few samples, on a busy machine. */
static const char *const longer[] = { "2", "8", "30" };

static void
a_program_that_was_there_has_its_name(void **state)
{
	const char *const all[][2] = { { "comm", "bpf_there" } };
	int fd;
	double named = 0, sum = 0;
	pid_t pid;

	(void)state;
	need_bpf();
	fd = bpf_load("ptop_there");
	pid = child("bpf_there", run_for_ever, &fd);
	for (size_t i = 0; i < ARRAY_SIZE(longer) && named < ENOUGH; i++) {
		struct run_result r;

		ptop_csv(&r, longer[i], "comm,symbol,dso");
		named = samples_of(r.out, "bpf_there", "ptop_there");
		sum = run_csv_sum(r.out, "samples", 1, all);
		run_release(&r);
	}
	finish(pid);
	close(fd);
	if (named < 0.8 * sum || named < ENOUGH)
		fail_msg("%.0f of %.0f samples have the name", named, sum);
}

/* Where a child's programs were. */
struct told {
	uint64_t addr[2];
};

/* Where the kernel's list has the program of that name, 0: nowhere. */
static uint64_t
address_of(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long addr, found = 0;
	char symbol[256], line[512], end[64];

	snprintf(end, sizeof(end), "_%s", name);
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strstr(line, end) != NULL &&
		    sscanf(line, "%llx %*c %255s", &addr, symbol) == 2)
			found = addr;
	if (f != NULL)
		fclose(f);
	return found;
}

/*
 * One program, then another: the kernel puts it where the first was.  What is freed is so after a
 * grace period.
 */
static void
one_after_the_other(void *arg)
{
	static const char *const names[] = { "ptop_one", "ptop_two" };
	struct told *told = arg;

	for (int i = 0; i < 2; i++) {
		int fd = bpf_load(names[i]);

		told->addr[i] = address_of(names[i]);
		run_for(fd, 1);
		close(fd);
		usleep(500000);
	}
}

static bool
overlap(const struct told *told)
{
	return told->addr[0] < told->addr[1] + CODE_BYTES &&
	       told->addr[1] < told->addr[0] + CODE_BYTES;
}

static void
a_program_at_the_place_of_another_has_its_own_name(void **state)
{
	struct told *told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* On a busy machine it takes longer until the second has run. */
	static const char *const seconds[] = { "4", "4", "4", "8", "16", "32" };
	bool is_over = false;
	pid_t pid;

	(void)state;
	need_bpf();
	/* Where the code begins is a matter of chance: mostly the second overlaps the first. */
	for (size_t i = 0; i < ARRAY_SIZE(seconds) && !is_over; i++) {
		struct run_result r;
		double one, two;
		bool are_enough;

		pid = child("bpf_two", one_after_the_other, told);
		ptop_csv(&r, seconds[i], "comm,symbol,dso");
		finish(pid);
		one = samples_of(r.out, "bpf_two", "ptop_one");
		two = samples_of(r.out, "bpf_two", "ptop_two");
		are_enough = one >= ENOUGH && two >= ENOUGH;
		if (are_enough ? one > 10 * two || two > 10 * one : i == ARRAY_SIZE(seconds) - 1)
			fail_msg("%.0f and %.0f samples:\n%s", one, two, r.out);
		run_release(&r);
		is_over = are_enough && overlap(told);
	}
	munmap(told, sizeof(*told));
	if (!is_over)
		skip_for("the second program was never put where the first had been");
}

/* Runs the program whose number comes to be in @id. */
static void
wait_and_run(void *id)
{
	volatile uint32_t *number = id;
	int fd;

	while (*number == 0)
		usleep(10000);
	fd = bpf_open(*number);
	run_for_ever(&fd);
}

static void
load_later(void *id)
{
	volatile uint32_t *number = id;

	sleep(2);
	*number = bpf_id(bpf_load("ptop_untold"));
	for (;;)
		pause();
}

/*
 * Where one process alone is sampled, the kernel tells nothing of what others load, as it tells
 * nobody of modules: the kernel's list is read again.
 */
static void
code_that_no_record_tells_of_has_its_name(void **state)
{
	uint32_t *id = mmap(NULL, sizeof(*id), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);
	const char *const all[][2] = { { "comm", "bpf_untold" } };
	char pid[16], *ptop = (char *)(uintptr_t)run_ptop();
	struct run_result r;
	double named, sum;
	pid_t user, loader;

	(void)state;
	need_bpf();
	user = child("bpf_untold", wait_and_run, id);
	loader = child("bpf_loader", load_later, id);
	snprintf(pid, sizeof(pid), "%d", (int)user);
	run_program(&r, PATIENCE_S, (char *[]){ ptop, "-b", "-n", "1", "-d", "6", "-p", pid, "--by",
						"comm,symbol,dso", "--format", "csv", NULL });
	finish(user);
	finish(loader);
	munmap(id, sizeof(*id));
	named = samples_of(r.out, "bpf_untold", "ptop_untold");
	sum = run_csv_sum(r.out, "samples", 1, all);
	if (named < 0.8 * sum || named < ENOUGH)
		fail_msg("%.0f of %.0f samples:\n%s", named, sum, r.out);
	run_release(&r);
}

/* A program that was there before the recording, and is not there any more when it is read. */
static void
a_recording_has_the_names_of_its_programs(void **state)
{
	char file[] = "/tmp/ptop-kernel-XXXXXX";
	char *ptop = (char *)(uintptr_t)run_ptop(), perf[128];
	const char *const all[][2] = { { "comm", "bpf_kept" } };
	struct run_result r;
	double named = 0, sum = 0;
	int fd, by_perf = 0;
	pid_t pid;

	(void)state;
	need_bpf();
	close(mkstemp(file));
	fd = bpf_load("ptop_kept");
	pid = child("bpf_kept", run_for_ever, &fd);
	for (size_t i = 0; i < ARRAY_SIZE(longer) && named < ENOUGH; i++) {
		run_program(&r, PATIENCE_S, (char *[]){
			ptop, "-b", "-n", "1", "-d", (char *)(uintptr_t)longer[i], "-r", file, "--force",
			"--format", "csv", NULL });
		run_release(&r);
		run_program(&r, PATIENCE_S, (char *[]){ ptop, "-i", file, "--by", "comm,symbol,dso",
							"--format", "csv", NULL });
		named = samples_of(r.out, "bpf_kept", "ptop_kept");
		sum = run_csv_sum(r.out, "samples", 1, all);
		run_release(&r);
	}
	finish(pid);
	close(fd);
	snprintf(perf, sizeof(perf), "perf report -i %s -q -s sym 2>/dev/null | grep -q ptop_kept",
		 file);
	if (system("perf --version >/dev/null 2>&1") == 0)
		by_perf = system(perf);
	unlink(file);
	if (named < 0.8 * sum || named < ENOUGH)
		fail_msg("%.0f of %.0f samples have the name", named, sum);
	assert_int_equal(by_perf, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_was_there_has_its_name),
		cmocka_unit_test(a_program_at_the_place_of_another_has_its_own_name),
		cmocka_unit_test(code_that_no_record_tells_of_has_its_name),
		cmocka_unit_test(a_recording_has_the_names_of_its_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
