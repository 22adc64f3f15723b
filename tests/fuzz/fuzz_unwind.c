/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as rules, registers and a stack: what the rules' check lets through has to be followed
 * to an end.
 */
#include "fuzz.h"

#include "symbol/file/leb.h"
#include "symbol/unwind/rules_build.h"
#include "symbol/file/sealed.h"
#include "symbol/unwind/unwind.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Code is at small addresses: up to CODE with rules, up to CODE_END without. */
enum { CODE = 1 << 14, CODE_END = CODE + (1 << 12), STACK_AT = 1 << 20, FUNCTION = 64 };

static struct unwind_state
read_state(struct reader *r, struct rules_build *b)
{
	struct unwind_state s = { .cfa_reg = reader_u8(r), .flags = 0 };
	uint8_t flags = reader_u8(r);
	int32_t code = rules_build_code(
		b, (struct bytes){ r->pos, MIN(reader_left(r), (size_t)(flags >> 3)) });

	s.flags = flags & 1 ? UNWIND_SIGNAL : 0;
	s.ra = flags & 2 ? 30 : 16;
	s.cfa = flags & 4 ? code : (int8_t)reader_u8(r);
	s.cfa_reg = flags & 4 ? UNWIND_CFA_EXPR : s.cfa_reg % UNWIND_REGS;
	for (unsigned n = reader_u8(r) % 8; n > 0; n--) {
		unsigned reg = reader_u8(r) % UNWIND_REGS, how = reader_u8(r) % UNWIND_HOWS;

		s.set |= UINT64_C(1) << reg;
		s.regs[reg].how = (uint8_t)how;
		s.regs[reg].value = (int8_t)reader_u8(r);
		if (how == UNWIND_IN)
			s.regs[reg].value = (s.regs[reg].value & 0xff) % UNWIND_REGS;
		if (how == UNWIND_AT_EXPR || how == UNWIND_IS_EXPR)
			s.regs[reg].value = code;
	}
	return s;
}

/* The block with a few of its bytes changed. */
static int
damaged(int fd, struct reader *r)
{
	static uint8_t bytes[1 << 20];
	ssize_t len = pread(fd, bytes, sizeof(bytes), 0);
	int other = sealed_new("fuzz", NULL);

	for (unsigned n = reader_u8(r) % 4; n > 0 && len > 0; n--) {
		unsigned at = reader_u16(r);

		bytes[at % (size_t)len] = reader_u8(r);
	}
	if (other < 0 || len <= 0 || sealed_write(other, bytes, (size_t)len) != 0 ||
	    sealed_seal(other) != 0)
		abort();
	close(fd);
	return other;
}

static struct unwind_rules *
read_rules(struct reader *r, const struct unwind_machine *machine)
{
	struct rules_build *b = rules_build_new(machine, 0);
	struct err err = { 0 };
	int fd;

	for (unsigned i = 0, n = reader_u8(r) % 16; i < n; i++) {
		struct unwind_state s = read_state(r, b);

		if (rules_build_function(b, i * FUNCTION, CODE))
			rules_build_row(b, i * FUNCTION, &s);
	}
	fd = rules_build_finish(b, &err);
	rules_build_free(b);
	if (fd < 0)
		abort();
	return unwind_rules_open(damaged(fd, r), &err);
}

static int
find(void *arg, uint64_t address, struct unwind_place *place)
{
	if (address >= CODE_END)
		return address == UINT64_MAX ? 1 : -1;
	place->rules = address < CODE ? arg : NULL;
	place->bias = 0;
	return 0;
}

int
FUZZ_TARGET(unwind)(const uint8_t *data, size_t size)
{
	struct reader r = reader_over((struct bytes){ data, size });
	const enum unwind_arch arch = reader_u8(&r) & 1 ? UNWIND_ARM64 : UNWIND_X86_64;
	struct unwind_rules *rules =
		read_rules(&r, arch == UNWIND_ARM64 ? &unwind_arm64 : &unwind_x86_64);
	uint64_t regs[64], ips[UNWIND_FRAMES_MAX];
	const size_t max = UNWIND_FRAMES_MAX;
	struct unwind_result result;
	struct unwind_ask ask = { .arch = arch, .regs = regs, .find = find, .arg = rules };
	size_t n;

	ask.regs_mask = reader_u64(&r) | UINT64_C(0x180000180);
	/* Near the stack or the code: else nothing of interest would be met. */
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++)
		regs[i] = STACK_AT + (uint64_t)(int8_t)reader_u8(&r) * 8;
	regs[arch == UNWIND_ARM64 ? 32 : 8] = reader_u16(&r);
	ask.stack = r.pos;
	ask.stack_len = reader_left(&r);
	ask.cache = regs[0] & 8 ? unwind_cache_new() : NULL;
	n = unwind(&ask, ips, max, &result);
	if (n > max || result.stack_used > ask.stack_len || result.by_fp > n ||
	    result.end > UNWIND_WAITS)
		abort();
	for (size_t i = 1; i < n; i++)
		if (ips[i] - 1 >= CODE_END)
			abort();
	unwind_cache_free(ask.cache);
	unwind_rules_free(rules);
	return 0;
}
