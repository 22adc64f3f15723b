/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/asserts.h"

static const char *
who_name(const struct model *m, uint32_t who)
{
	return strs_get(&m->strs, m->whos[who].comm);
}

/* The who of a sample now. */
static uint32_t
sampled(struct model *m, int pid, int tid)
{
	return model_who(m, model_sample_task(m, pid, tid, 0));
}

static void
a_process_has_a_birth_and_a_death(void **state)
{
	struct model *m = model_new();
	uint32_t parent, child;

	(void)state;
	assert_string_equal(who_name(m, sampled(m, 0, 0)), "swapper");
	parent = model_task(m, 10, 10);
	model_learn_comm(m, parent, "bash");
	tell_fork(m, 10, 10, 20, 20, 1000);
	child = model_find_task(m, 20);
	assert_int_not_equal(child, 0);
	assert_int_equal(m->tasks[child].born_ns, 1000);
	assert_int_equal(m->tasks[child].process, child);
	assert_string_equal(who_name(m, sampled(m, 20, 20)), "bash");
	tell_comm(m, 20, 20, "ls", true);
	assert_string_equal(who_name(m, sampled(m, 20, 20)), "ls");
	assert_int_equal(m->tasks[child].execs, 1);
	tell_exit(m, 20, 20, 0, 2000);
	assert_int_equal(m->tasks[child].died_ns, 2000);
	assert_int_equal(m->task_count, 3);
	assert_int_equal(m->live_count, 2);
	assert_int_equal(model_find_task(m, 20), child); /* late samples still find it */
	model_sweep(m, 2000);
	assert_int_equal(model_find_task(m, 20), child);
	model_sweep(m, 2001);
	assert_int_equal(model_find_task(m, 20), 0);
	assert_int_equal(m->task_count, 3); /* its samples keep it */
	model_free(m);
}

/* Its exit is in no record, as of what is sampled no more: /proc has it no longer. */
static void
a_task_can_be_said_to_have_ended(void **state)
{
	struct model *m = model_new();
	uint32_t task = model_task(m, 10, 10);
	size_t living = m->live_count;

	(void)state;
	model_end_task(m, task, 5);
	assert_int_equal(m->tasks[task].died_ns, 5);
	assert_int_equal(m->live_count, living - 1);
	model_sweep(m, 6);
	assert_int_equal(model_find_task(m, 10), 0);
	model_free(m);
}

static void
a_reused_pid_is_a_new_task(void **state)
{
	struct model *m = model_new();
	uint32_t first, second, third;

	(void)state;
	tell_fork(m, 1, 1, 20, 20, 1000);
	first = model_find_task(m, 20);
	tell_comm(m, 20, 20, "one", true);
	sampled(m, 20, 20);
	tell_exit(m, 20, 20, 0, 2000);
	tell_fork(m, 1, 1, 20, 20, 3000);
	second = model_find_task(m, 20);
	assert_int_not_equal(first, second);
	assert_int_not_equal(sampled(m, 20, 20), model_who(m, first));
	/* Its exit was lost: the fork alone tells. */
	tell_fork(m, 1, 1, 20, 20, 4000);
	third = model_find_task(m, 20);
	assert_int_not_equal(second, third);
	assert_int_equal(m->tasks[second].died_ns, 4000);
	/* Its birth was lost: another process has the tid. */
	assert_int_not_equal(model_task(m, 30, 20), third);
	assert_int_not_equal(m->tasks[third].died_ns, 0);
	model_sweep(m, 10000);
	assert_int_equal(m->tasks[model_find_task(m, 20)].pid, 30);
	model_free(m);
}

static void
threads_belong_to_their_process_also_when_its_leader_exits_first(void **state)
{
	struct model *m = model_new();
	uint32_t leader, thread;

	(void)state;
	tell_fork(m, 1, 1, 50, 50, 10);
	tell_comm(m, 50, 50, "server", true);
	tell_map(m, 50, 0x1000, 0x1000, 0, "/bin/server", 11);
	tell_fork(m, 50, 50, 50, 51, 20);
	leader = model_find_task(m, 50);
	thread = model_find_task(m, 51);
	assert_int_equal(m->tasks[thread].process, leader);
	assert_ptr_equal(model_space(m, thread), model_space(m, leader));
	tell_exit(m, 50, 50, 0, 30);
	model_sweep(m, 100);
	assert_int_equal(model_find_task(m, 50), leader);
	assert_true(m->tasks[leader].is_used);
	assert_non_null(space_find(model_space(m, thread), 0x1800));
	tell_exit(m, 50, 51, 0, 200);
	assert_non_null(space_find(model_space(m, thread), 0x1800)); /* late samples */
	model_sweep(m, 300);
	assert_int_equal(model_find_task(m, 50), 0);
	assert_int_equal(model_find_task(m, 51), 0);
	assert_int_equal(m->task_count, 2); /* swapper, pid 1 */
	model_free(m);
}

static void
a_dead_process_lets_go_of_pid_and_maps_while_samples_of_its_threads_live_on(void **state)
{
	struct model *m = model_new();
	uint32_t leader, thread, who;

	(void)state;
	tell_fork(m, 1, 1, 50, 50, 10);
	tell_fork(m, 50, 50, 50, 51, 20);
	leader = model_find_task(m, 50);
	thread = model_find_task(m, 51);
	who = sampled(m, 50, 51);
	assert_int_equal(model_space(m, thread)->refs, 2); /* its parent's */
	tell_exit(m, 50, 51, 0, 30);
	tell_exit(m, 50, 50, 0, 31);
	model_sweep(m, 100);
	assert_int_equal(model_find_task(m, 50), 0);
	assert_null(m->tasks[leader].space);
	assert_true(m->tasks[leader].is_used); /* the thread's rows still name it */
	assert_true(model_who_is_dead(m, who));
	model_forget_who(m, who);
	assert_false(m->tasks[thread].is_used);
	assert_false(m->tasks[leader].is_used);
	assert_int_equal(m->task_count, 2);
	model_free(m);
}

/* Late samples still find it, and its old number may be another's by then. */
static void
whose_who_was_forgotten_gets_a_new_one(void **state)
{
	struct model *m = model_new();
	uint32_t leader, who, other, late;

	(void)state;
	tell_fork(m, 1, 1, 50, 50, 10);
	tell_fork(m, 50, 50, 50, 51, 20);
	leader = model_find_task(m, 50);
	who = sampled(m, 50, 50);
	tell_exit(m, 50, 50, 0, 30);
	tell_exit(m, 50, 51, 0, 90);
	model_sweep(m, 60); /* its thread is still to be swept */
	assert_true(model_who_is_dead(m, who));
	model_forget_who(m, who);
	tell_fork(m, 1, 1, 60, 60, 100);
	other = sampled(m, 60, 60);
	late = sampled(m, 50, 50);
	assert_int_not_equal(late, other);
	assert_true(m->whos[late].is_used);
	assert_int_equal(m->whos[late].task, leader);
	model_free(m);
}

static void
samples_keep_the_names_of_their_time(void **state)
{
	struct model *m = model_new();
	uint32_t unnamed, renamed, task;

	(void)state;
	unnamed = sampled(m, 7, 7);
	assert_string_equal(who_name(m, unnamed), "");
	task = model_find_task(m, 7);
	assert_int_equal(m->tasks[task].named_ns, 0);
	model_learn_comm(m, task, "httpd");
	assert_string_equal(who_name(m, unnamed), "httpd"); /* it was that all the time */
	assert_int_equal(sampled(m, 7, 7), unnamed);
	tell_comm(m, 7, 7, "worker", false);
	assert_int_equal(m->tasks[task].named_ns, 1); /* of before then another name is told */
	assert_true(m->tasks[task].comm_asked);       /* and none from /proc is wanted any more */
	renamed = sampled(m, 7, 7);
	assert_int_not_equal(renamed, unnamed);
	assert_string_equal(who_name(m, unnamed), "httpd");
	assert_string_equal(who_name(m, renamed), "worker");
	model_learn_comm(m, task, "stale"); /* an answer that comes too late */
	assert_string_equal(who_name(m, sampled(m, 7, 7)), "worker");
	tell_comm(m, 7, 7, "httpd", false);
	assert_int_equal(sampled(m, 7, 7), unnamed);
	assert_int_equal(m->tasks[task].whos, 2);
	model_free(m);
}

static void
a_forked_process_shares_its_parents_maps_until_one_changes_them(void **state)
{
	struct model *m = model_new();
	struct space *parent, *child;

	(void)state;
	tell_fork(m, 1, 1, 10, 10, 1);
	tell_comm(m, 10, 10, "bash", true);
	tell_map(m, 10, 0x1000, 0x1000, 0, "/bin/bash", 2);
	tell_fork(m, 10, 10, 20, 20, 3);
	parent = model_space(m, model_find_task(m, 10));
	child = model_space(m, model_find_task(m, 20));
	assert_ptr_equal(parent, child);
	assert_int_equal(parent->refs, 2);
	tell_map(m, 20, 0x1000, 0x1000, 0, "/bin/bash", 4); /* nothing new: still shared */
	assert_ptr_equal(model_space(m, model_find_task(m, 20)), parent);
	tell_map(m, 20, 0x5000, 0x1000, 0, "/lib/plugin.so", 5);
	child = model_space(m, model_find_task(m, 20));
	assert_ptr_not_equal(child, parent);
	assert_int_not_equal(child->id, parent->id);
	assert_int_equal(child->state, SPACE_KNOWN);
	assert_non_null(space_find(child, 0x5000));
	assert_non_null(space_find(child, 0x1000));
	assert_null(space_find(parent, 0x5000));
	assert_int_equal(parent->refs, 1);
	tell_fork(m, 20, 20, 30, 30, 6);
	tell_comm(m, 30, 30, "cat", true);
	assert_int_equal(model_space(m, model_find_task(m, 30))->len, 0);
	/* A new one is no other's, however those were made: caches know them by it. */
	assert_int_not_equal(model_space(m, model_find_task(m, 30))->id, parent->id);
	assert_int_not_equal(model_space(m, model_find_task(m, 30))->id, child->id);
	assert_int_equal(child->refs, 1);
	model_free(m);
}

static void
an_exec_makes_a_space_that_is_known_whole(void **state)
{
	struct model *m = model_new();
	uint32_t task = model_task(m, 9, 9);

	(void)state;
	assert_int_equal(model_space(m, task)->state, SPACE_UNREAD);
	tell_comm(m, 9, 9, "renamed", false);
	assert_int_equal(model_space(m, task)->state, SPACE_UNREAD);
	tell_comm(m, 9, 9, "exec'd", true);
	assert_int_equal(model_space(m, task)->state, SPACE_KNOWN);
	model_doubt_all(m);
	assert_int_equal(model_space(m, task)->state, SPACE_DOUBTFUL);
	model_free(m);
}

static void
a_thread_that_execs_becomes_the_process(void **state)
{
	struct model *m = model_new();
	uint32_t leader;

	(void)state;
	tell_fork(m, 1, 1, 60, 60, 10);
	tell_comm(m, 60, 60, "init", true);
	for (int tid = 61; tid < 64; tid++)
		tell_fork(m, 60, 60, 60, tid, 11);
	leader = model_find_task(m, 60);
	/* 62 calls exec: the others exit, itself goes on as 60. */
	tell_exit(m, 60, 61, 0, 20);
	tell_exit(m, 60, 63, 0, 20);
	tell_exit(m, 60, 60, 0, 20);
	tell_comm(m, 60, 60, "server", true);
	assert_int_equal(model_find_task(m, 60), leader);
	assert_int_equal(m->tasks[leader].died_ns, 0);
	assert_int_not_equal(m->tasks[model_find_task(m, 62)].died_ns, 0);
	assert_int_equal(m->tasks[leader].living, 0);
	assert_int_equal(m->live_count, 3); /* swapper, 1, 60 */
	model_sweep(m, 1000);
	assert_int_equal(model_find_task(m, 60), leader);
	assert_int_equal(model_find_task(m, 62), 0);
	assert_int_equal(m->task_count, 3);
	tell_exit(m, 60, 60, 0, 2000);
	model_sweep(m, 3000);
	assert_int_equal(m->task_count, 2);
	model_free(m);
}

static void
a_jit_that_flips_protections_changes_nothing(void **state)
{
	struct model *m = model_new();
	struct space *s;
	uint32_t generation;

	(void)state;
	tell_comm(m, 9, 9, "node", true);
	tell_map(m, 9, 0x10000, 0x10000, 0x10000, "//anon", 1);
	s = model_space(m, model_find_task(m, 9));
	generation = s->generation;
	for (int i = 0; i < 100; i++) {
		tell_map(m, 9, 0x10000, 0x10000, 0x10000, "//anon", 2);
		tell_map(m, 9, 0x14000, 0x2000, 0x14000, "//anon", 3); /* a part of it */
	}
	assert_int_equal(s->generation, generation);
	assert_int_equal(s->len, 1);
	tell_map(m, 9, 0x14000, 0x2000, 0, "/lib/x.so", 4);
	assert_int_equal(s->generation, generation + 1);
	assert_int_equal(s->len, 3);
	assert_int_equal(s->changed_ns, 4);
	model_free(m);
}

static void
maps_that_hold_no_code_and_those_of_the_kernel_are_left_out(void **state)
{
	struct record_mmap map = { .pid = 9, .tid = 9, .start = 0x1000, .len = 0x1000, .prot = 3,
				   .name = "/data" };
	struct record_id id = { .time_ns = 1 };
	struct model *m = model_new();
	struct maker k;

	(void)state;
	tell(m, make_mmap2(&k, &map, &id));
	map.prot = 5;
	map.len = UINT64_MAX;
	tell(m, make_mmap2(&k, &map, &id));
	map.len = 0x1000;
	map.pid = UINT32_MAX;
	tell(m, make_mmap2(&k, &map, &id));
	assert_int_equal(model_space(m, model_task(m, 9, 9))->len, 0);
	assert_int_equal(model_find_task(m, -1), 0);
	model_free(m);
}

static void
tasks_outside_of_the_pid_namespace_leave_the_idle_task_alone(void **state)
{
	struct model *m = model_new();
	uint32_t idle = model_find_task(m, 0);

	(void)state;
	tell_comm(m, 0, 0, "outside", true);
	tell_map(m, 0, 0x1000, 0x1000, 0, "/bin/outside", 1);
	tell_fork(m, 0, 0, 0, 0, 5);
	tell_exit(m, 0, 0, 0, 6);
	assert_int_equal(model_find_task(m, 0), idle);
	assert_int_equal(m->tasks[idle].died_ns, 0);
	assert_string_equal(who_name(m, sampled(m, 0, 0)), "swapper");
	assert_int_equal(model_space(m, idle)->len, 0);
	/* One that comes in from outside has a name and maps of its own. */
	tell_fork(m, 0, 0, 70, 70, 7);
	assert_string_equal(who_name(m, sampled(m, 70, 70)), "");
	assert_ptr_not_equal(model_space(m, model_find_task(m, 70)), model_space(m, idle));
	model_free(m);
}

static void
late_samples_without_a_tid_belong_to_the_last_exit_on_their_cpu(void **state)
{
	struct model *m = model_new();
	uint32_t a, b, nobody;

	(void)state;
	tell_fork(m, 1, 1, 20, 20, 1);
	tell_fork(m, 1, 1, 21, 21, 1);
	a = model_find_task(m, 20);
	b = model_find_task(m, 21);
	tell_exit(m, 20, 20, 0, 10);
	tell_exit(m, 21, 21, 40, 10);
	assert_int_equal(model_sample_task(m, -1, -1, 0), a);
	assert_int_equal(model_sample_task(m, -1, -1, 40), b);
	/* On a CPU where nobody died, and where one died whose id is another's by now. */
	nobody = model_sample_task(m, -1, -1, 3);
	assert_int_equal(nobody, model_find_task(m, -1));
	model_sweep(m, 100);
	assert_false(m->tasks[a].is_used);
	tell_fork(m, 1, 1, 30, 30, 200);
	tell_fork(m, 1, 1, 31, 31, 200);
	assert_true(m->tasks[a].is_used);
	assert_int_equal(model_sample_task(m, -1, -1, 0), nobody);
	assert_int_equal(model_sample_task(m, -1, -1, UINT32_MAX), nobody);
	/* One that was never seen before dies: what comes late is its own. */
	tell_exit(m, 90, 90, 0, 300);
	assert_int_equal(model_sample_task(m, -1, -1, 0), model_find_task(m, 90));
	model_free(m);
}

static void
children_of_targets_are_targets_when_they_inherit(void **state)
{
	struct model *m = model_new();

	(void)state;
	model_set_target(m, model_task(m, 10, 10), 1, false);
	tell_fork(m, 10, 10, 20, 20, 1);
	tell_fork(m, 20, 20, 20, 21, 1);
	assert_true(m->tasks[model_find_task(m, 20)].is_target);
	assert_true(m->tasks[model_find_task(m, 21)].is_target);
	/* So are those of a thread that nothing told of before. */
	tell_fork(m, 10, 12, 40, 40, 1);
	assert_true(m->tasks[model_find_task(m, 40)].is_target);
	model_set_target(m, model_task(m, 10, 10), 1, true);
	tell_fork(m, 10, 10, 30, 30, 1);
	tell_fork(m, 10, 10, 10, 11, 1);
	assert_false(m->tasks[model_find_task(m, 30)].is_target);
	assert_true(m->tasks[model_find_task(m, 11)].is_target);
	model_free(m);
}

/* Also the first one of a process, whose tid is the pid. */
static void
a_thread_can_be_a_target_alone(void **state)
{
	struct model *m = model_new();
	uint32_t leader = model_task(m, 10, 10), other = model_task(m, 10, 11);

	(void)state;
	model_set_thread_target(m, leader, 1);
	tell_fork(m, 10, 10, 10, 12, 1);
	tell_fork(m, 10, 10, 20, 20, 1);
	assert_true(model_is_target(m, &m->tasks[leader]));
	assert_false(model_is_target(m, &m->tasks[other]));
	assert_false(model_is_target(m, &m->tasks[model_find_task(m, 12)]));
	assert_false(model_is_target(m, &m->tasks[model_task(m, 10, 13)]));
	assert_false(model_is_target(m, &m->tasks[model_find_task(m, 20)]));
	/* Attached as a process all of it is one, and stays it when a thread is named as well. */
	model_set_target(m, leader, 2, false);
	assert_true(model_is_target(m, &m->tasks[other]));
	assert_true(model_is_target(m, &m->tasks[model_task(m, 10, 14)]));
	model_set_thread_target(m, leader, 3);
	model_set_thread_target(m, other, 4);
	tell_fork(m, 10, 11, 10, 15, 2);
	tell_fork(m, 10, 11, 30, 30, 2);
	assert_true(model_is_target(m, &m->tasks[model_find_task(m, 12)]));
	assert_true(model_is_target(m, &m->tasks[model_find_task(m, 15)]));
	assert_true(model_is_target(m, &m->tasks[model_find_task(m, 30)]));
	model_clear_target(m, 2);
	assert_false(model_is_target(m, &m->tasks[leader]));
	model_free(m);
}

static void
what_came_with_a_target_goes_with_it(void **state)
{
	struct model *m = model_new();
	uint32_t first = model_task(m, 10, 10), second = model_task(m, 40, 40);

	(void)state;
	model_set_target(m, first, 1, false);
	model_set_target(m, second, 2, false);
	tell_fork(m, 10, 10, 10, 11, 1);
	tell_fork(m, 10, 11, 20, 20, 1);
	tell_exit(m, 10, 11, 0, 2);
	tell_exit(m, 10, 10, 0, 2);
	assert_true(model_has_target(m, 1));
	model_clear_target(m, 1);
	assert_false(model_has_target(m, 1));
	assert_false(m->tasks[model_find_task(m, 20)].is_target);
	assert_true(m->tasks[model_find_task(m, 20)].was_detached);
	assert_true(m->tasks[second].is_target);
	tell_fork(m, 20, 20, 30, 30, 3);
	assert_false(m->tasks[model_find_task(m, 30)].is_target);
	model_free(m);
}

static void
a_doubtful_task_is_called_what_proc_says_next(void **state)
{
	struct model *m = model_new();
	uint32_t task, before;

	(void)state;
	tell_comm(m, 10, 10, "sh", true);
	task = model_find_task(m, 10);
	before = model_who(m, task);
	model_learn_comm(m, task, "other");
	assert_string_equal(strs_get(&m->strs, m->tasks[task].comm), "sh");
	model_doubt_task(m, task);
	assert_int_equal(m->tasks[task].space->state, SPACE_DOUBTFUL);
	model_learn_comm(m, task, "nginx");
	assert_string_equal(strs_get(&m->strs, m->tasks[task].comm), "nginx");
	/* What was counted before keeps its name, and a record's is trusted again. */
	assert_string_equal(strs_get(&m->strs, m->whos[before].comm), "sh");
	assert_int_not_equal(model_who(m, task), before);
	model_learn_comm(m, task, "other");
	assert_string_equal(strs_get(&m->strs, m->tasks[task].comm), "nginx");
	model_free(m);
}

static void
tell_ksymbol(struct model *m, uint64_t addr, uint32_t len, uint16_t flags, const char *name)
{
	model_record(m, &(struct record){ .type = REC_KSYMBOL, .ksymbol = {
		.addr = addr, .len = len, .kind = 1, .flags = flags, .name = name } });
}

static void
assert_ksymbol(const struct model *m, uint64_t addr, const char *name)
{
	const struct ksymbol *k = ksymbols_find(&m->ksymbols, addr);

	assert_string_equal(k != NULL ? strs_get(&m->strs, k->name) : "-", name);
}

static bool
has_gone(const struct model *m, uint64_t addr)
{
	const struct ksymbol *k = ksymbols_at(&m->ksymbols, addr);

	return k != NULL && k->name == 0;
}

static void
kernel_code_that_comes_and_goes_has_its_name_meanwhile(void **state)
{
	struct model *m = model_new();

	(void)state;
	tell_ksymbol(m, 0x3000, 0x100, 0, "c");
	tell_ksymbol(m, 0x1000, 0x100, 0, "a");
	tell_ksymbol(m, 0x2000, 0x100, 0, "b");
	assert_ksymbol(m, 0x10ff, "a");
	assert_ksymbol(m, 0x1100, "-");
	assert_ksymbol(m, 0xfff, "-");
	/* The end of two was not told: of them, nothing is left. */
	tell_ksymbol(m, 0x10f0, 0xf20, 0, "d");
	assert_ksymbol(m, 0x1000, "-");
	assert_true(has_gone(m, 0x1000));
	assert_ksymbol(m, 0x10f0, "d");
	assert_ksymbol(m, 0x200f, "d");
	assert_true(has_gone(m, 0x20ff));
	assert_null(ksymbols_at(&m->ksymbols, 0x2100));
	/* The news that something went may come after what took its place. */
	tell_ksymbol(m, 0x2ff0, 0x100, 1, "before c");
	tell_ksymbol(m, 0x3000, 0x100, 1, "also before");
	assert_ksymbol(m, 0x3000, "c");
	tell_ksymbol(m, 0x3000, 0x100, 1, "c");
	assert_ksymbol(m, 0x3000, "-");
	assert_true(has_gone(m, 0x30ff));
	tell_ksymbol(m, UINT64_MAX - 1, 0x100, 0, "no end");
	assert_null(ksymbols_at(&m->ksymbols, UINT64_MAX - 1));
	model_free(m);
}

static void
what_has_gone_is_forgotten_when_a_newer_list_was_read(void **state)
{
	struct model *m = model_new();
	uint32_t read_at;

	(void)state;
	tell_ksymbol(m, 0x1000, 0x100, 1, "never seen");
	tell_ksymbol(m, 0x2000, 0x100, 0, "stays");
	read_at = m->kernel_generation;
	tell_ksymbol(m, 0x3000, 0x100, 1, "went meanwhile");
	ksymbols_forget_gone(&m->ksymbols, read_at);
	assert_null(ksymbols_at(&m->ksymbols, 0x1000));
	assert_ksymbol(m, 0x2000, "stays");
	assert_true(has_gone(m, 0x3000));
	model_free(m);
}

static void
a_flood_of_kernel_code_is_bounded(void **state)
{
	struct model *m = model_new();

	(void)state;
	for (uint64_t i = 0; i < 1 << 17; i++)
		tell_ksymbol(m, (1 << 20) + i * 0x100, 0x10, 1, "x");
	assert_that(m->ksymbols.len, <=, 1 << 16);
	/* What is there matters more than what has gone. */
	tell_ksymbol(m, 0x1000, 0x100, 0, "a");
	assert_ksymbol(m, 0x1000, "a");
	model_free(m);
}

static void
programs_are_known_by_their_number(void **state)
{
	static const uint8_t tag[8] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	static const char name[] = "bpf_prog_0123456789abcdef_spin";
	struct record loaded = { .type = REC_BPF_EVENT,
				 .bpf_event = { .type = 1, .id = 17, .tag = tag } };
	struct model *m = model_new();

	(void)state;
	tell_ksymbol(m, 0x1000, 0x100, 0, name);
	tell_ksymbol(m, 0x2000, 0x100, 0, "bpf_prog_1123456789abcdef_spin");
	model_record(m, &loaded);
	/* Another one of the same code. */
	tell_ksymbol(m, 0x3000, 0x100, 0, name);
	loaded.bpf_event.id = 18;
	model_record(m, &loaded);
	loaded.bpf_event.type = 2;
	loaded.bpf_event.id = 99;
	tell_ksymbol(m, 0x4000, 0x100, 0, name);
	model_record(m, &loaded);
	assert_int_equal(ksymbols_find(&m->ksymbols, 0x1000)->bpf_id, 17);
	assert_int_equal(ksymbols_find(&m->ksymbols, 0x2000)->bpf_id, 0);
	assert_int_equal(ksymbols_find(&m->ksymbols, 0x3000)->bpf_id, 18);
	assert_int_equal(ksymbols_find(&m->ksymbols, 0x4000)->bpf_id, 0);
	model_free(m);
}

static void
one_who_stands_for_all_that_ended_with_a_name(void **state)
{
	struct model *m = model_new();
	uint32_t ls = strs_add_str(&m->strs, "ls"), cat = strs_add_str(&m->strs, "cat");
	uint32_t who = model_ended_who(m, 0, ls, 0);

	(void)state;
	assert_int_not_equal(who, model_ended_who(m, 0, cat, 0));
	assert_int_equal(who, model_ended_who(m, 0, ls, 0));
	assert_string_equal(who_name(m, who), "ls");
	assert_false(model_who_is_dead(m, who)); /* never merged again */
	assert_int_equal(m->live_count, 1);
	model_sweep(m, UINT64_MAX);
	assert_int_equal(who, model_ended_who(m, 0, ls, 0));
	model_free(m);
}

static void
dsos_are_told_apart_by_what_the_records_say(void **state)
{
	struct model *m = model_new();
	struct dsos *d = &m->dsos;
	uint32_t libc = dsos_file(d, "/lib/libc.so.6", 8, 1, 42, 7);
	uint32_t gone = dsos_file(d, "/tmp/a.out (deleted)", 8, 1, 43, 0), again;
	uint32_t kernel = dsos_file(d, "/tmp/[kernel] (deleted)", 8, 1, 44, 0);

	(void)state;
	/* A file may have the name of what is none: it is not added to that. */
	assert_string_equal(strs_get(&m->strs, dsos_get(d, kernel)->name), "/tmp/[kernel]");
	assert_int_equal(dsos_file(d, "/lib/libc.so.6", 8, 1, 42, 0), libc);
	assert_int_not_equal(dsos_file(d, "/lib/libc.so.6", 8, 1, 44, 0), libc);
	/* An inode's number is given again: the generation tells. */
	again = dsos_file(d, "/lib/libc.so.6", 8, 1, 42, 8);
	assert_int_not_equal(again, libc);
	assert_int_equal(dsos_file(d, "/lib/libc.so.6", 8, 1, 42, 7), libc);
	assert_int_equal(dsos_file(d, "/lib/libc.so.6", 8, 1, 42, 0), again);
	/* It is learned of the first record that has it, or of the file. */
	assert_int_equal(dsos_file(d, "/tmp/a.out (deleted)", 8, 1, 43, 5), gone);
	assert_int_not_equal(dsos_file(d, "/tmp/a.out (deleted)", 8, 1, 43, 6), gone);
	again = dsos_file(d, "/bin/sh", 8, 1, 50, 0);
	dsos_learn_generation(d, again, 3);
	dsos_learn_generation(d, again, 4);
	assert_int_equal(dsos_file(d, "/bin/sh", 8, 1, 50, 3), again);
	assert_int_not_equal(dsos_file(d, "/bin/sh", 8, 1, 50, 4), again);
	assert_int_not_equal(dsos_file(d, "/lib/libc.so.6", 8, 2, 42, 0), libc);
	assert_string_equal(strs_get(&m->strs, dsos_get(d, libc)->name), "libc.so.6");
	assert_string_equal(strs_get(&m->strs, dsos_get(d, gone)->name), "a.out");
	assert_int_equal(dsos_file(d, "[vdso]", 0, 0, 0, 0), DSO_ID_VDSO);
	if (sizeof(void *) == 8) {
		assert_int_equal(dsos_at(DSO_ID_VDSO, 0x7ffc00000000), DSO_ID_VDSO);
		assert_int_equal(dsos_at(DSO_ID_VDSO, 0xf7fc0000), DSO_ID_VDSO32);
		assert_int_equal(dsos_at(DSO_ID_ANON, 0xf7fc0000), DSO_ID_ANON);
	}
	assert_int_equal(dsos_file(d, "[uprobes]", 0, 0, 0, 0), DSO_ID_UPROBES);
	assert_int_equal(dsos_file(d, "[uprobes-trampoline]", 0, 0, 0, 0), DSO_ID_UPROBES);
	assert_int_equal(dsos_file(d, "//anon", 0, 0, 0, 0), DSO_ID_ANON);
	assert_int_equal(dsos_file(d, "", 0, 0, 0, 0), DSO_ID_ANON);
	assert_int_equal(dsos_file(d, "[anon:v8]", 0, 0, 0, 0), DSO_ID_ANON);
	assert_int_equal(dsos_module(d, "ext4"), dsos_module(d, "ext4"));
	assert_string_equal(
		strs_get(&m->strs, dsos_get(d, dsos_module(d, "ext4"))->name), "[ext4]");
	model_free(m);
}

/* A map of a file with such a name says that there is a jitdump: others are programs. */
static void
jitdumps_are_known_by_their_names(void **state)
{
	static const struct {
		const char *path;
		enum dso_kind kind;
	} files[] = {
		{ "/tmp/jit-12.dump", DSO_JITDUMP }, { "/tmp/jit-7.dump (deleted)", DSO_JITDUMP },
		{ "/tmp/jit-.dump", DSO_FILE },      { "/tmp/jit-12.dumped", DSO_FILE },
		{ "/tmp/jot-12.dump", DSO_FILE },    { "/tmp/jit-1a.dump", DSO_FILE },
		{ "/tmp/jit.12.dump", DSO_FILE },    { "/lib/a", DSO_FILE },
	};
	struct model *m = model_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		uint32_t id = dsos_file(&m->dsos, files[i].path, 8, 1, 100 + i, 0);

		if (dsos_get(&m->dsos, id)->kind != files[i].kind)
			fail_msg("%s", files[i].path);
	}
	model_free(m);
}

/* The reference for a space: a byte each for the dso of 64 pages. */
enum { PAGES = 64 };

static void
random_maps_cut_each_other_like_pages_do(void **state)
{
	struct space *s = space_new(1, SPACE_KNOWN, NULL);
	uint32_t dsos[PAGES] = { 0 };
	uint64_t offsets[PAGES] = { 0 };

	(void)state;
	srand(4);
	for (int step = 0; step < 3000; step++) {
		uint64_t a = (uint64_t)rand() % PAGES, b = a + 1 + (uint64_t)rand() % (PAGES - a);
		struct map map = { a << 12, b << 12, (uint64_t)(rand() % 9) << 12,
				   1 + (uint32_t)rand() % 5 };

		space_add(s, &map);
		assert_false(space_would_change(s, &map));
		for (uint64_t p = a; p < b; p++) {
			dsos[p] = map.dso;
			offsets[p] = ((p - a) << 12) + map.pgoff;
		}
		for (uint64_t p = 0; p < PAGES; p++) {
			const struct map *found = space_find(s, (p << 12) + 100);

			assert_int_equal(found != NULL ? found->dso : 0, dsos[p]);
			if (found != NULL)
				assert_int_equal(
					(p << 12) - found->start + found->pgoff, offsets[p]);
		}
		for (size_t i = 1; i < s->len; i++)
			assert_that(s->maps[i - 1].end, <=, s->maps[i].start);
	}
	space_add(s, &(struct map){ 0x5000, 0x5000, 0, 9 });
	assert_int_not_equal(space_find(s, 0x5000)->dso, 9);
	space_clear(s);
	assert_null(space_find(s, 0x5000));
	space_put(s);
	space_put(NULL);
}

/* A program of very many maps, far from each other. */
enum { MANY = 30000, STEP = 0x10000 };

static struct space *
make_large(struct model *m, int pid)
{
	struct space *s;

	tell_fork(m, 1, 1, pid, pid, 1);
	tell_comm(m, pid, pid, "prog", true);
	for (uint64_t i = 0; i < MANY; i++)
		tell_map(m, pid, STEP + i * STEP, 0x3000, 0, "/bin/prog", 1);
	s = model_space(m, model_find_task(m, pid));
	assert_int_equal(s->len, MANY);
	return s;
}

/* Each change of one with very many moves them: any program can have that done without end. */
static void
of_very_many_maps_only_so_many_are_moved_in_a_second(void **state)
{
	struct model *m = model_new();
	struct space *s = make_large(m, 30);
	size_t len;

	(void)state;
	assert_int_equal(s->state, SPACE_KNOWN);
	/* In the place of one nothing is moved. */
	for (uint64_t i = 0; i < 1000; i++)
		tell_map(m, 30, STEP, 0x3000, (i + 1) * 0x1000, "/bin/prog", 2 * NSEC_PER_SEC);
	assert_int_equal(s->state, SPACE_KNOWN);
	assert_int_equal(s->len, MANY);
	for (uint64_t i = 0; i < 1000; i++)
		tell_map(m, 30, STEP + i * STEP + 0x1000, 0x1000, 0, "/lib/in.so", 2 * NSEC_PER_SEC);
	len = s->len;
	assert_in_range(len, MANY + 20, MANY + 200);
	assert_int_equal(s->state, SPACE_DOUBTFUL);
	/* Others, that are not large, change as before. */
	tell_fork(m, 1, 1, 40, 40, 2 * NSEC_PER_SEC);
	tell_comm(m, 40, 40, "sh", true);
	tell_map(m, 40, STEP, 0x3000, 0, "/bin/sh", 2 * NSEC_PER_SEC);
	assert_int_equal(model_space(m, model_find_task(m, 40))->len, 1);
	tell_map(m, 30, STEP + 999 * STEP + 0x1000, 0x1000, 0, "/lib/in.so", 3 * NSEC_PER_SEC);
	assert_int_equal(s->len, len + 2);
	model_free(m);
}

/* Each child of such a program that changes its maps has a copy of all of them. */
static void
of_very_many_maps_there_are_only_so_many_copies(void **state)
{
	enum { CHILDREN = 400 };
	struct model *m = model_new();
	const struct space *first = make_large(m, 30);
	struct space *s, *own;

	(void)state;
	assert_int_equal(m->maps.held, MANY);
	for (int i = 0; i < CHILDREN; i++) {
		const uint64_t now_ns = (uint64_t)(2 + i) * NSEC_PER_SEC;

		tell_fork(m, 30, 30, 1000 + i, 1000 + i, now_ns);
		tell_map(m, 1000 + i, STEP, 0x3000, 0x5000, "/bin/prog", now_ns);
	}
	assert_in_range(m->maps.held, 20 * MANY, 1 << 21);
	assert_ptr_not_equal(model_space(m, model_find_task(m, 1000)), first);
	/* What one of these then changes is of all that share it, and to be read again. */
	s = model_space(m, model_find_task(m, 1000 + CHILDREN - 1));
	assert_ptr_equal(s, first);
	assert_int_equal(s->state, SPACE_DOUBTFUL);
	assert_int_equal(space_find(s, STEP)->pgoff, 0x5000);
	/* Nor is more read than there is room for; a few maps always are. */
	own = model_space(m, model_find_task(m, 1000));
	model_learn_maps(m, own, s->maps, s->len);
	assert_int_equal(own->state, SPACE_LOST);
	model_learn_maps(m, own, s->maps, 1);
	assert_int_equal(own->state, SPACE_KNOWN);
	assert_int_equal(own->len, 1);
	for (int i = 0; i < CHILDREN; i++)
		tell_exit(m, 1000 + i, 1000 + i, 0, 500 * NSEC_PER_SEC);
	model_sweep(m, 501 * NSEC_PER_SEC);
	assert_int_equal(m->maps.held, MANY);
	model_free(m);
}

enum { TIDS = 40, COUNTS = 4096 };

static void
check_counts(const struct model *m, const uint64_t *counts, uint64_t total)
{
	size_t used = 0, living = 0;
	uint64_t sum = 0;

	for (uint32_t w = 1; w < m->who_len; w++) {
		if (!m->whos[w].is_used) {
			assert_int_equal(counts[w], 0);
			continue;
		}
		assert_true(m->tasks[m->whos[w].task].is_used);
		sum += counts[w];
	}
	assert_int_equal(sum, total);
	for (uint32_t t = 1; t < m->task_len; t++) {
		unsigned whos = 0, threads = 0, alive = 0;

		if (!m->tasks[t].is_used)
			continue;
		used++;
		living += m->tasks[t].died_ns == 0;
		assert_true(m->tasks[m->tasks[t].process].is_used);
		for (uint32_t w = 1; w < m->who_len; w++)
			whos += m->whos[w].is_used && m->whos[w].task == t;
		for (uint32_t o = 1; o < m->task_len; o++) {
			bool mine = m->tasks[o].is_used && o != t && m->tasks[o].process == t;

			threads += mine;
			alive += mine && m->tasks[o].died_ns == 0;
		}
		assert_int_equal(m->tasks[t].whos, whos);
		assert_int_equal(m->tasks[t].members, threads);
		assert_int_equal(m->tasks[t].living, alive);
	}
	assert_int_equal(m->task_count, used);
	assert_int_equal(m->live_count, living);
}

/* Moves the counts of all dead to those who stand for them. */
static void
forget_dead(struct model *m, uint64_t *counts)
{
	size_t len = m->who_len;

	for (uint32_t w = 1; w < len; w++) {
		uint32_t to;

		if (!m->whos[w].is_used || !model_who_is_dead(m, w))
			continue;
		to = model_ended_who(m, 0, m->whos[w].comm, 0);
		counts[to] += counts[w];
		counts[w] = 0;
		model_forget_who(m, w);
	}
}

static void
no_sample_is_lost_over_random_lives(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	struct model *m = model_new();
	uint64_t *counts = mem_calloc(COUNTS, sizeof(*counts)), total = 0;

	(void)state;
	srand(5);
	for (uint64_t now = 1; now < 30000; now++) {
		int pid = 100 + rand() % TIDS / 4 * 4, tid = pid + rand() % 4;
		int other = 100 + rand() % TIDS / 4 * 4;

		switch (rand() % 12) {
		case 0:
			if (other != pid)
				tell_fork(m, other, other, pid, pid, now);
			break;
		case 1:
			if (tid != pid)
				tell_fork(m, pid, pid, pid, tid, now);
			break;
		case 2:
		case 3:
			tell_exit(m, pid, tid, (uint32_t)rand() % 4, now);
			break;
		case 4:
			tell_comm(m, pid, tid, names[rand() % 4], false);
			break;
		case 5:
			tell_comm(m, pid, pid, names[rand() % 4], rand() % 2);
			break;
		case 6:
			tell_map(m, pid, (uint64_t)rand() % 16 << 12, 0x2000, 0, "/bin/x", now);
			break;
		case 7:
			model_sweep(m, now - MIN(now, 50));
			break;
		case 8:
			if (rand() % 20 == 0)
				forget_dead(m, counts);
			break;
		default:
			tid = rand() % 8 ? tid : -1;
			counts[sampled(m, tid < 0 ? -1 : pid, tid)]++;
			total++;
			break;
		}
		assert_that(m->who_len, <, COUNTS);
		if (now % 500 == 0)
			check_counts(m, counts, total);
	}
	for (int tid = 100; tid < 100 + TIDS; tid++)
		if (model_find_task(m, tid) != 0)
			tell_exit(m, m->tasks[model_find_task(m, tid)].pid, tid, 0, 40000);
	model_sweep(m, UINT64_MAX);
	forget_dead(m, counts);
	check_counts(m, counts, total);
	assert_in_range(m->task_count, 1, 3); /* the idle task, the ended, the nameless */
	free(counts);
	model_free(m);
}

/* A recording's tasks are called as in perf: by number until a record names them, also in the past. */
static void
tasks_of_a_recording_have_a_number_until_they_are_named(void **state)
{
	struct model *m = model_new();
	uint32_t who;

	(void)state;
	model_set_from_file(m);
	who = sampled(m, 20, 21);
	assert_string_equal(who_name(m, who), ":21");
	assert_int_equal(model_space(m, model_find_task(m, 21))->state, SPACE_KNOWN);
	tell_fork(m, 20, 21, 30, 30, 1);
	assert_string_equal(who_name(m, sampled(m, 30, 30)), ":30");
	tell_comm(m, 20, 21, "worker", false);
	assert_int_equal(sampled(m, 20, 21), who);
	assert_string_equal(who_name(m, who), "worker");
	tell_fork(m, 20, 21, 40, 40, 1);
	assert_string_equal(who_name(m, sampled(m, 40, 40)), "worker");
	/* A second name is another who: the past keeps the first. */
	tell_comm(m, 20, 21, "renamed", false);
	assert_int_not_equal(sampled(m, 20, 21), who);
	assert_string_equal(who_name(m, who), "worker");
	model_free(m);
}

/* /proc tells the name of who forked them later: by then some have another one. */
static void
who_was_forked_by_one_without_a_name_gets_its_name(void **state)
{
	struct model *m = model_new();
	uint32_t parent, child, grandchild, past, past_child;

	(void)state;
	parent = sampled(m, 20, 20);
	tell_fork(m, 20, 20, 30, 30, 1);
	tell_fork(m, 30, 30, 40, 40, 2);
	tell_fork(m, 20, 20, 50, 50, 3);
	child = sampled(m, 30, 30);
	grandchild = sampled(m, 40, 40);
	past_child = sampled(m, 50, 50);
	tell_comm(m, 50, 50, "ls", true);
	past = sampled(m, 50, 50);
	assert_int_not_equal(past, past_child);
	model_learn_comm(m, model_find_task(m, 20), "make");
	assert_string_equal(who_name(m, parent), "make");
	assert_string_equal(who_name(m, child), "make");
	assert_string_equal(who_name(m, grandchild), "make");
	/* Before its exec it was called as it was forked. */
	assert_string_equal(who_name(m, past_child), "make");
	assert_string_equal(who_name(m, past), "ls");
	assert_int_equal(m->namesakes, 0);
	model_free(m);
}

/* One that has its name and ends waits for none: that leaves those that do alone. */
static void
who_got_its_parents_name_and_ended_keeps_no_other_from_one(void **state)
{
	struct model *m = model_new();
	uint32_t child;

	(void)state;
	sampled(m, 20, 20);
	tell_fork(m, 20, 20, 30, 30, 1);
	model_learn_comm(m, model_find_task(m, 20), "make");
	tell_exit(m, 30, 30, 0, 2);
	model_sweep(m, 3);
	assert_int_equal(model_find_task(m, 30), 0);
	assert_int_equal(m->namesakes, 0);
	sampled(m, 40, 40);
	tell_fork(m, 40, 40, 50, 50, 4);
	child = sampled(m, 50, 50);
	model_learn_comm(m, model_find_task(m, 40), "sh");
	assert_string_equal(who_name(m, child), "sh");
	model_free(m);
}

/* As in perf; those that it forked have numbers of their own, or the name that they got later. */
static void
who_cannot_be_named_has_a_number(void **state)
{
	struct model *m = model_new();
	uint32_t parent, child, past, ended;

	(void)state;
	parent = sampled(m, 20, 20);
	tell_fork(m, 20, 20, 30, 30, 1);
	tell_fork(m, 20, 20, 40, 40, 2);
	child = sampled(m, 30, 30);
	past = sampled(m, 40, 40);
	tell_comm(m, 40, 40, "ls", true);
	model_cannot_name(m, model_find_task(m, 20));
	assert_string_equal(who_name(m, parent), ":20");
	assert_string_equal(who_name(m, child), ":30");
	assert_string_equal(who_name(m, past), "ls");
	assert_int_equal(m->namesakes, 0);
	/* An answer that comes too late: it has a name, or is no more. */
	model_cannot_name(m, model_find_task(m, 40));
	assert_string_equal(who_name(m, sampled(m, 40, 40)), "ls");
	tell_fork(m, 1, 1, 50, 50, 3);
	ended = model_find_task(m, 50);
	tell_exit(m, 50, 50, 0, 4);
	model_sweep(m, 5);
	model_cannot_name(m, ended);
	assert_false(m->tasks[ended].is_used || m->tasks[ended].is_nameless);
	/* A record names it after all. */
	tell_comm(m, 20, 20, "make", false);
	assert_string_equal(who_name(m, parent), "make");
	model_free(m);
}

/* Where names alone count, each is one who; what has none yet will be called something else. */
static void
tasks_of_one_name_are_one_who_if_names_alone_count(void **state)
{
	struct model *m = model_new();
	uint32_t nameless, worker;

	(void)state;
	model_set_from_file(m);
	model_set_by_name(m);
	nameless = sampled(m, 20, 20);
	tell_comm(m, 20, 20, "worker", false);
	assert_int_equal(sampled(m, 20, 20), nameless);
	assert_string_equal(who_name(m, nameless), "worker");
	tell_fork(m, 20, 20, 30, 30, 1);
	tell_fork(m, 20, 20, 40, 40, 1);
	worker = sampled(m, 30, 30);
	assert_int_equal(sampled(m, 40, 40), worker);
	assert_string_equal(who_name(m, worker), "worker");
	assert_true(model_is_who(m, worker, model_find_task(m, 30)));
	assert_true(model_is_who(m, nameless, model_find_task(m, 20)));
	assert_false(model_is_who(m, nameless, model_find_task(m, 30)));
	/* Another name of one of them is not theirs. */
	tell_comm(m, 40, 40, "other", true);
	assert_string_equal(who_name(m, sampled(m, 40, 40)), "other");
	assert_string_equal(who_name(m, worker), "worker");
	assert_int_equal(sampled(m, 30, 30), worker);
	/* Nothing is kept of who ended, and the name is still there. */
	tell_exit(m, 30, 30, 0, 2000);
	model_sweep(m, 2001);
	assert_int_equal(model_find_task(m, 30), 0);
	assert_int_equal(m->task_count, 4); /* the idle loop, 20, 40, and who stands for all */
	assert_string_equal(who_name(m, worker), "worker");
	model_free(m);
}

static uint32_t
tell_kernel_map(struct model *m, uint64_t start, uint64_t len, const char *name)
{
	struct record rec = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL,
			      .mmap = { .pid = UINT32_MAX, .tid = 0, .start = start, .len = len,
					.name = name } };

	model_record(m, &rec);
	return space_find(m->kernel, start)->dso;
}

static void
the_kernels_maps_of_a_recording_tell_its_modules(void **state)
{
	struct model *m = model_new();
	uint32_t dso;

	(void)state;
	model_set_from_file(m);
	assert_int_equal(tell_kernel_map(m, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text"),
			 DSO_ID_KERNEL);
	dso = tell_kernel_map(m, 0xffffffffc0000000, 0x1000,
			      "/lib/modules/6.1/kernel/drivers/net/usb/ax-net.ko.xz");
	assert_string_equal(strs_get(&m->strs, dsos_get(&m->dsos, dso)->name), "[ax_net]");
	assert_int_equal(tell_kernel_map(m, 0xffffffffc0002000, 0x1000, "[ax_net]"), dso);
	/* Without a length it is all that there is. */
	assert_int_equal(tell_kernel_map(m, 0xffffffff90000000, 0, "[kernel.kallsyms]_text"),
			 DSO_ID_KERNEL);
	assert_non_null(space_find(m->kernel, 0xfffffffffffffff0));
	/* What has the kernel's image for a name is no module, either. */
	assert_int_equal(tell_kernel_map(m, 0xffffffff81000000, 0x1000000, "/boot/vmlinux-6.1"),
			 DSO_ID_KERNEL);
	model_set_kernel_is_here(m);
	assert_null(m->kernel);
	model_free(m);
}

/* A sample in the middle of a switch of tasks: the tid is the idle loop's already, the pid not yet. */
static void
the_idle_loop_is_no_other_processes_thread(void **state)
{
	struct model *m = model_new();
	uint32_t idle = model_find_task(m, 0);

	(void)state;
	assert_int_equal(model_sample_task(m, 1430, 0, 0), idle);
	assert_int_equal(m->tasks[idle].died_ns, 0);
	assert_string_equal(who_name(m, sampled(m, 0, 0)), "swapper");
	model_free(m);
}

static void
the_newest_path_of_a_cgroup_is_known_by_its_id(void **state)
{
	static const struct record_cgroup told[] = {
		{ 1, "/" }, { 31, "/system" }, { 32, "/system" }, { 31, "/system/moved" },
	};
	struct model *m = model_new();
	uint32_t path;

	(void)state;
	assert_false(cgroups_find(&m->cgroups, 31, &path));
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		model_record(m, &(struct record){ .type = REC_CGROUP, .cgroup = told[i] });
	assert_true(cgroups_find(&m->cgroups, 31, &path));
	assert_string_equal(strs_get(&m->strs, path), "/system/moved");
	assert_true(cgroups_find(&m->cgroups, 32, &path));
	assert_string_equal(strs_get(&m->strs, path), "/system");
	assert_false(cgroups_find(&m->cgroups, 0, &path));
	model_free(m);
}

static void
a_pattern_of_cgroups_has_all_that_is_below(void **state)
{
	static const struct { const char *pattern, *path; bool matches; } rows[] = {
		{ "/a", "/a", true }, { "/a", "/a/b/c", true }, { "/a", "/ab", false }, { "/a", "/", false },
		{ "/a/b", "/a", false }, { "/", "/", true }, { "/", "/a/b", true }, { "/*", "/a/b", true },
		{ "/*", "/", false }, { "/system.slice/docker-*", "/system.slice/docker-1.scope/init", true },
		{ "/system.slice/docker-*", "/system.slice/ssh.service", false },
		{ "/*/b", "/a/x/b", false }, { "/a[", "/a[", true }, { "/a", "-", false }, { "/a", "", false },
	};
	const char *const patterns[] = { "/a", "/b*" };
	struct model *m = model_new();
	uint32_t task = model_task(m, 20, 20);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *pattern = (char *)(uintptr_t)rows[i].pattern;

		if (cgroup_matches(&pattern, 1, rows[i].path) != rows[i].matches)
			fail_msg("'%s' and '%s'", pattern, rows[i].path);
	}
	assert_true(model_wants_cgroup(m, task));
	m->cgroups.patterns = (char *const *)(uintptr_t)patterns;
	m->cgroups.pattern_count = ARRAY_SIZE(patterns);
	assert_false(model_wants_cgroup(m, task));
	model_set_cgroup(m, task, 7);
	assert_false(model_wants_cgroup(m, task)); /* nobody said which that is */
	cgroups_learn(&m->cgroups, 7, strs_add_str(&m->strs, "/bcd/e"));
	assert_true(model_wants_cgroup(m, task));
	cgroups_learn(&m->cgroups, 7, strs_add_str(&m->strs, "/c"));
	assert_false(model_wants_cgroup(m, task));
	model_free(m);
}

static const char *
path_of_who(const struct model *m, uint32_t who)
{
	return strs_get(&m->strs, cgroups_at(&m->cgroups, m->whos[who].cgroup).path);
}

static void
a_task_is_another_who_in_each_cgroup(void **state)
{
	struct model *m = model_new();
	uint32_t task = model_task(m, 20, 20), thread, before, a, b;

	(void)state;
	model_learn_comm(m, task, "prog");
	before = model_who(m, task);
	assert_string_equal(path_of_who(m, before), "");
	model_set_cgroup(m, task, 31);
	a = model_who(m, task);
	assert_int_equal(a, before); /* it was there all the time, as far as is known */
	assert_string_equal(path_of_who(m, a), "");
	model_learn_cgroup(m, task, "/a"); /* nobody else told what is 31 */
	assert_string_equal(path_of_who(m, a), "/a");
	model_learn_cgroup(m, task, "/never");
	assert_int_equal(model_who(m, task), a);
	model_set_cgroup(m, task, 32);
	b = model_who(m, task);
	assert_int_not_equal(b, a);
	assert_string_equal(path_of_who(m, a), "/a");
	model_set_cgroup(m, task, 31);
	assert_int_equal(model_who(m, task), a);
	model_set_cgroup(m, task, 0);
	assert_int_equal(model_who(m, task), a);
	tell_fork(m, 20, 20, 30, 30, 5);
	thread = model_find_task(m, 30);
	assert_string_equal(path_of_who(m, model_who(m, thread)), "/a");
	assert_string_equal(path_of_who(m, model_ended_who(m, 0, m->tasks[task].comm, m->whos[a].cgroup)), "/a");
	assert_int_not_equal(model_ended_who(m, 0, m->tasks[task].comm, m->whos[a].cgroup),
			     model_ended_who(m, 0, m->tasks[task].comm, m->whos[b].cgroup));
	model_free(m);
}

static void
what_proc_says_of_a_cgroup_is_believed_until_samples_tell(void **state)
{
	struct model *m = model_new();
	uint32_t task = model_task(m, 20, 20), who;

	(void)state;
	model_learn_comm(m, task, "prog");
	who = model_who(m, task);
	model_learn_cgroup(m, task, "/made");
	assert_int_equal(model_who(m, task), who);
	assert_string_equal(path_of_who(m, who), "/made");
	model_learn_cgroup(m, task, "/moved");
	assert_int_not_equal(model_who(m, task), who);
	assert_string_equal(path_of_who(m, model_who(m, task)), "/moved");
	assert_string_equal(path_of_who(m, who), "/made");
	model_learn_cgroup(m, task, "/made");
	assert_int_equal(model_who(m, task), who);
	model_free(m);
}

/* Processes 1 to 300, of which each has as many samples as its pid says, and a cold one. */
static struct model *
warm_model(void)
{
	struct model *m = model_new();

	for (int pid = 1; pid <= 300; pid++)
		model_saw(m, model_task(m, pid, pid), (uint32_t)pid, 1000);
	model_saw(m, model_task(m, 900, 900), 5000, 10);
	return m;
}

static void
of_many_busy_processes_the_hottest_come_first(void **state)
{
	struct model *m = warm_model();
	int pids[32];

	(void)state;
	model_saw(m, model_task(m, 7, 7000), 1000, 1000); /* its thread's are its own */
	assert_int_equal(model_hottest(m, 500, pids, 32), 300);
	assert_int_equal(pids[0], 7);
	for (int i = 1; i < 32; i++)
		assert_int_equal(pids[i], 301 - i);
	tell_exit(m, 7, 7, 0, 1000);
	assert_int_equal(model_hottest(m, 500, pids, 32), 299);
	assert_int_equal(pids[0], 300);
	model_free(m);
}

/* What it was long ago does not count for more than what others are now. */
static void
a_process_that_rests_cools_down(void **state)
{
	struct model *m = warm_model();
	int pids[2];

	(void)state;
	for (int i = 0; i < 3; i++)
		model_hottest(m, 500, pids, 2);
	model_saw(m, model_find_task(m, 1), 100, 1000);
	assert_int_equal(model_hottest(m, 500, pids, 2), 300);
	assert_int_equal(pids[0], 1);
	assert_that(pids[1], >, 290);
	model_free(m);
}

static void
a_target_is_among_the_hot_ones_even_if_it_rests(void **state)
{
	struct model *m = warm_model();
	int pids[400];

	(void)state;
	m->tasks[model_find_task(m, 900)].is_target = true;
	assert_int_equal(model_hottest(m, 500, pids, 400), 301);
	model_free(m);
}

static void
after_an_exec_the_owner_is_unknown_until_it_is_read(void **state)
{
	struct model *m = model_new();
	uint32_t id = model_task(m, 20, 20);

	(void)state;
	model_learn_owner(m, id, 0, 0);
	tell_fork(m, 20, 20, 30, 30, 1);
	id = model_find_task(m, 30);
	assert_int_equal(model_owner(&m->tasks[id]), 0);
	tell_comm(m, 30, 30, "shell", true);
	assert_int_equal(model_owner(&m->tasks[id]), UID_UNKNOWN);
	model_learn_owner(m, id, 1000, 2);
	assert_int_equal(model_owner(&m->tasks[id]), 1000);
	model_free(m);
}

/* What it began with is the best that is known. */
static void
one_that_ended_before_its_owner_was_read_is_its_parents(void **state)
{
	struct model *m = model_new();
	uint32_t id;

	(void)state;
	model_learn_owner(m, model_task(m, 20, 20), 1000, 0);
	tell_fork(m, 20, 20, 30, 30, 1);
	tell_comm(m, 30, 30, "short", true);
	id = model_find_task(m, 30);
	tell_exit(m, 30, 30, 0, 2);
	assert_int_equal(model_owner(&m->tasks[id]), 1000);
	model_free(m);
}

/* ---- names without end ---- */

enum { ROOM = 100000 };

/* Of a user, whose task renames itself and maps files as long as it gets new names for that. */
static void
take_all_names(struct model *m, int pid, uint32_t uid)
{
	uint32_t task = model_task(m, pid, pid);

	model_learn_owner(m, task, uid, 1);
	for (int i = 0; i < ROOM / 10; i++) {
		char text[64];

		snprintf(text, sizeof(text), "n%d-%d", pid, i);
		tell_comm(m, pid, pid, text, false);
		model_who(m, task);
		snprintf(text, sizeof(text), "/tmp/%d/%d", pid, i);
		tell_map(m, pid, 0x1000, 0x1000, 0, text, (uint64_t)i);
	}
	assert_string_equal(who_name(m, sampled(m, pid, pid)), "[too many names]");
	assert_int_equal(model_space(m, task)->maps[0].dso, DSO_ID_CROWDED);
}

static void
names_have_a_bound_and_each_user_a_part(void **state)
{
	struct model *m = model_new();
	size_t before = m->strs.len;
	const struct dso *dso;

	(void)state;
	m->room.max = ROOM;
	take_all_names(m, 100, 1000);
	/* Their texts, what is kept of each, and of each file. */
	assert_in_range(m->room.used, ROOM / 2 - 500, ROOM / 2);
	assert_in_range(m->strs.len - before, 20, ROOM / 2 / NAME_ROOM_SITE_BYTES);
	take_all_names(m, 200, 1001);
	assert_in_range(m->room.used, ROOM * 3 / 4 - 1000, ROOM * 3 / 4);
	/* Others have room, and what is known is known to all. */
	tell_comm(m, 300, 300, "mine", false);
	model_learn_owner(m, model_task(m, 300, 300), 1002, 1);
	assert_string_equal(who_name(m, sampled(m, 300, 300)), "mine");
	tell_map(m, 300, 0x1000, 0x1000, 0, "/bin/mine", 1);
	dso = dsos_get(&m->dsos, model_space(m, model_task(m, 300, 300))->maps[0].dso);
	assert_string_equal(strs_get(&m->strs, dso->path), "/bin/mine");
	tell_comm(m, 100, 100, "mine", false);
	assert_string_equal(who_name(m, sampled(m, 100, 100)), "mine");
	assert_true(m->room.refused > 0);
	model_free(m);
}

static void
control_groups_and_code_have_their_part_of_the_names(void **state)
{
	struct model *m = model_new();
	uint32_t task = model_task(m, 100, 100), group;
	char path[64];

	(void)state;
	m->room.max = ROOM;
	model_learn_owner(m, task, 1000, 1);
	for (uint64_t i = 1; i < ROOM / 10; i++)
		model_set_cgroup(m, task, i);
	assert_int_equal(m->tasks[task].cgroup, 0); /* it is in one that is not known */
	group = (uint32_t)m->cgroups.len;
	assert_in_range(group, 100, ROOM / 2 / NAME_ROOM_SITE_BYTES);
	model_set_cgroup(m, task, 1);
	assert_int_equal(m->tasks[task].cgroup, 1);
	for (int i = 0; i < ROOM / 10; i++) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%d", i);
		model_record(m, &(struct record){ .type = REC_CGROUP, .cgroup = { 1000000 + (uint64_t)i, path } });
	}
	assert_that(m->room.used, <=, ROOM * 3 / 4);
	for (int i = 0; i < ROOM / 10; i++) {
		snprintf(path, sizeof(path), "function_%d", i);
		model_code_name(m, path, strlen(path));
	}
	assert_in_range(m->room.used, ROOM * 3 / 4, ROOM * 7 / 8);
	model_free(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_has_a_birth_and_a_death),
		cmocka_unit_test(a_task_can_be_said_to_have_ended),
		cmocka_unit_test(a_reused_pid_is_a_new_task),
		cmocka_unit_test(threads_belong_to_their_process_also_when_its_leader_exits_first),
		cmocka_unit_test(
			a_dead_process_lets_go_of_pid_and_maps_while_samples_of_its_threads_live_on),
		cmocka_unit_test(whose_who_was_forgotten_gets_a_new_one),
		cmocka_unit_test(samples_keep_the_names_of_their_time),
		cmocka_unit_test(a_forked_process_shares_its_parents_maps_until_one_changes_them),
		cmocka_unit_test(an_exec_makes_a_space_that_is_known_whole),
		cmocka_unit_test(a_thread_that_execs_becomes_the_process),
		cmocka_unit_test(a_jit_that_flips_protections_changes_nothing),
		cmocka_unit_test(maps_that_hold_no_code_and_those_of_the_kernel_are_left_out),
		cmocka_unit_test(tasks_outside_of_the_pid_namespace_leave_the_idle_task_alone),
		cmocka_unit_test(late_samples_without_a_tid_belong_to_the_last_exit_on_their_cpu),
		cmocka_unit_test(children_of_targets_are_targets_when_they_inherit),
		cmocka_unit_test(a_thread_can_be_a_target_alone),
		cmocka_unit_test(what_came_with_a_target_goes_with_it),
		cmocka_unit_test(a_doubtful_task_is_called_what_proc_says_next),
		cmocka_unit_test(kernel_code_that_comes_and_goes_has_its_name_meanwhile),
		cmocka_unit_test(what_has_gone_is_forgotten_when_a_newer_list_was_read),
		cmocka_unit_test(a_flood_of_kernel_code_is_bounded),
		cmocka_unit_test(programs_are_known_by_their_number),
		cmocka_unit_test(one_who_stands_for_all_that_ended_with_a_name),
		cmocka_unit_test(dsos_are_told_apart_by_what_the_records_say),
		cmocka_unit_test(jitdumps_are_known_by_their_names),
		cmocka_unit_test(random_maps_cut_each_other_like_pages_do),
		cmocka_unit_test(of_very_many_maps_only_so_many_are_moved_in_a_second),
		cmocka_unit_test(of_very_many_maps_there_are_only_so_many_copies),
		cmocka_unit_test(no_sample_is_lost_over_random_lives),
		cmocka_unit_test(tasks_of_a_recording_have_a_number_until_they_are_named),
		cmocka_unit_test(who_was_forked_by_one_without_a_name_gets_its_name),
		cmocka_unit_test(who_got_its_parents_name_and_ended_keeps_no_other_from_one),
		cmocka_unit_test(who_cannot_be_named_has_a_number),
		cmocka_unit_test(tasks_of_one_name_are_one_who_if_names_alone_count),
		cmocka_unit_test(the_kernels_maps_of_a_recording_tell_its_modules),
		cmocka_unit_test(the_idle_loop_is_no_other_processes_thread),
		cmocka_unit_test(the_newest_path_of_a_cgroup_is_known_by_its_id),
		cmocka_unit_test(a_task_is_another_who_in_each_cgroup),
		cmocka_unit_test(a_pattern_of_cgroups_has_all_that_is_below),
		cmocka_unit_test(what_proc_says_of_a_cgroup_is_believed_until_samples_tell),
		cmocka_unit_test(of_many_busy_processes_the_hottest_come_first),
		cmocka_unit_test(a_process_that_rests_cools_down),
		cmocka_unit_test(a_target_is_among_the_hot_ones_even_if_it_rests),
		cmocka_unit_test(after_an_exec_the_owner_is_unknown_until_it_is_read),
		cmocka_unit_test(one_that_ended_before_its_owner_was_read_is_its_parents),
		cmocka_unit_test(names_have_a_bound_and_each_user_a_part),
		cmocka_unit_test(control_groups_and_code_have_their_part_of_the_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
