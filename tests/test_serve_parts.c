/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --serve is made of, without a server: addresses, requests, messages, tokens, counters. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve/address.h"
#include "serve/answer.h"
#include "serve/asker.h"
#include "serve/clients.h"
#include "serve/metrics.h"
#include "serve/request.h"
#include "serve/serve.h"
#include "serve/server.h"
#include "serve/token.h"
#include "serve/turns.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

static void
addresses_that_others_reach_need_a_token(void **state)
{
	static const char *const own[] = { "127.0.0.1:7070", "127.9.9.9:0", "[::1]:80", "localhost:1",
					   "unix:/run/ptop" };
	static const char *const open[] = { "0.0.0.0:7070", "[::]:7070", "10.1.2.3:7070" };
	static const char *const none[] = { "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
					    "::1:7070", "web1:7070", "unix:", "unix:run", "1.2.3:4" };
	struct err err = { 0 };

	(void)state;
	if (!server_is_there())
		skip_for("built without libmicrohttpd");
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		assert_int_equal(serve_check(own[i], false, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(open); i++) {
		assert_int_equal(serve_check(open[i], false, &err), -1);
		assert_non_null(strstr(err.hint, "--serve-token"));
		assert_int_equal(serve_check(open[i], true, &err), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		assert_int_equal(serve_check(none[i], true, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
	}
}

static void
other_names_in_the_header_host_are_not_this_host(void **state)
{
	static const char *const own[] = { "localhost", "localhost:7070", "LOCALHOST:1", "127.0.0.1",
					   "127.0.0.1:7070", "[::1]", "[::1]:7070", "127.1.2.3:9" };
	static const char *const others[] = { "", "evil.example", "evil.example:7070", "localhost.evil.example",
					      "127.0.0.1.evil.example:7070", "10.0.0.1", "[::2]:7070",
					      "[::1", "::1", "localhost:x", "localhost:99999999" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		assert_true(address_is_own_host(own[i]));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(address_is_own_host(others[i]));
}

/* Whether the query has it, and what is said of it else. */
static bool
sets(const char *path, const char *name, const char *value, struct serve_ask *ask, struct buf *why)
{
	const struct request_path *p = request_find(path);

	assert_non_null(p);
	request_begin(p, ask);
	buf_reset(why);
	return request_set(p, ask, name, value, why);
}

static void
queries_are_read_or_refused_with_what_to_do(void **state)
{
	static const struct {
		const char *path, *name, *value, *says;
	} wrong[] = {
		{ "/debug/pprof/profile", "seconds", "0", "1 to 300" },
		{ "/debug/pprof/profile", "seconds", "301", "1 to 300" },
		{ "/debug/pprof/profile", "seconds", "-1", "1 to 300" },
		{ "/debug/pprof/profile", "seconds", NULL, "1 to 300" },
		{ "/debug/pprof/profile", "debug", "1", "no parameter" },
		{ "/report", "format", "xml", "json" },
		{ "/report", "window", "86401", "86400" },
		{ "/report", "by", "", "comm,symbol" },
		{ "/metrics", "seconds", "1", "takes none" },
	};
	struct serve_ask ask;
	struct buf why = { 0 };
	char long_name[SERVE_NAME_MAX + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_false(sets(wrong[i].path, wrong[i].name, wrong[i].value, &ask, &why));
		assert_non_null(strstr(buf_str(&why), wrong[i].says));
	}
	assert_true(sets("/debug/pprof/profile", "seconds", "5", &ask, &why));
	assert_int_equal(ask.seconds, 5);
	assert_true(sets("/report", "window", "all", &ask, &why));
	assert_int_equal(ask.window_s, 0);
	assert_true(sets("/report", "format", "folded", &ask, &why));
	assert_int_equal(ask.format, SERVE_FOLDED);
	memset(long_name, 'x', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	assert_false(sets("/report", "process", long_name, &ask, &why));
	long_name[sizeof(long_name) - 2] = '\0';
	assert_true(sets("/report", "process", long_name, &ask, &why));
	assert_null(request_find("/debug"));
	assert_null(request_find("/debug/pprof/profile/"));
	buf_release(&why);
}

static void
the_page_offers_a_profile_where_it_can_be_made(void **state)
{
	const bool has_pprof = format_defs[FORMAT_PPROF].lacks == NULL;
	struct buf page = { 0 };

	(void)state;
	request_put_page(request_find("/"), &page);
	assert_non_null(strstr(buf_str(&page), "/report  a table\n"));
	assert_int_equal(strstr(buf_str(&page), "/debug/pprof/profile  ") != NULL, has_pprof);
	assert_int_equal(strstr(buf_str(&page), "go tool pprof") != NULL, has_pprof);
	buf_release(&page);
}

static void
what_is_asked_becomes_a_query_of_the_engine(void **state)
{
	const struct query base = { .filter = "user=root" };
	struct serve_ask ask = { .what = SERVE_REPORT, .format = SERVE_CSV, .window_s = 60,
				 .by = "comm,symbol", .process = "Web Content", .cgroup = "/a/b" };
	struct err err = { 0 };
	struct query q;

	(void)state;
	assert_int_equal(answer_query(&ask, &base, &q, &err), 0);
	assert_string_equal(q.filter, "user=root program=Web?Content cgroup=/a/b");
	assert_int_equal(q.key_count, 2);
	assert_true(q.window_ns == 60 * NSEC_PER_SEC);
	strcpy(ask.process, "1234");
	assert_int_equal(answer_query(&ask, &base, &q, &err), 0);
	assert_string_equal(q.filter, "user=root pid=1234 cgroup=/a/b");
	/* What would tell samples apart from then on is not for anybody to choose. */
	strcpy(ask.by, "cpu");
	assert_int_equal(answer_query(&ask, &base, &q, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	strcpy(ask.by, "nonsense");
	assert_int_equal(answer_query(&ask, &base, &q, &err), -1);
	strcpy(ask.by, "comm");
	strcpy(ask.process, "*a*");
	assert_int_equal(answer_query(&ask, &base, &q, &err), 0);
	strcpy(ask.process, "*a*a*");
	assert_int_equal(answer_query(&ask, &base, &q, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	strcpy(ask.process, "1234");
	memset(ask.cgroup, 'x', sizeof(ask.cgroup) - 1);
	assert_int_equal(answer_query(&ask, &base, &q, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
}

static void
messages_of_another_form_are_none(void **state)
{
	struct serve_msg m = { .type = SERVE_MSG_ASK }, got;
	int ends[2], fd, file = open("/dev/null", O_RDONLY);

	(void)state;
	assert_true(link_is_message(&m, sizeof(m)));
	assert_false(link_is_message(&m, sizeof(m) - 1));
	memset(m.ask.by, 'x', sizeof(m.ask.by));
	assert_false(link_is_message(&m, sizeof(m)));
	m.ask.by[sizeof(m.ask.by) - 1] = '\0';
	assert_true(link_is_message(&m, sizeof(m)));
	m.ask.what = SERVE_WHAT_COUNT;
	assert_false(link_is_message(&m, sizeof(m)));

	m = (struct serve_msg){ .type = SERVE_MSG_ANSWER, .answer = { .id = 7, .status = 200 } };
	assert_int_equal(link_pair(ends), 0);
	assert_int_equal(link_recv(ends[0], &got, &fd), 0);
	assert_int_equal(link_send(ends[1], &m, file), 0);
	assert_int_equal(link_recv(ends[0], &got, &fd), 1);
	assert_int_equal(got.answer.id, 7);
	assert_that(fd, >=, 0);
	close(fd);
	assert_int_equal(send(ends[1], &m, 12, 0), 12);
	assert_int_equal(link_recv(ends[0], &got, &fd), -1);
	close(ends[1]);
	assert_int_equal(link_recv(ends[0], &got, &fd), -1);
	close(ends[0]);
	close(file);
}

static const char token_path[] = "test_serve_parts.token";

static int
read_token(const char *text, mode_t mode, struct serve_setup *setup, struct err *err)
{
	int fd = open(token_path, O_WRONLY | O_CREAT | O_TRUNC, 0600), res;

	assert_that(fd, >=, 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	res = token_read(token_path, setup, err);
	unlink(token_path);
	return res;
}

static void
tokens_are_secret_and_wholly_known(void **state)
{
	static const char token[] = "0123456789abcdefSECRET";
	struct serve_setup setup = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(read_token("0123456789abcdefSECRET\n", 0644, &setup, &err), -1);
	assert_int_equal(err.code, ERR_DENIED);
	assert_non_null(strstr(err.hint, "chmod 600"));
	assert_int_equal(read_token("0123456789abcdefSECRET\n", 0602, &setup, &err), -1);
	assert_int_equal(read_token("short\n", 0600, &setup, &err), -1);
	assert_int_equal(read_token("", 0600, &setup, &err), -1);
	assert_int_equal(read_token("with a blank, which is none\n", 0600, &setup, &err), -1);
	assert_int_equal(token_read("/dev/zero", &setup, &err), -1);
	assert_int_equal(read_token("0123456789abcdefSECRET\nmore\n", 0600, &setup, &err), 0);
	assert_int_equal(setup.token_len, strlen(token));
	assert_true(token_fits(&setup, "Bearer 0123456789abcdefSECRET"));
	assert_true(token_fits(&setup, "bearer 0123456789abcdefSECRET"));
	assert_false(token_fits(&setup, NULL));
	assert_false(token_fits(&setup, ""));
	assert_false(token_fits(&setup, "Bearer "));
	assert_false(token_fits(&setup, "Basic 0123456789abcdefSECRET"));
	assert_false(token_fits(&setup, "Bearer 0123456789abcdefSECREt"));
	assert_false(token_fits(&setup, "Bearer 0123456789abcdefSECRETx"));
	assert_false(token_fits(&setup, "Bearer 0123456789abcdefSECRE"));
}

/* Whether the other end sees that it was cut off. */
static bool
is_cut(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_DONTWAIT) == 0;
}

static void
clients_who_are_slow_or_stay_are_cut_off(void **state)
{
	const struct asker other = { .is_user = 1, .user = 1 };
	struct asker crowds = { .is_user = 1, .user = 2 };
	struct clients c = { 0 };
	struct client *slow, *asking;
	int a[2], b[2], crowd[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, a), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, b), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, crowd), 0);
	assert_true(clients_expire(&c, 0) == UINT64_MAX);
	asking = clients_add(&c, b[0], &other, 0);
	slow = clients_add(&c, a[0], &other, 0);
	client_waits(asking);
	assert_true(clients_expire(&c, 1) == CLIENT_REQUEST_S * NSEC_PER_SEC);
	assert_false(is_cut(a[1]));
	clients_expire(&c, CLIENT_REQUEST_S * NSEC_PER_SEC);
	assert_true(is_cut(a[1]));
	assert_false(is_cut(b[1]));
	clients_remove(&c, slow);
	client_takes(asking, 0);
	assert_true(clients_expire(&c, 1) == CLIENT_ANSWER_S * NSEC_PER_SEC);
	/* The oldest that does nothing gives way, not the one that takes its answer. */
	for (; c.len <= CLIENTS_CROWDED; crowds.user++)
		clients_add(&c, crowd[0], &crowds, 0);
	assert_true(is_cut(crowd[1]));
	assert_false(is_cut(b[1]));
	while (c.first != NULL)
		clients_remove(&c, c.first);
	assert_int_equal(c.len, 0);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
		close(crowd[i]);
	}
}

static uint64_t
told(const struct series *s, const char *name)
{
	for (size_t i = 0; i < s->len; i++)
		if (strcmp(s->items[i].labels[0], name) == 0)
			return s->items[i].told;
	return UINT64_MAX;
}

struct named_sum {
	const char *name;
	uint64_t sum;
};

/* A scrape: all that there is, and the sums of names. */
static void
scrape(struct series *s, uint64_t all, const struct named_sum *sums, size_t len)
{
	uint64_t rest = s->rest, tell = 0;

	series_begin(s, all);
	for (int joins = 0; joins < 2; joins++) {
		for (size_t i = 0; i < len; i++) {
			const char *labels[] = { sums[i].name, "" };

			if (joins)
				series_join(s, labels, sums[i].sum);
			else
				series_gain(s, labels, sums[i].sum);
		}
	}
	series_end(s);
	assert_true(s->rest >= rest);
	for (size_t i = 0; i < s->len; i++)
		tell += s->items[i].told;
	assert_true(tell + s->rest == s->all);
}

/* One that takes an answer goes, too, where none is idle. */
static void
who_has_too_many_connections_gives_up_one_of_its_own(void **state)
{
	const struct asker greedy = { .is_user = 1, .user = 1 }, other = { .is_user = 1, .user = 2 };
	struct clients c = { 0 };
	int first[2], others[2], crowd[2], second[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, first), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, second), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, others), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, crowd), 0);
	clients_add(&c, others[0], &other, 0);
	client_takes(clients_add(&c, first[0], &greedy, 0), 0);
	client_takes(clients_add(&c, second[0], &greedy, 0), 0);
	while (c.len < CLIENTS_CROWDED)
		client_takes(clients_add(&c, crowd[0], &greedy, 0), 0);
	assert_false(is_cut(first[1]));
	c.first->held = 1;
	c.last->held = 2;
	assert_int_equal(clients_held(&c, &greedy), 2);
	client_takes(clients_add(&c, crowd[0], &greedy, 0), 0);
	assert_true(is_cut(first[1]));
	assert_false(is_cut(second[1]));
	clients_add(&c, crowd[0], &greedy, 0);
	assert_true(is_cut(second[1]));
	assert_false(is_cut(crowd[1]));
	clients_add(&c, crowd[0], &greedy, 0);
	assert_true(is_cut(crowd[1]));
	assert_false(is_cut(others[1]));
	while (c.first != NULL)
		clients_remove(&c, c.first);
	for (int i = 0; i < 2; i++) {
		close(first[i]);
		close(second[i]);
		close(others[i]);
		close(crowd[i]);
	}
}

/* Connected at that address.  false: this machine has none of its kind. */
static bool
connect_at(const char *where, const char *from, int ends[2])
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t len = sizeof(in6);
	struct address a;
	struct err err = { 0 };
	int listening, family = strchr(from, ':') != NULL ? AF_INET6 : AF_INET;

	assert_int_equal(address_parse(where, &a, &err), 0);
	listening = address_listen(&a, &err);
	if (listening < 0)
		return false;
	assert_int_equal(getsockname(listening, (struct sockaddr *)&in6, &len), 0);
	in.sin_port = in6.sin6_port; /* both are behind the family */
	in6.sin6_family = AF_INET6;
	assert_int_equal(inet_pton(family, from, family == AF_INET6 ? (void *)&in6.sin6_addr
								      : (void *)&in.sin_addr), 1);
	ends[1] = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(family == AF_INET6 ? connect(ends[1], (struct sockaddr *)&in6, sizeof(in6))
					    : connect(ends[1], (struct sockaddr *)&in, sizeof(in)), 0);
	while ((ends[0] = accept(listening, NULL, NULL)) < 0)
		continue;
	close(listening);
	return true;
}

static void
who_asks_is_a_user_or_an_address(void **state)
{
	static const char *const rows[][2] = {
		{ "127.0.0.1:0", "127.0.0.1" }, { "0.0.0.0:0", "127.0.0.1" }, { "[::1]:0", "::1" },
		{ "[::]:0", "127.0.0.1" },
	};
	const struct asker self = { .is_user = 1, .user = geteuid() };
	int sockets = asker_open(), ends[2];
	struct asker a;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	a = asker_of(ends[0], -1);
	assert_true(asker_is(&a, &self));
	close(ends[0]);
	close(ends[1]);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!connect_at(rows[i][0], rows[i][1], ends))
			continue;
		a = asker_of(ends[0], sockets);
		if (sockets >= 0 && !asker_is(&a, &self))
			fail_msg("%s: %u, user %u", rows[i][0], a.is_user, a.user);
		a = asker_of(ends[0], -1);
		assert_int_equal(a.is_user, 0);
		assert_false(asker_is(&a, &(struct asker){ 0 }));
		/* Who has gone is not root. */
		close(ends[1]);
		a = asker_of(ends[0], sockets);
		assert_int_equal(a.is_user, 0);
		close(ends[0]);
	}
	if (sockets >= 0)
		close(sockets);
}

static void
it_is_the_turn_of_who_had_none_for_the_longest_time(void **state)
{
	struct asker who[3] = { { .is_user = 1 }, { .is_user = 1, .user = 1 }, { .address = { 127, 0, 0, 1 } } };
	struct asker many = { .is_user = 1, .user = 100 };
	struct turns t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(who); i++) {
		assert_int_equal(turns_of(&t, &who[i]), 0);
		turns_take(&t, &who[i]);
	}
	turns_take(&t, &who[0]);
	assert_true(turns_of(&t, &who[1]) < turns_of(&t, &who[2]));
	assert_true(turns_of(&t, &who[2]) < turns_of(&t, &who[0]));
	/* The oldest is forgotten first. */
	for (; many.user < 100 + TURNS_KEPT - 2; many.user++)
		turns_take(&t, &many);
	assert_int_equal(turns_of(&t, &who[1]), 0);
	assert_int_not_equal(turns_of(&t, &who[2]), 0);
}

static void
counters_of_names_never_fall_and_add_up(void **state)
{
	struct series s;

	(void)state;
	series_init(&s, 2);
	scrape(&s, 100, (struct named_sum[]){ { "a", 60 }, { "b", 30 }, { "c", 10 } }, 3);
	assert_int_equal(told(&s, "a"), 60);
	assert_int_equal(told(&s, "b"), 30);
	assert_int_equal(s.rest, 10);
	scrape(&s, 200, (struct named_sum[]){ { "a", 150 }, { "b", 40 }, { "c", 10 } }, 3);
	assert_int_equal(told(&s, "a"), 150);
	assert_int_equal(told(&s, "b"), 40);
	/* The tasks of a were merged into others: it stays, and goes on from there. */
	scrape(&s, 210, (struct named_sum[]){ { "d", 160 }, { "b", 40 }, { "a", 5 } }, 3);
	assert_int_equal(told(&s, "a"), 150);
	assert_int_equal(told(&s, "d"), 10); /* took the place of the least, but not its past */
	scrape(&s, 230, (struct named_sum[]){ { "d", 165 }, { "a", 20 } }, 2);
	assert_int_equal(told(&s, "a"), 165);
	series_release(&s);
}

/* As of functions whose long names are cut to the same. */
static void
rows_of_one_name_are_one_counter(void **state)
{
	struct series s;

	(void)state;
	series_init(&s, 2);
	for (uint64_t all = 100; all <= 300; all += 100) {
		scrape(&s, all, (struct named_sum[]){ { "a", 60 }, { "a", 30 }, { "b", 10 } }, 3);
		assert_int_equal(told(&s, "a"), 90);
		assert_int_equal(told(&s, "b"), 10);
	}
	scrape(&s, 320, (struct named_sum[]){ { "a", 65 }, { "a", 35 }, { "b", 10 } }, 3);
	assert_int_equal(told(&s, "a"), 100);
	series_release(&s);
}

static struct snapshot *
snapshot_of(const struct row *rows, size_t count, uint64_t period)
{
	struct snapshot *s = snapshot_new();

	s->rows = arena_alloc(&s->arena, count * sizeof(*s->rows));
	memcpy(s->rows, rows, count * sizeof(*rows));
	s->row_count = count;
	s->events = arena_alloc(&s->arena, sizeof(*s->events));
	s->events[0] = (struct snapshot_event){ .name = "cpu-clock", .counts_time = true,
						.samples = 3, .period = period };
	s->event_count = 1;
	return s;
}

static void
metrics_are_safe_whatever_threads_call_themselves(void **state)
{
	const struct row rows[] = {
		{ .event = "cpu-clock", .comm = "a\"\n\\", .container = "-", .period = 1500000000 },
		{ .event = "cpu-clock", .comm = "[other]", .container = "-", .period = 500000000 },
		{ .event = "cpu-clock", .comm = ":123", .container = "-", .period = 500000000 },
		{ .event = "cpu-clock", .comm = "web", .container = "shop", .period = 500000000 },
	};
	struct snapshot *s = snapshot_of(rows, ARRAY_SIZE(rows), 3000000000);
	struct metrics m;
	struct buf b = { 0 };

	(void)state;
	metrics_init(&m);
	metrics_take(&m, METRICS_BY_TASK, s);
	metrics_put(&m, false, &b);
	assert_non_null(strstr(b.data, "ptop_cpu_seconds_total{comm=\"a\\\"\\\\x0a\\\\\",container=\"\"} "
			       "1.500000000\n"));
	assert_non_null(strstr(b.data, "{comm=\"web\",container=\"shop\"} 0.500000000\n"));
	assert_non_null(strstr(b.data, "{comm=\"[other]\",container=\"\"} 1.000000000\n"));
	assert_non_null(strstr(b.data, "# TYPE ptop_cpu_seconds_total counter\n"));
	assert_null(strstr(b.data, "# EOF"));
	buf_reset(&b);
	metrics_put(&m, true, &b);
	assert_non_null(strstr(b.data, "# TYPE ptop_cpu_seconds counter\n# UNIT ptop_cpu_seconds seconds\n"));
	assert_string_equal(b.data + b.len - 6, "# EOF\n");
	buf_release(&b);
	metrics_release(&m);
	snapshot_put(s);
}

enum { CALLER = 12345, STRANGER = 54321 };

/* Two folders of root's, "own" and "other", in @dir, while a user has called sudo. */
struct folders {
	char dir[32], path[64];
	int own, other;
};

static int
bind_in(int folder, const char *name)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "/proc/self/fd/%d/%s", folder, name);
	assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	return fd;
}

static int
make_folder(const char *dir, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0755), 0);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void
folders_make(struct folders *f)
{
	char number[16];

	need_root();
	strcpy(f->dir, "/tmp/ptop-serve-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	assert_int_equal(chmod(f->dir, 0755), 0);
	f->own = make_folder(f->dir, "own");
	f->other = make_folder(f->dir, "other");
	snprintf(number, sizeof(number), "%d", CALLER);
	setenv("SUDO_UID", number, 1);
	setenv("SUDO_GID", number, 1);
}

static void
folders_remove(struct folders *f)
{
	char *argv[] = { "rm", "-r", f->dir, NULL };
	struct run_result r;

	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	close(f->own);
	close(f->other);
	run_program(&r, 10, argv);
	run_release(&r);
}

static int
listen_below(struct folders *f, const char *name, struct address *a, struct err *err)
{
	snprintf(f->path, sizeof(f->path), "unix:%s/%s", f->dir, name);
	assert_int_equal(address_parse(f->path, a, err), 0);
	return address_listen(a, err);
}

static void
a_folder_that_another_user_can_turn_elsewhere_is_refused(void **state)
{
	struct err err = { 0 };
	struct folders f;
	struct address a;
	char link[64];

	(void)state;
	folders_make(&f);
	snprintf(link, sizeof(link), "%s/d", f.dir);
	assert_int_equal(symlink("other", link), 0);
	assert_int_equal(lchown(link, STRANGER, STRANGER), 0);
	assert_int_equal(listen_below(&f, "d/socket", &a, &err), -1);
	assert_non_null(strstr(err.text, "is a link of user 54321"));
	assert_int_equal(faccessat(f.other, "socket", F_OK, 0), -1);
	folders_remove(&f);
}

static void
under_sudo_a_socket_is_the_callers_in_a_folder_of_roots(void **state)
{
	struct err err = { 0 };
	struct folders f;
	struct address a;
	struct stat st;
	int fd;

	(void)state;
	folders_make(&f);
	fd = listen_below(&f, "own/socket", &a, &err);
	assert_that(fd, >=, 0);
	assert_int_equal(fstatat(f.own, "socket", &st, 0), 0);
	assert_int_equal(st.st_uid, CALLER);
	assert_int_equal(st.st_gid, CALLER);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(fd);
	address_leave(&a);
	assert_int_equal(faccessat(f.own, "socket", F_OK, 0), -1);
	folders_remove(&f);
}

static void
at_the_end_a_socket_goes_from_the_folder_it_was_made_in(void **state)
{
	struct err err = { 0 };
	struct folders f;
	struct address a;
	char from[64], to[64];
	int fd;

	(void)state;
	folders_make(&f);
	fd = listen_below(&f, "own/socket", &a, &err);
	assert_that(fd, >=, 0);
	close(fd);
	close(bind_in(f.other, "socket"));
	snprintf(from, sizeof(from), "%s/own", f.dir);
	snprintf(to, sizeof(to), "%s/moved", f.dir);
	assert_int_equal(rename(from, to), 0);
	assert_int_equal(symlink("other", from), 0);
	address_leave(&a);
	assert_int_equal(faccessat(f.other, "socket", F_OK, 0), 0);
	folders_remove(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_that_others_reach_need_a_token),
		cmocka_unit_test(other_names_in_the_header_host_are_not_this_host),
		cmocka_unit_test(queries_are_read_or_refused_with_what_to_do),
		cmocka_unit_test(the_page_offers_a_profile_where_it_can_be_made),
		cmocka_unit_test(what_is_asked_becomes_a_query_of_the_engine),
		cmocka_unit_test(messages_of_another_form_are_none),
		cmocka_unit_test(tokens_are_secret_and_wholly_known),
		cmocka_unit_test(clients_who_are_slow_or_stay_are_cut_off),
		cmocka_unit_test(who_has_too_many_connections_gives_up_one_of_its_own),
		cmocka_unit_test(who_asks_is_a_user_or_an_address),
		cmocka_unit_test(it_is_the_turn_of_who_had_none_for_the_longest_time),
		cmocka_unit_test(counters_of_names_never_fall_and_add_up),
		cmocka_unit_test(rows_of_one_name_are_one_counter),
		cmocka_unit_test(a_folder_that_another_user_can_turn_elsewhere_is_refused),
		cmocka_unit_test(under_sudo_a_socket_is_the_callers_in_a_folder_of_roots),
		cmocka_unit_test(at_the_end_a_socket_goes_from_the_folder_it_was_made_in),
		cmocka_unit_test(metrics_are_safe_whatever_threads_call_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
