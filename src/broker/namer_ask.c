/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The broker's end of the namer, which it believes as little as it does ptop. */
#include "broker/broker_impl.h"

#include "base/clock.h"

#include <poll.h>
#include <sys/socket.h>

enum { LATE_MS = 3000 }; /* after the time that a runtime has */

/* One that comes too late is passed over by its id. */
static bool
wait_for_answer(const struct server *s, uint32_t id, struct broker_reply *reply)
{
	const uint64_t patience_ms = switch_patience_ms(s) + LATE_MS;
	const uint64_t until_ns = clock_mono_ns() + patience_ms * NSEC_PER_MSEC;
	struct pollfd p = { .fd = s->namer, .events = POLLIN };
	uint64_t now_ns;

	while ((now_ns = clock_mono_ns()) < until_ns) {
		if (poll(&p, 1, (int)((until_ns - now_ns) / NSEC_PER_MSEC) + 1) <= 0)
			continue;
		if (recv(s->namer, reply, sizeof(*reply), MSG_DONTWAIT) != sizeof(*reply))
			return false;
		if (reply->id == id && reply->result < BROKER_RESULTS)
			return true;
	}
	return false;
}

enum broker_result
namer_ask(const struct server *s, const struct broker_request *r, struct broker_reply *reply)
{
	if (s->namer >= 0 &&
	    send(s->namer, r, sizeof(*r), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(*r) &&
	    wait_for_answer(s, r->id, reply))
		return (enum broker_result)reply->result;
	*reply = (struct broker_reply){ .id = r->id };
	return BROKER_NO_NAMER;
}
