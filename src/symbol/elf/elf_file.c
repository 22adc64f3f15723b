/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_SECTIONS = 1 << 18, /* libelf keeps some 200 bytes for each */
	MAX_NOTES = 64 << 10,
};

/* Sections beyond 65279 are counted in the first section's header. */
static uint64_t
extended_sections(int fd, bool is64, uint64_t shoff)
{
	Elf64_Shdr s64;
	Elf32_Shdr s32;

	if (shoff == 0)
		return 0;
	if (is64)
		return pread(fd, &s64, sizeof(s64), (off_t)shoff) == sizeof(s64) ? s64.sh_size : 0;
	return pread(fd, &s32, sizeof(s32), (off_t)shoff) == sizeof(s32) ? s32.sh_size : 0;
}

static uint64_t
section_count(int fd, bool is64, const void *head)
{
	const Elf64_Ehdr *e64 = head;
	const Elf32_Ehdr *e32 = head;
	uint64_t n = is64 ? e64->e_shnum : e32->e_shnum;

	return n != 0 ? n : extended_sections(fd, is64, is64 ? e64->e_shoff : e32->e_shoff);
}

/* What libelf would choke on, or say less clearly. */
static int
head_check(struct elf_file *f, struct err *err)
{
	const int native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
	} head = { { 0 } };
	bool is64;
	ssize_t n;

	if (f->bytes == 0)
		return err_set(err, ERR_FORMAT, 0, "empty file");
	n = pread(f->fd, &head, sizeof(head), 0);
	if (n < 0)
		return err_set(err, ERR_IO, errno, "cannot read the file");
	if (n < SELFMAG || memcmp(head.ident, ELFMAG, SELFMAG) != 0)
		return err_set(err, ERR_FORMAT, 0, "not an ELF file");
	is64 = head.ident[EI_CLASS] == ELFCLASS64;
	if (n < (ssize_t)(is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return err_set(err, ERR_FORMAT, 0, "truncated ELF file");
	if (head.ident[EI_DATA] != native)
		return err_set(err, ERR_UNSUPPORTED, 0, "ELF file of another byte order");
	if (section_count(f->fd, is64, &head) > MAX_SECTIONS)
		return err_set(err, ERR_LIMIT, 0, "ELF file with too many sections");
	return 0;
}

static void
read_build_id(struct elf_file *f, uint64_t offset, uint64_t len, uint64_t align)
{
	size_t pos = 0, name, desc;
	Elf_Data *data;
	GElf_Nhdr note;

	if (len == 0 || len > MAX_NOTES || offset > f->bytes)
		return;
	data = elf_getdata_rawchunk(f->elf, (int64_t)offset, len,
				    align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	while (data != NULL && (pos = gelf_getnote(data, pos, &note, &name, &desc)) > 0) {
		const uint8_t *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp(bytes + name, "GNU", 4) != 0 || note.n_descsz == 0)
			continue;
		f->build_id_len = (uint8_t)MIN(note.n_descsz, sizeof(f->build_id));
		memcpy(f->build_id, bytes + desc, f->build_id_len);
		return;
	}
}

/*
 * Files that are not loaded have no segments: those of dwz(1), objects.  Those that perf inject
 * makes of JIT code have none for their notes.
 */
static void
find_build_id_section(struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (f->build_id_len == 0 && (scn = elf_nextscn(f->elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_NOTE)
			read_build_id(f, sh.sh_offset, sh.sh_size, sh.sh_addralign);
}

static int
read_segments(struct elf_file *f, struct err *err)
{
	size_t i, n;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return err_set(err, ERR_FORMAT, 0, "broken ELF file: %s", elf_errmsg(-1));
	for (i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(f->elf, (int)i, &ph) == NULL)
			return err_set(err, ERR_FORMAT, 0, "truncated ELF file");
		if (ph.p_type == PT_NOTE && f->build_id_len == 0)
			read_build_id(f, ph.p_offset, ph.p_filesz, ph.p_align);
		if (ph.p_type == PT_LOAD && (ph.p_flags & PF_X) &&
		    f->segment_count < ELF_FILE_MAX_SEGMENTS)
			f->segments[f->segment_count++] =
				(struct elf_segment){ ph.p_vaddr, ph.p_offset, ph.p_filesz, 0 };
	}
	find_build_id_section(f);
	return 0;
}

int
elf_file_open(struct elf_file *f, int fd, struct err *err)
{
	struct stat st;

	*f = (struct elf_file){ .fd = fd };
	if (fstat(fd, &st) != 0)
		return err_set(err, ERR_IO, errno, "cannot look at the file");
	f->bytes = (uint64_t)st.st_size;
	if (head_check(f, err) != 0)
		return -1;
	elf_version(EV_CURRENT);
	/* Not mapped: whoever truncates a mapped file would end ptop by SIGBUS. */
	f->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (f->elf == NULL || elf_kind(f->elf) != ELF_K_ELF) {
		err_set(err, ERR_FORMAT, 0, "broken ELF file: %s", elf_errmsg(-1));
		goto fail;
	}
	if (read_segments(f, err) != 0)
		goto fail;
	if (f->segment_count == 0)
		elf_module_lay_out(f);
	return 0;
fail:
	elf_file_close(f);
	return -1;
}

void
elf_file_close(struct elf_file *f)
{
	if (f->elf != NULL)
		elf_end(f->elf);
	f->elf = NULL;
}

bool
elf_file_offset(const struct elf_file *f, uint64_t vaddr, uint64_t *offset)
{
	unsigned i;

	for (i = 0; i < f->segment_count; i++) {
		const struct elf_segment *s = &f->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->len) {
			*offset = vaddr - s->vaddr + s->offset;
			return true;
		}
	}
	return false;
}

bool
elf_file_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *vaddr)
{
	unsigned i;

	for (i = 0; i < f->segment_count; i++) {
		const struct elf_segment *s = &f->segments[i];

		if (offset >= s->offset && offset - s->offset < s->len) {
			*vaddr = offset - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}

bool
elf_file_section_base(const struct elf_file *f, size_t section, uint64_t *base)
{
	*base = 0;
	if (!f->is_module)
		return true;
	for (unsigned i = 0; i < f->segment_count; i++)
		if (f->segments[i].section == section) {
			*base = f->segments[i].vaddr;
			return true;
		}
	return false;
}

uint64_t
elf_file_bias(const struct elf_file *f, const struct elf_file *debug)
{
	if (f->segment_count == 0 || debug->segment_count == 0)
		return 0;
	return f->segments[0].vaddr - debug->segments[0].vaddr;
}
