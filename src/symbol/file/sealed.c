/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/file/sealed.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int
sealed_new(const char *name, struct err *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return err_set(err, ERR_LIMIT, errno, "cannot make a file in memory");
	return fd;
}

int
sealed_write(int fd, const void *data, size_t len)
{
	return file_write_all(fd, data, len);
}

int
sealed_seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
}

bool
sealed_stays(int fd, const struct stat *st)
{
	const int want = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals >= 0 && (seals & want) == want)
		return true;
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() && (st->st_mode & 077) == 0;
}
