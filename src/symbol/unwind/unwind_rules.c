/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/unwind/unwind_rules.h"
#include "symbol/file/sealed.h"
#include "symbol/unwind/unwind_format.h"
#include "symbol/unwind/unwind_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int
header_check(const struct unwind_header *h, size_t bytes, struct err *err)
{
	if (h->magic != UNWIND_MAGIC)
		return err_set(err, ERR_FORMAT, 0, "not a block of unwind rules");
	if (h->part_count > UNWIND_MAX_PARTS || h->row_count > h->part_count * UNWIND_PART ||
	    h->rule_count > UNWIND_MAX_RULES || h->rule_count == 0 || h->saved_count > UNWIND_MAX_SAVED ||
	    h->code_len > UNWIND_MAX_CODE || h->build_id_len > UNWIND_BUILD_ID_MAX)
		return err_set(err, ERR_FORMAT, 0, "unwind rules with bad counts");
	if (h->machine != unwind_x86_64.machine && h->machine != unwind_arm64.machine)
		return err_set(err, ERR_FORMAT, 0, "unwind rules of an unknown machine");
	if (unwind_layout_of(h).bytes != bytes)
		return err_set(err, ERR_FORMAT, 0, "unwind rules of a wrong length");
	return 0;
}

static void
place(struct unwind_rules *r)
{
	struct unwind_layout l = unwind_layout_of(&r->head);

	r->firsts = (const uint32_t *)(r->map + l.firsts);
	r->parts = (const struct unwind_part *)(r->map + l.parts);
	r->rules = (const struct unwind_rule *)(r->map + l.rules);
	r->saved = (const struct unwind_saved *)(r->map + l.saved);
	r->code = r->map + l.code;
}

static bool
code_is_good(const struct unwind_rules *r, int32_t at)
{
	uint32_t len = r->head.code_len;
	uint16_t expr;

	if (at < 0 || (uint32_t)at > len || len - (uint32_t)at < sizeof(expr))
		return false;
	memcpy(&expr, r->code + at, sizeof(expr));
	return expr <= len - (uint32_t)at - sizeof(expr);
}

static bool
how_is_good(const struct unwind_rules *r, unsigned how, int32_t value)
{
	if (how == UNWIND_AT_EXPR || how == UNWIND_IS_EXPR)
		return code_is_good(r, value);
	if (how == UNWIND_IN)
		return value >= 0 && value < UNWIND_REGS;
	return how < UNWIND_HOWS;
}

static bool
rule_is_good(const struct unwind_rules *r, const struct unwind_rule *rule)
{
	if (rule->cfa_reg == UNWIND_CFA_EXPR ? !code_is_good(r, rule->cfa)
					     : rule->cfa_reg >= UNWIND_REGS)
		return false;
	return (rule->flags & ~UNWIND_RULE_FLAGS) == 0 && how_is_good(r, rule->ra_how, rule->ra) &&
	       how_is_good(r, rule->fp_how, rule->fp) && rule->saved <= r->head.saved_count &&
	       rule->saved_count <= r->head.saved_count - rule->saved;
}

static bool
rows_are_good(const struct unwind_rules *r)
{
	size_t rows = (size_t)r->head.part_count * UNWIND_PART;

	for (size_t i = 0; i < rows; i++)
		if (unwind_rules_number(r, i) >= r->head.rule_count ||
		    (i > 0 && unwind_rules_start(r, i) < unwind_rules_start(r, i - 1)))
			return false;
	return true;
}

static bool
tables_are_good(const struct unwind_rules *r)
{
	for (uint32_t i = 0; i < r->head.rule_count; i++)
		if (!rule_is_good(r, &r->rules[i]))
			return false;
	for (uint32_t i = 0; i < r->head.saved_count; i++)
		if (r->saved[i].reg >= UNWIND_REGS ||
		    !how_is_good(r, r->saved[i].how, r->saved[i].value))
			return false;
	return true;
}

static int
rules_map(struct unwind_rules *r, int fd, struct err *err)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) != 0 || !sealed_stays(fd, &st))
		return err_set(err, ERR_FORMAT, 0, "unwind rules that others could change");
	if ((uint64_t)st.st_size < sizeof(r->head) || st.st_size > INT32_MAX)
		return err_set(err, ERR_FORMAT, 0, "unwind rules of a wrong length");
	/* Private: kernels before 6.7 refuse a shared mapping of a write-sealed file. */
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return err_set(err, ERR_LIMIT, errno, "cannot map unwind rules");
	r->map = map;
	r->bytes = (size_t)st.st_size;
	return 0;
}

struct unwind_rules *
unwind_rules_open(int fd, struct err *err)
{
	struct unwind_rules *r = mem_calloc(1, sizeof(*r));

	if (rules_map(r, fd, err) != 0)
		goto fail;
	memcpy(&r->head, r->map, sizeof(r->head));
	if (header_check(&r->head, r->bytes, err) != 0)
		goto fail;
	place(r);
	if (!rows_are_good(r) || !tables_are_good(r)) {
		err_set(err, ERR_FORMAT, 0, "unwind rules with bad contents");
		goto fail;
	}
	/* The check has touched all of it; only what is looked up need be resident. */
	madvise((void *)(uintptr_t)r->map, r->bytes, MADV_DONTNEED);
	close(fd);
	return r;
fail:
	close(fd);
	unwind_rules_free(r);
	return NULL;
}

void
unwind_rules_free(struct unwind_rules *r)
{
	if (r == NULL)
		return;
	if (r->map != NULL)
		munmap((void *)(uintptr_t)r->map, r->bytes);
	free(r);
}

/* The last of @n rising numbers that is not above @at; the first is not. */
static uint32_t
find_last(const uint32_t *numbers, uint32_t n, uint32_t at)
{
	uint32_t low = 0;

	while (n > 1) {
		uint32_t half = n / 2;

		low += numbers[low + half] <= at ? half : 0;
		n -= half;
	}
	return low;
}

/* The number of the rule of the row that @later is in. */
static uint16_t
number_in(const struct unwind_part *p, uint16_t later)
{
	unsigned low = 0;

	for (unsigned half = UNWIND_PART / 2; half > 0; half /= 2)
		low += p->later[low + half] <= later ? half : 0;
	return p->numbers[low];
}

const struct unwind_rule *
unwind_rules_find(const struct unwind_rules *r, uint64_t offset)
{
	uint64_t at = offset - r->head.base;
	uint32_t part;
	uint16_t number;

	if (r->head.part_count == 0 || offset < r->head.base || at > UINT32_MAX || at < r->firsts[0])
		return NULL;
	part = find_last(r->firsts, r->head.part_count, (uint32_t)at);
	/* Up to where the next part begins the last row of this one holds. */
	number = number_in(&r->parts[part], (uint16_t)MIN(at - r->firsts[part], (uint64_t)UINT16_MAX));
	return number == 0 ? NULL : &r->rules[number];
}

size_t
unwind_rules_rows(const struct unwind_rules *r)
{
	return r->head.row_count;
}

size_t
unwind_rules_build_id(const struct unwind_rules *r, uint8_t id[20])
{
	memcpy(id, r->head.build_id, UNWIND_BUILD_ID_MAX);
	return r->head.build_id_len;
}

size_t
unwind_rules_bytes(const struct unwind_rules *r)
{
	return r->bytes;
}
