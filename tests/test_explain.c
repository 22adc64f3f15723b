/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --explain-event, and that the attributes are those that perf would pass for the same text.  It
 * takes more than half a minute: perf is run for each of more than a hundred events.
 */
#include "tests/bpf_fixture.h"
#include "tests/breakpoint.h"
#include "tests/root.h"
#include "tests/run.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "event/event.h"
#include "tests/asserts.h"

enum { SECONDS = 60, WORDS_MAX = 32, EVENTS_MAX = 4, TEXT_MAX = 200 };

#define HZ "-F 999"

/* The same question to both, of which perf samples: a clock that fires each few microseconds leaves no CPU to others. */
static const struct spec {
	const char *text;
	const char *ptop, *perf; /* options; NULL: HZ; perf NULL: those of ptop */
	unsigned events;         /* 0: one */
} specs[] = {
	/* hardware */
	{ "cycles", NULL, NULL, 0 },
	{ "cpu-cycles", "-c 100000", NULL, 0 },
	{ "instructions", NULL, NULL, 0 },
	{ "cache-references", NULL, NULL, 0 },
	{ "cache-misses", NULL, NULL, 0 },
	{ "branches", NULL, NULL, 0 },
	{ "branch-instructions", NULL, NULL, 0 },
	{ "branch-misses", NULL, NULL, 0 },
	{ "bus-cycles", NULL, NULL, 0 },
	{ "ref-cycles", NULL, NULL, 0 },
	{ "stalled-cycles-frontend", NULL, NULL, 0 },
	{ "stalled-cycles-backend", NULL, NULL, 0 },
	/* cache */
	{ "L1-dcache-loads", NULL, NULL, 0 },
	{ "L1-dcache-load-misses", "-c 1000", NULL, 0 },
	{ "L1-dcache-stores", NULL, NULL, 0 },
	{ "L1-icache-load-misses", NULL, NULL, 0 },
	{ "LLC-loads", NULL, NULL, 0 },
	{ "LLC-load-misses", NULL, NULL, 0 },
	{ "LLC-stores", NULL, NULL, 0 },
	{ "dTLB-load-misses", NULL, NULL, 0 },
	{ "iTLB-load-misses", NULL, NULL, 0 },
	{ "branch-load-misses", NULL, NULL, 0 },
	{ "node-loads", NULL, NULL, 0 },
	{ "L1-dcache-prefetch-misses", NULL, NULL, 0 },
	{ "node-store-misses:u", NULL, NULL, 0 },
	/* software */
	{ "cpu-clock", NULL, NULL, 0 },
	{ "task-clock", "-c 1000000", NULL, 0 },
	{ "page-faults", NULL, NULL, 0 },
	{ "faults", "-c 1", NULL, 0 },
	{ "context-switches", NULL, NULL, 0 },
	{ "cs", "-c 1", NULL, 0 },
	{ "cpu-migrations", NULL, NULL, 0 },
	{ "minor-faults", NULL, NULL, 0 },
	{ "major-faults", NULL, NULL, 0 },
	{ "alignment-faults", NULL, NULL, 0 },
	{ "emulation-faults", NULL, NULL, 0 },
	{ "bpf-output", NULL, NULL, 0 },
	{ "cgroup-switches", NULL, NULL, 0 },
	{ "dummy", NULL, NULL, 0 },
	/* raw */
	{ "r1", NULL, NULL, 0 },
	{ "r1a8", NULL, NULL, 0 },
	{ "r003c:u", "-c 2000", NULL, 0 },
	/* modifiers */
	{ "cycles:u", NULL, NULL, 0 },
	{ "cycles:k", NULL, NULL, 0 },
	{ "cycles:h", NULL, NULL, 0 },
	{ "cycles:uk", NULL, NULL, 0 },
	{ "cycles:ukh", NULL, NULL, 0 },
	{ "cycles:G", NULL, NULL, 0 },
	{ "cycles:H", NULL, NULL, 0 },
	{ "cycles:I", NULL, NULL, 0 },
	{ "cycles:p", NULL, NULL, 0 },
	{ "cycles:pp", NULL, NULL, 0 },
	{ "cycles:upp", NULL, NULL, 0 },
	{ "instructions:ppp", NULL, NULL, 0 },
	{ "cycles:P", NULL, NULL, 0 },
	{ "cycles:uP", NULL, NULL, 0 },
	{ "cycles:D", NULL, NULL, 0 },
	{ "cpu-clock:e", NULL, NULL, 0 },
	{ "cpu-clock:k", NULL, NULL, 0 },
	{ "page-faults:u", NULL, NULL, 0 },
	/* tracepoints */
	{ "sched:sched_switch", NULL, NULL, 0 },
	{ "sched:sched_switch", "", NULL, 0 },
	{ "sched:sched_wakeup", "-c 10", NULL, 0 },
	{ "syscalls:sys_enter_getpid", "", NULL, 0 },
	{ "syscalls:sys_enter_getppid:u", "", NULL, 0 },
	/* breakpoints */
	{ "mem:0x1000", "", NULL, 0 },
	{ "mem:0x1000:r", "", NULL, 0 },
	{ "mem:0x1000:w", NULL, NULL, 0 },
	{ "mem:0x1000:rw:u", "", NULL, 0 },
	{ "mem:0x1000:x", "", NULL, 0 },
	{ "mem:0x1000/4:w", "-c 3", NULL, 0 },
	{ "mem:4096/1:rw", "", NULL, 0 },
	{ "mem:0x1008/8:r:k", "", NULL, 0 },
	/* terms, and events of PMUs */
	{ "cpu-clock/period=5000000/", NULL, NULL, 0 },
	{ "cpu-clock/freq=500/", NULL, NULL, 0 },
	{ "cpu-clock/period=5000000/", "-c 7700000", NULL, 0 },
	{ "cycles/name=mine,freq=100/u", NULL, NULL, 0 },
	{ "task-clock/call-graph=fp/", NULL, NULL, 0 },
	{ "cpu-clock/call-graph=dwarf/", NULL, NULL, 0 },
	{ "cs/call-graph=dwarf,stack-size=4096/", NULL, NULL, 0 },
	{ "cs/call-graph=no/", HZ " -g fp", HZ " --call-graph fp", 0 },
	{ "cpu-clock/max-stack=16/", NULL, NULL, 0 },
	{ "cycles/call-graph=lbr/", NULL, NULL, 0 },
	{ "page-faults/no-inherit,time=0/", NULL, NULL, 0 },
	{ "page-faults/overwrite/", NULL, NULL, 0 },
	{ "msr/tsc/", NULL, NULL, 0 },
	{ "uprobe/config=1/", NULL, NULL, 0 },
	{ "software/config=1/u", NULL, NULL, 0 },
	/* call graphs for all */
	{ "cpu-clock", HZ " -g dwarf", HZ " --call-graph dwarf", 0 },
	{ "cpu-clock:u", HZ " -g dwarf,4096", HZ " --call-graph dwarf,4096", 0 },
	{ "cycles", HZ " -g lbr", HZ " --call-graph lbr", 0 },
	{ "page-faults", HZ " -g fp", HZ " --call-graph fp", 0 },
	/* several, groups */
	{ "cpu-clock,page-faults:u", NULL, NULL, 2 },
	{ "task-clock:u,cs,faults:k", "-c 3000000", NULL, 3 },
	{ "{cpu-clock,page-faults}", NULL, NULL, 2 },
	{ "{cpu-clock,page-faults:u}:k", NULL, NULL, 2 },
	{ "{cpu-clock,page-faults}:S", NULL, NULL, 2 },
	{ "{task-clock,cs,minor-faults}:Su", "-c 1000000", NULL, 3 },
	{ "{page-faults:S,cs}", NULL, NULL, 2 },
	{ "{cpu-clock}:S", NULL, NULL, 0 },
	{ "cpu-clock:S", NULL, NULL, 0 },
	{ "{cpu-clock/period=7777777/,cs/freq=50/}", NULL, NULL, 2 },
	{ "{cpu-clock,cs}:D", NULL, NULL, 2 },
	{ "{cpu-clock,page-faults}:e", NULL, NULL, 2 },
	{ "{cpu-clock,page-faults}:W", NULL, NULL, 2 },
	{ "{page-faults,sched:sched_switch}", NULL, NULL, 2 },
	{ "{sched:sched_switch,page-faults}:S", "-c 10", NULL, 2 },
	{ "{page-faults,syscalls:sys_enter_getpid}:S", NULL, NULL, 2 },
	{ "{page-faults,mem:0x1000:w}", "-c 1", NULL, 2 },
	{ "{mem:0x1000:w,page-faults}:S", "-c 1", NULL, 2 },
	{ "page-faults:b", NULL, NULL, 0 },
	{ "page-faults/percore/", NULL, NULL, 0 },
	{ "page-faults/nr=3/", NULL, NULL, 0 },
};

/* What is compared.  perf leaves out what is 0. */
static const struct compared {
	const char *perf;
	const char *ptop[2];
} compared[] = {
	{ "type", { "type" } },
	{ "config", { "config" } },
	{ "{ bp_addr, config1 }", { "config1", "bp_addr" } },
	{ "{ bp_len, config2 }", { "config2", "bp_len" } },
	{ "bp_type", { "bp_type" } },
	{ "precise_ip", { "precise_ip" } },
	{ "exclude_user", { "exclude_user" } },
	{ "exclude_kernel", { "exclude_kernel" } },
	{ "exclude_hv", { "exclude_hv" } },
	{ "freq", { "freq" } },
	{ "{ sample_period, sample_freq }", { "sample_period", "sample_freq" } },
	{ "sample_regs_user", { "sample_regs_user" } },
	{ "sample_stack_user", { "sample_stack_user" } },
	{ "sample_max_stack", { "sample_max_stack" } },
	{ "write_backward", { "write_backward" } },
	{ "disabled", { "disabled" } },
	{ "pinned", { "pinned" } },
	{ "exclusive", { "exclusive" } },
};

/* Names of bits, which perf writes in place of numbers. */
static const struct named_bits {
	const char *field;
	uint64_t mask;
	const char *name;
} named_bits[] = {
	{ "sample_type", PERF_SAMPLE_READ, "READ" },
	{ "read_format", PERF_FORMAT_GROUP, "GROUP" },
	{ "read_format", PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
};

/* Runs the words of @command, cut at blanks, and then @more. */
static void
run_words(struct run_result *r, const char *command, char *const more[])
{
	char text[TEXT_MAX], *argv[WORDS_MAX], *save = NULL;
	size_t n = 0;

	snprintf(text, sizeof(text), "%s", command);
	for (char *w = strtok_r(text, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
		argv[n++] = w;
	for (size_t i = 0; more[i] != NULL; i++)
		argv[n++] = more[i];
	assert_that(n, <, WORDS_MAX);
	argv[n] = NULL;
	run_program(r, SECONDS, argv);
}

static void
run_explain(struct run_result *r, const struct spec *s)
{
	char *more[] = { "--explain-event", (char *)(uintptr_t)s->text, NULL };
	char command[TEXT_MAX];

	snprintf(command, sizeof(command), "%s %s", run_ptop(), s->ptop != NULL ? s->ptop : HZ);
	run_words(r, command, more);
}

static void
run_perf(struct run_result *r, const struct spec *s)
{
	char *more[] = { "-e", (char *)(uintptr_t)s->text, "-o", "/dev/null", "--", "true", NULL };
	const char *own = s->ptop != NULL ? s->ptop : HZ;
	char command[TEXT_MAX];

	/* Its thread for BPF programs would make each of its ends take a second. */
	snprintf(command, sizeof(command), "perf record --no-bpf-event -vv %s",
		 s->perf != NULL ? s->perf : own);
	run_words(r, command, more);
}

/* The number behind @name on a line of its own in the @len bytes at @text; false: there is none. */
static bool
find_value(const char *text, size_t len, const char *name, uint64_t *value)
{
	size_t width = strlen(name);
	const char *end = text + len;

	for (const char *line = text; line != NULL && line < end;) {
		const char *p = line + strspn(line, " ");

		if (strncmp(p, name, width) == 0 && p[width] == ' ') {
			*value = strtoull(p + width, NULL, 0);
			return true;
		}
		line = memchr(line, '\n', (size_t)(end - line));
		line = line != NULL ? line + 1 : NULL;
	}
	return false;
}

/* Whether @word is one of the "A|B|C" behind @name. */
static bool
has_word(const char *text, size_t len, const char *name, const char *word)
{
	const char *line = memmem(text, len, name, strlen(name)), *end;
	size_t width = strlen(word);

	if (line == NULL)
		return false;
	line += strlen(name);
	end = line + strcspn(line, "\n");
	for (const char *p = line; p != NULL && p < end; p = strpbrk(p + 1, " |\n"))
		if (strchr(" |", *p) != NULL && strncmp(p + 1, word, width) == 0 &&
		    strchr(" |\n", p[1 + width]) != NULL)
			return true;
	return false;
}

/* A part of an output that tells of one event. */
struct part {
	const char *text;
	size_t len;
};

/* Those that begin with @head and end with @end; at most @max. */
static size_t
cut(const char *text, const char *head, const char *end, struct part *parts, size_t max)
{
	size_t n = 0;

	while (n < max && (text = strstr(text, head)) != NULL) {
		const char *stop = strstr(text + 1, end);

		parts[n].text = text;
		parts[n].len = stop != NULL ? (size_t)(stop - text) : strlen(text);
		text += parts[n++].len;
	}
	return n;
}

static unsigned
compare(const struct spec *s, unsigned event, const struct part *ptop, const struct part *perf)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++) {
		const struct compared *c = &compared[i];
		uint64_t want = 0, have = 0;

		find_value(perf->text, perf->len, c->perf, &want);
		if (!find_value(ptop->text, ptop->len, c->ptop[0], &have) && c->ptop[1] != NULL)
			find_value(ptop->text, ptop->len, c->ptop[1], &have);
		if (want == have)
			continue;
		print_message("%s [%s], event %u: %s is %#llx, perf says %#llx\n", s->text,
			      s->ptop != NULL ? s->ptop : HZ, event, c->ptop[0],
			      (unsigned long long)have, (unsigned long long)want);
		wrong++;
	}
	for (size_t i = 0; i < sizeof(named_bits) / sizeof(named_bits[0]); i++) {
		const struct named_bits *b = &named_bits[i];
		bool want = has_word(perf->text, perf->len, b->field, b->name);
		uint64_t have = 0;

		find_value(ptop->text, ptop->len, b->field, &have);
		if (want == ((have & b->mask) != 0))
			continue;
		print_message("%s, event %u: %s is %#llx, perf says %s%s\n", s->text, event,
			      b->field, (unsigned long long)have, want ? "" : "no ", b->name);
		wrong++;
	}
	return wrong;
}

/* 1: as perf, 0: perf does not know it, -1: not as perf. */
static int
check(const struct spec *s)
{
	struct part ptop_parts[EVENTS_MAX], perf_parts[EVENTS_MAX];
	unsigned events = s->events > 0 ? s->events : 1, wrong = 0;
	struct run_result ptop, perf;
	size_t perf_len, ptop_len;

	run_perf(&perf, s);
	run_explain(&ptop, s);
	perf_len = cut(perf.err, "perf_event_attr:", "\n---", perf_parts, events);
	ptop_len = cut(ptop.out, "event ", "\n\n", ptop_parts, events);
	if (perf_len == events && ptop_len < events) {
		print_message("%s: perf knows it, ptop says: %s", s->text, ptop.err);
		wrong++;
	}
	for (unsigned i = 0; perf_len == events && wrong == 0 && i < events; i++)
		wrong += compare(s, i, &ptop_parts[i], &perf_parts[i]);
	run_release(&perf);
	run_release(&ptop);
	if (wrong > 0)
		return -1;
	return perf_len == events;
}

static bool
has_perf(void)
{
	char *argv[] = { "perf", "--version", NULL };
	struct run_result r;
	bool has;

	run_program(&r, SECONDS, argv);
	has = r.status == 0;
	run_release(&r);
	return has;
}

/*
 * perf mounts tracefs for all: where it may, in a name space of the test's own, without the names of
 * the kernel, which it would read to the end each time.
 */
static void
hide_kernel_names(void)
{
	run_own_mounts();
	assert_int_equal(mount("/dev/null", "/proc/kallsyms", NULL, MS_BIND, NULL), 0);
}

/* The last of all: the names of the kernel are gone then. */
static void
attributes_are_those_of_perf(void **state)
{
	unsigned same = 0, unknown = 0, wrong = 0, asked;

	(void)state;
	if (!has_perf())
		skip_for("there is no perf");
	if (geteuid() == 0)
		hide_kernel_names();
	/* A sanitizer sees in some of them what it sees in all. */
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i += IS_SANITIZED ? 4 : 1) {
		int res = check(&specs[i]);

		same += res > 0;
		wrong += res < 0;
		unknown += res == 0;
		if (res == 0)
			print_message("left out: '%s': not known to this perf\n", specs[i].text);
	}
	asked = same + wrong + unknown;
	print_message("%u as perf, %u not, %u unknown to perf\n", same, wrong, unknown);
	assert_int_equal(wrong, 0);
	assert_that(same, >=, asked * 3 / 4);
}

/* The exit status of ptop, its output in @r. */
static int
explain(struct run_result *r, const char *options, const char *text)
{
	const struct spec s = { text, options, NULL, 0 };

	run_explain(r, &s);
	assert_true(WIFEXITED(r->status));
	return WEXITSTATUS(r->status);
}

static void
assert_value(const struct run_result *r, const char *name, uint64_t want)
{
	uint64_t have = 0;

	if (!find_value(r->out, r->out_len, name, &have) && want != 0)
		fail_msg("no line '%s' in:\n%s", name, r->out);
	assert_int_equal(have, want);
}

static void
what_the_kernel_takes_is_told(void **state)
{
	struct run_result r;

	(void)state;
	assert_int_equal(explain(&r, "-c 5", "page-faults:u"), 0);
	assert_value(&r, "type", 1);
	assert_value(&r, "config", 2);
	assert_value(&r, "sample_period", 5);
	assert_value(&r, "exclude_kernel", 1);
	assert_value(&r, "size", 144);
	assert_non_null(strstr(r.out, "\nopen                     taken\n"));
	assert_non_null(strstr(r.out, "# SOFTWARE: which PMU counts\n"));
	assert_null(strstr(r.out, "\npinned"));
	run_release(&r);
}

static void
what_it_refuses_is_told_and_is_the_exit_status(void **state)
{
	struct run_result r;

	(void)state;
	/* Stacks are dumped in whole words. */
	assert_int_equal(explain(&r, "--attr sample_type=STACK_USER,sample_stack_user=7", "cs"), 1);
	assert_non_null(strstr(r.out, "\nopen                     refused: cannot open event 'cs'"));
	assert_non_null(strstr(r.out, "EINVAL"));
	assert_non_null(strstr(r.err, "ptop: cannot open event 'cs'"));
	run_release(&r);
	assert_int_equal(explain(&r, "", "cylces"), 2);
	assert_string_equal(r.out, "");
	run_release(&r);
}

static void
what_cannot_be_shown_is_told_though_the_kernel_takes_it(void **state)
{
	struct run_result r;

	(void)state;
	assert_int_equal(explain(&r, "--attr write_backward", "cs"), 1);
	assert_value(&r, "write_backward", 1);
	assert_non_null(strstr(r.out, "refused: event 'cs' cannot be shown live: write_backward"));
	run_release(&r);
}

static void
a_member_is_opened_into_its_leaders_group(void **state)
{
	struct run_result r;

	(void)state;
	assert_int_equal(explain(&r, "", "{page-faults,context-switches}:S"), 0);
	assert_non_null(strstr(r.out, "\nleader                   page-faults:S\nopen "));
	run_release(&r);
	/* A leader that no virtual machine has. */
	assert_int_equal(explain(&r, "", "{node-store-misses,cs}"), 1);
	assert_non_null(strstr(r.out, "refused: the event that leads its group"));
	run_release(&r);
}

static void
attributes_can_be_set_by_name(void **state)
{
	struct run_result r;

	(void)state;
	assert_int_equal(explain(&r, "--attr context_switch,sample_type=ADDR|weight "
				 "--attr sample_max_stack=64", "cs"), 0);
	assert_value(&r, "context_switch", 1);
	assert_value(&r, "sample_max_stack", 64);
	assert_non_null(strstr(r.out, "|ADDR|"));
	assert_non_null(strstr(r.out, "|WEIGHT|"));
	run_release(&r);
	assert_int_equal(explain(&r, "--attr sample_regs_user=1<<1", "cs"), 2);
	run_release(&r);
	assert_int_equal(explain(&r, "--attr contxt_switch", "cs"), 2);
	assert_non_null(strstr(r.err, "did you mean 'context_switch'?"));
	run_release(&r);
}

/* Samples that carry more than others are told apart and read whole, also from the file. */
static void
stack_dumps_are_sampled_and_recorded(void **state)
{
	char dir[] = "/tmp/test_explain.XXXXXX", file[64];
	char *dump[] = { (char *)(uintptr_t)run_ptop(), "--dump", "-i", file, NULL };
	char *record[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "2", "-d", "1", "-g",
			   "dwarf,1024", "-e", "cpu-clock:u", "-r", file, "--raw-stacks",
			   "--format", "csv", "--by", "event,comm", NULL };
	const char *const hot[][2] = { { "comm", "hot" } };
	struct run_result r;
	pid_t load;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	load = run_load("hot");
	run_program(&r, SECONDS, record);
	run_end(load);
	assert_int_equal(r.status, 0);
	assert_that(run_csv_sum(r.out, "samples", 1, hot), >, 0);
	assert_null(strstr(r.err, "broken"));
	run_release(&r);
	run_program(&r, SECONDS, dump);
	unlink(file);
	rmdir(dir);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "stack_user=1024"));
	run_release(&r);
}

/* A program of another tool: what it returns decides which samples are made. */
static void
bpf_programs_on_a_tracepoint_are_told(void **state)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "--explain-event",
			 "syscalls:sys_enter_getpgid", NULL };
	struct event_env env = { 0 };
	struct event_list list = { 0 };
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
					.disabled = 1 };
	char want[80];
	struct run_result r;
	int fd, program;

	(void)state;
	need_root();
	event_env_open(&env);
	assert_int_equal(event_parse(&env, argv[2], &list, NULL), 0);
	attr.config = list.items[0].config;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	program = bpf_load_as(BPF_PROG_TYPE_TRACEPOINT, "ptop_attached");
	run_program(&r, SECONDS, argv);
	assert_null(strstr(r.out, "bpf-program"));
	run_release(&r);
	if (fd < 0 || program < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) < 0)
		skip_for("this kernel attaches no BPF programs to tracepoints");
	run_program(&r, SECONDS, argv);
	snprintf(want, sizeof(want), "\nbpf-program              %u ", bpf_id(program));
	close(fd);
	close(program);
	if (strstr(r.out, want) == NULL)
		fail_msg("no '%s' in: %s%s", want, r.out, r.err);
	run_release(&r);
	event_list_release(&list);
	event_env_close(&env);
}

/* The first variable that the kernel lists; without CONFIG_KALLSYMS_ALL marks of sections alone. */
static bool
find_variable(char name[TEXT_MAX], unsigned long long *address)
{
	FILE *list = fopen("/proc/kallsyms", "re");
	char line[512], type = 0;

	assert_non_null(list);
	while (type != 'D' && fgets(line, sizeof(line), list) != NULL)
		if (sscanf(line, "%llx %c %199s", address, &type, name) != 3)
			type = 0;
	fclose(list);
	return type == 'D' && *address % 4 == 0 && *address >> 63;
}

static void
a_variable_of_the_kernel_is_found_by_its_name(void **state)
{
	unsigned long long address = 0;
	char name[TEXT_MAX], text[TEXT_MAX + 16], want[64];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "--explain-event", text, NULL };
	struct run_result r;

	(void)state;
	need_root();
	if (!find_variable(name, &address))
		skip_for("the kernel lists no variable with its address");
	snprintf(text, sizeof(text), "mem:%s:w", name);
	run_program(&r, SECONDS, argv);
	snprintf(want, sizeof(want), " 0x%llx ", address);
	assert_non_null(strstr(r.out, want));
	assert_non_null(strstr(r.out, "bp_addr "));
	assert_non_null(strstr(r.out, breakpoints_work() ? " taken" : " would count nothing: "));
	run_release(&r);
	/* Of user space alone it is not the kernel's. */
	strcat(text, ":u");
	run_program(&r, SECONDS, argv);
	assert_non_null(strstr(r.err, "there is no process to look into"));
	run_release(&r);
}

/* As -e, which would not sample it either. */
static void
a_breakpoint_that_never_fires_is_refused(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	if (breakpoints_work())
		skip_for("breakpoints fire on this machine");
	assert_int_equal(explain(&r, "", "mem:0x1000:w:u"), 1);
	assert_non_null(strstr(r.out, "\nopen                     refused: "
			       "event 'mem:0x1000:w:u' would count nothing: "));
	assert_non_null(strstr(r.err, "uprobe:FUNCTION"));
	run_release(&r);
}

static void
what_a_clock_of_tasks_does_not_sample_is_told(void **state)
{
	const struct spec of_task = { .text = "cpu-clock", .ptop = "-p 0" };
	const struct spec of_cpus = { .text = "cpu-clock" };
	const struct spec faults = { .text = "page-faults", .ptop = "-p 0" };
	struct run_result r;

	(void)state;
	run_explain(&r, &of_task);
	assert_non_null(strstr(r.out, "\ngap                      each task has a timer of its own"));
	run_release(&r);
	run_explain(&r, &of_cpus);
	assert_null(strstr(r.out, "\ngap "));
	run_release(&r);
	run_explain(&r, &faults);
	assert_null(strstr(r.out, "\ngap "));
	run_release(&r);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_variable_of_the_kernel_is_found_by_its_name),
		cmocka_unit_test(what_the_kernel_takes_is_told),
		cmocka_unit_test(a_breakpoint_that_never_fires_is_refused),
		cmocka_unit_test(what_it_refuses_is_told_and_is_the_exit_status),
		cmocka_unit_test(what_cannot_be_shown_is_told_though_the_kernel_takes_it),
		cmocka_unit_test(a_member_is_opened_into_its_leaders_group),
		cmocka_unit_test(attributes_can_be_set_by_name),
		cmocka_unit_test(stack_dumps_are_sampled_and_recorded),
		cmocka_unit_test(what_a_clock_of_tasks_does_not_sample_is_told),
		cmocka_unit_test(bpf_programs_on_a_tracepoint_are_told),
		cmocka_unit_test(attributes_are_those_of_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
