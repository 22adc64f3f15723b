/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/looker.h"

#include "base/queue.h"
#include "live/wait/look_worker.h"
#include "live/wait/told_record.h"

#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE_MS = 3000, END_PATIENCE_MS = 100 };

struct looker {
	struct looker_config config;
	struct look_worker *worker;
	struct wait_target *targets; /* as they were set last */
	size_t target_count;
	bool is_set;
	int preferred;               /* pid, 0: none */
	double percent;              /* that looks may cost now */
	int skips[WAIT_SKIPS_MAX];   /* processes that a thread hung on, and ptop */
	size_t skip_count;
	struct msg *taken;           /* that is being read, NULL: none */
	uint8_t *at, *end;           /* what is left of it */
	struct bytes peeked;         /* the record at its begin, */
	uint64_t *tag;               /* and its tag, see told_record_read() */
	uint64_t flush;              /* number of the last that was asked for, */
	bool is_last;                /* which was for the last report */
};

struct looker *
looker_new(const struct looker_config *config)
{
	struct looker *l = mem_calloc(1, sizeof(*l));

	l->config = *config;
	l->percent = config->percent;
	l->skips[l->skip_count++] = getpid();
	l->worker = look_worker_new(config, l->skips, l->skip_count);
	return l;
}

void
looker_free(struct looker *l)
{
	if (l == NULL)
		return;
	look_worker_free(l->worker, END_PATIENCE_MS);
	msg_free(l->taken);
	free(l->targets);
	free(l);
}

void
looker_set(struct looker *l, const struct wait_target *targets, size_t count)
{
	free(l->targets);
	l->targets = targets != NULL ? mem_calloc(count + 1, sizeof(*targets)) : NULL;
	if (count > 0)
		memcpy(l->targets, targets, count * sizeof(*targets));
	l->target_count = count;
	l->is_set = true;
	look_worker_set(l->worker, l->targets, count);
}

void
looker_prefer(struct looker *l, int pid)
{
	l->preferred = pid;
	look_worker_prefer(l->worker, pid);
}

void
looker_set_percent(struct looker *l, double percent)
{
	l->percent = percent;
	look_worker_set_percent(l->worker, percent);
}

void
looker_set_tops(struct looker *l, const struct wait_top *tops, size_t count)
{
	look_worker_set_tops(l->worker, tops, count);
}

void
looker_flush(struct looker *l, bool is_last)
{
	l->is_last = is_last;
	look_worker_flush(l->worker, ++l->flush, is_last);
}

bool
looker_is_flushed(const struct looker *l)
{
	return look_worker_flushed(l->worker) >= l->flush;
}

int
looker_peek(void *looker, struct bytes *out)
{
	struct looker *l = looker;

	if (l->at == l->end) {
		if (l->taken != NULL)
			look_worker_give_back(l->worker, l->taken);
		l->taken = look_worker_take(l->worker, &l->at, &l->end);
		if (l->taken == NULL)
			return 0;
	}
	*out = l->peeked = told_record_read(l->at, &l->tag);
	return 1;
}

void
looker_advance(void *looker)
{
	struct looker *l = looker;

	if (l->at != l->end)
		l->at += told_record_pass(l->at);
	l->tag = NULL;
}

uint64_t *
looker_tag(const struct looker *l, struct bytes record)
{
	return record.data == l->peeked.data ? l->tag : NULL;
}

int
looker_check(struct looker *l)
{
	int pid = look_worker_abandon(l->worker, PATIENCE_MS);

	if (pid == 0)
		return 0;
	/* The oldest but ptop goes. */
	if (l->skip_count == WAIT_SKIPS_MAX)
		memmove(&l->skips[1], &l->skips[2], (--l->skip_count - 1) * sizeof(*l->skips));
	l->skips[l->skip_count++] = pid;
	l->worker = look_worker_new(&l->config, l->skips, l->skip_count);
	look_worker_set_percent(l->worker, l->percent);
	if (l->is_set)
		look_worker_set(l->worker, l->targets, l->target_count);
	look_worker_prefer(l->worker, l->preferred);
	if (l->flush > 0)
		looker_flush(l, l->is_last);
	return pid;
}

void
looker_figures(const struct looker *l, struct looker_figures *out)
{
	look_worker_figures(l->worker, out);
}

uint64_t
looker_untold_ns(const struct looker_figures *f, uint64_t now_ns)
{
	uint64_t all = f->threads * (now_ns - MIN(f->begun_ns, now_ns));

	return all - MIN(f->told_sum_ns, all);
}
