/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Burns CPU in the kernel. */
#include <fcntl.h>
#include <unistd.h>

int
main(void)
{
	static char bytes[1 << 18];
	int fd = open("/dev/zero", O_RDONLY);

	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	return 1;
}
