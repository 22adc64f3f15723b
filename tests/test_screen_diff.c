/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has changed: in four keys from a change to what was before and after, live, in a recording of
 * two phases, and between two recordings.  The live one takes a minute: half of it tells what is usual.
 */
#include "tests/csv.h"
#include "tests/gaps.h"
#include "tests/screen_fixture.h"
#include "tests/skip.h"

#include <config.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

#include "base/clock.h"

enum { STEP_MS = 10, USUAL_S = 26, BATCH_S = 60, MENU_TEXT = 4 };

static void
make_file(char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
}

/* p1 has all of it for so many samples, until p2 has. */
static void
two_phases_of(char *path, unsigned before, unsigned after)
{
	const uint64_t step_ns = STEP_MS * NSEC_PER_MSEC;

	make_file(path);
	gaps_write(path, (struct gaps_part[]){
		{ 1, before, NSEC_PER_SEC, step_ns, true },
		{ 2, after, NSEC_PER_SEC + before * step_ns, step_ns, false } }, 2);
}

static void
two_phases(char *path, unsigned before_s, unsigned after_s)
{
	two_phases_of(path, before_s * 100, after_s * 100);
}

static void
one_phase(char *path, uint32_t pid)
{
	make_file(path);
	gaps_write(path, (struct gaps_part[]){ { pid, 3000, NSEC_PER_SEC, STEP_MS * NSEC_PER_MSEC,
						 false } }, 1);
}

static void
a_recording_of_two_phases_tells_when_it_changed_and_what(void **state)
{
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;

	two_phases(path, 60, 30);
	screen_start(s, 120, 24, ARGS("-i", path), NULL);
	sees_match(s, "! 3[01] s ago: .*(9[0-9]|100)\\.[0-9] points p[12]");
	keys(s, "C");
	sees_match(s, "(59|60)(\\.[0-9])? s  [+-](9[0-9]|100)\\.[0-9] points p[12]");
	sees(s, "of all");
	keys(s, "\033");
	sees(s, "[Processes]");
	keys(s, "=");
	sees(s, "before what changed");
	keys(s, "\r");
	sees_match(s, "0\\.0 +100\\.0 +-100\\.0 .*gone .*p1");
	sees_match(s, "100\\.0 +0\\.0 +\\+100\\.0 .*new .*p2");
	leave(s);
	unlink(path);
}

/* Within a second, at whatever part of it. */
static void
the_time_before_a_change_has_nothing_of_it(void **state)
{
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;

	for (unsigned part = 20; part < 100; part += 40) {
		snprintf(path, sizeof(path), "/tmp/ptop-recording-XXXXXX");
		two_phases_of(path, 6000 + part, 3000);
		screen_start(s, 120, 24, ARGS("-i", path, "-w", "10"), NULL);
		sees(s, "C: what changed");
		keys(s, "=");
		sees(s, "before what changed");
		keys(s, "\r");
		sees_match(s, "THEN the (10\\.0|9\\.9) s up to (59\\.|60\\.[0-2])");
		sees_match(s, "0\\.0 +100\\.0 +-100\\.0 .*gone .*p1");
		sees_match(s, "100\\.0 +0\\.0 +\\+100\\.0 .*new .*p2");
		leave(s);
		unlink(path);
	}
}

/* Live there is less than a window at first; a recording may hold less. */
static void
before_all_began_nothing_is_known(void **state)
{
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start(s, 160, 24, ARGS("-e", "cpu-clock", "-w", "30"), NULL);
	sees_match(s, "window 30 s \\([0-9]+ so far\\)");
	keys(s, "=\r");
	sees_match(s, "nothing is known THEN: kept from [0-9]+:[0-9]+:[0-9]+ on");
	sees_no(s, "was not measured");
	leave(s);
	/* It has room before how long the window is. */
	screen_start(s, 80, 24, ARGS("-e", "cpu-clock", "-w", "30", "-V", "functions"), NULL);
	sees_match(s, "window 30 s \\([0-9]+ so far\\)");
	keys(s, "=\r");
	sees_match(s, "\\[Functions\\].* nothing is known THEN: kept from [0-9]+:[0-9]+:[0-9]+ on");
	leave(s);
	two_phases(path, 5, 5);
	screen_start(s, 160, 24, ARGS("-i", path, "-w", "30"), NULL);
	sees(s, "window 30 s");
	keys(s, "=\r");
	sees_match(s, "nothing is known THEN: kept from [0-9.]+ s on");
	leave(s);
	unlink(path);
}

/* Who ends at about the same time is not what it tells of. */
static void
a_change_has_the_mark_of_what_has_changed(void **state)
{
	const uint64_t ms = NSEC_PER_MSEC;
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;

	make_file(path);
	gaps_write(path, (struct gaps_part[]){
		{ 1, 1500, NSEC_PER_SEC, 20 * ms, .ends = true },
		{ 3, 1530, NSEC_PER_SEC, 20 * ms, .ends = true, .name = "p\n9 lost\n" },
		{ 2, 3500, NSEC_PER_SEC, 20 * ms } }, 3);
	screen_start(s, 120, 24, ARGS("-i", path), NULL);
	sees_match(s, "! .* s ago: ");
	keys(s, "C");
	sees_match(s, "the last mark by then: .* p1 1 ended");
	sees_match(s, "the last mark by then: .* p.x0a9 lost.x0a 3 ended");
	keys(s, "\033!");
	sees(s, "marks (T shows");
	sees_match(s, "^ .* p.x0a9 lost.x0a 3 ended");
	leave(s);
	unlink(path);
}

/* Another event was sampled then; this one was before. */
static void
nothing_is_gone_where_the_event_was_not_sampled(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start_on_load(s, 160, 24, ARGS("-e", "page-faults", "-w", "2"), NULL);
	sees(s, "event page-faults");
	keys(s, "ecpu-clock\r");
	sees(s, "event cpu-clock");
	sees_match(s, "window 2 s *$");
	keys(s, "epage-faults\r");
	sees(s, "event page-faults");
	pty_settle(s->p, 5000, 5000);
	keys(s, "[");
	sees(s, "event cpu-clock");
	keys(s, ",");
	sees(s, "this event was not sampled then");
	keys(s, "=\r");
	sees(s, "nothing is known NOW");
	sees_no(s, " gone");
	keys(s, "t");
	sees_match(s, "\\[Call tree\\].* nothing is known NOW");
	sees_no(s, " gone");
	leave(s);
}

/* Opens the menu, which stands on @item, takes it, and is where it was. */
static void
stands_on(struct screen *s, const char *item, const char *then)
{
	sees_match(s, then);
	keys(s, "=");
	sees(s, "the window alone");
	pty_settle(s->p, 100, SOON_MS);
	if (pty_cell(s->p, MENU_TEXT, pty_find_line(s->p, item)).own_bg)
		fail_msg("the menu does not stand on '%s':\n%s", item, pty_screen(s->p));
	keys(s, "\r");
	sees_no(s, "the window alone");
	sees_match(s, then);
}

/* Who only wants to look at it, or at the next mark, does not end it. */
static void
the_menu_stands_on_the_comparison_that_is_on(void **state)
{
	const uint64_t step_ns = STEP_MS * NSEC_PER_MSEC;
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;

	make_file(path);
	gaps_write(path, (struct gaps_part[]){
		{ 1, 3000, NSEC_PER_SEC, step_ns, true, .execs = true },
		{ 1, 3000, 31 * NSEC_PER_SEC, step_ns, .ends = true },
		{ 2, 3000, 61 * NSEC_PER_SEC, step_ns, true } }, 3);
	screen_start(s, 120, 24, ARGS("-i", path, "-w", "10"), NULL);
	sees(s, "C: what changed");
	keys(s, "=");
	sees(s, "before mark");
	keys(s, "\r");
	stands_on(s, "before what changed", "THEN the 10.0 s up to (58|59)\\.");
	/* The first that begins so. */
	keys(s, "=before\r");
	sees(s, "THEN the 10.0 s before");
	keys(s, "=");
	sees(s, "before mark");
	keys(s, "\033[H\033[B\033[B\033[B\033[B\r");
	stands_on(s, "1 executed q1", "THEN the 10.0 s up to (29|30)\\.");
	/* From the second on, too, the whole name is meant. */
	keys(s, "=bbefore\r");
	sees(s, "THEN the 10.0 s before");
	keys(s, "=");
	sees(s, "before mark");
	keys(s, "\033[H\033[B\033[B\r");
	stands_on(s, "the same moment", "THEN the 10.0 s up to (89|90)\\.");
	leave(s);
	unlink(path);
}

static void
two_recordings_are_shown_side_by_side(void **state)
{
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX";
	struct screen *s = *state;

	one_phase(old, 1);
	one_phase(new, 2);
	screen_start(s, 120, 24, ARGS("-i", new, "--diff", old), NULL);
	sees_match(s, "0\\.0 +100\\.0 +-100\\.0 .*gone .*p1");
	sees_match(s, "100\\.0 +0\\.0 +\\+100\\.0 .*new .*p2");
	sees(s, "THEN /tmp/ptop-old-");
	keys(s, "=");
	sees(s, "the window alone");
	keys(s, "\033[B\033[B\033[B\r");
	leave(s);
	unlink(old);
	unlink(new);
}

/* It is wholly used: no key makes more of it. */
static void
a_recording_that_is_too_short_is_to_be_longer(void **state)
{
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX";
	struct screen *s = *state;

	two_phases(old, 4, 4);
	two_phases(new, 20, 20);
	screen_start(s, 120, 24, ARGS("-i", new, "-w", "10", "--diff", old), NULL);
	sees_match(s, "THEN /tmp/ptop-old-[^ ]+ +needs a recording [0-9]+ s longer");
	keys(s, "}");
	sees(s, "window 60 s");
	sees_match(s, "needs a recording [0-9]+ s longer");
	leave(s);
	screen_start(s, 120, 24, ARGS("-i", old, "-w", "5", "--diff", new), NULL);
	sees_match(s, "THEN /tmp/ptop-new-[^ ]+ +needs [0-9]+ s more: [}]");
	leave(s);
	unlink(old);
	unlink(new);
}

static void
reports_of_two_recordings_have_columns_for_it(void **state)
{
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX";
	char *argv[] = { (char *)run_ptop(), "-i", new, "--diff", old, "--format", "csv", NULL };
	struct run_result r;
	struct csv csv;
	int rows = 0;

	(void)state;
	one_phase(old, 1);
	two_phases(new, 20, 20);
	run_program(&r, BATCH_S, argv);
	assert_int_equal(r.status, 0);
	for (csv_init(&csv, r.out); csv_next(&csv); rows++) {
		bool is_new = strcmp(csv_field(&csv, "comm"), "p2") == 0;

		assert_true(fabs(csv_number(&csv, "now") - 50) < 0.1);
		assert_true(fabs(csv_number(&csv, "then") - (is_new ? 0 : 100)) < 0.1);
		assert_true(fabs(csv_number(&csv, "delta") - (is_new ? 50 : -50)) < 0.1);
		assert_true(csv_number(&csv, "low") <= csv_number(&csv, "delta"));
		assert_true(csv_number(&csv, "high") >= csv_number(&csv, "delta"));
	}
	assert_int_equal(rows, 2);
	csv_release(&csv);
	run_release(&r);
	unlink(old);
	unlink(new);
}

static void
folded_stacks_have_two_counts(void **state)
{
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX";
	char *argv[] = { (char *)run_ptop(), "-i", new, "--diff", old, "--format", "folded", NULL };
	struct run_result r;

	(void)state;
	one_phase(old, 1);
	two_phases(new, 20, 10);
	run_program(&r, BATCH_S, argv);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "p1;"));
	assert_non_null(strstr(r.out, " 3000 2000\n"));
	assert_non_null(strstr(r.out, " 0 1000\n"));
	run_release(&r);
	unlink(old);
	unlink(new);
}

/* Two processes: one that has half of what it had, one that is new. */
static void
make_pair(char *old, char *new)
{
	one_phase(old, 1);
	two_phases(new, 20, 20);
}

/* What ptop says in a format, of @new alone where @old is NULL. */
static void
report(struct run_result *r, const char *new, const char *old, const char *format)
{
	run_program(r, BATCH_S, (char *[]){
		(char *)(uintptr_t)run_ptop(), (char *)"-i", (char *)(uintptr_t)new, (char *)"--format",
		(char *)(uintptr_t)format, old != NULL ? (char *)"--diff" : NULL,
		(char *)(uintptr_t)old, NULL });
	assert_int_equal(r->status, 0);
}

#ifdef HAVE_JANSSON

static void
json_tells_what_is_significant(void **state)
{
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX";
	struct run_result r;
	json_t *root, *rows;

	(void)state;
	make_pair(old, new);
	report(&r, new, old, "json");
	root = json_loads(r.out, 0, NULL);
	rows = json_object_get(root, "rows");
	assert_int_equal(json_array_size(rows), 2);
	assert_string_equal(json_string_value(json_object_get(json_object_get(root, "then"), "label")),
			    old);
	for (size_t i = 0; i < 2; i++) {
		const json_t *row = json_array_get(rows, i);
		bool is_new = strcmp(json_string_value(json_object_get(row, "comm")), "p2") == 0;
		double delta = json_number_value(json_object_get(row, "delta"));

		assert_true(fabs(delta - (is_new ? 50 : -50)) < 0.1);
		assert_true(json_number_value(json_object_get(row, "low")) <= delta);
		assert_true(json_number_value(json_object_get(row, "high")) >= delta);
		assert_true(json_is_number(json_object_get(row, "q")));
		assert_true(json_is_boolean(json_object_get(row, "significant")));
		assert_int_equal(json_object_get(row, "only_in") != NULL, is_new);
	}
	json_decref(root);
	run_release(&r);
	unlink(old);
	unlink(new);
}

/* The report of a recording, which is JSON: who calls frees both. */
static json_t *
marks_of(const char *path, struct run_result *r)
{
	run_program(r, BATCH_S, (char *[]){ (char *)(uintptr_t)run_ptop(), (char *)"-i",
		    (char *)(uintptr_t)path, (char *)"-w", (char *)"30", (char *)"--format",
		    (char *)"json", NULL });
	assert_int_equal(r->status, 0);
	return json_loads(r->out, 0, NULL);
}

/* As they would have been set live: of who had a part worth telling then. */
static void
a_recording_has_the_marks_of_what_happened(void **state)
{
	const uint64_t s = NSEC_PER_SEC, step_ns = STEP_MS * NSEC_PER_MSEC;
	static const struct { const char *kind, *name; double at; } wanted[] = {
		{ "exec", "1 executed q1", 6 }, { "end", "q1 1 ended", 10 }, { "lost", "50 lost", 13 },
	};
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct run_result r;
	json_t *root, *marks;

	(void)state;
	make_file(path);
	gaps_write(path, (struct gaps_part[]){
		{ 4, 100, s, step_ns, true }, /* it was busy once */
		{ 1, 500, 2 * s, step_ns, true, .execs = true },
		{ 3, 3, 7 * s, step_ns, .ends = true },
		{ 1, 400, 7 * s, step_ns, true, .ends = true },
		{ 4, 1, 13 * s, step_ns, .ends = true },
		{ 2, 300, 11 * s, step_ns, true, .lost = 50 },
		{ 2, 300, 14 * s, step_ns } }, 7);
	root = marks_of(path, &r);
	marks = json_object_get(root, "marks");
	assert_int_equal(json_array_size(marks), ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const json_t *mark = json_array_get(marks, i);

		assert_string_equal(json_string_value(json_object_get(mark, "kind")), wanted[i].kind);
		assert_string_equal(json_string_value(json_object_get(mark, "name")), wanted[i].name);
		assert_true(fabs(json_number_value(json_object_get(mark, "at")) - wanted[i].at) < 1.1);
	}
	json_decref(root);
	run_release(&r);
	unlink(path);
}

/* Nothing came before the first seconds: a part of them is a part of all. */
static void
what_a_process_becomes_in_the_first_seconds_is_marked(void **state)
{
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct run_result r;
	json_t *root, *marks;

	(void)state;
	make_file(path);
	gaps_write(path, (struct gaps_part[]){
		{ 1, 38, NSEC_PER_SEC, 40 * NSEC_PER_MSEC, .execs = true }, /* a fifth */
		{ 2, 150, NSEC_PER_SEC, 10 * NSEC_PER_MSEC, .ends_round = true },
		{ 2, 600, 3 * NSEC_PER_SEC, 10 * NSEC_PER_MSEC } }, 3);
	root = marks_of(path, &r);
	marks = json_object_get(root, "marks");
	assert_int_equal(json_array_size(marks), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(marks, 0), "name")),
			    "1 executed q1");
	json_decref(root);
	run_release(&r);
	unlink(path);
}

/* How many marks tell of the end of a process that works for so long. */
static int
count_ends(unsigned seconds)
{
	char *exe = run_load_path("hot"), pid_text[16], length[16], name[32];
	struct run_result r;
	json_t *root, *marks;
	pid_t pid = fork();
	int told = 0;

	if (pid == 0) {
		alarm(seconds); /* goes on after exec: signal(7) */
		execl(exe, exe, (char *)NULL);
		_exit(127);
	}
	snprintf(pid_text, sizeof(pid_text), "%d", (int)pid);
	snprintf(length, sizeof(length), "%u", 2 * seconds);
	snprintf(name, sizeof(name), "hot %d ended", (int)pid);
	run_program(&r, BATCH_S, (char *[]){ (char *)(uintptr_t)run_ptop(), (char *)"-n", (char *)"1",
		    (char *)"-d", length, (char *)"-p", pid_text, (char *)"--format",
		    (char *)"json", NULL });
	waitpid(pid, NULL, 0);
	root = json_loads(r.out, 0, NULL);
	marks = json_object_get(root, "marks");
	for (size_t i = 0; i < json_array_size(marks); i++) {
		const json_t *mark = json_object_get(json_array_get(marks, i), "name");

		told += strcmp(json_string_value(mark), name) == 0;
	}
	json_decref(root);
	run_release(&r);
	return told;
}

/*
 * Its last samples are in an interval that is closed after its end was told.  On a busy machine it may
 * have ended before it is sampled.
 */
static void
the_end_of_a_process_is_marked_once(void **state)
{
	int told = 0;

	(void)state;
	for (unsigned seconds = 3; told == 0 && seconds <= 24; seconds *= 2)
		told = count_ends(seconds);
	assert_int_equal(told, 1);
}

#endif

/* Colours, and signs for those who see none. */
static void
svg_shows_more_less_and_gone(void **state)
{
	static const char *const says[] = {
		"50.00%, then 0.00%, +50.00 points, ", "50.00%, then 100.00%, -50.00 points, ",
		"class=\"more3\"", "class=\"less3\"", ">+ p2", ">- p1",
	};
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX";
	struct run_result r;

	(void)state;
	make_pair(old, new);
	report(&r, new, old, "svg");
	for (size_t i = 0; i < ARRAY_SIZE(says); i++)
		if (strstr(r.out, says[i]) == NULL)
			fail_msg("it does not say %s", says[i]);
	run_release(&r);
	report(&r, old, new, "svg");
	assert_non_null(strstr(r.out, "class=\"gone\""));
	assert_non_null(strstr(r.out, ">x p2"));
	run_release(&r);
	unlink(old);
	unlink(new);
}

static void
write_pprof(char *path, const char *new, const char *old)
{
	struct run_result r;
	int fd = mkstemp(path);

	report(&r, new, old, "pprof");
	assert_int_equal(write(fd, r.out, r.out_len), (ssize_t)r.out_len);
	close(fd);
	run_release(&r);
}

/* What go tool pprof -top prints, from the titles of its columns on. */
static char *
top_of(const char *option, const char *path)
{
	struct run_result r;
	const char *from;
	char *text;

	run_program(&r, BATCH_S, (char *[]){
		(char *)"go", (char *)"tool", (char *)"pprof", (char *)"-top", (char *)"-symbolize=none",
		(char *)"-nodefraction=0", (char *)(uintptr_t)option, (char *)(uintptr_t)path, NULL });
	assert_int_equal(r.status, 0);
	from = strstr(r.out, "Showing nodes");
	assert_non_null(from);
	text = strdup(from);
	run_release(&r);
	return text;
}

static void
pprof_is_what_go_makes_of_both(void **state)
{
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX";
	char of_old[] = "/tmp/ptop-pb-XXXXXX", of_new[] = "/tmp/ptop-pb-XXXXXX";
	char of_both[] = "/tmp/ptop-pb-XXXXXX", base[64];
	char *ours, *theirs;

	(void)state;
	need_zlib();
	if (system("go version >/dev/null 2>&1") != 0)
		skip_for("go is not installed");
	make_pair(old, new);
	write_pprof(of_old, old, NULL);
	write_pprof(of_new, new, NULL);
	write_pprof(of_both, new, old);
	snprintf(base, sizeof(base), "-diff_base=%s", of_old);
	ours = top_of("-flat", of_both);
	theirs = top_of(base, of_new);
	assert_string_equal(ours, theirs);
	free(ours);
	free(theirs);
	unlink(of_old);
	unlink(of_new);
	unlink(of_both);
	unlink(old);
	unlink(new);
}

/* Turns of p1 and p2 that are no seconds, nor begin or end with one; there is a gap, too. */
static void
uneven(char *path, unsigned first_len)
{
	const uint64_t step_ns = STEP_MS * NSEC_PER_MSEC;
	struct gaps_part parts[41] = { { 3, 1, NSEC_PER_SEC, step_ns, false } };
	uint64_t ns = NSEC_PER_SEC + 283 * NSEC_PER_MSEC;

	for (unsigned i = 1; i < ARRAY_SIZE(parts); i++) {
		unsigned len = i % 2 ? first_len + i * 7 % 31 : 7 + i * 13 % 29;

		parts[i] = (struct gaps_part){ i % 2 ? 1 : 2, len, ns, step_ns, false };
		ns += len * step_ns + (i == 20 ? 1300 * NSEC_PER_MSEC : 0);
	}
	make_file(path);
	gaps_write(path, parts, ARRAY_SIZE(parts));
}

/* As on the screen, a pattern: LOW and HIGH of p2. */
static void
reported_interval(char *pattern, size_t size, const char *new, const char *old)
{
	struct run_result r;
	struct csv csv;
	double low = NAN, high = NAN;

	report(&r, new, old, "csv");
	csv_init(&csv, r.out);
	while (csv_next(&csv))
		if (strcmp(csv_field(&csv, "comm"), "p2") == 0) {
			low = csv_number(&csv, "low");
			high = csv_number(&csv, "high");
		}
	assert_true(low < 0 && high - low > 1);
	snprintf(pattern, size, " %.1f +\\%+.1f .* p2", low, high);
	csv_release(&csv);
	run_release(&r);
}

static void
a_screen_is_as_sure_as_a_report(void **state)
{
	char old[] = "/tmp/ptop-old-XXXXXX", new[] = "/tmp/ptop-new-XXXXXX", pattern[80];
	struct screen *s = *state;

	uneven(old, 23);
	uneven(new, 37);
	reported_interval(pattern, sizeof(pattern), new, old);
	screen_start(s, 160, 24, ARGS("-i", new, "--diff", old), NULL);
	sees_match(s, pattern);
	leave(s);
	unlink(old);
	unlink(new);
}

static void
a_file_that_is_none_is_refused(void **state)
{
	char new[] = "/tmp/ptop-new-XXXXXX";
	char *argv[] = { (char *)run_ptop(), "-b", "-i", new, "--diff", "/etc/passwd", NULL };
	struct run_result r;

	(void)state;
	one_phase(new, 1);
	run_program(&r, BATCH_S, argv);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "--diff"));
	run_release(&r);
	unlink(new);
}

/* Of a busy program, in a second at @hz; @option "-r" writes @file, "--diff" compares with it. */
static void
sample_hot(struct run_result *r, const char *hz, const char *option, char *file)
{
	run_program(r, BATCH_S, (char *[]){
		(char *)(uintptr_t)run_ptop(), (char *)"-b", (char *)"-n", (char *)"1", (char *)"-d", (char *)"1",
		(char *)"--budget", (char *)"off", (char *)"-e", (char *)"cpu-clock", (char *)"--force", (char *)"-F",
		(char *)(uintptr_t)hz, (char *)(uintptr_t)option, file, (char *)"--", (char *)"timeout",
		(char *)"3", (char *)"tests/loads/hot", NULL });
	assert_non_null(strstr(r->out, "hot"));
}

static void
a_recording_tells_its_rate(void **state)
{
	char file[] = "/tmp/ptop-old-XXXXXX";
	struct run_result r;

	(void)state;
	make_file(file);
	sample_hot(&r, "500", "-r", file);
	run_release(&r);
	sample_hot(&r, "500", "--diff", file);
	assert_null(strstr(r.err, "samples were taken"));
	run_release(&r);
	sample_hot(&r, "250", "--diff", file);
	assert_non_null(strstr(r.err, "samples were taken at 250 Hz, then at 500 Hz: shares are compared"));
	run_release(&r);
	unlink(file);
}

/* The key w of the page of changes: the load that has begun is in the file. */
static void
writes_the_time_of_the_change(struct screen *s)
{
	struct run_result r;
	glob_t found;

	keys(s, "w");
	sees_match(s, "written: [0-9:]+ \\+[0-9.]+ points hot.*, [1-5]?[0-9] s after it so far: /");
	assert_int_equal(glob("ptop-*-change.perf.data", 0, NULL, &found), 0);
	run_program(&r, BATCH_S, (char *[]){ (char *)(uintptr_t)run_ptop(), (char *)"-i", found.gl_pathv[0],
					     (char *)"--by", (char *)"comm", (char *)"--format",
					     (char *)"csv", NULL });
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "hot"));
	assert_non_null(strstr(r.out, "worker-a"));
	run_release(&r);
	unlink(found.gl_pathv[0]);
	globfree(&found);
}

/* It is told some seconds after it began, and for a minute from then on. */
static void
the_frozen_header_has_what_stood_there(struct screen *s)
{
	char line[sizeof("ago: +29.1 points hot")];

	sees_match(s, "! 6[1-7] s ago: ");
	snprintf(line, sizeof(line), "%s", strstr(pty_line(s->p, pty_find_line(s->p, " s ago: ")), "ago: "));
	keys(s, "Z");
	sees(s, "FROZEN");
	pty_run(s->p, 1000);
	sees(s, line);
}

/* What COMMAND runs is all that is sampled: what else the machine does changes no share. */
static void
a_load_that_begins_is_told_and_compared(void **state)
{
	/* Each load ends with ptop. */
	static char load[] = "load() { { tests/loads/$1 & tail --pid=$PPID -f /dev/null; kill $!; } & }; "
			     "load threads; sleep 26; load hot; load hot; wait";
	struct screen *s = *state;

	screen_start(s, 120, 30, ARGS("-e", "cpu-clock", "-w", "10", "--", "sh", "-c", load), NULL);
	sees(s, "threads");
	keys(s, "mdeploy\r");
	keys(s, "C");
	sees(s, "no change of a point or more");
	sleep(USUAL_S);
	/* Beside others it may tell first whose share fell; the page comes to have both. */
	sees_match(s, "[0-9][0-9]:[0-9][0-9]:[0-9][0-9]  \\+[0-9.]+ points hot");
	sees_match(s, "the last mark by then: [0-9:]+ ");
	writes_the_time_of_the_change(s);
	keys(s, "\033");
	sees(s, "[Processes]");
	keys(s, "=");
	sees_match(s, "before mark +[0-9:]+  deploy");
	sees(s, "before what changed");
	keys(s, "\r");
	sees_match(s, "THEN the [0-9.]+ s up to [0-9:]+");
	sees_match(s, " 0\\.0 +\\+[0-9.]+ .*hot");
	the_frozen_header_has_what_stood_there(s);
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(a_recording_of_two_phases_tells_when_it_changed_and_what),
		screen_test(a_change_has_the_mark_of_what_has_changed),
		screen_test(the_time_before_a_change_has_nothing_of_it),
		screen_test(before_all_began_nothing_is_known),
		screen_test(nothing_is_gone_where_the_event_was_not_sampled),
		screen_test(the_menu_stands_on_the_comparison_that_is_on),
		screen_test(two_recordings_are_shown_side_by_side),
		screen_test(a_recording_that_is_too_short_is_to_be_longer),
		screen_test(a_screen_is_as_sure_as_a_report),
		cmocka_unit_test(reports_of_two_recordings_have_columns_for_it),
		cmocka_unit_test(folded_stacks_have_two_counts),
#ifdef HAVE_JANSSON
		cmocka_unit_test(a_recording_has_the_marks_of_what_happened),
		cmocka_unit_test(what_a_process_becomes_in_the_first_seconds_is_marked),
		cmocka_unit_test(the_end_of_a_process_is_marked_once),
		cmocka_unit_test(json_tells_what_is_significant),
#endif
		cmocka_unit_test(svg_shows_more_less_and_gone),
		cmocka_unit_test(pprof_is_what_go_makes_of_both),
		cmocka_unit_test(a_file_that_is_none_is_refused),
		cmocka_unit_test(a_recording_tells_its_rate),
		screen_test(a_load_that_begins_is_told_and_compared),
	};

	return cmocka_run_group_tests_name("screen_diff", tests, NULL, NULL);
}
