/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/file/parcel.h"

#include "base/process.h"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int
parcel_new(int fd)
{
	char byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1 };
	union passed_fd room;
	int ends[2];
	bool sent;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	passed_fd_put(&m, &room, fd);
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
	char byte;
	struct iovec data = { &byte, 1 };
	union passed_fd room;
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = room.bytes,
			    .msg_controllen = sizeof(room.bytes) };
	struct stat st;
	int file = -1;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISSOCK(st.st_mode))
		return fd;
	if (recvmsg(fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) == 1)
		file = passed_fd_take(&m);
	close(fd);
	return file;
}
