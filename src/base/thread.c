/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

/* What a thread starts with, and the stack of its handlers: a mapping that a fault alone fills. */
struct start {
	void *(*run)(void *);
	void *arg;
	const char *name;
	stack_t before; /* a sanitizer's */
	_Alignas(16) char stack[];
};

enum { START_BYTES = 64 << 10 };

static struct start *
map_start(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	void *res = mmap(NULL, START_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);

	return res != MAP_FAILED ? res : NULL;
}

static void
set_handler_stack(struct start *s)
{
	const stack_t stack = { .ss_sp = s->stack, .ss_size = START_BYTES - sizeof(*s) };

	sigaltstack(&stack, &s->before);
}

static void *
run_thread(void *arg)
{
	struct start *s = arg;
	void *res;

	set_handler_stack(s);
	if (s->name != NULL)
		pthread_setname_np(pthread_self(), s->name);
	res = s->run(s->arg);
	sigaltstack(&s->before, NULL);
	munmap(s, START_BYTES);
	return res;
}

int
thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	struct start *s = map_start();
	sigset_t others, old;
	int res;

	if (s == NULL)
		return ENOMEM;
	s->run = run;
	s->arg = arg;
	s->name = name;
	sigfillset(&others);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(&others, faults[i]);
	pthread_sigmask(SIG_SETMASK, &others, &old);
	res = pthread_create(thread, NULL, run_thread, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (res != 0)
		munmap(s, START_BYTES);
	return res;
}

void
thread_start_or_die(pthread_t *thread, const char *name, void *(*run)(void *), void *arg)
{
	int res = thread_start(thread, name, run, arg);

	if (res != 0)
		die("cannot start a thread: %s", strerror(res));
}

void
thread_give_handler_stack(void)
{
	struct start *s = map_start();

	if (s != NULL)
		set_handler_stack(s);
}

enum { WORKER_END = -1 };

static void *
worker_main(void *arg)
{
	struct worker *w = arg;
	bool is_over = false;

	while (!is_over) {
		struct msg *m = queue_wait(w->asks, -1);

		if (m == NULL)
			continue;
		is_over = m->type == WORKER_END;
		if (!is_over)
			w->take(w->self, m);
		msg_free(m);
	}
	return NULL;
}

void
worker_start(struct worker *w, const char *name, void (*take)(void *self, struct msg *m),
	     void *self)
{
	w->take = take;
	w->self = self;
	w->asks = queue_new();
	thread_start_or_die(&w->thread, name, worker_main, w);
}

void
worker_ask(struct worker *w, struct msg *m)
{
	queue_send(w->asks, m);
}

void
worker_end(struct worker *w)
{
	queue_send(w->asks, msg_new(sizeof(struct msg), WORKER_END, NULL));
	pthread_join(w->thread, NULL);
	queue_free(w->asks);
}
