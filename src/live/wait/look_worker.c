/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/look_worker.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/queue.h"
#include "base/thread.h"
#include "live/sys/limits.h"
#include "record/look.h"

enum {
	KEPT_MAX = 4096,      /* threads whose two files stay open, */
	KEPT_PART = 8,        /* and with them no more than a fourth of all descriptors */
	INTERVAL_LEAST_MS = 4, INTERVAL_MS = 50, INTERVAL_MOST_MS = 30000, /* between looks at a thread */
	INTERVAL_SELDOM_MS = 200, /* from there on a turn of all is dear */
	INTERVAL_EACH_MS = 2, /* of few threads: for each of them */
	PREFERRED_PART = 32,  /* of an interval, where it is long: that of threads that are preferred */
	STILL_PART = 4,       /* of the time that a thread is known not to have run: looks are as far */
	STILL_MOST = 4,       /* apart as that, up to so many intervals, as nothing is new */
	HOLD_MS = 250,        /* so long the same place is kept until it is told */
	TICK_PART = 2,        /* of an interval: looks that are due so near to each other are taken together */
	OWNER_MS = 5,         /* so long what was seen of the owner of a lock is told of it */
	PACE_MS = 1000,       /* so often is looked at what they cost, where looks are seldom */
	PACE_MOST_MS = 5000,  /* less often, as a report's turn is all at once */
	LOOK_NS = 3000,       /* what one may cost at least */
	QUEUED_MAX = 8 << 20, /* bytes of records that nobody has taken yet */
	BATCH_MAX = 1 << 20,
	PLACES_MAX = 32 << 20, /* bytes of places, with their stacks, that are kept for their threads */
};

enum { ASK_SET, ASK_PREFER, ASK_TOPS, ASK_FLUSH, ASK_STOP };

struct ask {
	struct msg msg;
	uint64_t number;
	bool is_all;
	size_t count; /* of items of this type: */
	_Alignas(8) char items[];
};

struct records {
	struct msg msg;
	size_t len;
	uint8_t bytes[];
};

/*
 * The state is one word: 0, it is not in a call that can hang; ABANDONED by its owner while it was
 * in one; else since when it is in one, in milliseconds, times IN_CALL, plus the pid.
 */
enum { STATE_SAFE, STATE_ABANDONED, IN_CALL = PROCFS_PID_MAX };

struct look_worker {
	pthread_t thread;
	atomic_uint refs; /* its owner and the thread */
	_Atomic uint64_t state;
	struct queue *asks, *records;
	atomic_size_t queued; /* bytes in records */
	_Atomic uint64_t flushed;
	struct {
		_Atomic uint64_t threads, interval_ns, looks, same, thrown, denied, cpu_ns;
		atomic_bool is_full, lacks_kernel;
		atomic_int deadlock[WAIT_CYCLE_MAX];
		atomic_size_t deadlock_len;
	} figures;

	/* The thread's own. */
	struct looker_config config;
	struct wait_list list;
	struct wait_env env;
	struct buf out;
	uint64_t random;
	uint64_t interval_ns;
	int preferred;       /* pid, 0: none */
	double stretch;      /* of the interval, to keep to config.percent */
	size_t guessed;      /* threads for which it was guessed before there was a look */
	uint64_t paced_ns, paced_cpu_ns;
	uint64_t turn_ns;    /* of the last report that had a turn */
	int cycle[WAIT_CYCLE_MAX]; /* that was seen at the last look at what looks cost */
	size_t cycle_len;
	bool is_set, is_stopping;
};

static void
enter(struct look_worker *w, int pid, uint64_t now_ns)
{
	uint64_t id = pid > 0 && pid < PROCFS_PID_MAX ? (uint64_t)pid : 0;

	atomic_store(&w->state, (now_ns / NSEC_PER_MSEC + 1) * IN_CALL + id);
}

/* False: it took too long, and nobody waits for it any more. */
static bool
leave(struct look_worker *w)
{
	uint64_t state = atomic_load(&w->state);

	return state >= IN_CALL && atomic_compare_exchange_strong(&w->state, &state, STATE_SAFE);
}

/* From 0 to below @below. */
static uint64_t
draw(struct look_worker *w, uint64_t below)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random % MAX(below, 1);
}

static void
send_records(struct look_worker *w)
{
	struct records *m;

	if (w->out.len == 0)
		return;
	m = mem_realloc(NULL, 1, sizeof(*m) + w->out.len);
	*m = (struct records){ .len = w->out.len };
	memcpy(m->bytes, w->out.data, w->out.len);
	buf_reset(&w->out);
	atomic_fetch_add(&w->queued, m->len);
	/* If it had to wait for a CPU, younger records of rings may have been taken since. */
	record_look_stamp(m->bytes, m->len, clock_mono_ns());
	queue_send(w->records, &m->msg);
}

/* What nobody takes stays with the threads: it is told later. */
static void
begin_batch(struct look_worker *w)
{
	w->env.out_max = atomic_load(&w->queued) < QUEUED_MAX ? BATCH_MAX : 0;
}

/* The shortest interval of all. */
static uint64_t
least_interval(const struct look_worker *w)
{
	if (w->preferred == 0)
		return w->interval_ns;
	return MAX(w->interval_ns / PREFERRED_PART, MIN(w->interval_ns, INTERVAL_MS * NSEC_PER_MSEC));
}

/*
 * At a random moment of its next interval.  A wait that has been seen for long will last: were looks
 * far apart after short waits, too, these would be given more than they lasted.
 */
static uint64_t
next_due(struct look_worker *w, const struct wait_thread *t, uint64_t now_ns)
{
	uint64_t still_ns = (t->seen_ns - t->still_ns) / STILL_PART;
	uint64_t interval_ns = t->pid == w->preferred ? least_interval(w) : w->interval_ns;
	uint64_t gap_ns = MIN(MAX(interval_ns, still_ns), STILL_MOST * interval_ns);

	return now_ns + gap_ns / 2 + draw(w, gap_ns);
}

/*
 * Who holds the lock that @t waits for is looked at as well: what it does meanwhile is what all of
 * them wait for.  If it is gone its own turn will find that.
 */
static void
look_at_owner(struct look_worker *w, struct wait_thread *t)
{
	struct wait_thread *owner = t->owner != 0 && t->state == LOOK_WAITS
					    ? wait_list_find(&w->list, t->owner) : NULL;

	if (owner == NULL || owner == t || wait_thread_has_met(t, owner))
		return;
	if (t->seen_ns > owner->seen_ns + OWNER_MS * NSEC_PER_MSEC &&
	    wait_thread_look(owner, &w->env) < 0)
		return;
	wait_thread_meet(t, owner);
}

/* False: it was left behind. */
static bool
look_at(struct look_worker *w, size_t i, uint64_t now_ns)
{
	struct wait_thread *t = &w->list.items[i];
	int res;

	enter(w, t->pid, now_ns);
	res = wait_thread_look(t, &w->env);
	if (res < 0)
		wait_list_drop(&w->list, i, &w->env);
	else
		w->list.due_ns[i] = next_due(w, t, now_ns);
	if (res >= 0)
		look_at_owner(w, t);
	return leave(w);
}

static bool
look_at_due(struct look_worker *w)
{
	uint64_t now = clock_mono_ns(), until = now + least_interval(w) / TICK_PART / 2;

	begin_batch(w);
	for (size_t i = w->list.len; i-- > 0;) {
		if (w->list.due_ns[i] > until)
			continue;
		now = clock_mono_ns();
		if (!look_at(w, i, now))
			return false;
		if (w->out.len >= BATCH_MAX) {
			send_records(w);
			begin_batch(w);
		}
	}
	send_records(w);
	return true;
}

/*
 * Before the first places with new names are told.  To find these costs what thousands of looks do,
 * and is done ever more seldom: it is no part of the pace.
 */
static bool
step_kernel(struct look_worker *w)
{
	uint64_t now = clock_mono_ns(), cpu = clock_thread_cpu_ns();

	if (w->env.kernel == NULL)
		return true;
	enter(w, 0, now);
	kernel_stacks_step(w->env.kernel, w->env.proc_fd, now);
	w->paced_cpu_ns += clock_thread_cpu_ns() - cpu;
	return leave(w);
}

/*
 * Each report would have a turn of all.  Where looks are seldom, as more would cost too much, a turn
 * comes no sooner than without reports: what is told then is as old as that.
 */
static bool
has_turn(struct look_worker *w)
{
	uint64_t now = clock_mono_ns();

	if (w->interval_ns > INTERVAL_SELDOM_MS * NSEC_PER_MSEC && w->turn_ns != 0 &&
	    now - w->turn_ns < w->interval_ns)
		return false;
	w->turn_ns = now;
	return true;
}

static bool
flush(struct look_worker *w, uint64_t number)
{
	bool is_turn = has_turn(w);

	for (size_t i = 0; i < w->list.len && is_turn; i++)
		w->list.due_ns[i] = 0;
	w->env.hold_ns = 0;
	if (!look_at_due(w))
		return false;
	for (size_t i = 0; i < w->list.len; i++)
		wait_thread_tell(&w->list.items[i], &w->env);
	send_records(w);
	w->env.hold_ns = HOLD_MS * NSEC_PER_MSEC;
	atomic_store(&w->flushed, number);
	return true;
}

static bool
step_list(struct look_worker *w)
{
	uint64_t now = clock_mono_ns();

	if (!w->is_set)
		return true;
	enter(w, 0, now);
	wait_list_step(&w->list, &w->env, now);
	return leave(w);
}

/* Its threads are due. */
static void
prefer(struct look_worker *w, int pid)
{
	w->preferred = pid;
	for (size_t i = 0; i < w->list.len && pid != 0; i++)
		if (w->list.items[i].pid == pid)
			w->list.due_ns[i] = 0;
}

static void
set_tops(struct look_worker *w, const struct wait_top *tops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct wait_thread *t = wait_list_find(&w->list, tops[i].tid);

		if (t != NULL && tops[i].lock != 0)
			wait_thread_trust(t, tops[i].lock);
		if (t != NULL && tops[i].is_cut)
			wait_thread_copy_more(t, &w->env);
		else if (t != NULL)
			wait_thread_set_top(t, &w->env, tops[i].top);
	}
}

/* False: it was left behind. */
static bool
answer(struct look_worker *w, const struct ask *a)
{
	switch (a->msg.type) {
	case ASK_SET:
		wait_list_set(&w->list, a->is_all ? NULL : (const struct wait_target *)a->items,
			      a->count, &w->env);
		w->is_set = true;
		return true;
	case ASK_PREFER:
		prefer(w, (int)a->number);
		return true;
	case ASK_TOPS:
		set_tops(w, (const struct wait_top *)a->items, a->count);
		return true;
	case ASK_FLUSH:
		return flush(w, a->number);
	default:
		w->is_stopping = true;
		return true;
	}
}

static size_t
count_denied(const struct wait_list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->len; i++)
		n += l->items[i].is_denied;
	return n;
}

/* A cycle that is the same twice, a second apart, is one. */
static void
look_for_deadlock(struct look_worker *w)
{
	int tids[WAIT_CYCLE_MAX];
	size_t n = wait_cycle_find(&w->list, tids);
	bool is_same = n == w->cycle_len && memcmp(tids, w->cycle, n * sizeof(*tids)) == 0;

	for (size_t i = 0; i < n && is_same; i++)
		atomic_store(&w->figures.deadlock[i], tids[i]);
	atomic_store(&w->figures.deadlock_len, is_same ? n : 0);
	memcpy(w->cycle, tids, n * sizeof(*tids));
	w->cycle_len = n;
}

/* Few threads more often, many in turn. */
static void
set_interval(struct look_worker *w)
{
	uint64_t ms = MAX(MIN(w->list.len * INTERVAL_EACH_MS, INTERVAL_MS), INTERVAL_LEAST_MS);

	w->stretch = MIN(w->stretch, (double)INTERVAL_MOST_MS / (double)ms);
	w->interval_ns = (uint64_t)((double)(ms * NSEC_PER_MSEC) * w->stretch);
}

/* Many that are new are not to cost much more than is allowed until that is seen. */
static void
guess_interval(struct look_worker *w)
{
	double ms = (double)w->list.len * LOOK_NS * 100 / w->config.percent / NSEC_PER_MSEC;

	if (w->config.percent <= 0 || w->list.len <= 2 * w->guessed)
		return;
	w->guessed = w->list.len;
	w->stretch = MAX(w->stretch, ms / INTERVAL_MS);
	w->paced_ns = 0;
	set_interval(w);
}

/* As often as the price allows. */
static void
pace(struct look_worker *w)
{
	uint64_t now = clock_mono_ns(), cpu;
	uint64_t window_ns = MIN(MAX(PACE_MS * NSEC_PER_MSEC, w->interval_ns),
				 PACE_MOST_MS * NSEC_PER_MSEC);
	double used;

	set_interval(w);
	if (now - w->paced_ns < window_ns)
		return;
	cpu = clock_thread_cpu_ns();
	/* To open the files of new threads costs more than to look at them, and is done once. */
	if (w->paced_ns == 0) {
		w->paced_ns = now;
		w->paced_cpu_ns = cpu;
		return;
	}
	used = (double)(cpu - w->paced_cpu_ns) * 100 / (double)(now - w->paced_ns);
	w->paced_ns = now;
	w->paced_cpu_ns = cpu;
	if (w->config.percent > 0)
		w->stretch = MAX(w->stretch * MAX(used / w->config.percent, 0.5), 1);
	look_for_deadlock(w);
	atomic_store(&w->figures.cpu_ns, cpu);
	atomic_store(&w->figures.denied, count_denied(&w->list));
}

static void
show_figures(struct look_worker *w)
{
	atomic_store(&w->figures.threads, w->list.len);
	atomic_store(&w->figures.interval_ns, w->interval_ns);
	atomic_store(&w->figures.looks, w->env.looks);
	atomic_store(&w->figures.same, w->env.same);
	atomic_store(&w->figures.thrown, w->env.thrown);
	atomic_store(&w->figures.is_full, w->list.is_full);
	atomic_store(&w->figures.lacks_kernel,
		     w->env.kernel != NULL && kernel_stacks_is_denied(w->env.kernel));
}

/* Until the next look is due; never in step with what is looked at. */
static int
wait_ms(struct look_worker *w)
{
	uint64_t now = clock_mono_ns(), due = now + PACE_MS * NSEC_PER_MSEC;

	if (!w->is_set)
		return -1;
	for (size_t i = 0; i < w->list.len; i++)
		due = MIN(due, w->list.due_ns[i]);
	if (w->list.next < w->list.process_len)
		due = now;
	return (int)(MAX(due, now + NSEC_PER_MSEC) / NSEC_PER_MSEC - now / NSEC_PER_MSEC +
		     draw(w, least_interval(w) / TICK_PART / NSEC_PER_MSEC));
}

static void
serve(struct look_worker *w)
{
	while (!w->is_stopping) {
		struct msg *m = queue_wait(w->asks, wait_ms(w));
		bool is_left = false;

		for (; m != NULL && !is_left; m = queue_take(w->asks)) {
			is_left = !answer(w, (struct ask *)m);
			msg_free(m);
		}
		if (is_left || !step_list(w))
			return;
		guess_interval(w);
		if (!look_at_due(w) || !step_kernel(w))
			return;
		pace(w);
		show_figures(w);
	}
}

static void
drop_reference(struct look_worker *w)
{
	if (atomic_fetch_sub(&w->refs, 1) > 1)
		return;
	queue_free(w->asks);
	queue_free(w->records);
	free(w);
}

static void *
look_main(void *arg)
{
	struct look_worker *w = arg;

	w->env.proc_fd = open(w->config.proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	w->random = clock_mono_ns() ^ (uint64_t)(uintptr_t)w;
	w->paced_ns = clock_mono_ns();
	serve(w);
	wait_list_release(&w->list, &w->env);
	kernel_stacks_free(w->env.kernel);
	buf_release(&w->out);
	if (w->env.proc_fd >= 0)
		close(w->env.proc_fd);
	drop_reference(w);
	return NULL;
}

struct look_worker *
look_worker_new(const struct looker_config *config, const int *skips, size_t skip_count)
{
	struct look_worker *w = mem_calloc(1, sizeof(*w));

	w->refs = 2;
	w->asks = queue_new();
	w->records = queue_new();
	w->config = *config;
	w->stretch = 1;
	w->interval_ns = INTERVAL_MS * NSEC_PER_MSEC;
	w->env = (struct wait_env){
		.id = config->id, .has_stacks = config->has_stacks, .has_queue = config->has_queue,
		.hold_ns = HOLD_MS * NSEC_PER_MSEC, .out = &w->out, .place_max = PLACES_MAX,
		.find_in_ns = wait_list_find_in_ns, .list = &w->list,
		.kernel = config->has_stacks ? kernel_stacks_new() : NULL,
	};
	wait_list_init(&w->list, MIN(KEPT_MAX, limits_free_descriptors() / KEPT_PART), skips,
		       skip_count);
	thread_start_or_die(&w->thread, "ptop-looks", look_main, w);
	return w;
}

static void
send_ask(struct look_worker *w, int type, uint64_t number, const void *items, size_t count,
	 size_t size)
{
	struct ask *a = mem_calloc(1, sizeof(*a) + count * size);

	a->msg.type = type;
	a->number = number;
	a->is_all = items == NULL;
	a->count = count;
	if (count > 0)
		memcpy(a->items, items, count * size);
	queue_send(w->asks, &a->msg);
}

void
look_worker_set(struct look_worker *w, const struct wait_target *targets, size_t count)
{
	send_ask(w, ASK_SET, 0, targets, count, sizeof(*targets));
}

void
look_worker_prefer(struct look_worker *w, int pid)
{
	send_ask(w, ASK_PREFER, (uint64_t)pid, NULL, 0, 0);
}

void
look_worker_set_tops(struct look_worker *w, const struct wait_top *tops, size_t count)
{
	send_ask(w, ASK_TOPS, 0, tops, count, sizeof(*tops));
}

void
look_worker_flush(struct look_worker *w, uint64_t number)
{
	send_ask(w, ASK_FLUSH, number, NULL, 0, 0);
}

uint64_t
look_worker_flushed(const struct look_worker *w)
{
	return atomic_load(&w->flushed);
}

struct msg *
look_worker_take(struct look_worker *w, struct bytes *records)
{
	struct records *m = (struct records *)queue_take(w->records);

	if (m == NULL)
		return NULL;
	atomic_fetch_sub(&w->queued, m->len);
	*records = (struct bytes){ m->bytes, m->len };
	return &m->msg;
}

void
look_worker_figures(const struct look_worker *w, struct looker_figures *out)
{
	*out = (struct looker_figures){
		.threads = atomic_load(&w->figures.threads),
		.interval_ns = atomic_load(&w->figures.interval_ns),
		.looks = atomic_load(&w->figures.looks),
		.same = atomic_load(&w->figures.same),
		.thrown = atomic_load(&w->figures.thrown),
		.denied = atomic_load(&w->figures.denied),
		.cpu_ns = atomic_load(&w->figures.cpu_ns),
		.is_full = atomic_load(&w->figures.is_full),
		.lacks_kernel = atomic_load(&w->figures.lacks_kernel),
		.deadlock_len = atomic_load(&w->figures.deadlock_len),
	};
	for (size_t i = 0; i < out->deadlock_len; i++)
		out->deadlock[i] = atomic_load(&w->figures.deadlock[i]);
}

int
look_worker_abandon(struct look_worker *w, unsigned patience_ms)
{
	uint64_t state = atomic_load(&w->state), ms = clock_mono_ns() / NSEC_PER_MSEC + 1;
	int pid = (int)(state % IN_CALL);

	if (state < IN_CALL || ms <= state / IN_CALL + patience_ms ||
	    !atomic_compare_exchange_strong(&w->state, &state, STATE_ABANDONED))
		return 0;
	pthread_detach(w->thread);
	drop_reference(w);
	return MAX(pid, 1);
}

void
look_worker_free(struct look_worker *w, unsigned patience_ms)
{
	const struct timespec moment = { .tv_nsec = NSEC_PER_MSEC / 2 };

	send_ask(w, ASK_STOP, 0, NULL, 0, 0);
	while (pthread_tryjoin_np(w->thread, NULL) != 0) {
		if (look_worker_abandon(w, patience_ms) != 0)
			return;
		nanosleep(&moment, NULL);
	}
	drop_reference(w);
}
