/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of a profile: it is sent, refused, dropped, or waits; and what is said of that. */
#include "push/push_impl.h"

#include "base/clock.h"
#include "base/text.h"
#include "push/otlp_answer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	FAULTS_MAX = 8,   /* of the store, status 500, with one and the same profile */
	RETRY_MAX_S = 600, /* that a store may ask for */
	OK = 200, REDIRECT = 300, BAD = 400, TIMEOUT = 408, EARLY = 425, MANY = 429, FAULT = 500,
};

void
push_say(struct push *p, const char *fmt, ...)
{
	struct push_said_msg *m = msg_new(sizeof(*m), PUSH_MSG_SAID, NULL);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(m->text, sizeof(m->text), fmt, ap);
	va_end(ap);
	queue_send(p->answers, &m->msg);
}

void
push_count_waiting(struct push *p)
{
	size_t spooled = p->spool != NULL ? spool_count(p->spool) : 0;

	atomic_store(&p->waiting, p->fresh.fd >= 0 ? spooled + 1 : spooled);
}

/* Said the first time, and each time that there are twice as many. */
void
push_count_dropped(struct push *p, unsigned n, const char *why)
{
	uint64_t before = atomic_fetch_add(&p->dropped, n), after = before + n;

	if (n > 0 && (before ^ after) > before)
		push_say(p, "%llu %s dropped so far: %s", (unsigned long long)after,
			 after == 1 ? "profile was" : "profiles were", why);
}

/* In the spool.  false: it cannot be kept there, and is the caller's still. */
bool
push_keep(struct push *p, struct push_fresh *f)
{
	unsigned dropped = 0;

	if (p->spool == NULL)
		return false;
	if (spool_add(p->spool, f->number, f->fd, &f->about, &dropped) < 0) {
		if (!p->is_full_told)
			push_say(p, "no profile can be kept in '%.200s': %s", buf_str(&p->spool_path),
				 strerror(errno));
		p->is_full_told = true;
		push_count_dropped(p, dropped, "the disk is full");
		return false;
	}
	p->is_full_told = false;
	push_count_dropped(p, dropped, "there was no room in the spool for more (--spool)");
	close(f->fd);
	f->fd = -1;
	return true;
}

void
push_drop(struct push *p, struct push_fresh *f, const char *why)
{
	close(f->fd);
	f->fd = -1;
	push_count_dropped(p, 1, why);
}

bool
push_has_spooled(const struct push *p)
{
	return p->spool != NULL && spool_count(p->spool) > 0;
}

/* One stays in memory: it is sent at once, or what is on the disk cannot become more. */
void
push_take_profile(struct push *p, const struct push_ask *ask)
{
	struct push_fresh f = { .fd = ask->fd, .about = ask->about };

	if (ask->fd < 0) {
		push_count_dropped(p, 1, ask->why);
		return;
	}
	f.number = p->spool != NULL ? spool_next_number(p->spool) : p->next_number++;
	if ((p->fresh.fd >= 0 || push_has_spooled(p)) && push_keep(p, &f))
		return;
	if (p->fresh.fd >= 0 && p->is_sending && p->sends_fresh) {
		push_drop(p, &f, "the store is slow, and there is no spool");
		return;
	}
	if (p->fresh.fd >= 0)
		push_drop(p, &p->fresh, "the store is away, and there is no spool");
	p->fresh = f;
}

/* Stores that come back are not asked by a whole fleet at once. */
static uint64_t
back_off_ns(const struct push *p, uint32_t retry_s)
{
	uint64_t ms = (uint64_t)p->times.first_ms << MIN(p->failures, 16u);

	ms = MIN(ms, p->times.most_ms);
	ms = ms / 2 + hash_mix(clock_mono_ns(), (uint64_t)getpid()) % (ms / 2 + 1);
	return MAX(ms, MIN(retry_s, (uint32_t)RETRY_MAX_S) * UINT64_C(1000)) * NSEC_PER_MSEC;
}

void
push_fail(struct push *p, uint32_t retry_s, const char *why, const char *advice)
{
	p->is_sending = p->is_refusing = false;
	p->next_ns = clock_mono_ns() + back_off_ns(p, retry_s);
	p->failures++;
	if (!p->is_away)
		push_say(p, "cannot push to %.200s: %.160s%s%s; profiles wait in %s", p->target.base, why,
			 *advice != '\0' ? ": " : "", advice,
			 p->spool != NULL ? buf_str(&p->spool_path) : "memory, one at most");
	p->is_away = true;
	if (p->sends_fresh)
		push_keep(p, &p->fresh);
	else
		spool_let_first_go(p->spool);
}

/* The one that was sent is done with. */
static void
forget(struct push *p)
{
	p->is_sending = false;
	p->faults = p->failures = 0;
	p->next_ns = 0;
	if (!p->sends_fresh) {
		spool_remove_first(p->spool);
		return;
	}
	close(p->fresh.fd);
	p->fresh.fd = -1;
}

static void
say_back(struct push *p)
{
	const unsigned long long refused = atomic_load(&p->refused);
	char more[64] = "";

	if (refused > 0)
		snprintf(more, sizeof(more), ", %llu were refused", refused);
	if (p->is_away)
		push_say(p, "%.200s takes profiles again: %llu waited, %llu were dropped so far%s",
			 p->target.base, (unsigned long long)atomic_load(&p->waiting),
			 (unsigned long long)atomic_load(&p->dropped), more);
	p->is_away = p->is_refusing = false;
}

/* What the store was sent it may say: that is not for the log. */
static bool
has_token(const struct push *p, struct bytes answer)
{
	return p->token != NULL && answer.len > 0 &&
	       memmem(answer.data, answer.len, p->token, strlen(p->token)) != NULL;
}

static const char hidden[] = "what it says has the token in it, and is not shown";

/* In words: of a body the first line. */
static void
put_answer(const struct push *p, const struct post_end *end, struct buf *b)
{
	const bool is_hidden = has_token(p, end->answer);
	const char *text = is_hidden ? hidden : (const char *)end->answer.data;
	const size_t most = is_hidden ? strlen(hidden) : MIN(end->answer.len, (size_t)120);
	size_t len = 0;

	while (len < most && text[len] >= ' ')
		len++;
	buf_addf(b, "HTTP status %u", end->status);
	if (len > 0) {
		buf_add_str(b, ", ");
		text_add_safe(b, text, len);
	}
}

static void
take(struct push *p, const struct post_end *end)
{
	struct buf b = { 0 };

	say_back(p);
	forget(p);
	atomic_fetch_add(&p->sent, 1);
	if (p->target.is_otlp && otlp_answer_put(end->answer, &b) && p->refused_status != end->status) {
		p->refused_status = end->status;
		push_say(p, "%.200s takes a part: %.200s", p->target.base,
			 has_token(p, end->answer) ? hidden : buf_str(&b));
	}
	buf_release(&b);
}

static void
refuse(struct push *p, const struct post_end *end)
{
	struct buf b = { 0 };

	put_answer(p, end, &b);
	if (p->refused_status != end->status)
		push_say(p, "%.200s refuses a profile, which is dropped: %.200s", p->target.base, buf_str(&b));
	p->refused_status = end->status;
	buf_release(&b);
	p->is_refusing = true;
	forget(p);
	atomic_fetch_add(&p->refused, 1);
}

/* Of the one that was sent.  The one before may have been dropped, with its faults. */
static unsigned
count_fault(struct push *p)
{
	uint64_t number = p->sends_fresh ? p->fresh.number : spool_first(p->spool);

	p->faults = number == p->faulty ? p->faults + 1 : 1;
	p->faulty = number;
	return p->faults;
}

/* Whether such a status is of the profile itself: who sends it again is refused again. */
static bool
is_for_good(struct push *p, uint32_t status)
{
	if (status == FAULT)
		return count_fault(p) >= FAULTS_MAX;
	return status >= BAD && status < FAULT && status != TIMEOUT && status != EARLY &&
	       status != MANY;
}

void
push_judge(struct push *p, const struct post_end *end)
{
	struct buf b = { 0 }, advice = { 0 };

	if (end->status >= OK && end->status < REDIRECT) {
		take(p, end);
	} else if (end->status == 0) {
		push_fail(p, 0, end->why, "");
	} else if (!push_target_put_advice(&p->target, end->status, p->token_file, &advice) &&
		   is_for_good(p, end->status)) {
		refuse(p, end);
	} else {
		put_answer(p, end, &b);
		push_fail(p, end->retry_s, buf_str(&b), buf_str(&advice));
	}
	buf_release(&b);
	buf_release(&advice);
}
