/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often events are sampled that are sampled by frequency: what is asked for, and what the CPU
 * budget leaves of it.  Those that are sampled by period are left alone: a period of 1 says that
 * each time counts, and any other was asked for as well.
 */
#include "engine/sampling/sampling_impl.h"

#include <math.h>
#include <unistd.h>

#include "live/sys/limits.h"

enum {
	LOOK_MS = 950,   /* between looks: a beat is a second or less */
	BEGIN_MS = 4000, /* after the start or a switch all is new: that is no measure of what follows */
	BEGIN_HZ = 20000, /* what is asked above that has to show what it costs */
	FLOOD = 20,      /* but samples that cost so many times the budget are no beginning */
	SIDEBAND_WEIGHT = 8,
};

void
rate_begin(struct sampling *sp)
{
	const struct engine_config *c = sp->config;

	sp->rate.budget = budget_make(c->budget, (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	sp->rate.asked_hz = c->freq;
	sp->rate.most_hz = UINT64_MAX;
	if (sp->rate.budget.percent <= 0 || c->count > 0 || c->freq <= BEGIN_HZ)
		return;
	sp->rate.most_hz = BEGIN_HZ;
	sp->rate.budget.cause = BUDGET_BEGIN;
}

static bool
has_frequency(const struct engine_event *ev)
{
	return ev->is_freq || ev->is_paced;
}

static bool
is_moved(const struct engine_event *ev)
{
	return ev->live != NULL && has_frequency(ev) && !ev->opening;
}

/* What it is sampled at, or at most. */
static uint64_t
hz_of(const struct engine_event *ev)
{
	return ev->is_paced ? ev->pace.hz : ev->rate;
}

/* Has it follow what is asked, and what may be. */
static void
set_rate(struct sampling *sp, struct engine_event *ev)
{
	uint64_t hz = MIN(ev->asked_hz, sp->rate.most_hz);

	if (ev->is_paced)
		ev->pace.hz = hz;
	else if (is_moved(ev) && hz != ev->rate)
		ev->rate = session_set_freq(sp->session, ev->live, hz);
}

void
rate_opened(struct sampling *sp, struct engine_event *ev)
{
	bool is_its_own = (ev->spec.terms.given & 1u << TERM_FREQ) != 0;
	uint64_t most = limits_max_rate(sp->event_env);
	uint64_t wanted = is_its_own ? ev->spec.terms.freq : sp->rate.asked_hz;

	ev->asked_hz = ev->rate;
	if (!has_frequency(ev))
		return;
	/* It may have been opened at what was left of another one. */
	if (ev->is_paced || sp->rate.most_hz != UINT64_MAX) {
		ev->asked_hz = MIN(wanted, most);
		/* Else it was capped, and told, when it was opened. */
		if (!is_its_own && wanted > most && wanted != UINT64_MAX)
			notes_refuse(sp->notes, "%llu Hz is the most that "
					   "perf_event_max_sample_rate allows",
					   (unsigned long long)most);
	}
	set_rate(sp, ev);
}

/* Each is a look's number: the highest of those that are sampled by frequency. */
static void
find_rates(struct sampling *sp, double *hz, double *asked_hz)
{
	*hz = *asked_hz = 0;
	for (uint32_t n = 0; n < sp->measured->event_count; n++) {
		struct engine_event *ev = &sp->measured->events[n];

		if (!is_moved(ev))
			continue;
		/* What could not be opened anew is tried again. */
		if (ev->is_freq)
			ev->rate = session_rate(ev->live);
		*hz = MAX(*hz, (double)hz_of(ev));
		*asked_hz = MAX(*asked_hz, (double)ev->asked_hz);
	}
}

static uint64_t
samples_since(const struct sampling *sp, uint64_t since_ns)
{
	const struct interval_log *log = &sp->profile->log;
	uint64_t samples = 0;

	for (uint64_t i = log_end(log); i > log_first(log); i--) {
		const struct interval *iv = log_at(log, i - 1);

		if (iv->end_ns <= since_ns)
			break;
		samples += iv->samples;
	}
	return samples;
}

static void
tell(struct sampling *sp)
{
	const struct engine_event *ev = measured_shown(sp->measured);

	if (sp->rate.is_noted || ev == NULL || hz_of(ev) >= ev->asked_hz)
		return;
	sp->rate.is_noted = true;
	notes_news(sp->notes, "fewer samples than asked, %llu a second per CPU: ! shows why",
		    (unsigned long long)hz_of(ev));
}

static void
move(struct sampling *sp, const struct budget_look *l)
{
	double hz = floor(budget_next(&sp->rate.budget, l));

	sp->cost->is_thrifty = sp->rate.budget.is_thrifty;
	sp->rate.most_hz = hz >= l->asked_hz ? UINT64_MAX : (uint64_t)MAX(hz, 1);
	for (uint32_t n = 0; n < sp->measured->event_count; n++)
		set_rate(sp, &sp->measured->events[n]);
	tell(sp);
}

/* Whether what was seen is of a start, after which all will be different. */
static bool
is_beginning(const struct sampling *sp, const struct budget_look *l, uint64_t now_ns)
{
	if (now_ns - sp->agenda->fresh_since_ns >= BEGIN_MS * NSEC_PER_MSEC)
		return false;
	return l->sampling_s * 100 < l->seconds * sp->rate.budget.percent * FLOOD;
}

/* Of a drain's time what samples took: another record costs as much as some of them. */
static double
part_of_samples(uint64_t samples, uint64_t sideband)
{
	double all = (double)samples + (double)sideband * SIDEBAND_WEIGHT;

	return all > 0 ? (double)samples / all : 0;
}

/* What has been seen so far; asking for ptop's own CPU time is what this costs. */
static struct rate_seen
look(const struct sampling *sp, uint64_t now_ns)
{
	return (struct rate_seen){
		now_ns, MAX(own_cost_ns(sp->cost), sp->rate.seen.own_ns), sp->cost->drain_ns,
		sp->cost->sideband, sp->losses->counts[LOSS_SAMPLES], sp->losses->counts[LOSS_THROTTLED],
	};
}

void
rate_beat(struct sampling *sp, uint64_t now_ns)
{
	const struct rate_seen before = sp->rate.seen;
	struct rate_seen now;
	struct budget_look l;

	if (sp->rate.budget.percent <= 0 || now_ns - before.time_ns < LOOK_MS * NSEC_PER_MSEC)
		return;
	sp->rate.seen = now = look(sp, now_ns);
	l = (struct budget_look){
		.seconds = (double)(now_ns - before.time_ns) / 1e9,
		.own_s = (double)(now.own_ns - before.own_ns) / 1e9,
		.lost = now.lost - before.lost,
		.throttled = now.throttled - before.throttled,
	};
	find_rates(sp, &l.hz, &l.asked_hz);
	if (before.time_ns == 0 || l.hz <= 0 ||
	    (sp->config->command != NULL && !sp->command_started))
		return;
	l.samples = samples_since(sp, before.time_ns);
	l.sampling_s = (double)(now.drain_ns - before.drain_ns) / 1e9 *
		       part_of_samples(l.samples, now.sideband - before.sideband);
	l.kernel_hz = (double)limits_max_rate(sp->event_env);
	if (!is_beginning(sp, &l, now_ns))
		move(sp, &l);
}

static bool
is_opening(const struct sampling *sp, const struct engine_event *shown)
{
	return shown != NULL ? shown->opening : sp->opens_first;
}

void
sampling_step_rate(struct sampling *sp, int direction)
{
	static const uint64_t steps[] = { 1, 2, 5, 10, 20, 49, 99, 199, 499, 999, 1999, 3999, 4999,
					  9999, 19999, 49999, 99999 };
	struct engine_event *ev = measured_shown(sp->measured);
	uint64_t from, most = limits_max_rate(sp->event_env);
	size_t i;

	/* How often it will be sampled is not known yet, nor whether by frequency. */
	if (is_opening(sp, ev)) {
		sp->rate.steps_due += direction;
		return;
	}
	if (ev == NULL || !is_moved(ev)) {
		notes_say(sp->notes, "this event is not sampled by frequency");
		return;
	}
	from = direction > 0 ? ev->asked_hz : hz_of(ev);
	for (i = 0; i < ARRAY_SIZE(steps) && steps[i] < from; i++)
		;
	if (direction > 0 && i < ARRAY_SIZE(steps) && steps[i] == from)
		i++;
	if (direction < 0 && i > 0)
		i--;
	i = MIN(i, ARRAY_SIZE(steps) - 1);
	ev->asked_hz = sp->rate.asked_hz = MIN(steps[i], most);
	set_rate(sp, ev);
	if (hz_of(ev) < ev->asked_hz)
		notes_say(sp->notes, "%llu samples per second per CPU asked, %llu taken: "
				   "! shows why", (unsigned long long)ev->asked_hz,
				   (unsigned long long)hz_of(ev));
	else
		notes_say(sp->notes, "%s%llu samples per second per CPU",
			  ev->is_paced ? "at most " : "", (unsigned long long)hz_of(ev));
	agenda_want(sp->agenda, AGENDA_SHOW);
}

void
rate_step_due(struct sampling *sp)
{
	int steps = sp->rate.steps_due, direction = steps > 0 ? 1 : -1;

	if (is_opening(sp, measured_shown(sp->measured)))
		return;
	for (sp->rate.steps_due = 0; steps != 0; steps -= direction)
		sampling_step_rate(sp, direction);
}

/* Why it is sampled less often than asked: for the header, and as a sentence. */
static const struct {
	const char *brief, *text;
	bool is_cost;
} causes[] = {
	[BUDGET_KEPT] = { NULL, "" },
	[BUDGET_BEGIN] = { "rising", "ptop starts low, and takes more as it learns what samples cost" },
	[BUDGET_COST] = { "busy machine, --budget",
			  "more would cost more CPU time than --budget allows", true },
	[BUDGET_OTHER_COST] = { "busy machine, --budget",
				"the rest of ptop uses up --budget (a longer -d helps)", true },
	[BUDGET_LOST] = { "full rings, -m",
			  "samples were lost in full rings (-m makes them larger)" },
	[BUDGET_THROTTLED] = { "throttled", "the kernel throttled sampling" },
	[BUDGET_KERNEL] = { "the kernel's limit",
			    "the kernel lowered kernel.perf_event_max_sample_rate" },
	[BUDGET_FLOOR] = { "busy machine, the least",
			   "ptop costs more than its budget; fewer would tell too little", true },
};

static enum budget_cause
cause_of(const struct sampling *sp)
{
	const struct engine_event *ev = measured_shown(sp->measured);

	return budget_told(&sp->rate.budget, ev != NULL ? (double)hz_of(ev) : 0);
}

const char *
rate_brief(const struct sampling *sp)
{
	return causes[cause_of(sp)].brief;
}

void
rate_put_reason(const struct sampling *sp, struct buf *b)
{
	const struct budget *k = &sp->rate.budget;

	buf_add_str(b, causes[cause_of(sp)].text);
	/* A fifth more than it would cost. */
	if (causes[k->cause].is_cost)
		buf_addf(b, "; --budget %.1f would be enough", ceil(k->needed * 12) / 10);
}

void
rate_put_lowered(const struct sampling *sp, struct buf *b)
{
	const struct engine_event *ev = measured_shown(sp->measured);

	if (ev == NULL || !has_frequency(ev) || hz_of(ev) >= ev->asked_hz)
		return;
	buf_addf(b, "sampled %llu times a second per CPU, not %llu: ",
		 (unsigned long long)hz_of(ev), (unsigned long long)ev->asked_hz);
	rate_put_reason(sp, b);
	buf_add_str(b, "; shares stay right\n");
}

void
rate_put_cost(const struct sampling *sp, struct buf *b)
{
	const struct budget *k = &sp->rate.budget;

	buf_add_str(b, "ptop's own CPU time: ");
	if (isnan(sp->cost->cpu_percent))
		buf_add_str(b, "not measured yet");
	else
		buf_addf(b, "%.2f%% of one CPU", sp->cost->cpu_percent);
	if (k->percent > 0)
		buf_addf(b, " (--budget: at most %.3g%%, or fewer samples are taken", k->percent);
	else
		buf_add_str(b, " (no --budget");
	buf_add_str(b, "; the kernel's own time for samples is not in it)\n");
	if (sp->cost->is_thrifty)
		buf_add_str(b, "ptop does less beside sampling, so that it need not take fewer samples: "
			       "/proc is read at each refresh for the 32 hottest processes alone, for "
			       "others less often; source lines and inlined "
			       "functions are looked up for what is shown alone; files with less than "
			       "0.1% of the samples get their names up to ten seconds later\n");
}
