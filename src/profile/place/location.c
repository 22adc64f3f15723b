/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/place/location.h"
#include "profile/place/location_store.h"
#include "profile/place/jit.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE_SHIFT = 12,
	FINDS_FOR_INDEX = 256,       /* in an image, until an index of it is worth its time */
	PENDING_MAX = 16 << 10,      /* exact places that wait for an image */
	PAGES_PER_DSO_MAX = 256,     /* pages of one dso without symbols, then all as one */
	KERNEL_PAGES_MAX = 8 << 10,  /* of the kernel and its modules, which are as large as many files */
};

void
locations_init(struct locations *l, struct model *model)
{
	*l = (struct locations){ .model = model, .pending_first = 1 };
	vec_reserve(&l->items, &l->cap, 64, sizeof(*l->items));
	l->len = LOCATION_FIRST;
	memset(l->items, 0, l->len * sizeof(*l->items));
	l->items[LOCATION_UNMAPPED] = l->items[LOCATION_DENIED] = l->items[LOCATION_CUT] =
		(struct location){ .dso = DSO_ID_UNKNOWN, .fn = IMAGE_NONE, .kind = LOCATION_MAP };
	l->items[LOCATION_CUT].name = strs_add_str(&model->strs, "[cut]");
	for (uint32_t i = 0; i < WAIT_KINDS; i++)
		l->items[LOCATION_WAITING + i] = (struct location){
			.dso = DSO_ID_WAITING, .fn = IMAGE_NONE, .kind = LOCATION_FUNCTION,
			.name = strs_add_str(&model->strs, wait_kind_defs[i].frame),
			.serial = ++l->serial, .is_rest = true,
		};
	l->items[LOCATION_UNMAPPED].serial = ++l->serial;
	l->items[LOCATION_DENIED].serial = ++l->serial;
	l->items[LOCATION_CUT].serial = ++l->serial;
	for (uint32_t i = LOCATION_OTHER; i <= LOCATION_OTHER_KERNEL; i++)
		l->items[i] = (struct location){
			.dso = DSO_ID_UNKNOWN, .fn = IMAGE_NONE, .kind = LOCATION_FUNCTION,
			.name = strs_add_str(&model->strs, i == LOCATION_OTHER ? "[other]" : "[other kernel]"),
			.is_kernel = i == LOCATION_OTHER_KERNEL, .serial = ++l->serial, .is_rest = true,
		};
}

void
locations_release(struct locations *l)
{
	for (size_t i = 0; i < l->symbols_cap; i++) {
		image_free(l->symbols[i].image);
		free(l->symbols[i].by_function);
		jit_free(l->symbols[i].jit);
	}
	free(l->symbols);
	free(l->items);
	free(l->free);
	free(l->names);
	buf_release(&l->raw_name);
	index_release(&l->index);
	inlined_release(&l->inlined);
	jit_room_release(&l->jit_room);
	*l = (struct locations){ 0 };
}

/* One location for a page, or for all of a dso that has too many. */
static uint32_t
find_unnamed(struct locations *l, uint32_t dso, uint64_t offset)
{
	struct dso_symbols *symbols = locations_symbols(l, dso);
	enum location_kind kind = LOCATION_PAGE;
	uint64_t place = offset >> PAGE_SHIFT << PAGE_SHIFT, hash;
	uint32_t id;

	hash = location_hash(dso, kind, place);
	id = locations_lookup(l, hash, dso, kind, place);
	if (id != 0)
		return id;
	if (symbols->pages < (dso == DSO_ID_KERNEL ? KERNEL_PAGES_MAX : PAGES_PER_DSO_MAX)) {
		symbols->pages++;
	} else {
		kind = LOCATION_MAP;
		place = 0;
		hash = location_hash(dso, kind, place);
		id = locations_lookup(l, hash, dso, kind, place);
		if (id != 0)
			return id;
	}
	return locations_add(l, hash, (struct location){ .dso = dso, .offset = place,
							 .fn = IMAGE_NONE, .kind = (uint8_t)kind });
}

static uint32_t
find_pending(struct locations *l, uint32_t dso, uint64_t offset)
{
	uint64_t hash = location_hash(dso, LOCATION_PENDING, offset);
	uint32_t id = locations_lookup(l, hash, dso, LOCATION_PENDING, offset);

	if (id != 0)
		return id;
	if (l->pending >= PENDING_MAX)
		return find_unnamed(l, dso, offset);
	l->pending++;
	return locations_add(l, hash, (struct location){ .dso = dso, .offset = offset,
							 .fn = IMAGE_NONE,
							 .kind = LOCATION_PENDING });
}

/*
 * No symbol of the kernel covers it, but a module may have been loaded since they were read.  Where
 * others of the page were looked for in vain before, it waits with them.
 */
static uint32_t
find_missed(struct locations *l, uint32_t dso, uint64_t offset)
{
	uint64_t place = offset >> PAGE_SHIFT << PAGE_SHIFT;
	uint32_t id = locations_lookup(l, location_hash(dso, LOCATION_PAGE, place), dso,
				       LOCATION_PAGE, place);

	l->kernel_missed = true;
	return id != 0 ? id : find_pending(l, dso, offset);
}

/* Its name as the file has it, until the next one is asked for. */
static const char *
raw_name(struct locations *l, const struct image *image, uint32_t fn)
{
	if (l->reads_all_names)
		return image_raw_name(image, fn);
	buf_reset(&l->raw_name);
	image_copy_name(image, fn, &l->raw_name);
	return buf_str(&l->raw_name);
}

/* The dso of a function of @image_dso's image: a kernel module's functions belong to the module. */
static uint32_t
function_dso(struct locations *l, uint32_t image_dso, uint32_t fn)
{
	const char *module = image_module(l->symbols[image_dso].image, fn);

	if (*module != '\0' && !image_is_built_in(module))
		return dsos_module(&l->model->dsos, module);
	return image_dso;
}

/* "libz.so.1+0x4a00": an entry's raw name begins with the plus. */
static uint32_t
entry_name(struct locations *l, uint32_t dso, const char *raw)
{
	struct strs *strs = &l->model->strs;
	struct buf b = { 0 };
	uint32_t name;

	buf_addf(&b, "%s%s", strs_get(strs, dsos_get(&l->model->dsos, dso)->name), raw);
	name = model_code_name(l->model, b.data, b.len);
	buf_release(&b);
	return name;
}

/*
 * A part that the compiler, or BOLT, moved elsewhere as it runs less often is not called, but jumped to:
 * the function goes on there, in the same frame.
 */
static size_t
len_without_part(const char *raw)
{
	static const char *const parts[] = { ".cold", ".warm" };
	size_t len = strlen(raw);

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t tail = strlen(parts[i]);

		if (len > tail && strcmp(raw + len - tail, parts[i]) == 0)
			return len - tail;
	}
	return len;
}

static uint32_t
find_function(struct locations *l, uint32_t image_dso, uint32_t fn)
{
	const struct image *image = l->symbols[image_dso].image;
	const char *name;
	uint32_t dso = function_dso(l, image_dso, fn), id;
	uint64_t hash = location_hash(image_dso, LOCATION_FUNCTION, fn);
	struct location loc;

	id = locations_lookup(l, hash, dso, LOCATION_FUNCTION, fn);
	if (id != 0)
		return id;
	name = raw_name(l, image, fn);
	loc = (struct location){ .dso = dso, .offset = image_address(image, fn), .fn = fn,
				 .kind = LOCATION_FUNCTION, .is_entry = image_is_entry(name) };
	loc.name = loc.is_entry ? entry_name(l, dso, name)
				: model_code_name(l->model, name, len_without_part(name));
	if (!loc.is_entry && image_is_mangled(name)) {
		VEC_ADD(l->names, l->name_len, l->name_cap) =
			(struct name_ask){ image_dso, fn, loc.name };
	}
	return locations_add(l, hash, loc);
}

static uint64_t
ksymbol_hash(uint32_t dso, uint32_t name, uint64_t start)
{
	return hash_mix(start, (uint64_t)name << 32 | dso);
}

/* A function that a record told of: the same place may be another one later. */
static uint32_t
find_ksymbol(struct locations *l, const struct ksymbol *k)
{
	uint32_t dso = k->is_bpf ? dsos_module(&l->model->dsos, "bpf") : DSO_ID_KERNEL, id, pos;
	uint64_t hash = ksymbol_hash(dso, k->name, k->start);

	for (id = index_first(&l->index, hash, &pos); id != 0;
	     id = index_next(&l->index, hash, &pos)) {
		const struct location *o = &l->items[id];

		if (o->dso == dso && o->kind == LOCATION_FUNCTION && o->fn == IMAGE_NONE &&
		    o->offset == k->start && o->name == k->name)
			return id;
	}
	return locations_add(l, hash, (struct location){ .dso = dso, .offset = k->start,
							 .fn = IMAGE_NONE, .name = k->name,
							 .kind = LOCATION_FUNCTION });
}

/* The kernel's function that a record told of, if it is still there. */
static bool
ksymbol_range(const struct locations *l, const struct location *loc, uint64_t *start, uint64_t *end)
{
	enum dso_kind kind = dsos_get(&l->model->dsos, loc->dso)->kind;
	const struct ksymbol *k;

	if (loc->kind != LOCATION_FUNCTION || loc->fn != IMAGE_NONE ||
	    (kind != DSO_KERNEL && kind != DSO_MODULE))
		return false;
	k = ksymbols_find(&l->model->ksymbols, loc->offset);
	if (k == NULL || k->start != loc->offset || k->name != loc->name)
		return false;
	*start = k->start;
	*end = k->end;
	return true;
}

bool
locations_range(const struct locations *l, const struct location *loc, uint64_t *start,
		uint64_t *end)
{
	const struct image *image = locations_image(l, loc->dso);

	if (ksymbol_range(l, loc, start, end))
		return true;
	if (loc->kind != LOCATION_FUNCTION || loc->fn == IMAGE_NONE || image == NULL ||
	    loc->fn >= image_count(image))
		return false;
	*start = image_address(image, loc->fn);
	*end = *start + image_size(image, loc->fn);
	return true;
}

/* Which BPF programs and the like there were when it was recorded, its own records tell. */
static bool
may_be_another(const struct locations *l, const struct image *image, uint32_t fn)
{
	const char *module = image_module(image, fn);

	return l->model->from_file && (strcmp(module, "bpf") == 0 || image_is_built_in(module));
}

/*
 * The image's function at @offset, 0: there is none, or it may be another one's.  Recordings are
 * read at a rate at which the index is far: a table is near, which is too large for what is live.
 */
static uint32_t
find_in_image(struct locations *l, uint32_t dso, uint64_t offset)
{
	struct dso_symbols *symbols = &l->symbols[dso];
	struct image *image = symbols->image;
	uint32_t fn = image_find(image, offset), id;

	if (l->model->from_file && ++symbols->finds == FINDS_FOR_INDEX)
		image_index(image);
	if (fn == IMAGE_NONE)
		return 0;
	if (symbols->by_function != NULL && symbols->by_function[fn] != 0)
		return symbols->by_function[fn];
	if (may_be_another(l, image, fn))
		return 0;
	id = find_function(l, dso, fn);
	if (l->model->from_file && symbols->by_function == NULL)
		symbols->by_function = mem_calloc(image_count(image), sizeof(uint32_t));
	if (symbols->by_function != NULL)
		symbols->by_function[fn] = id;
	return id;
}

uint32_t
locations_find_in(struct locations *l, uint32_t dso, uint64_t offset, uint64_t region)
{
	if (dsos_get(&l->model->dsos, dso)->kind == DSO_ANON)
		return jit_find(l, dso, offset, region);
	return locations_find(l, dso, offset);
}

uint32_t
locations_find(struct locations *l, uint32_t dso, uint64_t offset)
{
	struct dso_symbols *symbols = locations_symbols(l, dso);
	const struct ksymbol *symbol = NULL;
	uint32_t id;

	if (dso == DSO_ID_KERNEL)
		symbol = ksymbols_at(&l->model->ksymbols, offset);
	if (symbol != NULL && symbol->name != 0)
		return find_ksymbol(l, symbol);
	switch (symbols->state) {
	case SYMBOLS_NONE:
	case SYMBOLS_ASKED:
		return find_pending(l, dso, offset);
	case SYMBOLS_GIVEN_BACK:
		symbols->is_missed = true;
		return find_pending(l, dso, offset);
	case SYMBOLS_READY:
		symbols->used = ++l->image_uses;
		id = symbol == NULL ? find_in_image(l, dso, offset) : 0;
		if (id != 0)
			return id;
		if (dso == DSO_ID_KERNEL && l->kernel_changes && !l->learning)
			return find_missed(l, dso, offset);
		break;
	case SYMBOLS_FAILED:
		break;
	}
	return symbols->awaits ? find_pending(l, dso, offset) : find_unnamed(l, dso, offset);
}

const char *
locations_kernel_function(struct locations *l, uint64_t addr)
{
	const struct dso_symbols *symbols = locations_symbols(l, DSO_ID_KERNEL);
	uint32_t fn = IMAGE_NONE;

	if (symbols->state == SYMBOLS_READY)
		fn = image_find(symbols->image, addr);
	return fn != IMAGE_NONE ? image_raw_name(symbols->image, fn) : NULL;
}

static bool
is_pending(const struct location *loc)
{
	return loc->kind == LOCATION_PENDING && loc->forward == 0;
}

/* It is not found any more: there may be something else later. */
static void
forward(struct locations *l, uint32_t id, uint32_t to)
{
	const struct location *loc = &l->items[id];

	index_remove(&l->index, location_hash(loc->dso, LOCATION_PENDING, loc->offset), id);
	locations_forward(l, id, to);
	l->pending--;
}

/* Forwards what waits for the symbols of @dso, but for code that jit.h names; how many that are. */
static size_t
settle_pending(struct locations *l, uint32_t dso)
{
	size_t len = l->len, folded = 0;

	if (dsos_get(&l->model->dsos, dso)->kind == DSO_ANON)
		return 0;
	l->learning = true;
	for (uint32_t id = l->pending_first; id < len; id++) {
		const struct location *loc = &l->items[id];
		uint32_t to;

		if (!is_pending(loc) || loc->dso != dso)
			continue;
		to = locations_find(l, dso, loc->offset);
		if (to == id)
			continue; /* it waits on */
		forward(l, id, to);
		loc = &l->items[id];
		if (loc->hot_votes > 0)
			locations_vote(l, to, loc->offset, loc->hot_votes);
		folded++;
	}
	l->learning = false;
	while (l->pending_first < l->len && !is_pending(&l->items[l->pending_first]))
		l->pending_first++;
	return folded;
}

/* Whether the location is of a function of @dso's image. */
static bool
is_of_image(const struct locations *l, const struct location *loc, uint32_t dso)
{
	if (loc->kind != LOCATION_FUNCTION || loc->fn == IMAGE_NONE)
		return false;
	return loc->dso == dso || (dso == DSO_ID_KERNEL &&
				   dsos_get(&l->model->dsos, loc->dso)->kind == DSO_MODULE);
}

/* The number in @next of what is function @fn in @old, IMAGE_NONE if it is not there any more. */
static uint32_t
same_function(const struct image *old, const struct image *next, uint32_t fn)
{
	uint32_t to = image_find(next, image_address(old, fn));

	if (to != IMAGE_NONE && image_address(next, to) == image_address(old, fn) &&
	    strcmp(image_module(next, to), image_module(old, fn)) == 0 &&
	    strcmp(image_raw_name(next, to), image_raw_name(old, fn)) == 0)
		return to;
	return IMAGE_NONE;
}

static void
number(struct locations *l, uint32_t id, uint32_t dso, uint32_t fn)
{
	struct location *loc = &l->items[id];

	index_remove(&l->index, location_hash(dso, LOCATION_FUNCTION, loc->fn), id);
	loc->fn = fn;
	index_add(&l->index, fn != IMAGE_NONE ? location_hash(dso, LOCATION_FUNCTION, fn)
					      : ksymbol_hash(loc->dso, loc->name, loc->offset), id);
}

/* Another image takes the place of @old: what is in it no more keeps its name, for its samples. */
static void
renumber(struct locations *l, uint32_t dso, const struct image *old, const struct image *next)
{
	for (uint32_t id = LOCATION_UNMAPPED + 1; id < l->len; id++) {
		const struct location *loc = &l->items[id];

		if (!is_of_image(l, loc, dso))
			continue;
		number(l, id, dso, same_function(old, next, loc->fn));
	}
}

/*
 * The image of @dso is there again, but may be of other symbols: a debug file has come.  What is in
 * it no more keeps its name, for its samples.
 */
static void
renumber_by_address(struct locations *l, uint32_t dso, const struct image *next)
{
	for (uint32_t id = LOCATION_UNMAPPED + 1; id < l->len; id++) {
		const struct location *loc = &l->items[id];
		uint32_t to;

		if (!is_of_image(l, loc, dso))
			continue;
		to = image_find(next, loc->offset);
		if (to != IMAGE_NONE && (image_address(next, to) != loc->offset ||
					 (loc->is_entry && !image_is_entry(raw_name(l, next, to)))))
			to = IMAGE_NONE;
		number(l, id, dso, to);
	}
}

/* An entry of unwind tables that is a named function by now is that one; returns how many are. */
static size_t
name_entries(struct locations *l, uint32_t dso)
{
	const struct image *image = l->symbols[dso].image;
	size_t len = l->len, folded = 0;

	for (uint32_t id = LOCATION_UNMAPPED + 1; id < len; id++) {
		const struct location *loc = &l->items[id];
		uint32_t fn, to;

		if (!loc->is_entry || loc->dso != dso || loc->forward != 0)
			continue;
		fn = image_find(image, loc->offset);
		if (fn == IMAGE_NONE || image_is_entry(raw_name(l, image, fn)))
			continue;
		index_remove(&l->index, ksymbol_hash(dso, loc->name, loc->offset), id);
		to = find_function(l, dso, fn);
		loc = &l->items[id];
		if (loc->hot_votes > 0)
			locations_vote(l, to, loc->offset + loc->hot_offset, loc->hot_votes);
		locations_forward(l, id, to);
		folded++;
	}
	return folded;
}

/* Returns how many locations were folded into others. */
static size_t
change_image(struct locations *l, uint32_t dso, struct image *next)
{
	struct dso_symbols *symbols = &l->symbols[dso];
	bool is_another = next != NULL && (symbols->image != NULL || symbols->is_renewed);

	if (is_another && symbols->image != NULL)
		renumber(l, dso, symbols->image, next);
	else if (is_another)
		renumber_by_address(l, dso, next);
	symbols->is_renewed &= next == NULL;
	symbols->is_missed = false;
	if (symbols->image != NULL)
		l->image_bytes -= image_bytes(symbols->image);
	if (next != NULL)
		l->image_bytes += image_bytes(next);
	image_free(symbols->image);
	symbols->image = next;
	free(symbols->by_function);
	symbols->by_function = NULL;
	symbols->finds = 0;
	return is_another ? name_entries(l, dso) : 0;
}

size_t
locations_learn_image(struct locations *l, uint32_t dso, struct image *image, const char *reason,
		      const char *remedy)
{
	struct dso_symbols *symbols = locations_symbols(l, dso);
	size_t folded = change_image(l, dso, image);

	symbols->state = image != NULL ? SYMBOLS_READY : SYMBOLS_FAILED;
	symbols->reason = strs_add_str(&l->model->strs, reason);
	symbols->remedy = strs_add_str(&l->model->strs, remedy);
	symbols->own_reason = 0;
	image_budget_keep(l, dso);
	return folded + settle_pending(l, dso);
}

size_t
locations_keep_image(struct locations *l, uint32_t dso)
{
	return settle_pending(l, dso);
}

size_t
locations_kernel_changes(struct locations *l, const struct ksymbol *was)
{
	size_t len = l->len, folded = 0;

	if (l->pending == 0)
		return 0;
	for (uint32_t id = l->pending_first; id < len; id++) {
		const struct location *loc = &l->items[id];

		if (!is_pending(loc) || loc->dso != DSO_ID_KERNEL || loc->offset < was->start ||
		    loc->offset >= was->end)
			continue;
		forward(l, id, was->name != 0 ? find_ksymbol(l, was)
					      : find_unnamed(l, DSO_ID_KERNEL, loc->offset));
		folded++;
	}
	return folded;
}

void
locations_ask_lines_again(struct locations *l, uint32_t dso)
{
	for (size_t id = 1; id < l->len; id++)
		if (l->items[id].dso == dso && l->items[id].line == 0)
			l->items[id].line_of = 0;
}

void
locations_learn_name(struct locations *l, uint32_t dso, uint32_t fn, const char *name)
{
	const struct image *image = l->symbols[dso].image;
	uint32_t owner = dso, id;

	/* The image may have been given back meanwhile, and the function forgotten. */
	if (image != NULL && fn >= image_count(image))
		return;
	if (image != NULL)
		owner = function_dso(l, dso, fn);
	id = locations_lookup(l, location_hash(dso, LOCATION_FUNCTION, fn), owner,
			      LOCATION_FUNCTION, fn);
	if (id != 0)
		l->items[id].name = model_code_name(l->model, name, strlen(name));
}

void
locations_learn_line(struct locations *l, uint32_t dso, uint64_t offset, const char *line)
{
	uint32_t id = locations_find(l, dso, offset);

	if (l->items[id].line_of == offset)
		l->items[id].line = strs_add_str(&l->model->strs, line);
}
