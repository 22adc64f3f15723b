/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_LOOK_RECORD_H
#define PTOP_TESTS_LOOK_RECORD_H
/* Records of looks at threads that wait, read as those of a file are. */
#include "record/layouts.h"
#include "record/look.h"
#include "tests/asserts.h"

static inline struct record_layout
look_layout(void)
{
	struct event_attr attr = { .sample_id_all = 1 };

	record_look_attr(&attr);
	assert_true(record_look_is_attr(&attr));
	return record_layout_of(&attr, false);
}

static inline void
look_decode(struct bytes bytes, struct record *rec)
{
	struct record_layout layout = look_layout();

	assert_int_equal(record_decode(&layout, bytes, rec), 1);
	assert_int_equal(rec->type, PERF_RECORD_SAMPLE);
}

#endif
