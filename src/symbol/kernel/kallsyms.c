/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel/kallsyms.h"
#include "symbol/image/image_build.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/own_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BUF_BYTES = 64 << 10,
	HIDDEN_AFTER = 64, /* so many functions at address 0: all are */
	LOWEST = 4096,
	/* The kernel's begin is mostly in the first part of the list, never behind the last. */
	FIRST_BYTES = 16 << 10,
	LAST_BYTES = 1 << 20,
	NAME_BYTES = 512, /* KSYM_NAME_LEN */
	PADDING_MAX = 64,
};

/* Padding before a function, which has a symbol of its own: "__pfx_do_one". */
struct padding {
	struct image_symbol symbol; /* name NULL: there is none, or it is a function's by now */
	uint64_t function;          /* the address of the one that it is before, 0: not known yet */
	char name[NAME_BYTES];
};

struct parse {
	struct image_build *build;
	uint64_t moved_by;  /* from the list's addresses */
	bool only_modules;
	uint64_t functions, zeros;
	struct padding padding; /* that came last */
	uint64_t last;          /* the address of what came before, but for padding */
};

static const char *
parse_hex(const char *p, const char *end, uint64_t *out)
{
	uint64_t v = 0;

	/* Without a branch on the digit: each would be guessed wrong half of the time. */
	for (; p < end; p++) {
		unsigned c = (unsigned char)*p;

		if (!((c - '0' < 10) | ((c | 0x20) - 'a' < 6)))
			break;
		v = v << 4 | ((c & 0xf) + (c >> 6) * 9);
	}
	*out = v;
	return p;
}

/* T and W, and their local kin: the types that perf takes for code. */
static bool
parse_type(char type, enum image_binding *binding)
{
	switch (type) {
	case 'T':
		*binding = IMAGE_GLOBAL;
		return true;
	case 't':
		*binding = IMAGE_LOCAL;
		return true;
	case 'W':
	case 'w':
		*binding = IMAGE_WEAK;
		return true;
	default:
		return false;
	}
}

/* What names nothing that runs: marks between code and data on Arm, and local labels. */
static bool
is_label(const char *name, size_t len)
{
	return name[0] == '$' || (len > 2 && name[0] == '.' && name[1] == 'L');
}

/* "ext4_readdir\t[ext4]": cuts the module off; NULL: it has none. */
static const char *
parse_module(struct image_symbol *s, size_t *len)
{
	const char *end = s->name + s->name_len;
	const char *tab = s->name_len > 0 && end[-1] == ']' ? memchr(s->name, '\t', s->name_len)
							    : NULL;

	if (tab == NULL || end - tab <= 3 || tab[1] != '[')
		return NULL;
	s->name_len = (size_t)(tab - s->name);
	*len = (size_t)(end - tab - 3);
	return tab + 2;
}

static bool
is_padding(const struct image_symbol *s)
{
	static const char *const prefixes[] = { "__pfx_", "__cfi_" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (s->name_len <= NAME_BYTES && s->name_len > strlen(prefixes[i]) &&
		    memcmp(s->name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* It is that of no function. */
static void
flush_padding(struct parse *ps)
{
	if (ps->padding.symbol.name != NULL)
		image_build_add(ps->build, &ps->padding.symbol);
	ps->padding.symbol.name = NULL;
}

static void
begin_padding(struct parse *ps, const struct image_symbol *s)
{
	struct padding *p = &ps->padding;

	flush_padding(ps);
	p->function = 0;
	if (s->addr == ps->last)
		return;
	p->symbol = *s;
	p->symbol.name = memcpy(p->name, s->name, s->name_len);
}

/*
 * Of the kernel proper, whose list is in order.  Padding becomes the first bytes of the function
 * after it, whatever names that has: it doubles the list, and who was interrupted at the first
 * instruction of a function is found one byte before that.  Where a section begins with padding,
 * its mark is what names that: the function begins where it did.
 */
static void
add_function(struct parse *ps, struct image_symbol *s)
{
	struct padding *p = &ps->padding;
	uint64_t behind = s->addr - p->symbol.addr;
	bool is_near = p->symbol.name != NULL && behind <= PADDING_MAX;

	if (is_padding(s)) {
		if (!is_near)
			begin_padding(ps, s);
		return;
	}
	if (is_near) {
		p->function = behind > 0 ? s->addr : 0;
		p->symbol.name = NULL;
	}
	flush_padding(ps);
	ps->last = s->addr;
	if (s->addr == p->function)
		s->addr = p->symbol.addr;
	image_build_add(ps->build, s);
}

/* A function with its address. */
static void
add_symbol(struct parse *ps, struct image_symbol *s)
{
	size_t len = 0;
	const char *module = parse_module(s, &len);

	if (s->name_len == 0 || *s->name == '\0' || is_label(s->name, s->name_len))
		return;
	/* What is not of the kernel proper was elsewhere at each boot. */
	if (module != NULL ? ps->moved_by != 0 : ps->only_modules)
		return;
	s->addr += ps->moved_by;
	if (module == NULL) {
		add_function(ps, s);
		return;
	}
	s->module = image_build_module(ps->build, module, len);
	image_build_add(ps->build, s);
}

/* "ffffffffc0331000 t ext4_readdir\t[ext4]", the end not included. */
static void
parse_line(struct parse *ps, const char *p, const char *end)
{
	struct image_symbol s = { 0 };
	const char *start = p;

	p = parse_hex(p, end, &s.addr);
	if (p == start || end - p < 4 || p[0] != ' ' || p[2] != ' ' ||
	    !parse_type(p[1], &s.binding))
		return;
	ps->functions++;
	if (s.addr == 0) {
		ps->zeros++;
		return;
	}
	/* Not an address, but a place in each CPU's own data. */
	if (s.addr < LOWEST)
		return;
	s.name = p + 3;
	s.name_len = (size_t)(end - s.name);
	add_symbol(ps, &s);
}

/* Takes the whole lines; how many bytes they were. */
static size_t
parse_lines(struct parse *ps, const char *buf, size_t len)
{
	const char *p = buf, *end = buf + len, *nl;

	while (p < end && (nl = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		parse_line(ps, p, nl);
		p = nl + 1;
	}
	return (size_t)(p - buf);
}

static bool
is_hidden(const struct parse *ps)
{
	return ps->zeros >= HIDDEN_AFTER && ps->zeros == ps->functions;
}

static int
read_symbols(struct parse *ps, int fd, const char *path, const atomic_bool *stop, struct err *err)
{
	char *buf = mem_calloc(1, BUF_BYTES);
	size_t have = 0, used;
	ssize_t n = 0;

	while (!atomic_load_explicit(stop, memory_order_relaxed) && !is_hidden(ps)) {
		n = read(fd, buf + have, BUF_BYTES - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
		used = parse_lines(ps, buf, have);
		if (used == 0 && have == BUF_BYTES)
			used = have; /* no line is that long */
		have -= used;
		memmove(buf, buf + used, have);
	}
	free(buf);
	if (n < 0)
		return err_set(err, ERR_IO, errno, "cannot read '%s'", path);
	if (atomic_load(stop))
		return err_set(err, ERR_BUSY, 0, "ptop is ending");
	return 0;
}

/* Which of the two settings it is that hides the addresses. */
static int
hidden_error(const struct kallsyms_source *from, struct err *err)
{
	char path[512];
	int64_t restricts;

	if (from->is_file) {
		err_set(err, ERR_DENIED, 0, "the addresses in '%.100s' are all 0", from->path);
		return err_hint(err, "copy /proc/kallsyms as root");
	}
	snprintf(path, sizeof(path), "%s/sys/kernel/kptr_restrict", from->proc);
	restricts = file_number(path, 1);
	if (restricts != 0) {
		err_set(err, ERR_DENIED, 0, "kptr_restrict hides the kernel's addresses");
		/* 2 hides them from all, whatever their rights. */
		return err_hint(err, restricts == 1 ? "run with CAP_SYSLOG, or: sudo sysctl kernel.kptr_restrict=0"
						    : "sudo sysctl kernel.kptr_restrict=0");
	}
	err_set(err, ERR_DENIED, 0, "perf_event_paranoid hides the kernel's addresses");
	return err_hint(err, "run with CAP_SYSLOG, or: sudo sysctl kernel.perf_event_paranoid=1");
}

static int
finish(struct parse *ps, const struct kallsyms_source *from, struct err *err)
{
	int fd;

	flush_padding(ps);
	if (ps->zeros > 0 && ps->zeros == ps->functions)
		return hidden_error(from, err);
	if (image_build_count(ps->build) == 0) {
		err_set(err, ERR_FORMAT, 0, "no kernel functions in '%s'", from->path);
		return err_hint(err, "a kernel with CONFIG_KALLSYMS has them");
	}
	fd = image_build_finish(ps->build, err);
	if (fd >= 0 && ps->zeros > HIDDEN_AFTER) {
		err_set(err, ERR_DENIED, 0, "%llu of the kernel's %llu functions have no address",
			(unsigned long long)ps->zeros, (unsigned long long)ps->functions);
		err_hint(err, "run with CAP_SYSLOG");
	}
	return fd;
}

/* How far the kernel is from where the list has it. */
static int
find_move(struct parse *ps, const struct kallsyms_source *from, struct err *err)
{
	uint64_t text;

	if (from->text == 0)
		return 0;
	text = kallsyms_text(from->path);
	if (text == 0) {
		err_set(err, ERR_FORMAT, 0, "where the kernel begins is not in '%.100s'", from->path);
		return err_hint(err, "it must be a whole copy of /proc/kallsyms, made as root");
	}
	ps->moved_by = from->text - text;
	return 0;
}

static void
add_base(struct parse *ps, const struct image *base)
{
	for (uint32_t fn = 0; base != NULL && fn < image_count(base); fn++) {
		const char *name = image_raw_name(base, fn);

		image_build_add(ps->build, &(struct image_symbol){
			.addr = image_address(base, fn), .size = image_size(base, fn),
			.name = name, .name_len = strlen(name), .binding = IMAGE_GLOBAL });
	}
	ps->only_modules = base != NULL;
}

static int
make_image(const struct kallsyms_source *from, const atomic_bool *stop, struct err *err)
{
	struct parse ps = { 0 };
	int fd = -1, res = -1;

	ps.build = image_build_new(err);
	if (ps.build == NULL)
		goto out;
	fd = open(from->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		err_set(err, ERR_IO, errno, "cannot open '%s'", from->path);
		goto out;
	}
	if (find_move(&ps, from, err) < 0)
		goto out;
	add_base(&ps, from->base);
	if (read_symbols(&ps, fd, from->path, stop, err) == 0)
		res = finish(&ps, from, err);
out:
	if (fd >= 0)
		close(fd);
	image_build_free(ps.build);
	return res;
}

/* A copy is the user's to name; the kernel's own shows what ptop may see. */
int
kallsyms_image(const struct kallsyms_source *from, const atomic_bool *stop, struct err *err)
{
	struct own_rights kept;
	int fd;

	if (!from->is_file)
		return make_image(from, stop, err);
	own_rights_begin(&kept);
	fd = make_image(from, stop, err);
	own_rights_end(&kept);
	return fd;
}

/* The address in the line whose end is @name, 0 if there is none. */
static uint64_t
address_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	uint64_t addr = 0;

	if (at == NULL)
		return 0;
	while (at > text && at[-1] != '\n')
		at--;
	parse_hex(at, at + strlen(at), &addr);
	return addr;
}

uint64_t
kallsyms_text(const char *path)
{
	/* Absolute in some kernels, code in most. */
	static const char *const names[] = { " T _text\n", " t _text\n", " A _text\n",
					     " T _stext\n", " t _stext\n" };
	struct buf b = { 0 };
	uint64_t addr = 0;

	for (size_t max = FIRST_BYTES; max <= LAST_BYTES && addr == 0; max *= 8) {
		buf_reset(&b);
		file_read(path, &b, max);
		for (size_t i = 0; i < ARRAY_SIZE(names) && addr == 0; i++)
			addr = address_of(buf_str(&b), names[i]);
	}
	buf_release(&b);
	return addr;
}
