/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --feed: a report of each second, as a feed. */
#include "app/run.h"

#include "app/crash.h"
#include "app/feed_stacks.h"
#include "app/report_out.h"
#include "base/end_signals.h"
#include "base/strs.h"
#include "engine/engine.h"
#include "feed/hostfeed_encode.h"
#include "profile/count/profile.h"
#include "view/column.h"
#include "view/notice.h"

#include <config.h> /* the one of configure: in quotes it would be that of this folder */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

_Static_assert((int)EVENTS_MAX <= (int)HOSTFEED_EVENTS_MAX, "a feed has room for all events");

struct feed_run {
	const struct config *config;
	struct query query;
	struct queue *answers;
	struct engine *engine;
	struct hostfeed_encoder *encoder;
	struct buf out; /* from @at on: not written yet */
	size_t at;
	int signals;
	uint64_t delay_ns, next_ns; /* when the next second is asked for */
	uint64_t last_ns;           /* the newest one ended then */
	uint64_t seq, seconds, lost;
	bool awaits, is_over;       /* a second has been asked for */
	struct strs told;           /* notices that were told */
	struct buf limits;          /* that the feed has, as they were put */
	struct err *err;
};

/* What each row of it has, told apart by all that a screen over there may group by. */
static void
make_query(struct feed_run *f)
{
	static const enum key keys[] = { KEY_PID, KEY_TID, KEY_COMM, KEY_PROGRAM, KEY_USER, KEY_CGROUP,
					 KEY_DSO, KEY_SYMBOL, KEY_REASON, KEY_REMEDY };

	config_query(f->config, &f->query);
	f->query.by_view = false;
	memcpy(f->query.keys, keys, sizeof(keys));
	f->query.key_count = ARRAY_SIZE(keys);
	f->query.window_ns = 0; /* since the last one */
	f->query.sort = COLUMN_PERIOD;
	f->query.ascending = false;
	f->query.row_stacks = HOSTFEED_STACKS_SENT;
}

static void
put_hello(struct feed_run *f)
{
	char host[HOST_NAME_MAX + 1] = "";
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const struct hostfeed_hello hello = {
		.version = HOSTFEED_VERSION, .host = host, .ptop = PACKAGE_VERSION,
		.cpus = cpus > 0 ? (uint32_t)cpus : 1,
	};

	gethostname(host, sizeof(host) - 1);
	hostfeed_put_hello(&f->out, &hello);
}

static struct hostfeed_event
event_of(const struct snapshot *s, const struct row *row)
{
	struct hostfeed_event e = { .name = row->event };

	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *ev = &s->events[i];

		if (strcmp(ev->name, row->event) != 0)
			continue;
		e.flags = (ev->counts_time ? HOSTFEED_COUNTS_TIME : 0) |
			  (ev->counts_things ? HOSTFEED_COUNTS_THINGS : 0) |
			  (ev->is_looks ? HOSTFEED_LOOKS : 0);
	}
	return e;
}

static uint32_t
add_row(struct feed_run *f, const struct snapshot *s, const struct row *row)
{
	const struct hostfeed_event event = event_of(s, row);
	const struct hostfeed_task task = {
		.pid = row->pid, .tid = row->tid, .comm = row->comm, .program = row->program,
		.user = row->user, .cgroup = *row->cgroup == '/' ? row->cgroup : "",
	};
	const struct hostfeed_place place = {
		.dso = row->dso, .symbol = row->symbol,
		.flags = (row->flags & ROW_KERNEL ? HOSTFEED_KERNEL : 0) |
			 (row->flags & ROW_UNNAMED ? HOSTFEED_UNNAMED : 0),
		.reason = row->reason, .remedy = row->remedy,
	};

	return hostfeed_add(f->encoder, &event, &task, &place, row->samples, row->period);
}

/* When they are others than before. */
static void
put_limits(struct feed_run *f, const struct snapshot *s)
{
	struct hostfeed_limit limits[HOSTFEED_LIMITS_MAX];
	size_t n = MIN(s->head.limit_count, ARRAY_SIZE(limits));
	struct buf b = { 0 };

	for (size_t i = 0; i < n; i++)
		limits[i] = (struct hostfeed_limit){ s->head.limits[i].text, s->head.limits[i].remedy };
	hostfeed_put_limits(&b, limits, n);
	if (b.len != f->limits.len || memcmp(b.data, f->limits.data, b.len) != 0) {
		buf_add(&f->out, b.data, b.len);
		buf_reset(&f->limits);
		buf_add(&f->limits, b.data, b.len);
	}
	buf_release(&b);
}

static void
put_second(struct feed_run *f, const struct snapshot *s)
{
	uint64_t now_ns = clock_mono_ns(), lost = s->head.losses[LOSS_SAMPLES];
	const struct hostfeed_second second = {
		.wall_ns = clock_real_ns(), .length_ns = now_ns - f->last_ns,
		.lost = lost - MIN(lost, f->lost),
	};
	uint32_t *numbers = mem_calloc(s->row_count + 1, sizeof(*numbers));
	struct feed_stacks stacks = { 0 };

	for (size_t i = 0; i < s->row_count; i++)
		numbers[i] = s->rows[i].samples > 0 ? add_row(f, s, &s->rows[i]) : UINT32_MAX;
	if (s->callers != NULL)
		feed_stacks_add(&stacks, f->encoder, s->callers, numbers);
	free(numbers);
	put_limits(f, s);
	hostfeed_put_second(f->encoder, &second, &f->out);
	feed_stacks_release(&stacks);
	f->last_ns = now_ns;
	f->lost = MAX(lost, f->lost);
	f->seconds++;
}

static void
tell_notices(struct feed_run *f, const struct snapshot *s)
{
	for (size_t i = 0; i < s->head.notice_count; i++)
		if (notice_is_new(&f->told, s->head.notices[i]))
			report_tell(s->head.notices[i]);
}

static void
take_message(struct feed_run *f, const struct msg *m)
{
	if (m->type == ENGINE_MSG_SNAPSHOT) {
		const struct snapshot *s = ((const struct engine_snapshot_msg *)m)->snapshot;

		tell_notices(f, s);
		if (!f->awaits || s->seq <= f->seq)
			return;
		f->seq = s->seq;
		f->awaits = false;
		put_second(f, s);
	} else if (m->type == ENGINE_MSG_STATUS && ((const struct engine_text_msg *)m)->is_error) {
		report_tell(((const struct engine_text_msg *)m)->text);
	} else if (m->type == ENGINE_MSG_ENDED) {
		f->is_over = true;
		*f->err = ((const struct engine_ended_msg *)m)->err;
	}
}

static void
take_messages(struct feed_run *f)
{
	struct msg *m;

	while (!f->is_over && (m = queue_take(f->answers)) != NULL) {
		take_message(f, m);
		msg_free(m);
	}
}

static bool
has_output(const struct feed_run *f)
{
	return f->at < f->out.len;
}

/* A pipe that can be written to takes so much without waiting: signals are seen meanwhile. */
static void
write_some(struct feed_run *f)
{
	ssize_t n = write(STDOUT_FILENO, f->out.data + f->at, MIN(f->out.len - f->at, (size_t)PIPE_BUF));

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		f->is_over = true;
		if (errno != EPIPE) /* quietly: nobody reads any more */
			err_set(f->err, ERR_IO, errno, "cannot write to standard output");
		return;
	}
	f->at += n > 0 ? (size_t)n : 0;
	if (has_output(f))
		return;
	buf_reset(&f->out);
	f->at = 0;
	f->is_over |= f->seconds == f->config->engine.iterations && f->seconds > 0;
}

/* The next second is asked for when the one before is written: what a slow reader misses is in it. */
static int
ask(struct feed_run *f)
{
	uint64_t now_ns = clock_mono_ns();

	if (f->awaits || has_output(f))
		return -1;
	if (now_ns < f->next_ns)
		return (int)((f->next_ns - now_ns) / NSEC_PER_MSEC) + 1;
	engine_report(f->engine, &f->query);
	f->awaits = true;
	f->next_ns = MAX(f->next_ns + f->delay_ns, now_ns + f->delay_ns / 2);
	return -1;
}

static void
take_signal(struct feed_run *f)
{
	struct signalfd_siginfo info;

	f->is_over |= read(f->signals, &info, sizeof(info)) == (ssize_t)sizeof(info);
}

static void
run_loop(struct feed_run *f)
{
	struct pollfd fds[] = {
		{ .fd = queue_fd(f->answers), .events = POLLIN },
		{ .fd = f->signals, .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};

	while (!f->is_over) {
		int timeout_ms = ask(f);

		fds[2].events = has_output(f) ? POLLOUT : 0;
		if (poll(fds, ARRAY_SIZE(fds), timeout_ms) <= 0)
			continue;
		if (fds[0].revents != 0)
			take_messages(f);
		if (fds[1].revents != 0)
			take_signal(f);
		if (fds[2].revents & (POLLERR | POLLHUP | POLLNVAL))
			f->is_over = true;
		else if (fds[2].revents & POLLOUT)
			write_some(f);
	}
}

int
feed_run(const struct config *config, struct err *err)
{
	struct feed_run f = { .config = config, .err = err, .signals = -1 };
	struct err ended = { 0 };
	sigset_t old;

	/* With --copy what ran is a number of a descriptor. */
	pthread_setname_np(pthread_self(), "ptop");
	make_query(&f);
	f.delay_ns = (uint64_t)(config->engine.delay_s * 1e9);
	f.answers = queue_new();
	f.encoder = hostfeed_encoder_new();
	f.signals = end_signals_watch(&old);
	signal(SIGPIPE, SIG_IGN); /* there is no COMMAND that would inherit it */
	f.last_ns = clock_mono_ns();
	f.next_ns = f.last_ns + f.delay_ns;
	f.engine = engine_start(&config->engine, &f.query, f.answers, err);
	if (f.engine != NULL) {
		crash_prepare_walk();
		put_hello(&f);
		run_loop(&f);
	}
	if (engine_stop(f.engine, &ended) < 0 && err->code == ERR_NONE)
		*err = ended;
	queue_free(f.answers);
	hostfeed_encoder_free(f.encoder);
	buf_release(&f.out);
	strs_release(&f.told);
	buf_release(&f.limits);
	if (f.signals >= 0)
		close(f.signals);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err->code == ERR_NONE ? 0 : -1;
}
