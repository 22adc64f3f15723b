/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of a recording: its intervals, its time of day, and the part of it that counts. */
#include "engine/replay/replay_impl.h"

#include <linux/perf_event.h>

#include "view/moment.h"

enum {
	WINDOW_PARTS = 100,   /* a report's window is made of so many intervals at least, */
	LEAST_MS = 10,        /* unless they were shorter than that */
	PATIENCE_MS = 1000,   /* so long a sample waits for its callers */
};

/*
 * A second at most.  A report's window ends where the recording does, which is not known before; on
 * the screen any stretch may be asked for: intervals are as short as leaves room for the rest.
 */
static uint64_t
interval_ns(const struct replay *rp)
{
	static const struct {
		size_t part; /* of the log's share: while it has no more than that */
		uint64_t ms;
	} lengths[] = { { 16, 10 }, { 4, 100 } };
	const struct profile *p = rp->env->profile;
	const bool is_report = !rp->config->is_watched;
	uint64_t window_ns = rp->window_ns;

	if (p->sums_only)
		return NSEC_PER_SEC;
	if (is_report && window_ns != WINDOW_ALL)
		return MIN(MAX(window_ns / WINDOW_PARTS, LEAST_MS * NSEC_PER_MSEC), NSEC_PER_SEC);
	for (size_t i = 0; i < ARRAY_SIZE(lengths) && !is_report; i++)
		if (log_bytes(&p->log) < profile_log_share(p) / lengths[i].part)
			return lengths[i].ms * NSEC_PER_MSEC;
	return NSEC_PER_SEC;
}

/*
 * A window may begin in time without records, which has so many intervals then, however long it is:
 * of those that end at @last_ns.
 */
static void
end_empty_intervals(struct replay *rp, uint64_t last_ns, uint64_t length_ns)
{
	const uint64_t window_ns = rp->window_ns, since_ns = last_ns - rp->env->clock->begin_ns;
	uint64_t step_ns = MAX(window_ns / WINDOW_PARTS / length_ns, 1) * length_ns;
	uint64_t ns = last_ns - MIN(window_ns, since_ns) / length_ns * length_ns;

	for (ns = MAX(ns, rp->next_beat_ns); ns < last_ns; ns += MIN(step_ns, last_ns - ns))
		profile_close_interval(rp->env->profile, ns);
}

/* Time without records ends with a second of a screen's recording, too, as of a report's. */
static void
end_seconds(struct replay *rp, uint64_t last_ns)
{
	const uint64_t begin_ns = rp->env->clock->begin_ns;
	const uint64_t from_ns = MAX(rp->next_beat_ns, begin_ns) - begin_ns;
	const uint64_t first_ns = begin_ns + (from_ns + NSEC_PER_SEC - 1) / NSEC_PER_SEC * NSEC_PER_SEC;

	if (first_ns >= last_ns)
		return;
	profile_close_interval(rp->env->profile, first_ns);
	profile_close_interval(rp->env->profile, last_ns - (last_ns - begin_ns) % NSEC_PER_SEC);
}

/*
 * Where whole ones have passed, counted from the beginning: no record is between that and now.
 * Time without records is one interval, but for what a report's window may begin in.
 */
static void
end_intervals(struct replay *rp)
{
	uint64_t length_ns = interval_ns(rp);
	uint64_t last_ns = rp->now_ns - (rp->now_ns - rp->env->clock->begin_ns) % length_ns;

	/* The last is over before its time is. */
	profile_close_interval(rp->env->profile, MIN(rp->next_beat_ns, rp->now_ns));
	if (rp->config->is_watched)
		end_seconds(rp, last_ns);
	else if (!rp->env->profile->sums_only && rp->window_ns != WINDOW_ALL)
		end_empty_intervals(rp, last_ns, length_ns);
	profile_close_interval(rp->env->profile, last_ns);
	if (rp->policy.is_complete)
		profile_close_interval(rp->env->profile, rp->now_ns);
	rp->next_beat_ns = rp->next_due_ns = last_ns + length_ns;
}

/* Each interval of the recording, and at its end; each second of it what can wait so long. */
static void
beat(struct replay *rp)
{
	intake_expire(rp->intake, rp->policy.is_complete ? UINT64_MAX
				  : rp->now_ns - MIN(PATIENCE_MS * NSEC_PER_MSEC, rp->now_ns));
	feed_flush(rp->env->feed);
	end_intervals(rp);
	if (rp->now_ns < rp->next_sweep_ns && !rp->policy.is_complete)
		return;
	if (rp->watch != NULL)
		rp->watch(rp->watch_self, rp->now_ns);
	if (rp->policy.is_complete)
		profile_follow(rp->env->profile);
	profile_fold(rp->env->profile, rp->now_ns);
	model_sweep(rp->env->model, rp->now_ns > NSEC_PER_SEC ? rp->now_ns - NSEC_PER_SEC : 0);
	rp->next_sweep_ns = rp->now_ns + NSEC_PER_SEC;
}

/* A pipe tells it among its records. */
void
replay_tell_time_of_day(struct replay *rp)
{
	const struct datafile_info *info = datafile_info(rp->file);
	struct wall *wall = &rp->env->clock->wall;
	int64_t set_by_ns;

	if (wall->len > 0 || info->wall_ns == 0)
		return;
	wall_note(wall, info->wall_at_ns, info->wall_ns, &set_by_ns);
	rp->env->profile->clock_ahead_ns = info->wall_ns - info->wall_at_ns;
}

/* Which part of it counts.  Its end may not be known: then the first such time of day is meant. */
static int
choose_part(struct replay *rp, struct err *err)
{
	const uint64_t day_ns = 24 * 3600 * NSEC_PER_SEC, last_ns = datafile_info(rp->file)->sample_time_last;
	const struct engine_config *c = rp->config;
	struct moments m = { .wall = rp->env->clock->wall, .begin_ns = rp->now_ns,
			     .now_ns = last_ns > rp->now_ns ? last_ns : rp->now_ns + day_ns };

	rp->to_ns = UINT64_MAX;
	if (c->from != NULL && moment_parse(c->from, &m, &rp->from_ns, err) < 0)
		return -1;
	if (c->to != NULL && moment_parse(c->to, &m, &rp->to_ns, err) < 0)
		return -1;
	if (rp->to_ns <= MAX(rp->from_ns, rp->now_ns) || (last_ns != 0 && rp->from_ns > last_ns))
		return err_set(err, ERR_USAGE, 0, "there is nothing from %s to %s in '%.200s'",
			       c->from != NULL ? c->from : "its beginning",
			       c->to != NULL ? c->to : "its end", c->input);
	rp->env->clock->from_ns = rp->from_ns;
	rp->env->clock->to_ns = rp->to_ns;
	return 0;
}

bool
replay_is_clock(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool
is_dummy(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

/*
 * perf record -a lets a dummy tell of tasks while it still gets ready, and then enables what it
 * samples: when, the first sample tells, unless such come by a count, which may be seldom.
 */
static bool
begins_with_sample(const struct replay *rp)
{
	bool tells_before = false, is_enabled_later = false;
	size_t count;
	const struct datafile_event *events = datafile_events(rp->file, &count);

	for (size_t i = 0; i < count; i++) {
		const struct event_attr *a = &events[i].attr;

		tells_before |= is_dummy(a) && !a->disabled && !a->enable_on_exec;
		is_enabled_later |= !is_dummy(a) && a->disabled && !a->enable_on_exec &&
				    (a->freq || replay_is_clock(a));
	}
	return tells_before && is_enabled_later;
}

/* Until it has begun it begins anew with each record. */
static void
begin_time(struct replay *rp, bool is_sample)
{
	struct err err = { 0 };

	rp->env->clock->begin_ns = rp->env->profile->labels.start_ns = rp->now_ns;
	rp->has_begun = is_sample || !begins_with_sample(rp);
	if (!rp->has_begun)
		return;
	if ((rp->config->from != NULL || rp->config->to != NULL) && choose_part(rp, &err) < 0)
		agenda_end(rp->env->agenda, &err);
}

void
replay_do_due(struct replay *rp, bool is_sample)
{
	replay_tell_time_of_day(rp);
	if (!rp->has_begun)
		begin_time(rp, is_sample);
	if (!rp->has_begun)
		return;
	if (rp->now_ns >= rp->next_beat_ns)
		beat(rp);
	rp->names->go_on(rp->names_self, rp->now_ns);
	rp->next_due_ns = MIN(rp->next_beat_ns, rp->names->horizon_ns(rp->names_self, UINT64_MAX));
}

/* The last interval has a length, whatever it holds. */
void
replay_end_interval(struct replay *rp)
{
	rp->now_ns++;
	rp->env->clock->counted_to_ns = rp->now_ns;
	beat(rp);
}
