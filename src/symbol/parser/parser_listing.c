/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/parser_listing.h"

#include "base/text.h"
#include "symbol/code/jit_dump_code.h"
#include "symbol/parser/wire.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
	ANSWER_MAX = 24 << 20, /* what would follow is left out */
	UNKNOWN_SIZE = 4096,   /* so much is listed where no function is known */
	HAS_TARGET = 1 << 16,  /* in the word that each instruction begins with */
	HAS_MEMORY = 1 << 17,
};

/* What is asked, and from where the code comes. */
struct question {
	uint64_t offset, size, addr, text, as_of_ns;
	uint64_t in_file; /* where the code is in the file */
	bool is_intel, is_64;
	unsigned machine;
	uint8_t *code;
	size_t len;
	const char *notice; /* "": nothing is to be said */
	const char *function;
};

void
parser_listing_put(const struct job *job, struct buf *out)
{
	const struct listing_job *l = job->listing;

	wire_put_u32(out, job->ask.dso);
	wire_put_u64(out, l->ask.offset);
	wire_put_u64(out, l->ask.size);
	wire_put_u64(out, l->ask.file.text);
	wire_put_u64(out, l->ask.as_of_ns);
	wire_put_string(out, l->ask.function);
	wire_put_u32(out, l->ask.is_intel);
	wire_put_u32(out, l->ask.machine);
	wire_put_u32(out, l->ask.is_64);
	wire_put_u32(out, (uint32_t)l->ask.code_len);
	buf_add(out, l->ask.code, l->ask.code_len);
}

/* The code of the function around the offset that is asked for, as far as the file has it. */
static void
read_from_file(struct code_file *file, struct question *q, struct err *err)
{
	uint64_t start, size;

	if (code_file_move(file, q->text, err) < 0)
		return;
	if (q->size == 0 && code_file_extent(file, q->offset, &start, &size)) {
		q->offset = start;
		q->size = size;
	} else if (q->size == 0) {
		q->size = UNKNOWN_SIZE;
		q->notice = "no table tells where this code ends";
	}
	if (!code_file_address(file, q->offset, &q->addr) ||
	    !code_file_offset(file, q->offset, &q->in_file)) {
		err_set(err, ERR_GONE, 0, "no code of the file is there");
		return;
	}
	if (q->size > LISTING_BYTES_MAX)
		q->notice = "only the first MiB of the function is shown";
	q->size = MIN(q->size, (uint64_t)LISTING_BYTES_MAX);
	q->machine = code_file_machine(file);
	q->is_64 = code_file_is_64(file);
	q->code = mem_calloc(1, (size_t)q->size);
	q->len = code_file_read(file, q->offset, q->code, (size_t)q->size);
	if (q->len < q->size)
		q->notice = "the file ends inside of the function";
	if (q->len == 0)
		err_set(err, ERR_GONE, 0, "the file ends before the function");
}

/* A function that a JIT compiler made, as it wrote it down. */
static void
read_from_jit_dump(int fd, struct question *q, struct err *err)
{
	struct jit_dump_found found;

	const struct jit_dump_ask ask = { q->offset, q->as_of_ns, q->function };

	if (jit_dump_code(fd, &ask, &found, err) < 0)
		return;
	q->machine = found.machine;
	q->is_64 = true;
	q->code = found.code;
	q->offset = q->addr = found.start;
	q->size = q->len = found.len;
	if (found.is_named_otherwise)
		q->notice = "the jitdump has no code of this name there: this is what was there last";
}

static void
put_memory(const struct disasm_insn *in, struct buf *out)
{
	wire_put_u32(out, (uint32_t)in->disp);
	wire_put_u32(out, in->reg | (uint32_t)in->size << 8);
}

static void
put_instruction(const struct code_file *file, const struct disasm_insn *in, uint64_t addr,
	        struct buf *name, struct buf *out)
{
	bool is_linked, goes;

	buf_reset(name);
	is_linked = file != NULL && code_file_name_link(file, addr, in->len, name);
	goes = in->has_target && !is_linked;
	wire_put_u32(out, (uint32_t)in->len | (uint32_t)in->kind << 8 | (goes ? HAS_TARGET : 0) |
			  (in->reg != LISTING_NO_REG ? HAS_MEMORY : 0));
	if (goes)
		wire_put_u64(out, in->target);
	if (in->reg != LISTING_NO_REG)
		put_memory(in, out);
	wire_put_string(out, in->text);
	if (file != NULL && goes)
		code_file_name_code(file, in->target, name);
	else if (file != NULL && !is_linked && in->has_ref && in->ref != 0 &&
		 (!in->is_number || code_file_is_fixed(file)))
		code_file_name_data(file, in->ref, name);
	wire_put_string(out, buf_str(name));
}

/* Returns how many bytes of code were put. */
static size_t
put_instructions(const struct code_file *file, const struct question *q, struct disasm *d,
		 struct buf *out)
{
	struct buf name = { 0 };
	size_t at = 0;

	while (at < q->len && out->len < ANSWER_MAX) {
		struct disasm_insn in;

		disasm_next(d, q->code + at, q->len - at, q->addr + at, &in);
		put_instruction(file, &in, q->addr + at, &name, out);
		at += in.len;
	}
	buf_release(&name);
	return at;
}

static void
read_question(struct reader *r, struct question *q)
{
	uint32_t len;
	const uint8_t *code;

	q->offset = reader_u64(r);
	q->size = reader_u64(r);
	q->text = reader_u64(r);
	q->as_of_ns = reader_u64(r);
	q->function = reader_string(r);
	q->is_intel = reader_u32(r) != 0;
	q->machine = reader_u32(r);
	q->is_64 = reader_u32(r) != 0;
	len = reader_u32(r);
	code = reader_bytes(r, len);
	q->notice = "";
	if (code == NULL || len == 0 || len > LISTING_BYTES_MAX)
		return;
	q->addr = q->offset;
	q->size = q->len = len;
	q->code = mem_calloc(1, len);
	memcpy(q->code, code, len);
}

/* Instructions before what they are part of: only then it is known how many bytes there is room for. */
void
parser_listing(const struct listing_source_of *from, struct reader *r,
	       const struct disasm_lib *lib, struct buf *out)
{
	struct question q = { 0 };
	struct err err = from->why, lacks = { 0 };
	struct buf items = { 0 };
	struct disasm *d;
	size_t done;

	read_question(r, &q);
	if (from->file != NULL)
		read_from_file(from->file, &q, &err);
	else if (from->jit_dump >= 0)
		read_from_jit_dump(from->jit_dump, &q, &err);
	d = disasm_new(lib, q.machine, q.is_64, q.is_intel, &lacks);
	done = err.code == ERR_NONE ? put_instructions(from->file, &q, d, &items) : 0;
	disasm_free(d);
	wire_put_err(out, &err);
	wire_put_string(out, lacks.text);
	wire_put_string(out, done < q.len ? "there is too much of it: the rest is left out" : q.notice);
	wire_put_u64(out, q.offset);
	wire_put_u64(out, q.size);
	wire_put_u64(out, q.addr);
	wire_put_u64(out, q.in_file);
	wire_put_u32(out, q.is_intel);
	wire_put_u32(out, (uint32_t)done);
	buf_add(out, q.code, done);
	buf_add(out, items.data, items.len);
	buf_release(&items);
	free(q.code);
}

/* A string in the listing's memory, printable whatever it was. */
static const char *
get_text(struct reader *r, struct listing *l, struct buf *safe)
{
	const char *s = reader_string(r);
	size_t len = strlen(s);

	if (len == 0)
		return "";
	buf_reset(safe);
	text_add_safe(safe, s, len);
	return arena_strndup(&l->arena, safe->data, safe->len);
}

static void
get_memory(struct reader *r, struct listing_instruction *in)
{
	uint32_t word;

	in->disp = (int32_t)reader_u32(r);
	word = reader_u32(r);
	in->reg = (uint8_t)word;
	in->size = (uint8_t)(word >> 8);
}

static bool
get_instruction(struct reader *r, struct listing *l, struct listing_instruction *in,
		struct buf *safe)
{
	uint32_t word = reader_u32(r);

	in->len = (uint8_t)word;
	in->kind = (enum listing_kind)(word >> 8 & 0xff);
	in->target = (word & HAS_TARGET) != 0 ? reader_u64(r) : 0;
	in->target_index = LISTING_NONE;
	in->reg = LISTING_NO_REG;
	if ((word & HAS_MEMORY) != 0)
		get_memory(r, in);
	in->text = get_text(r, l, safe);
	in->operand = get_text(r, l, safe);
	return !r->failed && in->kind <= LISTING_BYTES && in->len > 0;
}

static bool
get_instructions(struct reader *r, struct listing *l, uint64_t addr, const uint8_t *code,
		 uint32_t len)
{
	struct listing_instruction *items = NULL;
	struct buf safe = { 0 };
	size_t count = 0, cap = 0;
	uint32_t at = 0;

	while (at < len) {
		struct listing_instruction in = { .offset = l->offset + at, .addr = addr + at,
						  .bytes = code + at };

		if (!get_instruction(r, l, &in, &safe) || in.len > len - at)
			break;
		at += in.len;
		l->undecoded += in.kind == LISTING_BYTES;
		VEC_ADD(items, count, cap) = in;
	}
	if (at == len && count > 0) {
		l->items = memcpy(arena_alloc(&l->arena, count * sizeof(*items)), items,
				  count * sizeof(*items));
		l->count = (uint32_t)count;
	}
	buf_release(&safe);
	free(items);
	return at == len;
}

/* Where jumps lead inside of the function. */
static void
find_targets(struct listing *l, uint64_t addr)
{
	struct listing_instruction *items = (struct listing_instruction *)(uintptr_t)l->items;

	for (uint32_t i = 0; i < l->count; i++) {
		uint64_t to = items[i].target;
		uint32_t index;

		if (to < addr || to - addr >= l->size)
			continue;
		index = listing_find(l, to - addr + l->offset);
		if (index != LISTING_NONE && items[index].addr == to)
			items[i].target_index = index;
	}
}

static void
add_notices(struct listing *l, const char *const texts[], size_t count)
{
	const char **notices = arena_alloc(&l->arena, count * sizeof(*notices));

	for (size_t i = 0; i < count; i++)
		if (*texts[i] != '\0')
			notices[l->notice_count++] = arena_strdup(&l->arena, texts[i]);
	l->notices = notices;
}

bool
parser_listing_get(struct reader *r, struct listing *l, uint64_t *in_file)
{
	struct err why = { 0 };
	const char *notices[2];
	const uint8_t *code;
	uint64_t addr;
	uint32_t len;

	wire_get_err(r, &why);
	notices[0] = reader_string(r);
	notices[1] = reader_string(r);
	l->offset = reader_u64(r);
	l->size = reader_u64(r);
	addr = reader_u64(r);
	*in_file = reader_u64(r);
	l->is_intel = reader_u32(r) != 0;
	len = reader_u32(r);
	code = reader_bytes(r, MIN(len, (uint32_t)LISTING_BYTES_MAX));
	if (r->failed || len > LISTING_BYTES_MAX || (len == 0 && why.code == ERR_NONE))
		return false;
	add_notices(l, notices, ARRAY_SIZE(notices));
	if (why.code != ERR_NONE)
		l->why = arena_strdup(&l->arena, why.text);
	if (len == 0)
		return true;
	code = memcpy(arena_alloc(&l->arena, len), code, len);
	if (!get_instructions(r, l, addr, code, len))
		return false;
	find_targets(l, addr);
	return true;
}
