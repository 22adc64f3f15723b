/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/address.h"

#include "base/folder_links.h"
#include "base/num.h"
#include "base/own_rights.h"
#include "base/sudo_caller.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { HOST_MAX = 64, BACKLOG = 128, PORT_MAX = 65535, NET_LOOPBACK = 127 };

static const char unix_prefix[] = "unix:";
static const char usage_hint[] = "--serve 127.0.0.1:7070, [::1]:7070, localhost:7070 or unix:/PATH";

static int
parse_unix(const char *path, struct address *a, struct err *err)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&a->room;

	if (*path != '/' || strlen(path) >= sizeof(un->sun_path)) {
		err_set(err, ERR_USAGE, 0, "--serve: '%.120s': a socket's path begins with / and has at "
			"most %zu bytes", path, sizeof(un->sun_path) - 1);
		return err_hint(err, "%s", usage_hint);
	}
	un->sun_family = AF_UNIX;
	strcpy(un->sun_path, path);
	a->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
	a->is_unix = a->is_loopback = true;
	return 0;
}

/* "HOST:PORT", "[HOST]:PORT": the two, brackets left out.  false: it is none. */
static bool
split(const char *text, char host[HOST_MAX], uint64_t *port)
{
	const char *colon = strrchr(text, ':');
	size_t len;

	if (colon == NULL || !num_u64(colon + 1, port) || *port > PORT_MAX)
		return false;
	len = (size_t)(colon - text);
	if (len >= 2 && text[0] == '[' && colon[-1] == ']') {
		text++;
		len -= 2;
	} else if (memchr(text, ':', len) != NULL) {
		return false;
	}
	if (len == 0 || len >= HOST_MAX)
		return false;
	memcpy(host, text, len);
	host[len] = '\0';
	return true;
}

static bool
is_loopback(const struct address *a)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)&a->room;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a->room;

	if (a->any.sa_family == AF_INET)
		return ntohl(in->sin_addr.s_addr) >> 24 == NET_LOOPBACK;
	return a->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
}

/* By number alone: asking for names takes time, and others may answer. */
static bool
parse_host(const char *host, uint16_t port, struct address *a)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&a->room;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->room;

	if (strcasecmp(host, "localhost") == 0)
		host = "127.0.0.1";
	if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		a->len = sizeof(*in);
		a->is_loopback = is_loopback(a);
		return true;
	}
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		a->len = sizeof(*in6);
		a->is_loopback = is_loopback(a);
		return true;
	}
	return false;
}

int
address_parse(const char *text, struct address *a, struct err *err)
{
	char host[HOST_MAX];
	uint64_t port;

	*a = (struct address){ .folder = -1 };
	if (strncmp(text, unix_prefix, strlen(unix_prefix)) == 0)
		return parse_unix(text + strlen(unix_prefix), a, err);
	if (split(text, host, &port) && parse_host(host, (uint16_t)port, a))
		return 0;
	err_set(err, ERR_USAGE, 0, "--serve: '%.120s' is no address: hosts are told by number", text);
	return err_hint(err, "%s", usage_hint);
}

static const char *
path_of(const struct address *a)
{
	return ((const struct sockaddr_un *)&a->room)->sun_path;
}

static const char *
name_of(const struct address *a)
{
	return strrchr(path_of(a), '/') + 1;
}

static bool
stat_socket(const struct address *a, struct stat *st)
{
	return fstatat(a->folder, name_of(a), st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(st->st_mode);
}

/* One that somebody listens at stays, as does what is no socket. */
static void
remove_stale(const struct address *a)
{
	struct stat st;
	int fd;

	if (!stat_socket(a, &st))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (connect(fd, &a->any, a->len) < 0 && errno == ECONNREFUSED)
		unlinkat(a->folder, name_of(a), 0);
	close(fd);
}

static void
set_owner(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
}

/*
 * What is made there is the caller's from the start, in whatever folder: a path can lead elsewhere
 * when it is looked up again, to give it away.
 */
static int
bind_as(const struct address *a, int fd, uid_t uid, gid_t gid)
{
	struct own_rights kept;
	struct stat st;
	int res, saved;

	set_owner(uid, gid);
	own_rights_begin_to_write(&kept);
	res = bind(fd, &a->any, a->len);
	saved = errno;
	own_rights_end(&kept);
	set_owner(geteuid(), getegid());
	errno = saved;
	if (res < 0 || (stat_socket(a, &st) && st.st_uid == uid))
		return res;
	errno = EPERM;
	return -1;
}

static int
bind_unix(const struct address *a, int fd)
{
	struct own_rights kept;
	mode_t mask = umask(0177);
	uid_t uid;
	gid_t gid;
	int res;

	own_rights_begin_to_write(&kept);
	remove_stale(a);
	res = sudo_caller(&uid, &gid) ? bind_as(a, fd, uid, gid) : bind(fd, &a->any, a->len);
	own_rights_end(&kept);
	umask(mask);
	return res;
}

static int
fail(const struct address *a, int why, struct err *err)
{
	char text[INET6_ADDRSTRLEN] = "";
	const struct sockaddr_in *in = (const struct sockaddr_in *)&a->room;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a->room;

	if (a->is_unix)
		err_set(err, ERR_BUSY, why, "--serve: cannot listen at '%s'", path_of(a));
	else if (a->any.sa_family == AF_INET)
		err_set(err, ERR_BUSY, why, "--serve: cannot listen at %s:%u",
			inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text)), ntohs(in->sin_port));
	else
		err_set(err, ERR_BUSY, why, "--serve: cannot listen at [%s]:%u",
			inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text)), ntohs(in6->sin6_port));
	if (why == EADDRINUSE)
		return err_hint(err, "another process listens there, which may be another ptop; choose "
				"another address");
	if (why == EACCES && !a->is_unix)
		return err_hint(err, "ports below 1024 are root's");
	return -1;
}

static int
open_folder(struct address *a, struct err *err)
{
	struct own_rights kept;

	own_rights_begin_to_write(&kept);
	a->folder = folder_links_open(path_of(a), err);
	own_rights_end(&kept);
	return a->folder;
}

static int
listen_at(struct address *a, int fd, struct err *err)
{
	if (a->is_unix && open_folder(a, err) < 0)
		return -1;
	if ((a->is_unix ? bind_unix(a, fd) : bind(fd, &a->any, a->len)) == 0 && listen(fd, BACKLOG) == 0)
		return 0;
	return fail(a, errno, err);
}

int
address_listen(struct address *a, struct err *err)
{
	int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	if (fd < 0)
		return fail(a, errno, err);
	if (!a->is_unix)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (listen_at(a, fd, err) == 0)
		return fd;
	close(fd);
	address_leave(a);
	return -1;
}

void
address_leave(struct address *a)
{
	struct own_rights kept;

	if (a->folder < 0)
		return;
	own_rights_begin_to_write(&kept);
	remove_stale(a);
	own_rights_end(&kept);
	close(a->folder);
	a->folder = -1;
}

bool
address_of(int fd, struct address *a)
{
	*a = (struct address){ .len = sizeof(a->room), .folder = -1 };
	if (getsockname(fd, &a->any, &a->len) < 0)
		return false;
	a->is_unix = a->any.sa_family == AF_UNIX;
	a->is_loopback = a->is_unix || is_loopback(a);
	return a->is_unix || a->any.sa_family == AF_INET || a->any.sa_family == AF_INET6;
}

void
address_put(struct buf *b, int fd)
{
	struct address a;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&a.room;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a.room;
	char text[INET6_ADDRSTRLEN] = "";

	if (!address_of(fd, &a))
		return;
	if (a.any.sa_family == AF_UNIX)
		buf_addf(b, "unix:%s", path_of(&a));
	else if (a.any.sa_family == AF_INET)
		buf_addf(b, "http://%s:%u/", inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text)),
			 ntohs(in->sin_port));
	else
		buf_addf(b, "http://[%s]:%u/", inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text)),
			 ntohs(in6->sin6_port));
}

bool
address_is_own_host(const char *host)
{
	struct address a = { .len = 0 };
	char name[HOST_MAX], with_port[HOST_MAX + sizeof(":0")];
	const char *end = strrchr(host, ']'), *colon = strrchr(end != NULL ? end : host, ':');
	uint64_t port;

	if (strlen(host) >= HOST_MAX)
		return false;
	snprintf(with_port, sizeof(with_port), "%s%s", host, colon == NULL ? ":0" : "");
	return split(with_port, name, &port) && parse_host(name, (uint16_t)port, &a) && a.is_loopback;
}
