/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptop --serve as its clients see it: what it says of a load, and who gets no answer. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <config.h>

#include "base/call_filter.h"
#include "base/clock.h"
#include "base/file.h"
#include "serve/asker.h"
#include "serve/clients.h"
#include "serve/link.h"
#include "tests/asserts.h"
#include "tests/family.h"
#include "tests/http.h"
#include "tests/loads/keep.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"
#include "tests/stack_sums.h"

enum { STARTS_MS = 30000, CROWD = 200, LOAD_S = 2 };

struct served {
	pid_t pid;
	int err;         /* what it says */
	char where[108]; /* for http_connect() */
	struct buf said;
};

static struct served shared; /* by most tests */
static pid_t load;
static char load_name[16];

/* Reads on until @word is there.  false: it ends first, or says nothing for too long. */
static bool
says(struct served *s, const char *word)
{
	struct pollfd p = { .fd = s->err, .events = POLLIN };
	char part[1024];
	ssize_t n;

	while (strstr(buf_str(&s->said), word) == NULL) {
		if (poll(&p, 1, STARTS_MS) <= 0 || (n = read(s->err, part, sizeof(part))) <= 0)
			return false;
		buf_add(&s->said, part, (size_t)n);
	}
	return true;
}

/* A socket that systemd would have made; fd -1: none. */
struct given {
	int fd;
	const char *count; /* as the environment has it */
};

/* As sd_listen_fds(3) says. */
static void
take_given(const struct given *g)
{
	char pid[16];

	if (g->fd < 0)
		return;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", g->count, 1);
	if (g->fd == 3)
		fcntl(3, F_SETFD, 0);
	else
		dup2(g->fd, 3);
}

static void
exec_ptop(const char *const *args, int err, struct given given)
{
	const char *argv[16] = { run_ptop(), "--no-config" };

	for (size_t i = 0; args[i] != NULL; i++)
		argv[i + 2] = args[i];
	dup2(err, STDERR_FILENO);
	take_given(&given);
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

static void
start_given(struct served *s, const char *const *args, struct given given)
{
	int ends[2];

	memset(s, 0, sizeof(*s));
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	s->pid = run_fork();
	if (s->pid == 0)
		exec_ptop(args, ends[1], given);
	close(ends[1]);
	s->err = ends[0];
}

/* Once it serves, where that is. */
static void
wait_served(struct served *s)
{
	const char *at;

	if (!says(s, "\n"))
		fail_msg("ptop does not serve: %s", buf_str(&s->said));
	at = strstr(s->said.data, "serving ");
	if (at == NULL)
		fail_msg("ptop does not serve: %s", s->said.data);
	if (sscanf(at, "serving http://127.0.0.1:%100[0-9]", s->where) != 1)
		assert_int_equal(sscanf(at, "serving %100s", s->where), 1);
}

static void
start(struct served *s, const char *const *args)
{
	start_given(s, args, (struct given){ .fd = -1 });
	wait_served(s);
}

/* Its exit status; it has ended, or is asked to. */
static int
stop(struct served *s, int sig)
{
	int status = -1;

	if (sig != 0)
		kill(s->pid, sig);
	assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
	says(s, "\n\n\n");
	close(s->err);
	return status;
}

static volatile unsigned spun;

static KEEP void
serve_spin_hot(void)
{
	for (unsigned i = 0; i < 3000000; i++)
		spun += i;
}

static KEEP void
serve_spin_warm(void)
{
	for (unsigned i = 0; i < 1000000; i++)
		spun += i;
}

/* A load that nobody else is called like. */
static void
start_load(void)
{
	snprintf(load_name, sizeof(load_name), "srv-%d", (int)getpid());
	load = run_fork();
	if (load != 0)
		return;
	prctl(PR_SET_NAME, load_name);
	for (;;) {
		serve_spin_hot();
		serve_spin_warm();
	}
}

static int
begin_all(void **state)
{
	static const char *const args[] = { "--serve=127.0.0.1:0", NULL };

	(void)state;
	start(&shared, args);
	start_load();
	return 0;
}

static int
end_all(void **state)
{
	int status;

	(void)state;
	run_end(load);
	status = stop(&shared, SIGTERM);
	if (status != 0)
		print_message("# status %d: %s\n", status, buf_str(&shared.said));
	buf_release(&shared.said);
	return status;
}

static void
wait_until_has(pid_t pid, double cpu_s)
{
	const struct timespec moment = { .tv_nsec = 20000000 };

	while (run_cpu_s(pid) < cpu_s)
		nanosleep(&moment, NULL);
}

static void
get(const char *path, struct http_answer *a)
{
	http_get(shared.where, path, "", a);
}

static void
assert_status(const char *path, int status, const char *word)
{
	struct http_answer a;

	get(path, &a);
	if (a.status != status || (word != NULL && strstr(buf_str(&a.body), word) == NULL))
		fail_msg("%s: %d, not %d with '%s': %s", path, a.status, status, word, buf_str(&a.body));
	http_release(&a);
}

/* What the hot function has of both, in so many samples. */
struct share {
	double part, samples;
};

static struct share
hot_share(const struct sums *s)
{
	const struct sum *hot = sums_find(s, "serve_spin_hot"), *warm = sums_find(s, "serve_spin_warm");
	struct share res = { 0 };

	assert_non_null(hot);
	res.samples = (double)(hot->self + (warm != NULL ? warm->self : 0));
	res.part = (double)hot->self / res.samples;
	return res;
}

/* Of few samples the next second has others, and a turn through both functions may be cut. */
static void
assert_same_share(struct share a, struct share b)
{
	assert_within(a.part, b.part, 0.05 + 4 * sqrt(0.1875 / a.samples + 0.1875 / b.samples));
}

/* Batch, of the same process and as long. */
static struct share
batch_share(void)
{
	char pid[16];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "--no-config", "-b", "-n", "1", "-d", "1", "-p", pid,
			 "-e", "cpu-clock", "--by", "symbol", "--format", "json", NULL };
	struct sums s = { 0 };
	struct run_result r;
	struct share share;

	snprintf(pid, sizeof(pid), "%d", (int)load);
	run_program(&r, 60, argv);
	if (r.status != 0)
		fail_msg("ptop: %s", r.err);
	sums_of_table(&s, r.out, "cpu-clock", "samples");
	share = hot_share(&s);
	run_release(&r);
	sums_release(&s);
	return share;
}

static void
profiles_have_the_shares_of_batch_reports(void **state)
{
	struct http_answer a, past;
	struct sums s = { 0 }, before = { 0 };
	struct pprof_facts facts;
	char path[160], line[64];

	(void)state;
	need_jansson();
	need_zlib();
	snprintf(path, sizeof(path), "/debug/pprof/profile?seconds=1&process=%d", (int)load);
	get(path, &a);
	if (a.status != 200)
		fail_msg("%d: %s", a.status, buf_str(&a.body));
	sums_of_pprof(&s, a.body.data, a.body.len, "samples");
	assert_same_share(hot_share(&s), batch_share());
	pprof_facts_of(&facts, a.body.data, a.body.len);
	snprintf(line, sizeof(line), "label pid %d\n", (int)load);
	assert_non_null(strstr(facts.text, line));
	snprintf(line, sizeof(line), "label comm %s\n", load_name);
	assert_non_null(strstr(facts.text, line));
	assert_non_null(strstr(facts.text, "label user "));
	pprof_facts_release(&facts);

	/* The same of what was. */
	snprintf(path, sizeof(path), "/debug/pprof/profile?past=1&seconds=1&process=%s", load_name);
	get(path, &past);
	sums_of_pprof(&before, past.body.data, past.body.len, "samples");
	assert_same_share(hot_share(&before), hot_share(&s));
	sums_release(&s);
	sums_release(&before);
	http_release(&a);
	http_release(&past);
}

static void *
work(void *arg)
{
	prctl(PR_SET_NAME, "worker-0");
	for (;;)
		serve_spin_hot();
	return arg;
}

/* A process whose first thread sleeps, and the other is not called like it. */
static pid_t
start_shop(const char *name)
{
	pid_t pid = run_fork();
	pthread_t thread;

	if (pid != 0)
		return pid;
	prctl(PR_SET_NAME, name);
	if (pthread_create(&thread, NULL, work, NULL) != 0)
		_exit(1);
	for (;;)
		pause();
}

static void
a_process_has_all_its_threads_by_its_name(void **state)
{
	char name[16], path[160], row[40];
	pid_t shop;

	(void)state;
	snprintf(name, sizeof(name), "shop-%d", (int)getpid());
	shop = start_shop(name);
	wait_until_has(shop, 1.5);
	snprintf(path, sizeof(path), "/report?format=csv&by=program,comm&window=5&process=%s", name);
	snprintf(row, sizeof(row), "%s,worker-0,", name);
	assert_status(path, 200, row);
	snprintf(path, sizeof(path), "/report?format=csv&by=comm&process=sh*p-%d", (int)getpid());
	assert_status(path, 200, "worker-0,");
	snprintf(path, sizeof(path), "/report?format=folded&process=%s", name);
	assert_status(path, 200, "worker-0;");
	assert_status("/report?format=csv&by=comm&process=worker-0", 404, "no process 'worker-0'");
	assert_status("/debug/pprof/profile?seconds=1&past=1&process=none*", 404, "no process 'none*'");
	run_end(shop);
}

/* It is there, and has nothing to show. */
static void
a_process_that_sleeps_has_an_empty_answer(void **state)
{
	char path[80];
	pid_t idle = run_fork();

	(void)state;
	if (idle == 0) {
		prctl(PR_SET_NAME, "srv-sleeps");
		for (;;)
			pause();
	}
	sleep(2);
	assert_status("/report?format=folded&window=1&process=srv-sl*", 200, NULL);
	snprintf(path, sizeof(path), "/report?format=folded&window=1&process=%d", (int)idle);
	assert_status(path, 200, NULL);
	run_end(idle);
}

static void
a_control_group_that_is_not_there_is_told(void **state)
{
	(void)state;
	if (access("/sys/fs/cgroup", X_OK) != 0)
		skip_for("no control groups");
	assert_status("/report?format=csv&window=1&cgroup=/nope", 404, "no control group '/nope'");
	assert_status("/report?window=1&cgroup=/nope*", 404, "no control group '/nope*'");
	assert_status("/debug/pprof/profile?seconds=1&past=1&cgroup=/nope", 404, "by=cgroup");
	assert_status("/report?format=csv&window=1&cgroup=/", 200, NULL);
}

static double
metric(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at != NULL ? strtod(at + strlen(name), NULL) : 0;
}

struct scrape {
	double used_before, used_after; /* what the load has used */
	double load, samples, own;      /* as metrics say */
	double busy;                    /* CPU seconds of all */
	uint64_t ns;                    /* when */
};

/* Seconds that all CPUs were busy, of all programs. */
static double
busy_s(void)
{
	unsigned long long t[5] = { 0 };
	struct buf b = { 0 };
	double busy;

	assert_return_code(file_read("/proc/stat", &b, 1 << 20), 0);
	assert_that(sscanf(buf_str(&b), "cpu %llu %llu %llu %*u %*u %llu %llu", &t[0], &t[1], &t[2],
			    &t[3], &t[4]), ==, 5);
	busy = (double)(t[0] + t[1] + t[2] + t[3] + t[4]) / (double)sysconf(_SC_CLK_TCK);
	buf_release(&b);
	return busy;
}

static void
scrape(struct scrape *s)
{
	struct http_answer a;
	char name[80];

	snprintf(name, sizeof(name), "\nptop_cpu_seconds_total{comm=\"%s\",container=\"\"} ", load_name);
	s->used_before = run_cpu_s(load);
	s->ns = clock_mono_ns();
	s->busy = busy_s();
	get("/metrics", &a);
	s->used_after = run_cpu_s(load);
	assert_int_equal(a.status, 200);
	s->load = metric(buf_str(&a.body), name);
	s->samples = metric(buf_str(&a.body), "\nptop_samples_total ");
	s->own = metric(buf_str(&a.body), "\nptop_own_cpu_seconds_total ");
	http_release(&a);
}

/* Three times the standard deviation of @told_s that samples tell, of who has a CPU for a part of the time. */
static double
noise_s(const struct scrape *first, const struct scrape *last, double told_s)
{
	double wall_s = (double)(last->ns - first->ns) / 1e9;
	double sample_s = (last->busy - first->busy) / (last->samples - first->samples);

	return 3 * sqrt(told_s * sample_s * MAX(1 - told_s / wall_s, 0));
}

static void
seconds_in_metrics_are_those_of_getrusage(void **state)
{
	struct scrape first, last;
	double least, most, told, noise;

	(void)state;
	scrape(&first);
	wait_until_has(load, first.used_after + LOAD_S);
	scrape(&last);
	least = last.used_before - first.used_after;
	most = last.used_after - first.used_before;
	told = last.load - first.load;
	assert_that(last.samples, >, first.samples);
	/* 2 percent, and what /proc rounds; where others run, too, it is known as well as samples can tell. */
	noise = noise_s(&first, &last, told);
	if (told < least * 0.98 - 0.02 - noise || told > most * 1.02 + 0.02 + noise)
		fail_msg("%.3f s, not %.3f to %.3f within %.3f", told, least, most, noise);
	assert_that(last.own, >=, first.own);
	assert_that(last.own, >, 0);
}

static void
every_path_has_its_kind_of_answer(void **state)
{
	static const struct {
		const char *path, *content, *begins;
	} rows[] = {
		{ "/", "text/plain", "ptop: " },
		{ "/debug/pprof/", "text/plain", "ptop: " },
		{ "/healthz", "text/plain", "ok\n" },
		{ "/flame.svg?seconds=1&past=1", "image/svg+xml", "<?xml" },
#ifdef HAVE_JANSSON
		{ "/report", "application/json", "{" },
		{ "/report?format=ndjson&by=comm,symbol", "application/x-ndjson", "{\"time\":1" },
#endif
		{ "/report?by=comm&format=csv&window=all", "text/csv", "comm,samples,period,percent\n" },
		{ "/report?format=folded&window=2", "text/plain", "" },
		{ "/metrics", "text/plain; version=0.0.4", "# TYPE ptop_" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct http_answer a;
		char line[80];

		get(rows[i].path, &a);
		snprintf(line, sizeof(line), "\r\nContent-Type: %s", rows[i].content);
		if (a.status != 200 || strstr(buf_str(&a.head), line) == NULL || a.body.len == 0 ||
		    strncmp(a.body.data, rows[i].begins, strlen(rows[i].begins)) != 0)
			fail_msg("%s: %d, %s\n%.200s", rows[i].path, a.status, buf_str(&a.head),
				 buf_str(&a.body));
		http_release(&a);
	}
}

/* They are files in memory. */
static void
answers_are_let_go_of_once_they_are_old(void **state)
{
	const struct timespec moment = { .tv_nsec = 20000000 };
	unsigned left = STARTS_MS / 20;

	(void)state;
	assert_status("/metrics", 200, NULL);
	while (run_count_descriptors(shared.pid, "ptop-answer") != 0) {
		assert_int_not_equal(left--, 0);
		nanosleep(&moment, NULL);
	}
}

static void
what_is_wrong_is_told_in_words(void **state)
{
	(void)state;
	assert_status("/nothing", 404, "no such path");
	assert_status("/../etc/passwd", 404, NULL);
	assert_status("/debug/pprof/heap", 404, NULL);
	assert_status("/debug/pprof/profile?seconds=301", 400, "1 to 300");
	assert_status("/debug/pprof/profile?seconds=1%00", 400, "zero byte");
	assert_status("/report?by=cpu&format=csv", 400, "tell samples apart");
	assert_status("/report?by=nonsense&format=csv", 400, "nonsense");
	assert_status("/report?by=comm&event=cycles&format=csv", 404, "cpu-clock");
	assert_status("/metrics?x=1", 400, "no parameter");
}

/* Addresses of others' processes and of the kernel are not for everybody who can connect. */
static void
a_recording_is_not_for_whoever_is_on_this_machine(void **state)
{
	(void)state;
	assert_status("/record", 403, "--serve=unix:PATH");
}

/* "mapping FILE BUILD-ID START END OFFSET": there may be blanks in the file's name, and no build-id. */
static unsigned long long
start_of_mapping(const char *line)
{
	const char *at = strchr(line, '\n');
	unsigned long long start;

	assert_non_null(at);
	for (int blanks = 0; blanks < 3; at--)
		blanks += at[-1] == ' ';
	assert_int_equal(sscanf(at, " %llx", &start), 1);
	return start;
}

/* How many places of code a profile tells by an address, of a process or the kernel. */
static size_t
count_addresses(const char *where, const char *header)
{
	enum { FILES_END = 32 }; /* bits of offsets in files */
	struct pprof_facts facts;
	struct http_answer a;
	unsigned long long address;
	size_t n = 0;

	need_zlib();
	http_get(where, "/debug/pprof/profile?seconds=1", header, &a);
	assert_int_equal(a.status, 200);
	pprof_facts_of(&facts, a.body.data, a.body.len);
	assert_non_null(strstr(facts.text, "\nlocation "));
	for (const char *at = facts.text; (at = strstr(at, "\nlocation ")) != NULL; at++)
		n += sscanf(at, "\nlocation %llx", &address) == 1 && address >> FILES_END != 0;
	for (const char *at = facts.text; (at = strstr(at, "\nmapping ")) != NULL; at++)
		n += start_of_mapping(at + 1) >> FILES_END != 0;
	pprof_facts_release(&facts);
	http_release(&a);
	return n;
}

static void
profiles_for_all_have_no_addresses_but_in_files(void **state)
{
	(void)state;
	assert_int_equal(count_addresses(shared.where, ""), 0);
}

static int
status_of(const char *where, const char *text)
{
	struct http_answer a;
	int fd = http_connect(where), status;

	http_send(fd, text);
	http_receive(fd, &a);
	close(fd);
	status = a.status;
	http_release(&a);
	return status;
}

static void
requests_that_must_not_be_are_refused(void **state)
{
	struct buf huge = { 0 };

	(void)state;
	assert_int_equal(status_of(shared.where, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n"
				   "Connection: close\r\n\r\n"), 403);
	assert_int_equal(status_of(shared.where, "GET /metrics HTTP/1.0\r\n\r\n"), 403);
	/* RFC 9112, 3.2 */
	assert_int_equal(status_of(shared.where, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
				   "host: evil.example\r\nConnection: close\r\n\r\n"), 400);
	assert_int_equal(status_of(shared.where, "GET /healthz HTTP/1.0\r\nHost: localhost\r\n"
				   "Host: localhost\r\n\r\n"), 400);
	assert_int_equal(status_of(shared.where, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"), 400);
	assert_int_equal(status_of(shared.where, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
				   "Connection: close\r\n\r\nhi"), 405);
	assert_int_equal(status_of(shared.where, "DELETE / HTTP/1.1\r\nHost: localhost\r\n"
				   "Connection: close\r\n\r\n"), 405);
	assert_int_equal(status_of(shared.where, "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n"
				   "Connection: close\r\n\r\n"), 200);
	buf_add_str(&huge, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ");
	buf_add_fill(&huge, 'x', 20000);
	buf_add_str(&huge, "\r\nConnection: close\r\n\r\n");
	assert_int_not_equal(status_of(shared.where, huge.data), 200);
	buf_release(&huge);
	assert_status("/healthz", 200, "ok");
}

/* It could not read the answer, but hold the places of those who wait. */
static void
pages_of_other_sites_get_nothing(void **state)
{
	static const struct {
		const char *site;
		int status;
	} rows[] = {
		{ "cross-site", 403 }, { "same-site", 403 }, { "same-origin", 200 }, { "none", 200 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct http_answer a;
		char line[64];

		snprintf(line, sizeof(line), "Sec-Fetch-Site: %s\r\n", rows[i].site);
		http_get(shared.where, "/healthz", line, &a);
		assert_int_equal(a.status, rows[i].status);
		http_release(&a);
		/* At once, not when its seconds are over. */
		if (rows[i].status == 200)
			continue;
		http_get(shared.where, "/debug/pprof/profile?seconds=300", line, &a);
		assert_int_equal(a.status, 403);
		http_release(&a);
	}
}

static void
clients_who_stay_do_not_keep_others_out(void **state)
{
	int fds[CROWD];
	struct http_answer a;

	(void)state;
	for (size_t i = 0; i < CROWD; i++) {
		fds[i] = http_connect(shared.where);
		http_send(fds[i], i % 2 == 0 ? "GET /metr" : "GET /healthz HTTP/1.1\r\nHost: local");
	}
	assert_status("/healthz", 200, "ok");
	get("/metrics", &a);
	assert_int_equal(a.status, 200);
	assert_non_null(strstr(a.body.data, "\nptop_lost_total{what=\"lost\"} "));
	http_release(&a);
	for (size_t i = 0; i < CROWD; i++)
		close(fds[i]);
	assert_status("/healthz", 200, "ok");
}

/* As many as may wait for seconds to come: who asks for what is there passes them. */
static void
profiles_that_wait_do_not_hold_up_metrics(void **state)
{
	enum { WAITERS = SERVE_ASKS_MAX + 6 };
	int fds[WAITERS];
	struct http_answer a;

	(void)state;
	need_zlib();
	for (size_t i = 0; i < WAITERS; i++) {
		fds[i] = http_connect(shared.where);
		http_send(fds[i], "GET /debug/pprof/profile?seconds=300 HTTP/1.1\r\nHost: localhost\r\n"
				  "Connection: close\r\n\r\n");
	}
	http_receive(fds[WAITERS - 1], &a);
	assert_int_equal(a.status, 503);
	http_release(&a);
	assert_status("/metrics", 200, "ptop_samples_total");
	/* When they have gone there is room again. */
	for (size_t i = 0; i < WAITERS; i++)
		close(fds[i]);
	do {
		http_release(&a);
		get("/debug/pprof/profile?seconds=1", &a);
	} while (a.status == 503);
	assert_int_equal(a.status, 200);
	http_release(&a);
}

static void
clients_at_once_are_all_answered(void **state)
{
	enum { CLIENTS = SERVE_ASKS_MAX / ASKER_PART };
	int fds[CLIENTS];

	(void)state;
	for (size_t i = 0; i < CLIENTS; i++) {
		fds[i] = http_connect(shared.where);
		http_send(fds[i], i % 2 == 0 ? "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
						"Connection: close\r\n\r\n"
					      : "GET /report?by=comm&format=csv HTTP/1.1\r\nHost: localhost\r\n"
						"Connection: close\r\n\r\n");
	}
	for (size_t i = 0; i < CLIENTS; i++) {
		struct http_answer a;

		http_receive(fds[i], &a);
		assert_int_equal(a.status, 200);
		http_release(&a);
		close(fds[i]);
	}
}

enum { OTHER_USER = 12345, OTHERS_ASKS = SERVE_ASKS_MAX / ASKER_PART };

/* As that user; @fds: their connections. */
static void
ask_as_other_user(int *fds, size_t n, const char *path)
{
	char text[200];

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(seteuid(OTHER_USER), 0);
		fds[i] = http_connect(shared.where);
		assert_int_equal(seteuid(0), 0);
		snprintf(text, sizeof(text), "GET %s%zu HTTP/1.1\r\nHost: localhost\r\n"
			 "Connection: close\r\n\r\n", path, i + 1);
		http_send(fds[i], text);
	}
}

static void
one_user_does_not_take_the_places_of_others(void **state)
{
	int fds[SERVE_ASKS_MAX];
	struct http_answer a;

	(void)state;
	need_root();
	need_zlib();
	ask_as_other_user(fds, ARRAY_SIZE(fds), "/debug/pprof/profile?seconds=300&process=x");
	http_receive(fds[ARRAY_SIZE(fds) - 1], &a);
	assert_int_equal(a.status, 503);
	http_release(&a);
	assert_status("/debug/pprof/profile?seconds=1", 200, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
	/* When they have gone there is room again. */
	do {
		ask_as_other_user(fds, 1, "/debug/pprof/profile?seconds=");
		http_receive(fds[0], &a);
		close(fds[0]);
		http_release(&a);
	} while (a.status == 503);
	assert_int_equal(a.status, 200);
}

/* All of the other's came first: one or two of them are answered before. */
static void
users_take_turns(void **state)
{
	int fds[OTHERS_ASKS];
	struct pollfd p[OTHERS_ASKS];
	int answered;

	(void)state;
	need_root();
	ask_as_other_user(fds, OTHERS_ASKS, "/report?by=comm&format=csv&window=1");
	assert_status("/report?by=comm&format=csv&window=99", 200, NULL);
	for (size_t i = 0; i < OTHERS_ASKS; i++)
		p[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	answered = poll(p, OTHERS_ASKS, 0);
	assert_that(answered, <, OTHERS_ASKS / 2);
	for (size_t i = 0; i < OTHERS_ASKS; i++) {
		struct http_answer a;

		http_receive(fds[i], &a);
		assert_int_equal(a.status, 200);
		http_release(&a);
		close(fds[i]);
	}
}

/* The process that speaks HTTP. */
static pid_t
find_http(pid_t ptop)
{
	pid_t family[FAMILY_MAX], http = 0;
	size_t n = family_find(ptop, family);

	for (size_t i = 0; i < n; i++)
		if (family_is_called(family[i], "ptop-http"))
			http = family[i];
	assert_int_not_equal(http, 0);
	return http;
}

/* Most of them are not accepted yet when they are closed. */
static void
ten_thousand_connections_pass(void **state)
{
	enum { MANY = 10000, OWN = 100 };
	struct rlimit old, most;
	int *fds = calloc(MANY, sizeof(*fds));
	pid_t http = find_http(shared.pid);

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	most = (struct rlimit){ MANY + OWN, MAX(old.rlim_max, MANY + OWN) };
	if (setrlimit(RLIMIT_NOFILE, &most) < 0) {
		free(fds);
		skip_for("not so many descriptors are allowed");
	}
	for (size_t i = 0; i < MANY; i++)
		fds[i] = http_begin_to_connect(shared.where);
	assert_status("/healthz", 200, "ok");
	assert_that(run_count_descriptors(http, ""), <, CLIENTS_MAX + OWN);
	for (size_t i = 0; i < MANY; i++)
		close(fds[i]);
	free(fds);
	old.rlim_max = most.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_status("/healthz", 200, "ok");
	assert_status("/metrics", 200, "ptop_samples_total");
}

/* What could not be given up is told in the lines behind the address. */
static void
assert_status_line(const struct buf *status, const char *line)
{
	struct pollfd p = { .fd = shared.err, .events = POLLIN };
	char part[1024];
	ssize_t n;

	if (strstr(buf_str(status), line) != NULL)
		return;
	while (poll(&p, 1, 0) > 0 && (n = read(shared.err, part, sizeof(part))) > 0)
		buf_add(&shared.said, part, (size_t)n);
	fail_msg("no '%s' in:\n%s\nptop says: %s", line + 1, buf_str(status),
		 buf_str(&shared.said));
}

static void
the_server_has_no_rights(void **state)
{
	struct buf b = { 0 };
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)find_http(shared.pid));
	assert_int_equal(file_read(path, &b, 8192), 0);
	assert_status_line(&b, "\nCapPrm:\t0000000000000000\n");
	assert_status_line(&b, "\nCapBnd:\t0000000000000000\n");
	assert_status_line(&b, "\nNoNewPrivs:\t1\n");
#if defined(PTOP_CONFINE) && CALL_FILTER_WORKS
	assert_status_line(&b, "\nSeccomp:\t2\n");
#endif
	if (geteuid() == 0)
		assert_status_line(&b, "\nUid:\t65534\t65534\t65534\t65534\n");
	buf_release(&b);
}

static void
a_socket_in_the_file_system_is_its_owners_alone(void **state)
{
	char where[48], option[64];
	const char *const args[] = { option, NULL };
	struct served s;
	struct http_answer a;
	struct stat st;

	(void)state;
	snprintf(where, sizeof(where), "unix:/tmp/test_serve-%d.socket", (int)getpid());
	snprintf(option, sizeof(option), "--serve=%s", where);
	start(&s, args);
	assert_string_equal(s.where, where);
	assert_int_equal(stat(s.where + 5, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	http_get(s.where, "/metrics", "", &a);
	assert_int_equal(a.status, 200);
	http_release(&a);
	assert_int_equal(stop(&s, SIGTERM), 0);
	assert_int_equal(stat(s.where + 5, &st), -1);
	buf_release(&s.said);
}

/* Once there is one: in the first moment there is no sample yet. */
static void
assert_records(const char *where, const char *header)
{
	struct http_answer a;

	for (unsigned left = STARTS_MS / 20; http_get(where, "/record", header, &a), a.status != 200; left--) {
		assert_that(left, >, 0);
		http_release(&a);
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	assert_non_null(strstr(a.head.data, "\r\nContent-Type: application/octet-stream"));
	assert_that(a.body.len, >, 8);
	assert_memory_equal(a.body.data, "PERFILE2", 8);
	http_release(&a);
}

/* ptop as sudo of that user starts it. */
static void
start_by_sudo(struct served *s, const char *const *args, unsigned caller)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", caller);
	setenv("SUDO_UID", number, 1);
	setenv("SUDO_GID", number, 1);
	start(s, args);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

/* The file on its way is the server's own, which has no rights to give one away. */
static void
under_sudo_there_is_a_recording(void **state)
{
	char option[64];
	const char *const args[] = { option, NULL };
	unsigned left = STARTS_MS / 20;
	struct served s;

	(void)state;
	need_root();
	snprintf(option, sizeof(option), "--serve=unix:/tmp/test_serve-%d.socket", (int)getpid());
	start_by_sudo(&s, args, 12345);
	assert_records(s.where, "");
	/* The file on the disk is let go of. */
	while (run_count_descriptors(s.pid, "ptop-serve-") != 0) {
		assert_int_not_equal(left--, 0);
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	assert_int_equal(stop(&s, SIGTERM), 0);
	buf_release(&s.said);
}

/* In a folder of that one, where root has no rights but those that it keeps for files. */
static void
under_sudo_it_is_the_callers(void **state)
{
	enum { CALLER = 12345 };
	char dir[] = "/tmp/test_serve-XXXXXX", path[48], option[64];
	const char *const args[] = { option, NULL };
	struct served s;
	struct http_answer a;
	struct stat st;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chown(dir, CALLER, CALLER), 0);
	snprintf(path, sizeof(path), "%s/socket", dir);
	snprintf(option, sizeof(option), "--serve=unix:%s", path);
	start_by_sudo(&s, args, CALLER);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_uid, CALLER);
	assert_int_equal(st.st_gid, CALLER);
	http_get(s.where, "/metrics", "", &a);
	assert_int_equal(a.status, 200);
	http_release(&a);
	assert_int_equal(stop(&s, SIGTERM), 0);
	assert_int_equal(rmdir(dir), 0);
	buf_release(&s.said);
}

/* A socket at @host, with a port that is free. */
static int
make_socket(uint32_t host, bool listens)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(host) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_that(fd, >=, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	if (listens)
		assert_int_equal(listen(fd, 16), 0);
	return fd;
}

static void
a_socket_of_systemd_takes_the_place_of_the_address(void **state)
{
	static const char *const args[] = { "--serve", NULL };
	struct sockaddr_in in;
	socklen_t len = sizeof(in);
	int fd = make_socket(INADDR_LOOPBACK, true), client;
	struct served s;
	struct http_answer a;

	(void)state;
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	start_given(&s, args, (struct given){ fd, "1" });
	wait_served(&s);
	assert_int_equal(atoi(s.where), ntohs(in.sin_port));
	http_get(s.where, "/healthz", "", &a);
	assert_int_equal(a.status, 200);
	http_release(&a);
	assert_int_equal(stop(&s, SIGTERM), 0);
	/* Who asks between two runs of the service waits for the next. */
	client = http_connect(s.where);
	close(client);
	close(fd);
	buf_release(&s.said);
}

static void
what_systemd_must_not_give_is_refused(void **state)
{
	static const char *const args[] = { "--serve", NULL };
	const struct {
		uint32_t host;
		bool listens;
		const char *count, *says;
	} rows[] = {
		{ INADDR_LOOPBACK, true, "2", "ptop listens at one" },
		{ INADDR_LOOPBACK, false, "1", "no socket to listen at" },
		{ INADDR_ANY, true, "1", "--serve-token" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int fd = make_socket(rows[i].host, rows[i].listens), status;
		struct served s;

		start_given(&s, args, (struct given){ fd, rows[i].count });
		status = stop(&s, 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 0);
		if (strstr(buf_str(&s.said), rows[i].says) == NULL)
			fail_msg("not '%s': %s", rows[i].says, buf_str(&s.said));
		buf_release(&s.said);
		close(fd);
	}
}

static void
without_the_token_there_is_no_answer(void **state)
{
	static const char path[] = "test_serve.token";
	static const char *const args[] = { "--serve=127.0.0.1:0", "--serve-token", path, NULL };
	struct served s;
	struct http_answer a;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	(void)state;
	assert_int_equal(write(fd, "0123456789abcdef\n", 17), 17);
	close(fd);
	start(&s, args);
	unlink(path);
	http_get(s.where, "/healthz", "", &a);
	assert_int_equal(a.status, 401);
	http_release(&a);
	http_get(s.where, "/healthz", "Authorization: Bearer 0123456789abcdeX\r\n", &a);
	assert_int_equal(a.status, 401);
	http_release(&a);
	http_get(s.where, "/healthz", "Authorization: Bearer 0123456789abcdef\r\n", &a);
	assert_int_equal(a.status, 200);
	http_release(&a);
	assert_records(s.where, "Authorization: Bearer 0123456789abcdef\r\n");
	assert_that(count_addresses(s.where, "Authorization: Bearer 0123456789abcdef\r\n"), >, 0);
	assert_int_equal(stop(&s, SIGINT), 0);
	buf_release(&s.said);
}

static void
ptop_ends_with_its_server(void **state)
{
	static const char *const args[] = { "--serve=127.0.0.1:0", NULL };
	pid_t family[FAMILY_MAX];
	struct served s;
	size_t n;
	int status;

	(void)state;
	start(&s, args);
	n = family_find(s.pid, family);
	kill(find_http(s.pid), SIGKILL);
	status = stop(&s, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_non_null(strstr(s.said.data, "the process that speaks HTTP has ended"));
	family_assert_gone(family, n);
	buf_release(&s.said);
}

int
main(void)
{
#ifndef HAVE_MICROHTTPD
	printf("1..0 # SKIP built without libmicrohttpd\n");
	return 0;
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_path_has_its_kind_of_answer),
		cmocka_unit_test(profiles_have_the_shares_of_batch_reports),
		cmocka_unit_test(a_process_has_all_its_threads_by_its_name),
		cmocka_unit_test(a_process_that_sleeps_has_an_empty_answer),
		cmocka_unit_test(a_control_group_that_is_not_there_is_told),
		cmocka_unit_test(seconds_in_metrics_are_those_of_getrusage),
		cmocka_unit_test(answers_are_let_go_of_once_they_are_old),
		cmocka_unit_test(what_is_wrong_is_told_in_words),
		cmocka_unit_test(a_recording_is_not_for_whoever_is_on_this_machine),
		cmocka_unit_test(profiles_for_all_have_no_addresses_but_in_files),
		cmocka_unit_test(requests_that_must_not_be_are_refused),
		cmocka_unit_test(pages_of_other_sites_get_nothing),
		cmocka_unit_test(clients_who_stay_do_not_keep_others_out),
		cmocka_unit_test(clients_at_once_are_all_answered),
		cmocka_unit_test(profiles_that_wait_do_not_hold_up_metrics),
		cmocka_unit_test(one_user_does_not_take_the_places_of_others),
		cmocka_unit_test(users_take_turns),
		cmocka_unit_test(ten_thousand_connections_pass),
		cmocka_unit_test(the_server_has_no_rights),
		cmocka_unit_test(a_socket_in_the_file_system_is_its_owners_alone),
		cmocka_unit_test(under_sudo_it_is_the_callers),
		cmocka_unit_test(under_sudo_there_is_a_recording),
		cmocka_unit_test(a_socket_of_systemd_takes_the_place_of_the_address),
		cmocka_unit_test(what_systemd_must_not_give_is_refused),
		cmocka_unit_test(without_the_token_there_is_no_answer),
		cmocka_unit_test(ptop_ends_with_its_server),
	};

	return cmocka_run_group_tests(tests, begin_all, end_all);
}
