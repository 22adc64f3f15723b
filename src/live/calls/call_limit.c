/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/calls/call_limit.h"

enum {
	/* What takes less than this part of one CPU harms nobody, however little its program does. */
	HARMLESS_PER_MILLE = 2,
	/* Fewer nanoseconds of probes say nothing yet: some ten hits. */
	TELLING_NS = 200 * 1000,
};

/* How long it must have been so for what follows. */
#define SHORT_NS (CALL_TRIAL_MS * NSEC_PER_MSEC * 9 / 10)
#define CLOSE_NS (80 * NSEC_PER_MSEC)
#define LONG_NS NSEC_PER_SEC

void
call_limit_reset(struct call_limit *l)
{
	l->count = 0;
	l->over_ns = 0;
}

enum call_verdict
call_limit_judge(uint64_t cost_ns, uint64_t cpu_ns, uint64_t wall_ns)
{
	if (cost_ns < TELLING_NS || cost_ns * 1000 < wall_ns * HARMLESS_PER_MILLE)
		return CALL_FITS;
	/* CPU times are told by the tick: probes have run at least as long as they took. */
	cpu_ns = MAX(cpu_ns, cost_ns);
	if (cost_ns * 100 > cpu_ns * CALL_COUNTED_PERCENT)
		return CALL_CLOSE;
	return cost_ns * 100 > cpu_ns * CALL_TIMED_PERCENT ? CALL_ENTRY_ONLY : CALL_FITS;
}

static enum call_verdict
judge_since(const struct call_look *from, const struct call_look *to)
{
	return call_limit_judge(to->cost_ns - from->cost_ns, to->cpu_ns - from->cpu_ns,
				to->time_ns - from->time_ns);
}

/* The newest look that is @ns or more before the last one; else the oldest, NULL: that is the last. */
static const struct call_look *
look_before(const struct call_limit *l, uint64_t ns)
{
	const struct call_look *last = &l->looks[(l->count - 1) % CALL_LOOKS], *at = NULL;

	for (unsigned back = 2; back <= MIN(l->count, (unsigned)CALL_LOOKS); back++) {
		at = &l->looks[(l->count - back) % CALL_LOOKS];
		if (last->time_ns - at->time_ns >= ns)
			break;
	}
	return at;
}

/* CPU times are coarse: over 20 ms only what takes a good part of a CPU is sure. */
static bool
is_blatant(const struct call_look *from, const struct call_look *to)
{
	uint64_t wall_ns = to->time_ns - from->time_ns;

	return wall_ns >= SHORT_NS && (to->cost_ns - from->cost_ns) * 5 > wall_ns &&
	       judge_since(from, to) == CALL_CLOSE;
}

/* By the last look. */
static enum call_verdict
judge_last(const struct call_limit *l)
{
	const struct call_look *look = &l->looks[(l->count - 1) % CALL_LOOKS];
	const struct call_look *from = look_before(l, SHORT_NS);

	if (from == NULL)
		return CALL_FITS;
	if (is_blatant(from, look))
		return CALL_CLOSE;
	from = look_before(l, CLOSE_NS);
	if (look->time_ns - from->time_ns >= CLOSE_NS && judge_since(from, look) == CALL_CLOSE)
		return CALL_CLOSE;
	from = look_before(l, LONG_NS);
	if (look->time_ns - from->time_ns < LONG_NS)
		return CALL_FITS;
	return judge_since(from, look) == CALL_FITS ? CALL_FITS : CALL_ENTRY_ONLY;
}

enum call_verdict
call_limit_look(struct call_limit *l, const struct call_look *look)
{
	enum call_verdict verdict;

	l->looks[l->count++ % CALL_LOOKS] = *look;
	verdict = judge_last(l);
	if (verdict != CALL_CLOSE)
		l->over_ns = 0;
	else if (l->over_ns == 0)
		l->over_ns = MAX(look_before(l, CLOSE_NS)->time_ns, look->time_ns - CLOSE_NS);
	return verdict;
}
