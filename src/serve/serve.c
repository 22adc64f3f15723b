/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/serve.h"

#include "base/clock.h"
#include "base/end_signals.h"
#include "base/strs.h"
#include "serve/activation.h"
#include "serve/address.h"
#include "serve/asks.h"
#include "serve/pusher.h"
#include "serve/server.h"
#include "serve/token.h"
#include "view/notice.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
	LAST_MS = 3000, /* for what was sampled since the last profile that was pushed */
	AGAIN_MS = 500, /* a signal that comes sooner is the same: timeout(1) sends it twice */
};

struct serve {
	const struct serve_config *config;
	struct address address;
	bool is_given; /* the socket is systemd's */
	struct serve_setup setup;
	struct server server;
	int listen, signals;
	struct queue *answers;
	struct engine *engine;
	struct asks *asks;
	struct query base; /* of what is asked */
	struct push *push; /* NULL: nothing is pushed */
	struct pusher pusher;
	struct strs told;  /* notices that were told */
	bool is_over, is_ending;
	uint64_t end_ns;   /* then it does not wait any longer */
	struct err *err;
};

static void
tell_notices(struct serve *s, const struct snapshot *snap)
{
	for (size_t i = 0; i < snap->head.notice_count; i++)
		if (notice_is_new(&s->told, snap->head.notices[i]))
			s->config->tell(snap->head.notices[i]);
}

static void
take_message(struct serve *s, const struct msg *m)
{
	const struct engine_text_msg *text = (const struct engine_text_msg *)m;

	if (m->type == ENGINE_MSG_SNAPSHOT) {
		const struct snapshot *snap = ((const struct engine_snapshot_msg *)m)->snapshot;

		tell_notices(s, snap);
		asks_on_snapshot(s->asks, snap);
	} else if (m->type == ENGINE_MSG_STATUS || m->type == ENGINE_MSG_RECORDED) {
		if (m->type == ENGINE_MSG_RECORDED)
			asks_on_recorded(s->asks, text);
		if (text->is_error)
			s->config->tell(text->text);
	} else if (m->type == PUSH_MSG_SAID) {
		s->config->tell(((const struct push_said_msg *)m)->text);
	} else if (m->type == ENGINE_MSG_ENDED) {
		s->is_over = true;
		*s->err = ((const struct engine_ended_msg *)m)->err;
		if (s->err->code == ERR_NONE)
			err_set(s->err, ERR_GONE, 0, "nothing is sampled any more");
	}
}

static void
take_messages(struct serve *s)
{
	struct msg *m;

	while (!s->is_over && (m = queue_take(s->answers)) != NULL) {
		take_message(s, m);
		msg_free(m);
	}
}

static void
lose_server(struct serve *s)
{
	s->is_over = true;
	err_set(s->err, ERR_GONE, 0, "the process that speaks HTTP has ended, or makes no sense");
	err_hint(s->err, "start ptop again, and see whether memory is short");
}

/* false: there is none. */
static bool
read_signal(struct serve *s)
{
	struct signalfd_siginfo info;

	return read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info);
}

/* What was not pushed yet still is; who does not want to wait says it once more. */
static void
take_signal(struct serve *s)
{
	uint64_t now_ns = clock_mono_ns();

	if (!read_signal(s))
		return;
	if (s->is_ending) {
		s->is_over |= now_ns + (LAST_MS - AGAIN_MS) * NSEC_PER_MSEC > s->end_ns;
		return;
	}
	s->is_over |= s->push == NULL;
	s->is_ending = true;
	s->end_ns = now_ns + LAST_MS * NSEC_PER_MSEC;
	if (s->push != NULL)
		pusher_finish(&s->pusher);
}

static int
wait_ms(struct serve *s)
{
	int ms = asks_step(s->asks);

	return s->is_ending && (ms < 0 || ms > LAST_MS) ? LAST_MS : ms;
}

static bool
is_over(const struct serve *s)
{
	return s->is_over ||
	       (s->is_ending && (s->pusher.is_done || clock_mono_ns() >= s->end_ns));
}

static void
run_loop(struct serve *s)
{
	struct pollfd fds[] = {
		{ .fd = queue_fd(s->answers), .events = POLLIN },
		{ .fd = s->signals, .events = POLLIN },
		{ .fd = s->server.link, .events = POLLIN },
	};

	while (!is_over(s)) {
		int n = poll(fds, ARRAY_SIZE(fds), wait_ms(s));

		if (n <= 0)
			continue;
		if (fds[0].revents != 0)
			take_messages(s);
		/* Before the other: who ends all of ptop's processes ends that one, too. */
		if (fds[1].revents != 0)
			take_signal(s);
		if (fds[2].revents != 0 && asks_take(s->asks) < 0) {
			fds[2].fd = -1;
			if (!s->is_over && !s->is_ending)
				lose_server(s);
		}
	}
}

static void
tell_begin(const struct serve *s, uint64_t every_ms, const char *lack)
{
	struct buf b = { 0 };

	if (s->listen >= 0) {
		buf_add_str(&b, "serving ");
		address_put(&b, s->listen);
		s->config->tell(buf_str(&b));
	}
	if (*lack != '\0')
		s->config->tell(lack);
	buf_reset(&b);
	if (s->push != NULL) {
		buf_addf(&b, "pushing to %s every %.3g s", s->config->push.url, (double)every_ms / 1e3);
		s->config->tell(buf_str(&b));
	}
	buf_release(&b);
}

/* At the socket that systemd has made, or else at the address. */
static int
listen_somewhere(struct serve *s)
{
	const struct serve_config *c = s->config;
	int given = activation_take(&s->listen, &s->address, s->err);

	s->is_given = given > 0;
	if (s->is_given)
		return serve_check_address(&s->address, c->token_file != NULL, s->err);
	if (given < 0 || address_parse(c->address, &s->address, s->err) < 0)
		return -1;
	s->listen = address_listen(&s->address, s->err);
	return s->listen >= 0 ? 0 : -1;
}

static int
begin_server(struct serve *s, char lack[SERVE_TEXT_MAX])
{
	const struct serve_config *c = s->config;

	if (c->address == NULL)
		return 0;
	if (c->token_file != NULL && token_read(c->token_file, &s->setup, s->err) < 0)
		return -1;
	if (listen_somewhere(s) < 0)
		return -1;
	s->setup.is_tcp = !s->address.is_unix;
	return server_start(&s->server, s->listen, &s->setup, lack, s->err);
}

/* Both processes are forked while there is one thread, and nothing of what is measured. */
static int
begin(struct serve *s)
{
	const struct serve_config *c = s->config;
	uint64_t every_ms = c->push_every_ms != 0 ? c->push_every_ms : PUSHER_EVERY_MS;
	char lack[SERVE_TEXT_MAX] = "";

	if (begin_server(s, lack) < 0)
		return -1;
	s->base = *c->base;
	s->base.hide_addresses = s->setup.is_tcp && s->setup.token_len == 0;
	/* It has that: no other process is to know it. */
	explicit_bzero(&s->setup, sizeof(s->setup));
	if (c->push.url != NULL && (s->push = push_open(&c->push, s->err)) == NULL)
		return -1;
	s->engine = engine_start(c->engine, c->base, s->answers, s->err);
	if (s->engine == NULL)
		return -1;
	c->begun();
	if (s->push != NULL)
		pusher_begin(&s->pusher, s->push, every_ms * NSEC_PER_MSEC);
	s->asks = asks_new(s->engine, &s->base, s->server.link, s->push != NULL ? &s->pusher : NULL);
	tell_begin(s, every_ms, lack);
	if (s->push != NULL)
		push_start(s->push, s->answers);
	return 0;
}

static void
end_push(struct serve *s)
{
	struct buf b = { 0 };
	struct msg *m;

	/* Whatever has ended it. */
	if (s->asks != NULL && s->push != NULL && !s->pusher.is_done)
		s->config->tell("what was sampled since the last profile is not pushed");
	push_close(s->push, &b);
	while ((m = queue_take(s->answers)) != NULL) {
		if (m->type == PUSH_MSG_SAID)
			s->config->tell(((const struct push_said_msg *)m)->text);
		msg_free(m);
	}
	if (b.len > 0)
		s->config->tell(b.data);
	buf_release(&b);
}

static void
end(struct serve *s)
{
	server_end(&s->server);
	if (s->listen >= 0) {
		close(s->listen);
		if (!s->is_given)
			address_leave(&s->address);
	}
	end_push(s);
	asks_free(s->asks);
}

int
serve_run(const struct serve_config *config, struct err *err)
{
	struct serve s = { .config = config, .err = err, .listen = -1, .server.link = -1 };
	struct err ended = { 0 };
	sigset_t old;

	s.answers = queue_new();
	s.signals = end_signals_watch(&old);
	if (begin(&s) == 0)
		run_loop(&s);
	end(&s);
	if (engine_stop(s.engine, &ended) < 0 && err->code == ERR_NONE)
		*err = ended;
	queue_free(s.answers);
	/* Those that came since would end ptop once they are not blocked any more. */
	while (s.signals >= 0 && read_signal(&s))
		continue;
	if (s.signals >= 0)
		close(s.signals);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	strs_release(&s.told);
	explicit_bzero(&s.setup, sizeof(s.setup)); /* of what did not begin */
	return err->code == ERR_NONE ? 0 : -1;
}
