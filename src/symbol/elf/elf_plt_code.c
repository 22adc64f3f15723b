/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linkers make tables of several layouts, with and without a header, of entries of 8, 16, 20 or 24
 * bytes, in any order: what tells is the address that an entry loads its target from.
 */
#include "symbol/elf/elf_plt.h"

#include <elf.h>
#include <string.h>

enum { LEN_MAX = 32 };

/* One entry's code: @len bytes at @vaddr, at least LEN_MAX, zeros behind the section. */
struct slot {
	const uint8_t *p;
	uint64_t vaddr, got;
};

struct plt_machine {
	unsigned machine;
	unsigned step; /* entries begin at multiples of it */
	/* Leaves the length 0 if the code does not tell it. */
	bool (*decode)(const struct slot *at, struct plt_code *out);
};

static uint32_t
word(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/* endbr, then "push index" or, with or without bnd, "jmp *slot". */
static bool
decode_x86(const struct slot *at, struct plt_code *out, bool is64)
{
	const uint8_t *p = at->p;
	bool marked = word(p) == (is64 ? 0xfa1e0ff3 : 0xfb1e0ff3);

	if (marked)
		p += 4;
	if (marked && *p == 0x68) {
		*out = (struct plt_code){ .by = PLT_BY_INDEX, .slot = word(p + 1) };
		return true;
	}
	if (*p == 0xf2)
		p++;
	if (p[0] != 0xff || (p[1] != 0x25 && (p[1] != 0xa3 || is64)))
		return false;
	*out = (struct plt_code){ .by = PLT_BY_SLOT };
	if (is64)
		out->slot = at->vaddr + (uint64_t)(p + 6 - at->p) + (uint64_t)(int32_t)word(p + 2);
	else if (p[1] == 0x25)
		out->slot = word(p + 2);
	else
		out->slot = (uint32_t)(at->got + word(p + 2));
	return true;
}

static bool
decode_x86_64(const struct slot *at, struct plt_code *out)
{
	return decode_x86(at, out, true);
}

static bool
decode_i386(const struct slot *at, struct plt_code *out)
{
	/* An index counts bytes of .rel.plt there. */
	if (!decode_x86(at, out, false))
		return false;
	if (out->by == PLT_BY_INDEX)
		out->slot /= sizeof(Elf32_Rel);
	return true;
}

/* bti c, or not; adrp x16, page; ldr x17, [x16, offset]; add; autia1716, or not; br x17 */
static bool
decode_aarch64(const struct slot *at, struct plt_code *out)
{
	bool marked = word(at->p) == 0xd503245f;
	const uint8_t *p = at->p + (marked ? 4 : 0);
	uint64_t pc = at->vaddr + (marked ? 4 : 0), page;
	uint32_t adrp, ldr;

	adrp = word(p);
	ldr = word(p + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (uint64_t)(adrp >> 5 & 0x7ffff) << 14 | (uint64_t)(adrp >> 29 & 3) << 12;
	if (page >> 32 & 1)
		page |= UINT64_MAX << 33;
	*out = (struct plt_code){ .by = PLT_BY_SLOT, .len = 16 };
	if (marked || word(p + 12) == 0xd503219f)
		out->len = 24;
	out->slot = (pc & ~UINT64_C(0xfff)) + page + ((ldr >> 10 & 0xfff) << 3);
	return true;
}

static const struct plt_machine machines[] = {
	{ EM_X86_64, 8, decode_x86_64 },
	{ EM_386, 8, decode_i386 },
	{ EM_AARCH64, 4, decode_aarch64 },
};

const struct plt_machine *
plt_machine(unsigned e_machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == e_machine)
			return &machines[i];
	return NULL;
}

unsigned
plt_machine_step(const struct plt_machine *m)
{
	return m->step;
}

static bool
decode_at(const struct plt_machine *m, const uint8_t *code, size_t len, size_t at,
	  uint64_t vaddr, uint64_t got, struct plt_code *out)
{
	uint8_t bytes[LEN_MAX] = { 0 };
	struct slot place = { bytes, vaddr + at, got };

	if (at >= len)
		return false;
	memcpy(bytes, code + at, MIN(sizeof(bytes), len - at));
	return m->decode(&place, out);
}

bool
plt_decode(const struct plt_machine *m, const uint8_t *code, size_t len, size_t at,
	   uint64_t vaddr, uint64_t got, struct plt_code *out)
{
	struct plt_code next;

	if (!decode_at(m, code, len, at, vaddr, got, out))
		return false;
	/* x86: one behind the other, or with a push and a jump to the header between. */
	if (out->len == 0)
		out->len = decode_at(m, code, len, at + 8, vaddr, got, &next) ? 8 : 16;
	out->len = (unsigned)MIN(out->len, len - at);
	return true;
}
