/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What 32-bit programs wait for, on a 64-bit kernel: their calls have numbers of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/sys/procfs.h"
#include "live/wait/call_32.h"
#include "live/wait/looker.h"
#include "record/layouts.h"
#include "record/look.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { ID = 78, WAIT_MS = 60000, LOADED_AT = 0x08048000, STACK = 0xffe00000 };

/* The words that its arguments are in. */
static bool
words_at(void *ctx, uint64_t address, uint32_t words[CALL_32_ARGS])
{
	if (address != STACK)
		return false;
	memcpy(words, ctx, CALL_32_ARGS * sizeof(*words));
	return true;
}

static struct procfs_syscall
call_of(int number, uint64_t arg)
{
	return (struct procfs_syscall){ .number = number, .args = { arg, STACK },
					.sp = STACK, .pc = LOADED_AT };
}

static void
calls_of_32_bit_programs_have_the_numbers_of_others(void **state)
{
#if defined(__x86_64__)
	static const struct {
		int number;
		uint64_t arg;
		int is;
	} rows[] = {
		{ 162, STACK, SYS_nanosleep }, /* of 64 bits this is sync */
		{ 240, STACK, SYS_futex },
		{ 422, STACK, SYS_futex },
		{ 168, STACK, SYS_poll },
		{ 3, 7, SYS_read },
		{ 102, 10, SYS_recvfrom },
		{ 102, 5, SYS_accept },
		{ 117, 1, SYS_semop },
		{ 117, 0x10001, SYS_semop }, /* a version is above it */
		{ 102, 77, CALL_32_OTHER + 102 },
		{ 1, 0, CALL_32_OTHER + 1 },
		{ INT32_MAX, 0, CALL_32_OTHER },
		{ PROCFS_NO_CALL, 0, PROCFS_NO_CALL },
	};
	uint32_t words[CALL_32_ARGS] = { 5, 6, 7 };
	struct procfs_syscall call;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		call = call_of(rows[i].number, rows[i].arg);
		call_32_translate(&call, words_at, words);
		assert_int_equal(call.number, rows[i].is);
		assert_int_equal(wait_call_find(call.number)->kind == WAIT_CALL,
				 call.number < 0 || call.number >= CALL_32_OTHER);
	}
	/* Of a socket they are in memory, */
	call = call_of(102, 10);
	call_32_translate(&call, words_at, words);
	assert_int_equal(call.args[0], 5);
	assert_int_equal(call.args[2], 7);
	/* which may be gone. */
	call = call_of(102, 10);
	call.args[1] = 1;
	call_32_translate(&call, words_at, words);
	assert_int_equal(call.number, CALL_32_OTHER + 102);
#else
	struct procfs_syscall call = call_of(162, 0);

	(void)state;
	call_32_translate(&call, words_at, NULL);
	assert_int_equal(call.number, CALL_32_OTHER + 162);
#endif
}

static void
only_who_has_all_below_4_gib_is_a_32_bit_program(void **state)
{
	struct procfs_syscall call = call_of(1, 0);

	(void)state;
	assert_true(call_32_is(&call));
	call.sp = 0x7ffc00000000;
	assert_false(call_32_is(&call));
	call = call_of(1, 0);
	call.pc = 0x7f0000001000;
	assert_false(call_32_is(&call));
	call = call_of(1, 0);
	call.is_running = true;
	assert_false(call_32_is(&call));
}

/* nanosleep, for a long time, in a program of 32 bits without anything else. */
static void
be_32_bit(void)
{
	static const uint8_t code[] = {
		0x68, 0, 0, 0, 0,             /* push $0 */
		0x68, 0xff, 0xff, 0xff, 0x3f, /* push $0x3fffffff */
		0x89, 0xe3,                   /* mov %esp, %ebx */
		0x31, 0xc9,                   /* xor %ecx, %ecx */
		0xb8, 0xa2, 0, 0, 0,          /* mov $162, %eax */
		0xcd, 0x80,                   /* int $0x80 */
	};
	const struct {
		Elf32_Ehdr head;
		Elf32_Phdr load;
		uint8_t code[sizeof(code)];
	} file = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = EM_386, .e_version = EV_CURRENT,
			.e_entry = LOADED_AT + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
			.e_phoff = sizeof(Elf32_Ehdr), .e_ehsize = sizeof(Elf32_Ehdr),
			.e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 1,
		},
		.load = { .p_type = PT_LOAD, .p_vaddr = LOADED_AT, .p_filesz = sizeof(file),
			  .p_memsz = sizeof(file), .p_flags = PF_R | PF_X, .p_align = 0x1000 },
	};
	int fd = memfd_create("short", MFD_CLOEXEC);

	memcpy((void *)(uintptr_t)file.code, code, sizeof(code));
	if (fd >= 0 && write(fd, &file, sizeof(file)) == (ssize_t)sizeof(file))
		fexecve(fd, (char *[]){ (char *)(uintptr_t)"short", NULL }, (char *[]){ NULL });
	_exit(errno == ENOEXEC ? 2 : 1);
}

/* The first look at @pid that knows a call. */
static int
first_call(pid_t pid)
{
	const struct wait_target target = { .pid = (int)pid };
	uint64_t end = clock_mono_ns() + WAIT_MS * NSEC_PER_MSEC;
	struct looker *l = looker_new(&(struct looker_config){ .proc = "/proc", .id = ID,
							       .has_stacks = true });
	struct event_attr attr = { .sample_id_all = 1 };
	struct record_layout layout;
	uint64_t args[RECORD_LOOK_ARGS];
	struct record rec;
	struct bytes bytes;
	int call = -1;

	record_look_attr(&attr);
	layout = record_layout_of(&attr, false);
	looker_set(l, &target, 1);
	while (call < 0 && clock_mono_ns() < end) {
		usleep(10000);
		for (; looker_peek(l, &bytes) == 1; looker_advance(l))
			if (record_decode(&layout, bytes, &rec) == 1 && call < 0)
				call = record_look_call(&rec.sample, args);
	}
	looker_free(l);
	return call;
}

static void
a_32_bit_program_waits_in_its_own_calls(void **state)
{
	char path[64], text[256];
	struct procfs_syscall call = { .number = -1 };
	pid_t pid;
	int got;

	(void)state;
#if !defined(__x86_64__)
	skip_for("this machine has other 32-bit programs");
#endif
	pid = run_fork();
	if (pid == 0)
		be_32_bit();
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	for (int i = 0; i < WAIT_MS && call.number != 162; i++) {
		ssize_t n = proc_file_read(-1, path, text, sizeof(text));

		if (n <= 0 || !procfs_syscall(text, (size_t)n, &call) ||
		    strncmp(text, "0 0x0", 5) == 0 || strncmp(text, "-1 0x0 0x0", 10) == 0)
			break; /* it has ended */
		usleep(1000);
	}
	got = call.number == 162 ? first_call(pid) : -1;
	run_end(pid);
	if (call.number != 162)
		skip_for("this kernel runs no 32-bit programs");
	assert_int_equal(got, SYS_nanosleep);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_32_bit_programs_have_the_numbers_of_others),
		cmocka_unit_test(only_who_has_all_below_4_gib_is_a_32_bit_program),
		cmocka_unit_test(a_32_bit_program_waits_in_its_own_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
