/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What has changed, told once: by program, function, and the caller that it came through. */
#include "profile_fixture.h"

#include <math.h>

#include "engine/viewer/change_caller.h"
#include "engine/viewer/changes.h"
#include "profile/count/past.h"

enum { FUNCTIONS = 800, FUNCTION_BYTES = 64, PID = 100, USUAL_S = 60, LATER_S = 25, RATE = 1000 };

/* main calls work, work calls some that use CPU, main others. */
enum function {
	MAIN, WORK, INFLATE, DEFLATE, CRC, OTHER,
	ENTRY = FUNCTIONS - 1, /* these two have no name */
	PAGE = FUNCTIONS * 4,
};

enum { OTHERS = 8, CROWD = 40 };

struct machine {
	struct fixture b;
	struct changes *changes;
	bool has_chains;
	int pid_of_others; /* what main calls beside work is of that process */
	uint32_t random;
	unsigned crowd; /* so many short programs there were */
};

/* "f0", "f1", ..., and @last: as in a stripped file but its address may be known. */
static struct image *
functions_image(const char *last)
{
	char texts[FUNCTIONS][16];
	const char *names[FUNCTIONS];

	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(texts[i], sizeof(texts[i]), "f%d", i);
		names[i] = i == ENTRY ? last : texts[i];
	}
	return make_named_image(names, FUNCTIONS, FUNCTION_BYTES);
}

static void
machine_open(struct machine *m, bool has_chains)
{
	*m = (struct machine){ .has_chains = has_chains, .pid_of_others = PID, .random = 1 };
	bench_open(&m->b, 24 << 20);
	m->b.profile->keeps_past = true;
	dsos_file(&m->b.model->dsos, "/bin/x", 8, 1, 42, 0);
	locations_learn_image(&m->b.locations, DSO_ID_FIRST_FILE, functions_image("+0x1370"), "", "");
	bench_exec(&m->b, PID, 3);
	m->changes = changes_new();
	changes_update(m->changes, m->b.profile, 0);
}

/* The functions of others are those of a second program. */
static void
machine_open_two(struct machine *m, bool has_chains)
{
	machine_open(m, has_chains);
	bench_exec(&m->b, PID + 1, 2);
	m->pid_of_others = PID + 1;
}

static void
machine_close(struct machine *m)
{
	changes_free(m->changes);
	bench_close(&m->b);
}

static uint32_t
place(struct machine *m, enum function f)
{
	return locations_find(&m->b.locations, DSO_ID_FIRST_FILE, (uint64_t)f * FUNCTION_BYTES);
}

/* @samples of @f, less or more by chance, called by @caller and main. */
static void
count(struct machine *m, enum function caller, enum function f, unsigned samples)
{
	struct profile *p = m->b.profile;
	int pid = caller == MAIN ? m->pid_of_others : PID;
	uint32_t who = model_who(m->b.model, model_task(m->b.model, pid, pid));
	uint32_t callers[2] = { place(m, MAIN), place(m, caller) };
	struct profile_sample s = {
		.who = who, .leaf = place(m, f), .dso = DSO_ID_FIRST_FILE,
		.offset = (uint64_t)f * FUNCTION_BYTES, .period = 1000,
	};
	struct profile_ids ids;

	m->random = m->random * 1103515245 + 12345;
	samples += m->random / 65536 % 9;
	if (m->has_chains)
		s.callers = tables_path(&p->tables, tables_root(&p->tables, who, 0), callers,
					caller == MAIN ? 1 : 2);
	ids = profile_add(p, &s);
	profile_add_again(p, &ids, 0, samples, samples * s.period);
}

static void
end_second(struct machine *m)
{
	m->b.now_ns += NSEC_PER_SEC;
	profile_close_interval(m->b.profile, m->b.now_ns);
	past_keep(m->b.profile, m->b.now_ns);
	changes_update(m->changes, m->b.profile, 0);
}

/* Seconds of three programs: the first two have so much, the third the rest. */
static void
run_programs(struct machine *m, int seconds, unsigned first, unsigned second)
{
	const unsigned parts[] = { first, second, RATE - first - second };

	for (; seconds > 0; seconds--) {
		for (int i = 0; i < 3; i++) {
			m->pid_of_others = PID + i;
			count(m, MAIN, OTHER, parts[i]);
		}
		end_second(m);
	}
}

/* Seconds in each of which work calls three, as often as is said; main's others have the rest. */
static void
run(struct machine *m, int seconds, unsigned inflate, unsigned deflate, unsigned crc)
{
	for (; seconds > 0; seconds--) {
		count(m, WORK, INFLATE, inflate);
		count(m, WORK, DEFLATE, deflate);
		count(m, WORK, CRC, crc);
		for (enum function f = OTHER; f < OTHER + OTHERS; f++)
			count(m, MAIN, f, (RATE - inflate - deflate - crc) / OTHERS);
		end_second(m);
	}
}

/* That is how it is told, but for its points: "f2 < f1 (java)". */
static void
assert_text(const struct change *change, const char *text)
{
	struct buf b = { 0 };
	const char *end;

	assert_non_null(change);
	changes_put(&b, change, "cycles");
	end = strstr(buf_str(&b), " points ");
	assert_non_null(end);
	assert_string_equal(end + strlen(" points "), text);
	buf_release(&b);
}

/* There is one change, and it is told so. */
static void
assert_told(const struct machine *m, const char *text)
{
	assert_text(changes_at(m->changes, 0), text);
	assert_null(changes_at(m->changes, 1));
}

/* The change of a program, of which there is one at most. */
static const struct change *
change_of(const struct machine *m, const char *comm)
{
	const struct change *found = NULL, *change;

	for (size_t n = 0; (change = changes_at(m->changes, n)) != NULL; n++) {
		if (strcmp(change->comm, comm) != 0)
			continue;
		assert_null(found);
		found = change;
	}
	return found;
}

static void
a_change_names_the_caller_that_it_came_through(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, true);
	run(&m, USUAL_S, 100, 100, 100);
	assert_null(changes_at(m.changes, 0));
	run(&m, LATER_S, 300, 100, 100);
	assert_told(&m, "f2 < f1 (java)");
	machine_close(&m);
}

/* Where its frame is not made yet, or is gone, a chain goes from a function to its caller's caller. */
static void
a_caller_that_some_chains_lack_is_told(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, true);
	run(&m, USUAL_S, 100, 100, 100);
	for (int second = 0; second < LATER_S; second++) {
		count(&m, MAIN, INFLATE, 60);
		run(&m, 1, 240, 100, 100);
	}
	assert_told(&m, "f2 < f1 (java)");
	machine_close(&m);
}

/* None of them is what most came through. */
static void
of_two_callers_that_it_came_through_the_common_one_is_told(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, true);
	run(&m, USUAL_S, 100, 100, 100);
	for (int second = 0; second < LATER_S; second++) {
		count(&m, MAIN, INFLATE, 100);
		run(&m, 1, 200, 100, 100);
	}
	assert_told(&m, "f2 < f0 (java)");
	machine_close(&m);
}

static void
functions_that_change_together_are_told_once_as_their_caller(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, true);
	run(&m, USUAL_S, 100, 80, 60);
	run(&m, LATER_S, 300, 150, 120);
	assert_told(&m, "f1 (java), most of it f2");
	assert_true(changes_at(m.changes, 0)->points > 30);
	machine_close(&m);
}

static void
what_has_less_than_half_of_a_callers_change_is_not_most_of_it(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, true);
	run(&m, USUAL_S, 100, 80, 60);
	run(&m, LATER_S, 250, 200, 160);
	assert_told(&m, "f1 (java)");
	machine_close(&m);
}

enum { PARTS = 3 };

/* Seconds in which java has so much in each of some functions, and another program the rest. */
static void
run_parts(struct machine *m, int seconds, const enum function *functions, const unsigned *parts)
{
	for (; seconds > 0; seconds--) {
		unsigned rest = RATE;

		for (int i = 0; i < PARTS; i++) {
			count(m, WORK, functions[i], parts[i]);
			rest -= parts[i];
		}
		count(m, MAIN, OTHER, rest);
		end_second(m);
	}
}

static void
most_of_a_programs_change_is_what_has_half_of_it_named_or_not(void **state)
{
	static const struct {
		enum function functions[PARTS];
		unsigned before[PARTS], after[PARTS];
		const char *text;
	} rows[] = {
		{ { INFLATE, DEFLATE, CRC }, { 20, 20, 20 }, { 300, 30, 20 }, "java, most of it f2" },
		{ { INFLATE, ENTRY, CRC }, { 20, 20, 20 }, { 25, 400, 20 }, "java, most of it x+0x1370" },
		{ { INFLATE, PAGE, CRC }, { 20, 20, 20 }, { 25, 400, 20 }, "java, most of it x+0x32000" },
		{ { INFLATE, ENTRY, PAGE }, { 20, 20, 20 }, { 150, 150, 150 }, "java" },
		/* What has lost most is meant, not what has most by now. */
		{ { INFLATE, ENTRY, CRC }, { 300, 300, 20 }, { 300, 100, 20 }, "java, most of it x+0x1370" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine m;

		machine_open_two(&m, false);
		run_parts(&m, USUAL_S, rows[i].functions, rows[i].before);
		run_parts(&m, LATER_S, rows[i].functions, rows[i].after);
		assert_text(change_of(&m, "java"), rows[i].text);
		machine_close(&m);
	}
}

/* Where no other function of the program has anything, what its functions call is all of it. */
static void
a_caller_that_is_all_of_the_program_is_told_as_the_program(void **state)
{
	struct change_caller caller;
	struct machine m;
	uint64_t at_ns;

	(void)state;
	machine_open_two(&m, true);
	run(&m, USUAL_S, 100, 80, 60);
	at_ns = m.b.now_ns;
	run(&m, LATER_S, 250, 200, 160);
	change_caller_find(m.b.profile, &(struct change_of){
		.comm = m.b.model->whos[model_who(m.b.model, model_find_task(m.b.model, PID))].comm,
		.function = m.b.locations.items[place(&m, INFLATE)].name,
		.at_ns = at_ns, .end_ns = m.b.now_ns }, &caller);
	assert_true(caller.is_together);
	assert_true(caller.is_program);
	assert_true(caller.after > 0.5 && caller.before < 0.3);
	machine_close(&m);
}

static void
a_function_in_place_of_another_is_told_once(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, true);
	run(&m, USUAL_S, 100, 300, 100);
	run(&m, LATER_S, 310, 100, 100);
	assert_told(&m, changes_at(m.changes, 0)->points > 0 ? "f2 < f1 (java), in place of f3"
							     : "f3 < f1 (java), f2 in its place");
	machine_close(&m);
}

static void
without_call_chains_the_function_alone_is_told(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, false);
	run(&m, USUAL_S, 100, 100, 100);
	run(&m, LATER_S, 300, 100, 100);
	assert_told(&m, "f2 (java)");
	machine_close(&m);
}

/* As their unwind tables tell them apart; what these do not tell is of the program alone. */
static void
functions_without_names_are_told_by_where_they_are(void **state)
{
	static const struct {
		enum function falls;
		const char *text; /* NULL: nothing is told */
	} rows[] = { { ENTRY, "x+0x1370 < f1 (java)" }, { PAGE, NULL } };
	static const unsigned before[] = { 400, 500, 100 }, after[] = { 200, 700, 100 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const enum function functions[] = { rows[i].falls, PAGE + 64, PAGE + 128 };
		struct machine m;

		machine_open(&m, true);
		run_parts(&m, USUAL_S, functions, before);
		run_parts(&m, LATER_S, functions, after);
		if (rows[i].text != NULL)
			assert_told(&m, rows[i].text);
		else
			assert_null(changes_at(m.changes, 0));
		machine_close(&m);
	}
}

/* It is no change that it has samples by that name from then on. */
static void
a_function_that_gets_its_name_has_not_changed(void **state)
{
	static const enum function functions[PARTS] = { ENTRY, DEFLATE, CRC };
	static const unsigned parts[] = { 400, 100, 100 };
	struct machine m;

	(void)state;
	machine_open(&m, false);
	run_parts(&m, USUAL_S, functions, parts);
	locations_learn_image(&m.b.locations, DSO_ID_FIRST_FILE, functions_image("named"), "", "");
	run_parts(&m, 2 * LATER_S, functions, parts);
	assert_null(changes_at(m.changes, 0));
	machine_close(&m);
}

/* It is known two seconds later. */
static void
of_a_program_the_function_that_changed_most_is_told_if_later_too(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, false);
	run(&m, USUAL_S, 100, 400, 100);
	run(&m, 2, 250, 400, 100);
	run(&m, 9, 250, 100, 100);
	assert_told(&m, "f2 (java)");
	run(&m, LATER_S, 250, 100, 100);
	assert_told(&m, "f3 (java)");
	assert_that(changes_at(m.changes, 0)->points, <, -25);
	machine_close(&m);
}

/* All of it has not changed: some of what one lost the other has gained. */
static void
a_function_that_changed_more_than_its_program_is_told(void **state)
{
	static const enum function functions[PARTS] = { INFLATE, DEFLATE, CRC };
	struct machine m;

	(void)state;
	machine_open_two(&m, false);
	run_parts(&m, USUAL_S, functions, (unsigned[]){ 400, 100, 100 });
	run_parts(&m, LATER_S, functions, (unsigned[]){ 100, 280, 100 });
	assert_text(change_of(&m, "java"), "f2 (java)");
	assert_that(change_of(&m, "java")->points, <, -25);
	machine_close(&m);
}

/* What takes its place is smaller, or nearly as large and was there before. */
static void
of_a_program_what_came_stays_told_when_more_is_known(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, false);
	run(&m, USUAL_S, 0, 400, 100);
	run(&m, 2, 250, 400, 100);
	run(&m, LATER_S, 250, 140, 100);
	assert_told(&m, "f2 (java)");
	machine_close(&m);
}

/* Seconds in which one program has @first, another @second, and a crowd of short ones the rest. */
static void
run_crowd(struct machine *m, int seconds, unsigned first, unsigned second)
{
	const unsigned one = (RATE - first - second) / CROWD;

	for (; seconds > 0; seconds--) {
		for (unsigned i = 0; i < CROWD; i++) {
			char comm[16];

			snprintf(comm, sizeof(comm), "short-%u", m->crowd++);
			tell_comm(m->b.model, PID + 2, PID + 2, comm, false);
			m->pid_of_others = PID + 2;
			count(m, MAIN, OTHER + i % OTHERS, one);
		}
		m->pid_of_others = PID;
		count(m, MAIN, OTHER, first);
		m->pid_of_others = PID + 1;
		if (second > 0)
			count(m, MAIN, OTHER, second);
		end_second(m);
	}
}

static void
a_program_is_told_among_thousands_that_are_too_small_to_matter(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, false);
	bench_exec(&m.b, PID + 1, 4);
	bench_exec(&m.b, PID + 2, 5);
	run_crowd(&m, USUAL_S, 600, 0);
	assert_null(changes_at(m.changes, 0));
	run_crowd(&m, LATER_S, 400, 400);
	assert_text(change_of(&m, "sh"), "sh, most of it f5");
	assert_that(change_of(&m, "sh")->points, >, 20);
	machine_close(&m);
}

/* Seconds in which each of the first @count functions has a little, and the last of them @more. */
static void
run_flat(struct machine *m, int seconds, unsigned functions, unsigned more)
{
	for (; seconds > 0; seconds--) {
		for (unsigned f = 0; f < functions; f++)
			count(m, MAIN, f, f + 1 < functions ? 0 : more);
		end_second(m);
	}
}

/* What was too light to have its seconds kept has still had next to nothing before. */
static void
a_function_is_told_among_more_of_equal_weight_than_are_kept(void **state)
{
	static const unsigned counts[] = { 500, 520, 600, 750 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct machine m;
		char text[32];

		machine_open(&m, false);
		run_flat(&m, 2 * USUAL_S, counts[i], 0);
		assert_null(changes_at(m.changes, 0));
		run_flat(&m, LATER_S, counts[i], 1000);
		snprintf(text, sizeof(text), "f%u (java)", counts[i] - 1);
		assert_told(&m, text);
		assert_that(changes_at(m.changes, 0)->before, <, 0.003);
		run_flat(&m, LATER_S, counts[i], 0);
		assert_text(changes_at(m.changes, 0), text);
		assert_that(changes_at(m.changes, 0)->points, <, -20);
		machine_close(&m);
	}
}

/* Functions of thousands of programs that end: they are forgotten, and what is there is not. */
static void
what_is_summed_of_programs_that_come_and_go_has_a_bound(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, false);
	bench_exec(&m.b, PID + 1, 4);
	bench_exec(&m.b, PID + 2, 5);
	run_crowd(&m, 500, 600, 0);
	assert_that(m.crowd, >, 16384);
	assert_that(changes_bytes(m.changes), <, 2 << 20);
	assert_null(changes_at(m.changes, 0));
	run_crowd(&m, LATER_S, 400, 400);
	assert_that(change_of(&m, "sh")->points, >, 20);
	machine_close(&m);
}

/* What the header's line has gained at that moment, in points; 0: there is no line. */
static double
line_of(struct machine *m)
{
	const struct change *change = changes_line(m->changes, m->b.now_ns);

	return change != NULL ? change->points : 0;
}

/* What changes less is noticed later. */
static void
what_began_together_is_listed_by_size_and_the_newest_first(void **state)
{
	static const double points[] = { -25, 20, 5 };
	const struct change *list[CHANGES_MAX];
	struct buf b = { 0 };
	struct machine m;

	(void)state;
	machine_open(&m, false);
	bench_exec(&m.b, PID + 1, 4);
	bench_exec(&m.b, PID + 2, 5);
	run_programs(&m, USUAL_S, 100, 100);
	run_programs(&m, USUAL_S, 150, 300);
	assert_int_equal(changes_list(m.changes, list), 3);
	for (int i = 0; i < 3; i++)
		assert_that(fabs(list[i]->points - points[i]), <, 2);
	run_programs(&m, LATER_S, 350, 300);
	assert_int_equal(changes_list(m.changes, list), 5);
	assert_that(fabs(fabs(list[0]->points) - 20), <, 2);
	assert_true(list[1]->at_ns > list[2]->at_ns);
	assert_that(fabs(list[2]->points - points[0]), <, 2);
	/* Of another event than that on the screen it has the name. */
	changes_put(&b, list[0], "cycles");
	assert_null(strstr(buf_str(&b), "event"));
	buf_reset(&b);
	changes_put(&b, list[0], "page-faults");
	assert_non_null(strstr(buf_str(&b), ", event cycles"));
	buf_release(&b);
	machine_close(&m);
}

static void
a_line_stays_for_a_minute_and_what_comes_meanwhile_waits(void **state)
{
	struct machine m;
	uint64_t at_ns;

	(void)state;
	machine_open(&m, false);
	bench_exec(&m.b, PID + 1, 4);
	bench_exec(&m.b, PID + 2, 5);
	run_programs(&m, USUAL_S, 100, 100);
	assert_true(line_of(&m) == 0);
	run_programs(&m, LATER_S, 400, 100);
	assert_that(line_of(&m), >, 20);
	run_programs(&m, 15, 400, 100);
	at_ns = m.b.now_ns;
	run_programs(&m, LATER_S, 400, 200);
	assert_that(fabs(changes_newest(m.changes)->points), <, 15);
	assert_that(line_of(&m), >, 20);
	run_programs(&m, 20, 400, 200);
	assert_that(fabs(line_of(&m)), <, 15);
	run_programs(&m, 60, 400, 200);
	assert_true(line_of(&m) == 0);
	/* Of a window in the past it is what had changed by then. */
	assert_that(changes_by(m.changes, at_ns - 10 * NSEC_PER_SEC)->points, >, 20);
	assert_null(changes_by(m.changes, at_ns - 60 * NSEC_PER_SEC));
	machine_close(&m);
}

static void
a_line_gives_way_to_a_larger_change_and_to_the_next_of_its_own(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, false);
	bench_exec(&m.b, PID + 1, 4);
	bench_exec(&m.b, PID + 2, 5);
	run_programs(&m, USUAL_S, 100, 100);
	run_programs(&m, LATER_S, 200, 100);
	assert_that(fabs(fabs(line_of(&m)) - 10), <, 2);
	run_programs(&m, LATER_S, 200, 500);
	assert_that(fabs(fabs(line_of(&m)) - 40), <, 2);
	run_programs(&m, LATER_S, 200, 300);
	assert_that(fabs(fabs(line_of(&m)) - 20), <, 2);
	machine_close(&m);
}

/* The function of java that fell is told after both programs. */
static void
what_took_the_cpu_is_told_rather_than_what_gave_way(void **state)
{
	static const enum function functions[PARTS] = { INFLATE, DEFLATE, CRC };
	struct machine m;

	(void)state;
	machine_open_two(&m, false);
	run_parts(&m, USUAL_S, functions, (unsigned[]){ 900, 5, 95 });
	for (int second = 0; second < LATER_S; second++) {
		run_parts(&m, 1, functions, (unsigned[]){ 450, 5, 45 });
		line_of(&m);
	}
	assert_text(changes_line(m.changes, m.b.now_ns), "node, most of it f5");
	assert_text(changes_newest(m.changes), "node, most of it f5");
	run_parts(&m, LATER_S, functions, (unsigned[]){ 900, 5, 95 });
	assert_text(changes_line(m.changes, m.b.now_ns), "node, most of it f5");
	assert_that(changes_line(m.changes, m.b.now_ns)->points, <, -40);
	machine_close(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_names_the_caller_that_it_came_through),
		cmocka_unit_test(a_caller_that_some_chains_lack_is_told),
		cmocka_unit_test(of_two_callers_that_it_came_through_the_common_one_is_told),
		cmocka_unit_test(functions_that_change_together_are_told_once_as_their_caller),
		cmocka_unit_test(what_has_less_than_half_of_a_callers_change_is_not_most_of_it),
		cmocka_unit_test(most_of_a_programs_change_is_what_has_half_of_it_named_or_not),
		cmocka_unit_test(a_caller_that_is_all_of_the_program_is_told_as_the_program),
		cmocka_unit_test(a_function_in_place_of_another_is_told_once),
		cmocka_unit_test(without_call_chains_the_function_alone_is_told),
		cmocka_unit_test(functions_without_names_are_told_by_where_they_are),
		cmocka_unit_test(a_function_that_gets_its_name_has_not_changed),
		cmocka_unit_test(of_a_program_the_function_that_changed_most_is_told_if_later_too),
		cmocka_unit_test(a_function_that_changed_more_than_its_program_is_told),
		cmocka_unit_test(of_a_program_what_came_stays_told_when_more_is_known),
		cmocka_unit_test(a_program_is_told_among_thousands_that_are_too_small_to_matter),
		cmocka_unit_test(a_function_is_told_among_more_of_equal_weight_than_are_kept),
		cmocka_unit_test(what_is_summed_of_programs_that_come_and_go_has_a_bound),
		cmocka_unit_test(what_began_together_is_listed_by_size_and_the_newest_first),
		cmocka_unit_test(a_line_stays_for_a_minute_and_what_comes_meanwhile_waits),
		cmocka_unit_test(a_line_gives_way_to_a_larger_change_and_to_the_next_of_its_own),
		cmocka_unit_test(what_took_the_cpu_is_told_rather_than_what_gave_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
