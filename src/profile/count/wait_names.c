/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/wait_names.h"

#include <fnmatch.h>
#include <stdlib.h>

/*
 * Functions in which workers wait for work, and who must have called them, NULL: anybody.  The
 * names are as they are shown, or as the file has them if that is not known yet: a "*" stands where
 * the two differ.
 */
static const struct {
	const char *function, *caller;
} rules[] = {
	{ "uv_cond_wait", "worker" }, /* node: libuv, V8, the debugger's door */
	{ "uv_cond_wait", "*PlatformWorkerThread*" },
	{ "uv_sem_wait", "*StartIoThreadMain*" },
	{ "*TaskQueue*BlockingPop*", NULL },
	{ "g_async_queue_*pop_intern_unlocked", NULL }, /* GLib */
	{ "g_thread_pool_wait_for_new_task", NULL },
	{ "*ThreadPoolExecutor*getTask*", NULL }, /* Java, as far as its code has names */
	{ "*ForkJoinPool*awaitWork*", NULL },
	{ "*CompileQueue*get*", "*CompileBroker*compiler_thread_loop*" }, /* and its VM */
	{ "*WorkerTaskDispatcher*worker_run_task*", NULL },
	{ "*Semaphore*wait*", "*GangWorker*loop*" },
	{ "*Semaphore*wait*", "*run_service*" },
	{ "*Semaphore*wait*", "*signal_wait*" },
	{ "*Monitor*wait_without_safepoint*", "*run_service*" },
	{ "*Monitor*wait_without_safepoint*", "*sleep_before_next_cycle*" },
	{ "*Monitor*wait_without_safepoint*", "*_thread_entry*" },
	{ "*Monitor*wait_without_safepoint*", "*sweeper_loop*" },
	{ "*Monitor*wait_without_safepoint*", "*WatcherThread*sleep*" },
	{ "*Monitor*wait_without_safepoint*", "*VMThread*wait_for_operation*" },
	{ "runtime.stopm", NULL }, /* Go */
	{ "*tokio*park*Parker*park*", NULL }, /* Rust */
	{ "*rayon_core*Sleep*sleep*", NULL },
};

/* Of which rules a place is, bits: of those that ask for no caller, as function, as caller. */
struct wait_name {
	uint32_t serial; /* of the location, 0: not looked up */
	uint32_t alone, functions, callers;
};

_Static_assert(ARRAY_SIZE(rules) <= 32, "a bit for each rule");

void
wait_names_release(struct wait_names *w)
{
	free(w->known);
}

bool
wait_names_tell(enum wait_kind kind)
{
	return kind == WAIT_CONDITION || kind == WAIT_FUTEX || kind == WAIT_SEMAPHORE;
}

static struct wait_name
look_up(const struct profile *p, const struct location *loc)
{
	const char *name = strs_get(&p->model->strs, loc->name);
	struct wait_name known = { .serial = loc->serial };

	for (size_t i = 0; location_is_named(loc) && i < ARRAY_SIZE(rules); i++) {
		uint32_t bit = (uint32_t)(1u << i);

		if (fnmatch(rules[i].function, name, 0) == 0)
			*(rules[i].caller == NULL ? &known.alone : &known.functions) |= bit;
		if (rules[i].caller != NULL && fnmatch(rules[i].caller, name, 0) == 0)
			known.callers |= bit;
	}
	return known;
}

static struct wait_name
name_at(struct wait_names *w, const struct profile *p, uint32_t location)
{
	uint32_t id = locations_resolve(p->locations, location);
	const struct location *loc = &p->locations->items[id];

	/* It may get a name yet. */
	if (!location_is_named(loc))
		return look_up(p, loc);
	vec_reserve_zeroed(&w->known, &w->cap, id + 1, sizeof(*w->known));
	if (w->known[id].serial != loc->serial)
		w->known[id] = look_up(p, loc);
	return w->known[id];
}

enum wait_kind
wait_names_kind(struct wait_names *w, const struct profile *p, uint32_t node, enum wait_kind kind)
{
	const struct tree_key *tree = p->tables.tree;
	unsigned called = 0; /* rules whose function the frame before is */

	for (; tree[node].parent != 0; node = tree[node].parent) {
		struct wait_name name = name_at(w, p, tree[node].location);

		if ((name.alone | (called & name.callers)) != 0)
			return WAIT_POOL;
		called = name.functions;
	}
	return kind;
}
