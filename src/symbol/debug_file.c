/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/debug_file.h"
#include "symbol/elf_symbols.h"

#include <string.h>
#include <unistd.h>

int
debug_file_open(struct elf_file *debug, const struct elf_file *f,
		const struct debug_finder *finder)
{
	struct debug_ask ask = { .want = DEBUG_BY_ID, .build_id_len = f->build_id_len };
	int fd;

	memcpy(ask.build_id, f->build_id, sizeof(ask.build_id));
	fd = finder->find(finder, &ask);
	if (fd < 0)
		return -1;
	if (elf_file_open(debug, fd, NULL) == 0) {
		if (debug->build_id_len == f->build_id_len &&
		    memcmp(debug->build_id, f->build_id, f->build_id_len) == 0 &&
		    elf_symbols_has_table(debug))
			return fd;
		elf_file_close(debug);
	}
	close(fd);
	return -1;
}
