/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/asks.h"

#include "base/clock.h"
#include "serve/answer.h"
#include "serve/metrics.h"
#include "serve/pusher.h"
#include "serve/record_file.h"
#include "serve/turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PACE_MS = 100,      /* between two reports of the engine */
	PATIENCE_MS = 15000, /* with the engine: a report waits for names */
	FRESH_MS = 1000,    /* an answer may be so old for who asks the same */
	KEPT = 8,           /* answers */
	OK = 200, BAD_REQUEST = 400, NOT_FOUND = 404, TOO_MUCH = 500, BUSY = 503, LATE = 504,
};

struct ask {
	struct serve_ask ask;
	uint64_t due_ns;
};

/* An answer that may be given again. */
struct kept {
	struct serve_ask ask; /* as without_id() has it */
	int fd;               /* -1: none */
	uint64_t made_ns;
};

struct asks {
	struct engine *engine;
	const struct query *base;
	int link;
	struct ask items[SERVE_ASKS_MAX]; /* in the order in which they came */
	size_t len;
	struct turns turns;   /* of those who ask */
	struct ask now;       /* the one that the engine is at */
	bool is_busy;
	bool is_pushing;      /* with a profile for the pusher, and no ask */
	struct pusher *pusher;
	uint64_t began_ns;    /* since when */
	uint64_t seq;         /* of its query */
	enum metrics_part part; /* of SERVE_METRICS */
	struct metrics metrics;
	struct record_file file; /* of SERVE_RECORD */
	struct kept kept[KEPT];
	size_t oldest;        /* of them */
	uint64_t server_cpu_ns; /* of the process at the other end, as it says */
};

struct asks *
asks_new(struct engine *e, const struct query *base, int link, struct pusher *pusher)
{
	struct asks *a = mem_calloc(1, sizeof(*a));

	a->engine = e;
	a->base = base;
	a->link = link;
	a->pusher = pusher;
	metrics_init(&a->metrics);
	for (size_t i = 0; i < KEPT; i++)
		a->kept[i].fd = -1;
	return a;
}

static void
drop(struct kept *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

/* What is too old holds memory, or a file of the disk.  When the next is; UINT64_MAX: none. */
static uint64_t
drop_old(struct asks *a, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;

	for (size_t i = 0; i < KEPT; i++) {
		uint64_t until_ns = a->kept[i].made_ns + FRESH_MS * NSEC_PER_MSEC;

		if (until_ns <= now_ns)
			drop(&a->kept[i]);
		else if (a->kept[i].fd >= 0)
			next_ns = MIN(next_ns, until_ns);
	}
	return next_ns;
}

void
asks_free(struct asks *a)
{
	if (a == NULL)
		return;
	for (size_t i = 0; i < KEPT; i++)
		drop(&a->kept[i]);
	record_file_end(&a->file);
	metrics_release(&a->metrics);
	free(a);
}

/* If it cannot be sent, nobody reads: that is seen when the link is read. */
static void
send_answer(const struct asks *a, uint64_t id, unsigned status, const char *text, int fd)
{
	struct serve_msg m = { .type = SERVE_MSG_ANSWER, .answer = { .id = id, .status = status } };

	snprintf(m.answer.text, sizeof(m.answer.text), "%s", text);
	link_send(a->link, &m, fd);
}

static unsigned
status_of(const struct err *err)
{
	if (err->code == ERR_USAGE)
		return BAD_REQUEST;
	return err->code == ERR_GONE ? NOT_FOUND : TOO_MUCH;
}

static void
refuse(const struct asks *a, const struct serve_ask *ask, unsigned status, const struct err *err)
{
	char text[SERVE_TEXT_MAX];

	snprintf(text, sizeof(text), "%s\n%s%s", err->text, err->hint, *err->hint != '\0' ? "\n" : "");
	send_answer(a, ask->id, status, text, -1);
}

/* What makes two of them the same. */
static struct serve_ask
without_id(const struct serve_ask *ask)
{
	struct serve_ask res = *ask;

	res.id = res.cpu_ns = 0;
	res.asker = (struct asker){ 0 };
	return res;
}

/* A stretch that is still to come is each asker's own. */
static bool
may_share(const struct serve_ask *ask)
{
	return !serve_ask_waits(ask);
}

static int
find_kept(const struct asks *a, const struct serve_ask *ask)
{
	const struct serve_ask wanted = without_id(ask);

	for (size_t i = 0; i < KEPT && may_share(ask); i++)
		if (a->kept[i].fd >= 0 && memcmp(&a->kept[i].ask, &wanted, sizeof(wanted)) == 0)
			return a->kept[i].fd;
	return -1;
}

/* Takes the descriptor. */
static void
keep(struct asks *a, const struct serve_ask *ask, int fd)
{
	struct kept *k = &a->kept[a->oldest];

	a->oldest = (a->oldest + 1) % KEPT;
	drop(k);
	*k = (struct kept){ without_id(ask), fd, clock_mono_ns() };
}

static void
end_ask(struct asks *a)
{
	a->is_busy = a->is_pushing = false;
	record_file_end(&a->file);
}

static void
fail(struct asks *a, unsigned status, const struct err *err)
{
	refuse(a, &a->now.ask, status, err);
	end_ask(a);
}

/* @fd -1: see @err. */
static void
finish(struct asks *a, int fd, const struct err *err)
{
	if (fd < 0) {
		fail(a, status_of(err), err);
		return;
	}
	send_answer(a, a->now.ask.id, OK, "", fd);
	if (may_share(&a->now.ask))
		keep(a, &a->now.ask, fd);
	else
		close(fd);
	end_ask(a);
}

static void
query(struct asks *a, struct query *q)
{
	q->seq = ++a->seq;
	engine_report(a->engine, q);
}

static void
ask_metrics(struct asks *a, enum metrics_part part)
{
	struct query q;

	a->part = part;
	metrics_query(part, a->base, &q);
	query(a, &q);
}

static void
begin(struct asks *a)
{
	struct err err = { 0 };
	struct query q;

	a->is_busy = true;
	a->began_ns = clock_mono_ns();
	if (a->now.ask.what == SERVE_METRICS) {
		ask_metrics(a, METRICS_BY_TASK);
	} else if (a->now.ask.what == SERVE_RECORD) {
		if (record_file_begin(&a->file, &err) < 0)
			fail(a, TOO_MUCH, &err);
		else
			engine_record(a->engine, RECORD_OWN, buf_str(&a->file.path));
	} else if (answer_query(&a->now.ask, a->base, &q, &err) < 0) {
		fail(a, status_of(&err), &err);
	} else {
		query(a, &q);
	}
}

static void
begin_push(struct asks *a)
{
	struct query q;

	a->is_busy = a->is_pushing = true;
	a->began_ns = clock_mono_ns();
	pusher_query(a->pusher, a->base, &q);
	query(a, &q);
}

/* What cannot be answered is told at once, not when its seconds are over. */
static bool
is_possible(const struct asks *a, const struct serve_ask *ask)
{
	struct err err = { 0 };
	struct query q;

	if (ask->what == SERVE_METRICS || ask->what == SERVE_RECORD ||
	    answer_query(ask, a->base, &q, &err) == 0)
		return true;
	refuse(a, ask, status_of(&err), &err);
	return false;
}

static void
take_ask(struct asks *a, const struct serve_ask *ask)
{
	bool waits = serve_ask_waits(ask);
	uint64_t now_ns = clock_mono_ns();

	a->server_cpu_ns = MAX(a->server_cpu_ns, ask->cpu_ns);
	if (a->len == SERVE_ASKS_MAX) {
		send_answer(a, ask->id, BUSY, "Too many requests wait: ask again later.\n", -1);
		return;
	}
	if (!is_possible(a, ask))
		return;
	/* A window may begin now. */
	if (waits)
		engine_cut(a->engine);
	a->items[a->len++] = (struct ask){ *ask, now_ns + (waits ? ask->seconds * NSEC_PER_SEC : 0) };
}

static void
take_out(struct asks *a, struct ask *one)
{
	size_t i = (size_t)(one - a->items);

	memmove(one, one + 1, (--a->len - i) * sizeof(*one));
}

/* One that the engine is at already is answered, to nobody. */
static void
cancel(struct asks *a, uint64_t id)
{
	for (size_t i = 0; i < a->len; i++) {
		if (a->items[i].ask.id != id)
			continue;
		take_out(a, &a->items[i]);
		return;
	}
}

int
asks_take(struct asks *a)
{
	struct serve_msg m;
	int fd, res;

	while ((res = link_recv(a->link, &m, &fd)) > 0) {
		if (fd >= 0)
			close(fd);
		if (m.type == SERVE_MSG_ASK)
			take_ask(a, &m.ask);
		else if (m.type == SERVE_MSG_CANCEL)
			cancel(a, m.ask.id);
		else
			return -1;
	}
	return res;
}

static void
take_metrics(struct asks *a, const struct snapshot *s)
{
	struct err err = { 0 };
	struct buf b = { 0 };

	metrics_take(&a->metrics, a->part, s);
	if (a->part + 1 < METRICS_PARTS) {
		ask_metrics(a, a->part + 1);
		return;
	}
	a->metrics.own_cpu_ns = clock_process_cpu_ns() + a->server_cpu_ns;
	if (a->pusher != NULL)
		a->metrics.own_cpu_ns += push_cpu_ns(a->pusher->push);
	metrics_put(&a->metrics, a->now.ask.is_open_metrics, &b);
	finish(a, answer_of_bytes(b.data, b.len, &err), &err);
	buf_release(&b);
}

/* What it is at is no report. */
static bool
is_recording(const struct asks *a)
{
	return !a->is_pushing && a->now.ask.what == SERVE_RECORD;
}

void
asks_on_snapshot(struct asks *a, const struct snapshot *s)
{
	struct err err = { 0 };

	if (!a->is_busy || is_recording(a) || s->query.seq != a->seq)
		return;
	if (a->is_pushing) {
		pusher_take(a->pusher, s);
		end_ask(a);
	} else if (a->now.ask.what == SERVE_METRICS) {
		take_metrics(a, s);
	} else {
		finish(a, answer_make(&a->now.ask, s, &err), &err);
	}
}

/* A file that is not the one which is awaited was for who has been answered already. */
void
asks_on_recorded(struct asks *a, const struct engine_text_msg *m)
{
	struct err err = { 0 };
	int fd = -1;

	if (!a->is_busy || !is_recording(a))
		return;
	if (m->is_error)
		err_set(&err, ERR_IO, 0, "%.300s", m->text);
	else if (strcmp(m->text, buf_str(&a->file.path)) != 0)
		return;
	else
		fd = record_file_open(&a->file, &err);
	finish(a, fd, &err);
}

static bool
is_before(const struct asks *a, const struct ask *one, const struct ask *other)
{
	uint64_t turn = turns_of(&a->turns, &one->ask.asker);
	uint64_t others = turns_of(&a->turns, &other->ask.asker);

	return turn != others ? turn < others : one->due_ns < other->due_ns;
}

/* Of who had no turn for the longest time, the one that is due as long; NULL: none is. */
static struct ask *
find_due(struct asks *a, uint64_t now_ns)
{
	struct ask *best = NULL;

	for (size_t i = 0; i < a->len; i++)
		if (a->items[i].due_ns <= now_ns && (best == NULL || is_before(a, &a->items[i], best)))
			best = &a->items[i];
	return best;
}

static void
answer_kept(struct asks *a)
{
	for (size_t i = 0; i < a->len;) {
		int fd = find_kept(a, &a->items[i].ask);

		if (fd < 0) {
			i++;
			continue;
		}
		send_answer(a, a->items[i].ask.id, OK, "", fd);
		take_out(a, &a->items[i]);
	}
}

static void
give_up(struct asks *a)
{
	struct err err = { 0 };

	a->seq++; /* what comes later is for nobody */
	if (a->is_pushing) {
		pusher_miss(a->pusher);
		end_ask(a);
		return;
	}
	err_set(&err, ERR_BUSY, 0, "ptop had no answer within %d seconds", PATIENCE_MS / 1000);
	err_hint(&err, "The machine may be too busy: ask again, for less.");
	fail(a, LATE, &err);
}

static int
ms_until(uint64_t ns, uint64_t now_ns)
{
	return ns > now_ns ? (int)MIN((ns - now_ns) / NSEC_PER_MSEC + 1, 1000000u) : 0;
}

/* When one may be begun; UINT64_MAX: there is none. */
static uint64_t
next_due_ns(const struct asks *a)
{
	uint64_t next_ns = a->pusher != NULL ? a->pusher->due_ns : UINT64_MAX;

	for (size_t i = 0; i < a->len; i++)
		next_ns = MIN(next_ns, a->items[i].due_ns);
	return MAX(next_ns, a->began_ns + PACE_MS * NSEC_PER_MSEC);
}

int
asks_step(struct asks *a)
{
	uint64_t now_ns = clock_mono_ns(), next_ns;
	bool may_begin;
	struct ask *due;

	if (a->is_busy && now_ns - a->began_ns > PATIENCE_MS * NSEC_PER_MSEC)
		give_up(a);
	next_ns = drop_old(a, now_ns);
	answer_kept(a);
	if (a->is_busy)
		return ms_until(MIN(next_ns, a->began_ns + PATIENCE_MS * NSEC_PER_MSEC), now_ns);
	may_begin = now_ns - a->began_ns >= PACE_MS * NSEC_PER_MSEC;
	due = find_due(a, now_ns);
	if (may_begin && a->pusher != NULL && a->pusher->due_ns <= now_ns) {
		begin_push(a);
		return asks_step(a);
	}
	if (may_begin && due != NULL) {
		a->now = *due;
		turns_take(&a->turns, &due->ask.asker);
		take_out(a, due);
		begin(a);
		return asks_step(a);
	}
	next_ns = MIN(next_ns, next_due_ns(a));
	return next_ns == UINT64_MAX ? -1 : ms_until(next_ns, now_ns);
}
