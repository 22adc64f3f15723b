/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/unwind/rules_build.h"
#include "symbol/file/sealed.h"

#include "base/buf.h"
#include "base/index.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Rows are kept as they come, those of one function together.  Functions are sorted at the end,
 * which mostly is no work.  Rules and expressions that are equal are kept once; ids in the indexes
 * are their numbers, and 1 more for expressions.
 */
struct function {
	uint32_t start, end; /* from the base */
	uint32_t row, count;
	uint32_t number; /* in the order they came: of two that begin alike the first is taken */
};

struct row {
	uint32_t at;
	uint16_t rule;
};

struct rules_build {
	const struct unwind_machine *machine;
	uint64_t base;
	uint8_t build_id[UNWIND_BUILD_ID_MAX], build_id_len;
	struct function *functions;
	size_t function_count, function_cap;
	struct row *rows;
	size_t row_count, row_cap;
	struct unwind_rule *rules;
	size_t rule_count, rule_cap;
	struct unwind_saved *saved;
	size_t saved_count, saved_cap;
	struct buf code;
	struct index rule_index, code_index;
	bool full;
};

enum { ALIGN = 8 };

struct rules_build *
rules_build_new(const struct unwind_machine *machine, uint64_t base)
{
	struct rules_build *b = mem_calloc(1, sizeof(*b));

	b->machine = machine;
	b->base = base;
	vec_reserve(&b->rules, &b->rule_cap, 1, sizeof(*b->rules));
	b->rules[b->rule_count++] = (struct unwind_rule){ .ra_how = UNWIND_UNDEFINED };
	return b;
}

void
rules_build_free(struct rules_build *b)
{
	if (b == NULL)
		return;
	free(b->functions);
	free(b->rows);
	free(b->rules);
	free(b->saved);
	buf_release(&b->code);
	index_release(&b->rule_index);
	index_release(&b->code_index);
	free(b);
}

void
rules_build_set_id(struct rules_build *b, const uint8_t *build_id, size_t len)
{
	b->build_id_len = (uint8_t)MIN(len, sizeof(b->build_id));
	memcpy(b->build_id, build_id, b->build_id_len);
}

int32_t
rules_build_code(struct rules_build *b, struct bytes expr)
{
	uint64_t hash = hash_bytes(expr.data, expr.len);
	uint16_t len = (uint16_t)expr.len;
	uint32_t pos, id;

	if (expr.len > UNWIND_MAX_EXPR)
		return -1;
	for (id = index_first(&b->code_index, hash, &pos); id != 0;
	     id = index_next(&b->code_index, hash, &pos)) {
		const char *at = b->code.data + id - 1;

		if (memcmp(at, &len, sizeof(len)) == 0 &&
		    memcmp(at + sizeof(len), expr.data, expr.len) == 0)
			return (int32_t)(id - 1);
	}
	if (b->code.len + sizeof(len) + expr.len > UNWIND_MAX_CODE)
		return -1;
	id = (uint32_t)b->code.len + 1;
	buf_add(&b->code, &len, sizeof(len));
	buf_add(&b->code, expr.data, expr.len);
	index_add(&b->code_index, hash, id);
	return (int32_t)(id - 1);
}

bool
rules_build_function(struct rules_build *b, uint64_t start, uint64_t end)
{
	struct function *f;

	/* Each function may need a row more, for where it ends. */
	if (start < b->base || end - b->base >= UINT32_MAX || end <= start ||
	    b->row_count + b->function_count >= UNWIND_MAX_ROWS - 1) {
		b->full = true;
		return false;
	}
	vec_reserve(&b->functions, &b->function_cap, b->function_count + 1, sizeof(*b->functions));
	f = &b->functions[b->function_count];
	*f = (struct function){ .start = (uint32_t)(start - b->base),
				.end = (uint32_t)(end - b->base),
				.row = (uint32_t)b->row_count,
				.number = (uint32_t)b->function_count };
	b->function_count++;
	return true;
}

static void
fill_reg(const struct unwind_state *s, unsigned reg, uint8_t *how, int32_t *value)
{
	if ((s->set >> reg & 1) == 0)
		return;
	*how = s->regs[reg].how;
	*value = s->regs[reg].value;
}

/* The rule of a state, but for where its saved registers are, which go to @saved. */
static struct unwind_rule
rule_of(const struct unwind_machine *m, const struct unwind_state *s, struct unwind_saved *saved)
{
	struct unwind_rule r = { .cfa_reg = s->cfa_reg, .flags = s->flags, .cfa = s->cfa };
	uint64_t left = s->set & ~(UINT64_C(1) << m->fp);

	fill_reg(s, m->fp, &r.fp_how, &r.fp);
	fill_reg(s, s->ra, &r.ra_how, &r.ra);
	left &= ~(UINT64_C(1) << m->pc);
	if (left >> m->sp & 1)
		r.flags |= UNWIND_SAVES_SP;
	for (; left != 0; left &= left - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(left);

		if (s->regs[reg].how == UNWIND_SAME)
			continue;
		saved[r.saved_count++] = (struct unwind_saved){ .reg = (uint8_t)reg,
								.how = s->regs[reg].how,
								.value = s->regs[reg].value };
	}
	return r;
}

static bool
rules_equal(const struct rules_build *b, const struct unwind_rule *have,
	    const struct unwind_rule *r, const struct unwind_saved *saved)
{
	return memcmp(have, r, offsetof(struct unwind_rule, saved)) == 0 &&
	       have->saved_count == r->saved_count &&
	       memcmp(b->saved + have->saved, saved, r->saved_count * sizeof(*saved)) == 0;
}

static uint16_t
add_rule(struct rules_build *b, struct unwind_rule *r, const struct unwind_saved *saved,
	 uint64_t hash)
{
	uint16_t id = (uint16_t)b->rule_count;

	if (b->rule_count >= UNWIND_MAX_RULES ||
	    b->saved_count + r->saved_count > UNWIND_MAX_SAVED) {
		b->full = true;
		return 0;
	}
	r->saved = (uint32_t)b->saved_count;
	vec_reserve(&b->saved, &b->saved_cap, b->saved_count + r->saved_count + 1, sizeof(*saved));
	memcpy(b->saved + b->saved_count, saved, r->saved_count * sizeof(*saved));
	b->saved_count += r->saved_count;
	VEC_ADD(b->rules, b->rule_count, b->rule_cap) = *r;
	index_add(&b->rule_index, hash, id);
	return id;
}

static uint16_t
find_rule(struct rules_build *b, const struct unwind_state *state)
{
	struct unwind_saved saved[UNWIND_REGS];
	struct unwind_rule r = rule_of(b->machine, state, saved);
	uint64_t hash = hash_mix(hash_bytes(&r, sizeof(r)),
				 hash_bytes(saved, r.saved_count * sizeof(saved[0])));
	uint32_t pos, id;

	for (id = index_first(&b->rule_index, hash, &pos); id != 0;
	     id = index_next(&b->rule_index, hash, &pos))
		if (rules_equal(b, &b->rules[id], &r, saved))
			return (uint16_t)id;
	return add_rule(b, &r, saved, hash);
}

void
rules_build_row(struct rules_build *b, uint64_t at, const struct unwind_state *state)
{
	struct function *f = &b->functions[b->function_count - 1];
	uint32_t rel = (uint32_t)(at - b->base);
	uint16_t rule = find_rule(b, state);

	if (f->count > 0 && b->rows[b->row_count - 1].at == rel) {
		b->rows[b->row_count - 1].rule = rule;
		return;
	}
	if (f->count > 0 && b->rows[b->row_count - 1].rule == rule)
		return;
	if (b->row_count + b->function_count >= UNWIND_MAX_ROWS) {
		b->full = true;
		return;
	}
	VEC_ADD(b->rows, b->row_count, b->row_cap) = (struct row){ rel, rule };
	f->count++;
}

void
rules_build_drop_function(struct rules_build *b)
{
	b->function_count--;
	b->row_count = b->functions[b->function_count].row;
}

bool
rules_build_has(const struct rules_build *b, uint64_t at)
{
	for (size_t i = 0; i < b->function_count; i++)
		if (at >= b->base + b->functions[i].start && at < b->base + b->functions[i].end)
			return true;
	return false;
}

bool
rules_build_is_empty(const struct rules_build *b)
{
	return b->function_count == 0;
}

bool
rules_build_is_full(const struct rules_build *b)
{
	return b->full;
}

static int
by_start(const void *one, const void *other)
{
	const struct function *a = one, *b = other;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static bool
is_sorted(const struct rules_build *b)
{
	for (size_t i = 1; i < b->function_count; i++)
		if (b->functions[i].start <= b->functions[i - 1].start)
			return false;
	return true;
}

/* Of functions that begin alike the first one stays. */
static void
sort_functions(struct rules_build *b)
{
	size_t n = 0;

	if (is_sorted(b))
		return;
	qsort(b->functions, b->function_count, sizeof(*b->functions), by_start);
	for (size_t i = 0; i < b->function_count; i++)
		if (n == 0 || b->functions[i].start != b->functions[n - 1].start)
			b->functions[n++] = b->functions[i];
	b->function_count = n;
}

struct out {
	uint32_t *starts;
	uint16_t *numbers;
	uint32_t count;
};

static void
put_row(struct out *o, uint32_t at, uint16_t rule)
{
	if (o->count > 0 && o->starts[o->count - 1] == at)
		o->count--;
	if (o->count > 0 && o->numbers[o->count - 1] == rule)
		return;
	o->starts[o->count] = at;
	o->numbers[o->count++] = rule;
}

/* Up to where the next one begins, if that is inside of it. */
static void
put_function(struct rules_build *b, const struct function *f, uint32_t limit, struct out *o)
{
	uint32_t end = MIN(f->end, limit);

	for (uint32_t i = 0; i < f->count; i++) {
		const struct row *row = &b->rows[f->row + i];

		if (row->at >= end)
			break;
		put_row(o, row->at, row->rule);
	}
	put_row(o, end, 0);
}

static struct out
put_rows(struct rules_build *b)
{
	size_t most = b->row_count + b->function_count + 1;
	struct out o = {
		.starts = mem_realloc(NULL, most, sizeof(*o.starts)),
		.numbers = mem_realloc(NULL, most, sizeof(*o.numbers)),
	};

	sort_functions(b);
	for (size_t i = 0; i < b->function_count; i++) {
		bool last = i + 1 == b->function_count;

		put_function(b, &b->functions[i], last ? UINT32_MAX : b->functions[i + 1].start,
			     &o);
	}
	return o;
}

struct parts {
	uint32_t *firsts;
	struct unwind_part *items;
	size_t len, first_cap, item_cap;
	unsigned used; /* rows of the last one */
};

static void
fill_up(struct parts *p)
{
	struct unwind_part *part = &p->items[p->len - 1];

	for (; p->used < UNWIND_PART; p->used++) {
		part->later[p->used] = part->later[p->used - 1];
		part->numbers[p->used] = part->numbers[p->used - 1];
	}
}

static void
begin_part(struct parts *p, uint32_t first)
{
	if (p->len > 0)
		fill_up(p);
	vec_reserve(&p->firsts, &p->first_cap, p->len + 1, sizeof(*p->firsts));
	vec_reserve(&p->items, &p->item_cap, p->len + 1, sizeof(*p->items));
	p->firsts[p->len++] = first;
	p->used = 0;
}

static struct parts
part_rows(const struct out *o)
{
	struct parts p = { 0 };

	for (uint32_t i = 0; i < o->count; i++) {
		if (p.len == 0 || p.used == UNWIND_PART ||
		    o->starts[i] - p.firsts[p.len - 1] > UINT16_MAX)
			begin_part(&p, o->starts[i]);
		p.items[p.len - 1].later[p.used] = (uint16_t)(o->starts[i] - p.firsts[p.len - 1]);
		p.items[p.len - 1].numbers[p.used++] = o->numbers[i];
	}
	if (p.len > 0)
		fill_up(&p);
	return p;
}

static int
write_parts(int fd, const struct rules_build *b, const struct unwind_header *h,
	    const struct parts *p)
{
	static const uint8_t zeros[ALIGN];
	struct unwind_layout l = unwind_layout_of(h);
	const struct bytes pieces[] = {
		{ (const uint8_t *)h, sizeof(*h) },
		{ (const uint8_t *)p->firsts, p->len * sizeof(*p->firsts) },
		{ zeros, l.parts - l.firsts - p->len * sizeof(*p->firsts) },
		{ (const uint8_t *)p->items, l.rules - l.parts },
		{ (const uint8_t *)b->rules, l.saved - l.rules },
		{ (const uint8_t *)b->saved, l.code - l.saved },
		{ (const uint8_t *)buf_str(&b->code), h->code_len },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		if (pieces[i].len > 0 && sealed_write(fd, pieces[i].data, pieces[i].len) != 0)
			return -1;
	return sealed_seal(fd);
}

int
rules_build_finish(struct rules_build *b, struct err *err)
{
	struct out o = put_rows(b);
	struct parts p = part_rows(&o);
	struct unwind_header h = {
		.magic = UNWIND_MAGIC,
		.base = b->base,
		.row_count = o.count,
		.part_count = (uint32_t)p.len,
		.rule_count = (uint32_t)b->rule_count,
		.saved_count = (uint32_t)b->saved_count,
		.code_len = (uint32_t)b->code.len,
		.machine = b->machine->machine,
		.build_id_len = b->build_id_len,
	};
	int fd = sealed_new("ptop-unwind", err);

	memcpy(h.build_id, b->build_id, sizeof(h.build_id));
	if (fd >= 0 && write_parts(fd, b, &h, &p) != 0) {
		err_set(err, ERR_LIMIT, errno, "cannot write unwind rules");
		close(fd);
		fd = -1;
	}
	free(o.starts);
	free(o.numbers);
	free(p.firsts);
	free(p.items);
	return fd;
}
