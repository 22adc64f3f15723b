/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds of hosts that are not there: feeds HOST [MS [EVENT]].  HOST is KIND-NUMBER, a second comes each
 * MS milliseconds, 1000 else, of cpu-clock or of EVENT.  The number seeds what each counts, so that
 * hosts differ and are the same each time.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "feed/hostfeed_encode.h"

enum {
	TASKS = 60, FUNCTIONS = 400, OWN = 12, ROWS = 300, /* of a busy host, and of a second of it */
	HZ_NS = 1001001,
};

struct host {
	const char *kind;
	unsigned number, seed;
	int ms;
	const char *event;
	unsigned counts; /* of the event: enum hostfeed_event_flag */
	struct hostfeed_encoder *encoder;
	struct buf out;
};

static void
pause_ms(int ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

static void
flush(struct host *h)
{
	size_t done = 0;

	while (done < h->out.len) {
		ssize_t n = write(STDOUT_FILENO, h->out.data + done, h->out.len - done);

		if (n <= 0)
			exit(0);
		done += (size_t)n;
	}
	buf_reset(&h->out);
}

static uint32_t
add_at(struct host *h, int pid, const char *comm, const struct hostfeed_place *place, uint64_t samples,
       uint64_t period)
{
	const struct hostfeed_event event = { h->event, h->counts };
	const struct hostfeed_task task = { pid, pid, comm, comm, "www", "/system.slice/web.service" };

	return hostfeed_add(h->encoder, &event, &task, place, samples, period);
}

static uint32_t
add_of(struct host *h, int pid, const char *comm, const char *symbol, uint64_t samples, uint64_t period)
{
	return add_at(h, pid, comm, &(struct hostfeed_place){ "web", symbol, 0, "", "" }, samples, period);
}

static uint32_t
add(struct host *h, int pid, const char *comm, const char *symbol, uint64_t samples)
{
	return add_of(h, pid, comm, symbol, samples, samples * HZ_NS);
}

static void
end_second(struct host *h, int64_t clock_ahead_ns)
{
	const struct hostfeed_second s = { .wall_ns = clock_real_ns() + (uint64_t)clock_ahead_ns,
					   .length_ns = (h->ms > 0 ? (uint64_t)h->ms : 1000) *
							NSEC_PER_MSEC };

	hostfeed_put_second(h->encoder, &s, &h->out);
	flush(h);
	pause_ms(h->ms);
}

/*
 * What is told apart easily: 100 samples in one function, one in that of the host.  Of the former who
 * called is known of 80.
 */
static void
add_plain(struct host *h)
{
	static const struct hostfeed_place places[] = { { "web", "main", 0, "", "" },
							 { "web", "serve", 0, "", "" } };
	static const struct hostfeed_node nodes[] = { { 0, 0, 1 }, { 1, 1, 2 } };
	static const struct hostfeed_callers callers = { places, nodes, ARRAY_SIZE(places),
							 ARRAY_SIZE(nodes) };
	char own[32];
	uint32_t row;

	snprintf(own, sizeof(own), "only_on_%u", h->number);
	row = add(h, 100, "web", "shared_work", 100);
	hostfeed_set_callers(h->encoder, &callers);
	hostfeed_add_stack(h->encoder, row, ARRAY_SIZE(nodes), 80, 80 * HZ_NS);
	add(h, 101, "job", own, 1 + h->number);
}

static void
plain(struct host *h)
{
	for (;;) {
		add_plain(h);
		end_second(h, 0);
	}
}

static const struct hostfeed_limit limits[] = {
	{ "only your own processes: perf_event_paranoid is 2", "run as root\x1b[2J" },
	{ "cpu-clock:u: kernel samples are off", "" },
};

/* As one that is plain, of a user without rights. */
static void
is_limited(struct host *h)
{
	hostfeed_put_limits(&h->out, limits, ARRAY_SIZE(limits));
	plain(h);
}

/* Code without names, with the reason; of the second what a ptop of before says. */
static void
is_nameless(struct host *h)
{
	static const struct hostfeed_place places[] = {
		{ "[unknown]", "[unknown]", HOSTFEED_UNNAMED, "its maps may not be read",
		  "run as root\x1b[2J" },
		{ "libz.so.1", "libz.so.1+0x4a00", HOSTFEED_UNNAMED, "stripped",
		  "apt install libz-dbgsym" },
	};
	static const struct hostfeed_place of_before = { "[unknown]", "[unknown]", HOSTFEED_UNNAMED,
							 "", "" };

	for (;;) {
		add_plain(h);
		if (h->number == 2)
			add_at(h, 102, "theirs", &of_before, 50, 50 * HZ_NS);
		for (size_t i = 0; h->number != 2 && i < ARRAY_SIZE(places); i++)
			add_at(h, 102, "theirs", &places[i], 50, 50 * HZ_NS);
		end_second(h, 0);
	}
}

/* Each task has functions of its own among all. */
static void
add_busy(struct host *h)
{
	char comm[16], symbol[80];

	for (int i = 0; i < ROWS; i++) {
		unsigned task = (unsigned)rand_r(&h->seed) % TASKS;
		unsigned fn = (task * 7 + (unsigned)rand_r(&h->seed) % OWN) % FUNCTIONS;

		snprintf(comm, sizeof(comm), "worker-%u", task);
		snprintf(symbol, sizeof(symbol), "app::module_%u::handle_request_of_kind_%u", fn % 17, fn);
		add(h, 1000 + (int)task, comm, symbol, 1 + (unsigned)rand_r(&h->seed) % 9);
	}
}

static void
busy(struct host *h)
{
	for (;;) {
		add_busy(h);
		end_second(h, 0);
	}
}

/* The same event, of which it says that it is no time. */
static void
counts_things(struct host *h)
{
	h->counts = HOSTFEED_COUNTS_THINGS;
	plain(h);
}

/*
 * In one second as many stacks as are sent, each as deep as can be told; deep-2: in two seconds that come
 * together, each as deep as all of them may be.
 */
static void
is_deep(struct host *h)
{
	const unsigned depth = h->number == 1 ? HOSTFEED_DEPTH_MAX : 80;
	const int ms = h->ms;
	static const struct hostfeed_place place = { "web", "calls_itself", 0, "", "" };
	struct hostfeed_node nodes[HOSTFEED_DEPTH_MAX];
	const struct hostfeed_callers callers = { &place, nodes, 1, ARRAY_SIZE(nodes) };
	char own[32];

	for (uint32_t i = 0; i < ARRAY_SIZE(nodes); i++)
		nodes[i] = (struct hostfeed_node){ i, 0, i + 1 };
	h->ms = h->number == 1 ? ms : 0;
	for (unsigned second = 0; second < h->number; second++) {
		hostfeed_set_callers(h->encoder, &callers);
		for (unsigned i = 0; i < HOSTFEED_STACKS_SENT; i++) {
			snprintf(own, sizeof(own), "deep_%u", i);
			hostfeed_add_stack(h->encoder, add(h, 100, "web", own, 2), depth, 2, 2 * HZ_NS);
		}
		end_second(h, 0);
	}
	h->ms = ms;
	for (;;) {
		add_plain(h);
		end_second(h, 0);
	}
}

static void
clock_is_off(struct host *h)
{
	for (;;) {
		add_plain(h);
		end_second(h, 3600 * (int64_t)NSEC_PER_SEC);
	}
}

/* A clock that is behind, or a link that holds back what is sent. */
static void
is_late(struct host *h)
{
	for (;;) {
		add_plain(h);
		end_second(h, -3600 * (int64_t)NSEC_PER_SEC);
	}
}

/* One second, then silence. */
static void
stops(struct host *h)
{
	add_plain(h);
	end_second(h, 0);
	for (;;)
		pause_ms(1000);
}

/* As ssh does. */
static void
dies(struct host *h)
{
	add_plain(h);
	h->ms = 100;
	end_second(h, 0);
	fputs("client_loop: send disconnect: Broken pipe\n", stderr);
	exit(255);
}

/* Remarks, and then the end: in order, by a status, by a signal, by that of ssh. */
static void
remarks(struct host *h)
{
	fputs("ptop: 2.9 % of all call chains so far are cut\n", stderr);
	add_plain(h);
	h->ms = 300;
	end_second(h, 0);
	if (h->number == 2)
		exit(3);
	if (h->number == 3)
		raise(SIGKILL);
	if (h->number == 4) {
		fputs("ptop: 3.1 % of all call chains so far are cut\n", stderr);
		exit(255);
	}
}

/* Names that would command a terminal, and numbers that no machine has. */
static void
lies(struct host *h)
{
	for (;;) {
		add(h, 1 << 30, "a\x1b[2Jb", "c\x1b]0;owned\x07", 7);
		add(h, -4, "minus", "four", 5);
		add(h, 100, "web", "shared_work", 100);
		end_second(h, INT64_MAX / 2);
	}
}

/* A second as any other, then a year of CPU time in one. */
static void
boasts(struct host *h)
{
	add_plain(h);
	h->ms = 0;
	end_second(h, 0);
	add_of(h, 100, "web", "boast", 1, 365 * 86400 * NSEC_PER_SEC / 32);
	end_second(h, 0);
	pause_ms(60000);
}

/* As fast as it goes, with names that never were before. */
static void
floods(struct host *h)
{
	char name[32];

	for (unsigned n = 0;; n++) {
		for (unsigned i = 0; i < HOSTFEED_ROWS_SENT; i++) {
			snprintf(name, sizeof(name), "n%u", n * HOSTFEED_ROWS_SENT + i);
			add_of(h, (int)(i + n % 100 * HOSTFEED_ROWS_SENT), name, name, 1, 1000);
		}
		h->ms = 0;
		end_second(h, 0);
	}
}

static void
is_huge(struct host *h)
{
	buf_add(&h->out, "\x02\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", HOSTFEED_HEAD_LEN);
	flush(h);
	pause_ms(60000);
}

/* Between the two lines what it said is looked at. */
static void
warns(struct host *h)
{
	(void)h;
	pause_ms(1500);
	fputs("Permission denied (publickey).\n", stderr);
}

static const struct {
	const char *kind;
	void (*run)(struct host *h);
	uint32_t version;      /* 0: no feed begins */
	const char *said, *noise; /* to standard error, and before the feed; NULL: nothing */
} kinds[] = {
	{ "plain", plain, HOSTFEED_VERSION, NULL, NULL },
	{ "limited", is_limited, HOSTFEED_VERSION, NULL, NULL },
	{ "nameless", is_nameless, HOSTFEED_VERSION, NULL, NULL },
	{ "busy", busy, HOSTFEED_VERSION, NULL, NULL },
	{ "things", counts_things, HOSTFEED_VERSION, NULL, NULL },
	{ "deep", is_deep, HOSTFEED_VERSION, NULL, NULL },
	{ "clock", clock_is_off, HOSTFEED_VERSION, NULL, NULL },
	{ "late", is_late, HOSTFEED_VERSION, NULL, NULL },
	{ "stops", stops, HOSTFEED_VERSION, NULL, NULL },
	{ "dies", dies, HOSTFEED_VERSION, NULL, NULL },
	{ "remarks", remarks, HOSTFEED_VERSION, NULL, NULL },
	{ "lies", lies, HOSTFEED_VERSION, NULL, NULL },
	{ "boasts", boasts, HOSTFEED_VERSION, NULL, NULL },
	{ "floods", floods, HOSTFEED_VERSION, NULL, NULL },
	{ "huge", is_huge, HOSTFEED_VERSION, NULL, NULL },
	{ "talks", plain, HOSTFEED_VERSION, "Warning: permanently added", "Welcome to this host\n" },
	{ "newer", plain, HOSTFEED_VERSION + 1, NULL, NULL },
	{ "asks", NULL, 0, "Host key verification failed.\n", NULL },
	{ "none", NULL, 0, "sh: 1: ptop: not found\n", NULL },
	{ "warns", warns, 0, "Warning: permanently added\n", NULL },
};

int
main(int argc, char **argv)
{
	struct host h = { .ms = argc > 2 ? atoi(argv[2]) : 1000,
			  .event = argc > 3 ? argv[3] : "cpu-clock",
			  .counts = HOSTFEED_COUNTS_TIME };
	struct hostfeed_hello hello = { .host = "there", .ptop = "1.0", .cpus = 4 };
	char *dash = argc > 1 ? strchr(argv[1], '-') : NULL;
	int status = 2;

	if (dash == NULL)
		return status;
	*dash = '\0';
	h.kind = argv[1];
	h.number = h.seed = (unsigned)atoi(dash + 1);
	h.encoder = hostfeed_encoder_new();
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].kind, h.kind) != 0)
			continue;
		if (kinds[i].said != NULL)
			fputs(kinds[i].said, stderr);
		if (kinds[i].noise != NULL)
			buf_add_str(&h.out, kinds[i].noise);
		if (kinds[i].version == 0) {
			if (kinds[i].run != NULL)
				kinds[i].run(&h);
			status = 255;
			break;
		}
		hello.version = kinds[i].version;
		hostfeed_put_hello(&h.out, &hello);
		flush(&h);
		kinds[i].run(&h);
		status = 0;
		break;
	}
	hostfeed_encoder_free(h.encoder);
	buf_release(&h.out);
	return status;
}
