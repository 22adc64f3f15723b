/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/look_round.h"

#include <time.h>

#include "base/clock.h"

enum {
	STILL_PART = 4,       /* of the time that a thread is known not to have run: looks are as far */
	STILL_MOST = 20,      /* apart as that, up to so many intervals, as nothing is new; */
	STILL_FEW = 4,        /* up to so many of threads that are preferred */
	TELL_PART = 8,        /* looks for which nothing is read are spread over that part of their gap; */
	TICK_PART = 1,        /* of an interval: looks that are due so near to each other are taken together, */
	TICK_MOST_MS = 100,   /* up to that, */
	TICK_LONG_PART = 12,  /* and to such a part of a long one: each time all threads are gone through */
	TICK_STAY_PART = 16,  /* of how long it is kept what those wait that nothing is read of; */
	OWNER_MS = 5,         /* so long what was seen of the owner of a lock is told of it */
	RAN_OFTEN = 3,        /* times in a row: it will have run at the next look; */
	FAR_MS = 500,         /* once is enough if that is so far away; */
	RESTS_MS = 2000,      /* then one that has just been looked at is let be so long: it will have run */
	DEAR_NS = 20000,      /* a look at a thread that has costs about, */
	LEARN_LEAST = 32,     /* looks together: of few the way through all threads is most of the price */
	RAN_LEARN = 64,       /* of what is new of how many ran again, that part; */
	RAN_TRY = 16,         /* where nearly all do, one of so many is looked at to see whether they still do */
	ROUSE_MS = 2000,      /* where others are further apart, these become due within so long */
	IDLE_MS = 1000,       /* so often there is something to do; */
	FIRST_PART = 64,      /* while more than that part had no look yet, it is their first turn: */
	FIRST_LEAST = 200,    /* so few are looked at at once, as those that come and go */
	MOMENT_NS = 20000,    /* the looker sleeps to let those run that wait for its CPU */
};

static const double ran_most = 0.9; /* if more than that part of them ran again, the next one will have */

/* From 0 to below @below. */
static uint64_t
draw(struct look_round *r, uint64_t below)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random % MAX(below, 1);
}

static bool
is_preferred(const struct look_round *r, size_t i)
{
	return r->preferred != 0 && r->list.items[i].pid == r->preferred;
}

/*
 * Where others wait long for their first look, or their next, one whose look is just over has no more
 * of them soon: not before it will have run, or is worth a look for not having run.
 */
static bool
rests(const struct look_round *r, const struct wait_thread *t)
{
	return r->env.is_far && t->still == 0 && !r->list.turns[t - r->list.items].is_late &&
	       (r->preferred == 0 || t->pid != r->preferred);
}

/*
 * At a random moment of its next interval.  A wait that has been seen for long will last: were looks
 * far apart after short waits, too, these would be given more than they lasted.
 */
static uint64_t
next_due(struct look_round *r, const struct wait_thread *t, uint64_t from_ns)
{
	const bool is_preferred = t->pid == r->preferred;
	uint64_t still_ns = (t->seen_ns - t->still_ns) / STILL_PART;
	uint64_t interval_ns = is_preferred ? look_pace_least_ns(&r->pace) : r->pace.interval_ns;
	uint64_t most_ns = (is_preferred ? STILL_FEW : STILL_MOST) * r->pace.base_ns;
	uint64_t gap_ns = MAX(interval_ns, MIN(still_ns, most_ns));

	if (rests(r, t))
		gap_ns = MAX(gap_ns, RESTS_MS * NSEC_PER_MSEC);
	return from_ns + gap_ns / 2 + draw(r, gap_ns);
}

/*
 * Nothing can be seen of it but that its process has run: once it has waited for long, the next look
 * is when that is to be told.  Not so long after the last record: that is of when the clock of the
 * process was read, and all its threads would be due at once.
 */
static uint64_t
next_stay(struct look_round *r, const struct wait_thread *t, uint64_t from_ns)
{
	const uint64_t hold_ns = r->env.hold_ns;

	if ((t->seen_ns - t->still_ns) / STILL_PART < hold_ns)
		return next_due(r, t, from_ns);
	return from_ns + hold_ns - draw(r, hold_ns / TELL_PART);
}

/* Looks that are due within so long are taken together.  When nothing is read at them is of no matter. */
static uint64_t
tick_ns(const struct look_round *r)
{
	uint64_t most_ns = MAX(r->pace.interval_ns / TICK_LONG_PART, TICK_MOST_MS * NSEC_PER_MSEC);
	uint64_t ns = r->preferred_looked_at > 0 ? look_pace_least_ns(&r->pace) : r->pace.interval_ns;

	ns = MIN(ns / TICK_PART, most_ns);
	return r->looked_at == 0 ? MAX(ns, r->env.hold_ns / TICK_STAY_PART) : ns;
}

/*
 * Who holds the lock that @t waits for is looked at as well: what it does meanwhile is what all of
 * them wait for.  If it is gone its own turn will find that.
 */
static void
look_at_owner(struct look_round *r, struct wait_thread *t)
{
	struct wait_thread *owner = t->owner != 0 && t->state == LOOK_WAITS
					    ? wait_list_find(&r->list, t->owner) : NULL;
	bool is_old;

	if (owner == NULL || owner == t || wait_place_has_met(t, owner))
		return;
	/* A record that is told again and again does not say that it holds one. */
	is_old = owner->place != NULL && owner->place->told != NULL;
	if (is_old)
		wait_thread_renew(owner, &r->env);
	if ((is_old || t->seen_ns > owner->seen_ns + OWNER_MS * NSEC_PER_MSEC) &&
	    wait_thread_look(owner, &r->env) < 0)
		return;
	wait_place_meet(t, owner);
}

static void
set_turn(struct look_round *r, const struct wait_thread *t, int result, uint64_t now_ns)
{
	struct wait_turn *turn = &r->list.turns[t - r->list.items];

	turn->stays = false;
	turn->is_late = result == WAIT_PUT_OFF || t->ran >= RAN_OFTEN ||
			(t->ran > 0 && r->env.is_far);
	/* That one was early does not make them more. */
	if (result == WAIT_PUT_OFF)
		return;
	turn->is_new = false;
	turn->due_ns = next_due(r, t, MIN(MAX(turn->due_ns, now_ns), now_ns + tick_ns(r)));
}

/* Those that have ended: others take their places in the list. */
static void
drop_ended(struct look_round *r)
{
	int ended[LOOK_TOGETHER];
	size_t count = 0;

	for (size_t i = 0; i < r->seen_len; i++)
		if (r->results[i] < 0)
			ended[count++] = r->seen[i]->tid;
	for (size_t i = 0; i < count; i++) {
		struct wait_thread *t = wait_list_find(&r->list, ended[i]);

		if (t != NULL)
			wait_list_drop(&r->list, (size_t)(t - r->list.items), &r->env);
	}
}

/* Lets those go on that may wait for this CPU, and looks at them.  False: it was left behind. */
static bool
look_behind(struct look_round *r)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };
	uint64_t slept_ns = 0, woken_ns = 0;

	for (size_t i = 0; i < r->seen_len; i++) {
		if (r->results[i] != WAIT_BEHIND)
			continue;
		if (slept_ns == 0) {
			slept_ns = clock_mono_ns();
			nanosleep(&moment, NULL);
			woken_ns = clock_mono_ns();
		}
		r->guard.enter(r->guard.self, r->seen[i]->pid, clock_mono_ns());
		r->results[i] = wait_thread_look_behind(r->seen[i], &r->env, slept_ns);
		if (!r->guard.leave(r->guard.self))
			return false;
	}
	r->env.woken_ns = woken_ns != 0 ? woken_ns : r->env.woken_ns;
	return true;
}

/* Ends the looks that have begun.  False: it was left behind. */
static bool
end_looks(struct look_round *r)
{
	uint64_t now = clock_mono_ns(), cpu;
	size_t dear = 0;

	if (r->top_len > 0) {
		r->guard.enter(r->guard.self, r->tops[0].thread->pid, now);
		wait_place_read_tops(r->tops, r->top_len);
		if (!r->guard.leave(r->guard.self))
			return false;
	}
	for (size_t i = 0, k = 0; i < r->seen_len; i++) {
		struct wait_thread *t = r->seen[i];

		r->guard.enter(r->guard.self, t->pid, now);
		if (r->results[i] == WAIT_ASKS)
			r->results[i] = wait_thread_end_look(&r->tops[k++], &r->env);
		dear += r->results[i] != 0;
		if (!r->guard.leave(r->guard.self))
			return false;
	}
	if (!look_behind(r))
		return false;
	now = clock_mono_ns();
	for (size_t i = 0; i < r->seen_len; i++) {
		struct wait_thread *t = r->seen[i];

		r->guard.enter(r->guard.self, t->pid, now);
		if (r->results[i] >= 0) {
			set_turn(r, t, r->results[i], now);
			look_at_owner(r, t);
		}
		if (!r->guard.leave(r->guard.self))
			return false;
	}
	drop_ended(r);
	cpu = clock_thread_cpu_ns();
	if (dear == 0 && r->stayed == 0 && r->seen_len >= LEARN_LEAST)
		look_pace_learn(&r->pace, cpu - r->pace.cpu_ns, r->seen_len);
	/* How seldom nothing is read is set by how long what they wait is kept: others do not pay for it. */
	look_pace_charge(&r->pace, now, cpu, r->seen_len == 0 && r->stayed > 0);
	r->seen_len = r->top_len = r->stayed = 0;
	r->guard.pause(r->guard.self);
	return true;
}

/* So many looks are worth the credit that there is. */
static size_t
worth_looks(const struct look_round *r)
{
	if (r->pace.percent <= 0 || r->pace.credit_ns >= LOOK_TOGETHER * DEAR_NS)
		return LOOK_TOGETHER;
	return (size_t)MAX(r->pace.credit_ns, DEAR_NS) / DEAR_NS;
}

/* At its last look, or that was the first. */
static bool
has_run(const struct wait_thread *t)
{
	return t->since_ns != 0 && t->still == 0;
}

static void
learn_ran(struct look_round *r, bool has_run)
{
	r->ran_again += ((has_run ? 1 : 0) - r->ran_again) / RAN_LEARN;
}

/* Looks at a thread, or begins to; all looks have ended when there are @most.  False: it was left behind. */
static bool
look_at(struct look_round *r, size_t i, uint64_t now_ns, bool is_short, size_t most)
{
	struct wait_thread *t = &r->list.items[i];
	const struct wait_process *p = wait_list_process(&r->list, t->pid);
	const uint64_t clock_ns = p != NULL ? p->clock.cpu_ns : 0;
	const bool had_run = has_run(t);
	int result;

	r->guard.enter(r->guard.self, t->pid, now_ns);
	result = wait_thread_begin_look(t, &r->env, is_short, &r->tops[r->top_len]);
	if (is_short && had_run)
		learn_ran(r, result == WAIT_PUT_OFF);
	/* Else its times are those of a look before. */
	if (result != WAIT_PUT_OFF && !(result == WAIT_ASKS && r->tops[r->top_len].is_place_alone))
		t->clock_ns = clock_ns;
	r->top_len += result == WAIT_ASKS;
	r->results[r->seen_len] = result;
	r->seen[r->seen_len++] = t;
	if (!r->guard.leave(r->guard.self))
		return false;
	return r->seen_len < most || end_looks(r);
}

/* Whether nothing need be read of it, as its process has not run since: that is a look, too. */
static bool
stays(struct look_round *r, size_t i, uint64_t now_ns)
{
	struct wait_thread *t = &r->list.items[i];
	struct wait_process *p = wait_list_process(&r->list, t->pid);

	if (p == NULL || p->tid != 0)
		return false;
	process_clock_step(&p->clock, p->pid, p->threads, now_ns);
	if (!wait_thread_stays(t, p->clock.cpu_ns))
		return false;
	if (p->clock.at_ns > t->seen_ns) {
		wait_thread_stay(t, &r->env, p->clock.at_ns);
		r->list.turns[i] = (struct wait_turn){ .due_ns = next_stay(r, t, now_ns), .stays = true };
		r->stayed++;
		return true;
	}
	/* It was looked at since the clock was: that is soon to be read again, or not worth it. */
	if (p->clock.changes == 0)
		r->list.turns[i].due_ns = p->clock.next_ns;
	return p->clock.changes == 0;
}

/*
 * Where looks are far apart, as their price was high: those of a process that has not run since have
 * none.
 */
static void
rouse(struct look_round *r, uint64_t now_ns)
{
	if (r->pace.interval_ns <= ROUSE_MS * NSEC_PER_MSEC ||
	    now_ns - r->roused_ns < ROUSE_MS * NSEC_PER_MSEC)
		return;
	r->roused_ns = now_ns;
	for (size_t i = 0; i < r->list.len; i++) {
		const struct wait_thread *t = &r->list.items[i];
		struct wait_turn *turn = &r->list.turns[i];
		struct wait_process *p = wait_list_process(&r->list, t->pid);

		if (turn->due_ns <= now_ns || p == NULL || p->tid != 0)
			continue;
		process_clock_step(&p->clock, p->pid, p->threads, now_ns);
		if (p->clock.changes == 0 && wait_thread_stays(t, p->clock.cpu_ns))
			turn->due_ns = MIN(turn->due_ns, now_ns + draw(r, ROUSE_MS * NSEC_PER_MSEC));
	}
}

/*
 * Without credit there is a look only at what has not run since.  To find that nearly all of thousands
 * have costs what their looks do: they wait for credit without it.
 */
static bool
is_put_off(struct look_round *r, const struct wait_thread *t)
{
	return has_run(t) && r->ran_again > ran_most && draw(r, RAN_TRY) > 0;
}

/* Whether those that are late come first, whatever credit there is: else their turn would never end. */
static bool
is_for_late(const struct look_round *r)
{
	return r->env.is_far || !look_pace_has_credit(&r->pace, false);
}

/* Those that had not run, as they are due: if they have, there is a look if there is credit for it. */
static bool
look_at_still(struct look_round *r, uint64_t until)
{
	bool is_short = is_for_late(r);
	uint64_t now = clock_mono_ns();

	/* What was done since the last looks is none of their price. */
	look_pace_charge(&r->pace, now, clock_thread_cpu_ns(), false);
	for (size_t i = r->list.len; i-- > 0;) {
		struct wait_turn *turn = &r->list.turns[i];

		if (turn->is_late || turn->due_ns > until)
			continue;
		/* Thousands of new ones are not to be dear at once. */
		if (is_short && !look_pace_has_credit(&r->pace, true) &&
		    r->list.items[i].since_ns == 0) {
			turn->is_late = true;
			continue;
		}
		if (stays(r, i, now)) {
			if (r->stayed < LOOK_TOGETHER)
				continue;
			if (!end_looks(r))
				return false;
		} else if (is_short && is_put_off(r, &r->list.items[i])) {
			turn->is_late = true;
			continue;
		} else {
			r->behind_ns += now - MIN(turn->due_ns, now);
			if (!look_at(r, i, now, is_short, is_short ? LOOK_TOGETHER : worth_looks(r)))
				return false;
		}
		if (r->seen_len > 0)
			continue;
		i = MIN(i, r->list.len); /* some may have gone */
		now = clock_mono_ns();
		is_short = is_for_late(r);
	}
	return end_looks(r);
}

/* The others in turn, of that process, 0: of all, while there is credit. */
static bool
look_at_late(struct look_round *r, uint64_t until, int pid)
{
	size_t count = r->list.len, at = r->cursor;
	uint64_t now = clock_mono_ns();

	for (size_t n = 0; n < count && look_pace_has_credit(&r->pace, pid != 0); n++, at++) {
		at = at < r->list.len ? at : 0;
		if (at == r->list.len)
			break;
		if (!r->list.turns[at].is_late || r->list.turns[at].due_ns > until ||
		    (pid != 0 && r->list.items[at].pid != pid))
			continue;
		if (!look_at(r, at, now, false, worth_looks(r)))
			return false;
		now = r->seen_len == 0 ? clock_mono_ns() : now;
	}
	if (pid == 0)
		r->cursor = at;
	return end_looks(r);
}

/* How many wait for credit, in turn; 0: all of them that are due had theirs. */
static size_t
count_late(const struct look_round *r, uint64_t until)
{
	size_t count = 0, due = 0;

	if (look_pace_has_credit(&r->pace, false))
		return 0;
	for (size_t i = 0; i < r->list.len; i++) {
		count += r->list.turns[i].is_late;
		due += r->list.turns[i].is_late && r->list.turns[i].due_ns <= until;
	}
	return due > 0 ? count : 0;
}

bool
look_round_due(struct look_round *r)
{
	uint64_t now = clock_mono_ns(), until = now + tick_ns(r) / 2, looks;

	r->env.threads = r->list.len;
	r->env.is_far = look_pace_turn_ns(&r->pace, DEAR_NS) > FAR_MS * NSEC_PER_MSEC;
	rouse(r, now);
	if (!look_at_still(r, until))
		return false;
	looks = r->env.looks;
	if ((r->preferred != 0 && !look_at_late(r, until, r->preferred)) ||
	    !look_at_late(r, until, 0))
		return false;
	look_pace_late(&r->pace, now, r->env.looks - looks, count_late(r, until));
	return true;
}

bool
look_round_all(struct look_round *r)
{
	r->env.threads = r->list.len;
	for (size_t i = r->list.len; i-- > 0; i = MIN(i, r->list.len)) {
		if (!look_at(r, i, clock_mono_ns(), false, LOOK_TOGETHER))
			return false;
	}
	return end_looks(r);
}

void
look_round_set_interval(struct look_round *r)
{
	struct look_counts n = { 0 };
	size_t late = 0;

	r->unseen = 0;
	for (size_t i = 0; i < r->list.len; i++) {
		const struct wait_turn *turn = &r->list.turns[i];

		n.late += turn->is_late;
		n.stay += !turn->is_late && turn->stays;
		n.still += !turn->is_late && !turn->stays;
		n.preferred += !turn->is_late && !turn->stays && is_preferred(r, i);
		late += turn->is_late && is_preferred(r, i);
		r->unseen += turn->is_new;
	}
	r->is_first_turn = r->unseen > MAX(r->list.len / FIRST_PART, FIRST_LEAST);
	if (r->list.is_listed && r->list.len > 0 && r->unseen <= r->list.len / FIRST_PART)
		look_pace_end_first(&r->pace);
	/* First looks are paced by credit alone. */
	r->looked_at = n.still + n.late - MIN(r->unseen, n.late);
	r->preferred_looked_at = n.preferred + late;
	look_pace_set(&r->pace, &n);
}

/* Its threads are due, but where it has not run: what these wait is told in turn. */
void
look_round_prefer(struct look_round *r, int pid)
{
	struct wait_process *p = pid != 0 ? wait_list_process(&r->list, pid) : NULL;
	uint64_t now = clock_mono_ns();

	r->preferred = pid;
	if (p != NULL && p->tid == 0)
		process_clock_step(&p->clock, p->pid, p->threads, now);
	for (size_t i = 0; i < r->list.len && pid != 0; i++) {
		if (r->list.items[i].pid == pid &&
		    !(r->list.turns[i].stays && p != NULL && p->tid == 0 &&
		      wait_thread_stays(&r->list.items[i], p->clock.cpu_ns)))
			r->list.turns[i].due_ns = now;
	}
}

/* Until the next look is due; never in step with what is looked at. */
int
look_round_wait_ms(struct look_round *r)
{
	uint64_t now = clock_mono_ns(), due = now + IDLE_MS * NSEC_PER_MSEC;
	uint64_t late = now + look_pace_wait_ns(&r->pace);
	bool has_more = look_pace_has_credit(&r->pace, true);

	for (size_t i = 0; i < r->list.len; i++) {
		const struct wait_turn *turn = &r->list.turns[i];

		due = MIN(due, turn->is_late && !(has_more && is_preferred(r, i)) ? MAX(turn->due_ns, late)
								   : turn->due_ns);
	}
	if (r->list.next < r->list.process_len)
		return 1;
	return (int)(MAX(due, now + NSEC_PER_MSEC) / NSEC_PER_MSEC - now / NSEC_PER_MSEC +
		     draw(r, tick_ns(r) / NSEC_PER_MSEC));
}
