/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kallsyms.h"
#include "symbol/image_build.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BUF_BYTES = 64 << 10,
	HIDDEN_AFTER = 64, /* so many functions at address 0: all are */
};

struct parse {
	struct image_build *build;
	uint64_t functions, zeros;
};

static const char *
take_hex(const char *p, const char *end, uint64_t *out)
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
take_type(char type, enum image_binding *binding)
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

/* "ffffffffc0331000 t ext4_readdir\t[ext4]", the end not included. */
static void
take_line(struct parse *ps, const char *p, const char *end)
{
	struct image_symbol s = { 0 };
	const char *start = p, *tab;

	p = take_hex(p, end, &s.addr);
	if (p == start || end - p < 4 || p[0] != ' ' || p[2] != ' ' ||
	    !take_type(p[1], &s.binding))
		return;
	ps->functions++;
	if (s.addr == 0) {
		ps->zeros++;
		return;
	}
	s.name = p + 3;
	s.name_len = (size_t)(end - s.name);
	tab = end[-1] == ']' ? memchr(s.name, '\t', s.name_len) : NULL;
	if (tab != NULL && end - tab > 3 && tab[1] == '[') {
		s.name_len = (size_t)(tab - s.name);
		s.module = image_build_module(ps->build, tab + 2, (size_t)(end - tab - 3));
	}
	/* "$x" and the like mark code and data in modules of ARM. */
	if (s.name_len > 0 && s.name[0] != '$')
		image_build_add(ps->build, &s);
}

/* Takes the whole lines; how many bytes they were. */
static size_t
take_lines(struct parse *ps, const char *buf, size_t len)
{
	const char *p = buf, *end = buf + len, *nl;

	while (p < end && (nl = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		take_line(ps, p, nl);
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
		used = take_lines(ps, buf, have);
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
hidden_error(const char *proc, struct err *err)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/sys/kernel/kptr_restrict", proc);
	if (file_number(path, 1) != 0) {
		err_set(err, ERR_DENIED, 0, "kptr_restrict hides the kernel's addresses");
		return err_hint(err, "sysctl kernel.kptr_restrict=0, or run with CAP_SYSLOG");
	}
	err_set(err, ERR_DENIED, 0, "perf_event_paranoid hides the kernel's addresses");
	return err_hint(err, "sysctl kernel.perf_event_paranoid=1, or run with CAP_SYSLOG");
}

static int
finish(struct parse *ps, const char *path, const char *proc, struct err *err)
{
	if (ps->zeros > 0 && ps->zeros == ps->functions)
		return hidden_error(proc, err);
	if (image_build_count(ps->build) == 0) {
		err_set(err, ERR_FORMAT, 0, "no kernel functions in '%s'", path);
		return err_hint(err, "a kernel with CONFIG_KALLSYMS has them");
	}
	return image_build_finish(ps->build, err);
}

int
kallsyms_image(const char *path, const char *proc, const atomic_bool *stop, struct err *err)
{
	struct parse ps = { 0 };
	int fd = -1, res = -1;

	ps.build = image_build_new(err);
	if (ps.build == NULL)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		err_set(err, ERR_IO, errno, "cannot open '%s'", path);
	else if (read_symbols(&ps, fd, path, stop, err) == 0)
		res = finish(&ps, path, proc, err);
	if (fd >= 0)
		close(fd);
	image_build_free(ps.build);
	return res;
}
