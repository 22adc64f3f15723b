/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a host does, in words. */
#include "engine/hosts/hosts_impl.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/moment.h"

#define CUT_MARK "..."

enum {
	SLOW_MS = 3500,      /* without a second */
	NO_ANSWER_MS = 5000, /* since the start */
	CLOCK_OFF_S = 2,     /* feeds are on their way for less */
	CLOCK_PART = 8,      /* what is told changes by such a part of it at least */
	SAID_MAX = 60,       /* bytes of a line */
};

/* Bytes of a text that may have @most: it is cut between two letters. */
static size_t
cut(const char *text, size_t all, size_t most)
{
	size_t len = MIN(all, most);

	while (len < all && len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

static void
keep_why(struct fed_host *h, const char *why)
{
	const size_t all = strlen(why), most = sizeof(h->why) - sizeof(CUT_MARK);
	const size_t len = all < sizeof(h->why) ? all : cut(why, all, most);

	snprintf(h->why, sizeof(h->why), "%.*s%s", (int)len, why, len < all ? CUT_MARK : "");
}

void
fed_host_set_state(struct fed_host *h, enum host_state state, const char *why, uint64_t now_ns)
{
	keep_why(h, why);
	if (h->state == state && h->since_ns != 0)
		return;
	h->state = state;
	h->since_ns = now_ns;
	h->since_real_ns = clock_real_ns();
}

void
fed_host_note_clock(struct fed_host *h, uint64_t wall_ns)
{
	const int64_t now_ns = (int64_t)clock_real_ns(), told_ns = h->clock_ahead_ns;
	int64_t ahead_ns = (int64_t)MIN(wall_ns, UINT64_C(1) << 62) - now_ns;

	if (llabs(ahead_ns) < CLOCK_OFF_S * (int64_t)NSEC_PER_SEC)
		h->clock_ahead_ns = 0;
	else if (told_ns == 0 || llabs(ahead_ns - told_ns) > llabs(told_ns) / CLOCK_PART)
		h->clock_ahead_ns = ahead_ns;
}

/* The first line that is none. */
static void
put_greeting(struct buf *b, const char *said)
{
	const size_t all = strcspn(said, "\r\n"), len = cut(said, all, SAID_MAX);

	if (all == 0)
		return;
	buf_add_str(b, " (it says '");
	buf_add(b, said, len);
	buf_addf(b, "%s')", len < all ? CUT_MARK : "");
}

static bool
begins_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* In front of a word, or behind it. */
static bool
is_edge(char c)
{
	return c == '\0' || (!isalnum((unsigned char)c) && strchr("@.-_", c) == NULL);
}

/* Told by what leads to its ptop, which has not begun. */
static bool
is_of_way(const char *why)
{
	static const char *const ways[] = { "ssh: ", "sudo: ", "doas: ", "su: " };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		if (begins_with(why, ways[i]))
			return true;
	return false;
}

/* As shells tell what they do not find: it can also be a user's name or a host's, "ptop@web1: ...". */
static bool
is_of_program(const char *why, const char *program)
{
	const size_t len = strlen(program);

	for (const char *at = strstr(why, program); at != NULL; at = strstr(at + 1, program))
		if ((at == why || is_edge(at[-1])) && is_edge(at[len]))
			return true;
	return false;
}

bool
fed_host_is_own_reason(const char *why)
{
	return begins_with(why, "ptop: ");
}

void
fed_host_put_doubt(struct buf *b, const struct fed_host *h, const char *why)
{
	const char *said = hostfeed_before(h->feed);

	if (said == NULL || fed_host_is_own_reason(why))
		return;
	said += strspn(said, " \t\r\n");
	put_greeting(b, said);
	if (is_of_way(why))
		return;
	if (*said != '\0' || *why == '\0')
		buf_add_str(b, ": is its ptop another program? --copy brings this one");
	else if (is_of_program(why, "ptop"))
		buf_add_str(b, ": --copy brings this ptop");
}

static void
put_name(struct buf *b, const struct fed_host *h)
{
	text_add_safe(b, h->name, strlen(h->name));
}

static void
put_since(struct buf *b, uint64_t real_ns)
{
	moment_put_real(b, real_ns, clock_real_ns(), false);
}

static bool
is_slow(const struct fed_host *h, uint64_t now_ns)
{
	return h->state == HOST_FED && now_ns > MAX(h->last_ns, h->since_ns) + SLOW_MS * NSEC_PER_MSEC;
}

/* A link that holds seconds back cannot be told from a clock that is behind. */
static void
put_clock(struct buf *b, const struct fed_host *h)
{
	const bool is_ahead = h->clock_ahead_ns > 0;

	buf_add_str(b, is_ahead ? ": its clock is " : ": what it sends is ");
	moment_put_length(b, (uint64_t)llabs(h->clock_ahead_ns));
	buf_add_str(b, is_ahead ? " ahead" : " old: its clock is behind, or its link is slow");
	buf_add_str(b, "; its samples count as they come");
}

bool
fed_host_put_mark(struct buf *b, const struct fed_host *h, uint64_t now_ns)
{
	put_name(b, h);
	if (h->state == HOST_GONE || h->state == HOST_OTHER) {
		buf_add_str(b, h->last_ns != 0 ? ": gone since " : ": not there since ");
		put_since(b, h->since_real_ns);
		buf_add_str(b, ": ");
		text_add_safe(b, h->why, strlen(h->why));
	} else if (h->state == HOST_STARTING) {
		if (now_ns < h->since_ns + NO_ANSWER_MS * NSEC_PER_MSEC)
			return false;
		buf_add_str(b, h->gets_copy ? ": ptop is copied there, no answer yet" : ": no answer yet");
	} else if (is_slow(h, now_ns)) {
		buf_add_str(b, ": slow, it has sent nothing since ");
		put_since(b, h->last_real_ns != 0 ? h->last_real_ns : h->since_real_ns);
	} else if (h->clock_ahead_ns != 0) {
		put_clock(b, h);
	} else if (fed_host_is_crowded(h, now_ns)) {
		buf_add_str(b, ": it fills its part of the tables: what is new of it is [other] (--memory)");
	} else {
		return false;
	}
	return true;
}

void
fed_host_put_line(struct buf *b, const struct fed_host *h, uint64_t now_ns)
{
	size_t begin = b->len;

	buf_add_str(b, "  ");
	if (!fed_host_put_mark(b, h, now_ns) && h->state != HOST_FED)
		buf_add_str(b, ": starting");
	if (h->last_ns != 0) {
		buf_addf(b, ": ptop ");
		text_add_safe(b, h->ptop, strlen(h->ptop));
		buf_add_str(b, h->gets_copy ? " (copied there)" : "");
		buf_addf(b, ", %u CPU%s, %" PRIu64 " s, ", h->cpus, text_plural(h->cpus), h->seconds);
		text_add_bytes(b, h->bytes / MAX(h->seconds, 1));
		buf_addf(b, " a second, %" PRIu64 " sample%s lost", h->lost, text_plural(h->lost));
		if (h->left_out > 0)
			buf_addf(b, "; its last second had no room for %" PRIu64 " light rows, which are "
				 "[other]", h->left_out);
	}
	if (b->len > begin)
		buf_add_char(b, '\n');
}
