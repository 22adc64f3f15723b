/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_MODEL_MODEL_IMPL_H
#define PTOP_MODEL_MODEL_IMPL_H
/*
 * What the files of the model share.  Each builds on those before it: model_task.c has tasks,
 * model_who.c their names, model.c their address spaces and the model as a whole, model_record.c
 * what the kernel's records change.  All ids are of tasks.
 */
#include "model/model.h"

/* A task that was not there, alone: see task_join(). */
uint32_t task_new(struct model *m, int pid, int tid);
uint32_t task_new_on(struct model *m, uint32_t host, int pid, int tid); /* of another host */
/* The task with that tid of @host, 0 if none is known. */
uint32_t task_find(const struct model *m, uint32_t host, int tid);
/* Makes @id a thread of @process. */
void task_join(struct model *m, uint32_t id, uint32_t process);
/* No longer found by its tid, which is another's from now on. */
void task_unindex(struct model *m, uint32_t id);
/* @time_ns 0: not known. */
void task_die(struct model *m, uint32_t id, uint64_t time_ns);
void task_revive(struct model *m, uint32_t id);
/* @id, a new thread or child of @from, is sampled for what @from is. */
void task_inherit_target(struct model *m, uint32_t id, uint32_t from);

/* What @task is called while nothing better is known: a string. */
uint32_t task_number_name(struct model *m, uint32_t task);

/* The first name of @task, a string of m->strs: samples taken before it was known had it, too. */
void task_set_first_name(struct model *m, uint32_t task, uint32_t str);

/* A space of no process yet; the caller has the reference. */
struct space *space_make(struct model *m, enum space_state state);
/* The process's space, its own: others that share it keep the old one. */
/*
 * The space of @task's process, to be changed: a copy of its own if it is shared, unless copies of large
 * ones cost too much; then the change is also of those that share it.
 */
struct space *space_own(struct model *m, uint32_t task);

/* Whether a change of @s that makes @more maps is done as its record tells. */
bool space_may_cost(const struct model *m, const struct space *s, size_t more);

/* They are to be read again at the next sample, if they are known. */
void model_doubt_maps(struct model *m, struct space *s);

#endif
