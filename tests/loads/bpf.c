/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Burns CPU in a BPF program that it loads, "spin", which has BTF with its lines.  Ends with 77 and
 * the reason where it may not.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SKIPPED = 77, ROUNDS = 20000, REPEAT = 100 };

/* Offsets of strings: the name of the type, the path, then lines. */
#define STRINGS "\0int\0/src/spin.bpf.c\0\tsum = 0;\0\tfor (i = 0; i < 20000; i++)\0" \
	"\t\tsum += i;\0\treturn sum;"
enum { STR_INT = 1, STR_FILE = 5, STR_SUM = 21, STR_FOR = STR_SUM + 10, STR_ADD = STR_FOR + 29,
       STR_RETURN = STR_ADD + 12 };

static long
bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int
load_btf(void)
{
	struct {
		struct btf_header head;
		struct btf_type type;
		uint32_t encoding;
		char strings[sizeof(STRINGS)];
	} __attribute__((packed)) btf = {
		.head = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(btf.head),
			  .type_len = sizeof(btf.type) + sizeof(btf.encoding),
			  .str_off = sizeof(btf.type) + sizeof(btf.encoding),
			  .str_len = sizeof(STRINGS) },
		.type = { .name_off = STR_INT, .info = BTF_KIND_INT << 24, .size = 4 },
		.encoding = BTF_INT_SIGNED << 24 | 32,
		.strings = STRINGS,
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.btf = (uint64_t)(uintptr_t)&btf;
	attr.btf_size = sizeof(btf);
	return (int)bpf(BPF_BTF_LOAD, &attr);
}

static const struct bpf_insn code[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = ROUNDS },
	{ .code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = 0, .src_reg = 1 },
	{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = 1, .imm = 1 },
	{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = 1, .off = -3, .imm = 0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int
load_program(int btf)
{
	static const struct bpf_line_info lines[] = {
		{ 0, STR_FILE, STR_SUM, 7 << 10 }, { 1, STR_FILE, STR_FOR, 8 << 10 },
		{ 2, STR_FILE, STR_ADD, 9 << 10 }, { 3, STR_FILE, STR_FOR, 8 << 10 },
		{ 5, STR_FILE, STR_RETURN, 10 << 10 },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uint64_t)(uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(code[0]);
	attr.license = (uint64_t)(uintptr_t)"GPL";
	attr.prog_btf_fd = (uint32_t)btf;
	attr.line_info = (uint64_t)(uintptr_t)lines;
	attr.line_info_cnt = sizeof(lines) / sizeof(lines[0]);
	attr.line_info_rec_size = sizeof(lines[0]);
	memcpy(attr.prog_name, "spin", 5);
	return (int)bpf(BPF_PROG_LOAD, &attr);
}

static int
run(int program)
{
	uint8_t packet[64] = { 0 };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)program;
	attr.test.data_in = (uint64_t)(uintptr_t)packet;
	attr.test.data_size_in = sizeof(packet);
	attr.test.repeat = REPEAT;
	return (int)bpf(BPF_PROG_TEST_RUN, &attr);
}

int
main(int argc, char **argv)
{
	int btf = load_btf(), program = btf >= 0 ? load_program(btf) : -1;

	if (program < 0 || run(program) < 0) {
		printf("BPF programs cannot be run here: %s\n", strerror(errno));
		return SKIPPED;
	}
	/* With an argument it only tells that it can. */
	(void)argv;
	while (argc == 1)
		run(program);
	return 0;
}
