/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_KEY_H
#define PTOP_VIEW_KEY_H
/*
 * What samples can be grouped by.  What a key is called, shown and written like is its row in
 * columns[] (view/column.c); what it is of a sample is its row in report_keys[]
 * (profile/report/report_key.c).
 */
#include <stdint.h>

#include "base/util.h"

enum key {
	KEY_EVENT,
	KEY_COMM,
	KEY_PID,
	KEY_TID,
	KEY_DSO,
	KEY_SYMBOL,
	KEY_SRCLINE,
	KEY_ADDRESS,
	KEY_INSTRUCTION,
	KEY_CPU,
	KEY_CGROUP,
	KEY_USER,
	KEY_TIME,
	KEY_DATA_SRC,
	KEY_WEIGHT,
	KEY_ID,
	KEY_STREAM_ID,
	KEY_BRANCH,
	KEY_PATH,
	KEY_BUILD_ID,
	KEY_SOURCE,
	KEY_REASON,
	KEY_REMEDY,
	KEY_STATE,
	KEY_WAITKIND,
	KEY_ON,
	KEY_LOCK,
	KEY_WAKER,
	KEY_LENGTH,
	KEY_NODE,
	KEY_CONTAINER,
	KEY_POD,
	KEY_UNIT,
	KEY_PROGRAM,
	KEY_SYSCALL,
	KEY_FIELD,
	KEY_HOST,
	KEY_COUNT,
};

enum { KEYS_MAX = KEY_COUNT };

/* A set of keys. */
typedef uint64_t key_set;

#define KEY_BIT(key) (UINT64_C(1) << (key))

_Static_assert(KEY_COUNT <= 64, "a set of keys has a bit for each");

/* Those that tell in which control group a thread is. */
#define CGROUP_KEYS (KEY_BIT(KEY_CGROUP) | KEY_BIT(KEY_CONTAINER) | KEY_BIT(KEY_POD) | KEY_BIT(KEY_UNIT))

/* Those, beside numbers of tasks, that all samples of a task under one name have in common. */
#define WHO_KEYS (CGROUP_KEYS | KEY_BIT(KEY_PROGRAM) | KEY_BIT(KEY_COMM) | KEY_BIT(KEY_USER) | \
		  KEY_BIT(KEY_HOST))

/* Those that tell of a function which it is. */
#define FUNCTION_KEYS (KEY_BIT(KEY_DSO) | KEY_BIT(KEY_SYMBOL))

#endif
