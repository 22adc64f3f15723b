/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/sink.h"

#include "base/text.h"

#include <errno.h>

enum { FLOW_BYTES = 64 << 10 };

void
sink_flow(struct sink *s)
{
	if (s->buf.len >= FLOW_BYTES)
		sink_flush(s);
}

int
sink_flush(struct sink *s)
{
	if (s->error == 0 && s->buf.len > 0) {
		if (s->write(s->self, s->buf.data, s->buf.len) < 0)
			s->error = errno;
		else
			s->bytes += s->buf.len;
	}
	buf_reset(&s->buf);
	return s->error == 0 ? 0 : -1;
}

void
sink_release(struct sink *s)
{
	buf_release(&s->buf);
}

void
sink_add_safe(struct sink *s, const char *text)
{
	text_add_safe(&s->buf, text, strlen(text));
}
