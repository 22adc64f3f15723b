/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/wait_names.h"

#include <fnmatch.h>
#include <stdlib.h>

/*
 * Functions in which is waited for something that the call does not tell, and who must have called
 * them, NULL: anybody.  The names are as they are shown, or as the file has them if that is not
 * known yet: a "*" stands where the two differ.
 */
static const struct {
	const char *function, *caller;
	enum wait_kind kind;
} rules[] = {
	/* Workers that wait for work. */
	{ "uv_cond_wait", "worker", WAIT_POOL }, /* node: libuv, V8, the debugger's door */
	{ "uv_cond_wait", "*PlatformWorkerThread*", WAIT_POOL },
	{ "uv_sem_wait", "*StartIoThreadMain*", WAIT_POOL },
	{ "*TaskQueue*BlockingPop*", NULL, WAIT_POOL },
	{ "g_async_queue_*pop_intern_unlocked", NULL, WAIT_POOL }, /* GLib */
	{ "g_thread_pool_wait_for_new_task", NULL, WAIT_POOL },
	{ "*ThreadPoolExecutor*getTask*", NULL, WAIT_POOL }, /* Java, as far as its code has names */
	{ "*ForkJoinPool*awaitWork*", NULL, WAIT_POOL },
	{ "*CompileQueue*get*", "*CompileBroker*compiler_thread_loop*", WAIT_POOL }, /* and its VM */
	{ "*WorkerTaskDispatcher*worker_run_task*", NULL, WAIT_POOL },
	{ "*Semaphore*wait*", "*GangWorker*loop*", WAIT_POOL },
	{ "*Semaphore*wait*", "*run_service*", WAIT_POOL },
	{ "*Semaphore*wait*", "*signal_wait*", WAIT_POOL },
	{ "*Monitor*wait_without_safepoint*", "*run_service*", WAIT_POOL },
	{ "*Monitor*wait_without_safepoint*", "*sleep_before_next_cycle*", WAIT_POOL },
	{ "*Monitor*wait_without_safepoint*", "*_thread_entry*", WAIT_POOL },
	{ "*Monitor*wait_without_safepoint*", "*sweeper_loop*", WAIT_POOL },
	{ "*Monitor*wait_without_safepoint*", "*WatcherThread*sleep*", WAIT_POOL },
	{ "*Monitor*wait_without_safepoint*", "*VMThread*wait_for_operation*", WAIT_POOL },
	{ "*Monitor*wait*", "JVM_WaitForReferencePendingList", WAIT_POOL },
	{ "runtime.stopm", NULL, WAIT_POOL }, /* Go */
	{ "*tokio*park*Parker*park*", NULL, WAIT_POOL }, /* Rust */
	{ "*rayon_core*Sleep*sleep*", NULL, WAIT_POOL },
	{ "*pthread_cond_wait*", "bioProcessBackgroundJobs", WAIT_POOL }, /* redis */
	/* Who holds what another one wants, as the program itself sees it. */
	{ "WaitLatch", "ProcSleep", WAIT_OWN_LOCK }, /* PostgreSQL: of rows, tables, transactions; */
	{ "ConditionVariable*Sleep", NULL, WAIT_CONDITION }, /* not the wait of a loop */
	{ "*ObjectMonitor*EnterI*", NULL, WAIT_OWN_LOCK }, /* Java: synchronized */
	{ "*ObjectMonitor*ReenterI*", NULL, WAIT_OWN_LOCK },
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
	return kind == WAIT_CONDITION || kind == WAIT_FUTEX || kind == WAIT_SEMAPHORE ||
	       kind == WAIT_LOOP;
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
		uint32_t fit = name.alone | (called & name.callers);

		if (fit != 0)
			return rules[__builtin_ctz(fit)].kind;
		called = name.functions;
	}
	return kind;
}
