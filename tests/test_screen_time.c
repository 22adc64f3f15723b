/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which time it is that the screen, or the report of a recording, shows.  It takes more than half a
 * minute: windows of seconds have to go by, to see what stays of them.
 */
#include "tests/gaps.h"
#include "tests/screen_fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { PATIENCE_S = 60, STAYS_MS = 4500 };

/* A sample each millisecond, for this long: not whole seconds. */
enum { RECORDED_MS = 12094 };

static void
a_stretch_of_a_recording_has_the_samples_of_that_time(void **state)
{
	static const struct {
		const char *keys, *label, *samples;
	} stretches[] = {
		{ "~2-2.5\r", "window 2.00 to 2.50 s of 12.1", " 500 " },
		{ "~2-3.6\r", "window 2.0 to 3.6 s of 12.1", " 1600 " },
		{ "~0.25-0.3\r", "window 0.25 to 0.30 s of 12.1", " 50 " },
		{ "~11.5-12\r", "window 11.50 to 12.00 s of 12.1", " 500 " },
	};
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;

	screen_recording(path, RECORDED_MS, NSEC_PER_MSEC);
	screen_start(s, 120, 24, ARGS("-i", path, "-V", "dsos"), NULL);
	sees_match(s, " 1[12][0-9k.]+ .*");
	for (size_t i = 0; i < ARRAY_SIZE(stretches); i++) {
		keys(s, stretches[i].keys);
		sees(s, stretches[i].label);
		sees(s, stretches[i].samples);
	}
	keys(s, "~\r");
	sees(s, "window all");
	leave(s);
	unlink(path);
}

/* The column of a text in a line of the screen: some characters before it take several bytes. */
static int
column_of(const char *line, const char *text)
{
	const char *at = strstr(line, text);
	int column = 0;

	assert_non_null(at);
	for (; line < at; line++)
		column += ((unsigned char)*line & 0xc0) != 0x80;
	return column;
}

static void
mouse(struct screen *s, int x, int y, char what)
{
	char text[32];

	snprintf(text, sizeof(text), "\033[<0;%d;%d%c", x + 1, y + 1, what);
	keys(s, text);
	pty_run(s->p, 200);
}

/* The line's last cell is the newest second. */
static void
a_stretch_is_dragged_over_the_line_of_time(void **state)
{
	enum { SPAN_CELLS = 5, CELLS = 60 };
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;
	int x, y;

	screen_recording(path, RECORDED_MS, NSEC_PER_MSEC);
	screen_start(s, 120, 24, ARGS("-i", path, "-V", "dsos"), NULL);
	sees(s, "12.1k samples"); /* it is read to its end */
	sees_match(s, "60 s .*\xe2\x96\x88");
	y = pty_find_line(s->p, "60 s ");
	x = column_of(pty_line(s->p, y), "60 s ") + SPAN_CELLS + CELLS - 1;
	mouse(s, x - 3, y, 'M');
	mouse(s, x - 6, y + 2, 'm'); /* wherever it is let go */
	sees(s, "window 6.0 to 10.0 s of 12.1");
	sees(s, " 4.0k samples ");
	leave(s);
	unlink(path);
}

/* The clock stays with the rows; what has come since is asked for as ever. */
static void
a_frozen_screen_stays_and_what_came_since_can_be_seen(void **state)
{
	struct screen *s = *state;
	char frozen[sizeof("FROZEN 10:41:30")], pid[16];

	screen_load(s, "hot");
	screen_start(s, 120, 24, ARGS("-e", "cpu-clock"), NULL);
	sees_match(s, "window 10 s \\([3-9] so far\\)");
	keys(s, "Z");
	sees(s, "frozen: sampling goes on");
	pty_run(s->p, 500);
	sees_match(s, "FROZEN [0-9:]+");
	snprintf(frozen, sizeof(frozen), "%s", strstr(pty_line(s->p, pty_find_line(s->p, "FROZEN")), "FROZEN"));
	screen_load(s, "deep");
	snprintf(pid, sizeof(pid), " %d ", (int)s->loads[1]);
	pty_run(s->p, 5000);
	keys(s, "~-3s..-0s\r");
	sees_match(s, "window [0-9:.]+ to .*[01] s ago");
	sees(s, pid);
	keys(s, "\005");
	sees(s, frozen);
	sees_no(s, pid);
	sees_match(s, "window 10 s \\([3-9] so far\\)");
	leave(s);
}

/* Three seconds, 312 days in which nothing is, two seconds. */
static void
keys_of_time_lead_over_a_gap(void **state)
{
	const uint64_t step_ns = 10 * NSEC_PER_MSEC;
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;

	assert_int_equal(close(mkstemp(path)), 0);
	gaps_write(path, (struct gaps_part[]){
		{ 1, 300, NSEC_PER_SEC, step_ns, true },
		{ 2, 200, (312 * 86400 + 4) * NSEC_PER_SEC, step_ns, false } }, 2);
	screen_start(s, 120, 24, ARGS("-i", path), NULL);
	sees(s, " 500 samples ");
	sees(s, "window all");
	/* A tenth of it, which is in the gap: that is one piece. */
	keys(s, ",");
	sees(s, "window 3.0 to 26956803.0 s, nearest to ");
	sees(s, "no samples of this event in this window");
	keys(s, ",");
	sees(s, "window 3.0 to 26956803.0 s, nearest to ");
	keys(s, "~1-4\r");
	sees(s, "window 1.0 to 3.0 s, nearest to 1.0 to 4.0 s of 26956805.0");
	sees_match(s, " (199|20[0-9]) samples ");
	sees_no(s, "p2");
	keys(s, "~26956804-26956805\r");
	sees_match(s, " (99|10[0-9]) samples ");
	sees_no(s, "p1");
	keys(s, ".");
	sees(s, "window all");
	sees(s, " 500 samples ");
	leave(s);
	unlink(path);
}

/* Of a month that does not fit into the memory that was given. */
static void
a_window_that_is_forgotten_says_so(void **state)
{
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;

	screen_recording(path, 40000, 60 * NSEC_PER_SEC);
	screen_start(s, 80, 24, ARGS("-i", path, "--memory", "1M"), NULL);
	sees(s, "window all");
	sees(s, " 40.0k samples ");
	keys(s, "~10-20\r");
	sees_match(s, "nothing is known of 10-20: kept from [0-9.]+ s on");
	keys(s, "\025" "10-2399999\r");
	sees_match(s, "^ ! kept from [0-9.]+ s on: what was before is not in this window");
	keys(s, "~2390000-2399000\r");
	sees_no(s, "kept from");
	leave(s);
	unlink(path);
}

/* The samples in a part of the recording. */
static int
samples_of_part(const char *path, const char *from, const char *to)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), (char *)(uintptr_t)"-i",
			 (char *)(uintptr_t)path, (char *)(uintptr_t)"--by",
			 (char *)(uintptr_t)"event", (char *)(uintptr_t)"--format",
			 (char *)(uintptr_t)"csv", (char *)(uintptr_t)"--from",
			 (char *)(uintptr_t)from, (char *)(uintptr_t)"--to", (char *)(uintptr_t)to, NULL };
	struct run_result r;
	int samples;

	run_program(&r, PATIENCE_S, argv);
	assert_int_equal(r.status, 0);
	samples = (int)run_csv_sum(r.out, "samples", 0, NULL);
	run_release(&r);
	return samples;
}

static void
a_report_is_of_the_part_that_is_asked_for(void **state)
{
	static const char *const bad[][2] = {
		{ "10:41", "this recording does not tell the time of day" },
		{ "noon", "no time is 'noon'" },
	};
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct run_result r;

	(void)state;
	screen_recording(path, RECORDED_MS, NSEC_PER_MSEC);
	assert_int_equal(samples_of_part(path, "2", "3.5"), 1500);
	assert_int_equal(samples_of_part(path, "0", "2") + samples_of_part(path, "2", "100000"),
			 RECORDED_MS);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char *argv[] = { (char *)(uintptr_t)run_ptop(), (char *)(uintptr_t)"-i", path,
				 (char *)(uintptr_t)"-b", (char *)(uintptr_t)"--from",
				 (char *)(uintptr_t)bad[i][0], NULL };

		run_program(&r, PATIENCE_S, argv);
		assert_int_equal(WEXITSTATUS(r.status), 2);
		assert_non_null(strstr(r.err, bad[i][1]));
		run_release(&r);
	}
	unlink(path);
}

/* The past from before that is not shown any more, which is no past without samples. */
static void
a_window_from_before_it_began_anew_says_so(void **state)
{
	struct screen *s = *state;

	screen_load_with(s, "hot", "33");
	screen_start(s, 100, 24, ARGS("-w", "1", "-d", "0.3", "-V", "functions"), NULL);
	sees(s, "hot_loop");
	pty_run(s->p, 2500);
	keys(s, "z");
	sees(s, "the window starts anew: what was before is forgotten");
	keys(s, "~0.5-1.5\r");
	sees_match(s, "^ ! this window is forgotten: z began anew at [0-9:]+");
	sees_match(s, "^  this window is forgotten: z began anew");
	keys(s, "~\r");
	sees_no(s, "forgotten");
	sees(s, "hot_loop");
	leave(s);
}

/* As long as asked up to its end, which is not where a whole second is; all if it is shorter. */
static void
the_report_of_a_recording_has_its_last_seconds(void **state)
{
	static const struct {
		const char *window;
		int samples;
	} cases[] = {
		{ "1", 1000 }, { "0.5", 500 }, { "0.1", 100 }, { "5", 5000 }, { "60", RECORDED_MS },
	};
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct run_result r;

	(void)state;
	screen_recording(path, RECORDED_MS, NSEC_PER_MSEC);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *argv[] = { (char *)(uintptr_t)run_ptop(), (char *)(uintptr_t)"-i", path,
				 (char *)(uintptr_t)"-w", (char *)(uintptr_t)cases[i].window,
				 (char *)(uintptr_t)"--by", (char *)(uintptr_t)"event",
				 (char *)(uintptr_t)"--format", (char *)(uintptr_t)"csv", NULL };
		int samples, most = cases[i].samples / 100 + 6; /* whole intervals */

		run_program(&r, PATIENCE_S, argv);
		assert_int_equal(r.status, 0);
		samples = (int)run_csv_sum(r.out, "samples", 0, NULL);
		assert_in_range(samples, cases[i].samples - most, cases[i].samples + most);
		run_release(&r);
	}
	unlink(path);
}

static void
a_window_shorter_than_the_refresh_is_not_empty(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load_with(s, "hot", "33");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 100, 24, ARGS("-p", pid, "-w", "0.5", "-d", "2"), NULL);
	pty_run(s->p, 5000);
	sees_match(s, "window 0\\.5 s *$");
	sees_match(s, "^ +[0-9]+ .* (100|9[0-9])\\.[0-9] .*(hot|warm)_loop +hot");
	leave(s);
}

/* Its third last second; what is typed may be read late. */
static void
sees_what_ended(struct screen *s, uint64_t ended_ns)
{
	static const char row[] = "\xe2\x80\xa0 .*(hot|warm)_loop +";
	bool is_there = false;

	for (int tries = 0; tries < 5 && !is_there; tries++) {
		unsigned ago_s = (unsigned)((clock_mono_ns() - ended_ns) / NSEC_PER_SEC);
		char window[64];

		snprintf(window, sizeof(window), "~-%us..-%us\r", ago_s + 3, ago_s + 2);
		keys(s, window);
		sees_match(s, "PAST [0-9][0-9]:[0-9][0-9]:[0-9][0-9]");
		is_there = pty_wait_match(s->p, row, 10000);
	}
	sees_match(s, row);
}

/* A load that has ended since is there again, at the time when it was; what is not known is said. */
static void
the_past_is_told_by_the_clock(void **state)
{
	struct screen *s = *state;
	uint64_t ended_ns;

	screen_load_with(s, "hot", "33");
	screen_start(s, 140, 50, ARGS("-d", "0.5"), NULL);
	sees_match(s, " (hot|warm)_loop +");
	pty_run(s->p, 4000);
	screen_end_load(s, 0);
	ended_ns = clock_mono_ns();
	pty_run(s->p, 3000);
	sees_what_ended(s, ended_ns);
	sees_match(s, "window [0-9:.]+ to [0-9:.]+, [0-9.]+ s ago");
	keys(s, "~-1h..-1s\r");
	sees_match(s, "the begin of it is not known: kept from [0-9:]+ on");
	keys(s, "~-2h\r");
	sees_match(s, "nothing is known of -2h: kept from [0-9:]+ on");
	keys(s, "\025" "99:99\r");
	sees(s, "there is no time '99:99'");
	keys(s, "\033");
	keys(s, "\005");
	sees(s, "LIVE");
	keys(s, "mdeploy\r");
	keys(s, "T");
	sees_match(s, "[0-9:]+ +\\* deploy");
	keys(s, "\033");
	keys(s, "!");
	sees_match(s, "[0-9:]+  deploy");
	keys(s, "\033");
	leave(s);
}

/* For much longer than the window is. */
static void
rows_of_what_has_ended_stay_where_all_of_it_has(void **state)
{
	static const char ended[] = "^\xe2\x80\xa0 +[0-9]+ .* 100\\.0 .*(hot|warm)_loop +hot";
	struct screen *s = *state;
	char pid[16], attach[16];

	screen_load_with(s, "hot", "33");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 100, 24, ARGS("-p", pid, "-w", "2"), NULL);
	sees_match(s, " (hot|warm)_loop +hot");
	pty_run(s->p, 1500);
	screen_end_load(s, 0);
	sees_match(s, "process [0-9]+ hot has ended: its rows stay *$");
	pty_run(s->p, STAYS_MS);
	sees_match(s, ended);
	sees_match(s, "as of [0-9][0-9]:");
	/* With another one time goes on. */
	screen_load(s, "nested");
	snprintf(attach, sizeof(attach), "p%d\r", (int)s->loads[0]);
	keys(s, attach);
	sees_match(s, "[0-9]+ nested is attached");
	sees_no(s, "_loop");
	sees(s, "window 2 s");
	leave(s);
}

static void
the_window_of_a_command_that_has_ended_stays(void **state)
{
	struct screen *s = *state;

	screen_start(s, 100, 24, ARGS("-w", "1", "--", "sh", "-c",
				      "i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done"), NULL);
	if (!pty_wait_text(s->p, "the command has ended with status 0", PATIENCE_S * 1000))
		fail_msg("it has not ended:\n%s", pty_screen(s->p));
	pty_run(s->p, STAYS_MS);
	sees_match(s, " [0-9]*[1-9]0*\\.[0-9] .* sh");
	sees_match(s, "as of [0-9][0-9]:");
	keys(s, "!");
	sees_match(s, "ended with status 0: this is its (last [0-9.]+ s|whole life)");
	leave(s);
}

/* The machine goes on: they stay as long as the window holds them, and no more is promised. */
static void
rows_of_who_was_looked_at_stay_while_the_window_holds_them(void **state)
{
	struct screen *s = *state;
	char text[64];

	screen_load_with(s, "hot", "33");
	screen_start(s, 120, 24, ARGS("-w", "2"), NULL);
	/* Others have a process of that name, too. */
	snprintf(text, sizeof(text), " %d .* (hot|warm)_loop +hot", (int)s->loads[0]);
	sees_match(s, text);
	snprintf(text, sizeof(text), "/%d\r\r", (int)s->loads[0]);
	keys(s, text);
	snprintf(text, sizeof(text), "All > %d hot", (int)s->loads[0]);
	sees(s, text);
	screen_end_load(s, 0);
	sees_match(s, "hot has ended: its rows stay while the window holds its samples");
	sees_no(s, "_loop");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(a_stretch_of_a_recording_has_the_samples_of_that_time),
		screen_test(a_stretch_is_dragged_over_the_line_of_time),
		screen_test(a_frozen_screen_stays_and_what_came_since_can_be_seen),
		screen_test(keys_of_time_lead_over_a_gap),
		screen_test(a_window_that_is_forgotten_says_so),
		cmocka_unit_test(a_report_is_of_the_part_that_is_asked_for),
		screen_test(a_window_from_before_it_began_anew_says_so),
		screen_test(the_report_of_a_recording_has_its_last_seconds),
		screen_test(a_window_shorter_than_the_refresh_is_not_empty),
		screen_test(the_past_is_told_by_the_clock),
		screen_test(rows_of_what_has_ended_stay_where_all_of_it_has),
		screen_test(the_window_of_a_command_that_has_ended_stays),
		screen_test(rows_of_who_was_looked_at_stay_while_the_window_holds_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
