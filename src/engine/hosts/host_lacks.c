/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hosts cannot sample or name: each says it in its words, those that say the same are told of
 * together.
 */
#include "engine/hosts/hosts_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { NAMES_MAX = 3 }; /* of hosts, on a screen */

void
fed_host_forget_lacks(struct fed_host *h)
{
	for (size_t i = 0; i < h->lack_count; i++) {
		free(h->lacks[i].text);
		free(h->lacks[i].remedy);
	}
	free(h->lacks);
	h->lacks = NULL;
	h->lack_count = 0;
}

void
fed_host_take_lacks(struct fed_host *h, const struct hostfeed_second *s)
{
	if (s->limits == NULL)
		return;
	fed_host_forget_lacks(h);
	h->lacks = mem_calloc(s->limit_count + 1, sizeof(*h->lacks));
	h->lack_count = s->limit_count;
	for (size_t i = 0; i < h->lack_count; i++)
		h->lacks[i] = (struct fed_lack){ mem_strdup(s->limits[i].text),
						 mem_strdup(s->limits[i].remedy) };
}

static void
put_lack(struct buf *b, const struct fed_lack *l)
{
	text_add_safe(b, l->text, strlen(l->text));
	if (*l->remedy != '\0')
		buf_add_str(b, ": ");
	text_add_safe(b, l->remedy, strlen(l->remedy));
}

void
fed_host_put_lacks(struct buf *b, const struct fed_host *h)
{
	for (size_t i = 0; i < h->lack_count; i++) {
		buf_add_str(b, "    ");
		put_lack(b, &h->lacks[i]);
		buf_add_char(b, '\n');
	}
}

static bool
says(const struct fed_host *h, const char *text)
{
	for (size_t i = 0; h->state == HOST_FED && i < h->lack_count; i++)
		if (strcmp(h->lacks[i].text, text) == 0)
			return true;
	return false;
}

static bool
is_said_before(const struct hosts *hs, size_t host, const char *text)
{
	for (size_t i = 0; i < host; i++)
		if (says(&hs->items[i], text))
			return true;
	return false;
}

/* All that say so, from @first on. */
static void
put_names(struct buf *b, const struct hosts *hs, size_t first, const char *text)
{
	const size_t most = hs->config->is_watched ? NAMES_MAX : hs->count;
	size_t n = 0;

	for (size_t i = first; i < hs->count; i++) {
		if (!says(&hs->items[i], text) || n++ >= most)
			continue;
		buf_add_str(b, n > 1 ? ", " : "");
		text_add_safe(b, hs->items[i].name, strlen(hs->items[i].name));
	}
	if (n > most)
		buf_addf(b, " and %zu more", n - most);
}

void
hosts_put_lacks(const struct hosts *hs, struct part_notices *n)
{
	for (size_t i = 0; i < hs->count; i++) {
		const struct fed_host *h = &hs->items[i];

		for (size_t k = 0; h->state == HOST_FED && k < h->lack_count; k++) {
			struct buf b = { 0 };

			if (is_said_before(hs, i, h->lacks[k].text))
				continue;
			put_names(&b, hs, i, h->lacks[k].text);
			buf_add_str(&b, ": ");
			put_lack(&b, &h->lacks[k]);
			part_notice(n, arena_strdup(n->arena, b.data));
			buf_release(&b);
		}
	}
}
