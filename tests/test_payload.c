/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints' payloads, by the formats of a recording, of either byte order. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/payload.h"
#include "record/value_name.h"
#include "tests/asserts.h"
#include "tests/mapped.h"
#include "tests/run.h"

enum { ID = 316, ROOM = 4096 };

static const char text[] =
	"name: flood\nID: 316\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned short level;\toffset:20;\tsize:2;\tsigned:0;\n"
	"\tfield:u16 many[3];\toffset:22;\tsize:6;\tsigned:0;\n"
	"\tfield:const void * where;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc unsigned int[] deep;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"%s\", REC->comm\n";

struct tape {
	uint8_t bytes[ROOM];
	size_t len;
	bool is_swapped;
};

static void
put(struct tape *t, const void *data, size_t len)
{
	assert_that(len, <=, ROOM - t->len);
	memcpy(t->bytes + t->len, data, len);
	t->len += len;
}

static void
put_number(struct tape *t, uint64_t n, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		size_t at = t->is_swapped ? bytes - 1 - i : i;
		uint8_t byte = (uint8_t)(n >> 8 * at);

		put(t, &byte, 1);
	}
}

static void
put_formats(struct tape *t, const char *format)
{
	put(t, "\27\10\104tracing0.6", 14);
	put(t, t->is_swapped ? "\1\10" : "\0\10", 2);
	put_number(t, 4096, 4);
	put(t, "header_page", 12);
	put_number(t, 3, 8);
	put(t, "abc", 3);
	put(t, "header_event", 13);
	put_number(t, 0, 8);
	put_number(t, 1, 4);
	put_number(t, 2, 8);
	put(t, "xy", 2);
	put_number(t, 1, 4);
	put(t, "river", 6);
	put_number(t, 1, 4);
	put_number(t, strlen(format), 8);
	put(t, format, strlen(format));
}

static void
put_raw(struct tape *t)
{
	put_number(t, ID, 2);
	put_number(t, 0, 2);
	put_number(t, 77, 4);
	put(t, "b\033d\0xxxx", 8);
	put_number(t, (uint64_t)-500, 4);
	put_number(t, 65535, 2);
	put_number(t, 1, 2);
	put_number(t, 2, 2);
	put_number(t, 3, 2);
	put_number(t, 0, 4);
	put_number(t, 0xffff800000000010, 8);
	put_number(t, 48 | 5 << 16, 4);
	put_number(t, 8 | 8 << 16, 4); /* from 48 on */
	put(t, "/etc", 5);
	put(t, "\0\0\0", 3);
	put_number(t, 10, 4);
	put_number(t, 11, 4);
}

static void
assert_fields(bool is_swapped, const char *format, size_t raw_len, const char *wanted)
{
	struct tape formats = { .is_swapped = is_swapped }, raw = { .is_swapped = is_swapped };
	struct payload_formats *f;
	struct buf b = { 0 };

	put_formats(&formats, format);
	put_raw(&raw);
	f = payload_formats_new((struct bytes){ formats.bytes, formats.len });
	raw_len = raw_len < raw.len ? raw_len : raw.len;
	assert_true(payload_put(f, ID, (struct bytes){ raw.bytes, raw_len }, &b));
	assert_string_equal(buf_str(&b), wanted);
	assert_false(payload_put(f, ID + 1, (struct bytes){ raw.bytes, raw_len }, &b));
	buf_release(&b);
	payload_formats_free(f);
}

static void
fields_are_named_and_read(void **state)
{
	static const char wanted[] = "comm=\"b\\x1bd\" pid=-500 level=65535 many={1,2,3} "
				     "where=0xffff800000000010 path=\"/etc\" deep={10,11}";

	(void)state;
	assert_fields(false, text, SIZE_MAX, wanted);
	assert_fields(true, text, SIZE_MAX, wanted);
}

static void
what_is_not_there_is_empty(void **state)
{
	(void)state;
	assert_fields(false, text, 50, "comm=\"b\\x1bd\" pid=-500 level=65535 many={1,2,3} "
		      "where=0xffff800000000010 path=\"/e\"... deep={}");
	assert_fields(false, text, 10, "comm=\"\" pid= level= many={} where= path=\"\" deep={}");
}

static void
formats_that_make_no_sense_name_nothing(void **state)
{
	static const char odd[] = "\nID: 316\n"
				  "\tfield:;\toffset:8;\tsize:8;\n"
				  "\tfield:nothing\n"
				  "\tfield:int far;\toffset:4294967295;\tsize:4;\tsigned:1;\n"
				  "\tfield:int huge[9];\toffset:8;\tsize:4294967295;\tsigned:1;\n"
				  "\tfield:int odd;\toffset:16;\tsize:3;\tsigned:0;\n";

	(void)state;
	assert_fields(false, odd, SIZE_MAX, "far= huge={} odd=12");
}

/* Cut anywhere, there is the tracepoint or there is not. */
static void
cut_formats_end_in_order(void **state)
{
	struct tape t = { 0 };

	(void)state;
	put_formats(&t, text);
	for (size_t len = 0; len < t.len; len++) {
		struct payload_formats *f = payload_formats_new((struct bytes){ t.bytes, len });
		struct buf b = { 0 };

		assert_false(payload_put(f, ID, (struct bytes){ t.bytes, 8 }, &b));
		buf_release(&b);
		payload_formats_free(f);
	}
}

/* What the field @name of an event is called whose number, 4 bytes, is @value. */
static void
assert_value(const char *event, const char *print, const char *name, int32_t value,
	     const char *wanted)
{
	const char *colon = strchr(event, ':');
	struct payload_formats *f;
	const struct payload_field *field;
	struct tape formats = { 0 }, raw = { 0 };
	struct buf b = { 0 };
	char format[1024];
	int64_t number;

	snprintf(format, sizeof(format), "name: %s\nID: 316\nformat:\n"
		 "\tfield:int %s;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: %s\n", colon + 1,
		 name, print);
	put_formats(&formats, format);
	/* put_formats() says which group: as long as that. */
	assert_int_equal(colon - event, 5);
	for (size_t i = 0; i + 5 < formats.len; i++)
		if (memcmp(formats.bytes + i, "river", 6) == 0)
			memcpy(formats.bytes + i, event, 5);
	put_number(&raw, 0, 8);
	put_number(&raw, (uint32_t)value, 4);
	f = payload_formats_new((struct bytes){ formats.bytes, formats.len });
	field = payload_field(f, event, name);
	assert_non_null(field);
	assert_null(payload_field(f, event, "none"));
	assert_null(payload_field(f, "other:event", name));
	payload_field_put(field, (struct bytes){ raw.bytes, raw.len }, &b);
	assert_string_equal(buf_str(&b), wanted);
	assert_true(payload_field_number(field, (struct bytes){ raw.bytes, raw.len }, &number));
	assert_int_equal(number, value);
	assert_false(payload_field_number(field, (struct bytes){ raw.bytes, 10 }, &number));
	buf_release(&b);
	payload_formats_free(f);
}

static void
values_are_called_as_the_format_says(void **state)
{
	static const char vec[] = "\"vec=%u\", REC->vec, __print_symbolic(REC->vec, { 0, \"HI\" }, "
				  "{ 0x1, \"TIMER\" }, { (int)(1UL << 1), \"NET\" })";
	static const char flags[] =
		"\"%s\", (REC->flags & ((3 + 1) << 1)) ? __print_flags(REC->flags & (7), \"|\", "
		"{( unsigned long)((( gfp_t)((1UL) << (2))) | (2 & ~(( gfp_t)1))), \"BOTH\"}, "
		"{ 0x2, \"TWO\" }, { 8, \"EIGHT\" }) : \"none\"";

	(void)state;
	assert_value("riper:x", vec, "vec", 0, "HI");
	assert_value("riper:x", vec, "vec", 1, "TIMER");
	assert_value("riper:x", vec, "vec", 2, "NET");
	assert_value("riper:x", vec, "vec", 3, "3");
	assert_value("riper:x", vec, "ve", 1, "1");
	assert_value("riper:x", flags, "flags", 6, "BOTH");
	assert_value("riper:x", flags, "flags", 14, "BOTH|EIGHT");
	assert_value("riper:x", flags, "flags", 18, "TWO|0x10");
	assert_value("riper:x", flags, "flags", 0, "0");
	/* What is no constant, or cut, names what stands before it. */
	assert_value("riper:x", "__print_symbolic(REC->v, { 1, \"A\" }, { x, \"B\" }, { 2, \"C\" })",
		     "v", 1, "A");
	assert_value("riper:x", "__print_symbolic(REC->v, { 1, \"A", "v", 1, "1");
	assert_value("riper:x", "__print_flags(REC->v", "v", 1, "1");
	assert_value("riper:x", "__print_symbolic(REC->v, {((((((((((((((((((((((((((((((((((((((((1",
		     "v", 1, "1");
}

static void
known_fields_are_called_as_people_do(void **state)
{
	(void)state;
	assert_value("block:rq", "", "dev", 8 << 20 | 17, "8:17");
	assert_value("block:rq", "", "error", -5, "EIO");
	assert_value("block:rq", "", "error", 0, "0");
	assert_value("sched:sched_switch", "", "prev_state", 0, "R");
	assert_value("sched:sched_switch", "", "prev_state", 256, "R+");
	assert_value("block:rq", "", "sig", 15, "15");
	assert_value("timer:st", "", "function", -16, "0xfffffffffffffff0");
	assert_string_equal(syscall_name(SYS_openat, false), "openat");
	assert_string_equal(syscall_name(SYS_read, false), "read");
	assert_null(syscall_name(-1, false));
	assert_null(syscall_name(100000, false));
#if defined(__x86_64__)
	assert_string_equal(syscall_name(5, true), "open");
	assert_string_equal(syscall_name(0x40000000 + SYS_read, false), "read");
#endif
}

/* A name of this machine stands behind what the number is called anyway. */
static void
numbers_have_the_names_of_this_machine_too(void **state)
{
	struct tape formats = { 0 }, raw = { 0 };
	const struct payload_field *field;
	struct payload_formats *f;
	struct buf b = { 0 };
	const char *names[8];

	(void)state;
	put_formats(&formats, text);
	put_raw(&raw);
	f = payload_formats_new((struct bytes){ formats.bytes, formats.len });
	payload_formats_call(f, "level", 65535, "the \033top");
	payload_formats_call(f, "level", 1, "another");
	payload_formats_call(f, "pid", 65535, "another");
	field = payload_field(f, "river:flood", "level");
	assert_ptr_equal(payload_field(f, "river:flood:u", "level"), field);
	payload_field_put(field, (struct bytes){ raw.bytes, raw.len }, &b);
	assert_string_equal(buf_str(&b), "65535 the \\x1btop");
	assert_int_equal(payload_fields(f, "river:flood:u", names, 8), 7);
	assert_string_equal(names[0], "comm");
	assert_string_equal(names[6], "deep");
	assert_int_equal(payload_fields(f, "river:flood", names, 2), 2);
	assert_int_equal(payload_fields(f, "river:other", names, 8), 0);
	buf_release(&b);
	payload_formats_free(f);
}

static void
assert_text(struct payload_formats *f, uint64_t where, size_t raw_len, const char *wanted)
{
	struct tape raw = { 0 };
	struct buf b = { 0 };

	put_number(&raw, 0, 8);
	put_number(&raw, 0xffff800000000010, 8);
	put_number(&raw, 0x7f0000001000, 8);
	put_number(&raw, where, 4);
	put(&raw, "/e\033c", 5);
	raw_len = raw_len < raw.len ? raw_len : raw.len;
	payload_field_put(payload_field(f, "river:f", "path"), (struct bytes){ raw.bytes, raw_len },
			  &b);
	assert_string_equal(buf_str(&b), wanted);
	buf_release(&b);
}

/*
 * A probe's fields are its function's arguments; a text that it could not read has no bytes at all: it is
 * not empty, nor cut off.
 */
static void
arguments_of_probes_have_two_names_and_texts_that_may_not_be_there(void **state)
{
	static const char probe[] =
		"name: f\nID: 316\nformat:\n"
		"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 where;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:s64 arg2;\toffset:16;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc char[] path;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\nprint fmt: \"\"\n";
	static const struct argument known[] = {
		{ "where", 8, false, true, false }, { "", 0, false, false, false },
		{ "path", 8, false, true, true },
	};
	const uint8_t bytes[24] = { [16] = 0x10, [21] = 0x7f };
	struct tape formats = { 0 };
	struct payload_formats *f;
	const char *names[8];
	struct buf b = { 0 };

	(void)state;
	put_formats(&formats, probe);
	f = payload_formats_new((struct bytes){ formats.bytes, formats.len });
	payload_formats_know(f, known, ARRAY_SIZE(known));
	assert_int_equal(payload_fields(f, "river:f", names, 8), 3);
	assert_string_equal(names[0], "where");
	assert_string_equal(payload_text_field(f, "river:f"), "path");
	assert_null(payload_text_field(f, "river:g"));
	payload_field_put(payload_field(f, "river:f", "arg1"), (struct bytes){ bytes, 24 }, &b);
	buf_add_char(&b, ' ');
	payload_field_put(payload_field(f, "river:f", "arg2"), (struct bytes){ bytes, 24 }, &b);
	assert_string_equal(buf_str(&b), "0x7f0000000010 0x7f0000000010");
	assert_ptr_equal(payload_field(f, "river:f", "path"), payload_field(f, "river:f", "arg3"));
	assert_text(f, 28 | 5 << 16, SIZE_MAX, "/e\\x1bc");
	assert_text(f, 28 | 4 << 16, SIZE_MAX, "/e\\x1bc"); /* all of its room, no NUL behind it */
	assert_text(f, 28 | 5 << 16, 30, "/e...");
	assert_text(f, 28 | 5 << 16, 28, "...");
	assert_text(f, 28 | 5 << 16, 26, "");
	assert_text(f, 28 | 9 << 16, SIZE_MAX, "/e\\x1bc"); /* its end is there, its room is not */
	assert_text(f, 32 | 1 << 16, SIZE_MAX, "\"\"");
	assert_text(f, 28, SIZE_MAX, "(fault)");
	buf_release(&b);
	payload_formats_free(f);
}

static void
the_field_that_tells_most_is_known(void **state)
{
	(void)state;
	assert_string_equal(value_field("raw_syscalls:sys_enter", 0), "id");
	assert_string_equal(value_field("signal:signal_generate:u", 0), "sig");
	assert_string_equal(value_field("sched:sched_switch", 0), "prev_state");
	assert_string_equal(value_field("sched:sched_switch:k", 0), "prev_state");
	assert_string_equal(value_field("sched:sched_process_exec:u", 0), "filename");
	assert_string_equal(value_field("sched:sched_process_fork:u", 0), "child_comm");
	assert_string_equal(value_field("kmem:kmalloc", 0), "name");
	assert_string_equal(value_field("kmem:kmalloc", 1), "call_site");
	assert_string_equal(value_field("ext4:ext4_da_write_begin", 0), "dev");
	assert_null(value_field("ext4:ext4_da_write_begin", 1));
}

static void
use_formats(const struct tape *formats)
{
	struct payload_formats *f;

	f = payload_formats_new((struct bytes){ formats->bytes, formats->len });
	payload_formats_call(f, "level", 1, "low");
	assert_non_null(payload_field(f, "river:flood", "level"));
	payload_formats_free(f);
}

/* A field may be chosen as often as one likes. */
static void
formats_that_are_freed_keep_no_memory(void **state)
{
	enum { TIMES = 40000, LIMIT = 1 << 20 };
	struct tape formats = { 0 };
	long before;

	(void)state;
	need_mapped_bytes();
	put_formats(&formats, text);
	use_formats(&formats);
	before = mapped_bytes();
	for (int i = 0; i < TIMES; i++)
		use_formats(&formats);
	assert_that(mapped_bytes() - before, <, LIMIT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_named_and_read),
		cmocka_unit_test(what_is_not_there_is_empty),
		cmocka_unit_test(formats_that_make_no_sense_name_nothing),
		cmocka_unit_test(cut_formats_end_in_order),
		cmocka_unit_test(values_are_called_as_the_format_says),
		cmocka_unit_test(known_fields_are_called_as_people_do),
		cmocka_unit_test(numbers_have_the_names_of_this_machine_too),
		cmocka_unit_test(arguments_of_probes_have_two_names_and_texts_that_may_not_be_there),
		cmocka_unit_test(the_field_that_tells_most_is_known),
		cmocka_unit_test(formats_that_are_freed_keep_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
