/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a message between ptop and the process that speaks HTTP, and as the path and the query
 * of a request: what is taken for good becomes a query of the engine.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "serve/address.h"
#include "serve/answer.h"
#include "serve/request.h"
#include "serve/token.h"

#include <stdlib.h>
#include <string.h>

static void
take_ask(const struct serve_ask *ask)
{
	const struct query base = { .filter = "comm=x" };
	struct err err = { 0 };
	struct query q;

	if (ask->what != SERVE_METRICS && ask->what != SERVE_RECORD &&
	    answer_query(ask, &base, &q, &err) == 0 && memchr(q.filter, '\0', sizeof(q.filter)) == NULL)
		abort();
}

static void
take_message(const uint8_t *data, size_t size)
{
	struct serve_msg m;

	memset(&m, 0, sizeof(m));
	memcpy(&m, data, size < sizeof(m) ? size : sizeof(m));
	if (link_is_message(&m, sizeof(m)) && m.type == SERVE_MSG_ASK)
		take_ask(&m.ask);
}

/* "PATH\nNAME=VALUE\n...", and a line as headers. */
static void
take_request(char *text)
{
	char *line = strsep(&text, "\n"), *value;
	const struct request_path *p = request_find(line);
	const struct serve_setup setup = { .token_len = 3, .token = "abc" };
	struct serve_msg m = { .type = SERVE_MSG_ASK };
	struct buf why = { 0 };
	bool is_well = true;

	address_is_own_host(line);
	token_fits(&setup, line);
	if (p == NULL)
		return;
	request_begin(p, &m.ask);
	while (is_well && (line = strsep(&text, "\n")) != NULL) {
		value = strchr(line, '=');
		if (value != NULL)
			*value++ = '\0';
		is_well = request_set(p, &m.ask, line, value, &why);
	}
	/* What one end takes the other one does. */
	if (is_well && !p->is_page && !link_is_message(&m, sizeof(m)))
		abort();
	if (is_well && !p->is_page)
		take_ask(&m.ask);
	buf_release(&why);
}

int
FUZZ_TARGET(serve)(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);

	take_message(data, size);
	take_request(text);
	free(text);
	return 0;
}
