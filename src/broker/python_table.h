/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BROKER_PYTHON_TABLE_H
#define PTOP_BROKER_PYTHON_TABLE_H
/*
 * Where in the memory of a Python 3.14 its main thread is asked to run a script (PEP 768).  By
 * process_vm_readv(2) and process_vm_writev(2), in the child that asks.
 */
#include "broker/broker_impl.h"

/* Offsets that lie within their structures. */
struct python_table {
	uint64_t interpreters; /* address of a pointer to the first interpreter */
	uint64_t main_thread, enabled; /* in an interpreter: its main thread; whether it may be asked */
	uint64_t interpreter;  /* in a thread: whose it is */
	uint64_t breaker;      /* in a thread: bits of what it is to do */
	uint64_t pending, path; /* in a thread: whether a script is to be run; its path */
	size_t path_size;
};

/* BROKER_DONE: @t is it; else why there is none that can be used. */
struct outcome python_table_find(const struct subject *s, struct python_table *t);

/* 0, or errno. */
int python_read(const struct subject *s, uint64_t at, void *data, size_t len);
int python_write(const struct subject *s, uint64_t at, const void *data, size_t len);

#endif
