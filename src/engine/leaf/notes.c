/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/notes.h"

#include "engine/leaf/engine_msg.h"
#include "engine/leaf/journal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT_MAX = 512 };

struct notes {
	struct queue *front_end;
	struct journal journal;
};

struct notes *
notes_new(struct queue *front_end)
{
	struct notes *n = mem_calloc(1, sizeof(*n));

	n->front_end = front_end;
	return n;
}

void
notes_free(struct notes *n)
{
	if (n == NULL)
		return;
	journal_release(&n->journal);
	free(n);
}

void
notes_send(struct notes *n, int type, bool is_error, const char *text)
{
	size_t len = strlen(text);
	struct engine_text_msg *m = mem_calloc(1, sizeof(*m) + len + 1);

	m->msg.type = type;
	m->is_error = is_error;
	memcpy(m->text, text, len + 1);
	queue_send(n->front_end, &m->msg);
}

static void
say(struct notes *n, bool is_error, const char *fmt, va_list ap)
{
	char text[TEXT_MAX];

	vsnprintf(text, sizeof(text), fmt, ap);
	/* The status line may be too short for it, and goes. */
	if (is_error)
		journal_add(&n->journal, time(NULL), text);
	notes_send(n, ENGINE_MSG_STATUS, is_error, text);
}

void
notes_say(struct notes *n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(n, false, fmt, ap);
	va_end(ap);
}

void
notes_refuse(struct notes *n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(n, true, fmt, ap);
	va_end(ap);
}

void
notes_fail(struct notes *n, const struct err *err)
{
	notes_refuse(n, "%s%s%s", err->text, *err->hint ? "; " : "", err->hint);
}

void
notes_keep(struct notes *n, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	journal_add(&n->journal, time(NULL), text);
	notes_send(n, ENGINE_MSG_STATUS, false, text);
}

void
notes_put(const struct notes *n, struct buf *out)
{
	journal_put(&n->journal, out);
}
