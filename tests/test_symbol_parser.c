/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that parses symbol files: what it cannot do, and files that end it.  It takes half a
 * minute: who does not answer is waited for, and that takes seconds in each of six tests.
 */
#include "config.h"

#include "symbol/parser/host.h"
#include "symbol/parser/confine.h"

#include "base/clock.h"
#include "base/file.h"
#include "live/sys/capabilities.h"
#include "symbol_fixture.h"
#include "tests/asserts.h"
#include "tests/family.h"
#include "tests/skip.h"

#include <fnmatch.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 40, GONE_MS = 20000, SECONDS = 1, MEMORY = 64 << 20, ANSWER_S = 5 };

/* What stands at the beginning of a file, and what the parser then does. */
static const struct trick {
	const char *word;
	int (*play)(int fd, struct err *err);
} tricks[];

/* What LOOP has used so far, as it sees itself.  Shared with it. */
static atomic_ullong *looped_ns;

/* As the parser's own, but for files that begin with the word of a trick. */
static int
tricky_image(int fd, const struct debug_finder *finder, struct parser_file *about,
	     struct err *err)
{
	char word[16] = "";

	if (pread(fd, word, sizeof(word) - 1, 0) > 0)
		for (const struct trick *t = tricks; t->word != NULL; t++)
			if (strncmp(word, t->word, strlen(t->word)) == 0)
				return t->play(fd, err);
	return parser_image(fd, finder, about, err);
}

static int
play_crash(int fd, struct err *err)
{
	(void)fd;
	(void)err;
	/* A sanitizer may want to tell of it, and would end with a status. */
	signal(SIGILL, SIG_DFL);
	__builtin_trap();
}

static int
play_loop(int fd, struct err *err)
{
	(void)fd;
	(void)err;
	for (;;)
		atomic_store(looped_ns, clock_process_cpu_ns());
	return -1;
}

/* Waits for what does not come, which takes no time of a CPU. */
static int
play_sleep(int fd, struct err *err)
{
	char byte;

	(void)fd;
	(void)err;
	while (recv(STDIN_FILENO, &byte, 1, MSG_PEEK) != 1 || true)
		;
	return -1;
}

static int
play_take(int fd, struct err *err)
{
	(void)fd;
	(void)err;
#ifndef PTOP_CONFINE
	die("out of memory"); /* under a sanitizer there is no limit to run into */
#endif
	for (size_t n = 0; n < 1 << 20; n++)
		memset(mem_calloc(1, 1 << 20), 1, 1 << 20);
	return -1;
}

/* Hands back the file that it was given. */
static int
play_return(int fd, struct err *err)
{
	(void)err;
	return fd;
}

static int
play_open_memory(int fd, struct err *err)
{
	(void)fd;
	(void)err;
	return memfd_create("not sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/* Speaks in the parser's place. */
static int
play_nonsense(int fd, struct err *err)
{
	const struct iovec iov = { "\xff\xff\xff\xff\xff\xff\xff\xff", 8 };
	struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)&iov, .msg_iovlen = 1 };

	(void)fd;
	sendmsg(STDIN_FILENO, &m, 0);
	return err_set(err, ERR_FORMAT, 0, "nonsense");
}

/* errno of each thing that is tried, 0 where it could be done. */
static int
play_escape(int fd, struct err *err)
{
	/* Under a sanitizer, which needs more calls to tell of something, a parser has no filter. */
#ifndef PTOP_CONFINE
	const bool is_filtered = seccomp_enter(SECCOMP_PARSER) && close(STDERR_FILENO) == 0;
#else
	const bool is_filtered = true;
#endif
	char *const none[] = { NULL };
	const int tried[] = {
		open("/etc/passwd", O_RDONLY) < 0 ? errno : 0,
		openat(fd, "", O_RDONLY) < 0 ? errno : 0,
		socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0,
		socket(AF_INET, SOCK_DGRAM, 0) < 0 ? errno : 0,
		ptrace(PTRACE_SEIZE, 1, NULL, NULL) < 0 ? errno : 0,
		kill(getppid(), 0) < 0 ? errno : 0,
		execve("/bin/true", none, none) < 0 ? errno : 0,
		fork() < 0 ? errno : 0,
		setuid(0) < 0 ? errno : 0,
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
				MAP_FAILED ? errno : 0,
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) ==
				MAP_FAILED ? errno : 0,
		syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) < 0 ? errno : 0,
		syscall(SYS_process_vm_readv, 1, NULL, 0, NULL, 0, 0) < 0 ? errno : 0,
		syscall(SYS_unshare, 0) < 0 ? errno : 0,
		write(STDERR_FILENO, "", 1) < 0 ? errno : 0,
	};
	struct buf b = { 0 };

	for (size_t i = 0; is_filtered && i < ARRAY_SIZE(tried); i++)
		buf_addf(&b, "%d ", tried[i]);
	err_set(err, ERR_FORMAT, 0, "%s", b.data);
	buf_release(&b);
	return -1;
}

static const struct trick tricks[] = {
	{ "CRASH", play_crash },       { "LOOP", play_loop },
	{ "SLEEP", play_sleep },       { "TAKE", play_take },
	{ "RETURN", play_return },     { "OPEN MEMORY", play_open_memory },
	{ "NONSENSE", play_nonsense }, { "ESCAPE", play_escape },
	{ NULL, NULL },
};

static int
setup(void **state)
{
	const struct host_config config = {
		.image = tricky_image, .limits = { .cpu_s = SECONDS, .memory = MEMORY },
		.answer_s = ANSWER_S,
	};
	struct symbol_config symbols = {
		.kallsyms = "/proc/kallsyms", .proc = "/proc", .demangle = true,
	};
	struct fixture *f;

	if (fixture_setup(state) != 0)
		return -1;
	f = *state;
	atomic_store(looped_ns, 0);
	symbol_service_free(f->service);
	symbols.host = host_new(&config);
	f->service = symbol_service_new(&symbols, f->answers);
	for (const struct trick *t = tricks; t->word != NULL; t++)
		write_text(f, t->word, t->word);
	return 0;
}

static void
assert_named(struct fixture *f)
{
	struct symbol_image_msg *m = ask_path(f, "nopie");

	assert_string_equal(m->reason, "");
	assert_non_null(m->image);
	msg_free(&m->msg);
}

/* Its names are missing for that reason, and those of the next file are there. */
static void
assert_ends(struct fixture *f, const char *file, const char *reason)
{
	struct symbol_image_msg *m = ask_path(f, file);

	assert_string_not_equal(m->remedy, "");
	assert_reason(m, reason);
	assert_named(f);
}

static void
a_file_that_makes_the_parser_crash_costs_its_own_names(void **state)
{
	assert_ends(*state, "CRASH", "parser crash: signal 4");
}

static void
a_file_that_makes_the_parser_loop_costs_its_own_names(void **state)
{
	assert_ends(*state, "LOOP", "parser hang: 1 s");
}

/* On a busy machine it gets less than its second before it has taken three by the clock. */
static void
the_time_of_a_parser_that_was_ended_is_told(void **state)
{
	struct fixture *f = *state;

	msg_free(&ask_path(f, "LOOP")->msg);
	assert_that(atomic_load(looped_ns), >, 0);
	/* It is told in microseconds, of user and of system. */
	assert_that(symbol_service_cpu_ns(f->service) + 2000, >=, atomic_load(looped_ns));
}

/* The host may be in a pid namespace: what it calls the parser is nobody here. */
static void
the_time_of_a_parser_at_work_is_told(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask = { .dso = 1, .kind = SYMBOL_ELF, .path = in_dir(f, "LOOP") };
	struct symbol_image_msg *m = NULL;
	uint64_t looped;

	if (syscall(SYS_pidfd_open, getpid(), 0) < 0)
		skip_for("it takes pidfds, Linux 5.3");
	symbol_service_ask_image(f->service, &ask);
	while (atomic_load(looped_ns) == 0 && m == NULL)
		m = (struct symbol_image_msg *)queue_wait(f->answers, 1);
	assert_null(m);
	looped = atomic_load(looped_ns);
	assert_that(symbol_service_cpu_ns(f->service), >=, looped);
	msg_free((struct msg *)answer(f, SYMBOL_MSG_IMAGE));
}

static void
a_parser_that_waits_for_ever_is_ended(void **state)
{
	assert_ends(*state, "SLEEP", "parser hang: 1 s");
}

static void
a_file_that_makes_the_parser_take_memory_costs_its_own_names(void **state)
{
	assert_ends(*state, "TAKE", "parser run out of memory");
}

static void
what_a_parser_hands_back_must_be_sealed_memory(void **state)
{
	assert_ends(*state, "RETURN", "parser send broken answers");
	assert_ends(*state, "OPEN MEMORY", "parser send broken answers");
}

static void
a_parser_that_talks_nonsense_is_ended(void **state)
{
	struct symbol_image_msg *m = ask_path(*state, "NONSENSE");

	assert_null(m->image);
	msg_free(&m->msg);
	assert_named(*state);
}

static void
a_parser_can_do_nothing_but_read_what_it_got(void **state)
{
	struct symbol_image_msg *m;
	const char *at;
	int tried = 0, n, error;

	m = ask_path(*state, "ESCAPE");
	assert_null(m->image);
	for (at = m->reason; sscanf(at, "%d %n", &error, &n) == 1; at += n, tried++)
		if (error != EPERM && error != EBADF)
			fail_msg("attempt %d: %d of '%s'", tried, error, m->reason);
	assert_int_equal(tried, 15);
	msg_free(&m->msg);
	assert_named(*state);
}

static int
children_called(const char *name, int pid, int *found, int max)
{
	int count = 0;
	char path[300], line[128], comm[32];
	struct dirent *e;
	DIR *proc = opendir("/proc");

	assert_non_null(proc);
	while ((e = readdir(proc)) != NULL) {
		int parent, child = atoi(e->d_name);
		char state;
		FILE *in;

		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		in = child > 0 ? fopen(path, "r") : NULL;
		if (in == NULL)
			continue;
		if (fgets(line, sizeof(line), in) != NULL &&
		    sscanf(line, "%*d (%31[^)]) %c %d", comm, &state, &parent) == 3 &&
		    parent == pid && strcmp(comm, name) == 0 && count < max)
			found[count++] = child;
		fclose(in);
	}
	closedir(proc);
	return count;
}

/* The children of a process that have the parser's name. */
static int
children(int pid, int *found, int max)
{
	return children_called("ptop-symbols", pid, found, max);
}

/* Of the only service there is.  Root's has a keeper, whose child it is. */
static bool
find_host(int pid, int *host)
{
	int keeper;

	return children(pid, host, 1) == 1 ||
	       (children_called("ptop-keeper", pid, &keeper, 1) == 1 &&
		children(keeper, host, 1) == 1);
}

static void
find_processes(int pid, int *host, int *parser)
{
	assert_true(find_host(pid, host));
	assert_int_equal(children(*host, parser, 1), 1);
}

/* @line as a pattern of fnmatch(3). */
static bool
has_status(int pid, const char *line)
{
	struct buf b = { 0 };
	char path[64];
	bool has = false;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (file_read(path, &b, 1 << 16) == 0)
		for (char *save, *at = strtok_r(b.data, "\n", &save); at != NULL; at = strtok_r(NULL, "\n", &save))
			has |= fnmatch(line, at, 0) == 0;
	buf_release(&b);
	return has;
}

static void
assert_status(int pid, const char *line)
{
	if (!has_status(pid, line))
		fail_msg("no '%s' in /proc/%d/status", line, pid);
}

#ifdef PTOP_CONFINE
static int
descriptors(int pid)
{
	char path[64];
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (dir == NULL)
		return -1;
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n - 2;
}

/* What it was asked with is closed when the answer is out: it may be some moments later. */
static void
assert_one_descriptor(int pid)
{
	const uint64_t end = clock_mono_ns() + GONE_MS * NSEC_PER_MSEC;

	while (descriptors(pid) > 1 && clock_mono_ns() < end)
		usleep(1000);
	assert_int_equal(descriptors(pid), 1);
}
#endif

static void
the_processes_have_no_right_and_one_descriptor(void **state)
{
	int pids[2];

	for (int i = 0; i < 2; i++) {
		/* A parser that has nothing to do for seconds is let go. */
		assert_named(*state);
		find_processes(getpid(), &pids[0], &pids[1]);
		if (geteuid() == 0)
			assert_status(pids[i], "Uid:\t65534\t65534\t65534\t65534");
		assert_status(pids[i], "CapPrm:\t0000000000000000");
		assert_status(pids[i], "CapEff:\t0000000000000000");
		assert_status(pids[i], "NoNewPrivs:\t1");
		/* Signals of a terminal go to its session. */
		assert_int_equal(getsid(pids[i]), pids[0]);
#ifdef PTOP_CONFINE
		assert_status(pids[i], "Seccomp:\t2");
		if (geteuid() == 0)
			assert_one_descriptor(pids[i]);
#endif
	}
}

#ifdef PTOP_CONFINE
#define LAST_GIVEN_UP "Seccomp:\t2"
#else
#define LAST_GIVEN_UP "NoNewPrivs:\t1"
#endif

static void
who_keeps_roots_processes_can_do_nothing_but_end(void **state)
{
	const uint64_t end = clock_mono_ns() + GONE_MS * NSEC_PER_MSEC;
	int keeper = 0;

	(void)state;
	if (geteuid() != 0)
		skip_for("not root");
	/* It does not hold up those that it keeps. */
	while ((children_called("ptop-keeper", getpid(), &keeper, 1) != 1 ||
		!has_status(keeper, LAST_GIVEN_UP)) && clock_mono_ns() < end)
		usleep(1000);
	assert_status(keeper, "CapPrm:\t00000000000000[02]0"); /* CAP_KILL, or in a namespace none */
	assert_status(keeper, "CapBnd:\t0000000000000000");
	assert_status(keeper, "NoNewPrivs:\t1");
	assert_int_equal(getsid(keeper), keeper);
#ifdef PTOP_CONFINE
	assert_int_equal(descriptors(keeper), 0);
#endif
}

static bool
is_there(int pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

static void
assert_gone(int pid)
{
	uint64_t end = clock_mono_ns() + GONE_MS * NSEC_PER_MSEC;

	while (is_there(pid) && clock_mono_ns() < end)
		usleep(10000);
	if (!is_there(pid))
		return;
	kill(pid, SIGKILL);
	fail_msg("process %d is left", pid);
}

static void
no_process_is_left_when_the_service_ends(void **state)
{
	struct fixture *f = *state;
	int host, parser;

	assert_named(f);
	find_processes(getpid(), &host, &parser);
	symbol_service_free(f->service);
	f->service = NULL;
	assert_false(is_there(host));
	assert_gone(parser);
}

/* As root's ptop. */
static void
give_up_capabilities(void)
{
	const struct capability_needs needs = { .files = true };

	capabilities_reduce(&needs);
}

/* In a child: its parser loops when it is killed. */
static void
be_killed(const struct fixture *f, int tell) NORETURN;

static void
be_killed(const struct fixture *f, int tell)
{
	const struct host_config config = { .image = tricky_image };
	struct symbol_config symbols = { .kallsyms = "", .proc = "/proc", .host = host_new(&config) };
	struct symbol_ask ask = { .dso = 1, .kind = SYMBOL_ELF, .path = in_dir(f, "LOOP") };
	struct symbol_service *s;

	give_up_capabilities();
	s = symbol_service_new(&symbols, f->answers);
	symbol_service_ask_image(s, &ask);
	if (write(tell, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* What is stopped when ptop is killed. */
enum { STOP_NONE, STOP_HOST = 1 << 0, STOP_PARSER = 1 << 1 };

static void
assert_killed_leaves_nothing(const struct fixture *f, unsigned stops)
{
	const uint64_t end = clock_mono_ns() + GONE_MS * NSEC_PER_MSEC;
	int ends[2], host = 0, parser = 0, pid;
	char byte;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = run_fork();
	if (pid == 0)
		be_killed(f, ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	while ((!find_host(pid, &host) || children(host, &parser, 1) != 1 ||
		!family_parser_is_ready(parser)) && clock_mono_ns() < end)
		usleep(10000);
	assert_that(parser, >, 0);
	if (stops & STOP_HOST)
		family_stop(host);
	if (stops & STOP_PARSER)
		family_stop(parser);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_gone(parser);
	assert_gone(host);
	close(ends[0]);
	close(ends[1]);
}

static void
no_process_is_left_when_ptop_is_killed(void **state)
{
	struct fixture *f = *state;

	/* What a thread holds at a fork, the child waits for: a sanitizer's own locks, for one. */
	symbol_service_free(f->service);
	f->service = NULL;
	for (unsigned stops = STOP_NONE; stops <= (STOP_HOST | STOP_PARSER); stops++)
		assert_killed_leaves_nothing(f, stops);
}

/* The file has done nothing: idle, or at work when it is stopped. */
static void
a_stopped_parser_is_ended_and_its_file_not_blamed(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask = { .dso = 1, .kind = SYMBOL_ELF, .path = in_dir(f, "SLEEP") };
	int host, parser;

	assert_named(f);
	find_processes(getpid(), &host, &parser);
	family_stop(parser);
	assert_reason(ask_path(f, "nopie"), "parses symbols was stopped");
	assert_gone(parser);
	assert_named(f);
	find_processes(getpid(), &host, &parser);
	symbol_service_ask_image(f->service, &ask);
	family_stop(parser);
	assert_reason((struct symbol_image_msg *)answer(f, SYMBOL_MSG_IMAGE),
		      "parses symbols was stopped");
	assert_named(f);
}

static void
free_service(struct fixture *f)
{
	alarm(GONE_MS / 1000); /* it would wait for ever */
	symbol_service_free(f->service);
	alarm(0);
	f->service = NULL;
}

static void
a_service_ends_while_a_child_of_ptop_has_its_sockets(void **state)
{
	struct fixture *f = *state;
	pid_t pid = run_fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	free_service(f);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
a_service_ends_while_its_host_is_stopped(void **state)
{
	int host, parser;

	assert_named(*state);
	find_processes(getpid(), &host, &parser);
	family_stop(host);
	free_service(*state);
	assert_gone(host);
	assert_gone(parser);
}

static void
a_service_ends_while_its_host_and_the_parser_at_work_are_stopped(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask = { .dso = 1, .kind = SYMBOL_ELF, .path = in_dir(f, "LOOP") };
	int host, parser = 0;

	symbol_service_ask_image(f->service, &ask);
	while (!find_host(getpid(), &host) || children(host, &parser, 1) != 1)
		usleep(1000);
	family_stop(parser);
	family_stop(host);
	free_service(f);
	assert_gone(host);
	assert_gone(parser);
	msg_free(queue_take(f->answers));
}

/* It is asked for the next parser, and to end the last. */
static void
a_stopped_host_leaves_files_without_names_but_with_a_reason(void **state)
{
	struct fixture *f = *state;
	int host, parser;

	assert_named(f);
	assert_null(symbol_service_loss(f->service));
	find_processes(getpid(), &host, &parser);
	family_stop(host);
	kill(parser, SIGKILL);
	msg_free(&ask_path(f, "nopie")->msg);
	for (int i = 0; i < 3; i++)
		assert_reason(ask_path(f, "nopie"), "did not answer for 5 s");
	assert_non_null(symbol_service_loss(f->service));
	assert_gone(host);
}

static void
a_service_ends_while_its_parser_hangs(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask = { .dso = 1, .kind = SYMBOL_ELF, .path = in_dir(f, "LOOP") };
	int host, parser = 0;

	symbol_service_ask_image(f->service, &ask);
	/* Their names are the last that is seen of them. */
	while (!find_host(getpid(), &host) || children(host, &parser, 1) != 1)
		usleep(1000);
	symbol_service_free(f->service);
	f->service = NULL;
	assert_gone(parser);
	msg_free(queue_take(f->answers));
}

static void
after_many_failures_in_a_row_it_says_so(void **state)
{
	int rested = 0;

	for (int i = 0; i < MANY; i++) {
		struct symbol_image_msg *m = ask_path(*state, "CRASH");

		rested += strstr(m->reason, "files in a row") != NULL;
		msg_free(&m->msg);
	}
	assert_that(rested, >, 0);
	assert_that(rested, <, MANY - 8);
}

static void
a_killed_parser_is_replaced(void **state)
{
	int host, parser;

	assert_named(*state);
	find_processes(getpid(), &host, &parser);
	kill(parser, SIGKILL);
	/* It may have been asked before it was seen to be gone. */
	msg_free(&ask_path(*state, "nopie")->msg);
	assert_named(*state);
}

static void
a_killed_host_leaves_files_without_names_but_with_a_reason(void **state)
{
	struct fixture *f = *state;
	const struct symbol_ask ask = { .dso = 3, .kind = SYMBOL_ELF, .path = in_dir(f, "nopie") };
	struct symbol_rules_msg *m;
	int host, parser;

	assert_named(f);
	find_processes(getpid(), &host, &parser);
	kill(host, SIGKILL);
	assert_gone(parser);
	for (int i = 0; i < 3; i++)
		assert_reason(ask_path(f, "nopie"), "was ended");
	assert_non_null(symbol_service_loss(f->service));
	/* It may have unwind information: nobody could look. */
	symbol_service_ask_rules(f->service, &ask);
	m = (struct symbol_rules_msg *)answer(f, SYMBOL_MSG_RULES);
	assert_null(m->rules);
	assert_true(m->is_unread);
	msg_free(&m->msg);
}

static char *
ask_line(struct fixture *f, uint64_t addr)
{
	struct symbol_ask ask = { .dso = 3, .kind = SYMBOL_ELF, .path = in_dir(f, "nopie") };
	struct symbol_lines_msg *m;
	char *line;

	symbol_service_ask_lines(f->service, &ask, &addr, 1);
	m = (struct symbol_lines_msg *)answer(f, SYMBOL_MSG_LINES);
	line = m->lines[0].line;
	m->lines[0].line = NULL;
	msg_free(&m->msg);
	return line;
}

/* The process that had the file open has gone with what it knew. */
static void
lines_are_found_again_after_another_file_ended_the_parser(void **state)
{
	struct symbol_image_msg *m = ask_path(*state, "nopie");
	uint64_t addr = 0;

	for (uint32_t i = 0; i < image_count(m->image); i++)
		if (strcmp(image_raw_name(m->image, i), "hot_loop") == 0)
			addr = image_address(m->image, i);
	msg_free(&m->msg);
	for (int i = 0; i < 4; i++) {
		char *line = ask_line(*state, addr);

		assert_non_null(line);
		assert_memory_equal(line, "prog.c:", 7);
		free(line);
		if (i == 1)
			assert_ends(*state, "CRASH", "crash");
	}
}

static void *
allocate(void *is_over)
{
	while (!atomic_load((atomic_bool *)is_over))
		free(malloc(4096));
	return NULL;
}

static bool
says_something(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char byte = 0;

	return poll(&p, 1, 20000) == 1 && read(fd, &byte, 1) == 1;
}

/* Else what they have locked would stay so in the new one. */
static void
a_process_is_kept_whatever_other_threads_do(void **state)
{
	atomic_bool is_over = false;
	pthread_t threads[4];
	bool spoke = true;

	(void)state;
	if (geteuid() != 0)
		skip_for("not root");
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, allocate, &is_over), 0);
	for (int i = 0; i < 100 && spoke; i++) {
		int ends[2], keeper, pid;

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
		pid = keeper_fork(ends, &keeper);
		assert_true(pid >= 0);
		if (pid == 0)
			_exit(write(ends[1], "y", 1) != 1);
		close(ends[1]);
		spoke = says_something(ends[0]);
		close(ends[0]);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	atomic_store(&is_over, true);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	assert_true(spoke);
}

int
main(void)
{
#define WITH_SERVICE(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_kept_whatever_other_threads_do),
		WITH_SERVICE(a_file_that_makes_the_parser_crash_costs_its_own_names),
		WITH_SERVICE(a_file_that_makes_the_parser_loop_costs_its_own_names),
		WITH_SERVICE(the_time_of_a_parser_that_was_ended_is_told),
		WITH_SERVICE(the_time_of_a_parser_at_work_is_told),
		WITH_SERVICE(a_parser_that_waits_for_ever_is_ended),
		WITH_SERVICE(a_file_that_makes_the_parser_take_memory_costs_its_own_names),
		WITH_SERVICE(what_a_parser_hands_back_must_be_sealed_memory),
		WITH_SERVICE(a_parser_that_talks_nonsense_is_ended),
		WITH_SERVICE(a_parser_can_do_nothing_but_read_what_it_got),
		WITH_SERVICE(the_processes_have_no_right_and_one_descriptor),
		WITH_SERVICE(who_keeps_roots_processes_can_do_nothing_but_end),
		WITH_SERVICE(no_process_is_left_when_the_service_ends),
		WITH_SERVICE(no_process_is_left_when_ptop_is_killed),
		WITH_SERVICE(a_service_ends_while_its_parser_hangs),
		WITH_SERVICE(a_service_ends_while_a_child_of_ptop_has_its_sockets),
		WITH_SERVICE(after_many_failures_in_a_row_it_says_so),
		WITH_SERVICE(a_killed_parser_is_replaced),
		WITH_SERVICE(a_stopped_parser_is_ended_and_its_file_not_blamed),
		WITH_SERVICE(a_killed_host_leaves_files_without_names_but_with_a_reason),
		WITH_SERVICE(a_stopped_host_leaves_files_without_names_but_with_a_reason),
		WITH_SERVICE(a_service_ends_while_its_host_is_stopped),
		WITH_SERVICE(a_service_ends_while_its_host_and_the_parser_at_work_are_stopped),
		WITH_SERVICE(lines_are_found_again_after_another_file_ended_the_parser),
	};

	looped_ns = mmap(NULL, sizeof(*looped_ns), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return looped_ns != MAP_FAILED ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
