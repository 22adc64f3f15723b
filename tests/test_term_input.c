/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the terminal sends becomes keys, and reports of the mouse: whole, in pieces, or broken. */
#include "base/clock.h"
#include "ui/keys.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/asserts.h"
#include "tests/sent.h"

enum { RANDOM_CHUNKS = 100000, CHUNK_MAX = 12, LONG = 100000 };

#define QUIET_NS (3 * NSEC_PER_SEC)  /* all that is begun is given up */
#define GAP_NS (8 * NSEC_PER_MSEC)   /* between bytes of one sequence */
#define LATE_NS (100 * NSEC_PER_MSEC) /* what is no report is given up */
#define FALTER_NS (2900 * NSEC_PER_MSEC) /* a paste goes on */

static const struct {
	const char *bytes, *events; /* after it was quiet */
} rows[] = {
	{ "q", "q" },
	{ "jjq", "j j q" },
	{ "\033", "Esc" },
	{ "\033i", "Esc i" },
	{ "\033\033", "Esc Esc" },
	{ "\033\033[A", "Esc Up" },
	{ "\r\n\t\010\177", "Enter Enter Tab Backspace Backspace" },
	{ "\001\032", "^A ^Z" },
	{ " ", "Space" },
	{ "\033[A\033[B\033OC\033OD", "Up Down Right Left" },
	{ "\033[H\033[F\033[1~\033[4~\033OH\033[8~", "Home End Home End Home End" },
	{ "\033[2~\033[3~\033[5~\033[6~\033[Z", "Insert Delete PgUp PgDn Shift-Tab" },
	{ "\033OP\033OQ\033OR\033OS", "F1 F2 F3 F4" },
	{ "\033[11~\033[12~\033[13~\033[14~\033[15~\033[17~", "F1 F2 F3 F4 F5 F6" },
	{ "\033[18~\033[19~\033[20~\033[21~\033[23~\033[24~", "F7 F8 F9 F10 F11 F12" },
	/* characters */
	{ "\xc3\xa9", "U+00E9" },
	{ "\xe6\xbc\xa2q", "U+6F22 q" },
	{ "\xf0\x9f\x98\x80", "U+1F600" },
	{ "\xc3q", "unknown q" },
	{ "\xffq", "unknown q" },
	{ "\xe6\xbc", "unknown" },
	{ "\xed\xa0\x80q", "unknown unknown unknown q" },
	/* keys that have no name, and answers of terminals */
	{ "\033[1;5Aq", "unknown q" },
	{ "\033[1;2Pq", "unknown q" },
	{ "\033[27;5;9~q", "unknown q" },
	{ "\033[?77;99$q\033Op", "unknown unknown" },
	{ "\033O5Pq", "unknown q" },
	{ "\033[[Aq", "unknown q" },
	{ "\033[I\033[O\033[201~", "" },
	/* answers that are strings, up to ST or BEL; or a key behind Esc */
	{ "\033P>|quit 1.2\033\\j", "j" },
	{ "\033]11;rgb:0/0/0\033\\j\033]52;c;cXE=\007k", "j k" },
	{ "\033_Gi=1;q\033\\\033^q\033\\\033Xq\033\\j", "j" },
	{ "\033P", "Esc P" },
	{ "\033]", "Esc ]" },
	{ "\033P\033P", "Esc P Esc P" },
	{ "\033_\rq", "Esc _ Enter q" },
	{ "\033P1q\rq", "Enter q" },
	{ "\033P1q\033[Aq", "Up q" },
	{ "\033P1q\033", "Esc" },
	{ "\033P1q", "" },
	/* pastes are text */
	{ "\033[200~hi\033[201~q", "'h 'i q" },
	{ "\033[200~a\nb\r\n\r\n\tc\n\033[201~\r", "'a 'Space 'b 'Space 'c Enter" },
	{ "\033[200~\001\003\177\033x\xc2\x9b\xff\xc3\xa9\033[201~q", "'x 'U+00E9 q" },
	{ "\033[200~\033[Aq\033[201~", "'[ 'A 'q" },
	{ "\033[200~\033[200~q\033[201~q", "'[ '2 '0 '0 '~ 'q q" },
	{ "\033[200~a\n", "'a" },
	{ "\033[200~a\xc3", "'a" },
	{ "\033[200~x\033\033\033[20~k\ry\033\033[201~q", "'x '[ '2 '0 '~ 'k 'Space 'y q" },
	{ "\033[200~a\033", "'a" },
	{ "\033[200~a\033\033q", "'a 'q" },
	{ "\033[200~a\n\033[20", "'a" },
	/* broken, or not ended */
	{ "\033[", "unknown" },
	{ "\033O", "unknown" },
	{ "\033[1;", "unknown" },
	{ "\033[[", "unknown" },
	{ "\033[3$", "unknown" },
	{ "\033[\033[A", "unknown Up" },
	{ "\033[1;\rq", "unknown Enter q" },
	{ "\033[1\xc3\xa9", "unknown U+00E9" },
	/* the mouse */
	{ "\033[<0;41;5M\033[<0;41;5m", "click@40,4 release@40,4" },
	{ "\033[<2;1;1M\033[<2;1;1m", "right@0,0" },
	{ "\033[<64;7;8M\033[<65;7;8M", "up@6,7 down@6,7" },
	{ "\033[<35;3;4M\033[<32;5;6M", "hover@2,3 hover@4,5" },
	{ "\033[<16;2;2M\033[<4;3;3M", "click@1,1 click@2,2" },
	{ "\033[<1;2;2M\033[<66;2;2M\033[<128;2;2M", "" },
	{ "\033[<64;2;2m", "" },
	{ "\033[<0;0;0M", "click@0,0" },
	{ "\033[<0;99999999999999999999;5M", "click@9998,4" },
	{ "\033[<0;1M\033[<0;1;2;3M\033[<Mq", "q" },
	{ "\033[<0;1", "" },
	{ "\033[<0;1q", "q" },
	{ "\033[<0;1\033", "Esc" },
	{ "\033[<0;1\033[<0;3;3M", "click@2,2" },
	{ "\033[M !!\033[M#!!", "click@0,0 release@0,0" },
	{ "\033[M\"\"#\033[M`!!\033[Ma!!\033[MC!!", "right@1,2 up@0,0 down@0,0 hover@0,0" },
	{ "\033[M \xff\xff", "click@222,222" },
	{ "\033[M\rq", "Enter q" },
	{ "\033[M !\033[A", "Up" },
	{ "\033[M !", "" },
};

static void
note(struct sent *t, const struct term_event *ev)
{
	static const struct {
		int key;
		const char *name;
	} mouse[] = {
		{ KEYCODE_CLICK, "click" }, { KEYCODE_RELEASE, "release" }, { KEYCODE_RIGHT_CLICK, "right" },
		{ KEYCODE_HOVER, "hover" }, { KEYCODE_WHEEL_UP, "up" }, { KEYCODE_WHEEL_DOWN, "down" },
	};

	assert_that(ev->key, >, 0);
	assert_that(ev->key, <=, KEYCODE_OTHER);
	assert_in_range(ev->x, 0, 9998);
	assert_in_range(ev->y, 0, 9998);
	if (t->names.len > 0)
		buf_add_char(&t->names, ' ');
	if (ev->is_pasted)
		buf_add_char(&t->names, '\'');
	for (size_t i = 0; i < ARRAY_SIZE(mouse); i++) {
		if (mouse[i].key == ev->key) {
			buf_addf(&t->names, "%s@%d,%d", mouse[i].name, ev->x, ev->y);
			return;
		}
	}
	key_put_name(&t->names, ev->key);
}

static void
put(struct sent *t, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sent_put(t, (unsigned char)bytes[i]);
}

static void
starts(struct sent *t, bool has_mouse)
{
	buf_release(&t->names);
	*t = (struct sent){ .now_ns = QUIET_NS, .note = note };
	term_input_begin(&t->in, has_mouse);
}

/* All that was begun is over, and nothing of it is left: the next key is that key. */
static void
comes_to_rest(struct sent *t)
{
	sent_pass(t, QUIET_NS);
	assert_int_equal(term_input_until_ns(&t->in), 0);
	buf_reset(&t->names);
	put(t, "q", 1);
	assert_string_equal(buf_str(&t->names), "q");
}

static void
each_row_becomes_its_events(void **state)
{
	struct sent t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		starts(&t, true);
		put(&t, rows[i].bytes, strlen(rows[i].bytes));
		sent_pass(&t, QUIET_NS);
		assert_string_equal(buf_str(&t.names), rows[i].events);
		assert_int_equal(term_input_until_ns(&t.in), 0);
	}
	buf_release(&t.names);
}

static void
bytes_that_come_one_at_a_time_are_the_same(void **state)
{
	struct sent t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		starts(&t, true);
		for (const char *p = rows[i].bytes; *p != '\0'; p++) {
			put(&t, p, 1);
			sent_pass(&t, GAP_NS);
		}
		sent_pass(&t, QUIET_NS);
		assert_string_equal(buf_str(&t.names), rows[i].events);
	}
	buf_release(&t.names);
}

static void
after_half_a_sequence_the_next_key_is_a_key(void **state)
{
	struct sent t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t len = 1; len <= strlen(rows[i].bytes); len++) {
			starts(&t, true);
			put(&t, rows[i].bytes, len);
			comes_to_rest(&t);
		}
	}
	buf_release(&t.names);
}

static void
half_a_sequence_is_given_up_as_soon_as_escape(void **state)
{
	static const char *const halves[] = {
		"\033", "\033[", "\033[1;5", "\033O", "\xc3", "\033P", "\033]",
	};
	struct sent t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(halves); i++) {
		starts(&t, true);
		put(&t, halves[i], strlen(halves[i]));
		assert_int_equal(t.names.len, 0);
		assert_that(term_input_until_ns(&t.in), >, t.now_ns + GAP_NS);
		assert_that(term_input_until_ns(&t.in), <=, t.now_ns + 10 * NSEC_PER_MSEC);
		sent_pass(&t, 10 * NSEC_PER_MSEC);
		assert_int_not_equal(t.names.len, 0);
		assert_int_equal(term_input_until_ns(&t.in), 0);
	}
	buf_release(&t.names);
}

/* Lines cut bursts of reports: their digits are not keys, nor is the M, which has a menu. */
static void
a_report_in_two_pieces_is_whole(void **state)
{
	static const char *const reports[] = { "\033[<0;41;5M", "\033[M H$" };
	struct sent t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reports); i++) {
		for (size_t len = 3; len < strlen(reports[i]); len++) {
			starts(&t, true);
			put(&t, reports[i], len);
			sent_pass(&t, LATE_NS);
			put(&t, reports[i] + len, strlen(reports[i]) - len);
			assert_string_equal(buf_str(&t.names), i == 0 ? "click@40,4" : "click@39,3");
		}
	}
	starts(&t, true);
	put(&t, reports[0], 6);
	sent_pass(&t, LATE_NS);
	put(&t, "\033", 1);
	sent_pass(&t, LATE_NS);
	put(&t, "5M", 2);
	assert_string_equal(buf_str(&t.names), "Esc 5 M");
	buf_release(&t.names);
}

/* Their NUL stands for what is beyond column 223. */
static void
a_place_too_far_for_an_older_report_is_none(void **state)
{
	struct sent t = { 0 };

	(void)state;
	starts(&t, true);
	put(&t, "\033[M \0!q\033[M !\0\033[M\0q", 18);
	sent_pass(&t, LATE_NS);
	assert_string_equal(buf_str(&t.names), "q unknown q");
	buf_release(&t.names);
}

static void
a_sequence_without_an_end_is_dropped(void **state)
{
	struct sent t = { 0 };

	(void)state;
	for (int mouse = 0; mouse < 2; mouse++) {
		const char *none = mouse ? "" : "unknown", *then = mouse ? "q" : "unknown q";

		for (int ended = 0; ended < 2; ended++) {
			starts(&t, true);
			put(&t, mouse ? "\033[<" : "\033[", mouse ? 3 : 2);
			for (int i = 0; i < LONG; i++)
				put(&t, "0", 1);
			assert_string_equal(buf_str(&t.names), none);
			if (ended)
				put(&t, "M", 1);
			else
				sent_pass(&t, LATE_NS);
			put(&t, "q", 1);
			assert_string_equal(buf_str(&t.names), then);
		}
	}
	buf_release(&t.names);
}

/* Of a paste, or an answer, that has not ended what is typed is text, or is lost, until it is quiet. */
static void
what_does_not_end_swallows_no_keys_for_ever(void **state)
{
	static const char *const begun[] = { "\033[200~", "\033P1" };
	struct sent t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(begun); i++) {
		starts(&t, true);
		put(&t, begun[i], strlen(begun[i]));
		for (int k = 0; k < LONG; k++) {
			put(&t, "a", 1);
			assert_int_equal(t.in.len, 0);
		}
		assert_int_not_equal(term_input_until_ns(&t.in), 0);
		comes_to_rest(&t);
		put(&t, begun[i], strlen(begun[i]));
		term_input_forget(&t.in);
		assert_int_equal(term_input_until_ns(&t.in), 0);
		comes_to_rest(&t);
	}
	buf_release(&t.names);
}

/* Lines cut pastes and answers anywhere, too. */
static void
a_paste_or_an_answer_in_pieces_is_whole(void **state)
{
	static const struct {
		const char *bytes, *events;
		size_t whole; /* from so many bytes on it is waited for */
	} pieces[] = {
		{ "\033[200~a\nq\033[201~", "'a 'Space 'q", 6 },
		{ "\033P>|q\033\\", "", 3 },
	};
	struct sent t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		const char *bytes = pieces[i].bytes;

		for (size_t len = pieces[i].whole; len < strlen(bytes); len++) {
			starts(&t, true);
			put(&t, bytes, len);
			sent_pass(&t, LATE_NS);
			put(&t, bytes + len, strlen(bytes) - len);
			assert_string_equal(buf_str(&t.names), pieces[i].events);
			assert_int_equal(term_input_until_ns(&t.in), 0);
		}
	}
	buf_release(&t.names);
}

/* Its rest would be keys, of which some send signals. */
static void
a_paste_that_falters_is_still_one(void **state)
{
	static const char bytes[] = "\033[200~a\033\033q\033[201~";
	struct sent t = { 0 };

	(void)state;
	starts(&t, true);
	for (size_t i = 0; i < strlen(bytes); i++) {
		put(&t, bytes + i, 1);
		if (t.in.is_pasting)
			sent_pass(&t, FALTER_NS);
	}
	put(&t, "q", 1);
	assert_string_equal(buf_str(&t.names), "'a 'q q");
	buf_release(&t.names);
}

static void
a_terminal_without_a_mouse_has_no_reports(void **state)
{
	struct sent t = { 0 };

	(void)state;
	starts(&t, false);
	put(&t, "\033[<0;1;1Mq\033[Mq", 14);
	assert_string_equal(buf_str(&t.names), "unknown q unknown q");
	put(&t, "\033[<0;1", 6);
	sent_pass(&t, LATE_NS);
	assert_string_equal(buf_str(&t.names), "unknown q unknown q unknown");
	buf_release(&t.names);
}

static void
strings_of_the_terminal_are_keys(void **state)
{
	struct sent t = { 0 };

	(void)state;
	starts(&t, true);
	term_input_add_string(&t.in, "\001A\r", KEYCODE_F1);
	term_input_add_string(&t.in, "\001A", KEYCODE_UP);
	term_input_add_string(&t.in, "\033?x", KEYCODE_END);
	term_input_add_string(&t.in, "\177", KEYCODE_DELETE);
	term_input_add_string(&t.in, "\033[A", KEYCODE_HOME); /* is Up already */
	term_input_add_string(&t.in, "\033[I", KEYCODE_PAGE_UP); /* elsewhere, the focus */
	term_input_add_string(&t.in, NULL, KEYCODE_HOME);
	term_input_add_string(&t.in, "", KEYCODE_HOME);
	term_input_add_string(&t.in, "longer than any key sends", KEYCODE_HOME);
	put(&t, "\001A\r\001Aq\001q\033?x\033?q\177\033[A\033[Il", 22);
	assert_string_equal(buf_str(&t.names), "F1 Up q ^A q End Esc ? q Delete Up PgUp l");
	put(&t, "\001", 1);
	sent_pass(&t, LATE_NS);
	put(&t, "\001A", 2);
	sent_pass(&t, LATE_NS);
	put(&t, "\033?", 2);
	sent_pass(&t, LATE_NS);
	assert_string_equal(buf_str(&t.names), "F1 Up q ^A q End Esc ? q Delete Up PgUp l ^A Up Esc ?");
	for (int i = 0; i < 2 * TERM_STRINGS_MAX; i++)
		term_input_add_string(&t.in, "x", KEYCODE_END);
	comes_to_rest(&t);
	buf_release(&t.names);
}

static void
what_is_begun_can_be_forgotten(void **state)
{
	struct sent t = { 0 };

	(void)state;
	starts(&t, true);
	put(&t, "\033[<0;1", 6);
	term_input_forget(&t.in);
	assert_int_equal(term_input_until_ns(&t.in), 0);
	put(&t, "5M", 2);
	assert_string_equal(buf_str(&t.names), "5 M");
	buf_release(&t.names);
}

static void
random_bytes_come_to_rest(void **state)
{
	static const char likely[] = "\033\033\033[[O<<M0123456789;;;mM~ABHPRZ?$]_\\\007 \r\xc3\xa9\xe6\xff";
	struct sent t = { 0 };

	(void)state;
	srandom(1);
	starts(&t, true);
	for (int i = 0; i < RANDOM_CHUNKS; i++) {
		char chunk[CHUNK_MAX];
		size_t len = (size_t)(1 + random() % CHUNK_MAX);

		for (size_t k = 0; k < len; k++)
			chunk[k] = random() % 4 == 0 ? (char)random() :
						       likely[(size_t)random() % (sizeof(likely) - 1)];
		if (random() % 16 == 0)
			put(&t, random() % 2 == 0 ? "\033[200~" : "\033[201~", 6);
		put(&t, chunk, len);
		assert_that(t.in.len, <, TERM_SEQUENCE_MAX);
		if (random() % 3 == 0)
			sent_pass(&t, (uint64_t)(random() % 30) * NSEC_PER_MSEC);
		if (random() % 16 == 0)
			comes_to_rest(&t);
		buf_reset(&t.names);
	}
	buf_release(&t.names);
}

static int
use_utf8(void **state)
{
	(void)state;
	return setlocale(LC_CTYPE, "C.UTF-8") != NULL ? 0 : -1;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_becomes_its_events),
		cmocka_unit_test(bytes_that_come_one_at_a_time_are_the_same),
		cmocka_unit_test(after_half_a_sequence_the_next_key_is_a_key),
		cmocka_unit_test(half_a_sequence_is_given_up_as_soon_as_escape),
		cmocka_unit_test(a_report_in_two_pieces_is_whole),
		cmocka_unit_test(a_place_too_far_for_an_older_report_is_none),
		cmocka_unit_test(a_sequence_without_an_end_is_dropped),
		cmocka_unit_test(what_does_not_end_swallows_no_keys_for_ever),
		cmocka_unit_test(a_paste_or_an_answer_in_pieces_is_whole),
		cmocka_unit_test(a_paste_that_falters_is_still_one),
		cmocka_unit_test(a_terminal_without_a_mouse_has_no_reports),
		cmocka_unit_test(strings_of_the_terminal_are_keys),
		cmocka_unit_test(what_is_begun_can_be_forgotten),
		cmocka_unit_test(random_bytes_come_to_rest),
	};

	return cmocka_run_group_tests(tests, use_utf8, NULL);
}
