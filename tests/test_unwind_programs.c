/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs of both machines, built here, that write their registers and stacks: they are unwound
 * to the return addresses that they noted themselves.
 */
#include "config.h"

#include "unwind_fixture.h"

#include "run.h"
#include "symbol_fixture.h"
#include "tests/skip.h"

#ifdef HAVE_LIBDW
enum { WITH_LIBDW = true };
#else
enum { WITH_LIBDW = false };
#endif

enum { RETURNS = 64, STACK = 32 << 10 };

/* As tests/data/unwind/dump.c has it. */
struct dump {
	uint64_t mask, regs[64], restorer, trampoline;
	uint64_t len, returns[RETURNS];
	uint64_t stack_len;
	uint8_t stack[STACK];
};

struct program {
	struct fixture dir;
	struct elf_file file;
	struct unwind_rules *rules;
	enum unwind_arch arch;
	const struct dump *dump;
	bool own_restorer; /* what handlers return to is taken for the program's own */
};

static void
program_build(struct program *p, const char *compiler, enum unwind_arch arch)
{
	const char *top = getenv("top_srcdir");
	char source[600], command[900];
	struct err err = { 0 };

	*p = (struct program){ .dir = { .dir = "/tmp/ptop-unwind-XXXXXX" }, .arch = arch };
	assert_non_null(mkdtemp(p->dir.dir));
	assert_non_null(realpath(top != NULL ? top : ".", source));
	snprintf(command, sizeof(command),
		 "%s -D_GNU_SOURCE -static -o a %s/tests/data/unwind/dump.c", compiler, source);
	if (!sh(&p->dir, command))
		fail_msg("cannot run: %s", command);
	p->rules = rules_of(in_dir(&p->dir, "a"), &err);
	if (p->rules == NULL)
		fail_msg("%s: %s", compiler, err.text);
	assert_int_equal(
		elf_file_open(&p->file, open(in_dir(&p->dir, "a"), O_RDONLY | O_CLOEXEC), &err),
		0);
}

static void
program_release(struct program *p)
{
	unwind_rules_free(p->rules);
	elf_file_close(&p->file);
	close(p->file.fd);
	unlink(in_dir(&p->dir, "a"));
	unlink(in_dir(&p->dir, "log"));
	assert_int_equal(rmdir(p->dir.dir), 0);
}

static int
find_in_program(void *arg, uint64_t address, struct unwind_place *place)
{
	const struct program *p = arg;
	uint64_t offset, lookup = address;

	/* The machine's emulator has one of its own somewhere. */
	if (p->own_restorer && address + 1 == p->dump->trampoline)
		lookup = p->dump->restorer - 1;
	if (!elf_file_offset(&p->file, lookup, &offset))
		return -1;
	place->rules = p->rules;
	place->bias = address - offset;
	return 0;
}

static size_t
unwind_dump(struct program *p, const struct dump *d, size_t len, uint64_t *ips,
	    struct unwind_result *result)
{
	const struct unwind_ask ask = {
		.arch = p->arch,
		.regs_mask = d->mask,
		.regs = d->regs,
		.stack = d->stack,
		.stack_len = len,
		.find = find_in_program,
		.arg = p,
	};

	p->dump = d;
	return unwind(&ask, ips, UNWIND_FRAMES_MAX, result);
}

/* The noted ones, in their order, and all others are of what they called or were called by. */
static void
assert_has_returns(const struct dump *d, const uint64_t *ips, size_t len)
{
	uint64_t left = d->len;

	for (size_t i = 1; i < len && left > 0; i++)
		left -= ips[i] == d->returns[left - 1];
	if (left > 0)
		fail_msg("of %llu return addresses %llu are not in the chain of %zu",
			 (unsigned long long)d->len, (unsigned long long)left, len);
}

static void
assert_unwinds(struct program *p, const char *run, const char *mode)
{
	uint64_t ips[UNWIND_FRAMES_MAX], cut[UNWIND_FRAMES_MAX];
	char path[400];
	char *argv[] = { path, (char *)(uintptr_t)mode, NULL, NULL };
	struct unwind_result result;
	struct run_result r;
	struct dump d;
	size_t len;

	snprintf(path, sizeof(path), "%s", in_dir(&p->dir, "a"));
	if (run != NULL) {
		argv[0] = (char *)(uintptr_t)run;
		argv[1] = path;
		argv[2] = (char *)(uintptr_t)mode;
	}
	run_program(&r, 60, argv);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.out_len, sizeof(d));
	memcpy(&d, r.out, sizeof(d));
	run_release(&r);
	assert_in_range(d.len, 4, RETURNS);

	len = unwind_dump(p, &d, (size_t)d.stack_len, ips, &result);
	assert_has_returns(&d, ips, len);
	assert_int_equal(result.end, UNWIND_WHOLE);
	assert_int_equal(result.by_fp, 0);
	for (size_t words = 0; words < result.stack_used / 8; words += 3) {
		struct unwind_result t;
		size_t n = unwind_dump(p, &d, words * 8, cut, &t);

		assert_int_equal(t.end, UNWIND_STACK_CUT);
		assert_memory_equal(cut, ips, n * sizeof(ips[0]));
	}
}

static const char *const modes[] = { "calls", "qsort", "signal" };

static void
programs_of_this_machine(void **state)
{
	static const char *const compilers[] = {
		"cc -O2 -fomit-frame-pointer",
		"cc -O0 -fno-omit-frame-pointer",
		"cc -O2 -mstackrealign",
		"cc -g -O2 -fno-asynchronous-unwind-tables",
		"cc -Os -fno-plt -ffunction-sections",
	};

	(void)state;
#if defined(__x86_64__) && defined(HAVE_LIBDW)
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
		struct program p;

		program_build(&p, compilers[i], UNWIND_X86_64);
		for (size_t k = 0; k < ARRAY_SIZE(modes); k++)
			assert_unwinds(&p, NULL, modes[k]);
		p.own_restorer = true;
		assert_unwinds(&p, NULL, "signal");
		program_release(&p);
	}
#else
	(void)compilers;
	skip_for("it writes registers of x86-64, and needs libdw");
#endif
}

static bool
has_tool(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", name);
	return system(command) == 0;
}

static void
programs_of_arm64(void **state)
{
	static const char *const compilers[] = {
		"aarch64-linux-gnu-gcc -O2",
		"aarch64-linux-gnu-gcc -O2 -fomit-frame-pointer",
		"aarch64-linux-gnu-gcc -O0",
		"aarch64-linux-gnu-gcc -O2 -mbranch-protection=standard",
	};

	(void)state;
	if (!WITH_LIBDW || !has_tool("aarch64-linux-gnu-gcc") || !has_tool("qemu-aarch64"))
		skip_for("no aarch64-linux-gnu-gcc, no qemu-aarch64 or no libdw");
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
		struct program p;

		program_build(&p, compilers[i], UNWIND_ARM64);
		p.own_restorer = true;
		for (size_t k = 0; k < ARRAY_SIZE(modes); k++)
			assert_unwinds(&p, "qemu-aarch64", modes[k]);
		program_release(&p);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_of_this_machine),
		cmocka_unit_test(programs_of_arm64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
