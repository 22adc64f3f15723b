/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples told apart by a field of their payload: which field, what its values are called. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "profile/count/split.h"
#include "tests/asserts.h"
#include "tests/skip.h"

enum { EVENT = 2, VALUES_MAX = 1 << 16 };

static const char event[] = "signal:it:u";

static const char format[] = "name: it\nID: 316\nformat:\n"
			     "\tfield:int sig;\toffset:8;\tsize:4;\tsigned:1;\n"
			     "\tfield:char comm[8];\toffset:12;\tsize:8;\tsigned:0;\n"
			     "\tfield:int code;\toffset:20;\tsize:4;\tsigned:1;\n";

/* As perf keeps them: see payload.h. */
static struct payload_formats *
formats_of(const char *text)
{
	static const char head[] = "\27\10\104tracing0.6\0\0\10\0\20\0\0header_page\0\0\0\0\0\0\0\0\0"
				   "header_event\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0signal\0\1\0\0";
	char bytes[1024];
	uint64_t len = strlen(text);
	size_t at = sizeof(head);

	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + at, &len, sizeof(len));
	memcpy(bytes + at + sizeof(len), text, len);
	return payload_formats_new((struct bytes){ (const uint8_t *)bytes,
						   at + sizeof(len) + len });
}

static struct payload_formats *
make_formats(void)
{
	return formats_of(format);
}

static const char *
value(struct split *s, struct strs *strs, int sig, const char *comm, int code)
{
	static uint8_t raw[24];
	struct record_sample sample = { .raw = { raw, sizeof(raw) } };

	memcpy(raw + 8, &sig, sizeof(sig));
	snprintf((char *)raw + 12, 8, "%s", comm);
	memcpy(raw + 20, &code, sizeof(code));
	return strs_get(strs, split_field(s, EVENT, event, &sample, strs));
}

static void
an_event_is_told_apart_by_what_tells_most_or_what_is_asked_for(void **state)
{
	struct strs strs = { 0 };
	struct split s;
	const char *names[4];
	uint32_t turn;
	uint8_t of;

	(void)state;
	split_init(&s, NULL);
	assert_int_equal(split_asks(&s, EVENT, event), 0);
	assert_string_equal(value(&s, &strs, 15, "sh", 1), "");
	split_adopt(&s, EVENT, event, make_formats());
	of = split_asks(&s, EVENT, event);
	assert_that(of, >, 0);
	assert_string_equal(split_name(&s, EVENT), "sig");
	assert_string_equal(value(&s, &strs, 15, "sh", 1), "SIGTERM");
	turn = s.turn;
	split_choose(&s, "comm");
	assert_that(s.turn, !=, turn);
	assert_int_equal(split_asked(&s, EVENT), 0); /* it was not asked yet */
	assert_that(split_asks(&s, EVENT, event), !=, of);
	assert_string_equal(value(&s, &strs, 15, "sh", 1), "sh");
	assert_string_equal(value(&s, &strs, 9, "sh", 2), "sh");
	split_choose(&s, "code");
	assert_string_equal(value(&s, &strs, 15, "sh", 7), "7");
	split_choose(&s, "none");
	assert_int_equal(split_asks(&s, EVENT, event), 0);
	assert_string_equal(value(&s, &strs, 15, "sh", 7), "");
	split_choose(&s, "");
	assert_int_equal(split_asks(&s, EVENT, event), of);
	/* Of the same event they are the same: names that were told of stay. */
	assert_int_equal(split_fields(&s, EVENT, event, names, 4), 3);
	split_adopt(&s, EVENT, event, make_formats());
	assert_string_equal(names[2], "code");
	assert_int_equal(split_fields(&s, EVENT + 1, event, names, 4), 0);
	assert_false(split_has_syscall(&s, EVENT, event));
	split_release(&s);
	strs_release(&strs);
}

/* Whoever sends them: numbers, or texts. */
static void
too_many_values_are_one(void **state)
{
	struct strs strs = { 0 };
	struct split s;
	char comm[8];

	(void)state;
	split_init(&s, make_formats());
	split_choose(&s, "comm");
	for (int i = 0; i < VALUES_MAX; i++) {
		snprintf(comm, sizeof(comm), "%d", i);
		assert_string_equal(value(&s, &strs, 1, comm, 0), comm);
	}
	assert_string_equal(value(&s, &strs, 1, "77777", 0), "[other]");
	assert_string_equal(value(&s, &strs, 1, "7", 0), "7");
	split_choose(&s, "code");
	assert_string_equal(value(&s, &strs, 1, "7", 8), "[other]");
	assert_that(strs.len, <, VALUES_MAX + 8);
	split_release(&s);
	strs_release(&strs);
}

static void
long_texts_are_cut_between_characters(void **state)
{
	static const char wide[] = "name: it\nID: 316\nformat:\n"
				   "\tfield:char text[300];\toffset:8;\tsize:300;\tsigned:0;\n";
	uint8_t raw[308] = { [8] = 'x' };
	const struct record_sample sample = { .raw = { raw, sizeof(raw) } };
	struct strs strs = { 0 };
	struct split s;
	const char *text;

	(void)state;
	for (size_t at = 9; at + 2 <= sizeof(raw); at += 2)
		memcpy(raw + at, "\xc3\xa9", 2);
	split_init(&s, formats_of(wide));
	split_choose(&s, "text");
	text = strs_get(&strs, split_field(&s, EVENT, event, &sample, &strs));
	assert_int_equal(strlen(text), 255);
	assert_string_equal(text + 253, "\xc3\xa9");
	split_release(&s);
	strs_release(&strs);
}

/* What a function was called with is in registers, where the machine's convention has it. */
static void
arguments_in_registers_are_fields(void **state)
{
	uint64_t mask = call_args_mask(), words[64], args[CALL_ARGS];
	struct record_sample sample = { .regs_user = { PERF_SAMPLE_REGS_ABI_64, mask, words } };
	struct strs strs = { 0 };
	const char *names[8];
	struct bytes raw;
	struct split s;

	(void)state;
	if (mask == 0)
		skip_for("this machine's registers are not known");
	for (size_t i = 0; i < 64; i++)
		words[i] = UINT64_C(0x7f0000001000);
	split_init(&s, NULL);
	split_adopt(&s, EVENT, CALL_ARGS_EVENT, call_args_formats(NULL));
	assert_int_equal(split_fields(&s, EVENT, "uprobe:f", names, 8), CALL_ARGS);
	assert_string_equal(names[0], "arg1");
	/* None of them tells most. */
	assert_int_equal(split_asks(&s, EVENT, "uprobe:f"), 0);
	split_choose(&s, "arg1");
	assert_int_not_equal(split_asks(&s, EVENT, "uprobe:f"), 0);
	assert_true(split_is_plain(&s, EVENT));
	assert_string_equal(strs_get(&strs, split_field(&s, EVENT, "uprobe:f", &sample, &strs)),
			    "0x7f0000001000");
	for (size_t i = 0; i < 64; i++)
		words[i] = (uint64_t)-1;
	assert_string_equal(strs_get(&strs, split_field(&s, EVENT, "uprobe:f", &sample, &strs)), "-1");
	raw = split_payload(&s, EVENT, &sample, args);
	assert_int_equal(raw.len, sizeof(args));
	/* Of another event they are none; a 32-bit program has them on its stack. */
	assert_int_equal(split_payload(&s, EVENT + 1, &sample, args).len, 0);
	sample.regs_user.abi = PERF_SAMPLE_REGS_ABI_32;
	assert_int_equal(split_payload(&s, EVENT, &sample, args).len, 0);
	sample.regs_user.abi = PERF_SAMPLE_REGS_ABI_64;
	sample.regs_user.mask &= mask - 1;
	assert_int_equal(split_payload(&s, EVENT, &sample, args).len, 0);
	split_release(&s);
	strs_release(&strs);
}

/* As far as debug data tell; what is behind the function's own is none. */
static void
arguments_have_the_names_and_sizes_that_are_known_of_them(void **state)
{
	const struct arguments known = {
		.items = { { "dev", 8, false, true }, { "", 0, false, false },
			   { "step", 1, true, false }, { "size", 4, false, false } },
		.count = 4,
	};
	uint64_t mask = call_args_mask(), args[CALL_ARGS] = {
		0x1000, 77, 0xffffff00000000fe, 0xffffffff00000040, 5, 6 };
	const struct bytes raw = { (const uint8_t *)args, sizeof(args) };
	static const char *const values[][2] = {
		{ "dev", "0x1000" }, { "arg1", "0x1000" }, { "arg2", "77" }, { "step", "-2" },
		{ "size", "64" }, { "arg4", "64" }, { "arg5", "" },
	};
	const char *names[8];
	struct split s;

	(void)state;
	if (mask == 0)
		skip_for("this machine's registers are not known");
	split_init(&s, NULL);
	split_adopt(&s, EVENT, CALL_ARGS_EVENT, call_args_formats(&known));
	assert_int_equal(split_fields(&s, EVENT, "uprobe:f", names, 8), 4);
	assert_string_equal(names[0], "dev");
	assert_string_equal(names[1], "arg2");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct buf b = { 0 };

		split_put(&s, EVENT, "uprobe:f", values[i][0], raw, &b);
		assert_string_equal(buf_str(&b), values[i][1]);
		buf_release(&b);
	}
	split_choose(&s, "arg4");
	assert_int_not_equal(split_asks(&s, EVENT, "uprobe:f"), 0);
	assert_true(split_is_plain(&s, EVENT));
	split_release(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_is_told_apart_by_what_tells_most_or_what_is_asked_for),
		cmocka_unit_test(too_many_values_are_one),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(arguments_in_registers_are_fields),
		cmocka_unit_test(arguments_have_the_names_and_sizes_that_are_known_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
