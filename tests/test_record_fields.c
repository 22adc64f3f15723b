/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every type of record and every field of a sample, encoded by hand in both byte orders.  What a
 * record says is compared as the line that record_put() writes.
 */
#include "record/encode.h"
#include "record/layouts.h"
#include "record/put.h"
#include "record/reg_names.h"
#include "record/types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/asserts.h"

enum {
	ALL_IDS = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
		  PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU,
	ALL_FIELDS = (1 << 25) - 1,
	FORMAT_ALL = 31,
	REGS_USER = 0x109, /* r0 r3 r8 */
	REGS_INTR = 0x10,
};

/* What writes a record: in the other byte order if swap. */
struct coder {
	struct event_attr attr;
	bool swap;
	size_t len;
	_Alignas(8) uint8_t data[2048];
};

static void
u64(struct coder *c, uint64_t v)
{
	v = c->swap ? __builtin_bswap64(v) : v;
	memcpy(c->data + c->len, &v, 8);
	c->len += 8;
}

static void
u32(struct coder *c, uint32_t v)
{
	v = c->swap ? __builtin_bswap32(v) : v;
	memcpy(c->data + c->len, &v, 4);
	c->len += 4;
}

static void
u16(struct coder *c, uint16_t v)
{
	v = c->swap ? __builtin_bswap16(v) : v;
	memcpy(c->data + c->len, &v, 2);
	c->len += 2;
}

static void
raw(struct coder *c, const void *bytes, size_t len)
{
	memcpy(c->data + c->len, bytes, len);
	c->len += len;
}

/* The header, which the reader of a file has made native. */
static void
begin(struct coder *c, uint32_t type, uint16_t misc)
{
	bool swap = c->swap;

	c->len = 0;
	c->swap = false;
	u32(c, type);
	u16(c, misc);
	u16(c, 0);
	c->swap = swap;
}

static void
trailer(struct coder *c)
{
	u32(c, 100);
	u32(c, 101);
	u64(c, 12345678901);
	u64(c, 77);
	u64(c, 88);
	u32(c, 3);
	u32(c, 0);
	u64(c, 77);
}

#define TRAILER_LINE "pid=100 tid=101 time=12.345678901 cpu=3 id=77 stream_id=88"

static void
fill_mmap(struct coder *c)
{
	u32(c, 1);
	u32(c, 2);
	u64(c, 0x400000);
	u64(c, 0x2000);
	u64(c, 0x1000);
	raw(c, "/bin/\x1b\n", 8);
}

/* As perf writes the kernel's own maps. */
static void
fill_kernel_mmap(struct coder *c)
{
	u32(c, (uint32_t)-1);
	u32(c, 0);
	u64(c, 0xffffffff81000000);
	u64(c, 0x1000);
	u64(c, 0);
	raw(c, "vmlinux", 8);
}

static void
fill_mmap2(struct coder *c)
{
	u32(c, 1);
	u32(c, 2);
	u64(c, 0x400000);
	u64(c, 0x2000);
	u64(c, 0x1000);
	u32(c, 8);
	u32(c, 17);
	u64(c, 4711);
	u64(c, 5);
	u32(c, 7);
	u32(c, 2);
	raw(c, "/bin/ls", 8);
}

static void
fill_build_id(struct coder *c)
{
	u32(c, 1);
	u32(c, 2);
	u64(c, 0x400000);
	u64(c, 0x2000);
	u64(c, 0x1000);
	raw(c, "\x14\0\0\0", 4);
	raw(c, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\xff",
	    20);
	u32(c, 7);
	u32(c, 2);
	raw(c, "/bin/ls", 8);
}

/* A task whose parent is gone: the kernel has no number for it. */
static void
fill_orphan(struct coder *c)
{
	u32(c, 200);
	u32(c, (uint32_t)-1);
	u32(c, 201);
	u32(c, (uint32_t)-1);
	u64(c, 99);
}

static void
fill_comm(struct coder *c)
{
	u32(c, 1);
	u32(c, 2);
	raw(c, "a nam:e", 8);
}

static void
fill_task(struct coder *c)
{
	u32(c, 200);
	u32(c, 100);
	u32(c, 201);
	u32(c, 101);
	u64(c, 99);
}

static void
fill_words(struct coder *c)
{
	u64(c, 0x123);
	u64(c, 5000000000);
	u64(c, 7);
}

static void
fill_two_words(struct coder *c)
{
	u64(c, 9);
	u64(c, 5000000000);
}

static void
fill_word(struct coder *c)
{
	u64(c, 5000000000);
}

static void
fill_pair(struct coder *c)
{
	u32(c, 1);
	u32(c, 2);
}

static void
fill_nothing(struct coder *c)
{
	(void)c;
}

/* A group of two of all formats. */
static void
group(struct coder *c)
{
	u64(c, 2);
	u64(c, 1000);
	u64(c, 900);
	for (uint64_t i = 0; i < 2; i++) {
		u64(c, 40 + i);
		u64(c, 77 + i);
		u64(c, i);
	}
}

#define GROUP_LINE "read=[enabled:1000 running:900 77:40/0 78:41/1]"

static void
fill_read(struct coder *c)
{
	fill_pair(c);
	group(c);
}

static void
fill_namespaces(struct coder *c)
{
	fill_pair(c);
	u64(c, 2);
	u64(c, 4);
	u64(c, 4026531835);
	u64(c, 4);
	u64(c, 4026531836);
}

static void
fill_ksymbol(struct coder *c)
{
	u64(c, 0xffffffffc0000000);
	u32(c, 64);
	u16(c, 1);
	u16(c, 2);
	raw(c, "bpf_prg", 8);
}

static void
fill_bpf_event(struct coder *c)
{
	u16(c, 1);
	u16(c, 2);
	u32(c, 3);
	raw(c, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
}

static void
fill_cgroup(struct coder *c)
{
	u64(c, 31);
	raw(c, "/system", 8);
}

static void
fill_text_poke(struct coder *c)
{
	u64(c, 0xffffffff81000000);
	u16(c, 1);
	u16(c, 3);
	raw(c, "\x90\xe8\x01\x02", 4);
}

static void
fill_deferred(struct coder *c)
{
	u64(c, 0xc00c1e);
	u64(c, 3);
	u64(c, PERF_CONTEXT_USER);
	u64(c, 0x10);
	u64(c, 0x20);
}

#define MMAP_LINE "mmap_pid=1 mmap_tid=2 start=0x400000 len=0x2000 pgoff=0x1000"
#define TASK_LINE "task_pid=200 ppid=100 task_tid=201 ptid=101 task_time=0.000000099"

static const struct shape {
	const char *name;
	uint32_t type;
	uint16_t misc;
	void (*fill)(struct coder *c);
	const char *line;
} shapes[] = {
	{ "mmap", 1, 0, fill_mmap, MMAP_LINE " name=\"/bin/\\x1b\\x0a\"" },
	{ "mmap", 1, 1, fill_kernel_mmap,
	  "mmap_pid=-1 mmap_tid=0 start=0xffffffff81000000 len=0x1000 pgoff=0x0"
	  " name=\"vmlinux\"" },
	{ "lost", 2, 0, fill_two_words, "lost_id=9 lost=5000000000" },
	{ "comm", 3, 0, fill_comm, "comm_pid=1 comm_tid=2 exec=0 comm=\"a nam:e\"" },
	{ "comm", 3, 1 << 13, fill_comm, "comm_pid=1 comm_tid=2 exec=1 comm=\"a nam:e\"" },
	{ "exit", 4, 0, fill_task, TASK_LINE },
	{ "throttle", 5, 0, fill_words,
	  "throttle_time=0.000000291 throttle_id=5000000000 throttle_stream_id=7" },
	{ "unthrottle", 6, 0, fill_words,
	  "throttle_time=0.000000291 throttle_id=5000000000 throttle_stream_id=7" },
	{ "fork", 7, 0, fill_task, TASK_LINE },
	{ "exit", 4, 0, fill_orphan,
	  "task_pid=200 ppid=-1 task_tid=201 ptid=-1 task_time=0.000000099" },
	{ "read", 8, 0, fill_read, "read_pid=1 read_tid=2 " GROUP_LINE },
	{ "mmap2", 10, 2, fill_mmap2,
	  MMAP_LINE " file=8:11:4711:5 prot=0x7 flags=0x2 name=\"/bin/ls\"" },
	{ "mmap2", 10, 1 << 14, fill_build_id,
	  MMAP_LINE " file=build-id:0102030405060708090a0b0c0d0e0f10111213ff prot=0x7 flags=0x2"
		    " name=\"/bin/ls\"" },
	{ "aux", 11, 0, fill_words, "aux_offset=0x123 aux_size=0x12a05f200 flags=0x7 (truncated|overwrite|partial)" },
	{ "itrace-start", 12, 0, fill_pair, "itrace_pid=1 itrace_tid=2" },
	{ "lost-samples", 13, 1 << 15, fill_word, "lost=5000000000" },
	{ "switch", 14, 0, fill_nothing, "out=0 preempt=0" },
	{ "switch", 14, 3 << 13, fill_nothing, "out=1 preempt=1" },
	{ "switch-cpu-wide", 15, 1 << 13, fill_pair,
	  "out=1 preempt=0 next_prev_pid=1 next_prev_tid=2" },
	{ "namespaces", 16, 0, fill_namespaces,
	  "ns_pid=1 ns_tid=2 namespaces=[0x4:4026531835 0x4:4026531836]" },
	{ "ksymbol", 17, 0, fill_ksymbol,
	  "addr=0xffffffffc0000000 len=64 ksym_type=1 (bpf) flags=0x2 name=\"bpf_prg\"" },
	{ "bpf-event", 18, 0, fill_bpf_event,
	  "bpf_type=1 (load) flags=0x2 bpf_id=3 tag=0123456789abcdef" },
	{ "cgroup", 19, 0, fill_cgroup, "cgroup_id=31 path=\"/system\"" },
	{ "text-poke", 20, 0, fill_text_poke, "addr=0xffffffff81000000 old=90 new=e80102" },
	{ "aux-output-hw-id", 21, 0, fill_word, "hw_id=0x12a05f200" },
	{ "callchain-deferred", 22, 0, fill_deferred, "cookie=0xc00c1e chain=[user 0x10 0x20]" },
};

/* Each field of a sample, in ABI order. */
static void
field_tid(struct coder *c)
{
	u32(c, 100);
	u32(c, 101);
}

static void
field_time(struct coder *c)
{
	u64(c, 12345678901);
}

static void
field_id(struct coder *c)
{
	u64(c, 77);
}

static void
field_stream_id(struct coder *c)
{
	u64(c, 88);
}

static void
field_cpu(struct coder *c)
{
	u32(c, 3);
	u32(c, 0);
}

static void
field_chain(struct coder *c)
{
	u64(c, 5);
	u64(c, PERF_CONTEXT_KERNEL);
	u64(c, 0xffffffff81000010);
	u64(c, PERF_CONTEXT_USER);
	u64(c, 0x4010);
	u64(c, (uint64_t)-640);
}

static void
field_raw(struct coder *c)
{
	u32(c, 4);
	raw(c, "\x01\x23\xab\xcd", 4);
}

/* struct perf_branch_entry, whose bits begin at the other end on big endian. */
static void
branch(struct coder *c, uint64_t from, unsigned flags, uint64_t cycles)
{
	uint64_t bits = flags | cycles << 4;

	if (c->swap) {
		bits = cycles << 44;
		for (unsigned i = 0; i < 4; i++)
			bits |= (uint64_t)(flags >> i & 1) << (63 - i);
	}
	u64(c, from);
	u64(c, from + 1);
	u64(c, bits);
}

static void
field_branches(struct coder *c)
{
	u64(c, 3);
	if (c->attr.branch_sample_type & ABI_BRANCH_HW_INDEX)
		u64(c, 6);
	branch(c, 0x10, 1, 0);
	branch(c, 0x20, 2, 0xffff);
	branch(c, 0x30, 12, 258);
	for (uint64_t i = 0; i < 3 && c->attr.branch_sample_type & ABI_BRANCH_COUNTERS; i++)
		u64(c, i);
}

static void
field_regs_user(struct coder *c)
{
	u64(c, 2);
	u64(c, 0xa);
	u64(c, 0xb);
	u64(c, 0xc);
}

static void
field_stack(struct coder *c)
{
	u64(c, 16);
	raw(c, "0123456789abcdef", 16);
	u64(c, 11);
}

static void
field_weight(struct coder *c)
{
	u64(c, UINT64_C(3) << 48 | UINT64_C(2) << 32 | 1);
}

static void
field_data_src(struct coder *c)
{
	u64(c, UINT64_C(2) | 0xa << 5 | 4 << 19 | 2 << 24 | 0x1a << 26 | UINT64_C(1) << 33 |
		       UINT64_C(1) << 38 | UINT64_C(1) << 40 | UINT64_C(1) << 43);
}

static void
field_regs_intr(struct coder *c)
{
	u64(c, 0);
}

static void
field_aux(struct coder *c)
{
	u64(c, 3);
	raw(c, "abc", 3);
}

static const struct field {
	uint64_t bits;
	void (*fill)(struct coder *c); /* NULL: a word that is the place in this table */
	const char *line;
} fields[] = {
	{ PERF_SAMPLE_IDENTIFIER, field_id, "" },
	{ PERF_SAMPLE_IP, NULL, "ip=0x1" },
	{ PERF_SAMPLE_TID, field_tid, "" },
	{ PERF_SAMPLE_TIME, field_time, "" },
	{ PERF_SAMPLE_ADDR, NULL, "addr=0x4" },
	{ PERF_SAMPLE_ID, field_id, "" },
	{ PERF_SAMPLE_STREAM_ID, field_stream_id, "" },
	{ PERF_SAMPLE_CPU, field_cpu, "" },
	{ PERF_SAMPLE_PERIOD, NULL, "period=8" },
	{ PERF_SAMPLE_READ, group, GROUP_LINE },
	{ PERF_SAMPLE_CALLCHAIN, field_chain,
	  "chain=[kernel 0xffffffff81000010 user 0x4010 user-deferred]" },
	{ PERF_SAMPLE_RAW, field_raw, "raw=0123abcd" },
	{ PERF_SAMPLE_BRANCH_STACK, field_branches,
	  "branches=[0x10/0x11/M/-/-/0 0x20/0x21/P/-/-/65535 0x30/0x31/-/X/A/258]"
	  " branch_hw_idx=6 branch_counters=[0x0 0x1 0x2]" },
	{ PERF_SAMPLE_REGS_USER, field_regs_user, "regs_user=[abi:2 r0:0xa r3:0xb r8:0xc]" },
	{ PERF_SAMPLE_STACK_USER, field_stack, "stack_user=16/11" },
	{ PERF_SAMPLE_WEIGHT | ABI_SAMPLE_WEIGHT_STRUCT, field_weight, "weight=1,2,3" },
	{ PERF_SAMPLE_DATA_SRC, field_data_src,
	  "data_src=0x9426a200142 (op=load lvl=hit|L1 lvlnum=L1 snoop=hit snoopx=fwd lock=locked"
	  " tlb=hit|L1|L2 blk=na hops=core)" },
	{ PERF_SAMPLE_TRANSACTION, NULL, "transaction=0x11 (elision|retry)" },
	{ PERF_SAMPLE_REGS_INTR, field_regs_intr, "regs_intr=[abi:0]" },
	{ ABI_SAMPLE_PHYS_ADDR, NULL, "phys_addr=0x13" },
	{ ABI_SAMPLE_CGROUP, NULL, "cgroup=20" },
	{ ABI_SAMPLE_DATA_PAGE_SIZE, NULL, "data_page_size=21" },
	{ ABI_SAMPLE_CODE_PAGE_SIZE, NULL, "code_page_size=22" },
	{ ABI_SAMPLE_AUX, field_aux, "aux=3" },
};

static struct event_attr
attr_of(uint64_t type, bool id_all)
{
	return (struct event_attr){
		.sample_type = type,
		.sample_id_all = id_all,
		.read_format = FORMAT_ALL,
		.branch_sample_type = ABI_BRANCH_HW_INDEX | ABI_BRANCH_COUNTERS,
		.sample_regs_user = REGS_USER,
		.sample_regs_intr = REGS_INTR,
		.sample_stack_user = type & PERF_SAMPLE_STACK_USER ? 8192 : 0,
	};
}

static void
make_sample(struct coder *c, uint64_t type)
{
	c->attr.sample_type = type;
	begin(c, PERF_RECORD_SAMPLE, 2);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!(fields[i].bits & type))
			continue;
		if (fields[i].fill != NULL)
			fields[i].fill(c);
		else
			u64(c, i);
	}
}

/* The same bytes in memory of exactly their length, so that reading beyond is seen. */
static struct bytes
exactly(const struct coder *c, size_t len)
{
	uint8_t *copy = mem_calloc(1, MAX(len, 1));

	memcpy(copy, c->data, len);
	return (struct bytes){ copy, len };
}

/* What the record says, and that no part of it alone says anything. */
static void
assert_line(const struct coder *c, const char *want)
{
	struct record_layout layout = record_layout_of(&c->attr, c->swap);
	struct bytes b = exactly(c, c->len);
	struct buf line = { 0 };
	struct record rec;

	assert_int_equal(record_time(&layout, b),
			 strstr(want, "time=12.345678901") != NULL ? 12345678901 : 0);
	assert_int_equal(record_decode(&layout, b, &rec), 1);
	record_put(&line, &layout, &rec);
	assert_string_equal(buf_str(&line), want);
	buf_release(&line);
	free((void *)b.data);
	for (size_t len = 0; len < c->len; len++) {
		b = exactly(c, len);
		assert_int_equal(record_decode(&layout, b, &rec), -1);
		record_time(&layout, b);
		free((void *)b.data);
	}
}

/* The words for the bits of the shapes above. */
static const char *
misc_words(uint32_t type, uint16_t misc)
{
	static const struct {
		uint32_t type;
		uint16_t misc;
		const char *words;
	} all[] = {
		{ 1, 1, " (kernel)" }, { 3, 1 << 13, " (exec)" }, { 10, 2, " (user)" },
		{ 10, 1 << 14, " (build-id)" }, { 13, 1 << 15, " (bpf-filter)" },
		{ 14, 3 << 13, " (out|preempt)" },
		{ 15, 1 << 13, " (out)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].type == type && all[i].misc == misc)
			return all[i].words;
	return "";
}

static void
every_type_is_decoded_in_either_byte_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes) * 4; i++) {
		const struct shape *s = &shapes[i / 4];
		bool id_all = i & 2;
		struct coder c = { .attr = attr_of(ALL_IDS, id_all), .swap = i & 1 };
		char want[512];

		begin(&c, s->type, s->misc);
		s->fill(&c);
		if (id_all)
			trailer(&c);
		snprintf(want, sizeof(want), "%s misc=0x%x%s%s %s", s->name, s->misc,
			 misc_words(s->type, s->misc), id_all ? " " TRAILER_LINE : "", s->line);
		assert_line(&c, want);
		assert_string_equal(record_type_name(s->type), s->name);
	}
}

/* What a sample of that type is written as. */
static void
sample_line(struct buf *b, uint64_t type)
{
	static const struct {
		uint64_t bits;
		const char *line;
	} ids[] = {
		{ PERF_SAMPLE_TID, "pid=100 tid=101" },
		{ PERF_SAMPLE_TIME, "time=12.345678901" },
		{ PERF_SAMPLE_CPU, "cpu=3" },
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID, "id=77" },
		{ PERF_SAMPLE_STREAM_ID, "stream_id=88" },
	};

	buf_add_str(b, "sample misc=0x2 (user)");
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (ids[i].bits & type)
			buf_addf(b, " %s", ids[i].line);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].bits & type && *fields[i].line != '\0')
			buf_addf(b, " %s", fields[i].line);
}

static void
assert_sample(uint64_t type)
{
	struct buf want = { 0 };

	sample_line(&want, type);
	for (int swap = 0; swap < 2; swap++) {
		struct coder c = { .attr = attr_of(type, true), .swap = swap };

		make_sample(&c, type);
		assert_line(&c, buf_str(&want));
	}
	buf_release(&want);
}

static void
every_field_of_a_sample_is_decoded_in_either_byte_order(void **state)
{
	uint64_t all = ALL_FIELDS & ~(uint64_t)PERF_SAMPLE_WEIGHT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		assert_sample(fields[i].bits & all);
		assert_sample(all & ~fields[i].bits);
	}
	assert_sample(all);
	srand(4);
	for (int i = 0; i < 200; i++)
		assert_sample((uint64_t)rand() & all);
}

static struct record
decode_one(const struct coder *c, int want)
{
	struct record_layout layout = record_layout_of(&c->attr, c->swap);
	struct record rec;

	assert_int_equal(record_decode(&layout, (struct bytes){ c->data, c->len }, &rec), want);
	return rec;
}

static void
fields_that_are_left_out_within_others(void **state)
{
	struct coder c = { .attr = attr_of(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
					   PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT, true) };
	struct record rec;

	(void)state;
	c.attr.branch_sample_type = 0;
	begin(&c, PERF_RECORD_SAMPLE, 0);
	field_branches(&c);
	u64(&c, 0); /* no registers of a thread of the kernel, nor a stack */
	u64(&c, 0);
	u64(&c, 12);
	rec = decode_one(&c, 1);
	assert_int_equal(rec.sample.branches.len, 3);
	assert_true(rec.sample.branches.hw_idx == UINT64_MAX);
	assert_null(rec.sample.branches.counters);
	assert_null(rec.sample.regs_user.words);
	assert_int_equal(rec.sample.stack_user.len, 0);
	assert_int_equal(rec.sample.weight, 12);
}

static void
put_chain(struct buf *b, const struct record_unwound *user)
{
	buf_add_str(b, "chain=[kernel 0xffffffff81000010");
	if (user->len > 0 || user->is_cut)
		buf_add_str(b, " user");
	for (size_t i = 0; i < user->len; i++)
		buf_addf(b, " 0x%llx", (unsigned long long)user->addrs[i]);
	buf_addf(b, "%s%s]", user->len == 0 && !user->is_cut ? " user 0x4010 user-deferred" : "",
		 user->is_cut ? " user" : "");
}

/* Of a sample with those fields: all is as it was, but for the chain and the copies. */
static void
assert_unwound(uint64_t type, const struct record_unwound *user)
{
	struct coder c = { .attr = attr_of(type, true) };
	struct buf line = { 0 }, want = { 0 }, chain = { 0 }, b = { 0 };
	struct record_layout layout;
	struct record rec;
	char *at;

	make_sample(&c, type);
	rec = decode_one(&c, 1);
	record_encode_unwound(&b, &rec, (struct bytes){ c.data, c.len }, user);
	record_attr_unwound(&c.attr);
	/* An event of such samples copies nothing. */
	assert_int_equal(c.attr.sample_stack_user, 0);
	assert_int_equal(c.attr.sample_regs_user, 0);
	layout = record_layout_of(&c.attr, false);
	assert_int_equal(record_decode(&layout, (struct bytes){ (uint8_t *)b.data, b.len }, &rec), 1);
	record_put(&line, &layout, &rec);
	sample_line(&chain, type & ~RECORD_COPIES);
	at = strstr(chain.data, "chain=[");
	buf_add(&want, chain.data, (size_t)(at - chain.data));
	put_chain(&want, user);
	buf_add_str(&want, strchr(at, ']') + 1);
	assert_string_equal(buf_str(&line), buf_str(&want));
	buf_release(&line);
	buf_release(&want);
	buf_release(&chain);
	buf_release(&b);
}

static void
a_chain_takes_the_place_of_the_copy_it_was_made_of(void **state)
{
	static const uint64_t addrs[] = { 0x400010, 0x400020, 0x400030 };
	static const struct record_unwound users[] = {
		{ addrs, 3, false }, { addrs, 1, true }, { addrs, 0, true }, { addrs, 0, false },
	};
	const uint64_t least = PERF_SAMPLE_CALLCHAIN | RECORD_COPIES;
	const uint64_t not = PERF_SAMPLE_READ | PERF_SAMPLE_WEIGHT;

	(void)state;
	assert_true(record_has_copies(least | PERF_SAMPLE_RAW));
	assert_false(record_has_copies(least | PERF_SAMPLE_READ));
	assert_false(record_has_copies(least & ~(uint64_t)PERF_SAMPLE_STACK_USER));
	srand(5);
	for (int i = 0; i < 400; i++)
		assert_unwound(((uint64_t)rand() & ALL_FIELDS & ~not) | least,
			       &users[(size_t)i % ARRAY_SIZE(users)]);
}

/* Those of /proc are longer than the kernel's own records have them. */
static void
names_are_written_as_long_as_they_may_be(void **state)
{
	enum { PATH_LEN = 4095, COMM_LEN = 63 };
	struct event_attr attr = attr_of(ALL_IDS, true);
	struct record_layout layout = record_layout_of(&attr, false);
	char text[PATH_LEN + 1] = "";
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	for (size_t len = COMM_LEN - 1; len <= COMM_LEN + 1; len++) {
		memset(text, 'k', len);
		buf_reset(&b);
		record_encode_comm(&b, &layout, 1, 2, text);
		assert_int_equal(record_decode(&layout, (struct bytes){ (uint8_t *)b.data, b.len },
					       &rec), 1);
		assert_int_equal(strlen(rec.comm.comm), MIN(len, (size_t)COMM_LEN));
	}
	memset(text, '/', PATH_LEN);
	buf_reset(&b);
	record_encode_mmap2(&b, &layout, &(struct record_mmap){ .pid = 1, .tid = 1, .name = text });
	assert_int_equal(record_decode(&layout, (struct bytes){ (uint8_t *)b.data, b.len },
				       &rec), 1);
	assert_string_equal(rec.mmap.name, text);
	buf_release(&b);
}

/* For a file: what is missing in it is said there, too. */
static void
a_loss_that_is_written_is_read(void **state)
{
	struct event_attr attr = attr_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, true);
	struct record_layout layout = record_layout_of(&attr, false);
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	record_encode_lost(&b, &layout, 77, 12345);
	assert_int_equal(record_decode(&layout, (struct bytes){ (uint8_t *)b.data, b.len }, &rec), 1);
	assert_int_equal(rec.type, PERF_RECORD_LOST);
	assert_int_equal(rec.lost.id, 77);
	assert_int_equal(rec.lost.lost, 12345);
	buf_reset(&b);
	record_encode_lost_samples(&b, &layout, 78, 54321);
	assert_int_equal(record_decode(&layout, (struct bytes){ (uint8_t *)b.data, b.len }, &rec), 1);
	assert_int_equal(rec.type, PERF_RECORD_LOST_SAMPLES);
	assert_int_equal(rec.id.id, 78);
	assert_int_equal(rec.id.time_ns, 0);
	assert_int_equal(rec.lost.lost, 54321);
	buf_release(&b);
}

/* As samples of the kernel's threads are: neither registers nor stack. */
static void
a_sample_without_registers_has_the_kernels_chain(void **state)
{
	struct coder c = { .attr = attr_of(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | RECORD_COPIES |
					   PERF_SAMPLE_TRANSACTION, true) };
	struct record_layout layout;
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	begin(&c, PERF_RECORD_SAMPLE, 1);
	u64(&c, 0xffffffff81000010);
	u64(&c, 2);
	u64(&c, (uint64_t)PERF_CONTEXT_KERNEL);
	u64(&c, 0xffffffff81000010);
	u64(&c, 0);
	u64(&c, 0);
	u64(&c, 12);
	rec = decode_one(&c, 1);
	record_encode_unwound(&b, &rec, (struct bytes){ c.data, c.len }, &(struct record_unwound){ 0 });
	record_attr_unwound(&c.attr);
	layout = record_layout_of(&c.attr, false);
	assert_int_equal(record_decode(&layout, (struct bytes){ (uint8_t *)b.data, b.len }, &rec), 1);
	assert_int_equal(rec.sample.chain_len, 2);
	assert_true(rec.sample.chain[1] == 0xffffffff81000010);
	assert_int_equal(rec.sample.transaction, 12);
	buf_release(&b);
}

/* A count or size at the begin of a field that its record has no room for. */
static void
counts_that_make_no_sense_are_refused(void **state)
{
	static const uint64_t types[] = { PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK,
		PERF_SAMPLE_STACK_USER, ABI_SAMPLE_AUX, PERF_SAMPLE_READ };
	static const uint64_t counts[] = { 1000, UINT64_MAX, UINT64_MAX / 8 + 1,
		UINT64_MAX / 24 + 1, UINT64_C(1) << 61, UINT64_C(1) << 63 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types) * ARRAY_SIZE(counts); i++) {
		struct coder c = { .attr = attr_of(types[i % ARRAY_SIZE(types)], true) };

		begin(&c, PERF_RECORD_SAMPLE, 0);
		u64(&c, counts[i / ARRAY_SIZE(types)]);
		for (int n = 0; n < 8; n++)
			u64(&c, 0);
		decode_one(&c, -1);
	}
}

static void
sizes_that_contradict_are_refused(void **state)
{
	struct coder c = { .attr = attr_of(PERF_SAMPLE_STACK_USER, true) };

	(void)state;
	begin(&c, PERF_RECORD_SAMPLE, 0);
	u64(&c, 8);
	u64(&c, 0);
	u64(&c, 9); /* copied more than there is */
	decode_one(&c, -1);
	/* The field behind it would not be aligned. */
	c.attr.sample_type = PERF_SAMPLE_RAW;
	begin(&c, PERF_RECORD_SAMPLE, 0);
	u32(&c, 5);
	u64(&c, 0);
	decode_one(&c, -1);
	/* A bit of read_format that may stand for a word. */
	c.attr.sample_type = PERF_SAMPLE_READ;
	c.attr.read_format = 32;
	begin(&c, PERF_RECORD_SAMPLE, 0);
	u64(&c, 1);
	u64(&c, 1);
	decode_one(&c, -1);
}

/* One value of a struct read_format. */
static void
value(struct coder *c, uint64_t format, uint64_t n)
{
	u64(c, 500 + n);
	if (!(format & PERF_FORMAT_GROUP) && format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		u64(c, 1000);
	if (!(format & PERF_FORMAT_GROUP) && format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		u64(c, 900);
	if (format & PERF_FORMAT_ID)
		u64(c, 70 + n);
	if (format & ABI_FORMAT_LOST)
		u64(c, 10 + n);
}

static void
make_read(struct coder *c, uint64_t format, uint64_t count)
{
	begin(c, PERF_RECORD_READ, 0);
	u32(c, 1);
	u32(c, 2);
	if (format & PERF_FORMAT_GROUP) {
		u64(c, count);
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			u64(c, 1000);
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			u64(c, 900);
	}
	for (uint64_t n = 0; n < count; n++)
		value(c, format, n);
}

static void
assert_values(const struct record *rec, uint64_t format, uint64_t count)
{
	struct record_values v = record_read_begin(format, rec->read.values);

	assert_int_equal(v.time_enabled, format & 1 ? 1000 : 0);
	assert_int_equal(v.time_running, format & 2 ? 900 : 0);
	for (uint64_t n = 0; n < count; n++) {
		assert_true(record_read_next(&v));
		assert_int_equal(v.value, 500 + n);
		assert_int_equal(v.id, format & PERF_FORMAT_ID ? 70 + n : 0);
		assert_int_equal(v.lost, format & ABI_FORMAT_LOST ? 10 + n : 0);
	}
	assert_false(record_read_next(&v));
}

static void
values_are_read_in_all_formats(void **state)
{
	struct record_values none = record_read_begin(FORMAT_ALL, (struct bytes){ 0 });

	(void)state;
	assert_false(record_read_next(&none));
	for (uint64_t i = 0; i <= FORMAT_ALL * 2 + 1; i++) {
		uint64_t format = i / 2, count = format & PERF_FORMAT_GROUP ? 3 : 1;
		struct coder c = { .attr = { .read_format = format }, .swap = i & 1 };
		struct record rec;

		make_read(&c, format, count);
		rec = decode_one(&c, 1);
		assert_values(&rec, format, count);
	}
}

/* One id is a counter of its own in each task then, and what it gained is by the task. */
static void
values_are_by_task_where_what_is_read_is_inherited(void **state)
{
	static const struct {
		uint64_t type;
		bool inherit, is_by_task;
	} rows[] = {
		{ PERF_SAMPLE_TID | PERF_SAMPLE_READ, true, true },
		{ PERF_SAMPLE_TID | PERF_SAMPLE_READ, false, false },
		{ PERF_SAMPLE_TID, true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event_attr attr = { .sample_type = rows[i].type,
						 .inherit = rows[i].inherit };

		assert_int_equal(record_layout_of(&attr, false).has_values_by_task,
				 rows[i].is_by_task);
	}
}

static void
assert_misc(uint32_t type, uint16_t misc, const char *words)
{
	struct record_layout none = { 0 };
	struct record rec = { .type = type, .misc = misc };
	struct buf line = { 0 }, want = { 0 };

	if (type == PERF_RECORD_COMM)
		rec.comm.comm = "";
	else
		rec.mmap.name = "";
	record_put(&line, &none, &rec);
	buf_addf(&want, "%s misc=0x%x%s", record_type_name(type), misc, words);
	buf_addf(&want, "%s", buf_str(&line) + MIN(line.len, want.len));
	assert_string_equal(buf_str(&line), buf_str(&want));
	buf_release(&want);
	buf_release(&line);
}

static void
the_bits_of_misc_are_told_in_the_words_of_their_type(void **state)
{
	static const char *const modes[] = { "", " (kernel)", " (user)", " (hypervisor)",
					     " (guest-kernel)", " (guest-user)" };

	(void)state;
	for (uint16_t i = 0; i < ARRAY_SIZE(modes); i++)
		assert_misc(PERF_RECORD_SAMPLE, i, modes[i]);
	assert_misc(PERF_RECORD_SAMPLE, 7, " (mode:7)");
	assert_misc(PERF_RECORD_SAMPLE, 1 << 14 | 2, " (user|exact-ip)");
	assert_misc(PERF_RECORD_MMAP, 1 << 13 | 1 << 12 | 2, " (user|cut-by-timeout|data)");
	assert_misc(PERF_RECORD_MMAP2, 1 << 14 | 1 << 13, " (data|build-id)");
	assert_misc(PERF_RECORD_FORK, 1 << 13, " (exec)");
	assert_misc(PERF_RECORD_COMM, 1 << 15, " (extended)");
	assert_misc(PERF_RECORD_LOST, 1 << 13, "");
}

/* A bit-field of struct perf_branch_entry: big endian counts from the other end. */
static uint64_t
branch_part(const struct coder *c, unsigned at, unsigned width, uint64_t v)
{
	return v << (c->swap ? 64 - at - width : at);
}

static void
assert_branch(unsigned type, unsigned spec, unsigned new_type, unsigned priv, const char *words)
{
	char want[160];

	snprintf(want, sizeof(want), "sample misc=0x0 branches=[0x10/0x11/P/-/-/7%s]", words);
	for (int swap = 0; swap < 2; swap++) {
		struct coder c = { .attr = attr_of(PERF_SAMPLE_BRANCH_STACK, true), .swap = swap };

		c.attr.branch_sample_type = 0;
		begin(&c, PERF_RECORD_SAMPLE, 0);
		u64(&c, 1);
		u64(&c, 0x10);
		u64(&c, 0x11);
		u64(&c, branch_part(&c, 1, 1, 1) | branch_part(&c, 4, 16, 7) |
			branch_part(&c, 20, 4, type) | branch_part(&c, 24, 2, spec) |
			branch_part(&c, 26, 4, new_type) | branch_part(&c, 30, 3, priv));
		assert_line(&c, want);
	}
}

static void
type_speculation_and_privilege_of_branches_are_words(void **state)
{
	(void)state;
	assert_branch(0, 0, 0, 0, "");
	assert_branch(1, 0, 0, 0, "/cond/-/-");
	assert_branch(6, 3, 0, 1, "/ret/spec-correct/user");
	assert_branch(14, 1, 0, 2, "/no-tx/spec-wrong/kernel");
	assert_branch(0, 2, 0, 3, "/-/correct/hv");
	assert_branch(15, 0, 1, 7, "/fault-data/-/priv:7");
	assert_branch(15, 0, 9, 0, "/new:9/-/-");
}

static void
assert_put(void (*put)(struct buf *, uint64_t), uint64_t v, const char *want)
{
	struct buf b = { 0 };

	put(&b, v);
	assert_string_equal(buf_str(&b), want);
	buf_release(&b);
}

static void
memory_regions_and_the_nearest_cache_are_words(void **state)
{
	(void)state;
	assert_put(record_put_data_src, UINT64_C(7) << 33, "lvlnum=L0");
	assert_put(record_put_data_src, UINT64_C(2) << 46, "region=local-shared");
	assert_put(record_put_data_src, UINT64_C(15) << 46 | 2, "op=load region=mem7");
	assert_put(record_put_data_src, UINT64_C(31) << 46, "region=31");
	assert_put(record_put_data_src, UINT64_C(6) << 40, "blk=data|addr");
	assert_int_equal(RECORD_DATA_SRC_KNOWN >> 46, 31);
}

static void
the_bits_of_a_transaction_and_why_it_was_aborted_are_words(void **state)
{
	struct coder c = { .attr = attr_of(PERF_SAMPLE_TRANSACTION, true) };

	(void)state;
	begin(&c, PERF_RECORD_SAMPLE, 0);
	u64(&c, UINT64_C(0x1f) << 32 | 0xee);
	assert_line(&c, "sample misc=0x0 transaction=0x1f000000ee "
			"(transaction|sync|async|conflict|capacity-write|capacity-read abort=0x1f)");
}

static void
registers_have_the_names_of_their_machine(void **state)
{
	struct coder c = { .attr = attr_of(PERF_SAMPLE_REGS_USER, true) };
	struct record_layout layout = record_layout_of(&c.attr, false);
	static const struct {
		const char *machine, *want;
	} all[] = {
		{ "x86_64", "sample misc=0x0 regs_user=[abi:2 AX:0xa SI:0xb IP:0xc XMM0:0xd]" },
		{ "aarch64", "sample misc=0x0 regs_user=[abi:2 X0:0xa X4:0xb X8:0xc PC:0xd]" },
		{ "mips64", "sample misc=0x0 regs_user=[abi:2 r0:0xa r4:0xb r8:0xc r32:0xd]" },
		{ NULL, "sample misc=0x0 regs_user=[abi:2 r0:0xa r4:0xb r8:0xc r32:0xd]" },
	};
	struct record rec;

	(void)state;
	begin(&c, PERF_RECORD_SAMPLE, 0);
	u64(&c, 2);
	for (uint64_t v = 0xa; v <= 0xd; v++)
		u64(&c, v);
	layout.sample_regs_user = 1 | 1 << 4 | 1 << 8 | UINT64_C(1) << 32;
	assert_int_equal(record_decode(&layout, (struct bytes){ c.data, c.len }, &rec), 1);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct buf line = { 0 };

		layout.reg_names = record_reg_names(all[i].machine);
		record_put(&line, &layout, &rec);
		assert_string_equal(buf_str(&line), all[i].want);
		buf_release(&line);
	}
}

static void
records_of_perf_itself_are_named_and_left_alone(void **state)
{
	struct coder c = { .attr = attr_of(ALL_IDS, true), .swap = true };
	struct record_layout layout = record_layout_of(&c.attr, true);
	struct buf line = { 0 };
	struct record rec;

	(void)state;
	for (uint32_t type = 64; type <= 86; type++) {
		begin(&c, type, 0);
		raw(&c, "0123456", 7);
		rec = decode_one(&c, 1);
		assert_ptr_equal(rec.payload.data, c.data + 8);
		assert_int_equal(rec.payload.len, 7);
		assert_string_not_equal(record_type_name(type), "unknown");
	}
	begin(&c, 68, 0);
	rec = decode_one(&c, 1);
	record_put(&line, &layout, &rec);
	assert_string_equal(buf_str(&line), "finished-round misc=0x0 payload=0");
	begin(&c, 1000, 0);
	rec = decode_one(&c, 0);
	buf_reset(&line);
	record_put(&line, &layout, &rec);
	assert_string_equal(buf_str(&line), "unknown type=1000 misc=0x0 payload=0");
	begin(&c, 40, 5);
	trailer(&c);
	rec = decode_one(&c, 0);
	buf_reset(&line);
	record_put(&line, &layout, &rec);
	assert_string_equal(buf_str(&line), "unknown type=40 misc=0x5 " TRAILER_LINE);
	buf_release(&line);
}

static void
each_type_has_a_row_with_its_name_and_its_fields(void **state)
{
	(void)state;
	for (uint32_t type = PERF_RECORD_MMAP; type < RECORD_TYPE_COUNT; type++) {
		const struct record_type *row = record_type_find(type);

		if (type > ABI_RECORD_CALLCHAIN_DEFERRED && type < RECORD_USER_TYPE_FIRST)
			continue;
		if (row == NULL)
			fail_msg("type %u has no row", type);
		assert_true((row->fields == NULL) == (type >= RECORD_USER_TYPE_FIRST));
		for (uint32_t other = 0; other < type; other++)
			assert_string_not_equal(record_type_name(other), row->name);
		for (size_t i = 0; row->fields != NULL && row->fields[i].name != NULL; i++) {
			assert_non_null(row->fields[i].put);
			assert_true((row->fields[i].read != NULL) ==
				    (row->fields[i].bytes == FIELD_OWN));
		}
	}
	assert_null(record_type_find(RECORD_TYPE_COUNT));
}

static void
random_records_do_no_harm(void **state)
{
	unsigned decoded = 0, refused = 0;
	struct buf line = { 0 };
	struct record rec;

	(void)state;
	srand(5);
	for (int n = 0; n < 100000; n++) {
		struct event_attr attr = attr_of((uint64_t)rand() & ALL_FIELDS, rand() & 1);
		struct record_layout layout = record_layout_of(&attr, rand() & 1);
		size_t len = (size_t)rand() % 320 + 1;
		uint8_t *bytes = mem_calloc(1, len);
		uint32_t type = n % 2 ? PERF_RECORD_SAMPLE : (uint32_t)rand() % 24;

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)(rand() % 8 ? 0 : rand() % 4);
		memcpy(bytes, &type, MIN(len, sizeof(type)));
		buf_reset(&line);
		if (record_decode(&layout, (struct bytes){ bytes, len }, &rec) >= 0) {
			record_put(&line, &layout, &rec);
			assert_that(line.len, >, 0);
			decoded++;
		} else {
			refused++;
		}
		free(bytes);
	}
	/* Both are tried. */
	assert_that(decoded, >, 1000);
	assert_that(refused, >, 1000);
	buf_release(&line);
}

static void
a_swapped_sample_has_no_tag(void **state)
{
	struct event_attr attr = attr_of(PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD, true);
	struct record_layout native = record_layout_of(&attr, false);
	struct record_layout swapped = record_layout_of(&attr, true);
	struct coder c = { .attr = attr };

	(void)state;
	make_sample(&c, attr.sample_type);
	assert_int_not_equal(record_sample_tag(&native, (struct bytes){ c.data, c.len }), 0);
	assert_int_equal(record_sample_tag(&swapped, (struct bytes){ c.data, c.len }), 0);
}

/* Layouts of three events of that type, with the ids 70, 71 and 72. */
static struct record_layouts
three_layouts(uint64_t type, bool id_all, bool swapped)
{
	struct record_layouts l = { 0 };

	for (uint32_t i = 0; i < 3; i++) {
		struct event_attr attr = attr_of(type | (i == 2 ? ABI_SAMPLE_AUX : 0), id_all);
		struct record_layout layout = record_layout_of(&attr, swapped);

		assert_int_equal(record_layouts_add(&l, &layout), i);
		record_layouts_add_id(&l, i, 70 + i);
	}
	return l;
}

/* The event of a record of @type with @id in all places where an id can stand. */
static uint32_t
event_of(const struct record_layouts *l, uint32_t type, uint64_t id)
{
	uint64_t t = l->items[0].sample_type;
	struct coder c = { .swap = l->items[0].swapped };

	begin(&c, type, 0);
	if (type != PERF_RECORD_SAMPLE)
		fill_words(&c);
	else if (t & PERF_SAMPLE_IDENTIFIER)
		u64(&c, id);
	for (uint64_t bit = 1; bit < PERF_SAMPLE_IDENTIFIER; bit <<= 1)
		if (t & bit && (type == PERF_RECORD_SAMPLE || bit & ALL_IDS))
			u64(&c, bit == PERF_SAMPLE_ID ? id : 71);
	if (type != PERF_RECORD_SAMPLE && t & PERF_SAMPLE_IDENTIFIER)
		u64(&c, id);
	return record_layouts_event(l, (struct bytes){ c.data, c.len });
}

static void
the_event_of_a_record_is_told_by_its_id(void **state)
{
	static const uint64_t types[] = {
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
		ALL_IDS | PERF_SAMPLE_IP,
		PERF_SAMPLE_ID,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU,
		PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types) * 4; i++) {
		struct record_layouts l = three_layouts(types[i / 4], i & 2, i & 1);
		bool id_all = i & 2;

		for (uint32_t n = 0; n < 3; n++) {
			assert_int_equal(event_of(&l, PERF_RECORD_SAMPLE, 70 + n), n);
			assert_int_equal(event_of(&l, PERF_RECORD_COMM, 70 + n), id_all ? n : 0);
		}
		assert_int_equal(event_of(&l, PERF_RECORD_SAMPLE, 0), 0);
		assert_int_equal(event_of(&l, PERF_RECORD_SAMPLE, 99), UINT32_MAX);
		assert_int_equal(event_of(&l, PERF_RECORD_COMM, 99), id_all ? UINT32_MAX : 0);
		assert_int_equal(event_of(&l, 68, 72), 0);
		record_layouts_release(&l);
	}
}

static void
records_too_short_for_an_id_have_no_event(void **state)
{
	struct record_layouts l = three_layouts(ALL_IDS, true, false);
	struct coder c = { .attr = attr_of(ALL_IDS, true) };

	(void)state;
	for (uint32_t type = PERF_RECORD_COMM; type <= PERF_RECORD_SAMPLE; type += 6) {
		begin(&c, type, 0);
		u64(&c, 71);
		for (size_t len = 0; len <= c.len; len++) {
			struct bytes b = exactly(&c, len);

			assert_int_equal(record_layouts_event(&l, b),
					 len < 16 ? UINT32_MAX : 1);
			free((void *)b.data);
		}
	}
	record_layouts_release(&l);
}

static void
one_event_alone_needs_no_id(void **state)
{
	struct record_layouts l = { 0 };
	struct event_attr attr = attr_of(PERF_SAMPLE_IP, false);
	struct record_layout layout = record_layout_of(&attr, false);
	struct coder c = { .attr = attr };

	(void)state;
	begin(&c, PERF_RECORD_SAMPLE, 0);
	assert_int_equal(record_layouts_event(&l, (struct bytes){ c.data, c.len }), UINT32_MAX);
	assert_int_equal(record_layouts_add(&l, &layout), 0);
	assert_int_equal(record_layouts_event(&l, (struct bytes){ c.data, c.len }), 0);
	/* Two that carry no id cannot be told apart. */
	assert_int_equal(record_layouts_add(&l, &layout), 1);
	assert_int_equal(record_layouts_event(&l, (struct bytes){ c.data, c.len }), 0);
	record_layouts_release(&l);
}

static void
many_ids_are_found(void **state)
{
	struct record_layouts l = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= 5000; i++)
		record_layouts_add_id(&l, (uint32_t)i % 7, i * i);
	for (uint64_t i = 1; i <= 5000; i++)
		assert_int_equal(record_layouts_find(&l, i * i), i % 7);
	assert_int_equal(record_layouts_find(&l, 3), UINT32_MAX);
	/* Told twice: the last is right. */
	record_layouts_add_id(&l, 9, 4);
	assert_int_equal(record_layouts_find(&l, 4), 9);
	record_layouts_release(&l);
	assert_int_equal(record_layouts_find(&l, 4), UINT32_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_decoded_in_either_byte_order),
		cmocka_unit_test(every_field_of_a_sample_is_decoded_in_either_byte_order),
		cmocka_unit_test(fields_that_are_left_out_within_others),
		cmocka_unit_test(a_chain_takes_the_place_of_the_copy_it_was_made_of),
		cmocka_unit_test(a_sample_without_registers_has_the_kernels_chain),
		cmocka_unit_test(names_are_written_as_long_as_they_may_be),
		cmocka_unit_test(a_loss_that_is_written_is_read),
		cmocka_unit_test(counts_that_make_no_sense_are_refused),
		cmocka_unit_test(sizes_that_contradict_are_refused),
		cmocka_unit_test(values_are_read_in_all_formats),
		cmocka_unit_test(values_are_by_task_where_what_is_read_is_inherited),
		cmocka_unit_test(the_bits_of_misc_are_told_in_the_words_of_their_type),
		cmocka_unit_test(type_speculation_and_privilege_of_branches_are_words),
		cmocka_unit_test(memory_regions_and_the_nearest_cache_are_words),
		cmocka_unit_test(the_bits_of_a_transaction_and_why_it_was_aborted_are_words),
		cmocka_unit_test(registers_have_the_names_of_their_machine),
		cmocka_unit_test(records_of_perf_itself_are_named_and_left_alone),
		cmocka_unit_test(each_type_has_a_row_with_its_name_and_its_fields),
		cmocka_unit_test(random_records_do_no_harm),
		cmocka_unit_test(a_swapped_sample_has_no_tag),
		cmocka_unit_test(the_event_of_a_record_is_told_by_its_id),
		cmocka_unit_test(records_too_short_for_an_id_have_no_event),
		cmocka_unit_test(one_event_alone_needs_no_id),
		cmocka_unit_test(many_ids_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
