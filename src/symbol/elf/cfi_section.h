/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_CFI_SECTION_H
#define PTOP_SYMBOL_ELF_CFI_SECTION_H
/*
 * The entries of .eh_frame and .debug_frame.  With libdw only: whoever includes this is built with
 * HAVE_LIBDW.  Symbol service thread only.
 */
#include "symbol/elf/elf_file.h"

#include "base/reader.h"

struct cfi_section {
	const uint8_t *ident; /* the file's e_ident */
	bool is_eh;
	uint64_t vaddr; /* that of the section */
	struct bytes data;
	uint8_t *owned; /* data, if that is not libelf's */
};

/* What functions have in common (a CIE). */
struct cfi_common {
	uint64_t offset; /* in the section */
	uint64_t code_align;
	int64_t data_align;
	uint8_t ra;       /* the register of the return address */
	uint8_t encoding; /* of addresses, DW_EH_PE_ */
	bool is_sized;    /* functions have augmentation data, which begins with its length */
	bool is_signal;
	size_t more;      /* bytes of augmentation data if it does not begin with its length */
	struct bytes program;
};

struct cfi_function {
	uint64_t start, end; /* virtual addresses */
	uint64_t common;     /* offset of what it has in common with others */
	struct bytes program;
};

/*
 * .eh_frame, found by its section or, without sections, by .eh_frame_hdr; .debug_frame.  false:
 * it has none.
 */
bool cfi_section_eh(struct cfi_section *s, const struct elf_file *f);
bool cfi_section_debug(struct cfi_section *s, const struct elf_file *f);
void cfi_section_release(struct cfi_section *s); /* one that was not found is allowed */

/* The entry of a function. */
struct cfi_entry {
	uint64_t common; /* offset of what it has in common with others */
	struct bytes bytes;
};

/* The next one from *@off on, which moves.  false: that was the last. */
bool cfi_section_next(const struct cfi_section *s, uint64_t *off, struct cfi_entry *entry);

/* false: it is broken, or of a kind that is not known. */
bool cfi_section_common(const struct cfi_section *s, uint64_t offset, struct cfi_common *common);
bool cfi_section_function(const struct cfi_section *s, const struct cfi_entry *entry,
			  const struct cfi_common *common, struct cfi_function *fn);

/* An address that is encoded as DW_EH_PE_ says; the failure is @r's. */
uint64_t cfi_section_address(const struct cfi_section *s, struct reader *r, uint8_t encoding);

#endif
