/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/clients.h"

#include <stdlib.h>
#include <sys/socket.h>

static void
give(struct client *one, uint64_t now_ns, unsigned seconds)
{
	one->until_ns = now_ns + seconds * NSEC_PER_SEC;
}

/* The library sees that nothing comes any more, and closes it. */
static void
cut_off(struct client *one)
{
	shutdown(one->fd, SHUT_RDWR);
	one->until_ns = UINT64_MAX;
	one->is_idle = false;
	one->is_cut_off = true;
}

/* In the place of an idle one; who has its part already gives up one of its own, whatever that does. */
static void
make_room(struct clients *c, const struct asker *asker)
{
	struct client *idle = NULL, *own_idle = NULL, *own = NULL;
	size_t owns = 0;

	for (struct client *one = c->last; one != NULL; one = one->prev) {
		bool is_own = !one->is_cut_off && asker_is(&one->asker, asker);

		owns += is_own;
		if (is_own)
			own = one;
		if (one->is_idle)
			idle = one;
		if (is_own && one->is_idle)
			own_idle = one;
	}
	if (owns >= CLIENTS_EACH)
		idle = own_idle != NULL ? own_idle : own;
	if (idle != NULL)
		cut_off(idle);
}

struct client *
clients_add(struct clients *c, int fd, const struct asker *asker, uint64_t now_ns)
{
	struct client *one = mem_calloc(1, sizeof(*one));

	if (c->len >= CLIENTS_CROWDED)
		make_room(c, asker);
	one->fd = fd;
	one->asker = *asker;
	one->prev = c->last;
	if (c->last != NULL)
		c->last->next = one;
	else
		c->first = one;
	c->last = one;
	c->len++;
	client_rests(one, now_ns);
	return one;
}

void
clients_remove(struct clients *c, struct client *one)
{
	if (one->prev != NULL)
		one->prev->next = one->next;
	else
		c->first = one->next;
	if (one->next != NULL)
		one->next->prev = one->prev;
	else
		c->last = one->prev;
	c->len--;
	free(one);
}

void
client_waits(struct client *one)
{
	one->is_idle = false;
	one->until_ns = UINT64_MAX;
}

void
client_takes(struct client *one, uint64_t now_ns)
{
	one->is_idle = false;
	give(one, now_ns, CLIENT_ANSWER_S);
}

void
client_rests(struct client *one, uint64_t now_ns)
{
	one->is_idle = true;
	give(one, now_ns, CLIENT_REQUEST_S);
}

uint64_t
clients_held(const struct clients *c, const struct asker *asker)
{
	uint64_t held = 0;

	for (const struct client *one = c->first; one != NULL; one = one->next)
		held += asker_is(&one->asker, asker) ? one->held : 0;
	return held;
}

uint64_t
clients_expire(struct clients *c, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;

	for (struct client *one = c->first; one != NULL; one = one->next) {
		if (one->until_ns <= now_ns)
			cut_off(one);
		next_ns = MIN(next_ns, one->until_ns);
	}
	return next_ns;
}
