/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a file whose build-id is read. */
#include "fuzz.h"

#include "symbol/file/build_id.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int
FUZZ_TARGET(build_id)(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint8_t id[BUILD_ID_BYTES];

	if (write(fd, data, size) == (ssize_t)size && build_id_read(fd, id) > BUILD_ID_BYTES)
		abort();
	close(fd);
	return 0;
}
