/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key x: what is shown becomes a file, and what cannot be one is said. */
#include "tests/asserts.h"
#include "tests/screen_fixture.h"

#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "tests/root.h"
#include "tests/skip.h"
#include "tests/stack_sums.h"

#include <config.h>

enum { FILE_MAX = 16 << 20 };

/* Answers the menu and the line for the name. */
static void
export_to(struct screen *s, const char *path)
{
	keys(s, "x");
	sees(s, "Write what is shown as");
	keys(s, "\r");
	sees_match(s, "write to: ptop-[0-9]+-[0-9]+\\.txt");
	/* What is typed replaces the proposal. */
	keys(s, path);
	keys(s, "\r");
}

static void
open_hot(struct screen *s)
{
	char pid[16];

	screen_load(s, "hot");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 120, 30, ARGS((char *)"-e", (char *)"cpu-clock", (char *)"-V",
				      (char *)"functions", (char *)"-p", pid), ENV());
	sees(s, "hot_loop");
}

static void
a_proposed_name_is_kept_by_a_key_that_is_no_character(void **state)
{
	struct screen *s = *state;

	open_hot(s);
	keys(s, "x");
	sees(s, "Write what is shown as");
	keys(s, "\r");
	sees_match(s, "write to: ptop-[0-9]+-[0-9]+\\.txt");
	keys(s, "\x7f\x7f\x7f" "folded");
	sees_match(s, "write to: ptop-[0-9]+-[0-9]+\\.folded");
	keys(s, "\x1b");
	leave(s);
}

static void
what_is_shown_becomes_a_file_of_each_format(void **state)
{
	static const char *const endings[] = { "svg", "folded", "csv", "txt",
#ifdef HAVE_JANSSON
		"json", "ndjson", "speedscope.json",
#endif
#ifdef HAVE_ZLIB
		"pb.gz",
#endif
	};
	struct screen *s = *state;
	char dir[] = "/tmp/ptop-x-XXXXXX", path[64], text[96];
	struct stat st;

	open_hot(s);
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		struct buf b = { 0 };

		snprintf(path, sizeof(path), "%s/x.%s", dir, endings[i]);
		export_to(s, path);
		/* The whole path, and a size. */
		snprintf(text, sizeof(text), "written: %s, [0-9.]+[KM]?", path);
		sees_match(s, text);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_int_equal(file_read(path, &b, FILE_MAX), 0);
		if (strcmp(endings[i], "pb.gz") == 0) {
			struct sums sums = { 0 };

			sums_of_pprof(&sums, b.data, b.len, "samples");
			assert_non_null(sums_find(&sums, "hot_loop"));
			sums_release(&sums);
		} else {
			assert_non_null(strstr(buf_str(&b), "hot_loop"));
		}
		buf_release(&b);
		if (i > 0)
			assert_int_equal(unlink(path), 0);
	}
	/* What is there stays. */
	snprintf(path, sizeof(path), "%s/x.svg", dir);
	export_to(s, path);
	sees(s, "exists; another name is needed");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0); /* nothing else was left in it */
	leave(s);
}

static void
export_into(struct screen *s, const char *ending, struct buf *b)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/ptop-x-%d%s", (int)getpid(), ending);
	export_to(s, path);
	sees_match(s, "written: [^ ]*");
	sees(s, path);
	assert_int_equal(file_read(path, b, FILE_MAX), 0);
	assert_int_equal(unlink(path), 0);
}

/* Of two busy processes one is gone into: the screen has percent of that, files for programs of all. */
static void
text_has_the_percents_of_the_screen(void **state)
{
	struct screen *s = *state;
	struct buf text = { 0 }, csv = { 0 };
	double of_shown, of_all;
	const char *row;
	char pids[32];

	screen_load(s, "hot");
	screen_load(s, "hot");
	snprintf(pids, sizeof(pids), "%d,%d", (int)s->loads[0], (int)s->loads[1]);
	screen_start(s, 120, 30, ARGS((char *)"-e", (char *)"cpu-clock", (char *)"-p", pids), ENV());
	sees_match(s, " hot_loop ");
	pty_run(s->p, 1000);
	keys(s, "\r");
	sees(s, "[Functions]");
	sees(s, "% of shown");
	sees(s, "warm_loop");
	export_into(s, ".txt", &text);
	assert_int_equal(sscanf(buf_str(&text), "%% of shown\n%*[^\n]\n%lf", &of_shown), 1);
	assert_within(of_shown, 75, 10);
	export_into(s, ".csv", &csv);
	row = strchr(strchr(buf_str(&csv), '\n') + 1, '\n');
	while (row[-1] != ',')
		row--;
	assert_int_equal(sscanf(row, "%lf", &of_all), 1);
	assert_within(of_all, 37, 10);
	buf_release(&text);
	buf_release(&csv);
	leave(s);
}

/* The titles in @line, without the sign of the one that rows are sorted by. */
static void
titles_of(const char *line, struct buf *b)
{
	for (; *line != '\0' && *line != '\n'; line++) {
		if (strncmp(line, "▼", 3) == 0)
			line += 2;
		else if (*line != ' ')
			buf_add_char(b, *line);
		else if (b->len > 0 && b->data[b->len - 1] != ' ')
			buf_add_char(b, ' ');
	}
	while (b->len > 0 && b->data[b->len - 1] == ' ')
		b->data[--b->len] = '\0';
}

/* That of the event alone: what another one had columns for is not there. */
static void
text_has_the_columns_of_the_screen(void **state)
{
	static const char *const events[] = { "off-cpu", "page-faults", "cpu-clock" };
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start(s, 240, 30, ARGS((char *)"-e", (char *)"off-cpu"), ENV());
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct buf text = { 0 }, written = { 0 }, shown = { 0 };
		char event[32];

		if (i > 0) {
			keys(s, "e");
			sees(s, "WHAT IT COUNTS");
			keys(s, events[i]);
			keys(s, "\r");
		}
		snprintf(event, sizeof(event), "event %s", events[i]);
		sees(s, event);
		sees_match(s, i == 0 ? "HOTTEST +WAITS IN +ON +COMMAND" : i == 1 ? "COUNT +/S .*HOTTEST +COMMAND"
			   : "%EVT .*HOTTEST +COMMAND");
		pty_run(s->p, 2000); /* the event before is closed: it has no column beside this one */
		titles_of(pty_line(s->p, pty_find_line(s->p, "HOTTEST")), &shown);
		export_into(s, ".txt", &text);
		titles_of(strstr(buf_str(&text), "PID"), &written);
		assert_string_equal(buf_str(&written), buf_str(&shown));
		if (i == 2)
			assert_non_null(strstr(buf_str(&text), " hot_loop "));
		buf_release(&text);
		buf_release(&written);
		buf_release(&shown);
	}
	leave(s);
}

/* Nobody asked before the key: the file waits for the answers. */
static void
inlined_functions_are_in_the_file_though_no_tree_was_shown(void **state)
{
	struct screen *s = *state;
	char path[] = "/tmp/ptop-x-XXXXXX.folded", pid[16];
	struct buf b = { 0 };

#ifndef HAVE_LIBDW
	skip_for("built without libdw");
#endif
	screen_load(s, "deep");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 120, 30, ARGS((char *)"-e", (char *)"cpu-clock", (char *)"-V",
				      (char *)"functions", (char *)"--inline", (char *)"-p", pid),
		     ENV());
	sees(s, "std::__introsort_loop");
	assert_true(close(mkstemps(path, 7)) == 0 && unlink(path) == 0);
	export_to(s, path);
	sees(s, "written: ");
	assert_int_equal(file_read(path, &b, FILE_MAX), 0);
	assert_non_null(strstr(buf_str(&b), "_[i]"));
	buf_release(&b);
	assert_int_equal(unlink(path), 0);
	/* Trees have them, too. */
	keys(s, "f");
	sees(s, "(inlined)");
	leave(s);
}

/* In a folder of another one that all may write to, which lets each have his own alone. */
static void
under_sudo_the_file_is_its_callers(void **state)
{
	const char *const env[] = { "SUDO_UID=12345", "SUDO_GID=12345", NULL };
	struct screen *s = *state;
	char dir[] = "/tmp/ptop-x-XXXXXX", path[64];
	struct stat st;

	need_root();
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chown(dir, 12346, 12346), 0);
	assert_int_equal(chmod(dir, 01777), 0);
	screen_start(s, 120, 30, ARGS((char *)"-e", (char *)"cpu-clock"), env);
	sees_match(s, " [0-9]+ +[a-z]+ .*[0-9]\\.[0-9] "); /* at first there is nothing to write */
	snprintf(path, sizeof(path), "%s/x.csv", dir);
	export_to(s, path);
	sees(s, "written: /tmp/ptop-x-");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 12345);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	leave(s);
}

static void
what_cannot_be_written_is_said(void **state)
{
	struct screen *s = *state;

	open_hot(s);
	export_to(s, "/tmp/x.png");
	sees(s, "its ending names no format: .txt .csv");
	keys(s, "\033");
	export_to(s, "/nowhere/x.svg");
	sees(s, "cannot write '/nowhere/x.svg': No such file or directory");
	leave(s);
}

/* As in a shell: nobody wants a folder of that name. */
static void
a_name_from_the_home_folder_is_written_there(void **state)
{
	struct screen *s = *state;
	char dir[] = "/tmp/ptop-x-XXXXXX", home[64], path[64], text[96];

	assert_non_null(mkdtemp(dir));
	snprintf(home, sizeof(home), "HOME=%s", dir);
	snprintf(path, sizeof(path), "%s/x.csv", dir);
	snprintf(text, sizeof(text), "written: %s, [0-9.]+[KM]?", path);
	screen_start(s, 120, 30, ARGS((char *)"-e", (char *)"cpu-clock"),
		     ENV(home, "XDG_CACHE_HOME=/dev/null"));
	sees_match(s, " [0-9]+ +[a-z]+ .*[0-9]\\.[0-9] ");
	export_to(s, "~/x.csv");
	sees_match(s, text);
	assert_int_equal(unlink(path), 0);
	leave(s);
	assert_int_equal(rmdir(dir), 0);
}

/* sudo leaves $HOME as it is, or makes it root's: the file is the caller's. */
static void
under_sudo_the_home_folder_is_the_callers(void **state)
{
	enum { NOBODY = 65534 };
	const struct passwd *pw = getpwuid(NOBODY);
	const char *const env[] = { "SUDO_UID=65534", "SUDO_GID=65534", "HOME=/tmp", NULL };
	struct screen *s = *state;
	char text[128];

	need_root();
	if (pw == NULL || access(pw->pw_dir, F_OK) == 0)
		skip_for("nobody has a home");
	screen_start(s, 120, 30, ARGS((char *)"-e", (char *)"cpu-clock"), env);
	sees_match(s, " [0-9]+ +[a-z]+ .*[0-9]\\.[0-9] ");
	export_to(s, "~/x.csv");
	snprintf(text, sizeof(text), "cannot write '%s/x.csv'", pw->pw_dir);
	sees(s, text);
	leave(s);
}

static void
a_recording_can_be_exported_too(void **state)
{
	struct screen *s = *state;
	char dir[] = "/tmp/ptop-x-XXXXXX", file[64], path[64], pid[16];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), (char *)"-b", (char *)"-n", (char *)"1",
			 (char *)"-d", (char *)"2", (char *)"-e", (char *)"cpu-clock", (char *)"-r",
			 file, (char *)"-p", pid, NULL };
	struct buf b = { 0 };
	struct run_result r;

	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	snprintf(path, sizeof(path), "%s/x.folded", dir);
	screen_load(s, "hot");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	run_program(&r, 60, argv);
	assert_int_equal(r.status, 0);
	run_release(&r);
	screen_start(s, 120, 30, ARGS((char *)"-i", file, (char *)"-V", (char *)"functions"), ENV());
	sees(s, "hot_loop");
	export_to(s, path);
	sees(s, "written: /tmp/ptop-x-");
	assert_int_equal(file_read(path, &b, FILE_MAX), 0);
	assert_non_null(strstr(buf_str(&b), ";hot_loop "));
	buf_release(&b);
	leave(s);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(dir), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(what_is_shown_becomes_a_file_of_each_format),
		screen_test(a_proposed_name_is_kept_by_a_key_that_is_no_character),
		screen_test(text_has_the_percents_of_the_screen),
		screen_test(text_has_the_columns_of_the_screen),
		screen_test(inlined_functions_are_in_the_file_though_no_tree_was_shown),
		screen_test(under_sudo_the_file_is_its_callers),
		screen_test(what_cannot_be_written_is_said),
		screen_test(a_name_from_the_home_folder_is_written_there),
		screen_test(under_sudo_the_home_folder_is_the_callers),
		screen_test(a_recording_can_be_exported_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
