/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_EVENT_FIXTURE_H
#define PTOP_TESTS_EVENT_FIXTURE_H
/* A machine made of files, and events parsed on it. */
#include "base/buf.h"
#include "event/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_root.h"

/* A root folder with a small tracefs, or none. */
struct fixture {
	char root[FAKE_ROOT_BYTES];
	struct event_env env;
	struct event_list list;
	struct err err;
};

static const char *const tracepoints[] = {
	"sched/sched_switch", "sched/sched_wakeup", "syscalls/sys_enter_openat",
	"block/block_rq_issue", "ftrace/print", "ftrace/function",
};

static inline void
make_file(const struct fixture *f, const char *path, const char *text)
{
	fake_root_write(f->root, path, text);
}

static inline void
make_tracefs(const struct fixture *f, const char *where)
{
	for (size_t i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		char path[256], id[16];

		snprintf(path, sizeof(path), "%s/events/%s/id", where, tracepoints[i]);
		snprintf(id, sizeof(id), "%zu\n", 300 + i);
		make_file(f, path, id);
	}
}

static inline int
setup(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	if (!fake_root_make(f->root))
		return -1;
	f->env.root = f->root;
	*state = f;
	return 0;
}

static inline int
teardown(void **state)
{
	struct fixture *f = *state;
	int res = fake_root_remove(f->root);

	event_list_release(&f->list);
	free(f);
	return res;
}

static inline const struct event *
parse(struct fixture *f, const char *text)
{
	f->err = (struct err){ 0 };
	if (event_parse(&f->env, text, &f->list, &f->err) < 0)
		return NULL;
	return &f->list.items[f->list.len - 1];
}

static inline void
assert_refused(struct fixture *f, const char *text, enum err_code code, const char *says)
{
	assert_null(parse(f, text));
	assert_int_equal(f->err.code, code);
	if (strstr(f->err.text, says) == NULL)
		fail_msg("'%s' does not say '%s'", f->err.text, says);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
