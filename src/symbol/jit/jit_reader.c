/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/jit/jit_reader.h"
#include "base/process.h"
#include "base/queue.h"
#include "base/thread.h"

#include "base/clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Who frees a lane is settled by one exchange of its state.  RUNNING to IDLE, by the thread: it
 * gives the file back and goes on.  RUNNING to ABANDONED, by the owner: the thread frees itself and
 * the file should it ever return, and touches nothing else.
 */
enum lane_state {
	LANE_IDLE,
	LANE_RUNNING,
	LANE_ABANDONED,
};

struct lane {
	char *proc;
	struct queue *asks, *answers;
	atomic_int state;
	atomic_int tid; /* 0: the thread has not begun */
	pthread_t thread;
};

struct jit_reader {
	char *proc;
	uint64_t late_ns;
	struct queue *answers;
	struct lane *lane;       /* NULL: nothing was asked for yet */
	struct msg_list waiting;
	size_t waiting_len;
	enum jit_kind kind;      /* of the file that is looked at */
	uint32_t dso;
	uint64_t since_ns;       /* since when that waits for its file system, 0: none is lent */
};

enum { MSG_QUIT = 1, MSG_LOOK };

static void
lane_free(struct lane *l)
{
	queue_free(l->asks);
	free(l->proc);
	free(l);
}

static bool
lane_turn(struct lane *l, int state)
{
	int running = LANE_RUNNING;

	return atomic_compare_exchange_strong(&l->state, &running, state);
}

static void *
lane_main(void *self)
{
	struct lane *l = self;
	struct msg *m;

	atomic_store(&l->tid, gettid());
	while ((m = queue_wait(l->asks, -1)) == NULL || m->type != MSG_QUIT) {
		struct jit_file *f = (struct jit_file *)m;

		if (f == NULL)
			continue;
		jit_file_look(f, l->proc);
		if (!lane_turn(l, LANE_IDLE)) {
			jit_file_free(f);
			lane_free(l);
			return NULL;
		}
		f->msg.type = JIT_MSG_FILE;
		queue_send(l->answers, &f->msg);
	}
	free(m);
	return NULL;
}

static struct lane *
lane_new(const char *proc, struct queue *answers)
{
	struct lane *l = mem_calloc(1, sizeof(*l));

	l->proc = mem_strdup(proc);
	l->asks = queue_new();
	l->answers = answers;
	thread_start_or_die(&l->thread, "ptop-jit", lane_main, l);
	return l;
}

struct jit_reader *
jit_reader_new(const char *proc, uint64_t late_ns, struct queue *answers)
{
	struct jit_reader *r = mem_calloc(1, sizeof(*r));

	r->proc = mem_strdup(proc);
	r->late_ns = late_ns;
	r->answers = answers;
	msg_list_init(&r->waiting);
	return r;
}

static bool
abandon(struct jit_reader *r)
{
	pthread_t thread;

	if (r->lane == NULL)
		return false;
	thread = r->lane->thread;
	if (!lane_turn(r->lane, LANE_ABANDONED))
		return false;
	pthread_detach(thread); /* the lane may be freed already */
	r->lane = NULL;
	r->since_ns = 0;
	return true;
}

void
jit_reader_free(struct jit_reader *r)
{
	struct msg *m;

	if (r == NULL)
		return;
	if (!abandon(r) && r->lane != NULL) {
		queue_send(r->lane->asks, msg_new(sizeof(*m), MSG_QUIT, NULL));
		pthread_join(r->lane->thread, NULL);
		lane_free(r->lane);
	}
	while ((m = msg_list_take(&r->waiting)) != NULL)
		msg_free(m);
	free(r->proc);
	free(r);
}

static void
lend_next(struct jit_reader *r)
{
	struct jit_file *f;

	if (r->since_ns != 0 || r->waiting_len == 0)
		return;
	if (r->lane == NULL)
		r->lane = lane_new(r->proc, r->answers);
	f = (struct jit_file *)msg_list_take(&r->waiting);
	r->waiting_len--;
	r->kind = f->kind;
	r->dso = f->dso;
	r->since_ns = clock_mono_ns();
	f->msg.type = MSG_LOOK;
	atomic_store(&r->lane->state, LANE_RUNNING);
	queue_send(r->lane->asks, &f->msg);
}

void
jit_reader_send(struct jit_reader *r, struct jit_file *f)
{
	msg_list_add(&r->waiting, &f->msg);
	r->waiting_len++;
	lend_next(r);
}

void
jit_reader_took(struct jit_reader *r)
{
	r->since_ns = 0;
	lend_next(r);
}

bool
jit_reader_is_idle(const struct jit_reader *r)
{
	return r->since_ns == 0 && r->waiting_len == 0;
}

/* Where others have the CPUs, a look takes as long as it takes. */
static bool
lane_hangs(const struct lane *l)
{
	int tid = atomic_load(&l->tid);

	return tid != 0 && !process_is_runnable(tid);
}

bool
jit_reader_give_up(struct jit_reader *r, enum jit_kind *kind, uint32_t *dso)
{
	uint64_t now = clock_mono_ns();

	if (r->since_ns == 0)
		return false;
	if (!lane_hangs(r->lane))
		r->since_ns = now;
	if (now - r->since_ns < r->late_ns || !abandon(r))
		return false;
	*kind = r->kind;
	*dso = r->dso;
	lend_next(r);
	return true;
}
