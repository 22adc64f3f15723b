/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules that are compiled of real files are what libdw says of each address. */
#include "config.h"

#include "unwind_fixture.h"

#include "symbol/unwind/rules_build.h"

#include "symbol_fixture.h"
#include "run.h"
#include "tests/asserts.h"
#include "tests/skip.h"

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <sys/auxv.h>

enum { SAMPLES = 40000 };

/* A file for libdw to look at. */
struct oracle {
	int fd;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CFI *eh, *debug;
	struct elf_file file;
};

static void
oracle_open(struct oracle *o, const char *path)
{
	struct err err;

	o->fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(&o->file, o->fd, &err), 0);
	o->elf = elf_begin(o->fd, ELF_C_READ_MMAP, NULL);
	o->eh = dwarf_getcfi_elf(o->elf);
	o->dwarf = dwarf_begin_elf(o->elf, DWARF_C_READ, NULL);
	o->debug = o->dwarf != NULL ? dwarf_getcfi(o->dwarf) : NULL;
}

static void
oracle_close(struct oracle *o)
{
	if (o->eh != NULL)
		dwarf_cfi_end(o->eh);
	if (o->dwarf != NULL)
		dwarf_end(o->dwarf);
	elf_end(o->elf);
	elf_file_close(&o->file);
	close(o->fd);
}

static Dwarf_Frame *
oracle_frame(const struct oracle *o, uint64_t vaddr)
{
	Dwarf_Frame *frame = NULL;

	if (o->eh != NULL && dwarf_cfi_addrframe(o->eh, vaddr, &frame) == 0)
		return frame;
	if (o->debug != NULL && dwarf_cfi_addrframe(o->debug, vaddr, &frame) == 0)
		return frame;
	return NULL;
}

static bool
cfa_agrees(const struct unwind_rule *rule, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t n;

	assert_int_equal(dwarf_frame_cfa(frame, &ops, &n), 0);
	if (rule->cfa_reg == UNWIND_CFA_EXPR)
		return n > 1;
	if (n != 1)
		return false;
	if (ops[0].atom == DW_OP_bregx)
		return ops[0].number == rule->cfa_reg &&
		       (int64_t)ops[0].number2 == rule->cfa;
	return ops[0].atom == DW_OP_breg0 + rule->cfa_reg && (int64_t)ops[0].number == rule->cfa;
}

/* Where libdw says that a register is, in our words. */
static enum unwind_how
how_of(Dwarf_Frame *frame, int reg, int32_t *value)
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	*value = 0;
	assert_int_equal(dwarf_frame_register(frame, reg, mem, &ops, &n), 0);
	if (n == 0)
		return ops == NULL ? UNWIND_SAME : UNWIND_UNDEFINED;
	if (ops[0].atom == DW_OP_regx ||
	    (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)) {
		*value = (int32_t)ops[0].number;
		return UNWIND_IN;
	}
	if (ops != mem)
		return ops[n - 1].atom == DW_OP_stack_value ? UNWIND_IS_EXPR : UNWIND_AT_EXPR;
	assert_int_equal(ops[0].atom, DW_OP_call_frame_cfa);
	for (size_t i = 1; i < n; i++)
		if (ops[i].atom == DW_OP_plus_uconst)
			*value = (int32_t)ops[i].number;
	return ops[n - 1].atom == DW_OP_stack_value ? UNWIND_IS : UNWIND_AT;
}

static bool
reg_agrees(Dwarf_Frame *frame, int reg, unsigned how, int32_t value)
{
	int32_t want_value;
	enum unwind_how want = how_of(frame, reg, &want_value);

	/* libdw knows by itself which registers a call may change. */
	if (how == UNWIND_SAME || want == UNWIND_SAME)
		return (how == UNWIND_SAME || how == UNWIND_UNDEFINED) &&
		       (want == UNWIND_SAME || want == UNWIND_UNDEFINED);
	if (how != want)
		return false;
	return how == UNWIND_AT_EXPR || how == UNWIND_IS_EXPR || value == want_value;
}

static bool
agrees(const struct unwind_rule *rule, Dwarf_Frame *frame, const struct unwind_machine *m)
{
	Dwarf_Addr start, end;
	int ra;
	bool is_signal;

	if (frame == NULL || rule == NULL)
		return frame == NULL && rule == NULL;
	ra = dwarf_frame_info(frame, &start, &end, &is_signal);
	return ((rule->flags & UNWIND_SIGNAL) != 0) == is_signal && cfa_agrees(rule, frame) &&
	       reg_agrees(frame, ra, rule->ra_how, rule->ra) &&
	       reg_agrees(frame, m->fp, rule->fp_how, rule->fp);
}

/* Where a process begins there is a rule, of ours, also if there is no information. */
static bool
is_entry(const struct oracle *o, uint64_t vaddr)
{
	GElf_Ehdr head;

	return gelf_getehdr(o->file.elf, &head) != NULL && vaddr - head.e_entry < 64;
}

/* The number of places that were compared. */
static unsigned
compare_at(const struct oracle *o, const struct unwind_rules *r, uint64_t offset, const char *path)
{
	const struct unwind_machine *m =
		r->head.machine == EM_X86_64 ? &unwind_x86_64 : &unwind_arm64;
	Dwarf_Frame *frame;
	uint64_t vaddr;
	bool good;

	if (!elf_file_vaddr(&o->file, offset, &vaddr))
		return 0;
	frame = oracle_frame(o, vaddr);
	if (frame == NULL && is_entry(o, vaddr))
		return 0;
	good = agrees(unwind_rules_find(r, offset), frame, m);
	free(frame);
	if (!good)
		fail_msg("%s: another rule at %#llx (in the file: %#llx)", path,
			 (unsigned long long)vaddr, (unsigned long long)offset);
	return 1;
}

/* The begin, the end and the middle of rows all over the file. */
static void
assert_agrees(const char *path)
{
	struct err err = { 0 };
	struct unwind_rules *r = rules_of(path, &err);
	unsigned compared = 0;
	struct oracle o;
	size_t step, rows;

	if (r == NULL)
		fail_msg("%s: %s", path, err.text);
	oracle_open(&o, path);
	rows = (size_t)r->head.part_count * UNWIND_PART;
	step = rows / SAMPLES + 1;
	for (size_t i = 0; i + 1 < rows; i += step) {
		uint64_t at = r->head.base + unwind_rules_start(r, i);
		uint64_t end = r->head.base + unwind_rules_start(r, i + 1);

		if (at == end)
			continue;
		compared += compare_at(&o, r, at, path);
		compared += compare_at(&o, r, end - 1, path);
		compared += compare_at(&o, r, at + (end - at) / 2, path);
	}
	assert_that(compared, >, r->head.row_count / step);
	assert_that(r->head.row_count, <=, rows);
	print_message("%s: %u rows, %u rules, %zu bytes, %u places compared\n", path,
		      r->head.row_count, r->head.rule_count, r->bytes, compared);
	oracle_close(&o);
	unwind_rules_free(r);
}

static void
libraries_of_the_system_agree(void **state)
{
	static const char *const parts[] = { "/libc.so", "/ld-linux", "/libelf", "/libdw" };
	char path[1024];
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!mapped_file(parts[i], path, sizeof(path)))
			continue;
		assert_agrees(path);
		n++;
	}
	/* Under the sanitizers a program may be linked in another way. */
	assert_that(n, >, 0);
}

static void
libraries_of_arm64_agree(void **state)
{
	static const char path[] = "/usr/aarch64-linux-gnu/lib/libc.so.6";

	(void)state;
	if (access(path, R_OK) != 0)
		skip_for("no C library of arm64 is installed (libc6-dev-arm64-cross)");
	assert_agrees(path);
}

/* The kernel's code in each process, which is not there as a file. */
static void
the_vdso_agrees(void **state)
{
	const uint8_t *vdso = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)vdso;
	char path[] = "/tmp/ptop-vdso-XXXXXX";
	size_t len;
	int fd;

	(void)state;
	if (vdso == NULL)
		skip_for("this kernel has no vdso");
	len = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
	fd = mkstemp(path);
	assert_int_equal(write(fd, vdso, len), (ssize_t)len);
	close(fd);
	assert_agrees(path);
	unlink(path);
}

static void
ptop_itself_agrees(void **state)
{
	(void)state;
	assert_agrees(run_ptop());
}

static const char source[] =
	"#include <signal.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"#include <alloca.h>\n"
	"static volatile int seen;\n"
	"static void handler(int n) { seen = n; }\n"
	"static int compare(const void *a, const void *b)\n"
	"{ raise(SIGUSR1); return *(const int *)a - *(const int *)b; }\n"
	"__attribute__((cold, noinline)) static void rare(int n) { if (n > 100) abort(); seen++; }\n"
	"struct wide { double d[8]; } __attribute__((aligned(64)));\n"
	"__attribute__((noinline)) static double aligned(struct wide w, int n)\n"
	"{ struct wide x = w; char *p = alloca(n); memset(p, n, n); x.d[n & 7] = p[0];\n"
	"  rare(n); return x.d[1]; }\n"
	"int main(int argc, char **argv)\n"
	"{ int v[] = { 3, 1, 2, argc }; struct wide w = { { argc } };\n"
	"  (void)argv; signal(SIGUSR1, handler); qsort(v, 4, sizeof(v[0]), compare);\n"
	"  if (argc > 5) rare(argc); return (int)aligned(w, v[0]) & 1; }\n";

static void
programs_of_all_kinds_agree(void **state)
{
	static const char *const flags[] = {
		"-O2 -pie -fPIE", "-O2 -no-pie -fomit-frame-pointer", "-O0 -fno-omit-frame-pointer",
		"-O2 -static", "-O1 -g -fno-asynchronous-unwind-tables",
		"-O1 -g -gz -fno-asynchronous-unwind-tables", "-O2 -mstackrealign",
	};
	struct fixture f = { .dir = "/tmp/ptop-unwind-XXXXXX" };
	char command[256];

	(void)state;
	assert_non_null(mkdtemp(f.dir));
	write_text(&f, "a.c", source);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		snprintf(command, sizeof(command), "cc %s -o a a.c", flags[i]);
		assert_true(sh(&f, command));
		assert_agrees(in_dir(&f, "a"));
	}
	assert_true(sh(&f, "rm -f a a.c log"));
	rmdir(f.dir);
}

/* As the dynamic linker and musl begin: in assembly that has no call frame information. */
static const char entry_source[] =
	"#ifdef __x86_64__\n"
	"__asm__(\".globl _start\\n_start: mov %rsp, %rdi\\n call begin\\n hlt\");\n"
	"#else\n"
	"__asm__(\".globl _start\\n_start: mov x0, sp\\n bl begin\\n brk #1\");\n"
	"#endif\n"
	"void begin(void *sp);\n"
	"void begin(void *sp) { for (;;) *(void *volatile *)sp = sp; }\n";

static void
where_a_process_begins_has_no_caller(void **state)
{
	struct fixture f = { .dir = "/tmp/ptop-unwind-XXXXXX" };
	const struct unwind_rule *rule;
	struct unwind_rules *r;
	struct err err = { 0 };
	struct elf_file file;
	Elf64_Ehdr head;
	uint64_t at;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(f.dir));
	write_text(&f, "a.c", entry_source);
	assert_true(sh(&f, "cc -O1 -falign-functions=1 -static -nostdlib -o a a.c"));
	fd = open(in_dir(&f, "a"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(elf_file_open(&file, fd, &err), 0);
	assert_true(elf_file_offset(&file, head.e_entry, &at));
	elf_file_close(&file);
	close(fd);
	r = rules_of(in_dir(&f, "a"), &err);
	assert_non_null(r);
	/* Where the call returns to: that, less one, is within the call. */
	rule = unwind_rules_find(r, at + 7);
	assert_non_null(rule);
	assert_int_equal(rule->ra_how, UNWIND_UNDEFINED);
	/* The function behind it keeps its own. */
	rule = unwind_rules_find(r, at + 12);
	assert_non_null(rule);
	assert_int_equal(rule->ra_how, head.e_machine == EM_X86_64 ? UNWIND_AT : UNWIND_SAME);
	unwind_rules_free(r);
	assert_true(sh(&f, "rm -f a a.c log"));
	rmdir(f.dir);
}

/* A function whose rules fill all the room that there is, behind an ordinary one. */
static const char huge_source[] =
	"int plain(int n);\n"
	"int plain(int n) { return n + 1; }\n"
	"__asm__(\".globl huge\\n.type huge, @function\\nhuge:\\n.cfi_startproc\\n.set n, 16\\n\"\n"
	"	\".rept 70000\\nnop\\n.cfi_def_cfa_offset n\\n.set n, n + 8\\n.endr\\nret\\n\"\n"
	"	\".cfi_endproc\\n.size huge, . - huge\\n\");\n"
	"int main(void) { return plain(0); }\n";

static void
tables_without_measure_leave_what_there_is_room_for(void **state)
{
	struct fixture f = { .dir = "/tmp/ptop-unwind-XXXXXX" };
	struct unwind_rules *rules;
	struct err err = { 0 };

	(void)state;
#if !defined(__x86_64__)
	skip_for("assembler of x86-64");
#endif
	assert_non_null(mkdtemp(f.dir));
	write_text(&f, "huge.c", huge_source);
	assert_true(sh(&f, "cc -O1 -o huge huge.c"));
	rules = rules_of(in_dir(&f, "huge"), &err);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(rules);
	assert_that(rules->head.rule_count, <=, UNWIND_MAX_RULES);
	assert_that(rules->head.row_count, >, 60000);
	unwind_rules_free(rules);
	assert_true(sh(&f, "rm -f huge huge.c log"));
	rmdir(f.dir);
}

enum { FAR_FUNCTIONS = 200, FAR_STEP = 1000, FAR_LEN = 300000, FAR_BASE = 0x4000 };

/* The rule's number of bytes tells which function it is of: short ones are near, long ones far apart. */
static void
rows_that_are_far_apart_are_found(void **state)
{
	struct rules_build *b = rules_build_new(&unwind_x86_64, FAR_BASE);
	uint64_t starts[FAR_FUNCTIONS], at = FAR_BASE;
	struct unwind_rules *r;
	int fd;

	(void)state;
	for (int i = 0; i < FAR_FUNCTIONS; i++) {
		const struct unwind_state s = { .cfa_reg = 7, .cfa = 8 * (i + 1), .ra = 16 };

		starts[i] = at;
		at += i % 7 == 3 ? FAR_LEN : FAR_STEP / 2;
		assert_true(rules_build_function(b, starts[i], at));
		rules_build_row(b, starts[i], &s);
		at += i % 11 == 5 ? 2 * FAR_LEN : FAR_STEP;
	}
	fd = rules_build_finish(b, NULL);
	rules_build_free(b);
	r = unwind_rules_open(fd, NULL);
	assert_non_null(r);
	assert_int_equal(unwind_rules_rows(r), 2 * FAR_FUNCTIONS);
	assert_that(r->head.part_count, >, 2 * FAR_FUNCTIONS / UNWIND_PART + 1);
	assert_null(unwind_rules_find(r, FAR_BASE - 1));
	for (int i = 0; i < FAR_FUNCTIONS; i++) {
		uint64_t len = i % 7 == 3 ? FAR_LEN : FAR_STEP / 2;
		const uint64_t inside[] = { 0, len / 2, len - 1 };

		for (size_t k = 0; k < ARRAY_SIZE(inside); k++) {
			const struct unwind_rule *rule = unwind_rules_find(r, starts[i] + inside[k]);

			assert_non_null(rule);
			assert_int_equal(rule->cfa, 8 * (i + 1));
		}
		assert_null(unwind_rules_find(r, starts[i] + len));
		assert_null(unwind_rules_find(r, starts[i] + len + FAR_STEP - 1));
	}
	unwind_rules_free(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_without_measure_leave_what_there_is_room_for),
		cmocka_unit_test(rows_that_are_far_apart_are_found),
		cmocka_unit_test(libraries_of_the_system_agree),
		cmocka_unit_test(libraries_of_arm64_agree),
		cmocka_unit_test(the_vdso_agrees),
		cmocka_unit_test(ptop_itself_agrees),
		cmocka_unit_test(programs_of_all_kinds_agree),
		cmocka_unit_test(where_a_process_begins_has_no_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void
rules_agree_with_libdw(void **state)
{
	(void)state;
	skip_for("built without libdw: no rules");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rules_agree_with_libdw) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
