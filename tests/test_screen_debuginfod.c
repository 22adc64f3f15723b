/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The download of debug files as a person sees it: progress, the page about a row, the key to stop. */
#include "symbol/fetch/download.h"
#include "tests/asserts.h"
#include "tests/debug_server.h"
#include "tests/screen_fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "tests/skip.h"

enum { PATH_LEN = 128 };

struct stripped {
	struct screen screen; /* first: the fixture's own state */
	struct debug_server server;
	char dir[64];
};

static int
setup(void **state)
{
	struct stripped *n = mem_calloc(1, sizeof(*n));

	*state = n;
	strcpy(n->dir, "/tmp/ptop-download-XXXXXX");
	debug_server_start(&n->server);
	return mkdtemp(n->dir) != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	struct stripped *n = *state;
	char command[PATH_LEN];

	snprintf(command, sizeof(command), "rm -rf '%s'", n->dir);
	debug_server_end(&n->server);
	if (system(command) != 0)
		return -1;
	return screen_teardown(state);
}

static void
start(struct stripped *n)
{
	char text[512], path[PATH_LEN], home[PATH_LEN], option[PATH_LEN], pid[16];

	if (!download_is_there() || geteuid() != 0)
		skip_for("needs root here, and libcurl");
	snprintf(text, sizeof(text),
		 "cd '%s' && mkdir home && echo 'int main(void) { for (volatile int n = 0;; n++) ; }' "
		 "> a.c && cc -O1 -g -Wl,--build-id -static -o burner a.c && "
		 "objcopy --only-keep-debug burner a.debug && strip burner", n->dir);
	assert_int_equal(system(text), 0);
	snprintf(n->server.shared->path, sizeof(n->server.shared->path), "%s/a.debug", n->dir);
	snprintf(path, sizeof(path), "%s/burner", n->dir);
	n->screen.loads[0] = run_background(path);
	assert_that(n->screen.loads[0], >, 0);
	snprintf(home, sizeof(home), "XDG_CACHE_HOME=%s/home", n->dir);
	snprintf(option, sizeof(option), "--debuginfod=%s", n->server.url);
	snprintf(pid, sizeof(pid), "%d", (int)n->screen.loads[0]);
	screen_start(&n->screen, 160, 40, ARGS("--view", "dsos", "-K", "-p", pid, option),
		     ENV(home));
}

/* What the page about the first row says. */
static void
says(struct screen *s, const char *text)
{
	keys(s, "i");
	sees(s, text);
	keys(s, "\033");
	sees(s, "[Programs and libraries]");
}

static void
a_download_is_told_stopped_and_goes_on(void **state)
{
	struct stripped *n = *state;
	struct screen *s = &n->screen;

	atomic_store(&n->server.shared->mode, DEBUG_SERVER_STALLS);
	start(n);
	sees_match(s, "debug file of burner: 0\\.0 of 1\\.0 MiB; S stops it");
	says(s, "asked debuginfod: being downloaded");
	keys(s, "S");
	sees(s, "debug file of burner: stopped");
	says(s, "asked debuginfod: stopped");
	atomic_store(&n->server.shared->mode, DEBUG_SERVER_SERVES);
	keys(s, "S");
	sees(s, "debug file of burner: downloaded");
	keys(s, "\033[Z"); /* to the view of functions */
	sees_match(s, "[0-9] .*main +burner");
	keys(s, "\t");
	sees(s, "[Programs and libraries]");
	says(s, "debug file by build-id");
	leave(s);
}

static void
the_screen_says_what_no_server_has(void **state)
{
	struct stripped *n = *state;
	struct screen *s = &n->screen;

	atomic_store(&n->server.shared->mode, DEBUG_SERVER_NONE);
	start(n);
	sees(s, "debug file of burner: no server has it");
	says(s, "asked debuginfod: not found");
	keys(s, "!");
	sees(s, "asked debuginfod: not found");
	keys(s, "\033");
	leave(s);
}

static void
without_the_option_the_key_says_so(void **state)
{
	struct screen *s = *state;

	screen_start(s, 100, 30, ARGS("-K"), NULL);
	sees(s, "PID");
	keys(s, "S");
	sees(s, "nothing is downloaded without --debuginfod");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_download_is_told_stopped_and_goes_on, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_screen_says_what_no_server_has, setup, teardown),
		screen_test(without_the_option_the_key_says_so),
	};

	return cmocka_run_group_tests_name("screen debuginfod", tests, NULL, NULL);
}
