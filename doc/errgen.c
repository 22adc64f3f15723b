/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints doc/errors.md from the table of errors. */
#include "base/buf.h"
#include "live/open/open_error.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
	"# Errors of events\n"
	"\n"
	"When `perf_event_open(2)` refuses an event, ptop says which event, on which CPU or task, the\n"
	"errno, the name of the error in brackets, the cause, and what helps. One errno can have\n"
	"several causes. ptop tests for each, in the order of this page: it reads the sysctl, right or\n"
	"limit, or opens the event again with less. The first that fits is shown.\n"
	"`ptop --check` shows what you may measure before anything fails.\n"
	"\n"
	"This page is made from the table in `src/live/open/open_error.c`: `make errors-doc`.\n";

/* In a cell of a table, a bar would end it. */
static void
put_cell(struct buf *b, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '|')
			buf_add_char(b, '\\');
		buf_add_char(b, *text);
	}
}

static void
put_row(struct buf *b, const struct open_error *e)
{
	buf_addf(b, "| %s%s%s | %s | ", open_errno_name(e->sys), e->sys_too != 0 ? ", " : "",
		 e->sys_too != 0 ? open_errno_name(e->sys_too) : "", open_kinds[e->kind].name);
	put_cell(b, e->why);
	buf_add_str(b, " | ");
	put_cell(b, e->remedy);
	buf_add_str(b, " |\n");
}

static void
put_table(struct buf *b, const char *title, const struct open_error *rows, size_t count)
{
	buf_addf(b, "\n## %s\n\n| errno | error | when | what helps |\n|---|---|---|---|\n", title);
	for (size_t i = 0; i < count; i++)
		put_row(b, &rows[i]);
}

int
main(void)
{
	struct buf b = { 0 };
	const struct open_error *rows;
	size_t count;
	int res = 0;

	buf_add_str(&b, head);
	rows = open_errors(&count);
	put_table(&b, "Opening an event", rows, count);
	rows = open_ring_errors(&count);
	put_table(&b, "Mapping its ring", rows, count);
	if (fwrite(b.data, 1, b.len, stdout) != b.len || fflush(stdout) != 0)
		res = 1;
	buf_release(&b);
	return res;
}
