/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function by instruction on the screen: opened, walked through, followed out of, and left. */
#include "tests/screen_fixture.h"

#include <stdio.h>

#include "base/util.h"
#include "tests/asserts.h"
#include "tests/skip.h"

/* ptop shows the functions of what runs alone. */
static void
start(struct screen *s, int width, int height)
{
	screen_start_on_load(s, width, height,
			     ARGS("-V", "functions", "-e", "cpu-clock", "-d", "0.3"), ENV());
}

static void
start_on(struct screen *s, const char *load, int width, int height)
{
	screen_load(s, load);
	start(s, width, height);
}

/* The same, but its function is shown at once. */
static void
start_in(struct screen *s, const char *load, const char *symbol, int width, int height)
{
	screen_load(s, load);
	screen_start_on_load(s, width, height,
			     ARGS((char *)"-V", (char *)"annotate", (char *)"--symbol",
				  (char *)(uintptr_t)symbol, (char *)"-e", (char *)"cpu-clock",
				  (char *)"-d", (char *)"0.3"), ENV());
	sees(s, "[Annotate]");
	sees(s, "interrupts come late");
}

/* Opens the function, of which there is a row. */
static void
open_function(struct screen *s, const char *name, const char *key)
{
	char text[64];

	snprintf(text, sizeof(text), "^[^0-9]* +[0-9.]+ .* %s ", name);
	sees_match(s, text);
	/* What is searched for is no pattern. */
	snprintf(text, sizeof(text), "/%s\r",
		 strrchr(name, '+') != NULL ? strrchr(name, '+') + 1 : name);
	keys(s, text);
	pty_settle(s->p, 50, SOON_MS);
	keys(s, key);
	sees(s, "[Annotate]");
	sees(s, "interrupts come late");
}

/* The line that is selected, -1: none.  Titles are drawn so, too. */
static int
selected_line(struct screen *s)
{
	int from = pty_find_line(s->p, "interrupts come late");

	for (int y = from + 1; from >= 0 && y < 23; y++)
		if (pty_line_is_reverse(s->p, y))
			return y;
	return -1;
}

static double
share_of(const char *line)
{
	double share = 0;

	return sscanf(line, " %lf", &share) == 1 ? share : 0;
}

/* What the line says behind its numbers. */
static void
code_of(struct screen *s, int y, char code[64])
{
	const char *line = y >= 0 ? pty_line(s->p, y) : "";
	const char *text = strpbrk(line, "abcdefghijklmnopqrstuvwxyz");

	snprintf(code, 64, "%s", text != NULL ? text : "");
}

static void
the_hottest_instruction_is_selected_and_has_the_most(void **state)
{
	struct screen *s = *state;
	double most = 0;
	int y;

	start_on(s, "islands", 100, 24);
	open_function(s, "islands", "a");
	sees_match(s, "[0-9.]+ .*(jmp|jne|b|b.ne) ");
	pty_settle(s->p, 100, SOON_MS);
	y = selected_line(s);
	assert_that(y, >, 0);
	for (int i = 0; i < 23; i++)
		if (strstr(pty_line(s->p, i), "SAMPLES") == NULL && i > 6)
			most = MAX(most, share_of(pty_line(s->p, i)));
	/* Another may have become hotter in the refreshes since. */
	assert_that(share_of(pty_line(s->p, y)), >, most / 3);
	keys(s, "i");
	sees(s, " from /");
	leave(s);
}

static void
the_cursor_stays_on_its_instruction_while_percent_change(void **state)
{
	struct screen *s = *state;
	char before[64], after[64];
	bool has_changed = false;

	start_on(s, "islands", 100, 24);
	open_function(s, "islands", "\r");
	sees_match(s, "[0-9.]+ .*(jmp|jne|b|b.ne) ");
	pty_settle(s->p, 100, SOON_MS);
	code_of(s, selected_line(s), before);
	assert_that(strlen(before), >, 2);
	for (int i = 0; i < 40 && !has_changed; i++) {
		char *was = mem_strdup(pty_screen(s->p));

		pty_run(s->p, 500);
		has_changed = strcmp(was, pty_screen(s->p)) != 0;
		free(was);
		code_of(s, selected_line(s), after);
		assert_string_equal(after, before);
	}
	assert_true(has_changed);
	leave(s);
}

static void
hottest_lines_are_stepped_through(void **state)
{
	struct screen *s = *state;
	int first, second;

	start_on(s, "islands", 100, 24);
	open_function(s, "islands", "a");
	sees_match(s, "[0-9.]+ .*(jmp|jne|b|b.ne) ");
	sees_match(s, " [0-9.]*[0-9][0-9]k? samples, "); /* of more than one line */
	keys(s, "Z"); /* what is hottest stays so */
	sees(s, "frozen");
	pty_settle(s->p, 100, SOON_MS);
	first = selected_line(s);
	keys(s, "H");
	sees(s, "hottest: number");
	pty_settle(s->p, 100, SOON_MS);
	second = selected_line(s);
	assert_int_not_equal(first, second);
	leave(s);
}

static void
a_jump_is_followed_and_come_back_from(void **state)
{
	struct screen *s = *state;
	char jump[64], target[64], back[64];

	start_on(s, "islands", 100, 24);
	open_function(s, "islands", "a");
	keys(s, "/dec \r");
	pty_settle(s->p, 100, SOON_MS);
	keys(s, "/jne\r");
	pty_settle(s->p, 100, SOON_MS);
	code_of(s, selected_line(s), jump);
	if (strncmp(jump, "jne", 3) != 0)
		skip();
	keys(s, "J");
	keys(s, "\r");
	pty_settle(s->p, 100, SOON_MS);
	code_of(s, selected_line(s), target);
	assert_int_equal(strncmp(target, "add", 3), 0);
	keys(s, "\033");
	pty_settle(s->p, 100, SOON_MS);
	code_of(s, selected_line(s), back);
	assert_string_equal(back, jump);
	keys(s, "\033");
	sees(s, "[Functions]");
	leave(s);
}

static void
a_call_leads_to_another_function_and_back(void **state)
{
	struct screen *s = *state;

	start_in(s, "deep", "main", 120, 40);
	sees(s, "\xe2\xa4\xb7 "); /* its lines are here */
	keys(s, "s"); /* instructions alone */
	sees(s, "[instructions]");
	keys(s, "/<std::__introsort\r");
	pty_settle(s->p, 100, SOON_MS);
	keys(s, "\r");
	sees_match(s, "^ std::__introsort_loop<");
	keys(s, "\033");
	sees_match(s, "^ main ");
	leave(s);
}

static void
the_list_leads_to_the_next_function_and_back(void **state)
{
	struct screen *s = *state;

	start_on(s, "hot", 120, 40);
	/* The list is of what has samples, in the order of the table. */
	sees_match(s, "^[^0-9]* +[0-9.]+ .* warm_loop ");
	for (int ms = 0; ms < SOON_MS &&
	     pty_find_line(s->p, " hot_loop ") > pty_find_line(s->p, " warm_loop ");
	     ms += 100)
		pty_run(s->p, 100);
	open_function(s, "hot_loop", "a");
	sees_match(s, "^ hot_loop .* 1 of [0-9]+");
	keys(s, ">");
	sees_match(s, " 2 of [0-9]+");
	assert_int_equal(pty_find_line(s->p, " hot_loop  hot"), -1);
	keys(s, "<");
	sees_match(s, "^ hot_loop ");
	keys(s, "<");
	sees(s, "no further function");
	leave(s);
}

/* Whether the terminal got these bytes. */
static bool
is_sent(struct screen *s, const char *bytes)
{
	const struct buf *raw = pty_raw(s->p);

	return memmem(raw->data, raw->len, bytes, strlen(bytes)) != NULL;
}

static void
source_and_instructions_are_shown_together_or_alone(void **state)
{
	struct screen *s = *state;

	start_on(s, "hot", 100, 30);
	open_function(s, "hot_loop", "a");
	sees(s, "[source and instructions]");
	sees(s, "sink -= rounds;");
	sees_match(s, "(sub|ldr|lw)[^a-z]");
	keys(s, "s");
	sees(s, "[instructions]");
	sees_no(s, "sink -= rounds;");
	keys(s, "s");
	sees(s, "[source]");
	sees(s, "sink -= rounds;");
	sees_match(s, "while \\(rounds-- > 0\\)");
	keys(s, "o");
	sees(s, "offsets in the function");
	keys(s, "so");
	sees(s, "ADDRESS");
	keys(s, "y");
	sees(s, "copied:");
	assert_true(is_sent(s, "\033]52;c;"));
	leave(s);
}

/* The functions of what runs alone, in a window of all that was sampled. */
static void
start_all(struct screen *s, const char *load, const char *function, const char *chains)
{
	char text[64];

	screen_load(s, load);
	screen_start_on_load(s, 140, 30,
			     ARGS((char *)"-V", (char *)"functions", (char *)"-e", (char *)"cpu-clock",
				  (char *)"-d", (char *)"0.3", (char *)"-w", (char *)"all", (char *)"-g",
				  (char *)(uintptr_t)chains), ENV());
	snprintf(text, sizeof(text), "^[^0-9]* +[0-9.]+ .* %s ", function);
	sees_match(s, text);
}

/* All samples have a task once the code, of which @line has some, is read: notes are shown then. */
static void
sees_all_told(struct screen *s, const char *line)
{
	sees(s, "told apart since ");
	sees_match(s, line);
	sees_no(s, "samples from before");
}

#define HOT_LINE "^ +[0-9.]+ .* sink -= rounds;"

/* Of which the tables told no task, @chains as -g has them. */
static void
filter_what_was_sampled(struct screen *s, const char *chains)
{
	start_all(s, "hot", "hot_loop", chains);
	pty_run(s->p, 1000);
	keys(s, "\\comm=hot\r");
	pty_settle(s->p, 100, SOON_MS);
	open_function(s, "hot_loop", "a");
	sees_all_told(s, HOT_LINE);
	sees_match(s, "^ hot_loop .* [0-9]+ samples");
	leave(s);
}

static void
a_filter_counts_what_the_flight_recorder_holds(void **state)
{
	filter_what_was_sampled(*state, "fp");
}

/* They are kept with their chains, without the copies. */
static void
so_it_does_with_samples_that_had_copies_of_stacks(void **state)
{
	filter_what_was_sampled(*state, "auto");
}

/* What the first line says: how much of all it has. */
static double
share_told(struct screen *s)
{
	const char *line = strstr(pty_screen(s->p), " samples, ");
	double share = 0;

	assert_non_null(line);
	assert_int_equal(sscanf(line, " samples, %lf%%", &share), 1);
	return share;
}

/* Of all samples of its process it cannot have more than all, nor nearly all. */
static void
a_filter_that_comes_later_counts_no_sample_twice(void **state)
{
	struct screen *s = *state;

	start_all(s, "hot", "hot_loop", "fp");
	open_function(s, "hot_loop", "a");
	pty_run(s->p, 3000);
	keys(s, "\\comm=hot\r");
	sees_all_told(s, HOT_LINE);
	assert_within(share_told(s), 75, 15);
	leave(s);
}

/* Lines with samples in the functions @a and @b are on one screen: those have bars. */
static void
sees_lines_of(struct screen *s, const char *a, const char *b)
{
	char text[128];

	snprintf(text, sizeof(text), "^ +[0-9.]+ .* %s", a);
	sees_match(s, text);
	snprintf(text, sizeof(text), "^ +[0-9.]+ .* %s", b);
	sees_match(s, text);
}

static void
a_whole_source_file_has_the_lines_of_all_functions(void **state)
{
	struct screen *s = *state;

	start_on(s, "hot", 100, 40);
	sees_match(s, "^[^0-9]* +[0-9.]+ .* warm_loop ");
	sees_match(s, "^[^0-9]* +[0-9.]+ .* hot_loop ");
	keys(s, "/hot_loop\r");
	pty_settle(s->p, 50, SOON_MS);
	keys(s, "l");
	sees(s, "[whole file]");
	sees_match(s, "^ [^ ]*tests/loads/hot\\.c ");
	sees_lines_of(s, "(while|sink -=)", "(while|sink -=)");
	keys(s, "H");
	sees(s, "hottest: number");
	keys(s, "/sink +=\r");
	pty_settle(s->p, 100, SOON_MS);
	sees_match(s, "^ +[0-9.]+ .* sink \\+= rounds;");
	keys(s, "\r"); /* to its function, and back */
	sees_match(s, "^ warm_loop ");
	keys(s, "\033");
	sees(s, "[whole file]");
	sees_match(s, "^ [^ ]*tests/loads/hot\\.c ");
	keys(s, "l");
	sees_match(s, "^ hot_loop .*\\[source and instructions\\]");
	keys(s, "l");
	sees(s, "[whole file]");
	keys(s, "\033");
	sees(s, "[Functions]");
	leave(s);
}

/* Of the one program there is, sampled for a while before: all of it, and nothing twice. */
static void
a_whole_source_file_has_the_past_through_a_filter(void **state)
{
	struct screen *s = *state;

	start_all(s, "hot", "hot_loop", "fp");
	pty_run(s->p, 3000);
	keys(s, "\\comm=hot\r");
	pty_settle(s->p, 100, SOON_MS);
	open_function(s, "hot_loop", "a");
	sees_all_told(s, HOT_LINE);
	keys(s, "l");
	sees(s, "[whole file]");
	pty_run(s->p, 1000);
	assert_within(share_told(s), 93, 8);
	sees(s, "told apart since ");
	leave(s);
}

/* Samples that were told apart when it was open before are not taken from the past again. */
static void
a_page_that_is_opened_again_has_each_sample_once(void **state)
{
	struct screen *s = *state;
	double first = 0;

	start_all(s, "hot", "hot_loop", "fp");
	keys(s, "\\comm=hot\r");
	pty_settle(s->p, 100, SOON_MS);
	for (int i = 0; i < 3; i++) {
		open_function(s, "hot_loop", "a");
		sees(s, "told apart since ");
		pty_run(s->p, 2000);
		first = i == 0 ? share_told(s) : first;
		assert_within(share_told(s), first, first / 6);
		keys(s, "\033");
		sees(s, "[Functions]");
	}
	leave(s);
}

/* What is inlined says whose it is and where it is called; folded, its line stands for all of it. */
static void
inlined_code_says_whose_it_is_and_folds(void **state)
{
	struct screen *s = *state;

	start_in(s, "deep", "main", 150, 50);
	sees_match(s, "[0-9.]+ .*[a-z]+ ");
	keys(s, "\033[H");
	sees_match(s, "\xe2\xa4\xb7 [a-z_:]+.* [a-z_]+\\.[a-z]+:[0-9]+ in ");
	keys(s, "/ in main\r");
	pty_settle(s->p, 100, SOON_MS);
	keys(s, "\r");
	sees_match(s, "\\+ [a-z_:]+.* deep\\.cc:[0-9]+ in main");
	leave(s);
}

/*
 * A copy of the load runs and has samples; then the file is gone, or another program is in its
 * place: what is shown is the code of what runs.
 */
static void
open_what_is_gone(struct screen *s, const char *replaced_by)
{
	char dir[] = "/tmp/ptop-gone-XXXXXX", command[300];
	const char *top = getenv("top_builddir");

	top = top != NULL ? top : ".";
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "cp '%s/tests/loads/islands' '%s/gone'", top, dir);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/gone", dir);
	s->loads[0] = run_background(command);
	assert_that(s->loads[0], >, 0);
	start(s, 100, 24);
	sees_match(s, "^[^0-9]* +[0-9.]+ .* islands ");
	if (replaced_by != NULL)
		snprintf(command, sizeof(command), "cp '%s/tests/loads/%s' '%s/new' && "
			 "mv '%s/new' '%s/gone'", top, replaced_by, dir, dir, dir);
	else
		snprintf(command, sizeof(command), "rm '%s/gone'", dir);
	assert_int_equal(system(command), 0);
	keys(s, "/islands\r");
	pty_settle(s->p, 50, SOON_MS);
	keys(s, "a");
	sees_match(s, "^ islands ");
	sees_match(s, "[0-9.]+ .*(jmp|jne|b|b.ne) ");
	leave(s);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

static void
code_of_a_file_that_was_deleted_is_shown(void **state)
{
	open_what_is_gone(*state, NULL);
}

static void
code_of_a_file_that_was_replaced_is_shown(void **state)
{
	open_what_is_gone(*state, "hot");
}

/* As the kernel compiled it, with the text that its BTF has. */
static void
a_bpf_program_has_its_code_and_its_lines(void **state)
{
	const char *top = getenv("top_builddir");
	struct screen *s = *state;
	char command[256];

	snprintf(command, sizeof(command), "'%s/tests/loads/bpf' once >/dev/null",
		 top != NULL ? top : ".");
	if (system(command) != 0)
		skip_for("BPF programs cannot be run here");
	start_on(s, "bpf", 140, 40);
	open_function(s, "bpf_prog_[0-9a-f]+_spin", "a");
	sees_match(s, "[0-9.]+ .*(jne|b\\.ne) ");
	sees_match(s, " 9 +sum \\+= i;");
	keys(s, "ss");
	sees(s, "[source]");
	/* A jump at the end of the loop is of the line before. */
	sees_match(s, "[0-9.]+ .* (8 +for|9 +sum \\+= i;)");
	leave(s);
}

/* Two files, each with a static function of the same name. */
static void
build_twins(const char *dir)
{
	static const char source[] =
		"static __attribute__((noinline)) void\n"
		"twin(unsigned rounds)\n"
		"{\n"
		"	while (rounds-- > 0)\n"
		"		__asm__ volatile(\"\" ::: \"memory\");\n"
		"}\n"
		"void\n"
		"run_%d(void)\n"
		"{\n"
		"	twin(%d);\n"
		"}\n";
	char text[1000];
	FILE *f;

	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%s/%d.c", dir, i);
		f = fopen(text, "w");
		assert_non_null(f);
		fprintf(f, source, i, 100000 * (i + 1));
		fclose(f);
	}
	snprintf(text, sizeof(text), "%s/main.c", dir);
	f = fopen(text, "w");
	assert_non_null(f);
	fputs("void run_0(void);\nvoid run_1(void);\n"
	      "int main(void)\n{\n\tfor (;;) {\n\t\trun_0();\n\t\trun_1();\n\t}\n}\n", f);
	fclose(f);
	snprintf(text, sizeof(text), "cd '%s' && cc -g -O1 -o twins 0.c 1.c main.c", dir);
	assert_int_equal(system(text), 0);
}

static void
functions_of_one_name_are_gone_through(void **state)
{
	char dir[] = "/tmp/ptop-twins-XXXXXX", text[64];
	struct screen *s = *state;

	if (system("cc --version > /dev/null 2>&1") != 0)
		skip_for("there is no cc here");
	assert_non_null(mkdtemp(dir));
	build_twins(dir);
	snprintf(text, sizeof(text), "%s/twins", dir);
	s->loads[0] = run_background(text);
	snprintf(text, sizeof(text), "rm -rf '%s'", dir);
	assert_that(s->loads[0], >, 0);
	start(s, 150, 24);
	open_function(s, "twin", "a");
	sees_match(s, "others of this name \\(A shows them\\): twin@0x[0-9a-f]+ in twins");
	keys(s, "A");
	sees_match(s, "functions of this name: [12] of 2");
	sees_match(s, "^ twin ");
	keys(s, "l");
	sees(s, "[whole file]");
	keys(s, "/while\r");
	pty_settle(s->p, 100, SOON_MS);
	keys(s, "\r"); /* the same, by one of its lines */
	sees_match(s, "^ twin ");
	sees_match(s, "others of this name \\(A shows them\\): twin@0x[0-9a-f]+ in twins");
	keys(s, "A");
	sees_match(s, "functions of this name: [12] of 2");
	leave(s);
	assert_int_equal(system(text), 0);
}

/* The last line, where the keys were, says it soon. */
static void
last_line_says(struct screen *s, const char *text)
{
	for (int ms = 0; ms < SOON_MS && strstr(pty_line(s->p, 23), text) == NULL; ms += 50)
		pty_run(s->p, 50);
	if (strstr(pty_line(s->p, 23), text) == NULL)
		fail_msg("the last line does not say '%s':\n%s", text, pty_screen(s->p));
}

static void
where_there_is_no_code_keys_say_why(void **state)
{
	static const char *const need_lines[] = { "i", "y", "\r" };
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "islands");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 100, 24,
		     ARGS((char *)"-V", (char *)"annotate", (char *)"--symbol", (char *)"no_such",
			  (char *)"-p", pid, (char *)"-e", (char *)"cpu-clock"), ENV());
	sees(s, "no samples in a function 'no_such'");
	for (size_t i = 0; i < ARRAY_SIZE(need_lines); i++) {
		keys(s, "J");
		last_line_says(s, "jumps");
		keys(s, need_lines[i]);
		last_line_says(s, "no samples in a function 'no_such'");
	}
	leave(s);
}

/* How many samples it has is in the list that it is opened from, not here. */
static void
code_without_bounds_has_neither_counts_nor_a_probe(void **state)
{
	struct screen *s = *state;

	start_on(s, "anon", 100, 24);
	sees_match(s, "[0-9.]+ .* [[]JIT[]] tid");
	keys(s, "b");
	sees_match(s, "^ cannot count [[]JIT[]] tid [0-9]+: its code is in no file; c shows who calls it");
	keys(s, "a");
	sees(s, "no symbol says where this code begins and ends");
	keys(s, "l");
	sees(s, "it has no source lines: no symbol says where this code begins and ends");
	sees_no(s, "whole file");
	sees_no(s, " samples, ");
	sees_no(s, "interrupts come late");
	leave(s);
}

static void
small_screens_have_the_lines_alone(void **state)
{
	struct screen *s = *state;

	start_on(s, "islands", 20, 5);
	sees(s, "islands");
	keys(s, "a");
	sees_match(s, "[0-9.]+ .*(jmp|jne|b|b.ne|add) ");
	leave(s);
}

/* Which code is shown is asked already; whose samples it has can be filtered. */
static void
the_title_says_whether_a_function_is_filtered(void **state)
{
	struct screen *s = *state;

	start_in(s, "islands", "islands", 120, 24);
	sees_no(s, "not filtered");
	keys(s, "K");
	sees(s, "not filtered");
	sees_no(s, "no kernel");
	keys(s, "\\symbol=other\r");
	sees(s, "not filtered");
	sees_no(s, "filter symbol");
	sees_match(s, "[0-9.]+ .*(jmp|jne|b|b.ne) ");
	keys(s, "\\\025comm=islands\r");
	sees(s, "filter comm=islands");
	sees_no(s, "not filtered");
	sees_no(s, "no kernel");
	leave(s);
}

/* Rows are; on the way back they are again. */
static void
instructions_are_not_compared_and_say_so(void **state)
{
	struct screen *s = *state;

	start_on(s, "hot", 160, 24);
	sees(s, "hot_loop");
	keys(s, "=");
	sees(s, "as much time before it");
	keys(s, "\r");
	sees(s, "DELTA");
	open_function(s, "hot_loop", "a");
	sees(s, "instructions are not compared");
	sees_no(s, " THEN ");
	keys(s, "\033");
	sees(s, "DELTA");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(the_hottest_instruction_is_selected_and_has_the_most),
		screen_test(the_title_says_whether_a_function_is_filtered),
		screen_test(the_cursor_stays_on_its_instruction_while_percent_change),
		screen_test(hottest_lines_are_stepped_through),
		screen_test(instructions_are_not_compared_and_say_so),
		screen_test(a_jump_is_followed_and_come_back_from),
		screen_test(a_call_leads_to_another_function_and_back),
		screen_test(the_list_leads_to_the_next_function_and_back),
		screen_test(source_and_instructions_are_shown_together_or_alone),
		screen_test(a_filter_counts_what_the_flight_recorder_holds),
		screen_test(so_it_does_with_samples_that_had_copies_of_stacks),
		screen_test(a_filter_that_comes_later_counts_no_sample_twice),
		screen_test(a_whole_source_file_has_the_lines_of_all_functions),
		screen_test(a_whole_source_file_has_the_past_through_a_filter),
		screen_test(a_page_that_is_opened_again_has_each_sample_once),
		screen_test(inlined_code_says_whose_it_is_and_folds),
		screen_test(code_of_a_file_that_was_deleted_is_shown),
		screen_test(code_of_a_file_that_was_replaced_is_shown),
		screen_test(a_bpf_program_has_its_code_and_its_lines),
		screen_test(functions_of_one_name_are_gone_through),
		screen_test(where_there_is_no_code_keys_say_why),
		screen_test(code_without_bounds_has_neither_counts_nor_a_probe),
		screen_test(small_screens_have_the_lines_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
