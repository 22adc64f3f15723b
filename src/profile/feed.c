/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/feed.h"
#include "profile/feed_impl.h"
#include "profile/memo.h"

#include "record/abi.h"
#include "record/put.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHAIN_MAX = 512, /* frames of one half of a chain */
	SPLIT_LEAST = 8, /* of as many, the outer ones are known to the cache as well */
};

/* Where an address is; the location is that of a frame, see locations_frame(). */
struct place {
	uint32_t location, dso;
	uint64_t offset;
};

void
feed_init(struct feed *f, struct model *model, struct locations *locations,
	  struct profile *profile, const struct record_layouts *layouts)
{
	*f = (struct feed){ .model = model, .locations = locations, .profile = profile,
			    .layouts = layouts, .stacks_epoch = profile->epoch };
	cache_init(&f->addresses, ADDRESS_CACHE_PAIRS_MAX);
	cache_init(&f->stacks, STACK_CACHE_PAIRS_MAX);
	unwinder_init(&f->unwinder, model);
	memo_init(f);
}

void
feed_forget_places(struct feed *f)
{
	feed_flush(f);
	cache_clear(&f->addresses);
	/* That of the stacks, and what is remembered of samples alike. */
	f->profile->epoch++;
}

void
feed_release(struct feed *f)
{
	feed_release_held(f);
	unwinder_release(&f->unwinder);
	memo_release(f);
	free(f->maps);
	free(f->images);
	free(f->comms);
	cache_release(&f->addresses);
	cache_release(&f->stacks);
}

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

static bool
is_vdso(uint32_t dso)
{
	return dso == DSO_ID_VDSO || dso == DSO_ID_VDSO32;
}

static uint64_t
offset_in(const struct map *map, uint64_t addr)
{
	return addr - map->start + (is_vdso(map->dso) ? 0 : map->pgoff);
}

/* @map is where @addr is, NULL if it is nowhere. */
static struct place
place_in(struct feed *f, const struct space *space, int pid, uint64_t addr, const struct map *map)
{
	struct place at = { LOCATION_UNMAPPED, DSO_ID_UNKNOWN, addr };

	if (map == NULL)
		return at;
	at.dso = map->dso;
	at.offset = offset_in(map, addr);
	at.location = find_cached(f, user_tag(space, addr, map, at.offset), map, at.offset);
	want_image(f, map->dso, pid, map);
	return at;
}

static struct place
place_user(struct feed *f, const struct space *space, int pid, uint64_t addr)
{
	return place_in(f, space, pid, addr, find_map(space, addr));
}

static struct place
place_fixed(struct feed *f, uint32_t dso, uint64_t addr)
{
	static const struct map kernel = { .dso = DSO_ID_KERNEL };

	if (dso == DSO_ID_KERNEL)
		return (struct place){ find_cached(f, kernel_tag(f, addr), &kernel, addr), dso,
				       addr };
	/* The kernel's symbols are asked for without a sample; those of guests are not. */
	want_image(f, dso, 0, NULL);
	return (struct place){ locations_find(f->locations, dso, addr), dso, addr };
}

/* In a recording the kernel's maps tell which module an address is in; without one, nothing does. */
static bool
is_kernel_by_maps(const struct model *m)
{
	return m->from_file && !m->kernel_is_here;
}

static struct place
place_kernel(struct feed *f, uint64_t addr)
{
	const struct space *kernel = f->model->kernel;
	const struct map *map = kernel != NULL ? space_find(kernel, addr) : NULL;
	uint64_t offset;

	/* BPF programs are in no map of the kernel's. */
	if (ksymbols_find(&f->model->ksymbols, addr) != NULL)
		return place_fixed(f, DSO_ID_KERNEL, addr);
	if (map == NULL)
		return (struct place){ LOCATION_UNMAPPED, DSO_ID_UNKNOWN, addr };
	if (map->dso != DSO_ID_KERNEL)
		want_image(f, map->dso, 0, map);
	offset = addr - map->start + map->pgoff;
	return (struct place){ find_cached(f, kernel_tag(f, addr), map, offset), map->dso, offset };
}

/* The location of an address of the kernel in a chain. */
static uint32_t
locate_kernel(struct feed *f, uint64_t addr)
{
	struct place_tag t = kernel_tag(f, addr);
	uint32_t id = cache_get(&f->addresses, t.tag, t.check);

	if (id != 0)
		return locations_frame(f->locations, id);
	if (is_kernel_by_maps(f->model))
		return place_kernel(f, addr).location;
	return place_fixed(f, DSO_ID_KERNEL, addr).location;
}

/* That of a program; @near is the map of the frame before, which mostly has the next one, too. */
static uint32_t
locate_user(struct feed *f, const struct space *space, int pid, uint64_t addr,
	    const struct map **near)
{
	if (*near == NULL || addr < (*near)->start || addr >= (*near)->end)
		*near = find_map(space, addr);
	return place_in(f, space, pid, addr, *near).location;
}

static struct place
place_leaf(struct feed *f, const struct record *rec, struct space *space, int pid)
{
	static const uint32_t fixed[] = {
		[PERF_RECORD_MISC_CPUMODE_UNKNOWN] = DSO_ID_UNKNOWN,
		[PERF_RECORD_MISC_KERNEL] = DSO_ID_KERNEL,
		[PERF_RECORD_MISC_HYPERVISOR] = DSO_ID_HYPERVISOR,
		[PERF_RECORD_MISC_GUEST_KERNEL] = DSO_ID_GUEST_KERNEL,
		[PERF_RECORD_MISC_GUEST_USER] = DSO_ID_GUEST_USER,
	};
	unsigned mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (mode == PERF_RECORD_MISC_USER)
		return place_user(f, space, pid, rec->sample.ip);
	if (mode == PERF_RECORD_MISC_KERNEL && is_kernel_by_maps(f->model))
		return place_kernel(f, rec->sample.ip);
	if (mode < ARRAY_SIZE(fixed) && fixed[mode] > DSO_ID_UNKNOWN)
		return place_fixed(f, fixed[mode], rec->sample.ip);
	return (struct place){ LOCATION_UNMAPPED, DSO_ID_UNKNOWN, rec->sample.ip };
}

static bool
is_user_mode(const struct record *rec)
{
	return (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

/* One half of a call chain, kernel or user, innermost first, without the sample's own place. */
struct half {
	uint64_t addrs[CHAIN_MAX];
	size_t len;
};

static void
half_add(struct half *h, uint64_t addr)
{
	if (h->len < CHAIN_MAX)
		h->addrs[h->len++] = addr;
}

/*
 * Takes a chain apart.  What a frame keeps is a return address: the call is before it.  But the
 * place where user space was left is that of an instruction.  The sample's own place comes first
 * (not always exactly: precise events correct it), unless its half of the chain was left out.
 */
static void
split_chain(const struct record *rec, struct half *kernel, struct half *user)
{
	const struct record_sample *s = &rec->sample;
	bool in_user = is_user_mode(rec), is_leaf = true;
	uint64_t context = PERF_CONTEXT_MAX;

	kernel->len = user->len = 0;
	for (uint64_t i = 0; i < s->chain_len; i++) {
		uint64_t addr = s->chain[i];

		if (addr >= (uint64_t)PERF_CONTEXT_MAX) {
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
}

/*
 * The stack of calls that the branch recorder kept, in place of what frame pointers led to: where
 * each call was made.
 */
static void
take_branch_calls(const struct record *rec, struct half *user)
{
	const struct record_branches *b = &rec->sample.branches;

	if (is_user_mode(rec))
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

/* The sample's own place comes first in what was unwound. */
static void
take_unwound(const struct unwinder *u, const struct record *rec, struct half *user)
{
	user->len = 0;
	for (size_t i = is_user_mode(rec); i < u->len; i++)
		half_add(user, u->addrs[i]);
}

/* Half a chain on its way into the tree: what it hangs from, and how its frames are told apart. */
struct way {
	const struct half *half;
	struct space *space; /* NULL: the kernel's */
	int pid;
	uint32_t root, check;
	uint64_t words[CHAIN_MAX]; /* if places are known by file */
	bool is_by_file;
};

/*
 * In a recording by name all who run a program have one tree of calls, wherever each has it mapped:
 * places are told apart by file.
 */
static void
name_places(struct way *w)
{
	const struct map *map = NULL;

	for (size_t i = 0; i < w->half->len; i++) {
		uint64_t addr = w->half->addrs[i];

		if (map == NULL || addr < map->start || addr >= map->end)
			map = find_map(w->space, addr);
		w->words[i] = map != NULL ? user_tag(w->space, addr, map, offset_in(map, addr)).tag
					  : 0;
	}
}

static void
begin_way(const struct feed *f, struct way *w)
{
	uint32_t generation = f->model->kernel_generation;
	uint64_t id = 0;

	w->is_by_file = w->space != NULL && f->model->by_name && !w->space->has_code;
	if (w->is_by_file) {
		name_places(w);
		generation = 0;
	} else if (w->space != NULL) {
		id = w->space->id;
		generation = w->space->generation;
	}
	w->check = hash_mix(w->root, id << 32 | generation) & UINT32_MAX;
}

/* How the frames from the outermost to @inner are known to the cache. */
static uint64_t
way_tag(const struct way *w, size_t inner)
{
	const uint64_t *words = w->is_by_file ? w->words : w->half->addrs;
	size_t len = w->half->len - inner;

	return hash_mix(hash_bytes(words + inner, len * sizeof(*words)), w->check);
}

/* The node below @node for the frames before @end, to @inner. */
static uint32_t
walk_part(struct feed *f, const struct way *w, uint32_t node, size_t end, size_t inner)
{
	uint32_t path[CHAIN_MAX], last = 0;
	const struct map *near = NULL;
	size_t len = 0;

	if (end < w->half->len)
		last = f->profile->tables.tree[node].location;
	while (end-- > inner) {
		uint64_t addr = w->half->addrs[end];
		uint32_t loc = w->space != NULL ? locate_user(f, w->space, w->pid, addr, &near)
						: locate_kernel(f, addr);

		/* Frame garbage of code without frame pointers: any number of it is one frame. */
		if (loc != LOCATION_UNMAPPED || last != LOCATION_UNMAPPED)
			path[len++] = loc;
		last = loc;
	}
	return tables_path(&f->profile->tables, node, path, len);
}

/* That of all frames to @inner.  Most stacks that are new have outer ones that are not. */
static uint32_t
walk(struct feed *f, const struct way *w, size_t inner)
{
	size_t end = w->half->len, count = end - inner;
	uint64_t tag = way_tag(w, inner);
	uint32_t node = cache_get(&f->stacks, tag, w->check);

	if (node != 0)
		return node;
	node = w->root;
	if (count >= SPLIT_LEAST) {
		end = inner + count / 3;
		node = walk(f, w, end);
	}
	node = walk_part(f, w, node, end, inner);
	cache_put(&f->stacks, tag, w->check, node);
	return node;
}

/* The node below @node for the frames of a half, outermost first. */
static uint32_t
walk_half(struct feed *f, uint32_t node, const struct half *h, struct space *space, int pid)
{
	struct way w;

	w.half = h;
	w.space = space;
	w.pid = pid;
	w.root = node;
	begin_way(f, &w);
	return walk(f, &w, 0);
}

/* The root of the tree, remembered: most samples are of few tasks. */
static uint32_t
root_node(struct feed *f, uint32_t who, uint32_t event)
{
	struct root_memo *m = &f->roots[who % ARRAY_SIZE(f->roots)];

	if (m->node == 0 || m->who != who || m->event != event)
		*m = (struct root_memo){ who, event, tables_root(&f->profile->tables, who, event) };
	return m->node;
}

static uint32_t
callers_node(struct feed *f, const struct record *rec, uint32_t event, uint32_t who,
	     struct space *space, int pid)
{
	struct half kernel, user;
	uint32_t node;

	if (f->stacks_epoch != f->profile->epoch) {
		cache_clear(&f->stacks);
		memset(f->roots, 0, sizeof(f->roots));
		f->stacks_epoch = f->profile->epoch;
	}
	node = root_node(f, who, event);
	split_chain(rec, &kernel, &user);
	if (f->is_unwound) {
		unwinder_count(&f->unwinder);
		take_unwound(&f->unwinder, rec, &user);
	} else if (has_branch_calls(rec) && (is_user_mode(rec) || user.len > 0)) {
		take_branch_calls(rec, &user);
	}
	if (f->is_unwound && unwinder_is_cut(&f->unwinder))
		node = tables_node(&f->profile->tables, node, LOCATION_CUT);
	if (user.len > 0 && space != NULL)
		node = walk_half(f, node, &user, space, pid);
	if (kernel.len > 0)
		node = walk_half(f, node, &kernel, NULL, 0);
	return node;
}

static bool
has_user_part(const struct record *rec)
{
	const struct record_sample *s = &rec->sample;

	if (is_user_mode(rec) || unwinder_takes(s))
		return true;
	for (uint64_t i = 0; i < s->chain_len; i++)
		if (s->chain[i] == (uint64_t)PERF_CONTEXT_USER)
			return true;
	return false;
}

void
feed_want_comm(struct feed *f, uint32_t task)
{
	struct task *t = model_task_at(f->model, task);

	if (t->comm != 0 || t->comm_asked)
		return;
	t->comm_asked = true;
	vec_reserve(&f->comms, &f->comm_cap, f->comm_len + 1, sizeof(*f->comms));
	f->comms[f->comm_len++] = (struct comm_ask){ task, t->pid, t->tid };
}

/* Where one end of a branch is: samples tell no mode of it. */
static uint32_t
locate_branch(struct feed *f, struct space *space, int pid, uint64_t addr)
{
	if (space_find(space, addr) != NULL)
		return place_user(f, space, pid, addr).location;
	if (is_kernel_by_maps(f->model))
		return place_kernel(f, addr).location;
	return addr >> 63 != 0 ? place_fixed(f, DSO_ID_KERNEL, addr).location : LOCATION_UNMAPPED;
}

static void
label_branch(struct feed *f, const struct record_sample *s, uint32_t task, int pid, struct label *l)
{
	/* A sample in the kernel needs no user space, its branches may. */
	struct space *space = model_space(f->model, task);

	l->from = locations_resolve(f->locations,
				    locate_branch(f, space, pid, s->branches.entries[0]));
	l->to = locations_resolve(f->locations,
				  locate_branch(f, space, pid, s->branches.entries[1]));
	if (f->locations->items[l->from].kind != LOCATION_FUNCTION)
		l->from_addr = s->branches.entries[0];
	if (f->locations->items[l->to].kind != LOCATION_FUNCTION)
		l->to_addr = s->branches.entries[1];
}

/* What else the sample is told apart by, as far as it carries what is wanted. */
static void
label_sample(struct feed *f, const struct record *rec, uint32_t task, int pid, struct label *l)
{
	const struct labels *labels = &f->profile->labels;
	const struct record_sample *s = &rec->sample;

	*l = (struct label){ 0 };
	if (labels_want(labels, KEY_TIME) && (s->carries & PERF_SAMPLE_TIME))
		l->time = labels_bucket(labels, rec->id.time_ns);
	if (labels_want(labels, KEY_CGROUP))
		l->cgroup = s->cgroup;
	if (labels_want(labels, KEY_DATA_SRC))
		l->data_src = s->data_src & RECORD_DATA_SRC_KNOWN;
	if (labels_want(labels, KEY_WEIGHT) && (s->carries & PERF_SAMPLE_WEIGHT))
		l->weight = s->weight + 1;
	else if (labels_want(labels, KEY_WEIGHT) && (s->carries & ABI_SAMPLE_WEIGHT_STRUCT))
		l->weight = (s->weight & UINT32_MAX) + 1;
	if (labels_want(labels, KEY_BRANCH) && s->branches.len > 0)
		label_branch(f, s, task, pid, l);
}

/* Only files have lines. */
static void
want_line(struct feed *f, const struct place *at)
{
	if (dsos_get(&f->model->dsos, at->dso)->kind == DSO_FILE)
		srclines_want(&f->profile->lines, at->dso, at->offset);
}

/* Counts a sample whose space is as known as it will be.  @space NULL: it has no user part. */
void
feed_file_sample(struct feed *f, uint32_t event, const struct record *rec, uint64_t tag,
		 struct owner owner, struct space *space)
{
	const struct task *t = model_task_at(f->model, owner.task);
	int pid = t->died_ns == 0 ? t->pid : 0;
	struct place leaf = place_leaf(f, rec, space, pid);
	struct profile_sample s = { .event = event, .who = owner.who, .cpu = rec->id.cpu,
				    .period = rec->sample.period,
				    .leaf = locations_resolve(f->locations, leaf.location),
				    .frame = leaf.location, .dso = leaf.dso,
				    .offset = leaf.offset };
	struct profile_ids ids;
	struct label label;

	if (profile_keeps_labels(f->profile)) {
		label_sample(f, rec, owner.task, pid, &label);
		s.label = &label;
		if (labels_want(&f->profile->labels, KEY_SRCLINE))
			want_line(f, &leaf);
	}
	if ((rec->sample.chain != NULL || f->is_unwound) && !f->no_chains)
		s.callers = callers_node(f, rec, event, owner.who, space, pid);
	if (memo_take(f, tag, &s, owner.task, space))
		return;
	ids = profile_add(f->profile, &s);
	if (ids.address != 0)
		locations_vote(f->locations, s.leaf, leaf.offset, 1);
}

/* Who a sample is of.  Tid 0 with a user part is no idle loop: it is out of sight. */
static uint32_t
task_of(struct feed *f, const struct record *rec, bool user)
{
	if (rec->id.tid == 0 && user && !f->model->from_file)
		return model_outside_task(f->model);
	return model_sample_task(f->model, (int)rec->id.pid, (int)rec->id.tid, rec->id.cpu);
}

static bool
is_wanted(const struct feed *f, const struct task *t)
{
	return !f->targets_only || t->is_target || model_task_at(f->model, t->process)->is_target;
}

bool
feed_wants(struct feed *f, const struct record *rec, uint32_t *task)
{
	*task = task_of(f, rec, true);
	return is_wanted(f, model_task_at(f->model, *task));
}

uint32_t
feed_unwind(struct feed *f, const struct record *rec, const struct space *space, uint32_t task,
	    bool may_wait)
{
	const struct task *t = model_task_at(f->model, task);

	f->is_unwound = !f->no_chains && unwinder_takes(&rec->sample);
	if (!f->is_unwound)
		return 0;
	return unwinder_run(&f->unwinder, &rec->sample, space, t->died_ns == 0 ? t->pid : 0,
			    may_wait);
}

bool
feed_sample(struct feed *f, uint32_t event, const struct record *rec, uint64_t tag,
	    struct bytes bytes)
{
	bool user = f->no_chains ? is_user_mode(rec) : has_user_part(rec);
	uint32_t task = task_of(f, rec, user);
	struct task *t = model_task_at(f->model, task);
	struct space *space = NULL;
	uint32_t dso;

	if (!is_wanted(f, t)) {
		f->dropped++;
		f->profile->events[event].dropped++;
		return false;
	}
	if (user)
		space = model_space(f->model, task);
	model_task_at(f->model, t->process)->seen_ns = rec->id.time_ns;
	feed_want_comm(f, task);
	if (t->process != task)
		feed_want_comm(f, t->process);
	if (user) {
		if (space->state == SPACE_UNREAD || space->state == SPACE_DOUBTFUL)
			feed_want_maps(f, task, space, rec->id.time_ns, 0);
		if (space->state == SPACE_ASKED &&
		    feed_hold(f, space, event, task, bytes, rec, 0))
			return true;
	}
	dso = feed_unwind(f, rec, space, task, true);
	if (dso != 0) {
		if (feed_hold(f, space, event, task, bytes, rec, dso))
			return true;
		f->unwaited++;
		feed_unwind(f, rec, space, task, false);
	}
	feed_file_sample(f, event, rec, tag, (struct owner){ task, model_who(f->model, task) },
			 space);
	return true;
}
