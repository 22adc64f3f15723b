/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/look_worker.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/queue.h"
#include "base/thread.h"
#include "live/sys/limits.h"
#include "live/wait/look_figures.h"
#include "live/wait/told_record.h"
#include "live/wait/wait_tell.h"

enum {
	FILES_MAX = 20480,    /* of /proc that stay open, each with a page of the kernel's; */
	FILES_PART = 8,       /* such a part of all descriptors is left alone */
	PARTS = 1000000,      /* of a percent, in messages */
	SELDOM_MS = 200,      /* between looks: from there on a turn of all is dear */
	QUEUED_MAX = 8 << 20, /* bytes of records that nobody has taken yet */
	QUEUED_MS = 3000,     /* so long the last report waits for that */
	BATCH_MAX = 1 << 20,
	SEND_LEAST = 128 << 10, /* bytes of them are sent before the looks that are due have ended */
	PLACES_MAX = 36 << 20, /* bytes of places, with their stacks, that are kept for their threads */
};

enum { ASK_SET, ASK_PREFER, ASK_PERCENT, ASK_TOPS, ASK_FLUSH, ASK_STOP };

struct ask {
	struct msg msg;
	uint64_t number;
	bool is_all; /* ASK_SET: they are wanted; ASK_FLUSH: they are looked at, whatever it costs */
	size_t count; /* of items of this type: */
	_Alignas(8) char items[];
};

struct records {
	struct msg msg;
	struct buf bytes;
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
	_Atomic(struct records *) spare; /* a message that was taken: its pages are there already */
	_Atomic uint64_t flushed;
	struct look_figures figures;

	/* The thread's own. */
	struct looker_config config;
	struct look_round round;
	struct buf out;
	bool is_last;        /* the report that has all */
	bool is_set, is_stopping;
	bool has_locks;      /* a lock with an owner was seen, once */
};

static void
enter(void *worker, int pid, uint64_t now_ns)
{
	struct look_worker *w = worker;
	uint64_t id = pid > 0 && pid < PROCFS_PID_MAX ? (uint64_t)pid : 0;

	atomic_store(&w->state, (now_ns / NSEC_PER_MSEC + 1) * IN_CALL + id);
}

/* False: it took too long, and nobody waits for it any more. */
static bool
leave(void *worker)
{
	struct look_worker *w = worker;
	uint64_t state = atomic_load(&w->state);

	return state >= IN_CALL && atomic_compare_exchange_strong(&w->state, &state, STATE_SAFE);
}

/* Some of it has not been read. */
static void
free_records(struct msg *msg)
{
	struct records *m = (struct records *)msg;

	told_record_pass_all((uint8_t *)m->bytes.data, m->bytes.len);
	buf_release(&m->bytes);
	free(m);
}

/* What is in it was passed, or there is nothing; NULL is allowed. */
static void
free_room(struct records *m)
{
	if (m == NULL)
		return;
	buf_release(&m->bytes);
	free(m);
}

/* One that is empty, if there is one with the room of another. */
static struct records *
new_records(struct look_worker *w)
{
	struct records *m = atomic_exchange(&w->spare, NULL);

	if (m == NULL)
		m = mem_calloc(1, sizeof(*m));
	buf_reset(&m->bytes);
	m->msg = (struct msg){ .free = free_records };
	return m;
}

/* The records are not copied: their room goes with them, and that of others comes. */
static void
send_records(struct look_worker *w)
{
	struct records *m;
	struct buf room;

	if (w->out.len == 0)
		return;
	m = new_records(w);
	room = m->bytes;
	m->bytes = w->out;
	w->out = room;
	atomic_fetch_add(&w->queued, m->bytes.len);
	/* If it had to wait for a CPU, younger records of rings may have been taken since. */
	told_record_stamp((uint8_t *)m->bytes.data, m->bytes.len, clock_mono_ns());
	queue_send(w->records, &m->msg);
}

static void
set_hold(struct look_worker *w)
{
	struct look_round *r = &w->round;

	r->env.hold_ns = look_pace_hold_ns(&r->pace, r->list.len, r->is_first_turn);
}

/* What nobody takes stays with the threads: it is told later. */
static void
begin_batch(struct look_worker *w)
{
	w->round.env.out_max = atomic_load(&w->queued) < QUEUED_MAX ? BATCH_MAX : 0;
}

/* Nothing is to be kept back while the reader falls behind. */
static void
wait_for_reader(struct look_worker *w)
{
	const struct timespec moment = { .tv_nsec = NSEC_PER_MSEC };

	send_records(w);
	for (unsigned ms = 0; ms < QUEUED_MS && atomic_load(&w->queued) >= QUEUED_MAX / 2; ms++)
		nanosleep(&moment, NULL);
	w->round.env.woken_ns = clock_mono_ns();
	begin_batch(w);
}

/* The last report has all. */
static void
send_some(void *worker)
{
	struct look_worker *w = worker;

	if (w->is_last && (w->out.len >= BATCH_MAX / 2 || atomic_load(&w->queued) >= QUEUED_MAX / 2))
		wait_for_reader(w);
	if (w->out.len < SEND_LEAST)
		return;
	send_records(w);
	begin_batch(w);
}

/*
 * To find the addresses of new names costs what thousands of looks do, and is done ever more seldom:
 * it is no part of the pace.
 */
static bool
step_kernel(struct look_worker *w)
{
	uint64_t now = clock_mono_ns();

	if (w->round.env.kernel == NULL)
		return true;
	enter(w, 0, now);
	look_pace_charge(&w->round.pace, now, clock_thread_cpu_ns(), false);
	if (kernel_stacks_step(w->round.env.kernel, w->round.env.proc_fd, now))
		look_pace_charge(&w->round.pace, now, clock_thread_cpu_ns(), true);
	return leave(w);
}

/* The last report is to have functions of the kernel, if that does not take long.  False: left behind. */
static bool
end_kernel(struct look_worker *w)
{
	const struct kernel_stacks *ks = w->round.env.kernel;

	do
		if (!step_kernel(w))
			return false;
	while (ks != NULL && kernel_stacks_is_soon(ks, clock_mono_ns()));
	return true;
}

/* So long it takes until all are looked at, and it is told; 0: there is none. */
static uint64_t
turn_ns(const struct look_worker *w)
{
	const uint64_t hold = w->round.env.hold_ns;
	uint64_t ns = MAX(w->round.pace.interval_ns, w->round.pace.late_turn_ns);

	if (w->round.list.len == 0)
		return 0;
	return hold > LOOK_HOLD_MS * NSEC_PER_MSEC ? MAX(ns, hold) : ns;
}

static void
show_figures(struct look_worker *w)
{
	look_figures_show(&w->figures, &w->round, turn_ns(w));
}

/*
 * Each report would have a turn of all.  Where looks are seldom, as more would cost too much, it has
 * none but the last: what is told then is as old as the last look.
 */
static bool
has_turn(const struct look_worker *w, bool is_last)
{
	return is_last || (w->round.pace.interval_ns <= SELDOM_MS * NSEC_PER_MSEC &&
			   look_pace_has_credit(&w->round.pace, false));
}

/* Threads that came just now have waited, too.  False: it was left behind. */
static bool
list_all(struct look_worker *w)
{
	uint64_t now = clock_mono_ns();

	if (!w->is_set)
		return true;
	enter(w, 0, now);
	wait_list_round(&w->round.list, &w->round.env, now);
	return leave(w);
}

static bool
flush(struct look_worker *w, uint64_t number, bool is_last)
{
	w->round.env.hold_ns = 0;
	w->round.env.wants_times = true;
	w->is_last = is_last;
	begin_batch(w);
	if (is_last && !list_all(w))
		return false;
	if ((has_turn(w, is_last) && !look_round_all(&w->round)) || (is_last && !end_kernel(w)))
		return false;
	for (size_t i = 0; i < w->round.list.len; i++) {
		wait_tell_all(&w->round.list.items[i], &w->round.env);
		send_some(w);
	}
	send_records(w);
	w->is_last = false;
	look_round_set_interval(&w->round);
	set_hold(w);
	w->round.env.wants_times = false;
	show_figures(w);
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
	wait_list_step(&w->round.list, &w->round.env, now);
	return leave(w);
}

static void
set_tops(struct look_worker *w, const struct wait_top *tops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct wait_thread *t = wait_list_find(&w->round.list, tops[i].tid);

		w->has_locks |= tops[i].lock != 0;
		if (t != NULL && tops[i].lock != 0)
			wait_place_trust(t, tops[i].lock);
		if (t != NULL && tops[i].is_cut)
			wait_thread_copy_more(t, &w->round.env);
		else if (t != NULL)
			wait_place_set_top(t, &w->round.env, tops[i].top);
	}
}

/* False: it was left behind. */
static bool
answer(struct look_worker *w, const struct ask *a)
{
	switch (a->msg.type) {
	case ASK_SET:
		wait_list_set(&w->round.list, a->is_all ? NULL : (const struct wait_target *)a->items,
			      a->count, &w->round.env);
		w->is_set = true;
		return true;
	case ASK_PREFER:
		look_round_prefer(&w->round, (int)a->number);
		return true;
	case ASK_PERCENT:
		w->round.pace.percent = (double)a->number / PARTS;
		return true;
	case ASK_TOPS:
		set_tops(w, (const struct wait_top *)a->items, a->count);
		return true;
	case ASK_FLUSH:
		return flush(w, a->number, a->is_all);
	default:
		w->is_stopping = true;
		return true;
	}
}

static int
wait_ms(struct look_worker *w)
{
	if (w->round.env.kernel != NULL && kernel_stacks_is_at_it(w->round.env.kernel))
		return 0;
	return w->is_set ? look_round_wait_ms(&w->round) : -1;
}

static void
serve(struct look_worker *w)
{
	while (!w->is_stopping) {
		struct msg *m = queue_wait(w->asks, wait_ms(w));
		bool is_left = false;

		w->round.env.woken_ns = clock_mono_ns();
		for (; m != NULL && !is_left; m = queue_take(w->asks)) {
			is_left = !answer(w, (struct ask *)m);
			msg_free(m);
		}
		if (is_left || !step_list(w))
			return;
		look_round_set_interval(&w->round);
		set_hold(w);
		begin_batch(w);
		if (!look_round_due(&w->round))
			return;
		send_records(w);
		if (!step_kernel(w))
			return;
		look_figures_step(&w->figures, &w->round, w->has_locks);
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
	free_room(atomic_load(&w->spare));
	free(w);
}

static void *
look_main(void *arg)
{
	struct look_worker *w = arg;

	/* Timers with slack end together with others': looks would be when threads have just woken. */
	prctl(PR_SET_TIMERSLACK, 1UL);
	w->round.env.proc_fd = open(w->config.proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	w->round.random = clock_mono_ns() ^ (uint64_t)(uintptr_t)w;
	serve(w);
	wait_list_release(&w->round.list, &w->round.env);
	kernel_stacks_free(w->round.env.kernel);
	told_record_pass_all((uint8_t *)w->out.data, w->out.len);
	buf_release(&w->out);
	if (w->round.env.proc_fd >= 0)
		close(w->round.env.proc_fd);
	drop_reference(w);
	return NULL;
}

struct look_worker *
look_worker_new(const struct looker_config *config, const int *skips, size_t skip_count)
{
	struct look_worker *w = mem_calloc(1, sizeof(*w));
	size_t files;

	limits_raise_descriptors();
	files = limits_free_descriptors();
	w->refs = 2;
	w->asks = queue_new();
	w->records = queue_new();
	w->config = *config;
	look_pace_init(&w->round.pace, config->percent);
	w->round.guard.self = w;
	w->round.guard.enter = enter;
	w->round.guard.leave = leave;
	w->round.guard.pause = send_some;
	w->round.env = (struct wait_env){
		.id = config->id, .has_stacks = config->has_stacks, .has_queue = config->has_queue,
		.out = &w->out, .place_max = PLACES_MAX,
		.find_in_ns = wait_list_find_in_ns, .list = &w->round.list, .begun_ns = clock_mono_ns(),
		.files_max = MIN(FILES_MAX, files - files / FILES_PART),
		.kernel = config->has_stacks ? kernel_stacks_new() : NULL,
	};
	wait_list_init(&w->round.list, skips, skip_count);
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
look_worker_set_percent(struct look_worker *w, double percent)
{
	send_ask(w, ASK_PERCENT, (uint64_t)(percent * PARTS), NULL, 0, 0);
}

void
look_worker_set_tops(struct look_worker *w, const struct wait_top *tops, size_t count)
{
	send_ask(w, ASK_TOPS, 0, tops, count, sizeof(*tops));
}

void
look_worker_flush(struct look_worker *w, uint64_t number, bool is_last)
{
	struct ask *a = mem_calloc(1, sizeof(*a));

	a->msg.type = ASK_FLUSH;
	a->number = number;
	a->is_all = is_last;
	queue_send(w->asks, &a->msg);
}

uint64_t
look_worker_flushed(const struct look_worker *w)
{
	return atomic_load(&w->flushed);
}

struct msg *
look_worker_take(struct look_worker *w, uint8_t **at, uint8_t **end)
{
	struct records *m = (struct records *)queue_take(w->records);

	*at = *end = NULL;
	if (m == NULL)
		return NULL;
	atomic_fetch_sub(&w->queued, m->bytes.len);
	*at = (uint8_t *)m->bytes.data;
	*end = *at + m->bytes.len;
	return &m->msg;
}

void
look_worker_give_back(struct look_worker *w, struct msg *m)
{
	free_room(atomic_exchange(&w->spare, (struct records *)m));
}

void
look_worker_figures(const struct look_worker *w, struct looker_figures *out)
{
	look_figures_read(&w->figures, out);
	out->begun_ns = w->round.env.begun_ns;
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
