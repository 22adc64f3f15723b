/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/asker.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

/* An end of a connection. */
union end {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_storage room;
};

int
asker_open(void)
{
	return socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
}

/* What there is of it for one that is connected: sock_diag(7). */
static void
take_end(const union end *e, __be32 address[4], __be16 *port)
{
	if (e->any.sa_family == AF_INET) {
		memcpy(address, &e->in.sin_addr, sizeof(e->in.sin_addr));
		*port = e->in.sin_port;
	} else {
		memcpy(address, &e->in6.sin6_addr, sizeof(e->in6.sin6_addr));
		*port = e->in6.sin6_port;
	}
}

static bool
send_question(int sockets, const struct inet_diag_sockid *id, int family)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 req;
	} m = {
		.head = { .nlmsg_len = sizeof(m), .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST },
		.req = { .sdiag_family = (uint8_t)family, .sdiag_protocol = IPPROTO_TCP,
			 .idiag_states = UINT32_MAX, .id = *id },
	};

	return send(sockets, &m, sizeof(m), 0) == (ssize_t)sizeof(m);
}

/* One that was closed already has no user, but reads as root's; one that listens is another's. */
static bool
is_meant(const struct inet_diag_msg *m, const struct inet_diag_sockid *id)
{
	return m->idiag_state == TCP_ESTABLISHED && m->id.idiag_sport == id->idiag_sport &&
	       m->id.idiag_dport == id->idiag_dport;
}

/* The kernel answers while it is asked. */
static bool
find_user(int sockets, const union end *own, const union end *other, uint32_t *user)
{
	struct inet_diag_sockid id = { .idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } };
	struct {
		struct nlmsghdr head;
		struct inet_diag_msg msg;
		char rest[256];
	} m;
	bool is_known = false;
	ssize_t n;

	take_end(other, id.idiag_src, &id.idiag_sport);
	take_end(own, id.idiag_dst, &id.idiag_dport);
	if (!send_question(sockets, &id, other->any.sa_family))
		return false;
	while ((n = recv(sockets, &m, sizeof(m), MSG_DONTWAIT)) > 0) {
		if ((size_t)n < offsetof(__typeof__(m), rest) ||
		    m.head.nlmsg_type != SOCK_DIAG_BY_FAMILY || !is_meant(&m.msg, &id))
			continue;
		*user = m.msg.idiag_uid;
		is_known = true;
	}
	return is_known;
}

struct asker
asker_of(int fd, int sockets)
{
	struct asker a = { 0 };
	union end own = { .room = { 0 } }, other = { .room = { 0 } };
	socklen_t own_len = sizeof(own), other_len = sizeof(other), len = sizeof(struct ucred);
	struct ucred cred;
	__be16 port;

	if (getsockname(fd, &own.any, &own_len) < 0)
		return a;
	if (own.any.sa_family == AF_UNIX) {
		a.is_user = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0;
		a.user = a.is_user ? cred.uid : 0;
		return a;
	}
	if (getpeername(fd, &other.any, &other_len) < 0)
		return a;
	a.is_user = find_user(sockets, &own, &other, &a.user);
	if (!a.is_user)
		take_end(&other, (__be32 *)(void *)a.address, &port);
	return a;
}

bool
asker_is(const struct asker *a, const struct asker *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}
