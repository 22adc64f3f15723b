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

enum { STATES = 16, STACK_AT = 1 << 20, CODE_WITHOUT = 1 << 12 };

/*
 * Code is at small addresses: below .end with rules, and CODE_WITHOUT behind that.  Each state stands
 * there so often, a function apart; a part of a block has UNWIND_PART rows, and 64 KiB, at most.
 */
static const struct shape {
	unsigned times, function;
	uint64_t end;
	unsigned ip_shift; /* of the first instruction pointer, 16 bits of the input */
} shapes[] = {
	{ 1, 64, 1 << 14, 0 }, { 16, 64, 1 << 14, 0 }, { 2, 34000, STACK_AT, 4 }, { 1, 64, 1 << 14, 0 },
};

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
read_rules(struct reader *r, const struct unwind_machine *machine, const struct shape *shape)
{
	struct rules_build *b = rules_build_new(machine, 0);
	struct unwind_state states[STATES];
	const unsigned n = reader_u8(r) % STATES;
	struct err err = { 0 };
	int fd;

	for (unsigned i = 0; i < n; i++)
		states[i] = read_state(r, b);
	for (unsigned i = 0; i < n * shape->times; i++)
		if (rules_build_function(b, i * shape->function, shape->end))
			rules_build_row(b, i * shape->function, &states[i % n]);
	fd = rules_build_finish(b, &err);
	rules_build_free(b);
	if (fd < 0)
		abort();
	return unwind_rules_open(damaged(fd, r), &err);
}

struct code {
	const struct shape *shape;
	struct unwind_rules *rules;
};

static int
find(void *arg, uint64_t address, struct unwind_place *place)
{
	const struct code *code = arg;

	if (address >= code->shape->end + CODE_WITHOUT)
		return address == UINT64_MAX ? 1 : -1;
	place->rules = address < code->shape->end ? code->rules : NULL;
	place->bias = 0;
	return 0;
}

int
FUZZ_TARGET(unwind)(const uint8_t *data, size_t size)
{
	struct reader r = reader_over((struct bytes){ data, size });
	const uint8_t kind = reader_u8(&r);
	const enum unwind_arch arch = kind & 1 ? UNWIND_ARM64 : UNWIND_X86_64;
	struct code code = { .shape = &shapes[kind >> 1 & 3] };
	uint64_t regs[64], ips[UNWIND_FRAMES_MAX];
	const size_t max = UNWIND_FRAMES_MAX;
	struct unwind_result result;
	struct unwind_ask ask = { .arch = arch, .regs = regs, .find = find, .arg = &code };
	size_t n;

	code.rules = read_rules(&r, arch == UNWIND_ARM64 ? &unwind_arm64 : &unwind_x86_64, code.shape);
	ask.regs_mask = reader_u64(&r) | UINT64_C(0x180000180);
	/* Near the stack or the code: else nothing of interest would be met. */
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++)
		regs[i] = STACK_AT + (uint64_t)(int8_t)reader_u8(&r) * 8;
	regs[arch == UNWIND_ARM64 ? 32 : 8] = (uint64_t)reader_u16(&r) << code.shape->ip_shift;
	ask.stack = r.pos;
	ask.stack_len = reader_left(&r);
	ask.cache = regs[0] & 8 ? unwind_cache_new() : NULL;
	n = unwind(&ask, ips, max, &result);
	if (n > max || result.stack_used > ask.stack_len || result.by_fp > n ||
	    result.end > UNWIND_WAITS)
		abort();
	for (size_t i = 1; i < n; i++)
		if (ips[i] - 1 >= code.shape->end + CODE_WITHOUT)
			abort();
	unwind_cache_free(ask.cache);
	unwind_rules_free(code.rules);
	return 0;
}
