/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/socket_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Of the kernel, whatever headers there are: the same on all machines. */
enum { CALL_PIDFD_OPEN = 434, CALL_PIDFD_GETFD = 438 };

static bool
put_inet(const void *address, uint16_t port, char text[SOCKET_PEER_MAX])
{
	char host[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, address, host, sizeof(host));
	snprintf(text, SOCKET_PEER_MAX, "%s:%u", host, ntohs(port));
	return port != 0;
}

static bool
put_inet6(const struct sockaddr_in6 *in6, char text[SOCKET_PEER_MAX])
{
	char host[INET6_ADDRSTRLEN];

	if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		return put_inet(&in6->sin6_addr.s6_addr[12], in6->sin6_port, text);
	inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
	snprintf(text, SOCKET_PEER_MAX, "[%s]:%u", host, ntohs(in6->sin6_port));
	return in6->sin6_port != 0;
}

/* Its name need not end with a NUL; that of an abstract one begins with it. */
static bool
put_unix(const struct sockaddr_un *un, size_t len, char text[SOCKET_PEER_MAX])
{
	const size_t at = offsetof(struct sockaddr_un, sun_path);
	size_t n = len > at ? MIN(len - at, sizeof(un->sun_path)) : 0;

	if (n > 0 && un->sun_path[0] == '\0')
		snprintf(text, SOCKET_PEER_MAX, "@%.*s", (int)n - 1, un->sun_path + 1);
	else
		snprintf(text, SOCKET_PEER_MAX, "%.*s", (int)n, un->sun_path);
	return text[0] != '\0' && strcmp(text, "@") != 0;
}

bool
socket_address(const struct sockaddr_storage *address, size_t len, char text[SOCKET_PEER_MAX])
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)address;

	if (len < sizeof(address->ss_family))
		return false;
	if (address->ss_family == AF_INET && len >= sizeof(*in))
		return put_inet(&in->sin_addr, in->sin_port, text);
	if (address->ss_family == AF_INET6 && len >= sizeof(struct sockaddr_in6))
		return put_inet6((const struct sockaddr_in6 *)address, text);
	return address->ss_family == AF_UNIX &&
	       put_unix((const struct sockaddr_un *)address, len, text);
}

typedef int get_name(int fd, struct sockaddr *address, socklen_t *len);

static bool
name_of(int fd, get_name *get, char text[SOCKET_PEER_MAX])
{
	struct sockaddr_storage address = { 0 };
	socklen_t len = sizeof(address);

	return get(fd, (struct sockaddr *)&address, &len) == 0 &&
	       socket_address(&address, len, text);
}

/* Of a pair that a process made for itself it says nothing. */
static bool
peer_process(int fd, int pid, char text[SOCKET_PEER_MAX])
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || peer.pid <= 0 ||
	    peer.pid == pid)
		return false;
	snprintf(text, SOCKET_PEER_MAX, "pid %d", (int)peer.pid);
	return true;
}

static bool
tell(int fd, int pid, char text[SOCKET_PEER_MAX])
{
	char own[SOCKET_PEER_MAX];

	if (name_of(fd, getpeername, text) || peer_process(fd, pid, text))
		return true;
	if (!name_of(fd, getsockname, own))
		return false;
	snprintf(text, SOCKET_PEER_MAX, "at %.*s", SOCKET_PEER_MAX - 4, own);
	return true;
}

bool
socket_peer(int pid, int fd, uint64_t inode, char text[SOCKET_PEER_MAX])
{
	int pidfd = (int)syscall(CALL_PIDFD_OPEN, pid, 0), copy = -1;
	struct stat st;
	bool res = false;

	if (pidfd >= 0)
		copy = (int)syscall(CALL_PIDFD_GETFD, pidfd, fd, 0);
	if (copy >= 0 && fstat(copy, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_ino == inode)
		res = tell(copy, pid, text);
	if (copy >= 0)
		close(copy);
	if (pidfd >= 0)
		close(pidfd);
	return res;
}
