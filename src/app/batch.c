/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/run.h"

#include "app/crash.h"
#include "app/naming.h"
#include "app/report_out.h"
#include "engine/engine.h"
#include "base/clock.h"
#include "base/end_signals.h"
#include "base/own_rights.h"
#include "base/strs.h"
#include "view/notice.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LAST_ANSWER_MS = 3000, /* the engine may be waiting for names, */
	LAST_INLINES_MS = 12000, /* and for what is inlined */
	TWICE_MS = 300,        /* a signal so soon after another is the same one */
};

struct batch {
	const struct config *config;
	struct queue *answers;
	struct engine *engine;
	struct err *err;
	struct report_out out;
	int signal_fd;
	bool whole_life;          /* one report, at the end */
	bool is_done, is_failed, is_stopping;
	uint64_t stopping_ns;     /* since when */
	uint64_t seq;             /* of the newest refresh seen */
	unsigned refreshes;       /* seen */
	struct report_run run;
	struct snapshot *newest;
	struct strs printed;      /* notices that were printed */
	char *complaint;          /* the engine's newest error, not printed yet */
	struct broker *broker;    /* NULL: nobody is asked to name code */
	struct naming naming;
	int status;
};

/* As env(1) ends when COMMAND does. */
static int
command_exit(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
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
		report_tell(b->complaint);
	drop_complaint(b);
}

/* Each once, however many snapshots carry it. */
static void
tell_notices(struct batch *b, const struct snapshot *s)
{
	for (size_t i = 0; i < s->head.notice_count; i++)
		if (notice_is_new(&b->printed, s->head.notices[i]))
			report_tell(s->head.notices[i]);
}

static void
fail(struct batch *b)
{
	b->is_failed = b->is_done = true;
	b->status = err_status(b->err);
}

/* Whether the refresh is the last one that was asked for. */
static bool
is_last(const struct batch *b)
{
	return b->is_stopping || b->refreshes == b->config->engine.iterations;
}

/* Of a series others may have samples in it. */
static bool
lacks_function(struct batch *b, const struct snapshot *s)
{
	if (s->code == NULL || s->code->location != 0)
		return false;
	if (b->run.is_series) {
		report_tell(s->code->why);
	} else {
		err_set(b->err, ERR_GONE, 0, "%s", s->code->why);
		fail(b);
	}
	return true;
}

/* In a series they may come until its last report; why each is not there was told. */
static bool
lacks_hosts(struct batch *b, const struct snapshot *s)
{
	if (!s->head.lacks_hosts || !is_last(b))
		return false;
	err_set(b->err, ERR_GONE, 0, "nothing was counted: no host has sent anything");
	if (b->config->engine.hosts_command == NULL && !s->head.hosts_answer)
		err_hint(b->err, "ssh HOST ptop --version must work without a question");
	fail(b);
	return true;
}

static void
tell_namesakes(struct batch *b, const struct snapshot *s)
{
	struct buf line = { 0 };
	size_t before = b->printed.len;

	if (s->code == NULL || s->code->others == NULL)
		return;
	strs_add_str(&b->printed, s->code->symbol);
	buf_addf(&line, "shown is %s of %s; others of this name: %s (--symbol chooses, with --dso)",
		 s->code->symbol, s->code->dso, s->code->others);
	if (b->printed.len != before)
		report_tell(buf_str(&line));
	buf_release(&line);
}

/* Each file once: its lines are in the report, without their text. */
static void
tell_sources(struct batch *b, const struct snapshot *s)
{
	const struct snapshot_code *code = s->code;

	for (size_t i = 0; code != NULL && code->lines != NULL && i < code->lines->file_count; i++) {
		const struct listing_source *text = code->sources[i];
		struct buf line = { 0 };

		if (text == NULL || text->count > 0 || *text->why == '\0')
			continue;
		buf_addf(&line, "source of %s is not shown: %s%s%s", code->lines->files[i].name, text->why,
			 *text->remedy != '\0' ? ": " : "", text->remedy);
		if (notice_is_new(&b->printed, buf_str(&line)))
			report_tell(buf_str(&line));
		buf_release(&line);
	}
}

static void
write_report(struct batch *b, const struct snapshot *s)
{
	int res;

	b->run.is_first = b->out.reports == 0;
	if (b->run.is_first)
		b->run.has_events = s->event_count > 1;
	tell_notices(b, s);
	flush_complaint(b);
	if (lacks_function(b, s) || lacks_hosts(b, s))
		return;
	tell_namesakes(b, s);
	tell_sources(b, s);
	res = report_out_write(&b->out, s, &b->run, b->err);
	b->is_done |= res <= 0;
	if (res < 0)
		fail(b);
}

static void
take_snapshot(struct batch *b, struct msg *m)
{
	struct snapshot *s = ((struct engine_snapshot_msg *)m)->snapshot;
	bool is_refresh = s->seq > b->seq;

	b->seq = MAX(b->seq, s->seq);
	snapshot_put(b->newest);
	b->newest = snapshot_get(s);
	if (!is_refresh)
		return;
	b->refreshes++;
	if (b->whole_life && !is_last(b))
		return;
	write_report(b, s);
	b->is_done |= is_last(b);
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
		else if (m->type == ENGINE_MSG_NAMELESS)
			naming_ask(&b->naming, ((struct engine_nameless_msg *)m)->pid, 0);
		else if (m->type == ENGINE_MSG_ENDED)
			take_ended(b, m);
		msg_free(m);
	}
}

/* Before the engine: while there is one thread, and all rights.  It is told why there is none. */
static void
begin_naming(struct batch *b)
{
	const struct broker_config config = { .commands = NULL };
	struct err err = { 0 };

	if (!b->config->engine.name_jit)
		return;
	if (own_rights_are_lent())
		report_tell("--name-jit: this ptop has capabilities of its file (setcap), which are "
			    "lent for measuring alone: nothing is asked to name its code");
	else if ((b->broker = broker_new(&config, &err)) == NULL)
		report_tell(err.text);
	b->naming.broker = b->broker;
}

static void
take_named(struct batch *b)
{
	struct broker_reply reply;
	struct buf said = { 0 };
	int got = broker_take(b->broker, &reply), pid;

	if (got > 0) {
		pid = naming_take(&b->naming, &reply, &said);
		if (pid > 0)
			engine_name_again(b->engine, pid);
		report_tell(buf_str(&said));
	} else if (got < 0) {
		report_tell("--name-jit: ptop-broker, which asks runtimes, has ended");
		b->naming.broker = NULL;
	}
	buf_release(&said);
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
	engine_finish(b->engine);
}

static int
timeout_ms(const struct batch *b)
{
	uint64_t patience_ms = b->config->engine.inlines ? LAST_INLINES_MS : LAST_ANSWER_MS;
	uint64_t now = clock_mono_ns(), end = b->stopping_ns + patience_ms * NSEC_PER_MSEC;

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
		{ .fd = b->out.fd, .events = 0 },
		{ .fd = -1, .events = POLLIN },
	};

	while (!b->is_done) {
		int n;

		if (b->out.fd < 0)
			fds[2].fd = -1; /* it is another's number by now */
		fds[3].fd = b->naming.broker != NULL ? broker_fd(b->broker) : -1;
		n = poll(fds, ARRAY_SIZE(fds), timeout_ms(b));
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			break;
		/* In this order, or a refresh that was on its way would pass for the last one. */
		if ((fds[0].revents & POLLIN) != 0)
			take_messages(b);
		if ((fds[1].revents & POLLIN) != 0)
			take_signal(b);
		if (fds[3].revents != 0)
			take_named(b);
		if ((fds[2].revents & (POLLERR | POLLHUP)) != 0)
			b->is_done = true;
		if ((fds[2].revents & POLLNVAL) != 0)
			fds[2].fd = -1; /* closed: writing will say so */
	}
}

static void
tell_frequency(const struct snapshot_head *h)
{
	struct buf line = { 0 };

	if (h->recording != NULL || !h->is_freq || h->rate >= h->rate_asked)
		return;
	buf_addf(&line, "at the end %llu samples a second per CPU were taken, not %llu",
		 (unsigned long long)h->rate, (unsigned long long)h->rate_asked);
	if (h->rate_reason != NULL && *h->rate_reason != '\0')
		buf_addf(&line, ": %s", h->rate_reason);
	report_tell(buf_str(&line));
	buf_release(&line);
}

static void
tell_losses(const struct snapshot *s)
{
	struct buf line = { 0 };

	for (enum loss_kind k = 0; k < LOSS_KINDS; k++) {
		if (s->head.losses[k] == 0 || !loss_defs[k].is_at_end)
			continue;
		buf_reset(&line);
		loss_put(&line, k, s->head.losses[k], s->head.recording != NULL);
		report_tell(buf_str(&line));
	}
	buf_release(&line);
}

/* COMMAND may have ended by itself before the last report was printed. */
static void
take_late_status(struct batch *b)
{
	struct msg *m;

	while ((m = queue_take(b->answers)) != NULL) {
		const struct engine_ended_msg *e = (const struct engine_ended_msg *)m;

		if (m->type == ENGINE_MSG_ENDED && e->command_ended && !b->is_stopping && !b->is_failed)
			b->status = command_exit(e->command_status);
		msg_free(m);
	}
}

int
batch_run(const struct config *config, int *status, struct err *err)
{
	struct batch b = { .config = config, .err = err, .signal_fd = -1 };
	struct query query;
	sigset_t old;

	b.whole_life = engine_config_is_whole_life(&config->engine) ||
		       format_defs[config->engine.format].is_whole;
	b.run.is_series = config->engine.iterations != 1 && !b.whole_life &&
			  config->engine.input == NULL;
	config_query(config, &query);
	begin_naming(&b);
	b.answers = queue_new();
	/* A pipe that brings nothing is waited for when it is opened: then signals end ptop. */
	pthread_sigmask(SIG_SETMASK, NULL, &old);
	if (config->engine.input == NULL)
		b.signal_fd = end_signals_watch(&old);
	if (report_out_open(&b.out, config, b.run.is_series, err) == 0)
		b.engine = engine_start(&config->engine, &query, b.answers, err);
	if (config->engine.input != NULL)
		b.signal_fd = end_signals_watch(&old);
	if (b.engine != NULL) {
		crash_prepare_walk();
		run_loop(&b);
	} else {
		fail(&b);
	}
	if (b.newest != NULL) {
		tell_losses(b.newest);
		tell_frequency(&b.newest->head);
	}
	flush_complaint(&b);
	snapshot_put(b.newest); /* its strings may be the engine's */
	if (engine_stop(b.engine, b.err) < 0)
		fail(&b);
	take_late_status(&b);
	queue_free(b.answers);
	broker_free(b.broker);
	if (report_out_close(&b.out, b.is_failed ? NULL : b.err) < 0 && !b.is_failed)
		fail(&b);
	if (b.signal_fd >= 0)
		close(b.signal_fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	strs_release(&b.printed);
	*status = b.status;
	return b.is_failed ? -1 : 0;
}
