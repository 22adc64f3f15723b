/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug files from a server: found, not there, hanging, wrong, too large; and who downloads them. */
#include "symbol/file/build_id.h"
#include "symbol/fetch/download.h"
#include "symbol/fetch/fetch.h"
#include "symbol/parser/host.h"
#include "tests/asserts.h"
#include "tests/debug_server.h"
#include "tests/family.h"
#include "tests/symbol_fixture.h"
#include "tests/skip.h"

enum {
	SMALL_BYTES = 4 << 20,
	PATIENCE_S = 50, /* with servers that do answer, on a busy machine */
	SILENT_S = 2,
	DSO = 7,
};

static struct debug_server server;
static struct fetch *patient, *hurried, *fetch; /* the last is that of the two which is asked */

/* Forks, so before there are threads. */
static int
setup(void **state)
{
	struct fetch_config config = { .connect_s = PATIENCE_S, .silent_s = PATIENCE_S,
				       .whole_s = PATIENCE_S };
	struct host *host = fetch_host_new(SMALL_BYTES), *other = fetch_host_new(SMALL_BYTES);
	char urls[160];
	struct fixture *f;

	debug_server_start(&server);
	if (fixture_setup(state) != 0)
		return -1;
	f = *state;
	fixture_move_home(f);
	snprintf(urls, sizeof(urls), " %s/ ", server.url);
	config.urls = urls;
	config.host = host;
	config.answers = f->answers;
	patient = fetch_new(&config);
	config.host = other;
	config.silent_s = SILENT_S;
	hurried = fetch_new(&config);
	return fixture_build_bare(f) && sh(f, "objcopy --only-keep-debug nopie other.debug") ? 0 : -1;
}

static int
teardown(void **state)
{
	fetch_free(patient);
	fetch_free(hurried);
	debug_server_end(&server);
	return fixture_teardown(state);
}

static int
no_file_kept(void **state)
{
	fetch = patient;
	atomic_store(&server.shared->asked, 0);
	return sh(*state, "rm -rf home && mkdir -p -m 0755 home/.cache") ? 0 : -1;
}

static void
need_library(void)
{
	if (!download_is_there())
		skip_for("built without libcurl");
}

static void
serve(const struct fixture *f, enum debug_server_mode mode, const char *name)
{
	debug_server_serve(&server, mode, in_dir(f, name));
}

static struct symbol_ask
bare(const struct fixture *f)
{
	static char path[384];
	struct symbol_ask ask = { .dso = DSO, .kind = SYMBOL_ELF, .path = path };
	int fd;

	snprintf(path, sizeof(path), "%s", in_dir(f, "bare"));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ask.build_id_len = (uint8_t)build_id_read(fd, ask.build_id);
	close(fd);
	assert_int_equal(ask.build_id_len, BUILD_ID_BYTES);
	return ask;
}

static void
ask_server(const struct fixture *f)
{
	struct symbol_ask ask = bare(f);

	fetch_ask(fetch, DSO, BUILD_STORE_DEBUG, ask.build_id, ask.build_id_len);
}

/* The last message of what was asked. */
static struct fetch_msg
outcome(const struct fixture *f)
{
	struct fetch_msg m;

	do {
		struct fetch_msg *got = (struct fetch_msg *)queue_wait(f->answers, 60000);

		assert_non_null(got);
		assert_int_equal(got->msg.type, SYMBOL_MSG_FETCH);
		assert_int_equal(got->dso, DSO);
		m = *got;
		free(got);
	} while (m.state == FETCH_GOING);
	return m;
}

static bool
is_named(const struct fixture *f)
{
	struct symbol_ask ask = bare(f);

	return fixture_names(f, &ask, "cold");
}

static void
assert_fails(const struct fixture *f, const char *why)
{
	struct fetch_msg m;

	ask_server(f);
	m = outcome(f);
	assert_int_equal(m.state, FETCH_FAILED);
	if (strstr(m.err.text, why) == NULL)
		fail_msg("'%s' is not in '%s'", why, m.err.text);
	assert_false(is_named(f));
	assert_true(sh(f, "! find home/.cache/debuginfod_client -type f | grep ."));
}

static void
a_debug_file_that_is_found_gives_names(void **state)
{
	struct fixture *f = *state;
	struct fetch_msg m;

	need_library();
	serve(f, DEBUG_SERVER_SERVES, "its.debug");
	assert_false(is_named(f));
	ask_server(f);
	m = outcome(f);
	if (m.state != FETCH_DONE)
		fail_msg("%s", m.err.text);
	assert_int_equal(strncmp(server.shared->last_ask, "/buildid/", 9), 0);
	assert_non_null(strstr(server.shared->last_ask, "/debuginfo"));
	assert_true(is_named(f));
	assert_int_equal(atomic_load(&server.shared->asked), 1);
}

/* What debuginfod's own clients, as perf and gdb, look for and forget. */
static void
it_lies_where_other_clients_look(void **state)
{
	struct fixture *f = *state;
	uint8_t id[BUILD_ID_BYTES];
	char path[128] = "home/.cache/debuginfod_client/", line[400];
	struct symbol_ask ask = bare(f);

	need_library();
	memcpy(id, ask.build_id, sizeof(id));
	for (size_t i = 0; i < sizeof(id); i++)
		snprintf(path + strlen(path), 3, "%02x", id[i]);
	assert_true(sh(f, "d=home/.cache/debuginfod_client; mkdir -p $d/01 $d/02; cp its.debug $d/01/debuginfo;"
			  "cp its.debug $d/02/executable; touch -a -d '8 days ago' $d/01/debuginfo"));
	serve(f, DEBUG_SERVER_SERVES, "its.debug");
	ask_server(f);
	assert_int_equal(outcome(f).state, FETCH_DONE);
	snprintf(line, sizeof(line), "cmp its.debug %s/debuginfo && test $(stat -c %%a %s) = 700", path,
		 path);
	assert_true(sh(f, line));
	assert_true(sh(f, "cd home/.cache/debuginfod_client; test ! -e 01/debuginfo -a -e 02/executable"));
}

static void
a_user_says_when_files_are_forgotten(void **state)
{
	struct fixture *f = *state;

	need_library();
	assert_true(sh(f, "d=home/.cache/debuginfod_client; mkdir -p $d/01; cp its.debug $d/01/debuginfo;"
			  "touch -a -d '8 days ago' $d/01/debuginfo; echo 6048000 >$d/max_unused_age_s"));
	serve(f, DEBUG_SERVER_SERVES, "its.debug");
	ask_server(f);
	assert_int_equal(outcome(f).state, FETCH_DONE);
	assert_true(sh(f, "test -e home/.cache/debuginfod_client/01/debuginfo"));
}

static void
nothing_is_put_where_others_may_write(void **state)
{
	struct fixture *f = *state;

	need_library();
	serve(f, DEBUG_SERVER_SERVES, "its.debug");
	assert_true(sh(f, "mkdir -p home/.cache/debuginfod_client;"
			  "chmod 0775 home/.cache/debuginfod_client"));
	assert_fails(f, "others may write");
	assert_true(sh(f, "rmdir home/.cache/debuginfod_client; mkdir elsewhere;"
			  "ln -s $PWD/elsewhere home/.cache/debuginfod_client"));
	assert_fails(f, "others may write");
	assert_true(sh(f, "rmdir elsewhere"));
}

static void
what_no_server_has_is_not_found(void **state)
{
	struct fixture *f = *state;

	need_library();
	serve(f, DEBUG_SERVER_NONE, "its.debug");
	ask_server(f);
	assert_int_equal(outcome(f).state, FETCH_NOT_FOUND);
	assert_false(is_named(f));
}

static void
a_server_that_fails_is_named_with_its_status(void **state)
{
	need_library();
	serve(*state, DEBUG_SERVER_ERROR, "its.debug");
	assert_fails(*state, "localhost");
	assert_fails(*state, "status 500");
}

static void
a_server_that_says_nothing_is_given_up(void **state)
{
	need_library();
	fetch = hurried;
	serve(*state, DEBUG_SERVER_HANGS, "its.debug");
	assert_fails(*state, "imeout");
	serve(*state, DEBUG_SERVER_STALLS, "its.debug");
	assert_fails(*state, "imeout");
}

static void
a_file_of_another_build_is_not_kept(void **state)
{
	need_library();
	serve(*state, DEBUG_SERVER_SERVES, "other.debug");
	assert_fails(*state, "another build-id");
	serve(*state, DEBUG_SERVER_SERVES, "prog.c");
	assert_fails(*state, "no ELF file");
}

static void
a_file_that_is_too_large_is_not_taken(void **state)
{
	need_library();
	serve(*state, DEBUG_SERVER_HUGE, "its.debug");
	assert_fails(*state, "larger than 4 MiB");
	serve(*state, DEBUG_SERVER_ENDLESS, "its.debug");
	assert_fails(*state, "larger than 4 MiB");
}

static void
what_is_stopped_ends_at_once_and_the_next_one_goes_on(void **state)
{
	struct fixture *f = *state;

	need_library();
	serve(f, DEBUG_SERVER_STALLS, "its.debug");
	ask_server(f);
	for (int i = 0; i < 1000 && atomic_load(&server.shared->asked) == 0; i++)
		usleep(10000);
	assert_int_equal(atomic_load(&server.shared->asked), 1);
	fetch_stop(fetch);
	assert_int_equal(outcome(f).state, FETCH_STOPPED);
	serve(f, DEBUG_SERVER_SERVES, "its.debug");
	ask_server(f);
	assert_int_equal(outcome(f).state, FETCH_DONE);
}

/* What the process that downloads can still do, as it finds out itself; a line each. */
static void
try_all(int socket)
{
	const struct wire w = { .fd = socket };
	struct buf b = { 0 };
	char byte;

	buf_addf(&b, "uid %d", (int)getuid());
	buf_addf(&b, " write %d", open("/tmp/ptop-fetch-was-here", O_WRONLY | O_CREAT, 0600) >= 0);
	buf_addf(&b, " rewrite %d", open("/dev/shm", O_TMPFILE | O_WRONLY, 0600) >= 0);
	buf_addf(&b, " parent %d", open("/proc/1/mem", O_RDONLY) >= 0);
	buf_addf(&b, " fds %d", read(3, &byte, 0) == 0);
	buf_addf(&b, " setuid %d", setuid(0) == 0 && getuid() == 0);
	buf_addf(&b, " libc %d", open("/etc/passwd", O_RDONLY) >= 0);
	buf_add_char(&b, '\0');
	wire_send(&w, WIRE_DONE, &b, -1);
}

static void
who_downloads_has_no_rights(void **state)
{
	const struct host_config config = { .work = CONFINE_FETCH, .fetch = try_all };
	struct host *host = host_new(&config);
	struct err err = { 0 };
	struct wire w = { .fd = host_start(host, HOST_PARSER, &err) };
	char want[128];
	struct wire_msg m;

	(void)state;
	if (w.fd < 0)
		fail_msg("%s (%s)", err.text, err.hint);
	if (wire_recv(&w, &m) < 0)
		fail_msg("it ended with status %#x", (unsigned)host_end(host));
	snprintf(want, sizeof(want),
		 "uid %d write 0 rewrite 0 parent 0 fds 0 setuid 0 libc 1",
		 geteuid() == 0 ? 65534 : (int)getuid());
	unlink("/tmp/ptop-fetch-was-here");
	assert_string_equal(buf_str(&m.body), want);
	wire_msg_release(&m);
	close(w.fd);
	host_free(host);
}

/* The last, as there is none after it.  Its host is asked for a process, and would not answer. */
static void
it_ends_while_its_host_is_stopped(void **state)
{
	pid_t pids[FAMILY_MAX], host = 0;
	size_t n;

	fetch_free(hurried); /* and its host */
	hurried = NULL;
	n = family_find(getpid(), pids);
	for (size_t i = 0; i < n; i++)
		if (family_is_called(pids[i], "ptop-download"))
			host = pids[i];
	assert_int_not_equal(host, 0);
	family_stop(host);
	ask_server(*state);
	alarm(PATIENCE_S); /* it would wait for ever */
	fetch_free(patient);
	alarm(0);
	patient = NULL;
	assert_int_equal(outcome(*state).state, FETCH_STOPPED);
	family_assert_gone(&host, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_debug_file_that_is_found_gives_names, no_file_kept),
		cmocka_unit_test_setup(it_lies_where_other_clients_look, no_file_kept),
		cmocka_unit_test_setup(a_user_says_when_files_are_forgotten, no_file_kept),
		cmocka_unit_test_setup(nothing_is_put_where_others_may_write, no_file_kept),
		cmocka_unit_test_setup(what_no_server_has_is_not_found, no_file_kept),
		cmocka_unit_test_setup(a_server_that_fails_is_named_with_its_status, no_file_kept),
		cmocka_unit_test_setup(a_server_that_says_nothing_is_given_up, no_file_kept),
		cmocka_unit_test_setup(a_file_of_another_build_is_not_kept, no_file_kept),
		cmocka_unit_test_setup(a_file_that_is_too_large_is_not_taken, no_file_kept),
		cmocka_unit_test_setup(what_is_stopped_ends_at_once_and_the_next_one_goes_on,
				       no_file_kept),
		cmocka_unit_test(who_downloads_has_no_rights),
		cmocka_unit_test_setup(it_ends_while_its_host_is_stopped, no_file_kept),
	};

	return cmocka_run_group_tests_name("fetch", tests, setup, teardown);
}
