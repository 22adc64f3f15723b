/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_KEY_H
#define PTOP_VIEW_KEY_H
/*
 * What samples can be grouped by.  What a key is called, shown and written like is its row in
 * columns[] (view/column.c); what it is of a sample is its row in report_keys[]
 * (profile/report/report_key.c).
 */
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
	KEY_SYSCALL,
	KEY_FIELD,
	KEY_COUNT,
};

enum { KEYS_MAX = KEY_COUNT };

_Static_assert(KEY_COUNT <= 32, "sets of keys are bits of an unsigned");

/* Those that tell of a function which it is, as a mask of 1 << enum key. */
#define FUNCTION_KEYS (1u << KEY_DSO | 1u << KEY_SYMBOL)

#endif
