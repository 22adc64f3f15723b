/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runtimes that the broker asks to name their code: servers that speak their protocols. */
#include "broker/broker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/naming.h"
#include "base/call_filter.h"
#include "base/file.h"
#include "broker/python_table.h"
#include "tests/asserts.h"
#include "tests/family.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { SOON_MS = 60000, STEP_MS = 20, PATIENCE_MS = 400, NOBODY = 65534, PATH_BYTES = 64 };

struct world {
	struct broker *broker;
	pid_t child;
	bool has_right; /* the child has a capability, whoever it is */
};

/* A broker that waits so long for a runtime. */
static void
begin_broker(struct world *w, unsigned patience_ms)
{
	const struct broker_config config = { .patience_ms = patience_ms };

	broker_free(w->broker);
	w->broker = broker_new(&config, NULL);
	assert_non_null(w->broker);
}

static int
setup(void **state)
{
	*state = calloc(1, sizeof(struct world));
	begin_broker(*state, SOON_MS);
	return 0;
}

/* A file in /tmp with the number of the process between. */
static void
name_file(char path[PATH_BYTES], const char *begin, pid_t pid, const char *end)
{
	snprintf(path, PATH_BYTES, "/tmp/%s%d%s", begin, (int)pid, end);
}

static int
teardown(void **state)
{
	struct world *w = *state;

	broker_free(w->broker);
	run_end(w->child);
	free(w);
	return 0;
}

/* As a service of systemd's has it with AmbientCapabilities=. */
static bool
take_right(void)
{
	const uint32_t bit = UINT32_C(1) << CAP_NET_BIND_SERVICE;
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { bit, bit, bit } };

	return syscall(SYS_capset, &head, sets) == 0 &&
	       prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_BIND_SERVICE, 0, 0) == 0;
}

/* As that user, if it is not 0; @more: its last argument. */
static void
start_load(struct world *w, const char *load, const char *kind, uid_t uid, const char *more)
{
	const pid_t own = getpid();
	int said[2];
	char byte;

	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	w->child = run_fork();
	if (w->child == 0) {
		run_clean_tmp(getpid()); /* another's with the same number could not be written by that user */
		dup2(said[1], STDOUT_FILENO);
		if (w->has_right)
			prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
		if (uid != 0 && (setgid(uid) != 0 || setuid(uid) != 0))
			_exit(1);
		if (w->has_right && !take_right())
			_exit(1);
		run_end_with(own);
		execl(load, load, kind, "600", more, NULL);
		_exit(1);
	}
	close(said[1]);
	assert_int_equal(read(said[0], &byte, 1), 1);
	close(said[0]);
}

static void
start(struct world *w, const char *kind, uid_t uid, const char *more)
{
	start_load(w, "tests/loads/runtime", kind, uid, more);
}

static struct broker_reply
ask(struct world *w, enum broker_action action)
{
	const struct broker_request r = { .action = action, .pid = w->child,
					  .start = broker_start_of(w->child) };
	struct pollfd p = { .fd = broker_fd(w->broker), .events = POLLIN };
	struct broker_reply reply;

	assert_true(broker_ask(w->broker, &r));
	assert_int_equal(poll(&p, 1, SOON_MS), 1);
	assert_int_equal(broker_take(w->broker, &reply), 1);
	return reply;
}

static bool
has_map(const struct world *w, const char *name, uid_t owner)
{
	char path[PATH_BYTES];
	struct buf b = { 0 };
	struct stat st;
	bool res;

	name_file(path, "perf-", w->child, ".map");
	res = file_read(path, &b, 4096) == 0 && strstr(buf_str(&b), name) != NULL &&
	      stat(path, &st) == 0 && st.st_uid == owner;
	buf_release(&b);
	return res;
}

static bool
is_in_tmp(const struct world *w, const char *begin, const char *end)
{
	char path[PATH_BYTES];
	struct stat st;

	name_file(path, begin, w->child, end);
	return lstat(path, &st) == 0;
}

static void
a_jvm_writes_its_names_and_nothing_else_stays(void **state)
{
	struct world *w = *state;

	start(w, "jvm", 0, NULL);
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_DONE);
	assert_true(has_map(w, "asked_1_times", geteuid()));
	assert_false(is_in_tmp(w, ".attach_pid", ""));
	/* It listens by now. */
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_DONE);
	assert_true(has_map(w, "asked_2_times", geteuid()));
	assert_int_equal(waitpid(w->child, NULL, WNOHANG), 0);
}

static void
a_process_of_another_user_is_asked_as_that_user(void **state)
{
	struct world *w = *state;
	struct broker_reply reply;

	need_root();
	start(w, "jvm", NOBODY, NULL);
	reply = ask(w, BROKER_RUNTIME);
	assert_int_equal(reply.uid, NOBODY);
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_DONE);
	assert_true(has_map(w, "asked_1_times", NOBODY));
}

static void
who_it_is_is_told_before_it_is_asked(void **state)
{
	struct world *w = *state;
	struct broker_reply reply;

	start(w, "jvm", 0, NULL);
	reply = ask(w, BROKER_RUNTIME);
	assert_int_equal(reply.result, BROKER_DONE);
	assert_string_equal(broker_runtime(&reply)->name, "JVM");
	assert_int_equal(reply.uid, geteuid());
	assert_int_equal(reply.inner_pid, w->child);
	assert_int_equal(reply.other_root, 0);
	assert_false(is_in_tmp(w, "perf-", ".map"));
}

static void
dotnet_is_asked_by_its_diagnostic_socket(void **state)
{
	struct world *w = *state;

	start(w, "dotnet", 0, NULL);
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_DONE);
	assert_true(has_map(w, "asked_1_times", geteuid()));
}

/* Its user has said where its socket is; what is a link may lead anywhere. */
static void
a_socket_of_dotnet_is_looked_for_where_tmpdir_says(void **state)
{
	struct world *w = *state;
	char folder[] = "/tmp/name-jit-XXXXXX", lead[64], path[PATH_BYTES * 2];

	assert_non_null(mkdtemp(folder));
	setenv("TMPDIR", folder, 1);
	start(w, "dotnet", 0, NULL);
	unsetenv("TMPDIR");
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_DONE);
	assert_true(has_map(w, "asked_1_times", geteuid()));
	snprintf(path, sizeof(path), "%s/dotnet-diagnostic-%d-4711-socket", folder, (int)w->child);
	assert_int_equal(unlink(path), 0);
	run_end(w->child);
	snprintf(lead, sizeof(lead), "%s-link", folder);
	assert_int_equal(symlink(folder, lead), 0);
	setenv("TMPDIR", lead, 1);
	start(w, "dotnet", 0, NULL);
	unsetenv("TMPDIR");
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_NO_SOCKET);
	snprintf(path, sizeof(path), "%s/dotnet-diagnostic-%d-4711-socket", folder, (int)w->child);
	unlink(path);
	unlink(lead);
	assert_int_equal(rmdir(folder), 0);
}

static void
need_python(void)
{
	if (access("/usr/bin/python3", X_OK) != 0)
		skip_for("no python3 is installed, which runs the script of the stand-in");
}

/* No script of ptop's is left in /tmp. */
static void
assert_no_script(const struct world *w)
{
	char pattern[PATH_BYTES];
	glob_t found;

	name_file(pattern, ".ptop-", w->child, "-*");
	assert_int_equal(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
}

/* No Debian has a Python 3.14 yet: see tests/loads/python314.c for what stands for it. */
static void
a_stand_in_for_python_3_14_is_asked_by_its_memory(void **state)
{
	struct world *w = *state;
	struct broker_reply reply;

	need_python();
	start_load(w, "tests/loads/python314", "good", 0, NULL);
	reply = ask(w, BROKER_RUNTIME);
	assert_string_equal(broker_runtime(&reply)->name, "Python 3.14");
	assert_false(has_map(w, "py::", geteuid()));
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_DONE);
	assert_true(has_map(w, "py::asked:/srv/app.py", geteuid()));
	assert_no_script(w);
	assert_int_equal(waitpid(w->child, NULL, WNOHANG), 0);
}

static void
one_of_another_user_runs_a_script_that_only_this_user_can_read(void **state)
{
	struct world *w = *state;

	need_root();
	need_python();
	start_load(w, "tests/loads/python314", "good", NOBODY, NULL);
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_DONE);
	assert_true(has_map(w, "py::asked:/srv/app.py", NOBODY));
	assert_no_script(w);
}

/* Others of its user could put another script in the place of ours. */
static void
one_with_more_rights_than_its_user_gets_no_script(void **state)
{
	struct broker_request request = { .action = BROKER_NAME_CODE };
	struct broker_reply reply;
	struct world *w = *state;
	struct buf b = { 0 };

	need_root();
	w->has_right = true;
	start_load(w, "tests/loads/python314", "good", NOBODY, NULL);
	reply = ask(w, BROKER_NAME_CODE);
	assert_int_equal(reply.result, BROKER_CLOSED);
	broker_put_reason(&b, &request, &reply);
	assert_non_null(strstr(buf_str(&b), "it has more rights than its user"));
	/* What restricts nothing here is no reason. */
	assert_int_equal(strstr(buf_str(&b), "kernel.yama") != NULL,
			 file_number("/proc/sys/kernel/yama/ptrace_scope", 0) > 0);
	buf_release(&b);
	assert_no_script(w);
}

/* That may be a program with more rights, and the offsets are those of the one before. */
static void
what_a_python_executes_meanwhile_is_not_written_to(void **state)
{
	static uint64_t word = 4711;
	struct world *w = *state;
	uint64_t value = 0;
	char path[PATH_BYTES], byte;
	int go[2], said[2], memory;

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	w->child = run_fork();
	if (w->child == 0) {
		dup2(said[1], STDOUT_FILENO);
		if (read(go[0], &byte, 1) == 1)
			execl("tests/loads/python314", "python314", "good", NULL);
		_exit(1);
	}
	close(said[1]);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)w->child);
	memory = open(path, O_RDWR | O_CLOEXEC);
	assert_that(memory, >=, 0);
	assert_int_equal(python_read(memory, (uintptr_t)&word, &value, sizeof(value)), 0);
	assert_int_equal(value, 4711);
	assert_int_equal(python_write(memory, (uintptr_t)&word, &value, sizeof(value)), 0);
	assert_int_equal(write(go[1], "x", 1), 1);
	assert_int_equal(read(said[0], &byte, 1), 1);
	assert_int_equal(python_read(memory, (uintptr_t)&word, &value, sizeof(value)), ESRCH);
	assert_int_equal(python_write(memory, (uintptr_t)&word, &value, sizeof(value)), ESRCH);
	close(memory);
	close(said[0]);
	close(go[0]);
	close(go[1]);
}

static void
that_its_script_could_not_do_it_is_told(void **state)
{
	struct world *w = *state;
	struct broker_request request = { .action = BROKER_NAME_CODE };
	struct broker_reply reply;
	struct buf b = { 0 };

	need_python();
	start_load(w, "tests/loads/python314", "unable", 0, NULL);
	reply = ask(w, BROKER_NAME_CODE);
	assert_int_equal(reply.result, BROKER_UNWILLING);
	broker_put_reason(&b, &request, &reply);
	assert_non_null(strstr(buf_str(&b), "was built without sys.activate_stack_trampoline"));
	buf_release(&b);
	assert_no_script(w);
}

struct refusal {
	const char *kind, *more;
	enum broker_result result;
	const char *reason;
};

/* Who says nothing is given up soon; who answers has the time that it needs. */
static unsigned
patience_of(const struct refusal *row)
{
	const bool is_silent = row->result == BROKER_DEAF || row->result == BROKER_SILENT ||
			       row->result == BROKER_ASLEEP;

	return is_silent ? PATIENCE_MS : SOON_MS;
}

/* It ends with one sentence, and the process lives on. */
static void
check_refusal(struct world *w, const char *load, const struct refusal *row)
{
	struct broker_request request = { .action = BROKER_NAME_CODE };
	struct broker_reply reply;
	struct buf b = { 0 };

	begin_broker(w, patience_of(row));
	start_load(w, load, row->kind, 0, row->more);
	request.pid = w->child;
	reply = ask(w, BROKER_NAME_CODE);
	broker_put_reason(&b, &request, &reply);
	if (reply.result != row->result || strstr(buf_str(&b), row->reason) == NULL)
		fail_msg("%s: %u, %s", row->kind, reply.result, buf_str(&b));
	assert_int_equal(waitpid(w->child, NULL, WNOHANG), 0);
	assert_false(is_in_tmp(w, ".attach_pid", ""));
	assert_no_script(w);
	buf_release(&b);
	run_end(w->child);
	w->child = 0;
}

static void
a_python_whose_memory_does_not_fit_is_not_written_to(void **state)
{
	static const struct refusal rows[] = {
		{ "other", NULL, BROKER_NO_TABLE, "is not in its memory" },
		{ "old", NULL, BROKER_OTHER_TABLE, "not that of a released Python 3.14" },
		{ "beta", NULL, BROKER_OTHER_TABLE, "not that of a released Python 3.14" },
		{ "disabled", NULL, BROKER_DISABLED, "-X disable-remote-debug" },
		{ "busy", NULL, BROKER_BUSY, "somebody else" },
		{ "twice", NULL, BROKER_BAD_TABLE, "twice" },
		{ "lying", NULL, BROKER_BAD_TABLE, "it lies" },
		{ "astray", NULL, BROKER_BAD_TABLE, "it lies" },
		{ "foreign", NULL, BROKER_BAD_TABLE, "it lies" },
		{ "locked", NULL, BROKER_BAD_TABLE, "it lies" },
		{ "asleep", NULL, BROKER_ASLEEP, "did not come to run Python code" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_refusal(*state, "tests/loads/python314", &rows[i]);
}

static void
what_cannot_be_is_refused(void **state)
{
	static const struct refusal rows[] = {
		{ "deaf", NULL, BROKER_DEAF, "-Xrs" },
		{ "refusing", "-XX:+DisableAttachMechanism", BROKER_DEAF, "DisableAttachMechanism" },
		{ "silent", NULL, BROKER_SILENT, "does not answer" },
		{ "strange", NULL, BROKER_STRANGE, "does not speak" },
		{ "old", NULL, BROKER_UNWILLING, "JDK 17" },
		{ "link", NULL, BROKER_BAD_SOCKET, "a link" },
		{ "fifo", NULL, BROKER_BAD_SOCKET, "no socket" },
		{ "stranger", NULL, BROKER_BAD_SOCKET, "another process's" },
		{ "dotnet-old", NULL, BROKER_UNWILLING, ".NET 8" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_refusal(*state, "tests/loads/runtime", &rows[i]);
}

/* Whom the answer that comes next is about. */
static int
next_answer(struct world *w, struct naming *n)
{
	struct pollfd p = { .fd = broker_fd(w->broker), .events = POLLIN };
	struct buf said = { 0 };
	struct broker_reply reply;
	int pid = n->request.pid;

	assert_int_equal(poll(&p, 1, SOON_MS), 1);
	assert_int_equal(broker_take(w->broker, &reply), 1);
	naming_take(n, &reply, &said);
	buf_release(&said);
	return pid;
}

static void
who_does_not_answer_keeps_nobody_else_waiting(void **state)
{
	struct world *w = *state;
	struct naming n = { 0 };
	pid_t pids[4];

	need_root();
	begin_broker(w, PATIENCE_MS);
	n.broker = w->broker;
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		start(w, i < 3 ? "silent" : "jvm", i < 3 ? NOBODY : 0, NULL);
		pids[i] = w->child;
		naming_ask(&n, (int)pids[i], 0);
	}
	assert_int_equal(next_answer(w, &n), pids[0]);
	assert_int_equal(next_answer(w, &n), pids[3]);
	assert_int_equal(next_answer(w, &n), pids[1]);
	/* More than can wait; another takes the place of the last. */
	for (size_t i = 0; i < NAMING_MAX; i++)
		naming_ask(&n, (int)pids[0], 0);
	assert_int_equal(n.waiting_len, NAMING_MAX);
	naming_ask(&n, (int)pids[3], 0);
	assert_int_equal(n.waiting_len, NAMING_MAX);
	assert_int_equal(next_answer(w, &n), pids[2]);
	assert_int_equal(next_answer(w, &n), pids[3]);
	for (size_t i = 0; i < 3; i++)
		run_end(pids[i]);
}

static void
a_link_in_place_of_the_attach_file_is_not_followed(void **state)
{
	struct world *w = *state;
	char path[PATH_BYTES], to[PATH_BYTES];

	start(w, "jvm", 0, NULL);
	name_file(path, ".attach_pid", w->child, "");
	name_file(to, ".attach_pid", w->child, "-to");
	assert_int_equal(symlink(to, path), 0);
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_BAD_FILE);
	assert_false(is_in_tmp(w, ".attach_pid", "-to"));
	assert_true(is_in_tmp(w, ".attach_pid", ""));
}

static void
what_others_put_at_the_place_of_its_socket_is_not_asked(void **state)
{
	struct world *w = *state;
	char path[PATH_BYTES];

	need_root();
	start(w, "jvm", NOBODY, NULL);
	name_file(path, ".java_pid", w->child, "");
	assert_int_equal(mknod(path, S_IFSOCK | 0777, 0), 0); /* root's */
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_BAD_SOCKET);
	assert_false(has_map(w, "asked", NOBODY));
}

static void
a_process_without_a_runtime_is_left_alone(void **state)
{
	struct world *w = *state;
	struct broker_request request = { .action = BROKER_NAME_CODE };
	struct broker_reply reply;
	struct buf b = { 0 };

	w->child = run_fork();
	if (w->child == 0)
		for (;;)
			pause();
	request.pid = w->child;
	reply = ask(w, BROKER_NAME_CODE);
	assert_int_equal(reply.result, BROKER_NO_SWITCH);
	broker_put_reason(&b, &request, &reply);
	assert_non_null(strstr(buf_str(&b), "maps no runtime"));
	buf_release(&b);
}

/* The child of the namer that has become the user nobody; 0: there is none. */
static pid_t
find_asker(void)
{
	pid_t pids[FAMILY_MAX];
	size_t n = family_find(getpid(), pids);

	for (size_t i = 0; i < n; i++)
		if (family_is_called(pids[i], "ptop-namer") &&
		    family_status_field(pids[i], "\nUid:", 10) == NOBODY)
			return pids[i];
	return 0;
}

/* Its user may stop it: it ends all the same. */
static void
a_child_that_its_user_has_stopped_ends_with_the_namer(void **state)
{
	struct broker_request r = { .action = BROKER_NAME_CODE };
	struct world *w = *state;
	pid_t asker = 0;

	need_root();
	start(w, "silent", NOBODY, NULL);
	r.pid = w->child;
	r.start = broker_start_of(w->child);
	assert_true(broker_ask(w->broker, &r));
	for (int ms = 0; ms < SOON_MS && asker == 0; ms += STEP_MS) {
		usleep(STEP_MS * 1000);
		/* It has asked. */
		if (is_in_tmp(w, ".java_pid", ""))
			asker = find_asker();
	}
	assert_that(asker, >, 0);
	family_stop(asker);
	broker_free(w->broker);
	w->broker = NULL;
	family_assert_gone(&asker, 1);
}

/* A process of its own: the broker does not have these rights. */
static void
who_asks_has_no_more_rights_than_that_takes(void **state)
{
	const uint64_t most = UINT64_C(1) << CAP_SYS_PTRACE | UINT64_C(1) << CAP_SETUID |
			      UINT64_C(1) << CAP_SETGID | UINT64_C(1) << CAP_KILL;
	struct world *w = *state;
	pid_t pids[FAMILY_MAX], namer = 0;
	size_t n;

	start(w, "jvm", 0, NULL);
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_DONE);
	n = family_find(getpid(), pids);
	for (size_t i = 0; i < n; i++)
		if (family_is_called(pids[i], "ptop-namer"))
			namer = pids[i];
	assert_that(namer, >, 0);
	assert_int_equal(family_status_field(namer, "\nCapPrm:", 16),
			 family_status_field(getpid(), "\nCapPrm:", 16) & most);
	assert_int_equal(family_status_field(namer, "\nNoNewPrivs:", 10), 1);
#ifdef PTOP_CONFINE
	assert_int_equal(family_status_field(namer, "\nSeccomp:", 10), CALL_FILTER_WORKS ? 2 : 0);
#endif
	broker_free(w->broker);
	w->broker = NULL;
	family_assert_gone(&namer, 1);
}

/* In a folder that becomes its root, with a /tmp of that mode. */
static void
start_in_root(struct world *w, char *folder, const char *mode, const char *load, const char *kind)
{
	char command[512];
	int said[2];
	char byte;

	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command),
		 "cd %s && chmod 755 . && mkdir -m %s tmp && cp \"$OLDPWD/tests/loads/%s\" load && "
		 "for f in $(ldd load | grep -o '/[^ ]*'); do "
		 "mkdir -p .$(dirname $f) && cp $f .$f; done",
		 folder, mode, load);
	assert_int_equal(system(command), 0);
	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	w->child = run_fork();
	if (w->child == 0) {
		dup2(said[1], STDOUT_FILENO);
		if (chroot(folder) == 0 && chdir("/") == 0)
			execl("/load", load, kind, "600", NULL);
		_exit(1);
	}
	close(said[1]);
	assert_int_equal(read(said[0], &byte, 1), 1);
	close(said[0]);
}

static void
end_in_root(struct world *w, const char *folder)
{
	char command[512];

	run_end(w->child);
	w->child = 0;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* Who put another there would choose what it runs. */
static void
a_python_in_whose_tmp_anybody_may_replace_files_gets_no_script(void **state)
{
	struct world *w = *state;
	char folder[] = "/tmp/name-jit-XXXXXX";

	need_root();
	start_in_root(w, folder, "777", "python314", "good");
	assert_int_equal(ask(w, BROKER_NAME_CODE).result, BROKER_OPEN_TMP);
	end_in_root(w, folder);
}

/* Where it is in a chroot, the files are in there. */
static void
a_process_in_a_chroot_is_asked_in_there(void **state)
{
	struct world *w = *state;
	char folder[] = "/tmp/name-jit-XXXXXX", path[PATH_BYTES * 2];
	struct broker_reply reply;
	struct buf b = { 0 };

	need_root();
	start_in_root(w, folder, "1777", "runtime", "jvm");
	reply = ask(w, BROKER_NAME_CODE);
	assert_int_equal(reply.result, BROKER_DONE);
	assert_int_equal(reply.other_root, 1);
	snprintf(path, sizeof(path), "%s/tmp/perf-%d.map", folder, (int)w->child);
	assert_int_equal(file_read(path, &b, 4096), 0);
	assert_non_null(strstr(buf_str(&b), "asked_1_times"));
	buf_release(&b);
	end_in_root(w, folder);
}

#define NAME_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		NAME_TEST(a_jvm_writes_its_names_and_nothing_else_stays),
		NAME_TEST(a_process_of_another_user_is_asked_as_that_user),
		NAME_TEST(who_it_is_is_told_before_it_is_asked),
		NAME_TEST(dotnet_is_asked_by_its_diagnostic_socket),
		NAME_TEST(a_stand_in_for_python_3_14_is_asked_by_its_memory),
		NAME_TEST(one_of_another_user_runs_a_script_that_only_this_user_can_read),
		NAME_TEST(one_with_more_rights_than_its_user_gets_no_script),
		NAME_TEST(what_a_python_executes_meanwhile_is_not_written_to),
		NAME_TEST(that_its_script_could_not_do_it_is_told),
		NAME_TEST(a_python_whose_memory_does_not_fit_is_not_written_to),
		NAME_TEST(a_socket_of_dotnet_is_looked_for_where_tmpdir_says),
		NAME_TEST(what_cannot_be_is_refused),
		NAME_TEST(who_does_not_answer_keeps_nobody_else_waiting),
		NAME_TEST(a_link_in_place_of_the_attach_file_is_not_followed),
		NAME_TEST(what_others_put_at_the_place_of_its_socket_is_not_asked),
		NAME_TEST(a_process_without_a_runtime_is_left_alone),
		NAME_TEST(a_python_in_whose_tmp_anybody_may_replace_files_gets_no_script),
		NAME_TEST(a_process_in_a_chroot_is_asked_in_there),
		NAME_TEST(a_child_that_its_user_has_stopped_ends_with_the_namer),
		NAME_TEST(who_asks_has_no_more_rights_than_that_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
