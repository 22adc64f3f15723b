/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --push with an engine: what profiles have that a store is given, and that none is missing. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <config.h>

#include "app/config.h"
#include "base/file.h"
#include "serve/pusher.h"
#include "serve/serve.h"
#include "tests/asserts.h"
#include "tests/family.h"
#include "tests/http.h"
#include "tests/loads/keep.h"
#include "tests/push_store.h"
#include "tests/run.h"
#include "tests/skip.h"
#include "tests/stack_sums.h"

enum { STARTS_MS = 30000, EVERY_MS = 400, PROFILES = 4 };

static struct push_store store;
static char folder[64], load_name[16];
static pid_t load;

static volatile unsigned spun;

static KEEP void
push_spin_hot(void)
{
	for (unsigned i = 0; i < 3000000; i++)
		spun += i;
}

static KEEP void
push_spin_warm(void)
{
	for (unsigned i = 0; i < 1000000; i++)
		spun += i;
}

static void
start_load(void)
{
	snprintf(load_name, sizeof(load_name), "psh-%d", (int)getpid());
	load = run_fork();
	if (load != 0)
		return;
	prctl(PR_SET_NAME, load_name);
	for (;;) {
		push_spin_hot();
		push_spin_warm();
	}
}

static int
end_all(void **state)
{
	char *argv[] = { (char *)(uintptr_t)"/bin/rm", (char *)(uintptr_t)"-rf", folder, NULL };
	struct run_result r;

	(void)state;
	run_end(load);
	push_store_end(&store);
	run_program(&r, 60, argv);
	run_release(&r);
	return 0;
}

struct pushing {
	pid_t pid;
	int err; /* what it says */
	struct buf said;
};

static void
read_all(struct pushing *p)
{
	char part[1024];
	ssize_t n;

	while ((n = read(p->err, part, sizeof(part))) > 0)
		buf_add(&p->said, part, (size_t)n);
}

static void
exec_ptop(const char *const *args)
{
	const char *argv[16] = { run_ptop(), "--no-config" };

	for (size_t i = 0; args[i] != NULL; i++)
		argv[i + 2] = args[i];
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

static void
tell(const char *line)
{
	dprintf(STDERR_FILENO, "%s\n", line);
}

static void
do_nothing(void)
{
}

/* The same with other times than the command line has. */
static void
run_quick(const char *url, const char *pid)
{
	char *argv[] = { (char *)(uintptr_t)"ptop", (char *)(uintptr_t)"--push", (char *)(uintptr_t)url,
			 (char *)(uintptr_t)"-p", (char *)(uintptr_t)pid, NULL };
	struct config config;
	struct query base;
	struct err err = { 0 };
	struct serve_config c = {
		.push = { .url = url, .spool_bytes = 1 << 20, .times = { .first_ms = 20, .most_ms = 100 } },
		.push_every_ms = EVERY_MS, .engine = &config.engine, .base = &base, .tell = tell,
		.begun = do_nothing,
	};
	int res = config_parse(&config, 5, argv, &err);

	if (res == 0) {
		config_query(&config, &base);
		base.by_view = false;
		base.keys[0] = KEY_COMM;
		base.key_count = 1;
		res = serve_run(&c, &err);
	}
	if (res < 0)
		tell(err.text);
	config_release(&config);
	exit(res < 0);
}

/* @args NULL: with quick times. */
static void
start(struct pushing *p, const char *url, const char *const *args)
{
	char pid[16];
	int ends[2];

	push_store_forget(&store);
	push_store_be(&store, PUSH_STORE_TAKES);
	snprintf(pid, sizeof(pid), "%d", (int)load);
	*p = (struct pushing){ 0 };
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	p->pid = run_fork();
	if (p->pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		if (args != NULL)
			exec_ptop(args);
		run_quick(url, pid);
	}
	close(ends[1]);
	p->err = ends[0];
}

static void
stop(struct pushing *p)
{
	int status = -1;

	/* As timeout(1) does. */
	kill(p->pid, SIGTERM);
	kill(p->pid, SIGTERM);
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	read_all(p);
	close(p->err);
	if (status != 0)
		fail_msg("status %d: %s", status, buf_str(&p->said));
}

static uint64_t
number_in(const char *head, const char *name)
{
	const char *at = strstr(head, name);

	if (at == NULL)
		fail_msg("no %s in %s", name, head);
	return strtoull(at + strlen(name), NULL, 10);
}

/* Of few samples the next moment has others, and a turn through both functions may be cut. */
static void
assert_shares(const struct sums *s)
{
	const struct sum *hot = sums_find(s, "push_spin_hot"), *warm = sums_find(s, "push_spin_warm");

	assert_non_null(hot);
	assert_non_null(warm);
	assert_within((double)hot->self / (double)(hot->self + warm->self), 0.75, 0.15);
}

/* A line "NAME VALUE". */
static void
assert_fact(const char *text, const char *name, const char *value)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %s\n", name, value);
	if (strstr(text, line) == NULL)
		fail_msg("no '%s' in %s", line, text);
}

static void
assert_pid(const char *text, const char *name)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)load);
	assert_fact(text, name, pid);
}

/* What most tests look at: those of one ptop, while the load used so much. */
static struct {
	double used_before, used_first, used_last, used_after;
	uint64_t began_s, ended_s;
	int count;
} gathered;

static int
gather(void)
{
	struct pushing p;

	gathered.used_before = run_cpu_s(load);
	gathered.began_s = (uint64_t)time(NULL);
	start(&p, store.url, NULL);
	if (!push_store_wait_taken(&store, 1))
		return -1;
	gathered.used_first = run_cpu_s(load);
	if (!push_store_wait_taken(&store, PROFILES))
		return -1;
	gathered.used_last = run_cpu_s(load);
	stop(&p);
	gathered.used_after = run_cpu_s(load);
	gathered.ended_s = (uint64_t)time(NULL);
	gathered.count = atomic_load(&store.shared->taken);
	buf_release(&p.said);
	return 0;
}

static int
begin_all(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test-push-XXXXXX");
	if (mkdtemp(folder) == NULL)
		return -1;
	setenv("XDG_STATE_HOME", folder, 1);
	push_store_start(&store);
	start_load();
	return gather();
}

static void
profiles_follow_each_other_and_have_the_load(void **state)
{
	struct sums sums = { 0 };
	uint64_t before = 0, all = 0;

	(void)state;
	assert_that(gathered.count, >=, PROFILES);
	for (int i = 0; i < gathered.count; i++) {
		const char *head = store.shared->heads[i];
		uint64_t from = number_in(head, "&from="), until = number_in(head, "&until=");
		struct pprof_facts facts;
		struct buf body = { 0 };

		/* Each begins where the last one ended. */
		assert_true(before == 0 || from == before);
		assert_true(from >= gathered.began_s && until >= from && until <= gathered.ended_s);
		before = until;
		assert_that(number_in(head, "&sampleRate="), >, 0);
		push_store_body(&store, i, &body);
		sums_of_pprof(&sums, body.data, body.len, "samples");
		assert_that(sums.all, >, all);
		all = sums.all;
		pprof_facts_of(&facts, body.data, body.len);
		assert_pid(facts.text, "label pid");
		assert_fact(facts.text, "label comm", load_name);
		assert_non_null(strstr(facts.text, "label user "));
		pprof_facts_release(&facts);
		buf_release(&body);
	}
	assert_shares(&sums);
	sums_release(&sums);
}

/* All but the first begin before that one came to the store, and the last ends when ptop does. */
static void
no_time_is_missing_and_none_is_there_twice(void **state)
{
	struct sums sums = { 0 };

	(void)state;
	for (int i = 1; i < gathered.count; i++) {
		struct buf body = { 0 };

		push_store_body(&store, i, &body);
		sums_of_pprof(&sums, body.data, body.len, "cpu-clock");
		buf_release(&body);
	}
	assert_that((double)sums.all / 1e9, >=, (gathered.used_last - gathered.used_first) * 0.93 - 0.03);
	assert_that((double)sums.all / 1e9, <=, (gathered.used_after - gathered.used_before) * 1.03 + 0.03);
	sums_release(&sums);
}

/* The reader that people have. */
static void
go_reads_what_is_pushed(void **state)
{
	char path[96];
	char *argv[] = { (char *)(uintptr_t)"/bin/sh", (char *)(uintptr_t)"-c",
			 (char *)(uintptr_t)"HOME=/tmp exec go tool pprof -top -symbolize=none \"$0\"",
			 path, NULL };
	struct run_result r;

	(void)state;
	if (system("go version >/dev/null 2>&1") != 0)
		skip_for("go is not installed");
	/* On a busy machine the first ones come before names do. */
	snprintf(path, sizeof(path), "%s/%d", store.dir, MAX(1, gathered.count - 2));
	run_program(&r, 60, argv);
	if (r.status != 0 || strstr(r.out, "push_spin_hot") == NULL)
		fail_msg("%s%s", r.out, r.err);
	run_release(&r);
}

static void
otlp_has_the_same_in_its_own_words(void **state)
{
	struct sums sums = { 0 };
	struct buf body = { 0 };
	struct pushing p;
	char url[96], *facts;

	(void)state;
	snprintf(url, sizeof(url), "otlp+%s", store.url);
	start(&p, url, NULL);
	assert_true(push_store_wait_taken(&store, 2));
	stop(&p);
	push_store_body(&store, 1, &body);
	facts = sums_of_otlp(&sums, body.data, body.len, "cpu-clock");
	assert_shares(&sums);
	assert_pid(facts, "process.pid");
	assert_fact(facts, "thread.name", load_name);
	assert_non_null(strstr(facts, "service.name ptop\n"));
	assert_non_null(strstr(facts, "host.name "));
	free(facts);
	sums_release(&sums);
	buf_release(&body);
	buf_release(&p.said);
}

/* The command line: every 15 s, and when ptop ends what came since. */
static void
what_was_sampled_last_is_pushed_when_ptop_ends(void **state)
{
	char pid[16];
	const char *const args[] = { "--push", store.url, "--serve=127.0.0.1:0", "--spool", "1M", "-p", pid,
				     NULL };
	struct pollfd f = { .events = POLLIN };
	struct sums sums = { 0 };
	struct buf body = { 0 };
	struct http_answer a;
	struct pushing p;
	char part[512], port[8];
	pid_t family[FAMILY_MAX];
	size_t count;
	double began;
	ssize_t n;
	int taken;

	(void)state;
	snprintf(pid, sizeof(pid), "%d", (int)load);
	start(&p, NULL, args);
	f.fd = p.err;
	while (strstr(buf_str(&p.said), "every 15 s") == NULL) {
		if (poll(&f, 1, STARTS_MS) <= 0 || (n = read(p.err, part, sizeof(part))) <= 0)
			fail_msg("it does not begin: %s", buf_str(&p.said));
		buf_add(&p.said, part, (size_t)n);
	}
	/* It is asked all the same. */
	assert_int_equal(sscanf(strstr(p.said.data, "127.0.0.1:") + 10, "%7[0-9]", port), 1);
	http_get(port, "/healthz", "", &a);
	assert_int_equal(a.status, 200);
	http_release(&a);
	for (began = run_cpu_s(load); run_cpu_s(load) < began + 0.5;)
		usleep(10000);
	/* Who ends all of its processes ends the one that speaks HTTP, too: that is no failure. */
	count = family_find(p.pid, family);
	kill(p.pid, SIGTERM);
	for (size_t i = 0; i < count; i++)
		if (family_is_called(family[i], "ptop-http"))
			kill(family[i], SIGTERM);
	stop(&p);
	/* The last; of a machine on which that took more than 15 s there are others. */
	taken = atomic_load(&store.shared->taken);
	assert_that(taken, >=, 1);
	for (int i = 0; i < taken; i++) {
		push_store_body(&store, i, &body);
		sums_of_pprof(&sums, body.data, body.len, "samples");
		buf_release(&body);
	}
	assert_shares(&sums);
	snprintf(part, sizeof(part), "ptop: %d profiles were pushed\n", taken);
	assert_non_null(strstr(p.said.data, part));
	sums_release(&sums);
	buf_release(&p.said);
}

/* A signal may come while the engine is at one. */
static void
the_last_profile_is_asked_for_as_such(void **state)
{
	static const struct snapshot nothing;
	static const struct query base;
	struct pusher p;
	struct query q;

	(void)state;
	pusher_begin(&p, NULL, NSEC_PER_SEC);
	pusher_query(&p, &base, &q);
	pusher_finish(&p);
	pusher_take(&p, &nothing);
	assert_false(p.is_done);
	assert_true(p.due_ns == 0);
	/* There is no answer. */
	pusher_query(&p, &base, &q);
	pusher_miss(&p);
	assert_false(p.is_done);
	assert_true(p.due_ns == 0);
	pusher_query(&p, &base, &q);
	pusher_take(&p, &nothing);
	assert_true(p.is_done);
	assert_true(p.due_ns == UINT64_MAX);
}

int
main(void)
{
#if !defined(HAVE_ZLIB) || !defined(HAVE_DEBUGINFOD)
	printf("1..0 # SKIP built without zlib or libcurl\n");
	return 0;
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_follow_each_other_and_have_the_load),
		cmocka_unit_test(no_time_is_missing_and_none_is_there_twice),
		cmocka_unit_test(go_reads_what_is_pushed),
		cmocka_unit_test(otlp_has_the_same_in_its_own_words),
		cmocka_unit_test(what_was_sampled_last_is_pushed_when_ptop_ends),
		cmocka_unit_test(the_last_profile_is_asked_for_as_such),
	};

	return cmocka_run_group_tests(tests, begin_all, end_all);
}
