/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Header, program header and note; a hole as long as the code; symbols, their names, the names of
 * the sections, and the sections' headers.
 */
#include "image.h"
#include "scale.h"

#include "base/buf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SECTION_NOTE = 1, SECTION_TEXT, SECTION_SYMTAB, SECTION_STRTAB, SECTION_NAMES, SECTIONS };

static const char section_names[] = "\0.note.gnu.build-id\0.text\0.symtab\0.strtab\0.shstrtab";

struct note {
	Elf64_Nhdr head;
	char name[4];
	uint8_t id[IMAGE_ID_BYTES];
};

struct image {
	struct buf head, tail; /* before and behind the code */
	Elf64_Shdr sections[SECTIONS];
	uint64_t text_bytes;
};

static uint32_t
name_at(const char *name)
{
	return (uint32_t)((const char *)memmem(section_names, sizeof(section_names), name,
					       strlen(name) + 1) - section_names);
}

static void
make_head(struct image *m, const uint8_t id[IMAGE_ID_BYTES])
{
	struct note note = { { 4, IMAGE_ID_BYTES, NT_GNU_BUILD_ID }, "GNU", { 0 } };
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
			     EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(head), .e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};
	const Elf64_Phdr load = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X,
		.p_filesz = SCALE_TEXT_AT + m->text_bytes,
		.p_memsz = SCALE_TEXT_AT + m->text_bytes, .p_align = SCALE_TEXT_AT,
	};

	memcpy(note.id, id, sizeof(note.id));
	m->sections[SECTION_NOTE].sh_offset = sizeof(head) + sizeof(load);
	m->sections[SECTION_NOTE].sh_size = sizeof(note);
	m->sections[SECTION_TEXT].sh_offset = SCALE_TEXT_AT;
	m->sections[SECTION_TEXT].sh_size = m->text_bytes;
	head.e_shoff = m->sections[SECTION_NAMES].sh_offset + m->sections[SECTION_NAMES].sh_size;
	buf_add(&m->head, &head, sizeof(head));
	buf_add(&m->head, &load, sizeof(load));
	buf_add(&m->head, &note, sizeof(note));
}

/* Begins and ends a section of what is added to the tail in between. */
static void
begin(struct image *m, int section)
{
	buf_add_fill(&m->tail, '\0', -m->tail.len % 8);
	m->sections[section].sh_offset = SCALE_TEXT_AT + m->text_bytes + m->tail.len;
}

static void
end(struct image *m, int section)
{
	m->sections[section].sh_size =
		SCALE_TEXT_AT + m->text_bytes + m->tail.len - m->sections[section].sh_offset;
}

static void
add_symbols(struct image *m, const char *prefix, uint64_t functions)
{
	Elf64_Sym sym = { .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = SECTION_TEXT,
			  .st_size = SCALE_FUNCTION_BYTES };
	struct buf names = { 0 };

	buf_add_char(&names, '\0');
	begin(m, SECTION_SYMTAB);
	buf_add_fill(&m->tail, '\0', sizeof(sym));
	for (uint64_t i = 0; i < functions; i++) {
		sym.st_name = (uint32_t)names.len;
		sym.st_value = SCALE_TEXT_AT + i * SCALE_FUNCTION_BYTES;
		buf_add(&m->tail, &sym, sizeof(sym));
		buf_addf(&names, "%s_%lu", prefix, i);
		buf_add_char(&names, '\0');
	}
	end(m, SECTION_SYMTAB);
	begin(m, SECTION_STRTAB);
	buf_add(&m->tail, names.data, names.len);
	end(m, SECTION_STRTAB);
	buf_release(&names);
}

static void
describe_sections(struct image *m)
{
	static const struct {
		const char *name;
		uint32_t type, link;
		uint64_t flags, addr, item;
	} all[SECTIONS] = {
		[SECTION_NOTE] = { ".note.gnu.build-id", SHT_NOTE, 0, SHF_ALLOC, 0, 0 },
		[SECTION_TEXT] = { ".text", SHT_PROGBITS, 0, SHF_ALLOC | SHF_EXECINSTR,
				   SCALE_TEXT_AT, 0 },
		[SECTION_SYMTAB] = { ".symtab", SHT_SYMTAB, SECTION_STRTAB, 0, 0,
				     sizeof(Elf64_Sym) },
		[SECTION_STRTAB] = { ".strtab", SHT_STRTAB, 0, 0, 0, 0 },
		[SECTION_NAMES] = { ".shstrtab", SHT_STRTAB, 0, 0, 0, 0 },
	};

	for (int i = SECTION_NOTE; i < SECTIONS; i++) {
		m->sections[i].sh_name = name_at(all[i].name);
		m->sections[i].sh_type = all[i].type;
		m->sections[i].sh_link = all[i].link;
		m->sections[i].sh_info = i == SECTION_SYMTAB; /* none is local, but the first */
		m->sections[i].sh_flags = all[i].flags;
		m->sections[i].sh_addr = all[i].addr;
		m->sections[i].sh_entsize = all[i].item;
		m->sections[i].sh_addralign = i == SECTION_NOTE ? 4 : 8;
	}
	m->sections[SECTION_NOTE].sh_addr = m->sections[SECTION_NOTE].sh_offset;
}

static bool
write_at(int fd, const struct buf *b, uint64_t at)
{
	for (size_t done = 0; done < b->len;) {
		ssize_t n = pwrite(fd, b->data + done, b->len - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool
write_file(const struct image *m, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool res = fd >= 0 && write_at(fd, &m->head, 0) &&
		   write_at(fd, &m->tail, SCALE_TEXT_AT + m->text_bytes);

	return fd >= 0 && close(fd) == 0 && res;
}

static void
make_id(const char *path, uint8_t id[IMAGE_ID_BYTES])
{
	uint64_t hash = 0;

	for (const char *c = path; *c != '\0'; c++)
		hash = scale_mix(hash ^ (uint8_t)*c);
	for (int i = 0; i < IMAGE_ID_BYTES; i++)
		id[i] = (uint8_t)scale_mix(hash + (uint64_t)i);
}

bool
image_write(const char *path, const char *prefix, uint64_t functions, uint8_t id[IMAGE_ID_BYTES])
{
	struct image m = { .text_bytes = functions * SCALE_FUNCTION_BYTES };
	bool res;

	make_id(path, id);
	add_symbols(&m, prefix, functions);
	begin(&m, SECTION_NAMES);
	buf_add(&m.tail, section_names, sizeof(section_names));
	buf_add_fill(&m.tail, '\0', -m.tail.len % 8);
	end(&m, SECTION_NAMES);
	make_head(&m, id);
	describe_sections(&m);
	buf_add(&m.tail, m.sections, sizeof(m.sections));
	res = write_file(&m, path);
	buf_release(&m.head);
	buf_release(&m.tail);
	return res;
}
