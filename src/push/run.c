/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that pushes: what is tried when, by which process. */
#include "push/push_impl.h"

#include "base/clock.h"
#include "base/secret_file.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	WIRE_S = 5,     /* for the process that posts to take or tell something */
	PATIENCE_S = 5, /* with it, beyond the time that a post may take */
	END_S = 3,      /* for what waits when ptop ends */
};

static void
take_asks(struct push *p)
{
	struct msg *m;

	while ((m = queue_take(p->asks)) != NULL) {
		if (m->type == PUSH_ASK_PROFILE) {
			push_take_profile(p, (const struct push_ask *)m);
		} else {
			p->is_ending = true;
			p->end_ns = clock_mono_ns() + END_S * NSEC_PER_SEC;
		}
		msg_free(m);
	}
	push_count_waiting(p);
}

static bool
wait_for(void *arg, int fd, short events)
{
	struct push *p = arg;
	struct pollfd f = { .fd = fd, .events = events };
	uint64_t now_ns;

	while ((now_ns = clock_mono_ns()) < p->wire_until_ns) {
		int n = poll(&f, 1, (int)((p->wire_until_ns - now_ns) / NSEC_PER_MSEC) + 1);

		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
	}
	return false;
}

/* The next post has another one. */
static void
end_process(struct push *p)
{
	close(p->wire.fd);
	p->wire.fd = -1;
	host_end(p->host);
}

static void
lose_process(struct push *p, const char *why)
{
	end_process(p);
	push_fail(p, 0, why, "");
}

static void
take_answer(struct push *p)
{
	struct post_end end;
	struct wire_msg m;

	p->wire_until_ns = clock_mono_ns() + WIRE_S * NSEC_PER_SEC;
	if (wire_recv(&p->wire, &m) < 0 || !post_get_end(&m, &end))
		lose_process(p, "the process that pushes has ended");
	else
		push_judge(p, &end);
	wire_msg_release(&m);
}

static int
send_ask(struct push *p, const struct spool_item *item)
{
	struct post_ask ask = {
		.offset = item->offset, .len = item->len,
		.connect_s = p->times.connect_s, .silent_s = p->times.silent_s,
		.whole_s = p->times.whole_s, .is_packed = p->target.is_otlp,
		.content = push_target_content(&p->target), .token = p->token,
	};
	struct buf url = { 0 }, body = { 0 };
	int res;

	push_target_put(&p->target, p->host_name, &item->about, &url);
	ask.url = buf_str(&url);
	post_put_ask(&body, &ask);
	p->wire_until_ns = clock_mono_ns() + WIRE_S * NSEC_PER_SEC;
	res = wire_send(&p->wire, (enum wire_type)POST_ASK, &body, item->fd);
	secret_release(&body);
	buf_release(&url);
	return res;
}

/* false: there is no process, and that was said. */
static bool
has_process(struct push *p)
{
	struct err err = { 0 };

	if (p->wire.fd >= 0)
		return true;
	p->wire = (struct wire){ .wait = wait_for, .arg = p };
	p->wire.fd = host_start(p->host, HOST_PARSER, &err);
	if (p->wire.fd < 0) {
		/* That the store is away is another matter. */
		p->is_away &= p->is_lost;
		push_fail(p, 0, err.text, err.hint);
	}
	p->is_lost = p->wire.fd < 0;
	return !p->is_lost;
}

static void
send_item(struct push *p, const struct spool_item *item)
{
	if (!has_process(p))
		return;
	if (send_ask(p, item) < 0) {
		lose_process(p, "the process that pushes has ended");
		return;
	}
	p->is_sending = true;
	p->deadline_ns = clock_mono_ns() + (p->times.whole_s + PATIENCE_S) * NSEC_PER_SEC;
}

static void
send_fresh(struct push *p)
{
	struct spool_item item = { .fd = p->fresh.fd, .about = p->fresh.about };
	struct stat st;

	if (fstat(item.fd, &st) < 0) {
		push_drop(p, &p->fresh, strerror(errno));
		return;
	}
	item.len = (uint64_t)st.st_size;
	p->sends_fresh = true;
	send_item(p, &item);
}

static void
send_spooled(struct push *p)
{
	struct spool_item item;
	struct err err = { 0 };

	p->sends_fresh = false;
	if (spool_read_first(p->spool, &item, &err) < 0) {
		spool_remove_first(p->spool);
		push_say(p, "a profile that waited is not sent: %.300s", err.text);
		push_count_dropped(p, 1, "the spool was changed");
		return;
	}
	send_item(p, &item);
	close(item.fd);
}

static void
send_oldest(struct push *p)
{
	if (p->fresh.fd >= 0 && (!push_has_spooled(p) || p->fresh.number < spool_first(p->spool)))
		send_fresh(p);
	else if (push_has_spooled(p))
		send_spooled(p);
	push_count_waiting(p);
}

static bool
is_over(const struct push *p)
{
	return p->is_ending && (clock_mono_ns() >= p->end_ns ||
				(!p->is_sending && ((p->is_away && !p->is_refusing) ||
						     atomic_load(&p->waiting) == 0)));
}

/* When something is due; -1: nothing is. */
static int
wait_ms(const struct push *p)
{
	uint64_t now_ns = clock_mono_ns(), next_ns = UINT64_MAX;

	if (p->is_sending)
		next_ns = p->deadline_ns;
	else if (atomic_load(&p->waiting) > 0)
		next_ns = p->next_ns;
	if (p->is_ending)
		next_ns = MIN(next_ns, p->end_ns);
	if (next_ns == UINT64_MAX)
		return -1;
	return next_ns > now_ns ? (int)MIN((next_ns - now_ns) / NSEC_PER_MSEC + 1, 1000000u) : 0;
}

static void
step(struct push *p)
{
	struct pollfd fds[] = {
		{ .fd = queue_fd(p->asks), .events = POLLIN },
		{ .fd = p->wire.fd, .events = POLLIN },
	};
	bool is_heard = poll(fds, ARRAY_SIZE(fds), wait_ms(p)) > 0 && fds[1].revents != 0;

	take_asks(p);
	if (is_heard && p->is_sending)
		take_answer(p);
	else if (is_heard)
		end_process(p);
	else if (p->is_sending && clock_mono_ns() >= p->deadline_ns)
		lose_process(p, "the process that pushes does not answer");
	push_count_waiting(p);
	if (!p->is_sending && clock_mono_ns() >= p->next_ns)
		send_oldest(p);
}

/* What was begun with and is not over may come to the store twice. */
static void
end(struct push *p)
{
	if (p->wire.fd >= 0)
		close(p->wire.fd);
	p->wire.fd = -1;
	if (p->fresh.fd >= 0 && !push_keep(p, &p->fresh))
		push_drop(p, &p->fresh, "ptop ends, and it cannot be kept");
	push_count_waiting(p);
}

void *
push_run(void *push)
{
	struct push *p = push;

	if (p->token != NULL && p->target.is_exposed)
		push_say(p, "the token goes to %.200s as it is: https would hide it", p->target.base);
	if (atomic_load(&p->dropped) > 0)
		push_say(p, "%llu profiles of last time were dropped: the spool is smaller now",
		    (unsigned long long)atomic_load(&p->dropped));
	push_count_waiting(p);
	while (!is_over(p))
		step(p);
	end(p);
	return NULL;
}
