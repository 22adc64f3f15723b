/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_PLACES_H
#define PTOP_SYMBOL_ELF_PLACES_H
/*
 * Where functions, variables and source lines are, by name: what probes and breakpoints are put
 * on.  Symbol service thread only.
 */
#include "symbol/elf/debug_finder.h"
#include "symbol/elf/elf_file.h"

/* No more than so many for one pattern. */
enum { PLACES_MAX = 256 };

struct places {
	struct symbol_place *items;
	size_t len, cap;
};

/*
 * Adds a place, whose name is copied, unless it is there.  -1: there are too many, see @err.
 */
int places_add(struct places *p, const struct symbol_place *place, const char *pattern,
	       struct err *err);
void places_release(struct places *p);

/* Whether @pattern holds a "*". */
bool places_is_glob(const char *pattern);
bool places_match(const char *pattern, const char *name);

/*
 * The functions, or variables if @data, of @f that @pattern names, mangled or not.  @names: the
 * file with the symbol tables, @f itself or its debug file.  0; or -1: none, and why.
 */
int places_in_file(const struct elf_file *f, const struct elf_file *names, const char *pattern,
		   bool data, struct places *out, struct err *err);

/*
 * Functions, or variables if @data, of the kernel and its modules, from the text of /proc/kallsyms
 * at @path.
 */
int places_in_kernel(const char *path, const char *pattern, bool data, struct places *out,
		     struct err *err);

/* @offset of the file, which must be in its code. */
int places_of_offset(const struct elf_file *f, uint64_t offset, struct places *out,
		     struct err *err);

/*
 * The variable that is at @addr, an address of the file; @names as above.  Its name is as it is
 * shown.
 */
int places_of_variable(const struct elf_file *f, const struct elf_file *names, uint64_t addr,
		       struct places *out, struct err *err);

/* Whether @pattern is "FILE:LINE": where the file's name ends. */
bool places_is_line(const char *pattern, size_t *file_len, unsigned *line);

/*
 * The code of a source line, once for each function that it is part of, from the debug data of @f
 * or of its debug file.
 */
int places_of_line(const struct elf_file *f, const struct debug_finder *finder,
		   const char *pattern, struct places *out, struct err *err);

#endif
