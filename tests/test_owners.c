/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who processes belong to, where every CPU is sampled for users: what is asked, and what is believed. */
#include "engine/sampling/sampling_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/queue.h"

enum { PID = 100, USER = 1234, WAIT_MS = 10000 };

/* Its /proc is empty: whoever is asked for cannot be read. */
struct fixture {
	struct engine_config config;
	struct feed feed;
	struct sampling sampling;
	char root[32];
	uint32_t process;
};

static int
setup(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	strcpy(f->root, "/tmp/ptop-owners-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	f->config.uid_count = 1;
	f->feed.targets_only = true;
	f->sampling = (struct sampling){
		.config = &f->config, .feed = &f->feed, .model = model_new(), .answers = queue_new(),
	};
	f->sampling.proc = proc_reader_new(f->root, f->sampling.answers);
	f->process = model_task(f->sampling.model, PID, PID);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	proc_reader_free(f->sampling.proc);
	queue_free(f->sampling.answers);
	model_free(f->sampling.model);
	rmdir(f->root);
	free(f);
	return 0;
}

static void
sample(struct fixture *f)
{
	const struct record rec = {
		.type = PERF_RECORD_SAMPLE,
		.id = { .pid = PID, .tid = PID, .time_ns = clock_mono_ns() },
	};

	owners_sample(&f->sampling, &rec);
}

static void
assert_cannot_be_read(struct fixture *f)
{
	struct msg *m = queue_wait(f->sampling.answers, WAIT_MS);

	assert_non_null(m);
	assert_int_equal(m->type, PROC_MSG_OWNER);
	assert_int_not_equal(((struct proc_owner_msg *)m)->error, 0);
	owners_on_owner(&f->sampling, m);
	msg_free(m);
}

/* A process whose memory is locked can be asked for in vain, as long as it is sampled. */
static void
a_list_tells_the_owner_who_is_asked_for_in_vain(void **state)
{
	struct fixture *f = *state;
	struct model *m = f->sampling.model;
	uint64_t listed_ns = clock_mono_ns();

	sample(f);
	assert_cannot_be_read(f);
	model_learn_owner(m, f->process, USER, listed_ns);
	assert_int_equal(model_task_at(m, f->process)->uid, USER);
}

static void
who_goes_on_running_is_asked_for_once_a_second(void **state)
{
	struct fixture *f = *state;

	sample(f);
	sample(f);
	assert_cannot_be_read(f);
	sample(f);
	assert_null(queue_wait(f->sampling.answers, 100));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_list_tells_the_owner_who_is_asked_for_in_vain, setup,
						teardown),
		cmocka_unit_test_setup_teardown(who_goes_on_running_is_asked_for_once_a_second, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
