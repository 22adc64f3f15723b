/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/debug_file.h"
#include "symbol/elf/elf_section.h"
#include "symbol/elf/elf_symbols.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CHUNK = 64 << 10,
	LINK_MAX_LEN = DEBUG_NAME_MAX + 8, /* name, padding, CRC */
};

/* Files larger than this are not read to the end only to see whether they are the right one. */
#define CRC_MAX_BYTES (UINT64_C(1) << 30)

char *
debug_file_link(const struct elf_file *f, uint32_t *crc)
{
	char *text = NULL;
	GElf_Shdr sh;
	size_t len, at;

	if (elf_section_find(f, ".gnu_debuglink", &sh) != NULL)
		text = (char *)elf_section_read(f, &sh, LINK_MAX_LEN, &len);
	if (text == NULL)
		return NULL;
	/* The CRC is behind the name, at the next multiple of four. */
	at = (strnlen(text, len) + 4) & ~(size_t)3;
	if (*text == '\0' || at > len || len - at < sizeof(*crc)) {
		free(text);
		return NULL;
	}
	memcpy(crc, text + at, sizeof(*crc));
	return text;
}

/* That of zlib and Ethernet. */
static uint32_t
crc_add(uint32_t crc, const uint8_t *p, size_t len)
{
	uint32_t table[256];

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	crc = ~crc;
	while (len-- > 0)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
	return ~crc;
}

static bool
has_crc(const struct elf_file *debug, uint32_t want)
{
	uint8_t *buf = mem_realloc(NULL, CHUNK, 1);
	uint32_t crc = 0;
	uint64_t at = 0;
	ssize_t n = 0;

	if (debug->bytes <= CRC_MAX_BYTES)
		while ((n = pread(debug->fd, buf, CHUNK, (off_t)at)) > 0 && at < CRC_MAX_BYTES) {
			crc = crc_add(crc, buf, (size_t)n);
			at += (uint64_t)n;
		}
	free(buf);
	return at > 0 && crc == want;
}

static bool
has_id(const struct elf_file *f, const void *id, size_t len)
{
	return len > 0 && f->build_id_len == MIN(len, sizeof(f->build_id)) &&
	       memcmp(f->build_id, id, f->build_id_len) == 0;
}

/* Where both have a build-id, it tells; a CRC is read from the whole file. */
static bool
is_build_of(const struct elf_file *debug, const struct elf_file *f, const uint32_t *crc)
{
	if (debug->build_id_len > 0 && f->build_id_len > 0)
		return has_id(debug, f->build_id, f->build_id_len);
	return crc != NULL && has_crc(debug, *crc);
}

static bool
has_any(const struct elf_file *debug, unsigned has)
{
	return (has & DEBUG_HAS_SYMBOLS && elf_symbols_has_table(debug)) ||
	       (has & DEBUG_HAS_DWARF && elf_section_has_dwarf(debug));
}

/* What a found file has to be. */
struct wanted {
	const struct elf_file *f; /* its debug file, by its CRC if there is no build-id */
	const uint32_t *crc;
	unsigned has;
	const void *id; /* or, without @f, the file of this build-id */
	size_t id_len;
};

static bool
is_wanted(const struct elf_file *debug, const struct wanted *w)
{
	if (w->f == NULL)
		return has_id(debug, w->id, w->id_len);
	return has_any(debug, w->has) && is_build_of(debug, w->f, w->crc);
}

static bool
try_each(struct debug_file *d, const struct debug_finder *finder, struct debug_ask *ask,
	 const struct wanted *w)
{
	for (ask->nth = 0; finder != NULL && ask->nth < DEBUG_NTH_MAX; ask->nth++) {
		int fd = finder->find(finder, ask);

		if (fd < 0)
			return false;
		if (elf_file_open(&d->elf, fd, NULL) == 0 && is_wanted(&d->elf, w))
			return true;
		elf_file_close(&d->elf);
		close(fd);
		d->refused = true;
	}
	return false;
}

static void
ask_for_id(struct debug_ask *ask, const void *id, size_t len)
{
	ask->want = DEBUG_BY_ID;
	ask->build_id_len = (uint8_t)MIN(len, sizeof(ask->build_id));
	memcpy(ask->build_id, id, ask->build_id_len);
}

/* false: too long to be asked for. */
static bool
ask_for_name(struct debug_ask *ask, enum debug_want want, const char *name)
{
	size_t len = strlen(name);

	ask->want = want;
	if (len >= sizeof(ask->name))
		return false;
	memcpy(ask->name, name, len + 1);
	return true;
}

static bool
open_by_link(struct debug_file *d, const struct elf_file *f, const struct debug_finder *finder,
	     unsigned has)
{
	uint32_t crc;
	char *name = debug_file_link(f, &crc);
	struct debug_ask ask = { 0 };
	struct wanted w = { .f = f, .crc = &crc, .has = has };
	bool ok = name != NULL && ask_for_name(&ask, DEBUG_BY_LINK, name) &&
		  try_each(d, finder, &ask, &w);

	free(name);
	return ok;
}

bool
debug_file_open(struct debug_file *d, enum debug_want want, const struct elf_file *f,
		const struct debug_finder *finder, unsigned has)
{
	struct wanted w = { .f = f, .has = has };
	struct debug_ask ask = { 0 };

	if (want == DEBUG_BY_LINK)
		return open_by_link(d, f, finder, has);
	ask_for_id(&ask, f->build_id, f->build_id_len);
	return f->build_id_len > 0 && try_each(d, finder, &ask, &w);
}

bool
debug_file_find(struct debug_file *d, const struct elf_file *f,
		const struct debug_finder *finder, unsigned has)
{
	return debug_file_open(d, DEBUG_BY_ID, f, finder, has) ||
	       debug_file_open(d, DEBUG_BY_LINK, f, finder, has);
}

bool
debug_file_open_alt(struct debug_file *d, const char *path, const void *build_id,
		    size_t build_id_len, const struct debug_finder *finder)
{
	struct wanted w = { .id = build_id, .id_len = build_id_len };
	struct debug_ask ask = { 0 };

	ask_for_id(&ask, build_id, build_id_len);
	return try_each(d, finder, &ask, &w) ||
	       (ask_for_name(&ask, DEBUG_BY_PATH, path) && try_each(d, finder, &ask, &w));
}

void
debug_file_close(struct debug_file *d)
{
	if (d->elf.elf == NULL)
		return;
	elf_file_close(&d->elf);
	close(d->elf.fd);
}
