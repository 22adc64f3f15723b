/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/calls/call_limit.h"

enum {
	/* What takes less than this part of one CPU harms nobody, however little its program does. */
	HARMLESS_PER_MILLE = 2,
	/* Fewer nanoseconds of probes say nothing yet: some ten hits. */
	TELLING_NS = 200 * 1000,
};

#define SHORT_NS (CALL_TRIAL_MS * NSEC_PER_MSEC * 9 / 10)
#define CLOSE_NS (80 * NSEC_PER_MSEC)
#define LONG_NS NSEC_PER_SEC

/*
 * The stretches of time that can tell that it is too much.  In little CPU time there may be calls
 * alone, and nothing of what the program does between them: then it must be plain, or be seen longer.
 */
static const struct stretch {
	uint64_t wall_ns, cpu_ns; /* at least */
	unsigned percent;         /* of the CPU time that it takes more than */
	unsigned of_one_cpu;      /* percent of one CPU that it takes more than, too: CPU times are coarse */
} stretches[] = {
	{ SHORT_NS, 0, CALL_COUNTED_PERCENT, 20 },
	{ CLOSE_NS, 10 * NSEC_PER_MSEC, 3 * CALL_COUNTED_PERCENT, 0 },
	{ CLOSE_NS, 40 * NSEC_PER_MSEC, CALL_COUNTED_PERCENT, 0 },
	{ LONG_NS, 0, CALL_COUNTED_PERCENT, 0 },
};

void
call_limit_reset(struct call_limit *l)
{
	l->count = 0;
	l->over_ns = 0;
}

/* CPU times are told by the tick: probes have run at least as long as they took. */
static uint64_t
cpu_of(uint64_t cost_ns, uint64_t cpu_ns)
{
	return MAX(cpu_ns, cost_ns);
}

enum call_verdict
call_limit_judge(uint64_t cost_ns, uint64_t cpu_ns, uint64_t wall_ns)
{
	if (cost_ns < TELLING_NS || cost_ns * 1000 < wall_ns * HARMLESS_PER_MILLE)
		return CALL_FITS;
	cpu_ns = cpu_of(cost_ns, cpu_ns);
	if (cost_ns * 100 > cpu_ns * CALL_COUNTED_PERCENT)
		return CALL_CLOSE;
	return cost_ns * 100 > cpu_ns * CALL_TIMED_PERCENT ? CALL_ENTRY_ONLY : CALL_FITS;
}

static struct call_look
between(const struct call_look *from, const struct call_look *to)
{
	return (struct call_look){ to->time_ns - from->time_ns, to->cost_ns - from->cost_ns,
				   to->cpu_ns - from->cpu_ns };
}

static const struct call_look *
last_look(const struct call_limit *l)
{
	return &l->looks[(l->count - 1) % CALL_LOOKS];
}

/* From the newest look on that is so long before the last one; else from the oldest. */
static struct call_look
gain_of(const struct call_limit *l, uint64_t wall_ns, uint64_t cpu_ns)
{
	struct call_look gain = { 0 };

	for (unsigned back = 2; back <= MIN(l->count, (unsigned)CALL_LOOKS); back++) {
		gain = between(&l->looks[(l->count - back) % CALL_LOOKS], last_look(l));
		if (gain.time_ns >= wall_ns && cpu_of(gain.cost_ns, gain.cpu_ns) >= cpu_ns)
			break;
	}
	return gain;
}

/* How long it is that this stretch tells that it is too much; 0: it does not. */
static uint64_t
too_much_for(const struct call_limit *l, const struct stretch *s)
{
	const struct call_look gain = gain_of(l, s->wall_ns, s->cpu_ns);
	uint64_t cpu_ns = cpu_of(gain.cost_ns, gain.cpu_ns);
	bool is_told = gain.time_ns >= s->wall_ns && cpu_ns >= s->cpu_ns;
	bool is_over = gain.cost_ns * 100 > cpu_ns * s->percent &&
		       gain.cost_ns * 100 > gain.time_ns * s->of_one_cpu &&
		       call_limit_judge(gain.cost_ns, cpu_ns, gain.time_ns) == CALL_CLOSE;

	return is_told && is_over ? gain.time_ns : 0;
}

/* By the last look. */
static enum call_verdict
judge_last(struct call_limit *l)
{
	struct call_look gain;

	for (size_t i = 0; i < ARRAY_SIZE(stretches); i++) {
		l->told_by_ns = too_much_for(l, &stretches[i]);
		if (l->told_by_ns != 0)
			return CALL_CLOSE;
	}
	gain = gain_of(l, LONG_NS, 0);
	if (gain.time_ns < LONG_NS ||
	    call_limit_judge(gain.cost_ns, gain.cpu_ns, gain.time_ns) == CALL_FITS)
		return CALL_FITS;
	return CALL_ENTRY_ONLY;
}

enum call_verdict
call_limit_look(struct call_limit *l, const struct call_look *look)
{
	enum call_verdict verdict;
	uint64_t before_ns;

	l->looks[l->count++ % CALL_LOOKS] = *look;
	verdict = judge_last(l);
	before_ns = MAX(l->told_by_ns, MIN(gain_of(l, CLOSE_NS, 0).time_ns, CLOSE_NS));
	if (verdict != CALL_CLOSE)
		l->over_ns = 0;
	else if (l->over_ns == 0)
		l->over_ns = look->time_ns - before_ns;
	return verdict;
}
