/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of tracepoints, record by record: what ptop reads of a recording with signals, soft interrupts
 * and block requests is what perf script prints of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 120, WANTED = 10000, LINE_BYTES = 256, BLOCK = 4096, SIGNALS = 4, ROUND_US = 200,
       WRITE_EACH = 32, TRIES = 5 };

/* A line for each record, the same of both. */
struct lines {
	char (*items)[LINE_BYTES];
	size_t len, cap;
};

static int
compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static char *
add_line(struct lines *l)
{
	vec_reserve(&l->items, &l->cap, l->len + 1, sizeof(*l->items));
	return l->items[l->len++];
}

/* Signals to itself of several kinds, and requests to a disk. */
static void
work(const char *path)
{
	static const int sent[SIGNALS] = { SIGUSR1, SIGUSR2, SIGWINCH, SIGURG };
	int fd = open(path, O_WRONLY | O_CREAT | O_DIRECT, 0600);
	char *block = NULL;

	for (size_t i = 0; i < SIGNALS; i++)
		signal(sent[i], SIG_IGN);
	if (fd < 0 || posix_memalign((void **)&block, BLOCK, BLOCK) != 0)
		_exit(1);
	memset(block, 7, BLOCK);
	for (unsigned round = 0;; round++) {
		for (size_t i = 0; i < SIGNALS; i++)
			kill(getpid(), sent[i]);
		if (round % WRITE_EACH == 0 && pwrite(fd, block, BLOCK, BLOCK * (round % 64)) < 0)
			_exit(1);
		usleep(ROUND_US);
	}
}

static void
record(const char *recording, const char *file, int seconds)
{
	char interval[16];
	char *argv[] = { (char *)run_ptop(), "-b", "--no-config", "-n", "1", "-d", interval, "-m", "2048",
			 "-e", "signal:signal_generate", "-e", "irq:softirq_entry", "-e",
			 "block:block_rq_issue", "-V", "processes", "-r", (char *)recording,
			 "--force", NULL };
	pid_t load = run_fork();
	struct run_result r;

	if (load == 0)
		work(file);
	snprintf(interval, sizeof(interval), "%d", seconds);
	run_program(&r, PATIENCE_S, argv);
	run_end(load);
	if (r.status != 0)
		fail_msg("%s", r.err);
	run_release(&r);
}

/* What is behind @key in @text, up to @end; empty: it is not there. */
static void
take(const char *text, const char *key, const char *end, char out[64])
{
	const char *at = strstr(text, key), *to;

	*out = '\0';
	if (at == NULL)
		return;
	at += strlen(key);
	to = strstr(at, end);
	snprintf(out, 64, "%.*s", to != NULL ? (int)(to - at) : (int)strlen(at), at);
}

/* Values of @keys, each up to what is behind it. */
static void
put_values(char line[LINE_BYTES], const char *text, size_t count, const char *const keys[][2])
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(line);
		char value[64];

		take(text, keys[i][0], keys[i][1], value);
		snprintf(line + len, LINE_BYTES - len, " %s", value);
	}
}

static void
put_block_of_perf(char line[LINE_BYTES], const char *text)
{
	unsigned major, minor, bytes, sectors = 0;
	char flags[16], comm[64];
	unsigned long long sector = 0;
	const char *behind = strstr(text, ") ");
	size_t len = strlen(line);

	if (sscanf(text, "%u,%u %15s %u", &major, &minor, flags, &bytes) != 4 || behind == NULL ||
	    sscanf(behind, ") %llu + %u", &sector, &sectors) != 2)
		fail_msg("'%s'", text);
	take(behind, " [", "]", comm);
	snprintf(line + len, LINE_BYTES - len, " %u %s %u %llu %u %s", major << 20 | minor, flags, bytes,
		 sector, sectors, comm);
}

/* "  123.456789012: signal:signal_generate: sig=..." */
static void
read_perf(const char *text, struct lines *out)
{
	static const char *const signals[][2] = {
		{ "sig=", " " }, { "errno=", " " }, { "code=", " " }, { "comm=", " pid=" },
		{ " pid=", " " }, { "grp=", " " }, { "res=", " " },
	};
	static const char *const softirqs[][2] = { { "vec=", " " } };
	char event[64], time[64], *line, own[1024];
	int at;

	for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n') {
		snprintf(own, sizeof(own), "%.*s", (int)strcspn(text, "\n"), text);
		if (sscanf(own, " %63[0-9.]: %63[^ ] %n", time, event, &at) != 2)
			continue;
		line = add_line(out);
		snprintf(line, LINE_BYTES, "%s %s", event, time);
		if (strncmp(event, "signal:", 7) == 0)
			put_values(line, own + at, 7, signals);
		else if (strncmp(event, "irq:", 4) == 0)
			put_values(line, own + at, 1, softirqs);
		else
			put_block_of_perf(line, own + at);
	}
}

/* "signal:signal_generate sample misc=... time=123.456789012 ... fields=(sig=...)" */
static void
read_ptop(const char *text, struct lines *out)
{
	static const char *const signals[][2] = {
		{ "(sig=", " " }, { " errno=", " " }, { " code=", " " }, { " comm=\"", "\"" },
		{ " pid=", " " }, { " group=", " " }, { " result=", ")" },
	};
	static const char *const softirqs[][2] = { { "(vec=", ")" } };
	static const char *const blocks[][2] = {
		{ "(dev=", " " }, { " rwbs=\"", "\"" }, { " bytes=", " " }, { " sector=", " " },
		{ " nr_sector=", " " }, { " comm=\"", "\"" },
	};
	char event[64], time[64], *line, own[4096];
	const char *fields;

	for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n') {
		snprintf(own, sizeof(own), "%.*s", (int)strcspn(text, "\n"), text);
		fields = strstr(own, " fields=(");
		if (fields == NULL || sscanf(own, "%63s sample", event) != 1)
			continue;
		take(own, " time=", " ", time);
		line = add_line(out);
		snprintf(line, LINE_BYTES, "%s: %s", event, time);
		if (strncmp(event, "signal:", 7) == 0)
			put_values(line, fields, 7, signals);
		else if (strncmp(event, "irq:", 4) == 0)
			put_values(line, fields, 1, softirqs);
		else
			put_values(line, fields, 6, blocks);
	}
}

static size_t
count_of(const struct lines *l, const char *begin)
{
	size_t count = 0;

	for (size_t i = 0; i < l->len; i++)
		count += strncmp(l->items[i], begin, strlen(begin)) == 0;
	return count;
}

/* By name, as perf calls them: "action=TIMER". */
static void
assert_names(const char *recording, const char *script)
{
	static const char *const names[] = { "TIMER", "SCHED", "RCU", "NET_RX", "BLOCK", "HRTIMER" };
	char *argv[] = { (char *)run_ptop(), "-i", (char *)recording, "--by", "event,field:vec",
			 "--format", "csv", NULL };
	struct run_result r;

	run_program(&r, PATIENCE_S, argv);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *const pairs[][2] = { { "event", "irq:softirq_entry" },
						 { "field", names[i] } };
		char action[32];

		snprintf(action, sizeof(action), "action=%s]", names[i]);
		assert_int_equal(run_csv_sum(r.out, "samples", 2, pairs),
				 run_count_text(script, action));
	}
	run_release(&r);
}

static void
assert_same(struct lines *ours, struct lines *perfs)
{
	qsort(ours->items, ours->len, sizeof(*ours->items), compare);
	qsort(perfs->items, perfs->len, sizeof(*perfs->items), compare);
	for (size_t i = 0; i < MIN(ours->len, perfs->len); i++)
		if (strcmp(ours->items[i], perfs->items[i]) != 0)
			fail_msg("'%s', and perf has '%s'", ours->items[i], perfs->items[i]);
	assert_int_equal(ours->len, perfs->len);
	print_message("# %zu records: %zu signals, %zu soft interrupts, %zu block requests\n", ours->len,
		      count_of(ours, "signal:"), count_of(ours, "irq:"), count_of(ours, "block:"));
}

static void
each_record_has_the_fields_that_perf_script_prints(void **state)
{
	char folder[] = "./script-fields-XXXXXX", recording[64], file[64];
	struct run_result ptop, perf;
	struct lines ours = { 0 }, perfs = { 0 };

	(void)state;
	need_root();
	if (!run_has_perf())
		skip_for("there is no perf");
	assert_non_null(mkdtemp(folder));
	snprintf(recording, sizeof(recording), "%s/perf.data", folder);
	snprintf(file, sizeof(file), "%s/file", folder);
	/* Longer each time: a machine may be slow. */
	for (int i = 1; i <= TRIES && ours.len < WANTED; i++) {
		record(recording, file, 3 * i);
		ours.len = 0;
		run_program(&ptop, PATIENCE_S, (char *[]){ (char *)run_ptop(), "-i", recording, "--dump",
							   NULL });
		assert_int_equal(ptop.status, 0);
		read_ptop(ptop.out, &ours);
		run_release(&ptop);
	}
	assert_that(ours.len, >=, WANTED);
	run_program(&perf, PATIENCE_S, (char *[]){ "perf", "script", "-i", recording, "-F",
						   "time,event,trace", "--ns", "--kallsyms=/dev/null",
						   "--symfs=/dev/null", NULL });
	read_perf(perf.out, &perfs);
	assert_same(&ours, &perfs);
	assert_that(count_of(&ours, "signal:"), >, 1000);
	assert_that(count_of(&ours, "irq:"), >, 100);
	assert_names(recording, perf.out);
	run_release(&perf);
	unlink(recording);
	unlink(file);
	rmdir(folder);
	free(ours.items);
	free(perfs.items);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_record_has_the_fields_that_perf_script_prints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
