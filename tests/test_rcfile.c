/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration: how it is read, what of it counts beside a command line, how it is changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/config_impl.h"
#include "base/file.h"
#include "tests/fake_root.h"
#include "view/column.h"

#include <config.h>

/* The words of a command line after "ptop". */
#define ARGV(...) ((char *[]){ (char *)"ptop", __VA_ARGS__ __VA_OPT__(,) NULL })

static char folder[FAKE_ROOT_BYTES]; /* of both files, a new one for each test */

static int
make_folder(void **state)
{
	(void)state;
	assert_true(fake_root_make(folder));
	setenv("XDG_CONFIG_HOME", folder, 1);
	setenv("XDG_STATE_HOME", folder, 1);
	return 0;
}

static int
remove_folder(void **state)
{
	(void)state;
	return fake_root_remove(folder);
}

static const char *
path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/ptop%s%s", folder, *name != '\0' ? "/" : "", name);
	return path;
}

static void
write_file(const char *name, const char *text, size_t len)
{
	FILE *f;

	mkdir(path_of(""), 0700);
	f = fopen(path_of(name), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path_of(name), 0644), 0);
}

static void
reads(struct config *c, const char *text, char **argv)
{
	struct err err = { 0 };

	write_file("ptoprc", text, strlen(text));
	if (config_parse(c, 0, argv, &err) < 0)
		fail_msg("refused: %s", err.text);
	config_read_files(c, argv);
}

static void
finds_fault(const char *text, const char *fault)
{
	struct config c;

	reads(&c, text, ARGV("-b"));
	if (strstr(buf_str(&c.rc.faults), fault) == NULL)
		fail_msg("'%s' is not in '%s'", fault, buf_str(&c.rc.faults));
	config_release(&c);
}

static void
options_are_taken_and_comments_are_not(void **state)
{
	struct config c;

	(void)state;
	reads(&c, "# a comment\n\n[options]\n  delay = 2.5 ; slow\nview=functions\nhide-kernel: yes\n"
	      "hide-user = no\nevent = cpu-clock\n", ARGV("-b"));
	assert_string_equal(buf_str(&c.rc.faults), "");
	assert_true(c.engine.delay_s > 2.4 && c.engine.delay_s < 2.6);
	assert_int_equal(c.view, VIEW_FUNCTIONS);
	assert_true(c.hide_kernel && !c.hide_user);
	assert_string_equal(c.engine.events, "cpu-clock");
	config_release(&c);
}

static void
the_command_line_comes_first(void **state)
{
	struct config c;

	(void)state;
	reads(&c, "[options]\nevent = cpu-clock\nfreq = 500\nview = functions\nfilter = comm=a\n",
	      ARGV("-b", "-e", "cs", "-Vusers", "--filter=comm=b"));
	assert_string_equal(c.engine.events, "cs");
	assert_string_equal(c.filter, "comm=b");
	assert_int_equal(c.view, VIEW_USERS);
	assert_int_equal(c.engine.freq, 500);
	assert_string_equal(buf_str(&c.rc.faults), "");
	config_release(&c);
}

/* Though each is right: no word about it. */
static void
what_does_not_go_with_the_command_line_gives_way(void **state)
{
	struct config c;

	(void)state;
	reads(&c, "[options]\nfreq = 500\nhide-user = yes\nevent = cs\nformat = csv\ncompress = yes\n",
	      ARGV("-b", "-c", "1000", "-K", "-o", "x.folded"));
	assert_int_equal(c.engine.count, 1000);
	assert_true(c.hide_kernel && !c.hide_user);
	assert_string_equal(c.engine.events, "cs");
	assert_int_equal(c.engine.format, FORMAT_FOLDED);
	assert_string_equal(buf_str(&c.rc.faults), "");
	config_release(&c);
	reads(&c, "[options]\nfreq = 500\nevent = cs\nview = users\n", ARGV("-b", "-i", "/dev/null"));
	assert_null(c.engine.events);
	assert_int_equal(c.view, VIEW_USERS);
	assert_string_equal(buf_str(&c.rc.faults), "");
	config_release(&c);
	reads(&c, "[options]\nformat = csv\n", ARGV("-b"));
	assert_int_equal(c.engine.format, FORMAT_CSV);
	config_release(&c);
}

static void
a_bad_line_is_told_with_its_number_and_the_rest_is_used(void **state)
{
	struct config c;

	(void)state;
	reads(&c, "[options]\ndely = 2\nwindow = 3\nhide-user = perhaps\nnonsense\n[keys\nx = 1\n"
	      "[options]\nsort = comm\npid = 1\n[colours]\na = b\n", ARGV("-b"));
	assert_true(c.window_s > 2.9 && c.window_s < 3.1);
	assert_int_equal(c.sort, COLUMN_COMM);
	assert_non_null(strstr(buf_str(&c.rc.faults), "/ptoprc:2: unknown option '--dely'"));
	assert_non_null(strstr(buf_str(&c.rc.faults), "/ptoprc:4: --hide-user: 'perhaps'"));
	assert_non_null(strstr(buf_str(&c.rc.faults), "/ptoprc:5: "));
	assert_non_null(strstr(buf_str(&c.rc.faults), "/ptoprc:6: "));
	assert_null(strstr(buf_str(&c.rc.faults), "/ptoprc:7: "));
	assert_non_null(strstr(buf_str(&c.rc.faults), "/ptoprc:10: --pid is of the command line"));
	assert_non_null(strstr(buf_str(&c.rc.faults), "/ptoprc:12: "));
	config_release(&c);
	finds_fault("[options]\nhide-kernel = yes\nhide-user = yes\n", "/ptoprc:3: --hide-kernel and");
	finds_fault("[screen]\nremember = perhaps\n", "/ptoprc:2: 'perhaps'");
}

static void
any_bytes_are_read_in_order(void **state)
{
	unsigned seed = 1;
	char text[600];

	(void)state;
	for (int i = 0; i < 2000; i++) {
		size_t len = (size_t)rand_r(&seed) % sizeof(text);
		struct rcfile rc = { .name = "any" };
		struct buf edited = { 0 };
		const struct rc_change change = { "a", "name", "value", NULL };

		for (size_t n = 0; n < len; n++)
			text[n] = "[]=;#: \t\n\r\0ab\xff\033"[(size_t)rand_r(&seed) % 15];
		rcfile_parse(&rc, text, len);
		rcfile_release(&rc);
		/* What is written is read. */
		buf_add(&edited, text, len);
		rc_edit(&edited, &change, 1);
		rc = (struct rcfile){ .name = "any" };
		rcfile_parse(&rc, edited.data, edited.len);
		if (memchr(text, '\0', len) == NULL) {
			assert_non_null(rcfile_get(&rc, "a", "name"));
			assert_string_equal(rcfile_get(&rc, "a", "name")->value, "value");
		}
		rcfile_release(&rc);
		buf_release(&edited);
	}
}

static void
lines_that_are_too_long_are_told(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add_str(&b, "[options]\nfilter = comm=");
	buf_add_fill(&b, 'x', 5000);
	buf_add_str(&b, "\nview = users\n");
	finds_fault(b.data, "/ptoprc:2: it is longer than");
	buf_release(&b);
}

static void
is_not_read(const char *text)
{
	struct config c;
	struct err err = { 0 };
	char **argv = ARGV("-b");

	assert_int_equal(config_parse(&c, 0, argv, &err), 0);
	config_read_files(&c, argv);
	assert_int_equal(c.view, VIEW_PROCESSES);
	if (strstr(buf_str(&c.rc.faults), text) == NULL)
		fail_msg("'%s' is not in '%s'", text, buf_str(&c.rc.faults));
	config_release(&c);
}

/* Nor from where others write, nor what is no file. */
static void
files_of_other_users_are_not_read(void **state)
{
	static const char text[] = "[options]\nview = users\n";
	static const char why[] = "/ptoprc: it is not read: it, or its folder, is not of this user alone\n";

	(void)state;
	is_not_read("");
	write_file("ptoprc", text, strlen(text));
	assert_int_equal(chmod(path_of("ptoprc"), 0666), 0);
	is_not_read(why);
	assert_int_equal(chmod(path_of("ptoprc"), 0644), 0);
	assert_int_equal(chmod(path_of(""), 0777), 0);
	is_not_read(why);
	assert_int_equal(chmod(path_of(""), 0755), 0);
	unlink(path_of("ptoprc"));
	assert_int_equal(mkfifo(path_of("ptoprc"), 0600), 0);
	is_not_read(why);
	unlink(path_of("ptoprc"));
	if (geteuid() != 0)
		return;
	write_file("ptoprc", text, strlen(text));
	assert_int_equal(chown(path_of("ptoprc"), 65534, 65534), 0);
	is_not_read(why);
	/* The home of who called sudo is not root's: root has its own. */
	assert_int_equal(chown(path_of("ptoprc"), 0, 0), 0);
	assert_int_equal(chown(folder, 65534, 65534), 0);
	assert_int_equal(chown(path_of(""), 65534, 65534), 0);
	is_not_read("");
}

/* Whose owner could have what is root's taken, or made, wherever a link of his leads. */
static void
root_passes_no_folder_of_another_user(void **state)
{
	char target[96], link[96], own[108];
	struct rcfile rc;

	(void)state;
	if (geteuid() != 0)
		return;
	snprintf(target, sizeof(target), "%s/roots", folder);
	snprintf(link, sizeof(link), "%s/.config", folder);
	snprintf(own, sizeof(own), "%s/ptop", link);
	assert_int_equal(mkdir(target, 0755), 0);
	assert_int_equal(symlink(target, link), 0);
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", folder, 1);
	rcfile_find(&rc, "XDG_CONFIG_HOME", ".config", "ptoprc");
	assert_string_equal(buf_str(&rc.folder), own);
	rcfile_release(&rc);
	/* Root's own folder in it. */
	assert_int_equal(chown(folder, 65534, 65534), 0);
	setenv("XDG_CONFIG_HOME", target, 1);
	rcfile_find(&rc, "XDG_CONFIG_HOME", ".config", "ptoprc");
	assert_string_equal(buf_str(&rc.folder), "/root/.config/ptop");
	rcfile_release(&rc);
	unsetenv("XDG_CONFIG_HOME");
	rcfile_find(&rc, "XDG_CONFIG_HOME", ".config", "ptoprc");
	assert_string_equal(buf_str(&rc.folder), "/root/.config/ptop");
	rcfile_release(&rc);
	/* The link alone. */
	assert_int_equal(chown(folder, 0, 0), 0);
	assert_int_equal(lchown(link, 65534, 65534), 0);
	rcfile_find(&rc, "XDG_CONFIG_HOME", ".config", "ptoprc");
	assert_string_equal(buf_str(&rc.folder), "/root/.config/ptop");
	rcfile_release(&rc);
}

static const struct {
	const char *name, *value;
} samples[] = {
	{ "no-inherit", "yes" }, { "compress", "yes" }, { "raw-stacks", "yes" }, { "history", "1M" },
	{ "overwrite", "no" }, { "event", "cpu-clock" }, { "filter-event", "a > 1" },
	{ "force-probe", "yes" }, { "freq", "100" }, { "count", "7" }, { "call-graph", "fp" },
	{ "attr", "precise_ip=1" }, { "clockid", "realtime" }, { "mmap-pages", "64" },
	{ "delay", "2" }, { "window", "all" }, { "view", "users" }, { "theme", "light" },
	{ "by", "comm,tid" }, { "sort", "comm" }, { "filter", "comm=x" }, { "clock-times", "yes" }, { "relative", "yes" },
	{ "hide-kernel", "yes" }, { "hide-user", "yes" }, { "idle", "yes" }, { "format", "csv" },
	{ "inline", "yes" }, { "memory", "32M" }, { "budget", "off" }, { "debuginfod", "http://x" },
	{ "no-demangle", "yes" }, { "read-only", "yes" },
};

/* All but targets, files and what is done once. */
static void
each_other_option_can_be_set(void **state)
{
	(void)state;
	for (size_t i = 0; i < config_option_count; i++) {
		const char *name = config_options[i].name;
		struct err err = { 0 };
		struct config c;
		size_t s = 0;

		if (name == NULL)
			continue;
		config_set_defaults(&c);
		while (s < ARRAY_SIZE(samples) && strcmp(samples[s].name, name) != 0)
			s++;
		if ((s == ARRAY_SIZE(samples)) != config_options[i].is_of_run)
			fail_msg("--%s", name);
		c.engine.events = mem_strdup("sched:sched_switch"); /* for its filter */
		if (s < ARRAY_SIZE(samples) &&
		    options_set(config_options, config_option_count, &c, name, samples[s].value, &err) < 0)
			fail_msg("%s = %s: %s", name, samples[s].value, err.text);
		if (config_options[i].is_of_run)
			assert_int_equal(options_set(config_options, config_option_count, &c, name, "1",
						     &err), -1);
		config_release(&c);
	}
}

static void
edits(const char *old, const struct rc_change *change, const char *wanted)
{
	struct buf b = { 0 };

	buf_add_str(&b, old);
	rc_edit(&b, change, 1);
	assert_string_equal(buf_str(&b), wanted);
	buf_release(&b);
}

static void
only_lines_that_change_are_written(void **state)
{
	const struct rc_change delay = { "options", "delay", "5", "between refreshes" };
	const struct rc_change gone = { "options", "filter", NULL, NULL };

	(void)state;
	edits("", &delay, "[options]\n# between refreshes\ndelay = 5\n");
	edits("# mine\n[options]\n  delay=2 ; slow\n\n[keys]\ndelay = x\n", &delay,
	      "# mine\n[options]\n  delay=5 ; slow\n\n[keys]\ndelay = x\n");
	edits("[options]\ndelay =\n", &delay, "[options]\ndelay = 5\n");
	edits("[options]\nview = users\n\n[keys]\nquit = x", &delay,
	      "[options]\nview = users\n# between refreshes\ndelay = 5\n\n[keys]\nquit = x");
	edits("[keys]\nquit = x", &delay,
	      "[keys]\nquit = x\n\n[options]\n# between refreshes\ndelay = 5\n");
	edits("[options]\ndelay = 5\n", &delay, "[options]\ndelay = 5\n");
	edits("[options]\n#delay = 1\nfilter = comm=x\nview = users\n", &gone,
	      "[options]\n#delay = 1\nview = users\n");
	edits("[options]\n", &gone, "[options]\n");
}

static void
a_change_makes_the_file_and_leaves_one_that_is_a_link(void **state)
{
	const struct rc_change change = { "options", "delay", "5", NULL };
	struct rcfile rc;
	struct err err = { 0 };
	struct buf b = { 0 };
	struct stat st;

	(void)state;
	rcfile_find(&rc, "XDG_CONFIG_HOME", ".config", "ptoprc");
	assert_int_equal(rcfile_change(&rc, &change, 1, &err), 0);
	assert_int_equal(file_read(path_of("ptoprc"), &b, 4096), 0);
	assert_non_null(strstr(b.data, "\n[options]\ndelay = 5\n"));
	assert_int_equal(stat(path_of("ptoprc"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	unlink(path_of("ptoprc"));
	assert_int_equal(symlink("/dev/null", path_of("ptoprc")), 0);
	assert_int_equal(rcfile_change(&rc, &change, 1, &err), -1);
	rcfile_release(&rc);
	buf_release(&b);
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_INIH
		in_folder(options_are_taken_and_comments_are_not),
		in_folder(the_command_line_comes_first),
		in_folder(what_does_not_go_with_the_command_line_gives_way),
		in_folder(a_bad_line_is_told_with_its_number_and_the_rest_is_used),
		in_folder(any_bytes_are_read_in_order),
		in_folder(lines_that_are_too_long_are_told),
#endif
		in_folder(files_of_other_users_are_not_read),
		in_folder(root_passes_no_folder_of_another_user),
		cmocka_unit_test(each_other_option_can_be_set),
		cmocka_unit_test(only_lines_that_change_are_written),
		in_folder(a_change_makes_the_file_and_leaves_one_that_is_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
