/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search for an event's place: which questions it asks, and what it makes of answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/place/place_search.h"

#define NAMES "/bin/app\0/lib/libc.so\0\0[vdso]\0/lib/other.so"
enum { APP = 0, LIBC = 9, ANON = 22, VDSO = 23, OTHER = 30 };

static struct proc_map maps[] = {
	{ 0x5000, 0x6000, 0x1000, 8, 1, 11, 5, APP },
	{ 0x7000, 0x8000, 0x2000, 8, 1, 11, 5, APP },
	{ 0x9000, 0xa000, 0x1000, 8, 1, 22, 5, LIBC },
	{ 0xb000, 0xc000, 0, 0, 0, 0, 5, ANON },
	{ 0xd000, 0xe000, 0, 0, 0, 0, 5, VDSO },
};

static struct proc_map other_maps[] = {
	{ 0x15000, 0x16000, 0x1000, 8, 1, 33, 5, OTHER },
	{ 0x19000, 0x1a000, 0x1000, 8, 1, 22, 5, LIBC },
};

static void
add_maps(struct place_search *s, int pid)
{
	struct proc_maps_msg m = { .pid = pid, .maps = maps, .count = ARRAY_SIZE(maps),
				   .names = (char *)NAMES };

	place_search_add_maps(s, &m);
}

static void
add_other_maps(struct place_search *s, int pid)
{
	struct proc_maps_msg m = { .pid = pid, .maps = other_maps,
				   .count = ARRAY_SIZE(other_maps), .names = (char *)NAMES };

	place_search_add_maps(s, &m);
}

static struct place_search *
search(enum event_place place, const char *path, const char *symbol)
{
	struct event ev = { .name = "the event", .place = place, .path = (char *)path,
			    .symbol = (char *)symbol };

	return place_search_new(&ev);
}

static void
asks(struct place_search *s, const char *path, int pid)
{
	struct symbol_places_ask ask;

	assert_true(place_search_next(s, &ask));
	assert_int_equal(ask.file.kind, SYMBOL_ELF);
	assert_string_equal(ask.file.path, path);
	assert_int_equal(ask.file.pid, pid);
}

static void
asks_no_more(struct place_search *s)
{
	struct symbol_places_ask ask;

	assert_false(place_search_next(s, &ask));
}

static void
take_none(struct place_search *s, enum err_code code, const char *text)
{
	struct symbol_places_msg m = { 0 };

	err_set(&m.err, code, 0, "%s", text);
	place_search_answer(s, &m);
}

static void
take_one(struct place_search *s, uint64_t offset, uint64_t addr, uint64_t size)
{
	struct symbol_place place = { "name", offset, addr, size };
	struct symbol_places_msg m = { .path = "/the/file", .bias = 0x100000, .places = &place,
				       .count = 1 };

	place_search_answer(s, &m);
}

static void
fails(struct place_search *s, enum err_code code, const char *text, const char *hint)
{
	struct err err = { 0 };

	assert_null(place_search_result(s, &err));
	assert_int_equal(err.code, code);
	if (strstr(err.text, text) == NULL || strstr(err.hint, hint) == NULL)
		fail_msg("'%s' (%s), not '%s' (%s)", err.text, err.hint, text, hint);
	assert_non_null(strstr(err.text, "the event"));
	place_search_free(s);
}

static const struct event *
result(struct place_search *s, size_t sites)
{
	struct err err = { 0 };
	const struct event *ev = place_search_result(s, &err);

	if (ev == NULL)
		fail_msg("%s", err.text);
	assert_int_equal(ev->site_count, sites);
	return ev;
}

static void
a_named_file_alone_is_looked_into(void **state)
{
	struct place_search *s = search(EVENT_PLACE_UPROBE, "/the/file", "name");
	const struct event *ev;

	(void)state;
	assert_false(place_search_wants_maps(s));
	asks(s, "/the/file", 0);
	take_one(s, 0x1234, 0, 16);
	asks_no_more(s);
	ev = result(s, 1);
	assert_string_equal(ev->sites[0].target, "/the/file");
	assert_int_equal(ev->sites[0].at, 0x1234);
	assert_int_equal(ev->sites[0].pid, 0);
	place_search_free(s);
	s = search(EVENT_PLACE_UPROBE, "/the/file", "name");
	take_none(s, ERR_FORMAT, "not an ELF file");
	fails(s, ERR_FORMAT, "event 'the event': not an ELF file", "");
}

static void
files_are_looked_through_in_the_order_of_their_maps(void **state)
{
	struct place_search *s = search(EVENT_PLACE_UPROBE, NULL, "name");

	(void)state;
	assert_true(place_search_wants_maps(s));
	add_maps(s, 7);
	asks(s, "/bin/app", 7);
	take_none(s, ERR_GONE, "no function");
	asks(s, "/lib/libc.so", 7);
	take_none(s, ERR_GONE, "no function");
	asks_no_more(s);
	fails(s, ERR_GONE, "no function 'name' in app nor in any other", "uprobe:/path");
	s = search(EVENT_PLACE_UPROBE, NULL, "/src/name.c:12");
	add_maps(s, 7);
	asks(s, "/bin/app", 7);
	take_none(s, ERR_GONE, "no source file");
	asks(s, "/lib/libc.so", 7);
	take_none(s, ERR_GONE, "no debug data");
	asks_no_more(s);
	fails(s, ERR_GONE, "no code of line '/src/name.c:12' in app nor in any other", "");
}

/* What was preloaded hides libc's, wherever the kernel maps libraries: below the linker, or above it. */
static void
libraries_are_looked_through_as_the_linker_does(void **state)
{
	static const char names[] = "/bin/app\0/lib/libc.so.6\0/lib/libjemalloc.so.2\0/lib/ld-linux-x86-64.so.2";
	enum { OF_LIBC = 9, OF_FIRST = 24, OF_LINKER = 46 };
	static const uint64_t linkers[] = { 0x9000, 0x20000 }, libraries[][2] = {
		{ 0xd000, 0xb000 }, { 0x11000, 0x13000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(linkers); i++) {
		struct place_search *s = search(EVENT_PLACE_UPROBE, NULL, "malloc");
		struct proc_map all[] = {
			{ 0x5000, 0x6000, 0x1000, 8, 1, 11, 5, 0 },
			{ libraries[i][0], libraries[i][0] + 0x1000, 0x1000, 8, 1, 22, 5, OF_LIBC },
			{ libraries[i][1], libraries[i][1] + 0x1000, 0x1000, 8, 1, 33, 5, OF_FIRST },
			{ linkers[i], linkers[i] + 0x1000, 0x1000, 8, 1, 44, 5, OF_LINKER },
		};
		struct proc_maps_msg m = { .pid = 7, .maps = all, .count = ARRAY_SIZE(all),
					   .names = (char *)(uintptr_t)names };

		place_search_add_maps(s, &m);
		asks(s, "/bin/app", 7);
		take_none(s, ERR_GONE, "no function");
		asks(s, "/lib/libjemalloc.so.2", 7);
		take_none(s, ERR_GONE, "no function");
		asks(s, "/lib/libc.so.6", 7);
		take_none(s, ERR_GONE, "no function");
		asks(s, "/lib/ld-linux-x86-64.so.2", 7);
		take_none(s, ERR_GONE, "no function");
		asks_no_more(s);
		place_search_free(s);
	}
}

static void
a_probe_is_put_once_into_a_file_that_several_map(void **state)
{
	struct place_search *s = search(EVENT_PLACE_UPROBE, NULL, "name");

	(void)state;
	add_maps(s, 7);
	add_other_maps(s, 8);
	add_maps(s, 9);
	asks(s, "/bin/app", 7);
	take_none(s, ERR_GONE, "no function");
	asks(s, "/lib/libc.so", 7);
	take_one(s, 0x1234, 0, 0);
	/* Another program may have a function of that name by itself. */
	asks(s, "/lib/other.so", 8);
	take_none(s, ERR_GONE, "no function");
	asks_no_more(s);
	result(s, 1);
	place_search_free(s);
}

static void
a_pattern_may_fit_in_every_file(void **state)
{
	struct place_search *s = search(EVENT_PLACE_URETPROBE, NULL, "na*");

	(void)state;
	add_maps(s, 7);
	asks(s, "/bin/app", 7);
	take_one(s, 0x10, 0, 0);
	asks(s, "/lib/libc.so", 7);
	take_one(s, 0x20, 0, 0);
	asks_no_more(s);
	result(s, 2);
	place_search_free(s);
}

static void
a_variable_has_an_address_in_each_process(void **state)
{
	struct event ev = { .name = "the event", .place = EVENT_PLACE_DATA, .symbol = "name",
			    .symbol_offset = 4, .bp_type = HW_BREAKPOINT_W };
	struct place_search *s = place_search_new(&ev);
	const struct event *found;
	struct symbol_places_ask ask;

	(void)state;
	add_maps(s, 7);
	add_maps(s, 8);
	assert_true(place_search_next(s, &ask));
	assert_true(ask.data);
	assert_int_equal(ask.pgoff, 0x1000);
	assert_int_equal(ask.file.start, 0x5000);
	take_one(s, 0, 0x40, 8);
	asks(s, "/bin/app", 8);
	take_one(s, 0, 0x50, 8);
	asks_no_more(s);
	found = result(s, 2);
	assert_int_equal(found->sites[0].at, 0x100044);
	assert_int_equal(found->sites[0].pid, 7);
	assert_int_equal(found->sites[1].at, 0x100054);
	assert_int_equal(found->sites[1].pid, 8);
	assert_int_equal(found->config2, 8);
	place_search_free(s);
}

static void
the_length_of_a_breakpoint_is_the_users_or_the_variables(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t given, size, length;
	} rows[] = {
		{ HW_BREAKPOINT_W, 0, 1, 1 },	{ HW_BREAKPOINT_RW, 0, 2, 2 },
		{ HW_BREAKPOINT_W, 0, 400, 4 }, { HW_BREAKPOINT_W, 0, 0, 4 },
		{ HW_BREAKPOINT_W, 2, 8, 2 },	{ HW_BREAKPOINT_X, 4, 40, sizeof(long) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event ev = { .name = "the event", .place = EVENT_PLACE_DATA,
				    .symbol = "name", .bp_type = rows[i].type,
				    .config2 = rows[i].given };
		struct place_search *s = place_search_new(&ev);
		struct symbol_places_ask ask;

		add_maps(s, 7);
		assert_true(place_search_next(s, &ask));
		/* What is executed is a function. */
		assert_int_equal(ask.data, rows[i].type != HW_BREAKPOINT_X);
		take_one(s, 0, 0x40, rows[i].size);
		assert_int_equal(result(s, 1)->config2, rows[i].length);
		place_search_free(s);
	}
}

static void
two_variables_of_one_name_are_refused(void **state)
{
	struct place_search *s = search(EVENT_PLACE_DATA, NULL, "name");
	struct symbol_place places[] = { { "name", 0, 0x40, 4 }, { "name", 0, 0x80, 4 } };
	struct symbol_places_msg m = { .path = "/bin/app", .places = places, .count = 2 };

	(void)state;
	add_maps(s, 7);
	asks(s, "/bin/app", 7);
	place_search_answer(s, &m);
	asks_no_more(s);
	fails(s, ERR_USAGE, "2 of that name", "mem:ADDRESS");
}

static void
the_most_telling_reason_is_told(void **state)
{
	struct place_search *s = search(EVENT_PLACE_DATA, NULL, "name");

	(void)state;
	add_maps(s, 7);
	asks(s, "/bin/app", 7);
	take_none(s, ERR_GONE, "no variable");
	asks(s, "/lib/libc.so", 7);
	take_none(s, ERR_UNSUPPORTED, "it is of each thread");
	asks_no_more(s);
	fails(s, ERR_UNSUPPORTED, "libc.so: it is of each thread", "");
	s = search(EVENT_PLACE_DATA, NULL, "name");
	place_search_add_maps(s, &(struct proc_maps_msg){ .pid = 7, .error = 3 });
	asks_no_more(s);
	fails(s, ERR_GONE, "process 7 maps: No such process", "");
}

static void
an_offset_beyond_the_function_is_refused(void **state)
{
	struct event ev = { .name = "the event", .place = EVENT_PLACE_UPROBE, .path = "/the/file",
			    .symbol = "name", .symbol_offset = 16 };
	struct place_search *s = place_search_new(&ev);

	(void)state;
	asks(s, "/the/file", 0);
	take_one(s, 0x1000, 0, 16);
	fails(s, ERR_USAGE, "only 16 bytes", "");
	s = place_search_new(&ev);
	asks(s, "/the/file", 0);
	take_one(s, 0x1000, 0, 17);
	assert_int_equal(result(s, 1)->sites[0].at, 0x1010);
	place_search_free(s);
}

/* The file says whether code is there. */
static void
an_offset_without_a_name_is_asked_for_as_it_is(void **state)
{
	struct event ev = { .name = "the event", .place = EVENT_PLACE_UPROBE, .path = "/the/file",
			    .symbol_offset = 0x1234 };
	struct place_search *s = place_search_new(&ev);
	struct symbol_places_ask ask;

	(void)state;
	assert_false(place_search_wants_maps(s));
	assert_true(place_search_next(s, &ask));
	assert_string_equal(ask.file.path, "/the/file");
	assert_null(ask.pattern);
	assert_int_equal(ask.offset, 0x1234);
	take_one(s, 0x1234, 0, 0);
	asks_no_more(s);
	assert_int_equal(result(s, 1)->sites[0].at, 0x1234);
	place_search_free(s);
	s = place_search_new(&ev);
	asks(s, "/the/file", 0);
	take_none(s, ERR_USAGE, "no code there");
	asks_no_more(s);
	fails(s, ERR_USAGE, "event 'the event': no code there", "");
}

static void
more_places_than_can_be_opened_are_refused(void **state)
{
	struct place_search *s = search(EVENT_PLACE_UPROBE, NULL, "na*");
	struct symbol_place places[200] = { { 0 } };
	struct symbol_places_msg m = { .path = "/bin/app", .places = places, .count = 200 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		places[i] = (struct symbol_place){ "name", 16 * i, 0, 0 };
	add_maps(s, 7);
	asks(s, "/bin/app", 7);
	place_search_answer(s, &m);
	asks(s, "/lib/libc.so", 7);
	place_search_answer(s, &m);
	asks_no_more(s);
	fails(s, ERR_LIMIT, "more than 256", "fewer");
}

static void
a_kernel_function_is_probed_by_name_unless_others_have_it(void **state)
{
	struct symbol_place places[] = { { "one", 0, 0xf000, 0 }, { "two", 0, 0xf100, 0 },
					 { "two", 0, 0xf200, 0 } };
	struct symbol_places_msg m = { .places = places, .count = 3 };
	struct place_search *s = search(EVENT_PLACE_KPROBE, NULL, "*");
	struct symbol_places_ask ask;
	const struct event *ev;

	(void)state;
	assert_false(place_search_wants_maps(s));
	assert_true(place_search_next(s, &ask));
	assert_int_equal(ask.file.kind, SYMBOL_KERNEL);
	place_search_answer(s, &m);
	asks_no_more(s);
	ev = result(s, 3);
	assert_string_equal(ev->sites[0].target, "one");
	assert_int_equal(ev->sites[0].at, 0);
	assert_null(ev->sites[2].target);
	assert_int_equal(ev->sites[2].at, 0xf200);
	place_search_free(s);
}

static void
asks_kernel(struct place_search *s, bool data)
{
	struct symbol_places_ask ask;

	assert_true(place_search_next(s, &ask));
	assert_int_equal(ask.file.kind, SYMBOL_KERNEL);
	assert_string_equal(ask.pattern, "name");
	assert_int_equal(ask.data, data);
}

/* Those of processes first: what they have is nearer to who asks for it. */
static void
a_variable_that_no_process_has_is_the_kernels(void **state)
{
	struct symbol_place place = { "name", 0, 0xffffffff82a05940, 0 };
	struct symbol_places_msg m = { .places = &place, .count = 1 };
	struct event of_user = { .name = "the event", .place = EVENT_PLACE_DATA,
				 .symbol = "name", .exclude_kernel = true };
	struct event of_code = { .name = "the event", .place = EVENT_PLACE_DATA,
				 .symbol = "name", .bp_type = HW_BREAKPOINT_X };
	struct place_search *s = search(EVENT_PLACE_DATA, NULL, "name");
	const struct event *ev;

	(void)state;
	add_maps(s, 7);
	asks(s, "/bin/app", 7);
	take_none(s, ERR_GONE, "no variable");
	asks(s, "/lib/libc.so", 7);
	take_none(s, ERR_GONE, "no variable");
	asks_kernel(s, true);
	place_search_answer(s, &m);
	asks_no_more(s);
	ev = result(s, 1);
	assert_int_equal(ev->sites[0].at, 0xffffffff82a05940);
	assert_int_equal(ev->sites[0].pid, 0);
	assert_int_equal(ev->config2, 4);
	place_search_free(s);
	/* Without processes at once. */
	s = place_search_new(&of_code);
	asks_kernel(s, false);
	place_search_answer(s, &m);
	assert_int_equal(result(s, 1)->sites[0].at, 0xffffffff82a05940);
	place_search_free(s);
	/* Nowhere. */
	s = search(EVENT_PLACE_DATA, NULL, "name");
	asks_kernel(s, true);
	take_none(s, ERR_GONE, "the kernel has none");
	asks_no_more(s);
	fails(s, ERR_GONE, "the kernel has none, and there is no process", "-p");
	/* With :u it is not the kernel's. */
	s = place_search_new(&of_user);
	asks_no_more(s);
	fails(s, ERR_USAGE, "no process to look into", "-p");
}

static void
a_library_is_looked_for_by_its_name_where_it_is_mapped(void **state)
{
	struct place_search *s = search(EVENT_PLACE_UPROBE, "libc.so", "malloc");

	(void)state;
	assert_true(place_search_wants_maps(s));
	add_maps(s, 5);
	asks(s, "/lib/libc.so", 5);
	take_one(s, 0x10, 0x10, 8);
	asks_no_more(s);
	assert_string_equal(result(s, 1)->sites[0].target, "/the/file");
	place_search_free(s);
	/* Where nobody maps it the name is what is asked for. */
	s = search(EVENT_PLACE_UPROBE, "libnone.so", "malloc");
	add_maps(s, 5);
	asks(s, "libnone.so", 0);
	place_search_free(s);
}

static void
what_a_program_is_about_to_map_is_looked_into_first_and_once(void **state)
{
	struct place_search *s = search(EVENT_PLACE_UPROBE, NULL, "mal*");

	(void)state;
	place_search_add_file(s, 5, "/bin/app");
	place_search_add_file(s, 5, "/lib/later.so");
	add_maps(s, 5);
	asks(s, "/bin/app", 0);
	take_none(s, ERR_GONE, "nothing");
	asks(s, "/lib/later.so", 0);
	take_one(s, 0x10, 0x10, 8);
	asks(s, "/lib/libc.so", 5);
	take_none(s, ERR_GONE, "nothing");
	asks_no_more(s);
	place_search_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_named_file_alone_is_looked_into),
		cmocka_unit_test(a_variable_that_no_process_has_is_the_kernels),
		cmocka_unit_test(a_library_is_looked_for_by_its_name_where_it_is_mapped),
		cmocka_unit_test(what_a_program_is_about_to_map_is_looked_into_first_and_once),
		cmocka_unit_test(files_are_looked_through_in_the_order_of_their_maps),
		cmocka_unit_test(libraries_are_looked_through_as_the_linker_does),
		cmocka_unit_test(a_probe_is_put_once_into_a_file_that_several_map),
		cmocka_unit_test(a_pattern_may_fit_in_every_file),
		cmocka_unit_test(a_variable_has_an_address_in_each_process),
		cmocka_unit_test(the_length_of_a_breakpoint_is_the_users_or_the_variables),
		cmocka_unit_test(two_variables_of_one_name_are_refused),
		cmocka_unit_test(the_most_telling_reason_is_told),
		cmocka_unit_test(an_offset_beyond_the_function_is_refused),
		cmocka_unit_test(an_offset_without_a_name_is_asked_for_as_it_is),
		cmocka_unit_test(more_places_than_can_be_opened_are_refused),
		cmocka_unit_test(a_kernel_function_is_probed_by_name_unless_others_have_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
