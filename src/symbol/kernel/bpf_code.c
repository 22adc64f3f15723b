/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program is found by its tag, of which several can be, then by its addresses.  What the kernel
 * says of sizes is bounded: programs of a million instructions are the largest that it takes.
 */
#include "symbol/kernel/bpf_code.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PROGRAMS_MAX = 100000,
	FUNCTIONS_MAX = 4096,
	CODE_MAX = 16 << 20,
	LINES_MAX = 1 << 20,
	BTF_MAX = 16 << 20,
	TAG_BYTES = BPF_TAG_SIZE,
};

static const char prefix[] = "bpf_prog_";

static long
bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static bool
read_tag(const char *function, uint8_t tag[TAG_BYTES])
{
	const char *hex = function + strlen(prefix);

	if (strncmp(function, prefix, strlen(prefix)) != 0)
		return false;
	for (int i = 0; i < TAG_BYTES; i++)
		if (sscanf(hex + 2 * i, "%2hhx", &tag[i]) != 1 || hex[2 * i + 1] == '\0')
			return false;
	return true;
}

bool
bpf_code_is_name(const char *function)
{
	uint8_t tag[TAG_BYTES];

	return read_tag(function, tag);
}

static long
get_info(int fd, void *info, uint32_t len)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = len;
	attr.info.info = (uint64_t)(uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static int
fd_of(int command, uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id; /* the same word is btf_id */
	return (int)bpf(command, &attr);
}

/* What there is of a program; the arrays are as long as @info says. */
struct program {
	struct bpf_prog_info info;
	uint64_t *starts;     /* of its functions */
	uint32_t *lens;
	uint8_t *code;        /* of all of them, one after the other */
	struct bpf_line_info *lines;
	uint64_t *line_addrs; /* of each line where its code begins */
};

static void
program_release(struct program *p)
{
	free(p->starts);
	free(p->lens);
	free(p->code);
	free(p->lines);
	free(p->line_addrs);
}

static bool
is_sane(const struct bpf_prog_info *i)
{
	return i->jited_prog_len > 0 && i->jited_prog_len <= CODE_MAX && i->nr_jited_ksyms > 0 &&
	       i->nr_jited_ksyms <= FUNCTIONS_MAX && i->nr_jited_func_lens == i->nr_jited_ksyms;
}

/* Its lines are asked for if both sides of them are such as this knows. */
static uint32_t
count_lines(const struct bpf_prog_info *i)
{
	return i->nr_line_info == i->nr_jited_line_info && i->nr_line_info <= LINES_MAX &&
		       i->line_info_rec_size == sizeof(struct bpf_line_info) &&
		       i->jited_line_info_rec_size == sizeof(uint64_t) ? i->nr_line_info : 0;
}

#define TO(pointer) ((uint64_t)(uintptr_t)(pointer))

/* false: it cannot be had, or not all of it. */
static bool
program_read(int fd, const struct bpf_prog_info *sizes, struct program *p)
{
	uint32_t functions = sizes->nr_jited_ksyms, lines = count_lines(sizes);

	*p = (struct program){
		.starts = mem_calloc(functions, sizeof(*p->starts)),
		.lens = mem_calloc(functions, sizeof(*p->lens)),
		.code = mem_calloc(sizes->jited_prog_len, 1),
		.lines = mem_calloc(lines + 1, sizeof(*p->lines)),
		.line_addrs = mem_calloc(lines + 1, sizeof(*p->line_addrs)),
	};
	p->info = (struct bpf_prog_info){
		.nr_jited_ksyms = functions, .jited_ksyms = TO(p->starts),
		.nr_jited_func_lens = functions, .jited_func_lens = TO(p->lens),
		.jited_prog_len = sizes->jited_prog_len, .jited_prog_insns = TO(p->code),
		.nr_line_info = lines, .line_info = TO(p->lines),
		.line_info_rec_size = lines > 0 ? sizeof(*p->lines) : 0,
		.nr_jited_line_info = lines, .jited_line_info = TO(p->line_addrs),
		.jited_line_info_rec_size = lines > 0 ? sizeof(*p->line_addrs) : 0,
	};
	if (get_info(fd, &p->info, sizeof(p->info)) != 0 || !is_sane(&p->info) ||
	    p->info.nr_jited_ksyms != functions || p->info.jited_prog_len != sizes->jited_prog_len ||
	    p->info.jited_prog_insns == 0 || p->info.jited_ksyms == 0)
		return false;
	p->info.nr_line_info = count_lines(&p->info) == lines ? lines : 0;
	return true;
}

/* The strings of a program's BTF, NULL: it has none. */
static char *
read_strings(uint32_t id, uint32_t *len)
{
	struct bpf_btf_info info = { 0 };
	int fd = id != 0 ? fd_of(BPF_BTF_GET_FD_BY_ID, id) : -1;
	struct btf_header head;
	char *all = NULL, *strings = NULL;

	if (fd < 0)
		return NULL;
	if (get_info(fd, &info, sizeof(info)) == 0 && info.btf_size >= sizeof(head) &&
	    info.btf_size <= BTF_MAX) {
		uint32_t size = info.btf_size;

		all = mem_calloc(size + 1, 1);
		info = (struct bpf_btf_info){ .btf = TO(all), .btf_size = size };
		memset(&head, 0, sizeof(head));
		if (get_info(fd, &info, sizeof(info)) == 0 && info.btf_size == size)
			memcpy(&head, all, sizeof(head));
		if (head.hdr_len >= sizeof(head) && head.hdr_len <= size &&
		    head.str_off <= size - head.hdr_len &&
		    head.str_len <= size - head.hdr_len - head.str_off) {
			*len = head.str_len;
			strings = mem_calloc(*len + 1, 1);
			memcpy(strings, all + head.hdr_len + head.str_off, *len);
		}
	}
	close(fd);
	free(all);
	return strings;
}

static int
compare_lines(const void *a, const void *b)
{
	const struct bpf_line *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Those of the function; without strings they say nothing. */
static void
take_lines(const struct program *p, struct bpf_code *out)
{
	uint32_t len = 0;

	out->strings = p->info.nr_line_info > 0 ? read_strings(p->info.btf_id, &len) : NULL;
	if (out->strings == NULL)
		return;
	out->lines = mem_calloc(p->info.nr_line_info, sizeof(*out->lines));
	for (uint32_t i = 0; i < p->info.nr_line_info; i++) {
		const struct bpf_line_info *l = &p->lines[i];
		uint64_t addr = p->line_addrs[i];

		if (addr < out->start || addr - out->start >= out->len || l->file_name_off >= len ||
		    l->line_off >= len)
			continue;
		out->lines[out->line_count++] = (struct bpf_line){
			.addr = addr, .file = out->strings + l->file_name_off,
			.text = out->strings + l->line_off,
			.line = BPF_LINE_INFO_LINE_NUM(l->line_col) };
	}
	qsort(out->lines, out->line_count, sizeof(*out->lines), compare_lines);
}

/* 1: that was it, 0: it is another one. */
static int
take_function(const struct program *p, uint64_t addr, struct bpf_code *out)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < p->info.nr_jited_ksyms; i++) {
		if (p->lens[i] > p->info.jited_prog_len - at)
			return 0;
		if (addr >= p->starts[i] && addr - p->starts[i] < p->lens[i]) {
			out->start = p->starts[i];
			out->len = p->lens[i];
			out->code = mem_calloc(out->len, 1);
			memcpy(out->code, p->code + at, out->len);
			take_lines(p, out);
			return 1;
		}
		at += p->lens[i];
	}
	return 0;
}

/* 1: it has the code, 0: it has not, -1: it hides it. */
static int
try_program(int fd, const uint8_t tag[TAG_BYTES], uint64_t addr, struct bpf_code *out)
{
	struct bpf_prog_info sizes;
	struct program p;
	int res;

	memset(&sizes, 0, sizeof(sizes));
	if (get_info(fd, &sizes, sizeof(sizes)) != 0)
		return 0;
	/* A function that is called has a tag of its own: the program's may be another one. */
	if (memcmp(sizes.tag, tag, TAG_BYTES) != 0 && sizes.nr_jited_ksyms < 2)
		return 0;
	if (!is_sane(&sizes))
		return memcmp(sizes.tag, tag, TAG_BYTES) == 0 ? -1 : 0;
	res = program_read(fd, &sizes, &p) ? take_function(&p, addr, out) : -1;
	program_release(&p);
	return res;
}

/* Looks at all programs.  Whether one has the code. */
static bool
find_program(const uint8_t tag[TAG_BYTES], uint64_t addr, struct bpf_code *out, struct err *err)
{
	bool is_hidden = false;
	union bpf_attr attr;
	int found = 0, fd;

	memset(&attr, 0, sizeof(attr));
	errno = 0;
	for (unsigned n = 0; n < PROGRAMS_MAX && found != 1; n++) {
		if (bpf(BPF_PROG_GET_NEXT_ID, &attr) != 0)
			break;
		attr.start_id = attr.next_id;
		fd = fd_of(BPF_PROG_GET_FD_BY_ID, attr.next_id);
		if (fd < 0 && errno == EPERM)
			break;
		if (fd < 0)
			continue;
		found = try_program(fd, tag, addr, out);
		is_hidden |= found < 0;
		close(fd);
	}
	if (found == 1)
		return true;
	if (errno == EPERM) {
		err_set(err, ERR_DENIED, EPERM, "cannot ask for BPF programs");
		err_hint(err, "it takes CAP_SYS_ADMIN");
	} else if (is_hidden) {
		err_set(err, ERR_DENIED, 0, "the kernel hides the code of BPF programs");
		err_hint(err, "run with CAP_SYSLOG, or: sudo sysctl kernel.kptr_restrict=0");
	} else {
		err_set(err, ERR_GONE, 0, "the BPF program is not there any more");
	}
	return false;
}

struct bpf_code *
bpf_code_read(const char *function, uint64_t addr, struct err *err)
{
	struct bpf_code *c = mem_calloc(1, sizeof(*c));
	uint8_t tag[TAG_BYTES];

	if (!read_tag(function, tag)) {
		err_set(err, ERR_GONE, 0, "it is no function of a BPF program");
	} else if (find_program(tag, addr, c, err)) {
		return c;
	}
	bpf_code_free(c);
	return NULL;
}

void
bpf_code_free(struct bpf_code *c)
{
	if (c == NULL)
		return;
	free(c->code);
	free(c->lines);
	free(c->strings);
	free(c);
}
