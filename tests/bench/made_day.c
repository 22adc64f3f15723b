/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bench/made_day.h"

#include <stdlib.h>

#include "base/clock.h"
#include "profile/count/past.h"
#include "tests/scale/records.h"

#define MINUTE_NS (60 * NSEC_PER_SEC)

enum { MINUTE_S = 60, FOLD_S = 5, PROGRAM_AT = sizeof("program-") - 1 };

void
made_day_open(struct made_day *d, const struct scale *s, size_t budget_bytes)
{
	*d = (struct made_day){ .scale = *s, .machine = machine_new(s) };
	bench_open(&d->b, budget_bytes);
	d->b.now_ns = made_day_ns(0);
	d->b.profile->events[0].open_since_ns = d->b.now_ns;
	d->b.profile->events[1].open_since_ns = 0;
	d->b.profile->clock_ahead_ns = MINUTE_NS - MACHINE_START_NS % MINUTE_NS;
	d->b.profile->keeps_past = true;
	d->b.profile->refresh_ns = NSEC_PER_SEC;
	for (int e = 0; e < RECORD_EVENTS; e++) {
		struct event_attr attr = record_attr(e, machine_period_ns(s), s->depth > 0);
		struct record_layout layout = record_layout_of(&attr, false);

		record_layouts_add(&d->layouts, &layout);
		for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
			record_layouts_add_id(&d->layouts, (uint32_t)e, record_id(e, s->cpus, cpu));
	}
	feed_init(&d->feed, d->b.model, &d->b.locations, d->b.profile, &d->layouts);
	d->b.profile->stacks = &d->feed.stacks;
	d->b.profile->places = &d->feed.addresses;
}

uint64_t
made_day_ns(unsigned minute)
{
	return MACHINE_START_NS + minute * MINUTE_NS;
}

static uint16_t *
program_of(struct made_day *d, uint32_t pid)
{
	vec_reserve_zeroed(&d->programs, &d->program_cap, (size_t)pid + 1, sizeof(*d->programs));
	return &d->programs[pid];
}

/* As the records tell it: a name stays with a process, and with those that it forks. */
static void
count(struct made_day *d, const struct record *rec)
{
	switch (rec->type) {
	case PERF_RECORD_COMM:
		*program_of(d, rec->comm.pid) = (uint16_t)strtoul(rec->comm.comm + PROGRAM_AT, NULL, 10);
		break;
	case PERF_RECORD_FORK:
		*program_of(d, rec->task.pid) = *program_of(d, rec->task.ppid);
		break;
	case PERF_RECORD_SAMPLE:
		sums_add(&d->minutes[d->minute_len * d->scale.programs + *program_of(d, rec->id.pid)], 1,
			 rec->sample.period);
		d->samples++;
		break;
	default:
		break;
	}
}

/* What was there @before is known by its records alone: who samples it has to ask. */
static void
take(struct made_day *d, struct bytes bytes, bool before)
{
	uint32_t event = record_layouts_event(&d->layouts, bytes);
	const struct record_layout *layout = &d->layouts.items[event];
	struct record rec;

	if (record_decode(layout, bytes, &rec) != 1)
		abort();
	count(d, &rec);
	if (before)
		return;
	if (rec.type == PERF_RECORD_SAMPLE)
		feed_sample(&d->feed, 0, &rec, record_sample_tag(layout, bytes), bytes);
	else
		model_record(d->b.model, &rec);
}

static void
take_all(struct made_day *d, struct buf *b, bool before)
{
	const uint8_t *data = (const uint8_t *)b->data;
	struct perf_event_header header;

	for (size_t at = 0; at < b->len; at += header.size) {
		memcpy(&header, data + at, sizeof(header));
		take(d, (struct bytes){ data + at, header.size }, before);
	}
	buf_reset(b);
}

/* Names of who was there before, as /proc would tell them. */
static void
answer_names(struct made_day *d)
{
	for (size_t i = 0; i < d->feed.comm_len; i++) {
		char name[32];

		snprintf(name, sizeof(name), "program-%03u", *program_of(d, (uint32_t)d->feed.comms[i].pid));
		model_learn_comm(d->b.model, d->feed.comms[i].task, name);
	}
	d->feed.comm_len = 0;
}

/* Maps of who was there before are not to be had; each file has an image of its functions. */
static void
answer(struct made_day *d)
{
	uint32_t functions = (uint32_t)(scale_functions(&d->scale) + SCALE_TEXT_AT / SCALE_FUNCTION_BYTES);

	while (d->feed.map_len > 0)
		feed_learn_maps(&d->feed, d->feed.maps[--d->feed.map_len].cookie, NULL, 0, d->b.now_ns);
	for (size_t i = 0; i < d->feed.image_len; i++) {
		uint32_t dso = d->feed.images[i].dso;

		locations_learn_image(&d->b.locations, dso, make_image(functions, SCALE_FUNCTION_BYTES),
				      "", "");
		feed_learn_image(&d->feed, dso);
	}
	d->feed.image_len = 0;
	answer_names(d);
	feed_flush(&d->feed);
}

/* What the engine does at the end of each second. */
static void
end_second(struct made_day *d)
{
	struct profile *p = d->b.profile;
	uint64_t begin_ns;

	answer(d);
	d->b.now_ns += NSEC_PER_SEC;
	profile_close_interval(p, d->b.now_ns);
	begin_ns = clock_thread_cpu_ns();
	past_keep(p, d->b.now_ns);
	d->keep_ns += clock_thread_cpu_ns() - begin_ns;
	d->most_bytes = MAX(d->most_bytes, log_bytes(&p->log));
	/* Each time would take most of the day. */
	if (d->b.now_ns / NSEC_PER_SEC % FOLD_S == 0)
		profile_fold(p, d->b.now_ns);
	model_sweep(d->b.model, d->b.now_ns - NSEC_PER_SEC);
}

static void
run_second(struct made_day *d)
{
	struct buf b = { 0 };

	for (int round = 0; round < MACHINE_ROUNDS_PER_S; round++) {
		for (uint32_t cpu = 0; cpu < d->scale.cpus; cpu++)
			machine_put_cpu(d->machine, cpu, &b);
		machine_end_round(d->machine);
		take_all(d, &b, false);
	}
	buf_release(&b);
	end_second(d);
}

void
made_day_run(struct made_day *d, unsigned minutes)
{
	struct buf b = { 0 };

	d->minutes = mem_calloc(minutes * d->scale.programs, sizeof(*d->minutes));
	machine_put_first(d->machine, &b);
	take_all(d, &b, true);
	buf_release(&b);
	for (; d->minute_len < minutes; d->minute_len++)
		for (int s = 0; s < MINUTE_S; s++)
			run_second(d);
}

/* What the window has of each program. */
static void
sum_window(const struct made_day *d, struct sums *sums)
{
	const struct tables *t = &d->b.profile->tables;
	const struct model *m = d->b.model;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const char *name = strs_get(&m->strs, m->whos[t->hot[id].who].comm);

		profile_window(d->b.profile, &t->cells[TABLE_HOT].items[id], &samples, &period);
		if (samples > 0)
			sums_add(&sums[strtoul(name + PROGRAM_AT, NULL, 10)], samples, period);
	}
}

bool
made_day_is_whole(const struct made_day *d, unsigned first, unsigned end)
{
	const size_t programs = d->scale.programs;
	struct sums *have = mem_calloc(programs, sizeof(*have)), *want = mem_calloc(programs, sizeof(*want));
	uint64_t from_ns, to_ns;
	bool is_whole;

	profile_set_end(d->b.profile, made_day_ns(end));
	profile_set_window(d->b.profile, made_day_ns(end) - made_day_ns(first));
	sum_window(d, have);
	for (unsigned m = first; m < end; m++)
		for (size_t i = 0; i < programs; i++)
			sums_add(&want[i], d->minutes[m * programs + i].samples,
				 d->minutes[m * programs + i].period);
	is_whole = profile_stretch(d->b.profile, 0, &from_ns, &to_ns) && from_ns == made_day_ns(first) &&
		   to_ns == made_day_ns(end) && memcmp(have, want, programs * sizeof(*have)) == 0;
	free(have);
	free(want);
	return is_whole;
}

void
made_day_close(struct made_day *d)
{
	feed_release(&d->feed);
	record_layouts_release(&d->layouts);
	bench_close(&d->b);
	machine_free(d->machine);
	free(d->minutes);
	free(d->programs);
}
