/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts that are namespaces, each with an sshd of its own (tests/hosts-network), on one screen. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/screen_fixture.h"
#include "tests/skip.h"
#include "tests/static_program.h"

enum { UP_MS = 60000 };

static struct {
	char folder[32], path[4096];
	pid_t network;
} hosts;

static bool
has_tools(void)
{
	return system("for tool in ip unshare ssh ssh-keygen faketime; do command -v $tool || exit 1; done "
		      ">/dev/null; PATH=$PATH:/usr/sbin command -v sshd >/dev/null") == 0;
}

static void
run_network(void)
{
	const char *top = getenv("top_srcdir");
	char script[4096], ptop[4096];

	snprintf(script, sizeof(script), "%s/tests/hosts-network", top != NULL ? top : ".");
	if (realpath(run_ptop(), ptop) == NULL)
		_exit(126);
	execl(script, script, hosts.folder, ptop, "tests/loads/hot", "web1", "web2", "bare1", "web3",
	      (char *)NULL);
	_exit(127);
}

/* This process and all that it starts are in a network of their own from here on. */
static int
start_network(void **state)
{
	const struct timespec moment = { .tv_nsec = 20000000 };
	char up[64];

	(void)state;
	if (geteuid() != 0 || !has_tools())
		return 0;
	run_own_mounts();
	strcpy(hosts.folder, "/tmp/ptop-ssh-XXXXXX");
	if (mkdtemp(hosts.folder) == NULL || chmod(hosts.folder, 0755) < 0 || unshare(CLONE_NEWNET) < 0)
		return -1;
	hosts.network = run_fork();
	if (hosts.network == 0)
		run_network();
	snprintf(up, sizeof(up), "%s/up", hosts.folder);
	for (int ms = 0; ms < UP_MS && access(up, F_OK) != 0; ms += 20) {
		if (waitpid(hosts.network, NULL, WNOHANG) == hosts.network) {
			hosts.network = 0;
			return 0;
		}
		nanosleep(&moment, NULL);
	}
	snprintf(hosts.path, sizeof(hosts.path), "PATH=%s/bin:%s", hosts.folder, getenv("PATH"));
	return 0;
}

static int
end_network(void **state)
{
	char line[128];

	(void)state;
	if (hosts.folder[0] == '\0')
		return 0;
	run_end(hosts.network);
	snprintf(line, sizeof(line), "rm -rf %s", hosts.folder);
	return system(line) == 0 ? 0 : -1;
}

static void
set_link(const char *name, const char *how)
{
	char line[128];

	snprintf(line, sizeof(line), "ip link set link-%s %s", name, how);
	assert_int_equal(system(line), 0);
}

static void
three_hosts_are_one_screen_and_one_that_is_cut_off_comes_back(void **state)
{
	struct screen *s = *state;

	if (hosts.network <= 0)
		skip_for("no namespaces, sshd or faketime here");
	screen_start(s, 150, 40, ARGS("--hosts", "web1,web2,web3", "-w", "3"), ENV(hosts.path));
	sees(s, "3 hosts");
	sees_match(s, " web1 *$");
	sees_match(s, " web2 *$");
	sees_match(s, " web3 *$");
	sees(s, "web3: its clock is 60 min ahead");

	keys(s, "/web2\r");
	keys(s, "\r");
	sees(s, "[Processes]");
	sees(s, "load-web2");
	sees_no(s, "load-web1");
	keys(s, "\033");
	sees(s, "[Hosts]");

	set_link("web2", "down");
	sees(s, "web2: slow");
	sees_no(s, "web1: slow");
	sees_match(s, " web1 *$");
	set_link("web2", "up");
	sees_no(s, "web2: slow");
	sees_match(s, " web2 *$");

	keys(s, "e");
	keys(s, "task-clock\r");
	sees(s, "event task-clock");
	sees_match(s, " web1 *$");
	sees_match(s, " web2 *$");
	sees_match(s, " web3 *$");
	leave(s);
}

/* Its file has no name any more while it runs: however that ends, nothing is left. */
static void
a_host_without_ptop_gets_this_one(void **state)
{
	struct screen *s = *state;
	char file[64], copy[80], temporary[64], ptop[4096];

	if (hosts.network <= 0)
		skip_for("no namespaces, sshd or faketime here");
	snprintf(file, sizeof(file), "%s/static", hosts.folder);
	snprintf(copy, sizeof(copy), "--copy=%s", file);
	snprintf(temporary, sizeof(temporary), "%s/bare1/tmp", hosts.folder);
	assert_non_null(realpath(run_ptop(), ptop));
	if (!static_program_write(file, ptop))
		skip_for("no code of this machine's is known to the test");
	screen_start(s, 150, 40, ARGS("--hosts", "bare1", copy), ENV(hosts.path));
	sees(s, "1 host ");
	sees_match(s, " bare1 *$");
	assert_int_equal(rmdir(temporary), 0);
	keys(s, "!");
	sees_match(s, "bare1: ptop .* \\(copied there\\), ");
	keys(s, "\033");
	keys(s, "/bare1\r");
	keys(s, "\r");
	sees(s, "load-bare1");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(a_host_without_ptop_gets_this_one),
		screen_test(three_hosts_are_one_screen_and_one_that_is_cut_off_comes_back),
	};

	return cmocka_run_group_tests(tests, start_network, end_network);
}
