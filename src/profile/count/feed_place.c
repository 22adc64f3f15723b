/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a sample is, and what called it: from addresses to locations, through the maps of its
 * process or of the kernel, and from the chain of them to a node in the call tree.
 */
#include "profile/count/feed_impl.h"

#include "record/abi.h"
#include "record/look.h"

#include <string.h>

enum {
	SPLIT_LEAST = 8, /* frames from which on the outer ones have a cache entry of their own */
	HELD_FOR_NAMES_MAX = 4 << 20, /* bytes: the rest of the room is for what waits for rules */
	QUICK_CODE_MAX = 1 << 20, /* the names of so much code hold up no rules that come after them */
};

/* Notes that the symbols of @dso are wanted: the first time it is hit, or again. */
static void
want_image(struct feed *f, uint32_t dso, int pid, const struct map *map)
{
	struct dso_symbols *symbols = locations_symbols(f->locations, dso);

	if (symbols->state == SYMBOLS_GIVEN_BACK ? !symbols->is_missed
						 : symbols->state != SYMBOLS_NONE)
		return;
	symbols->state = SYMBOLS_ASKED;
	vec_reserve(&f->images, &f->image_cap, f->image_len + 1, sizeof(*f->images));
	f->images[f->image_len++] = (struct image_ask){ dso, pid, map != NULL ? map->start : 0,
							map != NULL ? map->end : 0 };
}

/* How a place is known to the cache. */
struct place_tag {
	uint64_t tag;
	uint32_t check;
};

static struct place_tag
kernel_tag(const struct feed *f, uint64_t addr)
{
	return (struct place_tag){ hash_mix(addr, 0), f->model->kernel_generation };
}

/*
 * A place in a file is the same one for all who map it.  But what is at an address of code that was
 * made while it ran, changes.
 */
static struct place_tag
user_tag(const struct space *space, uint64_t addr, const struct map *map, uint64_t offset)
{
	if (space->has_code)
		return (struct place_tag){ hash_mix(addr, space->id), space->generation };
	return (struct place_tag){ hash_mix(offset, ~(uint64_t)map->dso), map->dso };
}

/* The location of @offset in @map's dso, through the cache. */
static uint32_t
find_cached(struct feed *f, struct place_tag t, const struct map *map, uint64_t offset)
{
	uint32_t id = cache_get(&f->addresses, t.tag, t.check);

	if (id != 0)
		return locations_frame(f->locations, id);
	id = locations_find_in(f->locations, map->dso, offset, map->start);
	id = inlined_place(f->locations, id, map->dso, offset);
	cache_put(&f->addresses, t.tag, t.check, id);
	return id;
}

/* No record tells of the page that x86-64 kernels show each program there. */
static const struct map *
find_map(const struct space *space, uint64_t addr)
{
	static const struct map vsyscall = { UINT64_C(0xffffffffff600000),
					     UINT64_C(0xffffffffff601000), 0, DSO_ID_VSYSCALL };
	const struct map *map = space_find(space, addr);

	if (map == NULL && addr >= vsyscall.start && addr < vsyscall.end)
		return &vsyscall;
	return map;
}

/* What stands for an address that no map of @space covers. */
static uint32_t
nowhere_in(const struct space *space)
{
	return space->is_denied ? LOCATION_DENIED : LOCATION_UNMAPPED;
}

/* @map is where @addr is, NULL if it is nowhere. */
static struct code_at
place_in(struct feed *f, const struct space *space, int pid, uint64_t addr, const struct map *map)
{
	struct code_at at = { nowhere_in(space), DSO_ID_UNKNOWN, addr };

	if (map == NULL)
		return at;
	at.dso = map->dso;
	at.offset = addr - map_bias(map);
	at.location = find_cached(f, user_tag(space, addr, map, at.offset), map, at.offset);
	want_image(f, map->dso, pid, map);
	return at;
}

struct code_at
feed_place_user(struct feed *f, const struct space *space, int pid, uint64_t addr)
{
	return place_in(f, space, pid, addr, find_map(space, addr));
}

void
feed_want_own_image(struct feed *f, const struct record *rec, const struct space *space, int pid)
{
	const struct map *map = feed_is_user(rec) ? find_map(space, rec->sample.ip) : NULL;

	if (map != NULL && map->end - map->start <= QUICK_CODE_MAX)
		want_image(f, map->dso, pid, map);
}

static struct code_at
place_fixed(struct feed *f, uint32_t dso, uint64_t addr)
{
	static const struct map kernel = { .dso = DSO_ID_KERNEL };

	if (dso == DSO_ID_KERNEL)
		return (struct code_at){ find_cached(f, kernel_tag(f, addr), &kernel, addr), dso,
				       addr };
	/* The kernel's symbols are asked for without a sample; those of guests are not. */
	want_image(f, dso, 0, NULL);
	return (struct code_at){ locations_find(f->locations, dso, addr), dso, addr };
}

/* In a recording the kernel's maps say which module an address is in, if it has them. */
static bool
is_kernel_by_maps(const struct model *m)
{
	return m->from_file && !m->kernel_is_here;
}

static struct code_at
place_by_maps(struct feed *f, uint64_t addr)
{
	const struct space *kernel = f->model->kernel;
	const struct map *map = kernel != NULL ? space_find(kernel, addr) : NULL;
	uint64_t offset;

	/* BPF programs are in no map of the kernel's; it is in none if its addresses were hidden. */
	if (ksymbols_find(&f->model->ksymbols, addr) != NULL ||
	    (map == NULL && !f->model->kernel_is_mapped))
		return place_fixed(f, DSO_ID_KERNEL, addr);
	if (map == NULL)
		return (struct code_at){ LOCATION_UNMAPPED, DSO_ID_UNKNOWN, addr };
	if (map->dso != DSO_ID_KERNEL)
		want_image(f, map->dso, 0, map);
	offset = addr - map->start + map->pgoff;
	return (struct code_at){ find_cached(f, kernel_tag(f, addr), map, offset), map->dso,
				 offset };
}

static struct code_at
place_kernel(struct feed *f, uint64_t addr)
{
	return is_kernel_by_maps(f->model) ? place_by_maps(f, addr)
					   : place_fixed(f, DSO_ID_KERNEL, addr);
}

uint32_t
feed_lacks_image(struct feed *f, const struct record_sample *s, const struct space *space,
		 int pid)
{
	const uint64_t *addrs = f->is_unwound ? f->unwinder.addrs : s->chain;
	size_t len = f->is_unwound ? f->unwinder.len : s->chain_len;

	for (size_t i = 0; i < len && f->held_stacks.len - f->held_stacks.done < HELD_FOR_NAMES_MAX; i++) {
		const struct map *map = find_map(space, addrs[i]);
		const struct dso_symbols *symbols;

		if (map == NULL || dsos_get(&f->model->dsos, map->dso)->kind != DSO_FILE)
			continue;
		want_image(f, map->dso, pid, map);
		symbols = locations_symbols(f->locations, map->dso);
		if (symbols->state == SYMBOLS_ASKED && !symbols->is_put_off)
			return map->dso;
	}
	return 0;
}

/* That of one of the kernel. */
static uint32_t
locate_kernel(struct feed *f, uint64_t addr)
{
	struct place_tag t = kernel_tag(f, addr);
	uint32_t id = cache_get(&f->addresses, t.tag, t.check);

	if (id != 0)
		return locations_frame(f->locations, id);
	return place_kernel(f, addr).location;
}

/* @near is the map of the frame before, which mostly has the next one, too. */
static const struct map *
find_near(const struct space *space, uint64_t addr, const struct map **near)
{
	if (*near == NULL || addr < (*near)->start || addr >= (*near)->end)
		*near = find_map(space, addr);
	return *near;
}

/* The location of an address of a program in a chain. */
static uint32_t
locate_user(struct feed *f, const struct space *space, int pid, uint64_t addr,
	    const struct map **near)
{
	return place_in(f, space, pid, addr, find_near(space, addr, near)).location;
}

/* How that place is known to the cache: the same for all who map the file, 0 if it is nowhere. */
static uint64_t
place_name(const struct space *space, uint64_t addr, const struct map **near)
{
	const struct map *map = find_near(space, addr, near);

	return map != NULL ? user_tag(space, addr, map, addr - map_bias(map)).tag : 0;
}

struct code_at
feed_place_leaf(struct feed *f, const struct record *rec, struct space *space, int pid)
{
	static const uint32_t fixed[] = {
		[PERF_RECORD_MISC_CPUMODE_UNKNOWN] = DSO_ID_UNKNOWN,
		[PERF_RECORD_MISC_HYPERVISOR] = DSO_ID_HYPERVISOR,
		[PERF_RECORD_MISC_GUEST_KERNEL] = DSO_ID_GUEST_KERNEL,
		[PERF_RECORD_MISC_GUEST_USER] = DSO_ID_GUEST_USER,
	};
	unsigned mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (mode == PERF_RECORD_MISC_USER)
		return feed_place_user(f, space, pid, rec->sample.ip);
	if (mode == PERF_RECORD_MISC_KERNEL)
		return place_kernel(f, rec->sample.ip);
	if (mode < ARRAY_SIZE(fixed) && fixed[mode] > DSO_ID_UNKNOWN)
		return place_fixed(f, fixed[mode], rec->sample.ip);
	return (struct code_at){ LOCATION_UNMAPPED, DSO_ID_UNKNOWN, rec->sample.ip };
}

uint32_t
feed_locate_branch(struct feed *f, struct space *space, int pid, uint64_t addr)
{
	if (space_find(space, addr) != NULL)
		return feed_place_user(f, space, pid, addr).location;
	/* The kernel's maps tell of any address whether it is the kernel's. */
	if (addr >> 63 == 0 && !f->model->kernel_is_mapped)
		return nowhere_in(space);
	return place_kernel(f, addr).location;
}

static void
half_add(struct half_chain *h, uint64_t addr)
{
	if (h->len < FEED_FRAMES_MAX)
		h->addrs[h->len++] = addr;
}

/*
 * Takes a chain apart.  What a frame keeps is a return address: the call is before it.  But the
 * place where user space was left is that of an instruction.  The sample's own place comes first
 * (not always exactly: precise events correct it), unless its half of the chain was left out.
 * Whether it is one that record_encode_unwound() has written of a chain that is cut.
 */
static bool
split_chain(const struct record *rec, struct half_chain *kernel, struct half_chain *user)
{
	const struct record_sample *s = &rec->sample;
	/* What a look waits for is its place, in the kernel: all that is in user space called it. */
	bool in_user = feed_is_user(rec) && !record_is_look(s), is_cut = false;
	bool is_leaf = in_user || !feed_is_user(rec);
	uint64_t context = PERF_CONTEXT_MAX;

	kernel->len = user->len = 0;
	for (uint64_t i = 0; i < s->chain_len; i++) {
		uint64_t addr = s->chain[i];

		if (addr >= (uint64_t)PERF_CONTEXT_MAX) {
			is_cut |= addr == context && addr == (uint64_t)PERF_CONTEXT_USER;
			context = addr;
			i += addr == ABI_CONTEXT_USER_DEFERRED; /* a cookie follows */
			continue;
		}
		if (is_leaf && in_user == (context == (uint64_t)PERF_CONTEXT_USER)) {
			is_leaf = false;
			continue;
		}
		is_leaf = false;
		if (context == (uint64_t)PERF_CONTEXT_USER)
			half_add(user, user->len == 0 && !in_user ? addr : addr - 1);
		else
			half_add(kernel, addr - 1);
	}
	return is_cut;
}

/*
 * The stack of calls that the branch recorder kept, in place of what frame pointers led to: where
 * each call was made.
 */
static void
copy_branch_calls(const struct record *rec, struct half_chain *user)
{
	const struct record_branches *b = &rec->sample.branches;

	if (feed_is_user(rec))
		user->len = 0;
	else
		user->len = MIN(user->len, 1);
	for (uint64_t i = 0; i < b->len; i++)
		half_add(user, b->entries[i * RECORD_BRANCH_WORDS]);
}

static bool
has_branch_calls(const struct record *rec)
{
	return rec->sample.branches.is_call_stack && rec->sample.branches.len > 0;
}

/* The sample's own place comes first in what was unwound; one that waits is in the kernel. */
static void
copy_unwound(const struct unwinder *u, const struct record *rec, struct half_chain *user)
{
	user->len = 0;
	for (size_t i = feed_is_user(rec) && !record_is_look(&rec->sample); i < u->len; i++)
		half_add(user, u->addrs[i]);
}

/*
 * In a recording by name, and in a crowd, all who run a program have one tree of calls, wherever each
 * has it mapped: places are told apart by file.
 */
static void
name_places(struct chain_walk *w)
{
	const struct map *near = NULL;

	for (size_t i = 0; i < w->half->len; i++)
		w->words[i] = place_name(w->space, w->half->addrs[i], &near);
}

/* How the frames from the outermost to @inner are known to the cache. */
static uint64_t
chain_walk_tag(const struct chain_walk *w, size_t inner)
{
	const uint64_t *words = w->is_by_file ? w->words : w->half->addrs;
	size_t len = w->half->len - inner;

	return hash_mix(hash_bytes(words + inner, len * sizeof(*words)), w->seed);
}

/* Below @root for the frames of a half, of @space or, NULL, of the kernel.  @is_shared: its tree is. */
static void
begin_walk(const struct feed *f, struct chain_walk *w, uint32_t root, const struct half_chain *h,
	   bool is_shared, struct space *space)
{
	uint32_t generation = f->model->kernel_generation;
	uint64_t id = 0;

	w->half = h;
	w->space = space;
	w->root = root;
	w->is_by_file = space != NULL && is_shared && !space->has_code;
	if (w->is_by_file) {
		name_places(w);
		generation = 0;
	} else if (space != NULL) {
		id = space->id;
		generation = space->generation;
	}
	/* The root's number is the check.  A fold changes it, but hardly ever the root's hash. */
	w->seed = hash_mix(f->profile->tables.tree[root].hash, id << 32 | generation);
	w->tag = chain_walk_tag(w, 0);
}

/* From which frame on the outer part has a cache entry of its own; the end: it is too short. */
static size_t
split_at(const struct chain_walk *w, size_t inner)
{
	size_t count = w->half->len - inner;

	return count >= SPLIT_LEAST ? inner + count / 3 : w->half->len;
}

/* Its two entries in the cache are far from each other: both are prefetched. */
static void
prefetch_walk(const struct feed *f, const struct chain_walk *w)
{
	size_t end = split_at(w, 0);

	cache_prefetch(&f->stacks, w->tag);
	if (end < w->half->len && profile_is_far(f->profile))
		cache_prefetch(&f->stacks, chain_walk_tag(w, end));
}

/* The node below @node for the frames before @end, to @inner. */
static uint32_t
walk_part(struct feed *f, const struct chain_walk *w, uint32_t node, size_t end, size_t inner)
{
	uint32_t path[FEED_FRAMES_MAX], last = 0;
	const struct map *near = NULL;
	size_t len = 0;

	for (size_t i = inner; w->is_by_file && i < end; i++)
		cache_prefetch(&f->addresses, w->words[i]);
	if (end < w->half->len)
		last = f->profile->tables.tree[node].location;
	while (end-- > inner) {
		uint64_t addr = w->half->addrs[end];
		uint32_t loc = w->space != NULL ? locate_user(f, w->space, w->pid, addr, &near)
						: locate_kernel(f, addr);

		/* Frame garbage of code without frame pointers: any number of it is one frame. */
		if (loc != last || (loc != LOCATION_UNMAPPED && loc != LOCATION_DENIED))
			path[len++] = loc;
		last = loc;
	}
	return tables_path(&f->profile->tables, node, path, len);
}

/* The node of the frames from the root to @inner.  New stacks mostly have known outer frames. */
static uint32_t
walk(struct feed *f, const struct chain_walk *w, size_t inner, uint64_t tag)
{
	size_t end = split_at(w, inner);
	uint32_t node = cache_get(&f->stacks, tag, w->root);

	if (node != 0)
		return node;
	node = end < w->half->len ? walk(f, w, end, chain_walk_tag(w, end)) : w->root;
	node = walk_part(f, w, node, end, inner);
	cache_put(&f->stacks, tag, w->root, node);
	return node;
}

/* The root of the tree, remembered: most samples are of few tasks. */
static uint32_t
root_node(struct feed *f, uint32_t who, uint32_t event)
{
	struct root_memo *m = &f->roots[who % ARRAY_SIZE(f->roots)];

	if (f->roots_epoch != f->profile->epoch) {
		memset(f->roots, 0, sizeof(f->roots));
		f->roots_epoch = f->profile->epoch;
	}
	if (m->node == 0 || m->who != who || m->event != event)
		*m = (struct root_memo){ who, event, tables_root(&f->profile->tables, who, event) };
	return m->node;
}

void
feed_begin_callers(struct feed *f, struct callers *c, const struct record *rec, uint32_t event,
		   uint32_t who, bool is_shared, struct space *space)
{
	uint32_t node = root_node(f, who, event);
	bool is_cut = split_chain(rec, &c->kernel, &c->user);

	if (f->is_unwound) {
		unwinder_count(&f->unwinder, 1, &f->unwinder.result);
		copy_unwound(&f->unwinder, rec, &c->user);
		is_cut = unwinder_is_cut(&f->unwinder);
	} else if (has_branch_calls(rec) && (feed_is_user(rec) || c->user.len > 0)) {
		copy_branch_calls(rec, &c->user);
	}
	if (is_cut)
		node = tables_node(&f->profile->tables, node, LOCATION_CUT);
	if (space == NULL)
		c->user.len = 0;
	begin_walk(f, &c->walk, node, c->user.len > 0 ? &c->user : &c->kernel,
		  is_shared, c->user.len > 0 ? space : NULL);
	prefetch_walk(f, &c->walk);
}

uint32_t
feed_end_callers(struct feed *f, struct callers *c, int pid)
{
	uint32_t node = c->walk.root;

	c->walk.pid = pid;
	if (c->user.len > 0)
		node = walk(f, &c->walk, 0, c->walk.tag);
	if (c->kernel.len == 0)
		return node;
	if (c->user.len > 0)
		begin_walk(f, &c->walk, node, &c->kernel, false, NULL);
	return walk(f, &c->walk, 0, c->walk.tag);
}
