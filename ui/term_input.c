/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term_input.h"

#include "base/clock.h"
#include "ui/keys.h"

#include <string.h>
#include <wchar.h>

/* A key is answered within 16 ms, Escape too; sequences come in one piece even over slow lines. */
#define ESCAPE_NS (10 * NSEC_PER_MSEC)

/*
 * Reports of the mouse come in bursts, which lines cut anywhere.  What no report goes on with is a
 * key at once, so they can be waited for.
 */
#define REPORT_NS (500 * NSEC_PER_MSEC)

/*
 * A paste comes at once, but the line may falter: its rest must not be keys.  Nothing in it leads out
 * of it but its end: where that never comes, who waits so long has keys again.
 */
#define PASTE_NS (3 * NSEC_PER_SEC)

enum { BEL = 0x07, ESC = 0x1b, DELETE = 0x7f, C1_FIRST = 0x80, C1_LAST = 0x9f, POSITION_MAX = 9999 };

/* What terminals send whatever terminfo says. */
static const struct {
	const char *bytes;
	int key;
} common_strings[] = {
	{ "\033[A", KEYCODE_UP }, { "\033[B", KEYCODE_DOWN },
	{ "\033[C", KEYCODE_RIGHT }, { "\033[D", KEYCODE_LEFT },
	{ "\033OA", KEYCODE_UP }, { "\033OB", KEYCODE_DOWN },
	{ "\033OC", KEYCODE_RIGHT }, { "\033OD", KEYCODE_LEFT },
	{ "\033[H", KEYCODE_HOME }, { "\033[F", KEYCODE_END },
	{ "\033OH", KEYCODE_HOME }, { "\033OF", KEYCODE_END },
	{ "\033[1~", KEYCODE_HOME }, { "\033[4~", KEYCODE_END },
	{ "\033[7~", KEYCODE_HOME }, { "\033[8~", KEYCODE_END },
	{ "\033[2~", KEYCODE_INSERT }, { "\033[3~", KEYCODE_DELETE },
	{ "\033[5~", KEYCODE_PAGE_UP }, { "\033[6~", KEYCODE_PAGE_DOWN },
	{ "\033[Z", KEYCODE_BACK_TAB },
	{ "\033OP", KEYCODE_F1 }, { "\033OQ", KEYCODE_F1 + 1 },
	{ "\033OR", KEYCODE_F1 + 2 }, { "\033OS", KEYCODE_F1 + 3 },
	{ "\033[11~", KEYCODE_F1 }, { "\033[12~", KEYCODE_F1 + 1 },
	{ "\033[13~", KEYCODE_F1 + 2 }, { "\033[14~", KEYCODE_F1 + 3 },
	{ "\033[15~", KEYCODE_F1 + 4 }, { "\033[17~", KEYCODE_F1 + 5 },
	{ "\033[18~", KEYCODE_F1 + 6 }, { "\033[19~", KEYCODE_F1 + 7 },
	{ "\033[20~", KEYCODE_F1 + 8 }, { "\033[21~", KEYCODE_F1 + 9 },
	{ "\033[23~", KEYCODE_F1 + 10 }, { "\033[24~", KEYCODE_F12 },
};

static const char paste_begin[] = "\033[200~", paste_end[] = "\033[201~";

/* What another program has asked for and left so: focus; and of pastes. */
static const char *const silent_strings[] = { "\033[I", "\033[O", paste_begin, paste_end };

/* Behind Esc these begin a string, up to ST: DCS, OSC, SOS, PM, APC.  Answers of terminals are so. */
static const char string_begins[] = "P]X^_";

/* Codes of the mouse, less those of Shift, Alt and Ctrl. */
enum { MOUSE_MODIFIERS = 4 | 8 | 16, MOUSE_MOVES = 32 };

static const struct {
	unsigned code;
	bool is_release;
	int key;
} buttons[] = {
	{ 0, false, KEYCODE_CLICK }, { 2, false, KEYCODE_RIGHT_CLICK },
	{ 64, false, KEYCODE_WHEEL_UP }, { 65, false, KEYCODE_WHEEL_DOWN },
	{ 0, true, KEYCODE_RELEASE },
	{ 3, false, KEYCODE_RELEASE }, /* older terminals do not say of which button */
};

void
term_input_begin(struct term_input *in, bool has_mouse)
{
	memset(in, 0, sizeof(*in));
	in->has_mouse = has_mouse;
	for (size_t i = 0; i < ARRAY_SIZE(common_strings); i++)
		term_input_add_string(in, common_strings[i].bytes, common_strings[i].key);
}

void
term_input_add_string(struct term_input *in, const char *bytes, int key)
{
	struct term_string *s = &in->strings[in->string_count];
	size_t len = bytes != NULL ? strlen(bytes) : 0;

	if (len == 0 || len > TERM_STRING_MAX || in->string_count == TERM_STRINGS_MAX)
		return;
	memcpy(s->bytes, bytes, len);
	s->len = len;
	s->key = key;
	in->string_count++;
}

void
term_input_put(struct term_input *in, unsigned char byte, uint64_t now_ns)
{
	if (in->len < TERM_SEQUENCE_MAX)
		in->bytes[in->len++] = byte;
	in->last_ns = now_ns;
}

/*
 * The longest string of a key that the bytes begin with.  NULL: none, or they begin a longer one
 * (@is_begun) and not @is_all has come.
 */
static const struct term_string *
find_string(const struct term_input *in, bool is_all, bool *is_begun)
{
	const struct term_string *found = NULL;

	*is_begun = false;
	for (size_t i = 0; i < in->string_count; i++) {
		const struct term_string *s = &in->strings[i];

		if (memcmp(s->bytes, in->bytes, MIN(s->len, in->len)) != 0)
			continue;
		if (s->len > in->len)
			*is_begun = true;
		else if (found == NULL || s->len > found->len)
			found = s;
	}
	return *is_begun && !is_all ? NULL : found;
}

/* The event of what was cut off: @n bytes. */
static size_t
is_key(struct term_event *ev, int key, size_t n)
{
	ev->key = key;
	return n;
}

/* Of more than there is room for the rest is dropped as it comes. */
static size_t
wait_for_more(struct term_input *in, bool is_all, struct term_event *ev)
{
	if (!is_all && in->len < TERM_SEQUENCE_MAX)
		return 0;
	in->is_dropping = !is_all;
	return is_key(ev, KEYCODE_OTHER, in->len);
}

static bool
is_silent(const unsigned char *bytes, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(silent_strings); i++)
		if (strlen(silent_strings[i]) == len && memcmp(silent_strings[i], bytes, len) == 0)
			return true;
	return false;
}

/* A sequence of a key or an answer that means nothing here: its rest must not be taken for keys. */
static size_t
cut_unknown(struct term_input *in, bool is_all, struct term_event *ev)
{
	const unsigned char *s = in->bytes;
	size_t n = 2;

	if (in->len > 2 && s[1] == '[' && s[2] == '[') /* function keys of Linux' console */
		n = 3;
	while (n < in->len && s[n] >= 0x20 && s[n] < 0x40)
		n++;
	if (n == in->len)
		return wait_for_more(in, is_all, ev);
	if (s[n] >= 0x40 && s[n] < 0x7f)
		n++;
	in->is_pasting = n == sizeof(paste_begin) - 1 && memcmp(s, paste_begin, n) == 0;
	return is_key(ev, is_silent(s, n) ? 0 : KEYCODE_OTHER, n);
}

static void
take_report(struct term_event *ev, unsigned code, bool is_release, int x, int y)
{
	const unsigned button = code & ~(unsigned)MOUSE_MODIFIERS;

	ev->x = MAX(x - 1, 0);
	ev->y = MAX(y - 1, 0);
	if ((button & MOUSE_MOVES) != 0)
		ev->key = KEYCODE_HOVER;
	for (size_t i = 0; i < ARRAY_SIZE(buttons); i++)
		if (buttons[i].code == button && buttons[i].is_release == is_release)
			ev->key = buttons[i].key;
}

/* ESC [ < CODE ; X ; Y and M, or m for a release.  What is none is no event. */
static size_t
cut_report(struct term_input *in, bool is_all, struct term_event *ev)
{
	int values[3] = { 0 };
	size_t n = 3, semicolons = 0;
	bool is_release;

	for (; n < in->len; n++) {
		const unsigned char c = in->bytes[n];

		if (c == ';')
			semicolons++;
		else if (c < '0' || c > '9')
			break;
		else if (semicolons < ARRAY_SIZE(values))
			values[semicolons] = MIN(values[semicolons] * 10 + (c - '0'), POSITION_MAX);
	}
	if (n == in->len) {
		n = wait_for_more(in, is_all, ev);
		ev->key = 0;
		return n;
	}
	is_release = in->bytes[n] == 'm';
	if (!is_release && in->bytes[n] != 'M')
		return n;
	if (semicolons == 2)
		take_report(ev, (unsigned)values[0], is_release, values[1], values[2]);
	return n + 1;
}

/* ESC [ M and three bytes, of older terminals: NUL is a place too far for them. */
static size_t
cut_old_report(struct term_input *in, bool is_all, struct term_event *ev)
{
	const unsigned char *s = in->bytes;

	for (size_t n = 3; n < MIN(in->len, (size_t)6); n++)
		if (s[n] < 0x20 && (n == 3 || s[n] != 0))
			return n;
	if (in->len < 6)
		return is_all ? in->len : 0;
	if (s[4] != 0 && s[5] != 0)
		take_report(ev, s[3] - 0x20u, false, s[4] - 0x20, s[5] - 0x20);
	return 6;
}

static bool
is_report_begun(const struct term_input *in)
{
	return in->has_mouse && in->len > 2 && in->bytes[0] == ESC && in->bytes[1] == '[' &&
	       (in->bytes[2] == '<' || in->bytes[2] == 'M');
}

/* With nothing behind it, or no text, it is a key behind Esc. */
static size_t
cut_string_begin(struct term_input *in, bool is_all, struct term_event *ev)
{
	if (in->len == 2 && !is_all)
		return 0;
	if (in->len == 2 || in->bytes[2] < ' ')
		return is_key(ev, KEYCODE_ESCAPE, 1);
	in->is_in_string = true;
	return 2;
}

static size_t
cut_sequence(struct term_input *in, bool is_all, struct term_event *ev)
{
	const unsigned char *s = in->bytes;

	if (in->len == 1)
		return is_all ? is_key(ev, KEYCODE_ESCAPE, 1) : 0;
	if (memchr(string_begins, s[1], sizeof(string_begins) - 1) != NULL)
		return cut_string_begin(in, is_all, ev);
	if (s[1] != '[' && s[1] != 'O')
		return is_key(ev, KEYCODE_ESCAPE, 1);
	if (is_report_begun(in))
		return s[2] == '<' ? cut_report(in, is_all, ev) : cut_old_report(in, is_all, ev);
	return cut_unknown(in, is_all, ev);
}

static size_t
cut_character(struct term_input *in, bool is_all, struct term_event *ev)
{
	mbstate_t begun = { 0 };
	wchar_t ch = 0;
	size_t n = mbrtowc(&ch, (const char *)in->bytes, in->len, &begun);

	if (n == (size_t)-2)
		return wait_for_more(in, is_all, ev);
	if (n == (size_t)-1 || n == 0 || (uint32_t)ch > 0x10ffff || ((uint32_t)ch & 0xfffff800) == 0xd800)
		return is_key(ev, KEYCODE_OTHER, 1);
	return is_key(ev, (int)ch, n);
}

/* Cuts off what is whole, or with @is_all what there is: how many bytes; 0: more must come. */
static size_t
cut(struct term_input *in, bool is_all, struct term_event *ev)
{
	bool is_begun;
	const struct term_string *s = find_string(in, is_all, &is_begun);

	if (s != NULL)
		return is_key(ev, s->key, s->len);
	if (is_begun && !is_all)
		return 0;
	switch (in->bytes[0]) {
	case '\r':
	case '\n':
		return is_key(ev, KEYCODE_ENTER, 1);
	case '\t':
		return is_key(ev, KEYCODE_TAB, 1);
	case 0x08:
	case 0x7f:
		return is_key(ev, KEYCODE_BACKSPACE, 1);
	case ESC:
		return cut_sequence(in, is_all, ev);
	default:
		return cut_character(in, is_all, ev);
	}
}

/* Other control characters than its end are not of it: who types Enter or Esc is out of it. */
static size_t
cut_string(struct term_input *in, bool is_all, struct term_event *ev)
{
	const unsigned char *s = in->bytes;

	if (s[0] >= ' ')
		return 1;
	if (s[0] == ESC && in->len == 1 && !is_all)
		return 0;
	in->is_in_string = false;
	if (s[0] == BEL)
		return 1;
	return s[0] == ESC && in->len > 1 && s[1] == '\\' ? 2 : cut(in, is_all, ev);
}

/* The whole mark alone ends it; another Esc is dropped, as other control characters are. */
static size_t
cut_paste_end(struct term_input *in, bool is_all)
{
	const size_t len = sizeof(paste_end) - 1;

	if (memcmp(in->bytes, paste_end, MIN(in->len, len)) != 0)
		return 1;
	if (in->len < len)
		return is_all ? in->len : 0;
	in->is_pasting = false;
	return len;
}

static bool
is_gap(unsigned char c)
{
	return c == '\n' || c == '\r' || c == '\t';
}

/* Lines become one; there is no blank for those that end it. */
static size_t
cut_paste(struct term_input *in, bool is_all, struct term_event *ev)
{
	const unsigned char *s = in->bytes;
	size_t n;

	if (s[0] == ESC)
		return cut_paste_end(in, is_all);
	if (is_gap(s[0]) && in->len == 1)
		return is_all ? 1 : 0;
	ev->is_pasted = true;
	if (is_gap(s[0]))
		return is_key(ev, is_gap(s[1]) || s[1] == ESC ? 0 : ' ', 1);
	if (s[0] < ' ' || s[0] == DELETE)
		return 1;
	n = cut_character(in, is_all, ev);
	if (ev->key == KEYCODE_OTHER || (ev->key >= C1_FIRST && ev->key <= C1_LAST))
		ev->key = 0;
	return n;
}

static size_t
cut_next(struct term_input *in, bool is_all, struct term_event *ev)
{
	if (in->is_pasting)
		return cut_paste(in, is_all, ev);
	return in->is_in_string ? cut_string(in, is_all, ev) : cut(in, is_all, ev);
}

static void
remove_bytes(struct term_input *in, size_t n)
{
	in->len -= n;
	memmove(in->bytes, in->bytes + n, in->len);
}

/* Up to the byte that ends it, or cannot be of it. */
static void
drop_rest(struct term_input *in)
{
	while (in->is_dropping && in->len > 0) {
		const unsigned char c = in->bytes[0];

		in->is_dropping = c >= 0x20 && c < 0x40;
		if (c >= 0x20 && c < 0x7f)
			remove_bytes(in, 1);
	}
}

static bool
next(struct term_input *in, bool is_all, struct term_event *ev)
{
	size_t n;

	drop_rest(in);
	while (in->len > 0) {
		*ev = (struct term_event){ 0 };
		n = cut_next(in, is_all, ev);
		if (n == 0)
			return false;
		remove_bytes(in, n);
		if (ev->key != 0)
			return true;
	}
	return false;
}

bool
term_input_next(struct term_input *in, struct term_event *ev)
{
	return next(in, false, ev);
}

static uint64_t
patience_ns(const struct term_input *in)
{
	if (in->is_pasting)
		return PASTE_NS;
	return in->is_in_string || is_report_begun(in) ? REPORT_NS : ESCAPE_NS;
}

uint64_t
term_input_until_ns(const struct term_input *in)
{
	if (in->len == 0 && !in->is_dropping && !in->is_pasting && !in->is_in_string)
		return 0;
	return in->last_ns + patience_ns(in);
}

bool
term_input_give_up(struct term_input *in, uint64_t now_ns, struct term_event *ev)
{
	const uint64_t until_ns = term_input_until_ns(in);
	bool is_event;

	if (until_ns == 0 || now_ns < until_ns)
		return false;
	in->is_dropping = false;
	is_event = next(in, true, ev);
	in->is_pasting = in->is_in_string = false;
	return is_event;
}

void
term_input_forget(struct term_input *in)
{
	in->len = 0;
	in->is_dropping = in->is_pasting = in->is_in_string = false;
}
