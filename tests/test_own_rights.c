/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With capabilities of its file ptop measures more than its user may, and reads and writes no more;
 * what it writes is its user's alone, and goes nowhere else.
 */
#include "tests/person.h"
#include "tests/root.h"
#include "tests/run.h"

#include "base/buf.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "tests/asserts.h"

enum { WHOLE_S = 60, FILE_MAX = 1 << 24, OTHER = 12345, CAP_PERFMON_NR = 38, ARGS_MAX = 16 };

#define BIT(cap) (1ULL << (cap))
/* More than anybody should give it. */
#define TOO_MANY (BIT(CAP_PERFMON_NR) | BIT(CAP_SYSLOG) | BIT(CAP_SYS_PTRACE) | \
		  BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_CHOWN) | \
		  BIT(CAP_FOWNER) | BIT(CAP_SYS_ADMIN) | BIT(CAP_SETUID) | BIT(CAP_SETGID))

static const char secret_name[] = "a_secret_function";

static const char *dir;
static char ptop[256];  /* with too many capabilities */
static char plain[256]; /* with none */

/* "DIR/NAME"; a few at a time. */
static char *
in_dir(const char *name)
{
	static char paths[8][300];
	static size_t next;
	char *path = paths[next++ % ARRAY_SIZE(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static void
write_text(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_that(fd, >=, 0);
	assert_int_equal(file_write_all(fd, text, strlen(text)), 0);
	assert_int_equal(close(fd), 0);
}

static void
assert_text(const char *path, const char *text)
{
	struct buf b = { 0 };

	assert_int_equal(file_read(path, &b, FILE_MAX), 0);
	assert_string_equal(buf_str(&b), text);
	buf_release(&b);
}

/* A shell's command as @who, for words that are easier to read so. */
static void
run_shell(struct run_result *r, const char *who, const char *command)
{
	char *argv[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c",
			 (char *)(uintptr_t)command, NULL };

	run_program(r, WHOLE_S, person_call(who, argv));
}

static void PRINTF_LIKE(3, 4)
run_as(struct run_result *r, const char *who, const char *fmt, ...)
{
	char command[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	run_shell(r, who, command);
}

static void
assert_status(const struct run_result *r, int status)
{
	if (!WIFEXITED(r->status) || WEXITSTATUS(r->status) != status)
		fail_msg("status %#x: %s%s", (unsigned)r->status, r->out, r->err);
}

/* ---- what is read */

static void
files_that_the_user_may_not_read_are_not_read_for_him(void **state)
{
	static const char *const options[] = {
		"-i DIR/closed/recording -b --format csv --by symbol", "-i DIR/closed/recording --dump",
		"-i DIR/recording", "--dump -i DIR/recording", "--kallsyms DIR/list -b -n 1 -d 0.1",
		"--kallsyms DIR/closed/list -b -n 1 -d 0.1", "--kallsyms DIR/link -b -n 1 -d 0.1",
		"--vmlinux DIR/program -b -n 1 -d 0.1", "--vmlinux DIR/closed/list -b -n 1 -d 0.1",
		"-i DIR/public --symfs DIR/closed/folder -b",
		"-b -n 1 -d 0.1 -e uprobe:DIR/program:ask_kernel",
		"-b -n 1 -d 0.1 --diff DIR/recording", "-b -n 1 -d 0.1 --diff DIR/closed/recording",
	};

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct run_result r;

		run_as(&r, "nobody", "DIR=%s; exec %s --no-config $(echo '%s' | sed \"s,DIR,$DIR,g\")", dir, ptop,
		       options[i]);
		if (strstr(r.out, secret_name) != NULL || strstr(r.err, secret_name) != NULL)
			fail_msg("%s shows it: %s%s", options[i], r.out, r.err);
		/* A list of symbols is read while samples are taken: no reason to end. */
		if (strstr(r.err, "ermission denied") == NULL &&
		    (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 0 ||
		     (strstr(options[i], "kallsyms") == NULL &&
		      strstr(options[i], "vmlinux") == NULL)))
			fail_msg("%s is not denied: %s%s", options[i], r.out, r.err);
		run_release(&r);
	}
}

/* A program that says of itself that its source is @file; "DIR" is the folder. */
static void
make_liar(const char *file)
{
	struct run_result r;

	run_as(&r, "root", "DIR=%s; printf '#line 2 \"%%s\"\\nint main(void) { for (;;) __asm__ volatile (\"\"); }\\n' "
	       "$(echo '%s' | sed s,DIR,$DIR,) | cc -g -O1 -x c -o %s/liar -", dir, file, dir);
	assert_status(&r, 0);
	run_release(&r);
}

/* A program may call any file its source. */
static void
source_that_the_user_may_not_read_is_not_shown_to_him(void **state)
{
	static const char *const files[] = { "DIR/list", "DIR/closed/list" };

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *const load[] = { in_dir("liar"), NULL };
		bool is_told = false;
		struct run_result r;
		pid_t pid;

		make_liar(files[i]);
		pid = person_start("nobody", load);
		for (int tries = 0; tries < 10 && !is_told; tries++) {
			run_as(&r, "nobody", "exec %s -b -n 1 -d 1 -p %d -V annotate --symbol main --dso liar",
			       ptop, (int)pid);
			is_told = strstr(r.out, "%PERCENT") != NULL;
			if (strstr(r.out, secret_name) != NULL)
				fail_msg("%s is shown: %s", files[i], r.out);
			run_release(&r);
		}
		run_end(pid);
		assert_true(is_told);
	}
}

/* The root of a process of others is closed; of what is known to be here, this one tells. */
static void
source_that_is_not_there_is_not_said_to_be_closed(void **state)
{
	char *const load[] = { in_dir("liar"), NULL };
	const char *said = NULL;
	struct run_result r;
	pid_t pid;

	(void)state;
	need_root();
	make_liar("DIR/none.c");
	pid = person_start("root", load);
	for (int tries = 0; tries < 10 && said == NULL; tries++) {
		run_as(&r, "nobody", "exec %s -b -n 1 -d 1 -p %d -V annotate --symbol main --dso liar", ptop,
		       (int)pid);
		said = strstr(r.err, "source of ");
		if (said != NULL && strstr(said, "none.c': No such file or directory: --source-dir ") == NULL)
			fail_msg("%s", r.err);
		if (said == NULL)
			print_message("# %s%s", r.out, r.err);
		run_release(&r);
	}
	run_end(pid);
	assert_non_null(said);
}

/* Else the tests above could not fail: the rights are there, for what is measured. */
static void
programs_that_only_root_may_read_have_names_nevertheless(void **state)
{
	char *const load[] = { in_dir("closed/program"), NULL };
	bool is_named = false;
	struct run_result r;
	pid_t pid;

	(void)state;
	need_root();
	pid = person_start("root", load);
	/* On a busy machine it may have had no CPU meanwhile. */
	for (int tries = 0; tries < 10 && !is_named; tries++) {
		run_as(&r, "nobody", "exec %s -b -n 2 -d 1 --by comm,symbol --format csv", ptop);
		assert_status(&r, 0);
		is_named = strstr(r.out, "program,ask_kernel") != NULL;
		run_release(&r);
	}
	run_end(pid);
	assert_true(is_named);
}

static bool
is_empty(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	bool is_empty = true;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL)
		is_empty = is_empty && e->d_name[0] == '.';
	closedir(d);
	return is_empty;
}

static void
caches_are_left_alone(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	run_as(&r, "nobody", "HOME=%s XDG_CACHE_HOME=%s/cache exec %s -b -n 1 -d 2 --by symbol",
	       in_dir("home"), dir, ptop);
	assert_status(&r, 0);
	run_release(&r);
	assert_true(is_empty(in_dir("cache")));
	assert_true(is_empty(in_dir("home")));
	/* That they are used otherwise. */
	run_as(&r, "root", "XDG_CACHE_HOME=%s/closed exec %s -b -n 1 -d 2 --by symbol", dir,
	       plain);
	assert_status(&r, 0);
	run_release(&r);
	assert_false(is_empty(in_dir("closed/ptop")));
}

static void
downloads_are_refused(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	run_as(&r, "nobody", "exec %s -b -n 1 -d 0.1 --debuginfod=http://127.0.0.1:9/", ptop);
	if (strstr(r.err, "built without it") == NULL)
		assert_non_null(strstr(r.err, "--debuginfod: not with capabilities of ptop's file"));
	assert_int_not_equal(r.status, 0);
	run_release(&r);
}

/* setcap(8) takes away what it does not name. */
static void
a_remedy_names_the_rights_that_the_file_has(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	assert_true(person_set_file_caps(plain, BIT(CAP_PERFMON_NR)));
	run_as(&r, "nobody", "exec %s --check", plain);
	person_drop_file_caps(plain);
	assert_non_null(strstr(r.out, "setcap cap_perfmon,cap_sys_ptrace,"));
	for (const char *at = r.out; (at = strstr(at, "setcap ")) != NULL; at++)
		assert_int_equal(strncmp(at, "setcap cap_perfmon", strlen("setcap cap_perfmon")), 0);
	run_release(&r);
}

/* What a thread that waits has on its stack is read by a right that is lent for names. */
static void
copies_of_others_stacks_are_refused(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	run_as(&r, "nobody", "cd /tmp && exec %s --no-config -b -n 1 -d 0.1 -e off-cpu --raw-stacks -r %s/home/z", ptop, dir);
	assert_non_null(strstr(r.err, "--raw-stacks: not with capabilities of ptop's file"));
	assert_int_not_equal(r.status, 0);
	assert_true(is_empty(in_dir("home")));
	run_release(&r);
}

/* The folder becomes a link to another while it runs: of who may not write there. */
static void
a_folder_that_becomes_a_link_leads_nowhere(void **state)
{
	static const char *const ways[] = { "-o out/report --format csv", "-o out/report --force --format csv" };

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct run_result r;

		run_as(&r, "root",
		       "cd %s && rm -rf out out.old && mkdir out && chown nobody out && "
		       "echo old > closed/folder/report && exec env SUDO_UID=65534 SUDO_GID=65534 %s "
		       "--no-config -b %s -- sh -c 'mv out out.old && ln -s closed/folder out && "
		       "chown -h nobody out'", dir, plain, ways[i]);
		assert_text(in_dir("closed/folder/report"), "old\n");
		assert_int_equal(access(in_dir("out.old/report"), F_OK), 0);
		assert_status(&r, 0);
		run_release(&r);
	}
}

/* Sources that are for all to read, in a folder that is not; and a link in the one that is named. */
static void
under_sudo_sources_are_shown_that_the_caller_may_reach(void **state)
{
	static const struct {
		const char *line, *more;
		bool is_shown;
	} cases[] = {
		{ "DIR/open-list", "", true }, { "DIR/closed/list", "", false },
		{ "DIR/home/own", "", true },
		{ "/build/named", "--source-dir DIR/sources", true },
		{ "/build/linked", "--source-dir DIR/sources", false },
	};
	struct run_result r;

	(void)state;
	need_root();
	run_as(&r, "root", "cd %s && cp closed/list open-list && mkdir sources && cp closed/list sources/named && "
	       "ln -s ../closed/list sources/linked && cp list home/own && chmod 600 home/own && chown nobody home/own", dir);
	assert_status(&r, 0);
	run_release(&r);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *const load[] = { in_dir("liar"), NULL };
		bool is_told = false;
		pid_t pid;

		make_liar(cases[i].line);
		pid = person_start("root", load);
		for (int tries = 0; tries < 10 && !is_told; tries++) {
			run_as(&r, "root", "DIR=%s; exec env SUDO_UID=65534 SUDO_GID=65534 %s --no-config -b -n 1 -d 1 -p %d -V annotate "
			       "--symbol main --dso liar $(echo '%s' | sed s,DIR,$DIR,)", dir, plain, (int)pid, cases[i].more);
			is_told = strstr(r.out, "%PERCENT") != NULL;
			if (is_told && (strstr(r.out, secret_name) != NULL) != cases[i].is_shown)
				fail_msg("%s is %sshown: %s", cases[i].line, cases[i].is_shown ? "not " : "", r.out);
			if (is_told && (strstr(r.err, "source of ") == NULL) != cases[i].is_shown)
				fail_msg("why %s is not shown: %s", cases[i].line, r.err);
			run_release(&r);
		}
		run_end(pid);
		assert_true(is_told);
	}
	unlink(in_dir("home/own"));
}

static void
command_has_the_users_rights_and_environment(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	run_as(&r, "nobody", "HOME=/its/own TERMINFO=/its/too exec %s -b -o /dev/null --force "
	       "--format csv -- sh -c 'grep CapEff /proc/self/status; echo $HOME $TERMINFO; "
	       "cat %s/list'", ptop, dir);
	assert_non_null(strstr(r.out, "CapEff:\t0000000000000000\n"));
	assert_non_null(strstr(r.out, "/its/own /its/too\n"));
	assert_non_null(strstr(r.err, "ermission denied"));
	assert_null(strstr(r.out, secret_name));
	run_release(&r);
	run_as(&r, "nobody", "exec %s -b -o /dev/null --force --format csv -- %s/closed/program 1",
	       ptop, dir);
	assert_non_null(strstr(r.err, "ermission denied"));
	run_release(&r);
}

static void
it_does_not_run_setuid_or_setgid(void **state)
{
	static const struct {
		const char *option, *who;
	} tries[] = {
		{ "u+s,g-s", "nobody" }, { "u-s,g+s", "nobody" }, { "u+s,g+s", "nobody" },
	};

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		struct run_result r;

		run_as(&r, "root", "chmod %s %s", tries[i].option, plain);
		assert_status(&r, 0);
		run_release(&r);
		run_as(&r, tries[i].who, "exec %s -b -n 1 -d 0.1 -o %s/cache/out.csv", plain, dir);
		assert_status(&r, 1);
		assert_non_null(strstr(r.err, "ptop does not run setuid or setgid"));
		assert_non_null(strstr(r.err, "sudo chmod u-s,g-s"));
		assert_int_not_equal(access(in_dir("cache/out.csv"), F_OK), 0);
		run_release(&r);
	}
	assert_int_equal(chmod(plain, 0755), 0);
}

/* ---- what is written */

static void
files_that_the_user_may_not_write_are_not_written_for_him(void **state)
{
	static const char *const options[] = {
		"-b -n 1 -d 0.1 -o DIR/closed/new.csv", "-b -n 1 -d 0.1 -r DIR/closed/new.data",
		"-b -n 2 -d 0.1 -o DIR/new.csv", "-b -n 1 -d 0.1 --force -o DIR/text.csv",
		"-b -n 2 -d 0.1 --force -o DIR/text.csv", "-b -n 1 -d 0.1 --force -r DIR/text.csv",
		"-b -n 1 -d 0.1 --force -r DIR/shared/link",
		"-b -n 1 -d 0.1 --force --format csv -o DIR/shared/link",
	};
	char before[] = "as it was";

	(void)state;
	need_root();
	write_text(in_dir("text.csv"), before, 0600);
	assert_int_equal(symlink(in_dir("text.csv"), in_dir("shared/link")), 0);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct run_result r;

		run_as(&r, "nobody", "DIR=%s; exec %s --no-config $(echo '%s' | sed \"s,DIR,$DIR,g\")", dir, ptop,
		       options[i]);
		if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) == 0 ||
		    strstr(r.err, "cannot ") == NULL)
			fail_msg("%s: %s%s", options[i], r.out, r.err);
		run_release(&r);
	}
	assert_text(in_dir("text.csv"), before);
	assert_int_not_equal(access(in_dir("new.csv"), F_OK), 0);
	assert_int_equal(unlink(in_dir("shared/link")), 0);
}

static void
assert_private(const char *path, uid_t uid)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_uid, uid);
	assert_that(st.st_size, >, 0);
}

static void
what_is_written_is_the_users_alone(void **state)
{
	static const char *const names[] = { "whole.csv", "series.csv", "flame.svg", "new.data" };
	struct run_result r;

	(void)state;
	need_root();
	run_as(&r, "nobody", "umask 0; cd %s/shared; %s -b -n 1 -d 0.2 -o whole.csv && "
	       "%s -b -n 2 -d 0.2 -o series.csv && %s -b -n 1 -d 0.2 -o flame.svg && "
	       "%s -b -n 1 -d 0.2 -r new.data", dir, ptop, ptop, ptop, ptop);
	assert_status(&r, 0);
	run_release(&r);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[300];

		snprintf(path, sizeof(path), "%s/shared/%s", dir, names[i]);
		assert_private(path, PERSON_NOBODY);
		unlink(path);
	}
}

/* Root, in a folder where all may write: what is there was put there by somebody else. */
static void
run_in_trap(const char *option, const char *says)
{
	struct run_result r;

	run_as(&r, "root", "cd %s/shared; exec %s -b -n %s -d 0.2 --force %s", dir, plain,
	       strstr(option, "series") != NULL ? "2" : "1", option);
	if (says == NULL && r.status != 0)
		fail_msg("%s: %s", option, r.err);
	if (says != NULL && (r.status == 0 || strstr(r.err, says) == NULL))
		fail_msg("%s: '%s' is not in: %s", option, says, r.err);
	run_release(&r);
}

static void
what_others_put_into_a_shared_folder_is_not_written_into(void **state)
{
	static const char *const options[] = { "-r trap", "-o trap --format csv",
					       "-o trap --format text # series" };

	(void)state;
	need_root();
	write_text(in_dir("text.csv"), "as it was", 0600);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		char *trap = in_dir("shared/trap");
		int theirs;

		/* A link. */
		assert_int_equal(symlink(in_dir("text.csv"), trap), 0);
		run_in_trap(options[i], "cannot write");
		assert_text(in_dir("text.csv"), "as it was");
		assert_int_equal(unlink(trap), 0);
		/* A file that its owner has open. */
		write_text(trap, "", 0666);
		assert_int_equal(chown(trap, OTHER, OTHER), 0);
		theirs = open(trap, O_RDONLY | O_CLOEXEC);
		run_in_trap(options[i], NULL);
		assert_int_equal(lseek(theirs, 0, SEEK_END), 0);
		close(theirs);
		assert_private(trap, 0);
		assert_int_equal(unlink(trap), 0);
		/* A second name of a file of root's. */
		assert_int_equal(link(in_dir("text.csv"), trap), 0);
		run_in_trap(options[i], NULL);
		assert_text(in_dir("text.csv"), "as it was");
		assert_int_equal(unlink(trap), 0);
		/* A pipe: nobody is waited for. */
		assert_int_equal(mkfifo(trap, 0666), 0);
		assert_int_equal(chown(trap, OTHER, OTHER), 0);
		run_in_trap(options[i], "is a pipe of another user");
		assert_int_equal(unlink(trap), 0);
	}
}

static void
a_planted_cache_is_not_used(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	assert_int_equal(symlink(in_dir("home"), in_dir("shared/ptop")), 0);
	run_as(&r, "root", "XDG_CACHE_HOME=%s/shared exec %s -b -n 1 -d 2 --by symbol", dir,
	       plain);
	assert_status(&r, 0);
	run_release(&r);
	assert_true(is_empty(in_dir("home")));
	assert_int_equal(unlink(in_dir("shared/ptop")), 0);
	assert_int_equal(mkdir(in_dir("shared/ptop"), 0777), 0);
	assert_int_equal(chown(in_dir("shared/ptop"), OTHER, OTHER), 0);
	run_as(&r, "root", "XDG_CACHE_HOME=%s/shared exec %s -b -n 1 -d 2 --by symbol", dir,
	       plain);
	assert_status(&r, 0);
	run_release(&r);
	assert_true(is_empty(in_dir("shared/ptop")));
	assert_int_equal(rmdir(in_dir("shared/ptop")), 0);
}

static void
a_device_is_not_given_to_who_called_sudo(void **state)
{
	char *null = in_dir("null");
	struct run_result r;
	struct stat st;

	(void)state;
	need_root();
	assert_int_equal(mknod(null, S_IFCHR | 0666, makedev(1, 3)), 0);
	run_as(&r, "root", "SUDO_UID=%d SUDO_GID=%d exec %s -b -n 1 -d 0.1 --force --format csv "
	       "-o %s", OTHER, OTHER, plain, null);
	assert_status(&r, 0);
	run_release(&r);
	assert_int_equal(stat(null, &st), 0);
	assert_int_equal(st.st_uid, 0);
}

/* By its capabilities, not for want of that user. */
static void
a_root_that_may_not_change_its_user_is_told_so(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	/* On a machine that does nothing no symbols are read, nor those that are kept from before. */
	run_as(&r, "root", "HOME=/dev/null exec setpriv --bounding-set -all,+sys_admin %s --no-config -b --by symbol -o /dev/null "
	       "--force --format csv -- sh -c 'timeout 1 sh -c \"while :; do :; done\"; true'", plain);
	assert_status(&r, 0);
	if (strstr(r.err, "symbol files are parsed as root: CAP_SETUID and CAP_SETGID are missing") == NULL)
		fail_msg("it is not told: %s", r.err);
	run_release(&r);
}

/* ---- */

static int
make_files(void)
{
	static const char list[] = "ffffffff81000000 T _text\nffffffff81000010 T a_secret_function\n"
				   "ffffffffff000000 T a_secret_function_too\n";
	struct run_result r;
	int status;

	run_as(&r, "root",
	       "cd %s && mkdir -m 700 closed closed/folder && mkdir -m 1777 shared && "
	       "mkdir home cache && chown nobody home cache && chmod 700 home && cp mine program && "
	       "chmod 600 program && cp mine closed/program && chmod 700 closed/program && "
	       "cp ptop plain && XDG_CACHE_HOME= ./plain -b -n 1 -d 0.3 -r recording && "
	       "cp recording closed && chmod 644 closed/recording && cp recording public && "
	       "chmod 644 public && ln -s list link", dir);
	status = r.status;
	run_release(&r);
	if (status != 0)
		return -1;
	write_text(in_dir("list"), list, 0600);
	write_text(in_dir("closed/list"), list, 0644);
	snprintf(ptop, sizeof(ptop), "%s/ptop", dir);
	snprintf(plain, sizeof(plain), "%s/plain", dir);
	return person_set_file_caps(ptop, TOO_MANY) ? 0 : -1;
}

static int
begin(void **state)
{
	if (person_begin(state) < 0)
		return -1;
	dir = person_dir();
	return dir == NULL ? 0 : make_files();
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_the_user_may_not_read_are_not_read_for_him),
		cmocka_unit_test(source_that_the_user_may_not_read_is_not_shown_to_him),
		cmocka_unit_test(source_that_is_not_there_is_not_said_to_be_closed),
		cmocka_unit_test(programs_that_only_root_may_read_have_names_nevertheless),
		cmocka_unit_test(caches_are_left_alone),
		cmocka_unit_test(downloads_are_refused),
		cmocka_unit_test(a_remedy_names_the_rights_that_the_file_has),
		cmocka_unit_test(copies_of_others_stacks_are_refused),
		cmocka_unit_test(a_folder_that_becomes_a_link_leads_nowhere),
		cmocka_unit_test(under_sudo_sources_are_shown_that_the_caller_may_reach),
		cmocka_unit_test(command_has_the_users_rights_and_environment),
		cmocka_unit_test(it_does_not_run_setuid_or_setgid),
		cmocka_unit_test(files_that_the_user_may_not_write_are_not_written_for_him),
		cmocka_unit_test(what_is_written_is_the_users_alone),
		cmocka_unit_test(what_others_put_into_a_shared_folder_is_not_written_into),
		cmocka_unit_test(a_planted_cache_is_not_used),
		cmocka_unit_test(a_device_is_not_given_to_who_called_sudo),
		cmocka_unit_test(a_root_that_may_not_change_its_user_is_told_so),
	};

	(void)argc;
	person_main(argv);
	return cmocka_run_group_tests(tests, begin, person_end);
}
