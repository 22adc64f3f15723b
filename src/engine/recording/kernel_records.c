/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/recording/recording_impl.h"

#include <stdio.h>
#include <string.h>

#include "symbol/kernel/kernel_state.h"
#include "record/encode.h"

static bool
is_bpf(const char *module)
{
	return strcmp(module, "bpf") == 0;
}

/* What is in no map: each function has a record of its own. */
static bool
is_recorded_singly(const char *module)
{
	return is_bpf(module) || image_is_built_in(module);
}

/* From a module's first function to the end of its last. */
static void
put_map(struct buf *b, const struct record_layout *layout, const char *module, uint64_t start,
	uint64_t end)
{
	struct record_mmap m = { .start = start, .len = end - start };
	char name[128];

	snprintf(name, sizeof(name), "[%s]", module);
	m.name = name;
	if (*module == '\0') {
		m.pgoff = start;
		m.name = KERNEL_RECORD_NAME;
	}
	if (m.len > 0 && !is_recorded_singly(module))
		record_encode_kernel_mmap(b, layout, &m);
}

static void
put_symbols(struct buf *b, const struct record_layout *layout, const struct image *list,
	    const struct ksymbols *known)
{
	for (uint32_t fn = 0; fn < image_count(list); fn++) {
		const char *module = image_module(list, fn);
		const struct encode_ksymbol k = { .start = image_address(list, fn),
						  .len = image_size(list, fn),
						  .name = image_raw_name(list, fn),
						  .is_bpf = is_bpf(module) };

		if (is_recorded_singly(module) && ksymbols_at(known, k.start) == NULL)
			record_encode_ksymbol(b, layout, &k);
	}
}

void
kernel_records_put_list(struct buf *b, const struct record_layout *layout,
			const struct image *list, const struct ksymbols *known)
{
	uint64_t text = running_kernel_text(), start = text, end = text;
	const char *of = NULL;

	if (text == 0)
		return;
	for (uint32_t fn = 0; fn < image_count(list); fn++) {
		const char *module = image_module(list, fn);

		if (image_address(list, fn) < text)
			continue;
		if (module != of) {
			if (of != NULL)
				put_map(b, layout, of, start, end);
			of = module;
			start = *module == '\0' ? text : image_address(list, fn);
		}
		end = image_address(list, fn) + image_size(list, fn);
	}
	if (of != NULL)
		put_map(b, layout, of, start, end);
	put_symbols(b, layout, list, known);
}

void
kernel_records_put_ksymbols(struct buf *b, const struct record_layout *layout, const struct model *m,
			    uint64_t last_ns)
{
	for (size_t i = 0; i < m->ksymbols.len; i++) {
		const struct ksymbol *k = &m->ksymbols.items[i];

		if (k->name != 0 && k->time_ns <= last_ns)
			record_encode_ksymbol(b, layout, &(struct encode_ksymbol){
				.start = k->start, .len = k->end - k->start, .is_bpf = k->is_bpf,
				.name = strs_get(&m->strs, k->name) });
	}
}
