/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_PROC_FIXTURE_H
#define PTOP_TESTS_PROC_FIXTURE_H
/* A running proc_reader and its answers, as cmocka's state.  One thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "live/proc/proc_reader.h"
#include "tests/fake_proc.h"

enum { PLENTY_US = 10 * 1000 * 1000, WAIT_MS = 60 * 1000 };

/* A reader over the real /proc or over a tree of files. */
struct fixture {
	struct fake_proc proc;
	struct queue *answers;
	struct proc_reader *reader;
};

static inline int
setup_real(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	f->answers = queue_new();
	f->reader = proc_reader_new("/proc", f->answers);
	*state = f;
	return 0;
}

static inline int
setup_fake(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	fake_proc_make(&f->proc);
	f->answers = queue_new();
	f->reader = proc_reader_new(f->proc.root, f->answers);
	*state = f;
	return 0;
}

static inline int
teardown(void **state)
{
	struct fixture *f = *state;
	struct msg *m;

	proc_reader_free(f->reader);
	while ((m = queue_take(f->answers)) != NULL)
		msg_free(m);
	queue_free(f->answers);
	if (f->proc.root[0] != '\0')
		fake_proc_drop(&f->proc);
	free(f);
	return 0;
}

static inline struct proc_maps_msg *
next_maps(struct fixture *f)
{
	struct msg *m = queue_wait(f->answers, WAIT_MS);

	assert_non_null(m);
	assert_int_equal(m->type, PROC_MSG_MAPS);
	return (struct proc_maps_msg *)m;
}

static inline struct proc_maps_msg *
maps_of(struct fixture *f, int pid)
{
	struct proc_maps_msg *m;

	proc_reader_ask_maps(f->reader, pid, 42);
	m = next_maps(f);
	assert_int_equal(m->pid, pid);
	assert_int_equal(m->cookie, 42);
	return m;
}

static inline int
maps_error(struct fixture *f, int pid)
{
	struct proc_maps_msg *m = maps_of(f, pid);
	int error = m->error;

	assert_true(error == 0 || m->count == 0);
	msg_free(&m->msg);
	return error;
}

static inline struct proc_tick_msg *
tick(struct fixture *f, int threads_of)
{
	struct msg *m;

	proc_reader_ask_tick(f->reader, NULL, 0, threads_of, PLENTY_US);
	m = queue_wait(f->answers, WAIT_MS);
	assert_non_null(m);
	assert_int_equal(m->type, PROC_MSG_TICK);
	return (struct proc_tick_msg *)m;
}

#endif
