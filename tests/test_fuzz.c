/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fuzzing found once, and what it began with: each input must be read to its end.  Under the
 * sanitizers this is where a mistake shows.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/file.h"
#include "fuzz/fuzz.h"
#include "tests/asserts.h"
#include "tests/skip.h"

enum { FILE_MAX = 16 << 20, CPU_S_MAX = 2 };

static double
cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static size_t
replay(const char *folder, int (*target)(const uint8_t *data, size_t size))
{
	struct buf path = { 0 }, bytes = { 0 };
	DIR *d = opendir(folder);
	struct dirent *e;
	double began_s;
	size_t n = 0;

	while (d != NULL && (e = readdir(d)) != NULL) {
		buf_reset(&path);
		buf_reset(&bytes);
		buf_addf(&path, "%s/%s", folder, e->d_name);
		if (*e->d_name == '.' || file_read(buf_str(&path), &bytes, FILE_MAX) != 0)
			continue;
		began_s = cpu_s();
		target((const uint8_t *)buf_str(&bytes), bytes.len);
		if (cpu_s() > began_s + CPU_S_MAX)
			fail_msg("%s takes %.1f s", buf_str(&path), cpu_s() - began_s);
		n++;
	}
	if (d != NULL)
		closedir(d);
	buf_release(&path);
	buf_release(&bytes);
	return n;
}

static size_t
replay_corpus(const char *name, int (*target)(const uint8_t *data, size_t size))
{
	const char *top = getenv("top_srcdir");
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/tests/data/fuzz/%s", top != NULL ? top : ".", name);
	return replay(folder, target);
}

static void
code_is_listed_and_answers_are_read_to_their_end(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("listing", fuzz_listing), 0);
}

static void
files_of_jit_compilers_are_read_to_their_end(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("jit", fuzz_jit), 0);
}

static void
build_ids_are_found_or_not(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("build_id", fuzz_build_id), 0);
}

static void
recordings_are_read_to_their_end(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("datafile", fuzz_datafile), 0);
}

static void
feature_sections_are_read_to_their_end(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("feature", fuzz_feature), 0);
}

static void
records_are_decoded_or_refused(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("record", fuzz_record), 0);
}

static void
any_times_and_lengths_are_read_to_an_end(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("replay", fuzz_replay), 0);
}

static void
payloads_are_read_within_their_bounds(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("payload", fuzz_payload), 0);
}

static void
events_are_parsed_or_refused(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("event", fuzz_event), 0);
}

static void
lists_of_the_kernel_become_whole_images(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("kallsyms", fuzz_kallsyms), 0);
}

static void
call_frame_information_becomes_good_rules_or_none(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("cfi", fuzz_cfi), 0);
}

static void
stacks_are_unwound_to_an_end(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("unwind", fuzz_unwind), 0);
}

/* Begins with files that are made here, and what was found in such. */
static void
files_with_symbols_are_read_to_their_end(void **state)
{
	const char *top = getenv("top_srcdir");
	char folder[] = "/tmp/ptop-fuzz-XXXXXX", line[4096 + 64];
	size_t made;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(line, sizeof(line), "'%s/tests/fuzz/elf-seeds' %s", top != NULL ? top : ".",
		 folder);
	if (system(line) != 0)
		print_message("# not all files could be made\n");
	made = replay(folder, fuzz_elf);
	snprintf(line, sizeof(line), "rm -rf %s", folder);
	assert_int_equal(system(line), 0);
	replay_corpus("elf", fuzz_elf);
	if (made == 0)
		skip_for("no compiler makes files here");
	assert_that(made, >=, 8);
}

static void
requests_and_messages_are_taken_or_refused(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("serve", fuzz_serve), 0);
}

static void
answers_of_stores_are_taken_to_their_end(void **state)
{
	(void)state;
	/* Again: nothing of the answer before may be left, whichever that was. */
	assert_int_not_equal(replay_corpus("push", fuzz_push), 0);
	assert_int_not_equal(replay_corpus("push", fuzz_push), 0);
}

static void
feeds_of_hosts_are_taken_or_refused(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("hostfeed", fuzz_hostfeed), 0);
}

static void
bytes_of_the_terminal_come_to_rest(void **state)
{
	(void)state;
	assert_int_not_equal(replay_corpus("input", fuzz_input), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_listed_and_answers_are_read_to_their_end),
		cmocka_unit_test(files_of_jit_compilers_are_read_to_their_end),
		cmocka_unit_test(build_ids_are_found_or_not),
		cmocka_unit_test(recordings_are_read_to_their_end),
		cmocka_unit_test(feature_sections_are_read_to_their_end),
		cmocka_unit_test(records_are_decoded_or_refused),
		cmocka_unit_test(any_times_and_lengths_are_read_to_an_end),
		cmocka_unit_test(payloads_are_read_within_their_bounds),
		cmocka_unit_test(events_are_parsed_or_refused),
		cmocka_unit_test(files_with_symbols_are_read_to_their_end),
		cmocka_unit_test(lists_of_the_kernel_become_whole_images),
		cmocka_unit_test(call_frame_information_becomes_good_rules_or_none),
		cmocka_unit_test(stacks_are_unwound_to_an_end),
		cmocka_unit_test(requests_and_messages_are_taken_or_refused),
		cmocka_unit_test(answers_of_stores_are_taken_to_their_end),
		cmocka_unit_test(feeds_of_hosts_are_taken_or_refused),
		cmocka_unit_test(bytes_of_the_terminal_come_to_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
