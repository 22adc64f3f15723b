/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/elf_image.h"
#include "symbol/image/image.h"
#include "symbol/image/image_build.h"

#include <gelf.h>
#include <string.h>

/* The value of @name in the symbol table of @section, 0 if it is not there. */
static uint64_t
symbol_in(const struct elf_file *f, Elf_Scn *section, const GElf_Shdr *sh, const char *name)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym sym;

	for (int i = 0; data != NULL && gelf_getsym(data, i, &sym) != NULL; i++) {
		const char *s = GELF_ST_TYPE(sym.st_info) == STT_NOTYPE
					? elf_strptr(f->elf, sh->sh_link, sym.st_name) : NULL;

		if (s != NULL && strcmp(s, name) == 0)
			return sym.st_value;
	}
	return 0;
}

uint64_t
vmlinux_text(const struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	uint64_t text = 0;
	GElf_Shdr sh;

	while (text == 0 && (scn = elf_nextscn(f->elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_SYMTAB)
			text = symbol_in(f, scn, &sh, "_text");
	return text;
}

/* The same functions, at the addresses where they run. */
static int
move(const struct elf_file *f, const struct image *at_offsets, uint64_t by, struct err *err)
{
	struct image_build *b = image_build_new(err);
	int fd;

	if (b == NULL)
		return -1;
	for (uint32_t fn = 0; fn < image_count(at_offsets); fn++) {
		const char *name = image_raw_name(at_offsets, fn);
		struct image_symbol s = { .size = image_size(at_offsets, fn), .name = name,
					  .name_len = strlen(name), .binding = IMAGE_GLOBAL };

		if (elf_file_vaddr(f, image_address(at_offsets, fn), &s.addr)) {
			s.addr += by;
			image_build_add(b, &s);
		}
	}
	fd = image_build_finish(b, err);
	image_build_free(b);
	return fd;
}

int
vmlinux_image(const struct elf_file *f, uint64_t text, struct err *err)
{
	uint64_t linked = vmlinux_text(f);
	struct image *image;
	int fd;

	if (linked == 0) {
		err_set(err, ERR_FORMAT, 0, "no kernel: it has no symbol '_text'");
		return err_hint(err, "it must be an uncompressed vmlinux with symbols, as the "
				     "kernel's debug package has it");
	}
	fd = elf_image(f, NULL, err);
	image = fd >= 0 ? image_open(fd, err) : NULL;
	if (image == NULL)
		return -1;
	fd = move(f, image, text - linked, err);
	image_free(image);
	return fd;
}
