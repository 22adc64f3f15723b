/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_DEBUG_FILE_H
#define PTOP_SYMBOL_ELF_DEBUG_FILE_H
/*
 * Separate debug files of a dso: its own, by build-id or by the name in .gnu_debuglink, and the one
 * that dwz(1) made for several.  Each is checked to be of the same build.  Symbol service thread
 * only.
 */
#include "symbol/elf/debug_finder.h"
#include "symbol/elf/elf_file.h"

/* Zero-initialise to begin. */
struct debug_file {
	struct elf_file elf; /* its descriptor is the debug_file's */
	bool refused;        /* one was found, but of another build or broken */
};

enum debug_has {
	DEBUG_HAS_SYMBOLS = 1 << 0,
	DEBUG_HAS_DWARF = 1 << 1,
};

/* Opens the debug file that has any of @has (enum debug_has).  false: there is none. */
bool debug_file_open(struct debug_file *d, enum debug_want want, const struct elf_file *f,
		     const struct debug_finder *finder, unsigned has);

/* The same by build-id, else by name. */
bool debug_file_find(struct debug_file *d, const struct elf_file *f,
		     const struct debug_finder *finder, unsigned has);

/* Opens the file with that build-id, at @path if it is not found by it. */
bool debug_file_open_alt(struct debug_file *d, const char *path, const void *build_id,
			 size_t build_id_len, const struct debug_finder *finder);

void debug_file_close(struct debug_file *d); /* one that is not open is allowed */

/* The name in .gnu_debuglink, a new string, and its CRC; NULL: there is none. */
char *debug_file_link(const struct elf_file *f, uint32_t *crc);

#endif
