/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/stack_users.h"

#include <stdlib.h>

enum {
	LEAST_PERMILLE = 10, /* of all samples: lighter processes are not judged */
	PART_PERCENT = 10,   /* of a process's samples in files: lighter files are not looked at */
};

static struct stack_user_part *
part_of(struct stack_users *u, uint32_t process, uint32_t dso)
{
	uint64_t hash = hash_mix(process, dso);
	uint32_t id, pos;

	for (id = index_first(&u->by_part, hash, &pos); id != 0;
	     id = index_next(&u->by_part, hash, &pos))
		if (u->parts[id - 1].process == process && u->parts[id - 1].dso == dso)
			return &u->parts[id - 1];
	vec_reserve(&u->parts, &u->part_cap, u->part_len + 1, sizeof(*u->parts));
	u->parts[u->part_len++] = (struct stack_user_part){ process, dso, 0 };
	index_add(&u->by_part, hash, (uint32_t)u->part_len);
	return &u->parts[u->part_len - 1];
}

/* The file that a sample lies in; 0: in none, as the kernel's do. */
static uint32_t
file_of(const struct profile *p, uint32_t location)
{
	const struct location *l;

	l = &p->locations->items[locations_resolve(p->locations, location)];
	if (l->is_kernel || l->dso < DSO_ID_FIRST_FILE)
		return 0;
	return l->dso;
}

static void
add_interval(struct stack_users *u, const struct profile *p, const struct interval *iv)
{
	struct delta d;
	size_t pos = 0;

	while (log_next(iv, &pos, &d)) {
		const struct hot_key *key;
		uint32_t process;

		if (d.table != TABLE_HOT)
			continue;
		key = &p->tables.hot[d.id];
		process = p->model->tasks[p->model->whos[key->who].task].process;
		part_of(u, process, file_of(p, key->location))->samples += d.samples;
		u->samples += d.samples;
	}
}

static int
compare_parts(const void *a, const void *b)
{
	const struct stack_user_part *x = a, *y = b;

	return (x->process > y->process) - (x->process < y->process);
}

static int
compare_users(const void *a, const void *b)
{
	const struct stack_user *x = a, *y = b;

	if (x->samples != y->samples)
		return (x->samples < y->samples) - (x->samples > y->samples);
	return (x->process > y->process) - (x->process < y->process);
}

static void
judge(struct stack_user *user, const struct stack_user_part *parts, size_t count,
      const struct profile *p, struct unwinder *unwinder)
{
	const struct task *t = model_task_at(p->model, user->process);

	if (t->pid <= 0 || t->died_ns != 0 || t->space == NULL)
		return;
	for (size_t i = 0; i < count; i++) {
		if (parts[i].dso == 0 || parts[i].samples * 100 < user->user * PART_PERCENT)
			continue;
		if (unwinder_fp(unwinder, parts[i].dso, t->pid, t->space) == UNWINDER_FP_NOT_KEPT)
			user->without_fp += parts[i].samples;
	}
}

void
stack_users_judge(struct stack_users *u, const struct profile *p, struct unwinder *unwinder)
{
	size_t end;

	u->len = 0;
	for (size_t i = 0; i < u->part_len; i = end) {
		struct stack_user user = { .process = u->parts[i].process };

		for (end = i; end < u->part_len && u->parts[end].process == user.process; end++) {
			user.samples += u->parts[end].samples;
			user.user += u->parts[end].dso != 0 ? u->parts[end].samples : 0;
		}
		if (user.samples * 1000 < u->samples * LEAST_PERMILLE)
			continue;
		judge(&user, &u->parts[i], end - i, p, unwinder);
		vec_reserve(&u->items, &u->cap, u->len + 1, sizeof(*u->items));
		u->items[u->len++] = user;
	}
	if (u->len > 1)
		qsort(u->items, u->len, sizeof(*u->items), compare_users);
}

void
stack_users_look(struct stack_users *u, const struct profile *p)
{
	const struct interval_log *log = &p->log;
	uint64_t end = log->first + log->len;

	u->len = u->part_len = 0;
	u->samples = 0;
	index_clear(&u->by_part);
	for (uint64_t i = MAX(u->next_serial, log->first); i < end; i++)
		add_interval(u, p, log_at(log, i));
	u->next_serial = end;
	if (u->part_len > 1)
		qsort(u->parts, u->part_len, sizeof(*u->parts), compare_parts);
}

void
stack_users_release(struct stack_users *u)
{
	free(u->items);
	free(u->parts);
	index_release(&u->by_part);
}
