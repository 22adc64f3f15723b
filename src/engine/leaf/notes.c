/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/notes.h"

#include "engine/leaf/engine_msg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT_MAX = 1024 };

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

static struct engine_text_msg *
text_msg(int type, const char *text)
{
	size_t len = strlen(text);
	struct engine_text_msg *m = mem_calloc(1, sizeof(*m) + len + 1);

	m->msg.type = type;
	memcpy(m->text, text, len + 1);
	return m;
}

void
notes_send(struct notes *n, int type, bool is_error, const char *text)
{
	struct engine_text_msg *m = text_msg(type, text);

	m->is_error = is_error;
	queue_send(n->front_end, &m->msg);
}

static void PRINTF_LIKE(3, 0)
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

static void PRINTF_LIKE(3, 0)
keep(struct notes *n, bool is_news, const char *fmt, va_list ap)
{
	char text[TEXT_MAX];
	struct engine_text_msg *m;

	vsnprintf(text, sizeof(text), fmt, ap);
	journal_add(&n->journal, time(NULL), text);
	m = text_msg(ENGINE_MSG_STATUS, text);
	m->is_news = is_news;
	queue_send(n->front_end, &m->msg);
}

void
notes_keep(struct notes *n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	keep(n, false, fmt, ap);
	va_end(ap);
}

void
notes_news(struct notes *n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	keep(n, true, fmt, ap);
	va_end(ap);
}

void
notes_put(const struct notes *n, struct buf *out)
{
	journal_put(&n->journal, out);
}

enum { BYTES_MAX = 16 << 10 };

static void
drop_first(struct journal *j)
{
	const char *end = memchr(j->text.data, '\n', j->text.len);
	size_t len = (size_t)(end - j->text.data) + 1;

	memmove(j->text.data, j->text.data + len, j->text.len - len + 1);
	j->text.len -= len;
	j->dropped++;
}

size_t
notes_page_len(const char *text)
{
	static const char *const leads[] = { ": ! shows why", " (!)" };
	size_t len = strlen(text);

	for (size_t i = 0; i < ARRAY_SIZE(leads); i++) {
		size_t lead = strlen(leads[i]);

		if (len >= lead && strcmp(text + len - lead, leads[i]) == 0)
			return len - lead;
	}
	return len;
}

void
journal_add(struct journal *j, time_t now, const char *text)
{
	const size_t len = notes_page_len(text);
	char when[16];
	struct tm tm;

	strftime(when, sizeof(when), "%H:%M:%S", localtime_r(&now, &tm));
	buf_addf(&j->text, "%s ", when);
	for (size_t i = 0; i < len; i++)
		buf_add_char(&j->text, text[i] == '\n' ? ' ' : text[i]);
	buf_add_char(&j->text, '\n');
	while (j->text.len > BYTES_MAX)
		drop_first(j);
}

void
journal_put(const struct journal *j, struct buf *out)
{
	if (j->dropped > 0)
		buf_addf(out, "(%zu older messages are not kept)\n", j->dropped);
	buf_add_str(out, buf_str(&j->text));
}

void
journal_release(struct journal *j)
{
	buf_release(&j->text);
}
