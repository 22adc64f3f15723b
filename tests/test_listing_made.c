/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listings of code that no program's file has: the running kernel's, and what JIT compilers made, as
 * the memory of the process or a jitdump has it.
 */
#include "config.h"

#include "listing_fixture.h"

#include <elf.h>

/* Of code that is no file's. */
static struct listing *
list_code(const struct fixture *f, const struct symbol_listing_ask *ask)
{
	struct listing *l;

	symbol_service_ask_listing(f->service, ask);
	l = take_listing(f, ask->id);
	listing_lines_put(take_lines(f, ask->id));
	return l;
}

static void
write_bytes(const struct fixture *f, const char *name, const void *bytes, size_t len, long at)
{
	FILE *out = fopen(in_dir(f, name), at == 0 ? "w" : "r+");

	assert_non_null(out);
	assert_int_equal(fseek(out, at, SEEK_SET), 0);
	assert_int_equal(fwrite(bytes, 1, len, out), len);
	fclose(out);
}

/* push, mov, call of what is 5 bytes behind, pop, ret. */
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xe8, 0x05, 0, 0, 0, 0x5d, 0xc3 };

static void
assert_is_code(const struct listing *l, uint64_t at)
{
	static const char *const texts[] = { "push   %rbp", "mov    %rsp,%rbp", NULL, "pop    %rbp",
					     "ret" };

	assert_string_equal(l->why, "");
	assert_int_equal(l->count, ARRAY_SIZE(texts));
	assert_int_equal(l->size, sizeof(code));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i] != NULL)
			assert_string_equal(l->items[i].text, texts[i]);
	assert_int_equal(l->items[0].addr, at);
	assert_int_equal(l->items[2].kind, LISTING_CALL);
	assert_int_equal(l->items[2].target, at + 14);
}

static void
code_of_the_kernel_is_read_from_its_memory_or_from_its_file(void **state)
{
	const struct fixture *f = *state;
	struct fixture other = *f;
	const uint64_t at = UINT64_C(0xffffffff81000100);
	const Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
				.e_phoff = sizeof(eh), .e_phentsize = sizeof(Elf64_Phdr),
				.e_phnum = 1 };
	const Elf64_Phdr ph = { .p_type = PT_LOAD, .p_offset = 4096, .p_filesz = 4096,
				.p_vaddr = at & ~UINT64_C(4095) };
	struct symbol_listing_ask ask = { .file = { .dso = 2, .kind = SYMBOL_KERNEL }, .id = 3,
					  .function = "f", .offset = at, .size = sizeof(code) };
	struct listing *l;

	need_capstone();
	need_x86();
	assert_true(sh(f, "mkdir -p proc"));
	other.answers = queue_new();
	other.service = service_with(&other, in_dir(f, "proc"), NULL, true);
	l = list_code(&other, &ask);
	assert_int_equal(l->count, 0);
	assert_non_null(strstr(l->why, "kcore"));
	assert_non_null(strstr(l->why, "modules"));
	listing_put(l);
	ask.function = "bpf_prog_0123456789abcdef_gone";
	l = list_code(&other, &ask);
	assert_int_equal(l->count, 0);
	assert_non_null(strstr(l->why, "BPF program"));
	listing_put(l);
	ask.function = "f";
	ask.file.text = at - 0x100;
	l = list_code(&other, &ask);
	assert_non_null(strstr(l->why, "--vmlinux"));
	listing_put(l);
	write_bytes(f, "proc/kcore", &eh, sizeof(eh), 0);
	write_bytes(f, "proc/kcore", &ph, sizeof(ph), sizeof(eh));
	write_bytes(f, "proc/kcore", code, sizeof(code), 4096 + 0x100);
	assert_true(sh(f, "truncate -s 8192 proc/kcore"));
	l = list_code(&other, &ask);
	assert_is_code(l, at);
	assert_string_equal(l->bytes_from, in_dir(f, "proc/kcore"));
	listing_put(l);
	/* A kernel that was linked elsewhere than it runs. */
	write_text(f, "kernel.s", ".globl _text, f, g\n.text\n_text: nop\n.org 0x100\n"
		   ".type f, @function\nf: push %rbp; mov %rsp,%rbp; call g; pop %rbp; ret\n.size f, .-f\n"
		   ".org 0x10e+4\n.type g, @function\ng: ret\n.size g, .-g\n");
	assert_true(sh(f, "rm proc/kcore && gcc -nostdlib -static -Wl,-Ttext=0x400000 -Wl,-e,f -o vmlinux kernel.s"));
	ask.file.path = in_dir(f, "vmlinux");
	ask.file.text = at - 0x100;
	l = list_code(&other, &ask);
	assert_string_equal(l->why, "");
	assert_int_equal(l->items[0].addr, at);
	assert_string_equal(l->items[2].operand, "g");
	assert_int_equal(l->items[2].target, at + 0x12);
	assert_that(l->notice_count, >, 0);
	assert_non_null(strstr(l->notices[0], "as built"));
	listing_put(l);
	symbol_service_free(other.service);
	queue_free(other.answers);
}

static const struct {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
} head = { 0x4a695444, 1, 40, EM_X86_64, 0, 1, 0, 0 };

struct jit_load {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, addr, size_of, index;
	char name[2];
	uint8_t bytes[sizeof(code)];
} __attribute__((packed));

struct jit_move {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, from, to, size_of, index;
};

/* The same name at the same place was other code before and after. */
static void
assert_times_decide(const struct fixture *f, const struct symbol_listing_ask *asked,
		    const struct jit_load *of)
{
	struct symbol_listing_ask ask = *asked;
	struct jit_load load = *of;
	char command[64];
	struct listing *l;

	load.time = of->time + 1000;
	memset(load.bytes, 0x90, sizeof(load.bytes));
	write_bytes(f, "jit.dump", &load, sizeof(load), (long)(sizeof(head) + 2 * sizeof(load)));
	ask.offset = of->addr + 4;
	l = list_code(f, &ask);
	assert_string_equal(l->items[0].text, "nop");
	listing_put(l);
	ask.as_of_ns = of->time + 999;
	l = list_code(f, &ask);
	assert_is_code(l, of->addr);
	listing_put(l);
	ask.as_of_ns = of->time - 1;
	l = list_code(f, &ask);
	assert_int_equal(l->count, 0);
	assert_non_null(strstr(l->why, "of that time"));
	listing_put(l);
	snprintf(command, sizeof(command), "truncate -s -%zu jit.dump", sizeof(load));
	assert_true(sh(f, command));
}

/* The file ends with two functions of the same name: behind them comes another at their place. */
static void
assert_names_decide(const struct fixture *f, const struct symbol_listing_ask *asked,
		    const struct jit_load *of)
{
	struct symbol_listing_ask ask = *asked;
	struct jit_load load = *of;
	long end = (long)(sizeof(head) + 2 * sizeof(load));
	const struct jit_move move = { .id = 1, .size = sizeof(move), .vma = of->addr + 0x1000,
				       .to = of->addr + 0x1000, .from = of->addr, .size_of = of->size_of };
	struct listing *l;

	memcpy(load.name, "g", 2);
	memset(load.bytes, 0, sizeof(load.bytes));
	ask.offset = of->addr + 4;
	write_bytes(f, "jit.dump", &load, sizeof(load), end);
	l = list_code(f, &ask);
	assert_is_code(l, of->addr);
	assert_int_equal(l->notice_count, 0);
	listing_put(l);
	ask.function = "h";
	l = list_code(f, &ask);
	assert_string_equal(l->items[0].text, "add    %al,(%rax)");
	assert_non_null(strstr(l->notices[0], "no code of this name"));
	listing_put(l);
	/* The first goes elsewhere: it is at both places. */
	write_bytes(f, "jit.dump", &move, sizeof(move), end);
	ask.function = "f";
	l = list_code(f, &ask);
	assert_is_code(l, of->addr);
	listing_put(l);
	ask.offset = move.to + 4;
	l = list_code(f, &ask);
	assert_is_code(l, move.to);
	listing_put(l);
}

static void
code_made_at_run_time_is_read_from_the_process_or_its_jitdump(void **state)
{
	const struct fixture *f = *state;
	const uint64_t at = (uint64_t)(uintptr_t)code, made = 0x7000;
	struct symbol_listing_ask ask = {
		.file = { .dso = 5000, .kind = SYMBOL_MEMORY, .pid = (int)getpid(), .start = at,
			  .end = at + sizeof(code) },
		.id = 8, .function = "f", .offset = at, .size = sizeof(code),
	};
	struct jit_load load = {
		.time = 7, .vma = made, .addr = made, .size_of = sizeof(code), .name = "f" };
	struct listing *l;

	need_capstone();
	need_x86();
	l = list_code(f, &ask);
	assert_is_code(l, at);
	assert_string_equal(l->bytes_from, "memory of the process");
	listing_put(l);
	/* Of two that were put there, the last. */
	load.size = sizeof(load);
	write_bytes(f, "jit.dump", &head, sizeof(head), 0);
	write_bytes(f, "jit.dump", &load, sizeof(load), sizeof(head));
	memcpy(load.bytes, code, sizeof(code));
	write_bytes(f, "jit.dump", &load, sizeof(load), (long)(sizeof(head) + sizeof(load)));
	ask.file = (struct symbol_ask){ .dso = 5001, .kind = SYMBOL_ELF, .path = in_dir(f, "jit.dump") };
	ask.offset = made + 4;
	ask.bytes_from = "jitdump";
	l = list_code(f, &ask);
	assert_is_code(l, made);
	assert_string_equal(l->bytes_from, "jitdump");
	listing_put(l);
	ask.offset = 0x9000;
	l = list_code(f, &ask);
	assert_int_equal(l->count, 0);
	assert_non_null(strstr(l->why, "does not have"));
	listing_put(l);
	assert_times_decide(f, &ask, &load);
	assert_names_decide(f, &ask, &load);
	/* One whose last record is longer than the file, and one that loops on itself. */
	load.size_of = load.size = UINT32_MAX;
	write_bytes(f, "jit.dump", &load, sizeof(load), sizeof(head));
	ask.offset = made;
	l = list_code(f, &ask);
	assert_int_equal(l->count, 0);
	listing_put(l);
	load.size = 0;
	write_bytes(f, "jit.dump", &load, sizeof(load), sizeof(head));
	l = list_code(f, &ask);
	assert_int_equal(l->count, 0);
	listing_put(l);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_of_the_kernel_is_read_from_its_memory_or_from_its_file),
		cmocka_unit_test(code_made_at_run_time_is_read_from_the_process_or_its_jitdump),
	};

	return cmocka_run_group_tests_name("code in no file", tests, fixture_setup,
					   fixture_teardown);
}
