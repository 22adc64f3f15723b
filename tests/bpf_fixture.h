/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_BPF_FIXTURE_H
#define PTOP_TESTS_BPF_FIXTURE_H
/* A tiny BPF program, loaded and run by bpf(2) alone. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int
bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* r0 counts to a thousand.  The program's descriptor, -1 with errno. */
static inline int
bpf_load_as(uint32_t type, const char *name)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 0, .imm = 1 },
		{ .code = BPF_JMP | BPF_JLT | BPF_K, .dst_reg = 0, .imm = 1000, .off = -2 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (uint64_t)(uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(*code);
	attr.license = (uint64_t)(uintptr_t)"GPL";
	strcpy(attr.prog_name, name);
	return bpf(BPF_PROG_LOAD, &attr);
}

static inline int
bpf_load(const char *name)
{
	return bpf_load_as(BPF_PROG_TYPE_SOCKET_FILTER, name);
}

/* The program's number, and a descriptor of the one that has it; 0, -1: there is none. */
static inline uint32_t
bpf_id(int fd)
{
	struct bpf_prog_info info;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	memset(&info, 0, sizeof(info));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uint64_t)(uintptr_t)&info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) < 0 ? 0 : info.id;
}

static inline int
bpf_open(uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;
	return bpf(BPF_PROG_GET_FD_BY_ID, &attr);
}

/* Runs it 100,000 times, some tens of milliseconds. */
static inline int
bpf_run(int fd)
{
	static char packet[64];
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)fd;
	attr.test.data_in = (uint64_t)(uintptr_t)packet;
	attr.test.data_size_in = sizeof(packet);
	attr.test.repeat = 100000;
	return bpf(BPF_PROG_TEST_RUN, &attr) < 0 && errno != EINTR ? -1 : 0;
}

#endif
