/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ten questions of who is on call: each is answered on the screen, in at most four keys beside
 * names that are typed, on a small and a large terminal.  doc/tutorial.md is written by this program
 * (make tutorial), and a test compares the two.
 */
#include <regex.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/util.h"
#include "tests/asserts.h"
#include "tests/screen_fixture.h"

enum { KEYS_MAX_TOLD = 4, STEPS_MAX = 5, QUESTIONS = 10, PAGE_BYTES_MAX = 1 << 20, FOOTER = 23 };

/* A key, or a name that is typed; then a line of the screen matches. */
struct step {
	const char *bytes, *told; /* told NULL: a name, of which letters are no keys */
	const char *sees;
};

static const struct question {
	const char *asks;
	struct step steps[STEPS_MAX];
	const char *answer; /* a line of the screen */
	const char *says;   /* what the screen tells */
	const char *back[STEPS_MAX]; /* keys to where all begin */
} questions[QUESTIONS] = {
	{ "Which process burns the CPU, and in which function?", { { NULL } },
	  "parse_header +.*shop",
	  "The first screen answers it. Processes are ordered by their share of CPU time, `HOTTEST` is the "
	  "function that each spends most in, `%CPU` what the kernel measured.", { NULL } },
	{ "Which of its threads, and where exactly?",
	  { { "\r", "Enter", "worker-0" }, { "\r", "Enter", "[[]Functions[]]" } },
	  "^ +[0-9.]+ .* parse_header +shop",
	  "`Enter` goes in: from a process to its threads, from a thread to its functions; a process with one "
	  "thread opens its functions at once, unless samples of threads that have ended are there, too. `Esc` goes "
	  "out again. Code of the kernel is marked `k`, and `!` if a timer's samples of what ran before it with "
	  "interrupts off are there, too (`i` tells more).", { "\033", "\033" } },
	{ "Who calls that function, and from where?",
	  { { "\r", "Enter", "worker-0" }, { "\r", "Enter", "[[]Functions[]].*window" }, { "c", "c", "callers of" } },
	  "[0-9]+ .* handle_request +shop",
	  "`c` shows the callers of the selected function, and below them what it calls itself. `f` has the "
	  "same as a flame graph, `t` as a tree from the outermost function on.", { "\033", "\033", "\033" } },
	{ "Which source line or instruction?",
	  { { "\r", "Enter", "worker-0" }, { "\r", "Enter", " parse_header " }, { "a", "a", "SOURCE AND INSTRUCTIONS" } },
	  "sink [+]= i;",
	  "`a` lists the instructions of the selected function below their source lines, each with its share "
	  "of the function. `H` goes to the hottest, `h` tells the rest.", { "\033", "\033", "\033" } },
	{ "Is it cycles, cache misses, page faults, system calls?",
	  { { "e", "e", "WHAT IT COUNTS" }, { "page-faults", NULL, "[+] page-faults" },
	    { "\r", "Enter", "event page-faults" } },
	  " encode_reply .*shop",
	  "`e` picks another event, live; typing searches. The rows are of page faults now: another function "
	  "is the hottest. Presets are on top of the list; `Insert` ticks several, which are sampled together "
	  "and have a column each. `[` goes back to the event before.", { "[" } },
	{ "What is it waiting for, when it is not on a CPU?",
	  { { "e", "e", "WHAT IT COUNTS" }, { "off-cpu", NULL, "[+] off-cpu" }, { "\r", "Enter", "event off-cpu" },
	    { "L", "L", "[[]Locks[]]" } },
	  "g_cache_lock +[0-9]+ flush",
	  "The event `off-cpu` has the time that threads wait: `WAITS IN` is the function of the program, `ON` "
	  "what it waits for there (nothing, where it sleeps). `L` lists the locks: who holds each, and what that "
	  "thread does meanwhile.",
	  { ":view processes\r", "]" } },
	{ "What happened before? What has changed since?",
	  { { ",", ",", "PAST" } },
	  "window .* ago",
	  "`,` and `.` move the window through the past, `~` goes to a time, `^E` comes back. `=` compares the "
	  "window with the time before it, `C` lists what has changed, and when.", { "\005" } },
	{ "How often is this function called, and how long does it take?",
	  { { "\r", "Enter", "worker-0" }, { "\r", "Enter", " parse_header " }, { "b", "b", "# parse_header" } },
	  "# parse_header +[0-9]+/s",
	  "`b` counts the calls of the selected function by a probe at its entry and its return, exactly, with "
	  "the time inside: the line above the footer. `b` again ends that, `B` lists all.",
	  { "b", "\033", "\033" } },
	{ "Why has this row no name?",
	  { { ":", ":", "view" }, { "view unnamed", NULL, "unnamed" }, { "\r", "Enter", "[[]Unnamed[]]" },
	    { "i", "i", "no name" } },
	  "mended by",
	  "`i` tells of any row where its name comes from, or why it has none, and what would give it one. "
	  "`:` finds every action, view and event by typing.", { "\033", ":view processes\r" } },
	{ "How do I take it with me?",
	  { { "x", "x", "Write what is shown as" }, { "\r", "Enter", "write to:" },
	    { "@FILE@", NULL, "report[.]" }, { "\r", "Enter", "written" } },
	  "written",
	  "`x` writes what is shown: as text, CSV, JSON, for flame graphs, pprof or speedscope. `w` writes a "
	  "perf.data file, with the last minutes in it.", { NULL } },
};

/* What the last question writes. */
static const char *
report_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/ptop-tutorial-%d-report.txt", (int)getpid());
	return path;
}

static void
type(struct screen *s, const char *bytes)
{
	keys(s, strcmp(bytes, "@FILE@") == 0 ? report_path() : bytes);
}

static int
count_keys(const struct question *q)
{
	int count = 0;

	for (size_t i = 0; i < STEPS_MAX && q->steps[i].bytes != NULL; i++)
		count += q->steps[i].told != NULL;
	return count;
}

/* From the list of processes to the answer, which is on the screen then. */
static void
ask(struct screen *s, const struct question *q)
{
	sees_match(s, "[[]Processes[]]");
	sees_match(s, "^[ *k!]+[0-9]+ .* 100[.]0 .*shop");
	for (size_t i = 0; i < STEPS_MAX && q->steps[i].bytes != NULL; i++) {
		type(s, q->steps[i].bytes);
		sees_match(s, q->steps[i].sees);
	}
	sees_match(s, q->answer);
}

static void
go_back(struct screen *s, const struct question *q)
{
	for (size_t i = 0; i < STEPS_MAX && q->back[i] != NULL; i++) {
		keys(s, q->back[i]);
		pty_settle(s->p, 60, SOON_MS);
	}
}

/* With a short window there is soon a time before it. */
static void
start(struct screen *s, int width, int height, const char *window_s)
{
	char pid[16];

	screen_load(s, "shop");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, width, height,
		     ARGS((char *)"-p", pid, (char *)"-d", (char *)"0.3", (char *)"-w",
			  (char *)(uintptr_t)window_s), ENV());
}

static void
walk(struct screen *s, int width, int height)
{
	start(s, width, height, "1");
	for (size_t i = 0; i < QUESTIONS; i++) {
		assert_that(count_keys(&questions[i]), <=, KEYS_MAX_TOLD);
		/* What is shown then was sampled for two windows, and is again. */
		if (questions[i].steps[0].bytes != NULL && *questions[i].steps[0].bytes == ',')
			pty_run(s->p, 2500);
		ask(s, &questions[i]);
		go_back(s, &questions[i]);
	}
	leave(s);
	assert_int_equal(unlink(report_path()), 0);
}

static void
ten_questions_are_answered_in_four_keys_on_a_small_terminal(void **state)
{
	walk(*state, 80, 24);
}

static void
ten_questions_are_answered_in_four_keys_on_a_large_terminal(void **state)
{
	walk(*state, 160, 50);
}

static void
put_keys(struct buf *b, const struct question *q)
{
	if (q->steps[0].bytes == NULL)
		buf_add_str(b, "No key.");
	for (size_t i = 0; i < STEPS_MAX && q->steps[i].bytes != NULL; i++) {
		const struct step *step = &q->steps[i];

		if (step->told != NULL)
			buf_addf(b, "%s`%s`", i > 0 ? ", " : "Keys: ", step->told);
		else
			buf_addf(b, ", type `%s`", step->bytes[0] == '@' ? "report.txt" : step->bytes);
	}
}

/* Empty lines in a row are one. */
static void
put_screen(struct buf *b, struct pty *p)
{
	bool was_empty = false;

	buf_add_str(b, "```\n");
	for (int y = 0; y < 24; y++) {
		const char *line = pty_line(p, y);

		if (*line == '\0' && was_empty)
			continue;
		was_empty = *line == '\0';
		buf_addf(b, "%s\n", line);
	}
	buf_add_str(b, "```\n");
}

static void
put_heading(struct buf *b, size_t i)
{
	buf_addf(b, "\n## %zu. %s\n\n", i + 1, questions[i].asks);
	put_keys(b, &questions[i]);
	buf_addf(b, "\n\n%s\n\n", questions[i].says);
}

static const char introduction[] =
	"# Ten questions of who is on call\n\n"
	"Start `sudo ptop` on the machine that has trouble. Each of these questions takes at most four keys\n"
	"from the first screen, beside names that are typed; `Esc` leads back, `h` tells all keys of a page, `:`\n"
	"finds anything by typing. If `ptop` opens in another view, as you left it last time, `v`, `processes`\n"
	"(menus select what is typed) and `Enter` lead to the first screen, or start it with `--view processes`;\n"
	"`[` leads back from the event of a question before.\n"
	"The screens are of a small server, `shop`, alone (`ptop -p PID`), on a terminal of 80x24; a test walks\n"
	"through them, so that they are what ptop shows.\n";

static void
doc_path(char *path, size_t size)
{
	const char *top = getenv("top_srcdir");

	snprintf(path, size, "%s/doc/tutorial.md", top != NULL ? top : ".");
}

static bool
has_answer(size_t question, const char *screen)
{
	regex_t answer;
	bool has;

	assert_int_equal(regcomp(&answer, questions[question].answer, REG_EXTENDED | REG_NEWLINE | REG_NOSUB), 0);
	has = regexec(&answer, screen, 0, NULL, 0) == 0;
	regfree(&answer);
	return has;
}

/* All of the page that no number is in: headings, keys, words; and each screen has its answer. */
static void
the_tutorial_is_of_these_questions_and_screens(void **state)
{
	struct buf doc = { 0 }, part = { 0 };
	char path[4096];
	const char *at;

	(void)state;
	doc_path(path, sizeof(path));
	assert_int_equal(file_read(path, &doc, PAGE_BYTES_MAX), 0);
	at = strstr(buf_str(&doc), introduction);
	assert_true(at == doc.data);
	for (size_t i = 0; i < QUESTIONS; i++) {
		char *screen, *end;

		buf_reset(&part);
		put_heading(&part, i);
		at = strstr(at, part.data);
		if (at == NULL)
			fail_msg("doc/tutorial.md lacks, or has in other words (make tutorial):\n%s", part.data);
		at += part.len;
		end = strstr(at + 4, "```\n");
		assert_non_null(end);
		screen = mem_strndup(at, (size_t)(end - at));
		if (!has_answer(i, screen))
			fail_msg("the screen of '%s' has no answer:\n%s", questions[i].asks, screen);
		free(screen);
	}
	buf_release(&part);
	buf_release(&doc);
}

/* What does not depend on numbers, with single blanks: titles of columns, the footer. */
static void
put_shape(struct buf *b, const char *line)
{
	for (; *line != '\0'; line++)
		if (*line != ' ' || (b->len > 0 && b->data[b->len - 1] != ' '))
			buf_add_char(b, *line);
}

static bool
doc_has_line(const char *doc, const char *line)
{
	struct buf wanted = { 0 }, shape = { 0 };
	bool has = false;

	put_shape(&wanted, line);
	for (const char *at = doc; *at != '\0' && !has; at += strcspn(at, "\n") + (strchr(at, '\n') != NULL)) {
		char *one = mem_strndup(at, strcspn(at, "\n"));

		buf_reset(&shape);
		put_shape(&shape, one);
		has = strcmp(buf_str(&shape), buf_str(&wanted)) == 0;
		free(one);
	}
	buf_release(&wanted);
	buf_release(&shape);
	return has;
}

/* The line with @title, NULL: the footer.  What is on the screen may be of the page before. */
static void
sees_line_of(struct screen *s, const char *doc, const char *title)
{
	const char *line = "";

	for (int ms = 0; ms < SOON_MS; ms += 20) {
		int at = title != NULL ? pty_find_line(s->p, title) : FOOTER;

		line = at >= 0 ? pty_line(s->p, at) : title;
		if (doc_has_line(doc, line))
			return;
		pty_run(s->p, 20);
	}
	fail_msg("doc/tutorial.md has not (make tutorial): %s", line);
}

/* Else the page shows what is there no more. */
static void
titles_and_footers_of_the_tutorial_are_those_of_the_screen(void **state)
{
	struct screen *s = *state;
	struct buf doc = { 0 };
	char path[4096];

	doc_path(path, sizeof(path));
	assert_int_equal(file_read(path, &doc, PAGE_BYTES_MAX), 0);
	start(s, 80, 24, "1");
	for (size_t i = 0; i < 3; i++) {
		ask(s, &questions[i]);
		sees_line_of(s, buf_str(&doc), i < 2 ? "TREND" : "%TOTAL");
		sees_line_of(s, buf_str(&doc), NULL);
		go_back(s, &questions[i]);
	}
	leave(s);
	buf_release(&doc);
}

/* make tutorial: the page itself. */
static void
writes_the_tutorial(void **state)
{
	struct screen *s = *state;
	struct buf b = { 0 };
	FILE *f;

	start(s, 80, 24, "10");
	buf_add_str(&b, introduction);
	for (size_t i = 0; i < QUESTIONS; i++) {
		ask(s, &questions[i]);
		/* Some seconds of samples make a better picture. */
		pty_run(s->p, 3000);
		if (!has_answer(i, pty_screen(s->p)))
			fail_msg("the answer of '%s' is gone again:\n%s", questions[i].asks, pty_screen(s->p));
		put_heading(&b, i);
		put_screen(&b, s->p);
		go_back(s, &questions[i]);
	}
	leave(s);
	unlink(report_path());
	f = fopen(getenv("PTOP_TUTORIAL"), "we");
	assert_non_null(f);
	fputs(buf_str(&b), f);
	assert_int_equal(fclose(f), 0);
	buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest write[] = { screen_test(writes_the_tutorial) };
	const struct CMUnitTest tests[] = {
		screen_test(ten_questions_are_answered_in_four_keys_on_a_small_terminal),
		screen_test(ten_questions_are_answered_in_four_keys_on_a_large_terminal),
		cmocka_unit_test(the_tutorial_is_of_these_questions_and_screens),
		screen_test(titles_and_footers_of_the_tutorial_are_those_of_the_screen),
	};

	if (getenv("PTOP_TUTORIAL") != NULL)
		return cmocka_run_group_tests_name("tutorial", write, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
