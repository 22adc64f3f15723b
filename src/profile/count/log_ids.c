/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/log_ids.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
new_number(struct log_ids *ids)
{
	uint32_t number = ids->free;

	if (number != 0) {
		ids->free = ids->items[number].entry;
		return number;
	}
	ids->len = MAX(ids->len, 1);
	vec_reserve_zeroed(&ids->items, &ids->cap, ids->len + 1, sizeof(*ids->items));
	return (uint32_t)ids->len++;
}

uint32_t
log_ids_name(struct log_ids *ids, uint32_t entry, bool is_merged)
{
	struct log_id *id;
	uint32_t number;

	vec_reserve_zeroed(&ids->numbers, &ids->number_cap, (size_t)entry + 1, sizeof(*ids->numbers));
	number = ids->numbers[entry];
	if (number == 0) {
		number = ids->numbers[entry] = new_number(ids);
		ids->items[number] = (struct log_id){ .entry = entry };
		ids->live++;
	}
	id = &ids->items[number];
	id->refs++;
	id->merged = (id->merged + is_merged) & INT32_MAX;
	ids->kept += is_merged && id->merged == 1 && !id->is_twin;
	return number;
}

void
log_ids_drop(struct log_ids *ids, uint32_t number, bool is_merged)
{
	struct log_id *id = &ids->items[number];

	id->merged = (id->merged - is_merged) & INT32_MAX;
	ids->kept -= is_merged && id->merged == 0 && !id->is_twin;
	if (--id->refs > 0)
		return;
	if (ids->numbers[id->entry] == number)
		ids->numbers[id->entry] = 0;
	id->entry = ids->free;
	ids->free = number;
	ids->live--;
}

void
log_ids_renumber(struct log_ids *ids, const uint32_t *map)
{
	if (ids->number_cap > 0)
		memset(ids->numbers, 0, ids->number_cap * sizeof(*ids->numbers));
	ids->kept = 0;
	for (uint32_t n = 1; n < ids->len; n++) {
		struct log_id *id = &ids->items[n];

		if (id->refs == 0)
			continue;
		id->entry = map[id->entry]; /* never above the old one */
		id->is_twin = ids->numbers[id->entry] != 0;
		if (!id->is_twin)
			ids->numbers[id->entry] = n;
		ids->kept += id->merged > 0 && !id->is_twin;
	}
}

void
log_ids_mark(const struct log_ids *ids, uint8_t *marks)
{
	for (size_t n = 1; n < ids->len; n++)
		if (ids->items[n].refs > 0)
			marks[ids->items[n].entry] = 1;
}

size_t
log_ids_bytes(const struct log_ids *ids)
{
	return ids->live * (sizeof(*ids->items) + sizeof(*ids->numbers));
}

void
log_ids_release(struct log_ids *ids)
{
	free(ids->items);
	free(ids->numbers);
	*ids = (struct log_ids){ 0 };
}
