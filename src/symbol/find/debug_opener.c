/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/debug_opener.h"

enum { DEAD_PART = 10 }; /* what a place that did not answer gets of the time of others */

/* false: it is late, or ptop ends. */
static bool
has_answered(const struct debug_opener *d, uint64_t late_ns)
{
	uint64_t held_ns = 0;

	while (!atomic_load(d->stop) && held_ns < late_ns)
		if (open_process_wait(&d->process, &held_ns))
			return true;
	return false;
}

static int
give_up(struct debug_opener *d, enum debug_want want)
{
	open_process_end(&d->process);
	d->is_dead[want] = d->was_late = !atomic_load(d->stop);
	return -1;
}

static int
start(struct debug_opener *d)
{
	const struct open_process_config config = { .proc = d->finder.proc,
						    .debug_dir = d->finder.dir };

	return d->process.pid > 0 ? 0 : open_process_start(&d->process, &config, NULL);
}

static struct debug_opener *
file_opener_of(const struct debug_finder *finder)
{
	return (struct debug_opener *)((uintptr_t)finder - offsetof(struct debug_opener, finder));
}

static int
find(const struct debug_finder *self, const struct debug_ask *ask)
{
	struct debug_opener *d = file_opener_of(self);
	const struct open_request request = { .file = self->file, .debug = ask };
	struct open_answer answer;
	uint64_t late_ns;

	d->was_asked = true;
	if ((unsigned)ask->want >= DEBUG_WANTS || self->file == NULL || start(d) < 0)
		return -1;
	late_ns = d->is_dead[ask->want] ? d->late_ns / DEAD_PART : d->late_ns;
	if (open_process_send(&d->process, &request, NULL) == 0 &&
	    !has_answered(d, late_ns))
		return give_up(d, ask->want);
	if (!open_process_receive(&d->process, &answer))
		open_process_end(&d->process);
	else
		d->is_dead[ask->want] = false;
	atomic_fetch_add(&d->cpu_ns, answer.cpu_ns);
	return answer.fd;
}

void
debug_opener_init(struct debug_opener *d, const char *debug_dir, const char *proc,
		  uint64_t late_ns, const atomic_bool *stop)
{
	*d = (struct debug_opener){ .finder = { find, debug_dir, proc, NULL },
				    .stop = stop, .late_ns = late_ns, .process = { -1, -1 } };
}

void
debug_opener_release(struct debug_opener *d)
{
	open_process_end(&d->process);
}
