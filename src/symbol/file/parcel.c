/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/file/parcel.h"

#include "base/util.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int
parcel_new(int fd)
{
	char control[CMSG_SPACE(sizeof(fd))] = { 0 }, byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int ends[2];
	bool sent;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	sent = sendmsg(ends[1], &m, MSG_NOSIGNAL) == 1;
	close(ends[1]);
	if (sent)
		return ends[0];
	close(ends[0]);
	return -1;
}

int
parcel_open(int fd)
{
	char control[CMSG_SPACE(sizeof(fd))], byte;
	struct iovec data = { &byte, 1 };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	struct stat st;
	int file = -1;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISSOCK(st.st_mode))
		return fd;
	if (recvmsg(fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) == 1) {
		c = CMSG_FIRSTHDR(&m);
		if (c != NULL && c->cmsg_type == SCM_RIGHTS)
			memcpy(&file, CMSG_DATA(c), sizeof(file));
	}
	close(fd);
	return file;
}
