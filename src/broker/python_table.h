/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BROKER_PYTHON_TABLE_H
#define PTOP_BROKER_PYTHON_TABLE_H
/*
 * Where in the memory of a Python 3.14 its main thread is asked to run a script (PEP 768), for the
 * child that asks.  @memory is its /proc/PID/mem: that stays the memory of the program that ran when
 * it was opened, whatever the process executes since.  So who lies has no other's written to.
 */
#include "broker/broker_impl.h"

/* Offsets that lie within their structures. */
struct python_table {
	uint64_t interpreters; /* address of a pointer to the first interpreter */
	uint64_t main_thread, enabled; /* in an interpreter: its main thread; whether it may be asked */
	uint64_t interpreter;  /* in a thread: whose it is */
	uint64_t breaker;      /* in a thread: bits of what it is to do */
	uint64_t pending, path; /* in a thread: whether a script is to be run; its path */
	size_t path_size, thread_size;
};

/* BROKER_DONE: @t is it; else why there is none that can be used. */
struct outcome python_table_find(const struct subject *s, int memory, struct python_table *t);

/* 0, or errno: ESRCH if nobody runs that program any more. */
int python_read(int memory, uint64_t at, void *data, size_t len);
int python_write(int memory, uint64_t at, const void *data, size_t len);

/* 0 if the process itself may write there, or errno: /proc/PID/mem takes it all the same. */
int python_may_write(const struct subject *s, uint64_t at, size_t len);

#endif
