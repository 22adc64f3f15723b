/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/batch.h"

#include "app/engine.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "base/strs.h"
#include "base/text.h"
#include "export/csv.h"
#include "export/folded.h"
#include "export/json.h"
#include "export/text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAST_DELAY_S 0.01

enum {
	LAST_ANSWER_MS = 3000, /* the engine may be waiting for names */
	TWICE_MS = 300,        /* a signal so soon after another is the same one */
};

static void (*const put_report[FORMAT_COUNT])(struct buf *b, const struct snapshot *s,
					      const struct report_run *run) = {
	[FORMAT_TEXT] = text_put_report,
	[FORMAT_CSV] = csv_put_report,
	[FORMAT_JSON] = json_put_report,
	[FORMAT_FOLDED] = folded_put_report,
};

struct batch {
	const struct config *config;
	struct queue *answers;
	struct engine *engine;
	struct err *err;
	int out_fd, signal_fd;
	bool has_file;            /* the report goes to config's output */
	bool whole_life;          /* one report, at the end of COMMAND */
	bool is_done, is_failed, is_stopping;
	uint64_t stopping_ns;     /* since when */
	uint64_t seq, reports;    /* of the newest refresh seen; reports written */
	struct report_run run;
	struct snapshot *newest;
	struct strs told;         /* notices that were printed */
	char *complaint;          /* the engine's newest error, not printed yet */
	int status;
};

static void
tell(const char *text)
{
	struct buf b = { 0 };

	buf_add_str(&b, "ptop: ");
	text_add_safe(&b, text, strlen(text));
	buf_add_char(&b, '\n');
	/* Where should a failure here be told? */
	(void)!write(STDERR_FILENO, b.data, b.len);
	buf_release(&b);
}

static void
drop_complaint(struct batch *b)
{
	free(b->complaint);
	b->complaint = NULL;
}

static void
flush_complaint(struct batch *b)
{
	if (b->complaint != NULL)
		tell(b->complaint);
	drop_complaint(b);
}

/* Each once, however many snapshots carry it. */
static void
tell_notices(struct batch *b, const struct snapshot *s)
{
	for (size_t i = 0; i < s->head.notice_count; i++) {
		const char *text = s->head.notices[i];
		size_t before = b->told.len;

		strs_add_str(&b->told, text);
		if (b->told.len != before)
			tell(text);
	}
}

/*
 * SIGPIPE is blocked for this write alone and taken back: a disposition or a mask of ptop's would
 * be COMMAND's and the threads' too.
 */
static int
write_quietly(int fd, const void *data, size_t len)
{
	static const struct timespec now = { 0, 0 };
	sigset_t pipe, old;
	int res, saved;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &old);
	res = file_write_all(fd, data, len);
	saved = errno;
	if (res < 0 && saved == EPIPE)
		sigtimedwait(&pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return res;
}

static void
fail(struct batch *b)
{
	b->is_failed = b->is_done = true;
	b->status = err_status(b->err);
}

static void
write_report(struct batch *b, const struct snapshot *s)
{
	struct buf text = { 0 };

	b->run.is_first = b->reports == 0;
	if (b->run.is_first)
		b->run.has_events = s->event_count > 1;
	put_report[b->config->format](&text, s, &b->run);
	b->reports++;
	tell_notices(b, s);
	flush_complaint(b);
	if (write_quietly(b->out_fd, text.data, text.len) < 0) {
		b->is_done = true; /* quietly, if nobody reads any more */
		if (errno != EPIPE) {
			err_set(b->err, ERR_IO, errno, "cannot write to '%.200s'",
				b->has_file ? b->config->output : "standard output");
			fail(b);
		}
	}
	buf_release(&text);
}

static void
take_snapshot(struct batch *b, struct msg *m)
{
	struct snapshot *s = ((struct engine_snapshot_msg *)m)->snapshot;
	bool is_refresh = s->seq > b->seq;

	b->seq = MAX(b->seq, s->seq);
	snapshot_put(b->newest);
	b->newest = snapshot_get(s);
	if (!is_refresh || (b->whole_life && !b->is_stopping))
		return;
	write_report(b, s);
	if (b->is_stopping || b->reports == b->config->iterations)
		b->is_done = true;
}

static void
take_status(struct batch *b, struct msg *m)
{
	const struct engine_text_msg *t = (const struct engine_text_msg *)m;

	if (!t->is_error)
		return;
	flush_complaint(b);
	b->complaint = mem_strdup(t->text);
}

static int
command_exit(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void
take_ended(struct batch *b, struct msg *m)
{
	const struct engine_ended_msg *e = (const struct engine_ended_msg *)m;

	b->is_done = true;
	if (e->err.code != ERR_NONE) {
		/* The engine has complained of the same: once is enough. */
		if (b->complaint != NULL && strncmp(b->complaint, e->err.text,
						    strlen(e->err.text)) == 0)
			drop_complaint(b);
		*b->err = e->err;
		fail(b);
	} else if (b->whole_life && b->newest != NULL) {
		write_report(b, b->newest);
	}
	if (e->command_ended)
		b->status = command_exit(e->command_status);
}

static void
take_messages(struct batch *b)
{
	struct msg *m;

	while (!b->is_done && (m = queue_take(b->answers)) != NULL) {
		if (m->type == ENGINE_MSG_SNAPSHOT)
			take_snapshot(b, m);
		else if (m->type == ENGINE_MSG_STATUS)
			take_status(b, m);
		else if (m->type == ENGINE_MSG_ENDED)
			take_ended(b, m);
		engine_msg_free(m);
	}
}

/*
 * The first signal asks for a refresh at once, the last one: rings drained, names waited for.  One
 * that comes later does not wait; but timeout(1) and sudo(8) send each signal twice.
 */
static void
take_signal(struct batch *b)
{
	struct signalfd_siginfo info;
	uint64_t now = clock_mono_ns();

	if (read(b->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (b->is_stopping) {
		b->is_done = now > b->stopping_ns + TWICE_MS * NSEC_PER_MSEC;
		return;
	}
	b->is_stopping = true;
	b->stopping_ns = now;
	engine_set_delay(b->engine, LAST_DELAY_S);
}

static int
timeout_ms(const struct batch *b)
{
	uint64_t now = clock_mono_ns(), end = b->stopping_ns + LAST_ANSWER_MS * NSEC_PER_MSEC;

	if (!b->is_stopping)
		return -1;
	return end > now ? (int)((end - now) / NSEC_PER_MSEC) + 1 : 0;
}

static void
run_loop(struct batch *b)
{
	/* A pipe without a reader shows as an error that is always looked for. */
	struct pollfd fds[] = {
		{ .fd = queue_fd(b->answers), .events = POLLIN },
		{ .fd = b->signal_fd, .events = POLLIN },
		{ .fd = b->out_fd, .events = 0 },
	};

	while (!b->is_done) {
		int n = poll(fds, ARRAY_SIZE(fds), timeout_ms(b));

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			break;
		/* In this order, or a refresh that was on its way would pass for the last one. */
		if ((fds[0].revents & POLLIN) != 0)
			take_messages(b);
		if ((fds[1].revents & POLLIN) != 0)
			take_signal(b);
		if ((fds[2].revents & (POLLERR | POLLHUP)) != 0)
			b->is_done = true;
		if ((fds[2].revents & POLLNVAL) != 0)
			fds[2].fd = -1; /* closed: writing will say so */
	}
}

static void
tell_losses(const struct snapshot_head *h)
{
	const struct {
		uint64_t count;
		const char *what;
	} losses[] = {
		{ h->lost, "samples were lost: the rings were full (-m makes them larger)" },
		{ h->throttled, "times the kernel throttled sampling (-F lowers the rate)" },
		{ h->late, "records came late, out of their order" },
		{ h->unknown, "records were of an unknown kind" },
		{ h->broken, "records were broken" },
		{ h->folded, "stacks, addresses, tasks were folded into others to keep --memory" },
	};
	char line[160];

	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		if (losses[i].count == 0)
			continue;
		snprintf(line, sizeof(line), "%llu %s", (unsigned long long)losses[i].count,
			 losses[i].what);
		tell(line);
	}
}

static int
open_output(struct batch *b)
{
	b->out_fd = STDOUT_FILENO;
	if (b->config->output == NULL)
		return 0;
	b->out_fd = file_create(b->config->output, b->config->force, b->err);
	if (b->out_fd < 0)
		return -1;
	b->has_file = true;
	return 0;
}

static void
close_output(struct batch *b)
{
	if (!b->has_file)
		return;
	/* Some file systems tell of a full disk only here. */
	if (close(b->out_fd) < 0 && !b->is_failed) {
		err_set(b->err, ERR_IO, errno, "cannot write '%s'", b->config->output);
		fail(b);
	}
	if (b->reports == 0 && !b->config->force)
		unlink(b->config->output);
}

/* SIGINT and SIGTERM become readable; the mask before goes to @old. */
static int
watch_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, old);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void
drop_messages(struct queue *q)
{
	struct msg *m;

	while ((m = queue_take(q)) != NULL)
		engine_msg_free(m);
	queue_free(q);
}

int
batch_run(const struct config *config, int *status, struct err *err)
{
	struct batch b = { .config = config, .err = err, .signal_fd = -1 };
	struct query query;
	sigset_t old;

	b.whole_life = config->command != NULL && config->iterations == 0;
	b.run.is_series = config->iterations != 1 && !b.whole_life && config->input == NULL;
	config_query(config, &query);
	b.answers = queue_new();
	/* A pipe that brings nothing is waited for when it is opened: then signals end ptop. */
	pthread_sigmask(SIG_SETMASK, NULL, &old);
	if (config->input == NULL)
		b.signal_fd = watch_signals(&old);
	if (open_output(&b) == 0)
		b.engine = engine_start(config, &query, b.answers, err);
	if (config->input != NULL)
		b.signal_fd = watch_signals(&old);
	if (b.engine != NULL)
		run_loop(&b);
	else
		fail(&b);
	if (b.newest != NULL)
		tell_losses(&b.newest->head);
	flush_complaint(&b);
	snapshot_put(b.newest); /* its strings may be the engine's */
	if (engine_stop(b.engine, b.err) < 0)
		fail(&b);
	drop_messages(b.answers);
	close_output(&b);
	if (b.signal_fd >= 0)
		close(b.signal_fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	strs_release(&b.told);
	*status = b.status;
	return b.is_failed ? -1 : 0;
}
