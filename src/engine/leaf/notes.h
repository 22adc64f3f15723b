/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_NOTES_H
#define PTOP_ENGINE_LEAF_NOTES_H
/*
 * The way to the front end for words: the status line, and what the page of messages keeps.  A leaf:
 * any room may say something.  Engine thread only.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/queue.h"

#include <time.h>

struct notes;

struct notes *notes_new(struct queue *front_end);
void notes_free(struct notes *n); /* NULL is allowed */

/* For the status line: what happened, what was refused, what went wrong and what to do about it. */
void notes_say(struct notes *n, const char *fmt, ...) PRINTF_LIKE(2, 3);
void notes_refuse(struct notes *n, const char *fmt, ...) PRINTF_LIKE(2, 3);
void notes_fail(struct notes *n, const struct err *err);

/* The same as notes_say(), and kept for the page of messages with the time of day. */
void notes_keep(struct notes *n, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* As notes_keep(), of what nobody asked for: it takes no answer's place in the status line. */
void notes_news(struct notes *n, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* What was kept, the oldest first. */
void notes_put(const struct notes *n, struct buf *out);

/* How much of @text is for the page of messages: no end that leads there, as ": ! shows why". */
size_t notes_page_len(const char *text);

/* A text of @type, an engine_msg_type. */
void notes_send(struct notes *n, int type, bool is_error, const char *text);

/*
 * What was said since the start, for who looks at the messages later: the newest, within a bound.
 * One thread.
 */
struct journal {
	struct buf text; /* lines */
	size_t dropped;  /* lines that were older */
};

/* Adds a line with the local time of day; the oldest give way to it. */
void journal_add(struct journal *j, time_t now, const char *text);

/* Adds all of them to @out, the oldest first, and says how many are missing. */
void journal_put(const struct journal *j, struct buf *out);

void journal_release(struct journal *j);

#endif
