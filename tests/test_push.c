/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --push without an engine: what a store is asked, stores that are away or make no sense, and what
 * waits for them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/curl_lib.h"
#include "base/file.h"
#include "push/otlp_answer.h"
#include "push/push.h"
#include "push/target.h"
#include "tests/asserts.h"
#include "tests/family.h"
#include "tests/push_store.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

enum {
	BLOCK = 4096, /* what a small profile takes of the spool */
	PATIENCE_MS = 60000,
	LOOK_MS = 5,
	FROM_S = 1700000000, LENGTH_S = 15, RATE = 999,
};

static struct push_store store;
static char folder[64], spool[96];

/* Quick to try again, and soon to give up. */
static const struct push_config quick = {
	.url = store.url, .spool = spool, .spool_bytes = 64 << 20,
	.times = { .connect_s = 5, .silent_s = 1, .whole_s = 2, .first_ms = 20, .most_ms = 100 },
};

struct pushing {
	struct push *push;
	struct queue *answers;
	struct buf said;
};

static int
begin_all(void **state)
{
	(void)state;
	push_store_start(&store);
	snprintf(folder, sizeof(folder), "/tmp/test-push-XXXXXX");
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(spool, sizeof(spool), "%s/ptop/push/store", folder);
	return 0;
}

static int
end_all(void **state)
{
	char *argv[] = { (char *)(uintptr_t)"/bin/rm", (char *)(uintptr_t)"-rf", folder, NULL };
	struct run_result r;

	(void)state;
	push_store_end(&store);
	run_program(&r, 60, argv);
	run_release(&r);
	return 0;
}

/* What one leaves is not for the next. */
static int
begin_one(void **state)
{
	char path[160];
	char *argv[] = { (char *)(uintptr_t)"/bin/rm", (char *)(uintptr_t)"-rf", path, NULL };
	struct run_result r;

	(void)state;
	snprintf(path, sizeof(path), "%s/ptop", folder);
	run_program(&r, 60, argv);
	run_release(&r);
	if (mkdir(path, 0700) != 0)
		return -1;
	push_store_forget(&store);
	push_store_be(&store, PUSH_STORE_TAKES);
	return 0;
}

static void
need_curl(void)
{
	if (!curl_lib_is_built())
		skip_for("built without libcurl");
}

static void
start(struct pushing *p, const struct push_config *config)
{
	struct err err = { 0 };

	need_curl();
	*p = (struct pushing){ .answers = queue_new() };
	p->push = push_open(config, &err);
	if (p->push == NULL)
		fail_msg("%s", err.text);
	push_start(p->push, p->answers);
}

static void
take_lines(struct pushing *p)
{
	struct msg *m;

	while ((m = queue_take(p->answers)) != NULL) {
		assert_int_equal(m->type, PUSH_MSG_SAID);
		buf_addf(&p->said, "%s\n", ((struct push_said_msg *)m)->text);
		msg_free(m);
	}
}

/* Takes lines up to the one that has @word. */
static void
wait_for_line(struct pushing *p, const char *word)
{
	while (strstr(buf_str(&p->said), word) == NULL) {
		struct msg *m = queue_wait(p->answers, PATIENCE_MS);

		if (m == NULL)
			fail_msg("'%s' is not in '%s'", word, buf_str(&p->said));
		buf_addf(&p->said, "%s\n", ((struct push_said_msg *)m)->text);
		msg_free(m);
	}
}

/* What it said all the time, with what it says at the end. */
static void
stop(struct pushing *p)
{
	push_close(p->push, &p->said);
	p->push = NULL;
	buf_add_char(&p->said, '\n');
	take_lines(p);
	queue_free(p->answers);
}

static void
assert_says(struct pushing *p, const char *word)
{
	if (strstr(buf_str(&p->said), word) == NULL)
		fail_msg("'%s' is not in '%s'", word, buf_str(&p->said));
}

static int
file_with(const void *data, size_t len)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	assert_int_equal(write(fd, data, len), (ssize_t)len);
	return fd;
}

/* The profile of that number. */
static void
add(struct pushing *p, unsigned n)
{
	const struct push_about about = {
		.from_ns = (FROM_S + n * LENGTH_S) * NSEC_PER_SEC,
		.until_ns = (FROM_S + (n + 1) * LENGTH_S) * NSEC_PER_SEC, .rate = RATE,
	};
	char text[32];

	snprintf(text, sizeof(text), "profile %u", n);
	push_add(p->push, file_with(text, strlen(text)), &about, NULL);
}

static void
wait_for_counts(struct pushing *p, uint64_t sent, uint64_t waiting, uint64_t dropped, uint64_t refused)
{
	const struct timespec moment = { .tv_nsec = LOOK_MS * 1000000 };
	struct push_counts n;

	for (unsigned left = PATIENCE_MS / LOOK_MS; left > 0; left--) {
		n = push_counts(p->push);
		if (n.sent == sent && n.waiting == waiting && n.dropped == dropped && n.refused == refused)
			return;
		nanosleep(&moment, NULL);
	}
	take_lines(p);
	fail_msg("sent %d, waiting %d, dropped %d, refused %d: %s", (int)n.sent, (int)n.waiting,
		 (int)n.dropped, (int)n.refused, buf_str(&p->said));
}

/* That what was added has come to the thread, all of it. */
static void
wait_for_all(struct pushing *p, uint64_t count)
{
	const struct timespec moment = { .tv_nsec = LOOK_MS * 1000000 };

	for (unsigned left = PATIENCE_MS / LOOK_MS; left > 0; left--) {
		const struct push_counts n = push_counts(p->push);

		if (n.sent + n.waiting + n.dropped + n.refused == count)
			return;
		nanosleep(&moment, NULL);
	}
	take_lines(p);
	fail_msg("not %d: %s", (int)count, buf_str(&p->said));
}

/* That the store has those from @first on, each once and in order. */
static void
assert_taken(unsigned first, unsigned count)
{
	assert_int_equal(atomic_load(&store.shared->taken), count);
	for (unsigned i = 0; i < count; i++) {
		struct buf b = { 0 };
		char text[32];

		snprintf(text, sizeof(text), "profile %u", first + i);
		push_store_body(&store, (int)i, &b);
		assert_string_equal(buf_str(&b), text);
		buf_release(&b);
	}
}

static void
a_profile_is_posted_as_pyroscope_documents_it(void **state)
{
	char host[256] = "", query[512];
	const char *head = store.shared->heads[0];
	struct pushing p;

	(void)state;
	assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
	for (char *c = host; *c != '\0'; c++)
		*c = strchr("{},=&%\"' ", *c) != NULL ? '_' : *c;
	start(&p, &quick);
	add(&p, 0);
	assert_true(push_store_wait_taken(&store, 1));
	stop(&p);
	/* name: an application and its tags; from and until: seconds of the clock. */
	snprintf(query, sizeof(query), "POST /ingest?name=ptop%%7Bhost%%3D%s%%7D&from=%d&until=%d&"
		 "format=pprof&spyName=ptop&sampleRate=%d HTTP/1.1\r\n", host, FROM_S, FROM_S + LENGTH_S, RATE);
	if (strncmp(head, query, strlen(query)) != 0)
		fail_msg("%s\nis not\n%s", head, query);
	/* The body is the profile itself, and not a form; a pprof says by itself that it is packed. */
	assert_non_null(strstr(head, "\r\nContent-Type: application/octet-stream\r\n"));
	assert_null(strcasestr(head, "\r\nContent-Encoding:"));
	assert_null(strcasestr(head, "\r\nTransfer-Encoding:"));
	assert_null(strcasestr(head, "\r\nAuthorization:"));
	assert_null(strcasestr(head, "\r\nExpect:"));
	assert_taken(0, 1);
	assert_says(&p, "1 profiles were pushed");
	buf_release(&p.said);
}

static void
write_token(char *path, size_t size)
{
	int fd;

	snprintf(path, size, "%s/token", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(fchmod(fd, 0600), 0);
	assert_int_equal(write(fd, "sesame-123\n", 11), 11);
	close(fd);
}

static void
the_token_of_the_file_is_sent(void **state)
{
	char path[128], url[96];
	struct push_config config = quick;
	struct err err = { 0 };
	struct pushing p;

	(void)state;
	write_token(path, sizeof(path));
	config.token_file = path;
	snprintf(url, sizeof(url), "otlp+%s/base/", store.url);
	config.url = url;
	start(&p, &config);
	add(&p, 0);
	assert_true(push_store_wait_taken(&store, 1));
	/* Which says it to everybody. */
	push_store_be(&store, PUSH_STORE_TELLS);
	add(&p, 1);
	wait_for_counts(&p, 1, 0, 0, 1);
	stop(&p);
	assert_says(&p, "HTTP status 400, what it says has the token in it, and is not shown");
	assert_null(strstr(p.said.data, "sesame"));
	assert_non_null(strstr(store.shared->heads[0], "\r\nAuthorization: Bearer sesame-123\r\n"));
	/* As the protocol of OTLP over HTTP has it. */
	assert_true(strncmp(store.shared->heads[0], "POST /base/v1development/profiles HTTP/1.1\r\n", 44) == 0);
	assert_non_null(strstr(store.shared->heads[0], "\r\nContent-Type: application/x-protobuf\r\n"));
	assert_non_null(strstr(store.shared->heads[0], "\r\nContent-Encoding: gzip\r\n"));
	buf_release(&p.said);
	assert_int_equal(chmod(path, 0644), 0);
	assert_null(push_open(&config, &err));
	assert_non_null(strstr(err.text, "--push-token: others may read"));
}

static void
of_a_token_that_is_refused_the_file_is_told(void **state)
{
	struct push_config config = quick;
	struct pushing p;
	char path[128], told[256];

	(void)state;
	write_token(path, sizeof(path));
	config.token_file = path;
	push_store_be(&store, PUSH_STORE_DENIES);
	start(&p, &config);
	add(&p, 0);
	wait_for_line(&p, "cannot push to");
	snprintf(told, sizeof(told), "HTTP status 401: it refuses the token of '%s' (--push-token): put one "
		 "there that it takes, and start ptop again; profiles wait in", path);
	assert_says(&p, told);
	assert_null(strstr(buf_str(&p.said), "sesame"));
	stop(&p);
	buf_release(&p.said);
}

/* Another one's is not, nor one that others may read. */
static void
under_sudo_a_token_of_its_caller_is_taken(void **state)
{
	enum { CALLER = 12345, OTHER };
	struct push_config config = quick;
	struct err err = { 0 };
	char path[128], number[16];
	struct push *p;
	int fd;

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/callers", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, "sesame-123\n", 11), 11);
	assert_int_equal(fchown(fd, CALLER, CALLER), 0);
	config.token_file = path;
	assert_null(push_open(&config, &err));
	assert_non_null(strstr(err.text, "is another user's"));
	snprintf(number, sizeof(number), "%d", CALLER);
	setenv("SUDO_UID", number, 1);
	setenv("SUDO_GID", number, 1);
	p = push_open(&config, &err);
	assert_non_null(p);
	push_close(p, NULL);
	assert_int_equal(fchmod(fd, 0640), 0);
	assert_null(push_open(&config, &err));
	assert_non_null(strstr(err.text, "others may read"));
	assert_int_equal(fchmod(fd, 0600), 0);
	assert_int_equal(fchown(fd, OTHER, CALLER), 0);
	assert_null(push_open(&config, &err));
	assert_non_null(strstr(err.text, "is another user's"));
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	close(fd);
}

/* The other case of letters: so the test itself has the token nowhere. */
static const char turned[] = "NOBODYELSEHASTHIS";

enum { TURN = 'a' ^ 'A', TURNED = sizeof(turned) - 1 };

static bool
has_token(const char *data, size_t len)
{
	for (size_t i = 0; i + TURNED <= len; i++) {
		size_t n = 0;

		while (n < TURNED && (data[i + n] ^ TURN) == turned[n])
			n++;
		if (n == TURNED)
			return true;
	}
	return false;
}

static bool
is_token_in_memory(void)
{
	static char part[1 << 16];
	FILE *maps = fopen("/proc/self/maps", "r");
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	unsigned long from, to;
	char line[512], rights[8];
	bool is_there = maps == NULL || mem < 0;

	while (!is_there && fgets(line, sizeof(line), maps) != NULL) {
		if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 || *rights != 'r')
			continue;
		for (; from < to && !is_there; from += sizeof(part) - TURNED) {
			ssize_t n = pread(mem, part, MIN(sizeof(part), to - from), (off_t)from);

			/* Some that the kernel lends cannot be read so. */
			if (n <= 0)
				break;
			is_there = has_token(part, (size_t)n);
		}
	}
	explicit_bzero(part, sizeof(part));
	if (maps != NULL)
		fclose(maps);
	if (mem >= 0)
		close(mem);
	return is_there;
}

/* Those that are forked later read files that anybody may have made. */
static void
no_other_process_has_the_token(void **state)
{
	struct push_config config = quick;
	struct err err = { 0 };
	struct push *push;
	char path[128];
	int fd, status;
	pid_t child;

	(void)state;
	if (IS_SANITIZED)
		skip_for("a sanitizer has too much memory to read");
	snprintf(path, sizeof(path), "%s/token", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(fchmod(fd, 0600), 0);
	for (size_t i = 0; i < TURNED; i++) {
		char c = (char)(turned[i] ^ TURN);

		assert_int_equal(write(fd, &c, 1), 1);
	}
	close(fd);
	config.token_file = path;
	push = push_open(&config, &err);
	if (push == NULL)
		fail_msg("%s", err.text);
	child = run_fork();
	if (child == 0)
		_exit(is_token_in_memory());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(is_token_in_memory());
	push_close(push, NULL);
	assert_false(is_token_in_memory());
}

static void
while_the_store_is_away_nothing_is_lost(void **state)
{
	enum { COUNT = 12 };
	struct pushing p;

	(void)state;
	start(&p, &quick);
	add(&p, 0);
	wait_for_counts(&p, 1, 0, 0, 0);
	push_store_be(&store, PUSH_STORE_AWAY);
	for (unsigned i = 1; i < COUNT; i++)
		add(&p, i);
	/* It is tried again and again, and that is said once. */
	assert_true(push_store_wait_asked(&store, 4));
	push_store_be(&store, PUSH_STORE_CLOSES);
	wait_for_counts(&p, 1, COUNT - 1, 0, 0);
	push_store_be(&store, PUSH_STORE_TAKES);
	wait_for_counts(&p, COUNT, 0, 0, 0);
	assert_taken(0, COUNT);
	stop(&p);
	assert_int_equal(run_count_text(buf_str(&p.said), "cannot push to"), 1);
	assert_int_equal(run_count_text(buf_str(&p.said), "takes profiles again: 11 waited, 0 were"), 1);
	assert_says(&p, "12 profiles were pushed");
	buf_release(&p.said);
}

static void
what_the_spool_has_no_room_for_is_counted_to_the_one(void **state)
{
	enum { COUNT = 23, ROOM = 5 };
	struct push_config config = quick;
	struct pushing p;

	(void)state;
	config.spool_bytes = ROOM * BLOCK;
	push_store_be(&store, PUSH_STORE_AWAY);
	start(&p, &config);
	for (unsigned i = 0; i < COUNT; i++)
		add(&p, i);
	wait_for_counts(&p, 0, ROOM, COUNT - ROOM, 0);
	push_store_be(&store, PUSH_STORE_TAKES);
	wait_for_counts(&p, ROOM, 0, COUNT - ROOM, 0);
	/* All were there, each is in one of the two; of those that wait one may be on its way when the
	   oldest have to go. */
	stop(&p);
	assert_int_equal(atomic_load(&store.shared->taken), ROOM);
	for (int i = 1; i < ROOM; i++) {
		struct buf b = { 0 };
		char text[32];

		snprintf(text, sizeof(text), "profile %u", COUNT - ROOM + i);
		push_store_body(&store, i, &b);
		assert_string_equal(buf_str(&b), text);
		buf_release(&b);
	}
	assert_says(&p, "takes profiles again: 5 waited, 18 were dropped so far");
	assert_says(&p, "5 profiles were pushed, 18 were dropped");
	buf_release(&p.said);
}

static void
what_waits_at_the_end_is_sent_by_the_next_one(void **state)
{
	struct push_config config = quick;
	struct pushing p;

	(void)state;
	push_store_be(&store, PUSH_STORE_CLOSES);
	start(&p, &quick);
	for (unsigned i = 0; i < 3; i++)
		add(&p, i);
	stop(&p);
	assert_says(&p, "0 profiles were pushed, 3 wait in");
	buf_release(&p.said);
	push_store_be(&store, PUSH_STORE_TAKES);
	/* With less room for them. */
	config.spool_bytes = 2 * BLOCK;
	start(&p, &config);
	wait_for_counts(&p, 2, 0, 1, 0);
	add(&p, 3);
	wait_for_counts(&p, 3, 0, 1, 0);
	stop(&p);
	assert_taken(1, 3);
	assert_says(&p, "1 profiles of last time were dropped");
	buf_release(&p.said);
}

/* Whatever it does, it holds up nothing, and all comes when it is well again. */
static void
stores_that_make_no_sense_are_as_if_they_were_away(void **state)
{
	static const struct {
		enum push_store_mode mode;
		const char *says;
	} rows[] = {
		{ PUSH_STORE_AWAY, "HTTP status 503, lunch" },
		{ PUSH_STORE_CLOSES, "cannot push to http://127.0.0.1:" },
		{ PUSH_STORE_DENIES, "HTTP status 401: it wants a token, and none is sent: --push-token FILE" },
		{ PUSH_STORE_REDIRECTS, "HTTP status 307: redirects are not followed" },
		{ PUSH_STORE_HANGS, "cannot push to" },
		{ PUSH_STORE_STALLS, "cannot push to" },
		{ PUSH_STORE_HEADS, "cannot push to" },
		{ PUSH_STORE_CHATS, "cannot push to" },
		{ PUSH_STORE_FAULTS, "HTTP status 500" },
	};
	struct pushing p;

	(void)state;
	start(&p, &quick);
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		buf_reset(&p.said);
		push_store_be(&store, rows[i].mode);
		add(&p, i);
		wait_for_line(&p, "cannot push to");
		assert_says(&p, rows[i].says);
		push_store_be(&store, PUSH_STORE_TAKES);
		wait_for_counts(&p, i + 1, 0, 0, 0);
		take_lines(&p);
		assert_says(&p, "takes profiles again: 1 waited");
	}
	assert_taken(0, ARRAY_SIZE(rows));
	assert_int_equal(atomic_load(&store.shared->redirected), 0);
	stop(&p);
	buf_release(&p.said);
}

static void
an_answer_without_an_end_is_not_waited_for(void **state)
{
	struct pushing p;

	(void)state;
	push_store_be(&store, PUSH_STORE_RAMBLES);
	start(&p, &quick);
	add(&p, 0);
	add(&p, 1);
	wait_for_counts(&p, 2, 0, 0, 0);
	assert_taken(0, 2);
	stop(&p);
	buf_release(&p.said);
}

/* It is read to its last byte, and what comes behind it, too. */
static void
a_head_may_be_as_long_as_its_bound(void **state)
{
	struct pushing p;

	(void)state;
	push_store_be(&store, PUSH_STORE_LONG_HEAD);
	start(&p, &quick);
	add(&p, 0);
	wait_for_counts(&p, 0, 0, 0, 1);
	stop(&p);
	assert_says(&p, "HTTP status 400, too long");
	buf_release(&p.said);
}

static void
a_store_that_comes_back_and_refuses_all_does_not_take_profiles_again(void **state)
{
	struct pushing p;

	(void)state;
	start(&p, &quick);
	push_store_be(&store, PUSH_STORE_AWAY);
	for (unsigned i = 0; i < 3; i++)
		add(&p, i);
	wait_for_counts(&p, 0, 3, 0, 0);
	assert_true(push_store_wait_asked(&store, 2));
	push_store_be(&store, PUSH_STORE_REFUSES);
	wait_for_counts(&p, 0, 0, 0, 3);
	push_store_be(&store, PUSH_STORE_TAKES);
	add(&p, 3);
	wait_for_counts(&p, 1, 0, 0, 3);
	stop(&p);
	assert_says(&p, "refuses a profile, which is dropped: HTTP status 400");
	assert_int_equal(run_count_text(buf_str(&p.said), "takes profiles again"), 1);
	assert_says(&p, "takes profiles again: 1 waited, 0 were dropped so far, 3 were refused");
	buf_release(&p.said);
}

static void
what_the_store_refuses_for_good_is_dropped_and_said_once(void **state)
{
	struct push_config config = quick;
	struct pushing p;
	char url[96];
	int asked;

	(void)state;
	push_store_be(&store, PUSH_STORE_REFUSES);
	start(&p, &quick);
	for (unsigned i = 0; i < 3; i++)
		add(&p, i);
	wait_for_counts(&p, 0, 0, 0, 3);
	push_store_be(&store, PUSH_STORE_TAKES);
	add(&p, 3);
	wait_for_counts(&p, 1, 0, 0, 3);
	/* Status 500 may be a profile's fault, or not: each is tried eight times, not for ever. */
	push_store_be(&store, PUSH_STORE_FAULTS);
	asked = atomic_load(&store.shared->asked);
	for (unsigned i = 0; i < 2; i++) {
		add(&p, 4 + i);
		wait_for_counts(&p, 1, 0, 0, 4 + i);
		assert_int_equal(atomic_load(&store.shared->asked) - asked, 8 * (i + 1));
	}
	stop(&p);
	assert_taken(3, 1);
	assert_int_equal(run_count_text(buf_str(&p.said), "HTTP status 400, no such name"), 1);
	assert_says(&p, "1 profiles were pushed, 5 were refused");
	buf_release(&p.said);

	/* OTLP has another way to say it. */
	push_store_be(&store, PUSH_STORE_PARTS);
	snprintf(url, sizeof(url), "otlp+%s", store.url);
	config.url = url;
	start(&p, &config);
	add(&p, 4);
	add(&p, 5);
	wait_for_counts(&p, 2, 0, 0, 0);
	stop(&p);
	assert_int_equal(run_count_text(buf_str(&p.said), "takes a part: 1 refused, old"), 1);
	buf_release(&p.said);
}

static void
make_file(const char *name, mode_t mode)
{
	char path[192];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", spool, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "not a profile", 13), 13);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void
assert_refused(const char *why)
{
	struct err err = { 0 };

	assert_null(push_open(&quick, &err));
	if (strstr(err.text, why) == NULL)
		fail_msg("'%s' is not in '%s'", why, err.text);
}

static const char first_name[] = "00000000000000000000.profile";

static void
a_spool_that_others_made_or_changed_is_refused(void **state)
{
	char path[192], other[192];
	struct pushing p;

	(void)state;
	start(&p, &quick);
	stop(&p);
	buf_release(&p.said);
	/* A file that others may write, a link, a second name. */
	snprintf(path, sizeof(path), "%s/%s", spool, first_name);
	make_file(first_name, 0602);
	assert_refused("is not of this user alone");
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_refused("is not of this user alone");
	unlink(path);
	make_file(first_name, 0600);
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(link(path, other), 0);
	assert_refused("is not of this user alone");
	unlink(other);
	unlink(path);
	/* The folder itself, and the one above it. */
	assert_int_equal(chmod(spool, 0770), 0);
	assert_refused("is not of this user alone");
	assert_int_equal(chmod(spool, 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(spool, 65534, 65534), 0);
		assert_refused("is not of this user alone");
		assert_int_equal(chown(spool, 0, 0), 0);
	}
	snprintf(path, sizeof(path), "%s/ptop", folder);
	assert_int_equal(chmod(path, 0777), 0);
	assert_refused("is not of this user alone");
	assert_int_equal(chmod(path, 0700), 0);
	start(&p, &quick);
	/* Two of them would send each other's. */
	assert_refused("another ptop pushes to there");
	stop(&p);
	buf_release(&p.said);
}

/* Files that are broken are counted, and the others come. */
static void
a_profile_that_was_changed_in_the_spool_is_not_sent(void **state)
{
	struct pushing p;

	(void)state;
	push_store_be(&store, PUSH_STORE_AWAY);
	start(&p, &quick);
	add(&p, 0);
	add(&p, 1);
	wait_for_counts(&p, 0, 2, 0, 0);
	stop(&p);
	buf_release(&p.said);
	make_file(first_name, 0600);
	push_store_be(&store, PUSH_STORE_TAKES);
	start(&p, &quick);
	wait_for_counts(&p, 1, 0, 1, 0);
	assert_taken(1, 1);
	stop(&p);
	assert_says(&p, "is not as ptop wrote it");
	assert_says(&p, "1 profile was dropped so far");
	buf_release(&p.said);
}

static bool
is_spooled(const char *name)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/%s", spool, name);
	return access(path, F_OK) == 0;
}

static void
what_was_being_written_is_removed_and_nothing_else(void **state)
{
	static const char *const others[] = {
		"7.profile.new-12", "00000000000000000007.other.profile.new-12", "notes.profile.new-12",
		"00000000000000000007.profile-new",
	};
	static const char left_over[] = "00000000000000000007.profile.new-12";
	struct pushing p;

	(void)state;
	start(&p, &quick);
	stop(&p);
	buf_release(&p.said);
	make_file(left_over, 0600);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		make_file(others[i], 0600);
	start(&p, &quick);
	stop(&p);
	buf_release(&p.said);
	assert_false(is_spooled(left_over));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_true(is_spooled(others[i]));
}

/* As often as it has become full. */
static void
a_full_disk_is_said_and_what_the_store_takes_goes_on(void **state)
{
	char path[160];
	struct pushing p;

	(void)state;
	need_root();
	need_curl(); /* before there is something to unmount */
	run_own_mounts();
	snprintf(path, sizeof(path), "%s/ptop", folder);
	if (mount("none", path, "tmpfs", 0, "size=16k,mode=0700") != 0)
		skip_for("no tmpfs here: %s", strerror(errno));
	push_store_be(&store, PUSH_STORE_AWAY);
	start(&p, &quick);
	/* Four pages there are: some are kept, and one in memory. */
	for (unsigned i = 0; i < 10; i++)
		add(&p, i);
	assert_true(push_store_wait_asked(&store, 3));
	wait_for_all(&p, 10);
	assert_that(push_counts(p.push).dropped, >, 0);
	assert_that(push_counts(p.push).dropped, <, 10);
	push_store_be(&store, PUSH_STORE_TAKES);
	wait_for_counts(&p, 10 - push_counts(p.push).dropped, 0, push_counts(p.push).dropped, 0);
	add(&p, 10);
	assert_true(push_store_wait_taken(&store, (int)(11 - push_counts(p.push).dropped)));
	take_lines(&p);
	assert_int_equal(run_count_text(buf_str(&p.said), "no profile can be kept in"), 1);
	push_store_be(&store, PUSH_STORE_AWAY);
	for (unsigned i = 11; i < 20; i++)
		add(&p, i);
	wait_for_all(&p, 20);
	stop(&p);
	umount(path);
	assert_says(&p, "No space left on device");
	assert_int_equal(run_count_text(buf_str(&p.said), "no profile can be kept in"), 2);
	buf_release(&p.said);
}

/* Its host is called so, too. */
static pid_t
find_process(const char *name)
{
	pid_t family[FAMILY_MAX];
	size_t n = family_find(getpid(), family);

	for (size_t i = 0; i < n; i++)
		if (family_is_called(family[i], name) && family_is_called(family_parent(family[i]), name))
			return family[i];
	return 0;
}

static void
the_process_that_posts_has_no_rights_and_may_die(void **state)
{
	struct buf b = { 0 };
	struct pushing p;
	char path[64];
	pid_t pid;

	(void)state;
	push_store_be(&store, PUSH_STORE_HANGS);
	start(&p, &quick);
	add(&p, 0);
	assert_true(push_store_wait_asked(&store, 1));
	pid = find_process("ptop-push");
	assert_int_not_equal(pid, 0);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	assert_int_equal(file_read(path, &b, 8192), 0);
	assert_non_null(strstr(b.data, "\nCapPrm:\t0000000000000000\n"));
	assert_non_null(strstr(b.data, "\nCapBnd:\t0000000000000000\n"));
	assert_non_null(strstr(b.data, "\nNoNewPrivs:\t1\n"));
	if (geteuid() == 0)
		assert_non_null(strstr(b.data, "\nUid:\t65534\t65534\t65534\t65534\n"));
	buf_release(&b);
	push_store_be(&store, PUSH_STORE_TAKES);
	kill(pid, SIGKILL);
	wait_for_counts(&p, 1, 0, 0, 0);
	assert_taken(0, 1);
	stop(&p);
	buf_release(&p.said);
}

static void
who_forks_it_is_missed_though_the_store_is_away(void **state)
{
	struct pushing p;
	pid_t pid;

	(void)state;
	push_store_be(&store, PUSH_STORE_AWAY);
	start(&p, &quick);
	add(&p, 0);
	wait_for_line(&p, "HTTP status 503");
	pid = find_process("ptop-push");
	assert_int_not_equal(pid, 0);
	kill(family_parent(pid), SIGKILL);
	wait_for_line(&p, "the process that pushes profiles was ended");
	wait_for_counts(&p, 0, 1, 0, 0);
	stop(&p);
	assert_int_equal(run_count_text(buf_str(&p.said), "was ended"), 1);
	assert_says(&p, "0 profiles were pushed, 1 wait in");
	buf_release(&p.said);
}

static void
without_a_spool_the_newest_profile_is_kept_in_memory(void **state)
{
	struct push_config config = quick;
	struct pushing p;

	(void)state;
	config.spool_bytes = 0;
	push_store_be(&store, PUSH_STORE_AWAY);
	start(&p, &config);
	add(&p, 0);
	assert_true(push_store_wait_asked(&store, 1));
	/* One that is on its way stays; of those that came since the newest. */
	add(&p, 1);
	wait_for_counts(&p, 0, 1, 1, 0);
	push_store_be(&store, PUSH_STORE_TAKES);
	wait_for_counts(&p, 1, 0, 1, 0);
	stop(&p);
	assert_says(&p, "1 profiles were pushed, 1 were dropped");
	buf_release(&p.said);
}

static void
addresses_name_a_store_and_no_secret(void **state)
{
	static const struct {
		const char *url, *base;
		bool is_otlp, is_exposed;
	} well[] = {
		{ "http://localhost:4040", "http://localhost:4040", false, false },
		{ "http://127.0.0.1:4040/", "http://127.0.0.1:4040", false, false },
		{ "http://[::1]:4040/x/", "http://[::1]:4040/x", false, false },
		{ "https://store.example", "https://store.example", false, false },
		{ "http://store.example", "http://store.example", false, true },
		{ "http://127.0.0.1.example", "http://127.0.0.1.example", false, true },
		{ "http://localhost.example", "http://localhost.example", false, true },
		{ "otlp+http://store:4318", "http://store:4318", true, true },
		{ "otlp+https://store:4318/a", "https://store:4318/a", true, false },
	};
	static const char *const wrong[] = {
		"", "store", "http://", "https:///path", "http://:80", "ftp://store", "file:///etc/passwd",
		"http://user:secret@store", "http://store/?x=1", "http://store#x", "http://a b",
		"otlp+ftp://store", "otlp+", "http://store\n",
	};
	struct push_target t;
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(well); i++) {
		assert_int_equal(push_target_parse(well[i].url, &t, &err), 0);
		assert_string_equal(t.base, well[i].base);
		assert_int_equal(t.is_otlp, well[i].is_otlp);
		assert_int_equal(t.is_exposed, well[i].is_exposed);
		push_target_release(&t);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(push_target_parse(wrong[i], &t, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_null(strstr(err.text, "secret"));
	}
}

static void
answers_of_otlp_receivers_may_be_any_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *says; /* NULL: nothing */
	} rows[] = {
		{ "", 0, NULL },
		{ "\x0a\x00", 2, NULL },
		{ "\x0a\x07\x08\x01\x12\x03" "old", 9, "1 refused, old" },
		{ "\x0a\x05\x12\x03" "new", 7, "0 refused, new" },
		{ "\x0a\x04\x12\x02\x1b[", 6, "0 refused, \\x1b[" },
		/* behind fields of other numbers, or of another kind */
		{ "\x12\x02no\x0a\x07\x08\x01\x12\x03" "old", 13, "1 refused, old" },
		{ "\x08\x01\x0a\x07\x08\x01\x12\x03" "old", 11, "1 refused, old" },
		{ "\x12\x07\x08\x01\x12\x03" "old", 9, NULL },
		{ "\x0a\x7f\x08\x01", 4, NULL },
		{ "\x0a\x06\x08\x01\x12\x7f" "xy", 8, "1 refused" },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11, NULL },
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, NULL },
		{ "<html>", 6, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buf b = { 0 };
		bool says = otlp_answer_put((struct bytes){ (const uint8_t *)rows[i].bytes, rows[i].len }, &b);

		assert_int_equal(says, rows[i].says != NULL);
		assert_string_equal(buf_str(&b), says ? rows[i].says : "");
		buf_release(&b);
	}
}

#define TEST(name) cmocka_unit_test_setup(name, begin_one)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_profile_is_posted_as_pyroscope_documents_it),
		TEST(the_token_of_the_file_is_sent),
		TEST(of_a_token_that_is_refused_the_file_is_told),
		TEST(under_sudo_a_token_of_its_caller_is_taken),
		TEST(no_other_process_has_the_token),
		TEST(while_the_store_is_away_nothing_is_lost),
		TEST(what_the_spool_has_no_room_for_is_counted_to_the_one),
		TEST(what_waits_at_the_end_is_sent_by_the_next_one),
		TEST(stores_that_make_no_sense_are_as_if_they_were_away),
		TEST(an_answer_without_an_end_is_not_waited_for),
		TEST(a_head_may_be_as_long_as_its_bound),
		TEST(a_store_that_comes_back_and_refuses_all_does_not_take_profiles_again),
		TEST(what_the_store_refuses_for_good_is_dropped_and_said_once),
		TEST(a_spool_that_others_made_or_changed_is_refused),
		TEST(a_profile_that_was_changed_in_the_spool_is_not_sent),
		TEST(the_process_that_posts_has_no_rights_and_may_die),
		TEST(who_forks_it_is_missed_though_the_store_is_away),
		TEST(without_a_spool_the_newest_profile_is_kept_in_memory),
		TEST(what_was_being_written_is_removed_and_nothing_else),
		TEST(a_full_disk_is_said_and_what_the_store_takes_goes_on),
		TEST(addresses_name_a_store_and_no_secret),
		TEST(answers_of_otlp_receivers_may_be_any_bytes),
	};

	return cmocka_run_group_tests(tests, begin_all, end_all);
}
