/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/code/code_file.h"

#include "base/text.h"
#include "symbol/elf/demangle.h"
#include "symbol/elf/elf_image.h"
#include "symbol/image/image.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	STRING_LEAST = 3, /* shorter ones are more likely numbers */
	LOADS_MAX = 64,
	NAME_BYTES_MAX = 256, /* of one name that is shown */
};

/* What lies in memory that the program does not write to. */
struct constant {
	uint64_t addr, offset, len;
};

struct code_file {
	struct elf_file elf;
	struct stat st;
	unsigned machine;
	bool is_64, is_fixed;
	struct image *image; /* its functions; NULL: none is known */
	struct data_names data;
	struct code_links links;
	struct constant constants[LOADS_MAX];
	unsigned constant_count;
	bool is_moved;
	uint64_t shift; /* from its own addresses to those in memory */
};

static void
find_constants(struct code_file *c)
{
	size_t count = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(c->elf.elf, &count) < 0)
		return;
	for (size_t i = 0; i < MIN(count, INT_MAX) && c->constant_count < LOADS_MAX; i++)
		if (gelf_getphdr(c->elf.elf, (int)i, &ph) != NULL && ph.p_type == PT_LOAD &&
		    !(ph.p_flags & PF_W) && ph.p_filesz > 0)
			c->constants[c->constant_count++] =
				(struct constant){ ph.p_vaddr, ph.p_offset, ph.p_filesz };
}

static void
find_names(struct code_file *c, const struct debug_finder *finder)
{
	struct debug_file other = { 0 };
	struct err err = { 0 };
	int fd = elf_image(&c->elf, finder, &err);

	c->image = fd >= 0 ? image_open(fd, &err) : NULL;
	data_names_add(&c->data, &c->elf, 0);
	data_names_add_slots(&c->data, &c->elf);
	if (finder != NULL && debug_file_find(&other, &c->elf, finder, DEBUG_HAS_SYMBOLS))
		data_names_add(&c->data, &other.elf, elf_file_bias(&c->elf, &other.elf));
	debug_file_close(&other);
	data_names_sort(&c->data);
}

struct code_file *
code_file_open(int fd, const struct debug_finder *finder, struct err *err)
{
	struct code_file *c = mem_calloc(1, sizeof(*c));
	GElf_Ehdr eh;

	if (fstat(fd, &c->st) < 0 || elf_file_open(&c->elf, fd, err) < 0) {
		close(fd);
		free(c);
		return NULL;
	}
	if (gelf_getehdr(c->elf.elf, &eh) != NULL) {
		c->machine = eh.e_machine;
		c->is_fixed = eh.e_type == ET_EXEC;
	}
	c->is_64 = gelf_getclass(c->elf.elf) == ELFCLASS64;
	find_constants(c);
	find_names(c, finder);
	code_links_find(&c->links, &c->elf, c->machine);
	return c;
}

void
code_file_close(struct code_file *c)
{
	if (c == NULL)
		return;
	image_free(c->image);
	data_names_release(&c->data);
	free(c->links.items);
	elf_file_close(&c->elf);
	close(c->elf.fd);
	free(c);
}

bool
code_file_is(const struct code_file *c, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == c->st.st_dev && st.st_ino == c->st.st_ino &&
	       st.st_size == c->st.st_size && st.st_mtim.tv_sec == c->st.st_mtim.tv_sec &&
	       st.st_mtim.tv_nsec == c->st.st_mtim.tv_nsec;
}

int
code_file_dup(const struct code_file *c)
{
	return fcntl(c->elf.fd, F_DUPFD_CLOEXEC, 3);
}

unsigned
code_file_machine(const struct code_file *c)
{
	return c->machine;
}

bool
code_file_is_64(const struct code_file *c)
{
	return c->is_64;
}

bool
code_file_is_fixed(const struct code_file *c)
{
	return c->is_fixed;
}

bool
code_file_address(const struct code_file *c, uint64_t offset, uint64_t *addr)
{
	uint64_t in_file;

	if (!c->is_moved)
		return elf_file_vaddr(&c->elf, offset, addr);
	*addr = offset;
	return code_file_offset(c, offset, &in_file);
}

bool
code_file_offset(const struct code_file *c, uint64_t offset, uint64_t *in_file)
{
	*in_file = offset;
	return !c->is_moved || elf_file_offset(&c->elf, offset - c->shift, in_file);
}

int
code_file_move(struct code_file *c, uint64_t text, struct err *err)
{
	uint64_t linked = text != 0 ? vmlinux_text(&c->elf) : 0;

	c->is_moved = false;
	c->shift = 0;
	if (text == 0)
		return 0;
	if (linked == 0)
		return err_set(err, ERR_FORMAT, 0, "no kernel: it has no symbol '_text'");
	c->is_moved = true;
	c->shift = text - linked;
	return 0;
}

static size_t
read_bytes(const struct code_file *c, uint64_t offset, uint8_t *out, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(c->elf.fd, out + done, len - done, (off_t)(offset + done));

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

size_t
code_file_read(const struct code_file *c, uint64_t offset, uint8_t *out, size_t len)
{
	if (!code_file_offset(c, offset, &offset) ||
	    (c->elf.is_module && !code_module_place(&c->elf, &offset)))
		return 0;
	return read_bytes(c, offset, out, len);
}

bool
code_file_extent(const struct code_file *c, uint64_t offset, uint64_t *start, uint64_t *size)
{
	uint64_t asked = offset;
	uint32_t fn;

	if (c->image == NULL || !code_file_offset(c, offset, &offset))
		return false;
	fn = image_find(c->image, offset);
	if (fn == IMAGE_NONE)
		return false;
	*start = asked - (offset - image_address(c->image, fn));
	*size = image_size(c->image, fn);
	return *size > 0;
}

/* A name as people write it, and how far behind its begin. */
static void
add_name(const char *raw, uint64_t behind, struct buf *out)
{
	char *nicer = demangle(raw);

	text_add_safe(out, nicer, strnlen(nicer, NAME_BYTES_MAX));
	free(nicer);
	if (behind > 0)
		buf_addf(out, "+0x%" PRIx64, behind);
}

bool
code_file_name_code(const struct code_file *c, uint64_t addr, struct buf *out)
{
	uint64_t offset;
	uint32_t fn;

	if (c->image == NULL || !elf_file_offset(&c->elf, addr - c->shift, &offset))
		return false;
	fn = image_find(c->image, offset);
	if (fn == IMAGE_NONE)
		return false;
	add_name(image_raw_name(c->image, fn), offset - image_address(c->image, fn), out);
	return true;
}

bool
code_file_name_link(const struct code_file *c, uint64_t addr, unsigned len, struct buf *out)
{
	const struct code_link *l = code_links_at(&c->links, addr, len);

	if (l != NULL && l->is_place)
		code_file_name_code(c, l->place, out);
	else if (l != NULL)
		add_name(l->name, l->behind, out);
	return l != NULL;
}

/* As C writes it. */
static void
add_char(struct buf *out, char ch)
{
	static const char codes[] = "\n\t\r\"\\", letters[] = "ntr\"\\";
	const char *code = strchr(codes, ch);

	if (code != NULL) {
		buf_add_char(out, '\\');
		ch = letters[code - codes];
	}
	buf_add_char(out, ch);
}

static bool
is_text(uint8_t b)
{
	return (b >= ' ' && b < 0x7f) || b == '\n' || b == '\t' || b == '\r';
}

/* A text that ends, or goes on beyond what is shown, is taken for one. */
static bool
add_string(const struct code_file *c, uint64_t offset, size_t len, struct buf *out)
{
	uint8_t bytes[CODE_STRING_MAX + 1];
	size_t got = read_bytes(c, offset, bytes, MIN(len, sizeof(bytes))), n = 0;
	bool ends;

	while (n < got && is_text(bytes[n]))
		n++;
	ends = n < got && bytes[n] == '\0';
	if (n < STRING_LEAST || (!ends && n < sizeof(bytes)))
		return false;
	n = MIN(n, CODE_STRING_MAX);
	buf_add_char(out, '"');
	for (size_t i = 0; i < n; i++)
		add_char(out, (char)bytes[i]);
	buf_add_str(out, ends ? "\"" : "\"...");
	return true;
}

bool
code_file_name_data(const struct code_file *c, uint64_t addr, struct buf *out)
{
	const struct data_name *n;
	uint64_t offset, own = addr - c->shift;

	n = data_names_find(&c->data, own);
	if (n != NULL) {
		add_name(c->data.text.data + n->name, own - n->addr, out);
		buf_add_str(out, n->is_slot ? "@got" : "");
		return true;
	}
	if (elf_file_offset(&c->elf, own, &offset) && code_file_name_code(c, addr, out))
		return true;
	for (unsigned i = 0; i < c->constant_count; i++) {
		const struct constant *k = &c->constants[i];

		if (own >= k->addr && own - k->addr < k->len)
			return add_string(c, own - k->addr + k->offset,
					  (size_t)(k->len - (own - k->addr)), out);
	}
	return false;
}
