/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui_test.h"
#include "tests/asserts.h"
#include "tests/run.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void
sizes_from_one_cell_to_the_largest_are_drawn(void **state)
{
	static const int sizes[][2] = {
		{ 1, 1 }, { 2, 2 }, { 1, 40 }, { 200, 1 }, { 3, 7 }, { 7, 3 }, { 12, 4 }, { 20, 5 },
		{ 40, 10 }, { 80, 24 }, { 160, 50 }, { 500, 200 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct pty *p = start(sizes[i][0], sizes[i][1], ENV("FAKE_NOTICES=3"));

		is_up(p);
		pty_keys(p, "\r");
		pty_settle(p, QUIET_MS, FRAME_MS);
		pty_keys(p, "\033eab\033vj\033h\033!\033/x\033\\y\033i\033");
		pty_settle(p, QUIET_MS, FRAME_MS);
		leave(p);
	}
}

enum { SCREEN_KB_MAX = 400 << 10, FALTER_MS = 1500 };

static void
leaves_and_was_small(struct pty *p)
{
	pty_keys(p, "q");
	ends_in_order(p);
	if (!IS_SANITIZED)
		assert_that(pty_usage(p)->ru_maxrss, <, SCREEN_KB_MAX);
	pty_free(p);
}

static void
a_size_that_no_screen_has_is_not_taken(void **state)
{
	static const int sizes[][2] = {
		{ 0, 0 }, { 65535, 65535 }, { 8000, 8000 }, { 65535, 1 }, { 1, 65535 }, { 0, 65535 },
		{ 65535, 0 }, { 80, 24 },
	};
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		pty_tell_size(p, sizes[i][0], sizes[i][1]);
		pty_keys(p, "h");
		pty_settle(p, QUIET_MS, FRAME_MS);
		pty_keys(p, "\033[<0;5000;5000M\033[<0;5000;5000m\033");
		pty_settle(p, QUIET_MS, FRAME_MS);
	}
	sees(p, "nginx");
	leaves_and_was_small(p);
}

/* What it then has of @size, told by stty before it starts. */
static struct pty *
start_of_size(const char *size, const char *const *env)
{
	char program[512], line[1024];
	char *argv[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", line, NULL };
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct pty *p;

	assert_that(n, >, 0);
	program[n] = '\0';
	snprintf(line, sizeof(line), "stty %s && exec '%s' --ui", size, program);
	p = pty_start(argv, &(struct pty_options){ 80, 24, env });
	assert_non_null(p);
	return p;
}

static void
nor_is_it_at_the_start(void **state)
{
	static const char *const huge[] = { "LINES=65535", "COLUMNS=65535", NULL };
	static const char *const wrong[] = { "LINES=-3", "COLUMNS=many", NULL };
	static const char *const larger[] = { "LINES=30", "COLUMNS=100", NULL };
	static const struct {
		const char *stty;
		const char *const *env;
		bool is_drawn; /* as of 80x24 */
	} rows[] = {
		{ "rows 65535 cols 65535", NULL, false },
		{ "rows 0 cols 0", huge, false },
		{ "rows 24 cols 80", huge, true },
		{ "rows 0 cols 0", wrong, true },
		{ "rows 0 cols 0", NULL, true },
		{ "rows 24 cols 80", larger, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pty *p = start_of_size(rows[i].stty, rows[i].env);

		is_up(p);
		if (rows[i].is_drawn) {
			sees(p, "nginx");
			assert_non_null(strstr(pty_line(p, 23), "F1 Help"));
		}
		leaves_and_was_small(p);
	}
}

static void
the_environment_tells_a_size_where_the_terminal_does_not(void **state)
{
	struct pty *p = start_of_size("rows 0 cols 0", ENV("LINES=12", "COLUMNS=40"));

	(void)state;
	sees(p, "nginx");
	assert_non_null(strstr(pty_line(p, 11), "F1 Help"));
	leave(p);
}

static void
a_very_small_screen_has_header_titles_and_rows(void **state)
{
	struct pty *p = start(20, 5, ENV());

	(void)state;
	sees(p, "nginx");
	assert_non_null(strstr(pty_line(p, 0), "LIVE"));
	assert_non_null(strstr(pty_line(p, 1), "%EVT"));
	assert_non_null(strstr(pty_line(p, 1), "COMMAND"));
	assert_non_null(strstr(pty_line(p, 2), "42.0"));
	assert_non_null(strstr(pty_line(p, 4), "rcu"));
	leave(p);
}

static void
the_largest_screen_uses_its_width(void **state)
{
	struct pty *p = start(500, 200, ENV("FAKE_CPUS=256"));

	(void)state;
	sees(p, "./threads --workers 2");
	sees(p, "412 tasks, 9 on cpu");
	assert_non_null(strstr(pty_line(p, 199), "F1 Help"));
	leave(p);
}

static void
a_plain_terminal_gets_ascii_only(void **state)
{
	struct pty *p = start(80, 24, ENV("LC_ALL=C", "FAKE_HOSTILE=1"));
	const struct buf *raw;

	(void)state;
	sees(p, "v%EVT");
	sees(p, "cpus [");
	pty_keys(p, "\r");
	sees(p, "[Threads]");
	pty_keys(p, "h");
	sees(p, "This page");
	pty_keys(p, "\033");
	raw = pty_raw(p);
	for (size_t i = 0; i < raw->len; i++)
		if ((unsigned char)raw->data[i] > 0x7e)
			fail_msg("byte %zu is 0x%02x", i, (unsigned char)raw->data[i]);
	leave(p);
}

/* Any SGR parameter that sets a colour. */
static bool
has_color(const struct buf *raw)
{
	for (size_t i = 0; i + 2 < raw->len; i++) {
		const char *s = raw->data + i;
		size_t n;

		if (s[0] != '\033' || s[1] != '[')
			continue;
		n = strspn(s + 2, "0123456789;");
		if (s[2 + n] != 'm')
			continue;
		for (const char *q = s + 2; q < s + 2 + n;) {
			long v = strtol(q, NULL, 10);

			if ((v >= 30 && v <= 49) || (v >= 90 && v <= 107))
				return true;
			q += strcspn(q, ";m") + 1;
		}
	}
	return false;
}

/* Of a blank the colour of what is not there is not to be seen. */
static bool
looks_alike(const struct pty_cell *a, const struct pty_cell *b)
{
	bool is_blank = a->ch == 0 || a->ch == ' ', was_blank = b->ch == 0 || b->ch == ' ';

	if (is_blank != was_blank || (!is_blank && a->ch != b->ch) || a->underline != b->underline ||
	    a->reverse != b->reverse || a->own_bg != b->own_bg || a->bg != b->bg)
		return false;
	return (is_blank && !a->reverse) || (a->bold == b->bold && a->own_fg == b->own_fg && a->fg == b->fg);
}

enum { WALK_WIDTH = 100, WALK_HEIGHT = 24 };

/* Each screen of a walk, and the same drawn anew, each when nothing came for so long.  false: two differ. */
static bool
walk_is_as_drawn_anew(const char *const env[], int quiet_ms, struct buf *why)
{
	static const char *const walk[] = { "j", "\r", "j", "h", "\033", "I", "\t", "v", "\033", "I", "<", "e", "\033" };
	static struct pty_cell left[WALK_HEIGHT][WALK_WIDTH];
	struct pty *p = start(WALK_WIDTH, WALK_HEIGHT, env);

	sees(p, "nginx");
	buf_reset(why);
	for (size_t i = 0; i < ARRAY_SIZE(walk); i++) {
		pty_keys(p, walk[i]);
		pty_settle(p, quiet_ms, SOON_MS);
		for (int y = 0; y < WALK_HEIGHT; y++)
			for (int x = 0; x < WALK_WIDTH; x++)
				left[y][x] = pty_cell(p, x, y);
		pty_keys(p, "\014");
		pty_settle(p, quiet_ms, SOON_MS);
		/* Not the lines with the time of day, and with what a key tells. */
		for (int y = 1; y < WALK_HEIGHT - 1; y++) {
			for (int x = 0; x < WALK_WIDTH; x++) {
				struct pty_cell now = pty_cell(p, x, y);

				if (why->len == 0 && !looks_alike(&left[y][x], &now))
					buf_addf(why, "after key %zu the cell %d,%d is '%c' and becomes '%c'\n%s",
						 i, x, y, (int)left[y][x].ch, (int)now.ch, pty_screen(p));
			}
		}
	}
	leave(p);
	return why->len == 0;
}

/* On a busy machine an answer may come later than a screen seems to be whole: then with more patience. */
static void
what_is_left_of_a_screen_looks_as_if_it_was_drawn_anew(void **state)
{
	static const char *const envs[][4] = {
		{ "FAKE_SHUFFLE=1", "FAKE_DELAY=60", NULL },
		{ "FAKE_SHUFFLE=1", "FAKE_DELAY=60", "TERM=xterm", NULL },
		{ "FAKE_SHUFFLE=1", "FAKE_DELAY=60", "NO_COLOR=1", NULL },
	};
	struct buf why = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(envs); i++) {
		if (!walk_is_as_drawn_anew(envs[i], QUIET_MS, &why) &&
		    !walk_is_as_drawn_anew(envs[i], QUIET_MS * 8, &why) &&
		    !walk_is_as_drawn_anew(envs[i], QUIET_MS * 25, &why))
			fail_msg("%s", buf_str(&why));
	}
	buf_release(&why);
}

/* The row of @text soon is the one that is selected. */
static void
is_selected(struct pty *p, const char *text)
{
	for (int ms = 0; ms < SOON_MS && !pty_cell(p, 0, pty_find_line(p, text)).reverse; ms += 20)
		pty_run(p, 20);
	assert_true(pty_cell(p, 0, pty_find_line(p, text)).reverse);
}

static void
without_colours_none_is_sent_and_the_selection_still_shows(void **state)
{
	static const char *const envs[][2] = {
		{ "NO_COLOR=1", NULL }, { "TERM=vt100", NULL }, { "TERM=xterm-mono", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(envs); i++) {
		struct pty *p = start(80, 24, envs[i]);

		sees(p, "nginx");
		pty_keys(p, "j");
		is_selected(p, "nginx");
		assert_false(has_color(pty_raw(p)));
		leave(p);
	}
}

static void
colours_are_used_where_there_are_any(void **state)
{
	static const char *const envs[][2] = {
		{ "TERM=xterm-256color", NULL }, { "TERM=xterm", NULL }, { "TERM=screen", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(envs); i++) {
		struct pty *p = start(80, 24, envs[i]);

		sees(p, "nginx");
		if (!has_color(pty_raw(p)))
			fail_msg("no colours with %s", envs[i][0]);
		leave(p);
	}
}

static void
a_key_goes_through_the_themes_and_none_changes_the_palette(void **state)
{
	static const char *const names[] = { "light", "colour-blind", "mono", "solarized", "default" };
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char said[32];

		snprintf(said, sizeof(said), "theme %s: ", names[i]);
		pty_keys(p, "\016");
		sees(p, said);
		/* The background is the terminal's own, but of one. */
		assert_int_equal(pty_cell(p, 79, 10).colored, strcmp(names[i], "solarized") == 0);
	}
	assert_null(memmem(pty_raw(p)->data, pty_raw(p)->len, "\033]4;", 4));
	assert_null(memmem(pty_raw(p)->data, pty_raw(p)->len, "\033]P", 3));
	leave(p);
}

/* A terminal whose colours are red, green and blue, described in the folder @dir. */
static void
describe_true_colours(const char *dir)
{
	static const char text[] =
		"ptop-rgb|true colours,\n"
		"\tRGB, colors#0x1000000, pairs#0x7FFF,\n"
		"\tsetab=\\E[%?%p1%{8}%<%t4%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;"
		"%p1%{255}%&%d%;m,\n"
		"\tsetaf=\\E[%?%p1%{8}%<%t3%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;"
		"%p1%{255}%&%d%;m,\n"
		"\tuse=xterm-256color,\n";
	char command[256];
	FILE *f;

	snprintf(command, sizeof(command), "tic -x -o %s - 2>&1", dir);
	f = popen(command, "we");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(pclose(f), 0);
}

static void
true_colours_are_sent_where_terminfo_has_them(void **state)
{
	char dir[] = "/tmp/ptop-terminfo-XXXXXX", folder[64], command[128];
	struct pty *p;

	(void)state;
	assert_non_null(mkdtemp(dir));
	describe_true_colours(dir);
	snprintf(folder, sizeof(folder), "TERMINFO=%s", dir);
	p = start(80, 24, ENV("TERM=ptop-rgb", folder));
	sees(p, "nginx");
	pty_keys(p, "\016\016\016\016");
	sees(p, "theme solarized");
	/* Its background; and not the nearest of 256. */
	assert_non_null(memmem(pty_raw(p)->data, pty_raw(p)->len, "48;2;0;43;54m", 13));
	assert_null(memmem(pty_raw(p)->data, pty_raw(p)->len, "48;5;", 5));
	leave(p);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static void
a_storm_of_resizes_leaves_a_whole_screen(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	for (int i = 0; i < 150; i++) {
		pty_resize(p, 1 + (i * 37) % 180, 1 + (i * 13) % 60);
		pty_run(p, i % 3);
	}
	pty_resize(p, 80, 24);
	pty_settle(p, QUIET_MS * 2, FRAME_MS);
	sees(p, "q Quit");
	assert_non_null(strstr(pty_line(p, 0), "ptop web-03"));
	assert_non_null(strstr(pty_line(p, 23), "F1 Help"));
	assert_int_equal(pty_find_line(p, "F1 Help"), 23);
	leave(p);
}

static void
names_that_command_terminals_leave_the_screen_whole(void **state)
{
	struct pty *p = start(120, 24, ENV("FAKE_HOSTILE=1"));
	const char *screen;

	(void)state;
	sees(p, "\\x1b[2J;\\x0a\\xff\\xe2\\x80\\xae");
	pty_keys(p, "\r");
	sees(p, "[Threads]");
	pty_keys(p, "\t");
	sees(p, "[Functions]");
	screen = pty_screen(p);
	assert_non_null(strstr(screen, "ptop web-03"));
	assert_non_null(strstr(screen, "F1 Help"));
	assert_null(memmem(pty_raw(p)->data, pty_raw(p)->len, "\xe2\x80\xae", 3));
	leave(p);
}

static void
it_ends_in_order_on_signals(void **state)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct pty *p = start(80, 24, ENV());

		sees(p, "nginx");
		assert_true(pty_in_alternate_screen(p));
		pty_signal(p, signals[i]);
		ends_in_order(p);
		pty_free(p);
	}
}

static void
control_c_leaves_like_q(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\003");
	ends_in_order(p);
	pty_free(p);
}

static void
a_crash_puts_the_terminal_back(void **state)
{
	static const int signals[] = { SIGSEGV, SIGABRT, SIGBUS,  SIGFPE,  SIGILL,
				       SIGQUIT, SIGPIPE, SIGUSR1, SIGXCPU, SIGALRM };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct pty *p = start(80, 24, ENV("XDG_STATE_HOME=/dev/null"));
		int status;

		sees(p, "nginx");
		pty_signal(p, signals[i]);
		status = pty_wait_exit(p, SOON_MS);
		assert_true(status != -1 && status != 0);
		assert_null(pty_not_restored(p));
		/* The mouse is no longer reported. */
		assert_non_null(memmem(pty_raw(p)->data, pty_raw(p)->len, "\033[?1000l", 8));
		pty_free(p);
	}
}

static void
control_z_gives_the_terminal_back_and_fg_goes_on(void **state)
{
	struct pty *p = start(80, 24, ENV());
	uint64_t bytes;

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\032");
	assert_true(pty_wait_stopped(p, SOON_MS)); /* which brings all that it wrote */
	assert_null(pty_not_restored(p));
	bytes = pty_byte_count(p);
	pty_signal(p, SIGCONT);
	sees(p, "nginx");
	sees(p, "F1 Help");
	assert_true(pty_in_alternate_screen(p));
	/* It sends what it did: keys as terminfo has them, and the mouse. */
	assert_non_null(strstr(pty_raw(p)->data + bytes, "\033[?1h\033="));
	assert_non_null(strstr(pty_raw(p)->data + bytes, "\033[?1000h\033[?1006h"));
	pty_keys(p, "\r");
	sees(p, "[Threads]");
	leave(p);
}

static void
it_ends_when_its_terminal_goes_away(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_hangup(p);
	assert_int_equal(pty_wait_exit(p, SOON_MS), 0);
	pty_free(p);
}

static void
escape_answers_at_once(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_DELAY=60"));
	double ms = 0;

	(void)state;
	sees(p, "nginx");
	/* 10 to 12 on a machine at rest; who waits whether a sequence follows waits for 1000. */
	for (int tries = 0; tries < 5 && (ms == 0 || ms >= 800); tries++) {
		pty_keys(p, "h");
		sees(p, "Help (Esc leaves)");
		pty_settle(p, QUIET_MS, FRAME_MS);
		ms = pty_key_ms(p, "\033", 900);
		sees_no(p, "Help (Esc leaves)");
	}
	assert_that(ms, >, 0);
	assert_that(ms, <, 800);
	sees(p, "nginx");
	leave(p);
}

static void
a_screen_that_does_not_change_is_not_sent_again(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_DELAY=60"));
	uint64_t bytes;

	(void)state;
	sees(p, "nginx");
	pty_settle(p, 100, FRAME_MS);
	bytes = pty_byte_count(p);
	pty_run(p, 300);
	assert_int_equal(pty_byte_count(p), bytes);
	pty_keys(p, "j");
	for (int ms = 0; ms < SOON_MS && pty_byte_count(p) == bytes; ms += 20)
		pty_run(p, 20);
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_that(pty_byte_count(p), >, bytes);
	assert_that(pty_byte_count(p), <, bytes + 2000);
	leave(p);
}

static void
sequences_that_nobody_knows_are_no_keys(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_DELAY=60"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\r");
	sees(p, "[Threads]");
	pty_keys(p, "\033[?77;99$q\033[I\033P>|q\033\\\033]11;q\007\033_q\033\\");
	pty_run(p, 50);
	pty_settle(p, QUIET_MS, FRAME_MS);
	sees(p, "[Threads]");
	leave(p);
}

static void
a_paste_is_text_for_a_prompt_and_no_keys(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_DELAY=60"));

	(void)state;
	sees(p, "nginx");
	assert_non_null(strstr(pty_raw(p)->data, "\033[?2004h"));
	pty_keys(p, "\033[200~h\nq\033[201~");
	sees(p, "a paste is for a prompt");
	pty_keys(p, "/");
	sees_no(p, "a paste is for a prompt");
	pty_keys(p, "\033[200~a\nq\n\033[201~");
	sees(p, "find: a q ");
	pty_keys(p, "\033:\033[200~hot\nq\033[201~");
	sees(p, "hot q");
	pty_keys(p, "\033");
	sees_no(p, "hot q");
	pty_keys(p, ":\033[200~x\033\033\033[20~kill\rq");
	sees(p, "x[20~kill q");
	pty_run(p, FALTER_MS);
	pty_keys(p, "q\033[201~");
	sees(p, "x[20~kill qq");
	pty_keys(p, "\033");
	sees_no(p, "[20~kill");
	leave(p);
}

static void
half_a_report_of_the_mouse_holds_nothing_up(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_DELAY=0.1"));
	uint64_t bytes;

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\033[<0;1");
	pty_run(p, 200);
	bytes = pty_byte_count(p);
	for (int ms = 0; ms < SOON_MS && pty_byte_count(p) == bytes; ms += 20)
		pty_run(p, 20);
	assert_that(pty_byte_count(p), >, bytes);
	pty_keys(p, "h");
	sees(p, "Help (Esc leaves)");
	pty_keys(p, "\033[<0;1\033");
	sees_no(p, "Help (Esc leaves)");
	leave(p);
}

static void
a_byte_that_begins_no_character_swallows_no_key(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_DELAY=60"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\xffh");
	sees(p, "Help (Esc leaves)");
	pty_keys(p, "\xc3\033");
	sees_no(p, "Help (Esc leaves)");
	leave(p);
}

static void
what_is_typed_behind_a_key_that_leaves_is_for_the_shell(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "qls\n");
	ends_in_order(p);
	assert_int_equal(pty_unread(p), 3);
	pty_free(p);
}

static void
a_terminal_that_cannot_show_a_screen_is_named(void **state)
{
	struct pty *p = start(80, 24, ENV("TERM=nonsense"));

	(void)state;
	assert_int_equal(WEXITSTATUS(pty_wait_exit(p, SOON_MS)), 1);
	sees(p, "terminal type 'nonsense'");
	pty_free(p);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		ui_test(sizes_from_one_cell_to_the_largest_are_drawn),
		ui_test(a_size_that_no_screen_has_is_not_taken),
		ui_test(nor_is_it_at_the_start),
		ui_test(the_environment_tells_a_size_where_the_terminal_does_not),
		ui_test(a_very_small_screen_has_header_titles_and_rows),
		ui_test(the_largest_screen_uses_its_width),
		ui_test(a_plain_terminal_gets_ascii_only),
		ui_test(without_colours_none_is_sent_and_the_selection_still_shows),
		ui_test(colours_are_used_where_there_are_any),
		ui_test(what_is_left_of_a_screen_looks_as_if_it_was_drawn_anew),
		ui_test(a_key_goes_through_the_themes_and_none_changes_the_palette),
		ui_test(true_colours_are_sent_where_terminfo_has_them),
		ui_test(a_storm_of_resizes_leaves_a_whole_screen),
		ui_test(names_that_command_terminals_leave_the_screen_whole),
		ui_test(it_ends_in_order_on_signals),
		ui_test(control_c_leaves_like_q),
		ui_test(a_crash_puts_the_terminal_back),
		ui_test(control_z_gives_the_terminal_back_and_fg_goes_on),
		ui_test(it_ends_when_its_terminal_goes_away),
		ui_test(escape_answers_at_once),
		ui_test(a_screen_that_does_not_change_is_not_sent_again),
		ui_test(sequences_that_nobody_knows_are_no_keys),
		ui_test(a_paste_is_text_for_a_prompt_and_no_keys),
		ui_test(half_a_report_of_the_mouse_holds_nothing_up),
		ui_test(a_byte_that_begins_no_character_swallows_no_key),
		ui_test(what_is_typed_behind_a_key_that_leaves_is_for_the_shell),
		ui_test(a_terminal_that_cannot_show_a_screen_is_named),
	};

	if (argc > 1 && strcmp(argv[1], "--ui") == 0)
		return fake_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
