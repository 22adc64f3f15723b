/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_PROFILE_FIXTURE_H
#define PTOP_TESTS_PROFILE_FIXTURE_H
/*
 * A profile, and beside it a plain list of all samples and intervals: what the tables say is held
 * against sums over that list.
 */
#include "core_fixture.h"
#include "profile/count/profile.h"
#include "symbol/image/image_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/asserts.h"

enum { COMMS = 8, EVENTS = 2, OPEN = UINT32_MAX };

struct taken {
	uint32_t event, comm, leaf, span;
	uint64_t period, address;
	uint32_t dso, cpu;
};

struct span {
	uint32_t event;
	uint64_t start_ns, end_ns;
};

struct fixture {
	struct model *model;
	struct locations locations;
	struct profile *profile;
	struct taken *taken;
	size_t taken_len, taken_cap;
	struct span *spans;
	size_t span_len, span_cap;
	uint64_t now_ns;
	size_t zero_span[EVENTS], zero_taken[EVENTS]; /* what is before is not shown */
	size_t frozen_span;                           /* OPEN: not frozen */
};

/* An image of @count functions, each @size bytes, one after another; @names NULL: "f0", "f1", ... */
static inline struct image *
make_named_image(const char *const *names, uint32_t count, uint64_t size)
{
	struct err err = { 0 };
	struct image_build *build = image_build_new(&err);
	struct image *image;
	char name[64];

	assert_non_null(build);
	for (uint32_t i = 0; i < count; i++) {
		int len = names != NULL ? snprintf(name, sizeof(name), "%s", names[i])
					: snprintf(name, sizeof(name), "f%u", i);

		assert_true(image_build_add(build, &(struct image_symbol){
			.addr = i * size, .size = size, .name = name, .name_len = (size_t)len,
			.binding = IMAGE_GLOBAL }));
	}
	image = image_open(image_build_finish(build, &err), &err);
	image_build_free(build);
	assert_non_null(image);
	return image;
}

static inline struct image *
make_image(uint32_t count, uint64_t size)
{
	return make_named_image(NULL, count, size);
}

struct sums {
	uint64_t samples, period;
};

static inline const char *
comm_name(uint32_t comm)
{
	static const char *const names[COMMS] = { "ls", "cc1", "node", "java", "sh", "ptop", "cat",
		"x" };

	return names[comm];
}

static inline void
bench_open(struct fixture *b, size_t budget_bytes)
{
	*b = (struct fixture){ .now_ns = NSEC_PER_SEC, .frozen_span = OPEN };
	b->model = model_new();
	locations_init(&b->locations, b->model);
	b->profile = profile_new(b->model, &b->locations, budget_bytes);
	for (uint32_t e = 0; e < EVENTS; e++) {
		assert_int_equal(profile_event(b->profile, e == 0 ? "cycles" : "page-faults"), e);
		b->profile->events[e].open_since_ns = b->now_ns;
	}
}

static inline void
bench_close(struct fixture *b)
{
	profile_free(b->profile);
	locations_release(&b->locations);
	model_free(b->model);
	free(b->taken);
	free(b->spans);
}

/* A process of that name that was just started. */
static inline void
bench_exec(struct fixture *b, int pid, uint32_t comm)
{
	tell_fork(b->model, 1, 1, pid, pid, b->now_ns);
	tell_comm(b->model, pid, pid, comm_name(comm), true);
}

/* Counts a sample of @tid, which runs @comm, in the profile and in the list. */
static inline void
bench_sample(struct fixture *b, uint32_t event, int pid, int tid, uint32_t comm, uint32_t dso,
	     uint64_t offset, uint32_t callers, uint64_t period)
{
	uint32_t leaf = locations_find(&b->locations, dso, offset);
	struct profile_sample s = {
		.event = event, .who = model_who(b->model, model_task(b->model, pid, tid)),
		.cpu = (uint32_t)tid % 4, .leaf = leaf, .dso = dso, .offset = offset,
		.callers = callers, .period = period,
	};

	profile_add(b->profile, &s);
	vec_reserve(&b->taken, &b->taken_cap, b->taken_len + 1, sizeof(*b->taken));
	b->taken[b->taken_len++] = (struct taken){ event, comm, leaf, OPEN, period, offset, dso,
						   s.cpu };
}

static inline void
bench_interval(struct fixture *b, uint64_t length_ns)
{
	uint32_t span[EVENTS] = { OPEN, OPEN };

	b->now_ns += length_ns;
	for (uint32_t e = 0; e < EVENTS; e++) {
		struct profile_event *ev = &b->profile->events[e];

		if (ev->open_since_ns == 0)
			continue;
		vec_reserve(&b->spans, &b->span_cap, b->span_len + 1, sizeof(*b->spans));
		span[e] = (uint32_t)b->span_len;
		b->spans[b->span_len++] = (struct span){ e, ev->open_since_ns, b->now_ns };
	}
	for (size_t i = b->taken_len; i-- > 0;) {
		struct taken *t = &b->taken[i];

		if (t->span == OPEN)
			t->span = span[t->event];
		else if (b->spans[t->span].end_ns + 2 * NSEC_PER_SEC < b->now_ns)
			break;
	}
	profile_close_interval(b->profile, b->now_ns);
}

/* First span of @event's window: whole ones, as near to its length as they come, one at least. */
static inline size_t
first_span(const struct fixture *b, uint32_t event)
{
	size_t first = b->frozen_span != OPEN ? b->frozen_span : b->span_len;
	uint64_t have_ns = 0;

	for (size_t i = first; i-- > b->zero_span[event];) {
		uint64_t length_ns = b->spans[i].end_ns - b->spans[i].start_ns;

		if (b->spans[i].event != event)
			continue;
		if (b->profile->window_ns != WINDOW_ALL && have_ns > 0 &&
		    have_ns + length_ns / 2 >= b->profile->window_ns)
			break;
		have_ns += length_ns;
		first = i;
	}
	return first;
}

/* Whether a sample of the list is to be seen now. */
static inline bool
is_seen(const struct fixture *b, size_t i, size_t first)
{
	const struct taken *t = &b->taken[i];

	if (i < b->zero_taken[t->event])
		return false;
	if (b->profile->window_ns == WINDOW_ALL)
		return true;
	return t->span != OPEN && t->span >= first &&
	       (b->frozen_span == OPEN || t->span < b->frozen_span);
}

static inline void
sums_add(struct sums *s, uint64_t samples, uint64_t period)
{
	s->samples += samples;
	s->period += period;
}

static inline void
assert_sums(const struct sums *have, const struct sums *want, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		assert_int_equal(have[i].samples, want[i].samples);
		assert_int_equal(have[i].period, want[i].period);
	}
}

/* Sums by (event, comm), as the hot table has them. */
static inline void
bench_by_comm(const struct fixture *b, struct sums *by)
{
	const struct tables *t = &b->profile->tables;
	uint64_t samples, period;

	memset(by, 0, EVENTS * COMMS * sizeof(*by));
	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const char *name;
		uint32_t comm = 0;

		assert_true(b->model->whos[t->hot[id].who].is_used);
		name = strs_get(&b->model->strs, b->model->whos[t->hot[id].who].comm);
		while (strcmp(comm_name(comm), name) != 0)
			assert_that(++comm, <, COMMS);
		profile_window(b->profile, &t->cells[TABLE_HOT].items[id], &samples, &period);
		sums_add(&by[t->hot[id].event * COMMS + comm], samples, period);
	}
}

/* The sums of a whole table by event. */
static inline void
bench_by_event(const struct fixture *b, enum table_id table, struct sums *by)
{
	const struct tables *t = &b->profile->tables;
	uint64_t samples, period;

	memset(by, 0, EVENTS * sizeof(*by));
	for (uint32_t id = 1; id < t->cells[table].len; id++) {
		uint32_t event = 0, root = id;

		switch (table) {
		case TABLE_HOT:
			event = t->hot[id].event;
			break;
		case TABLE_TREE:
			for (; t->tree[root].parent != 0; root = t->tree[root].parent)
				assert_that(t->tree[root].parent, <, root);
			event = t->tree[root].location >> TREE_EVENT_SHIFT;
			break;
		case TABLE_ADDRESS:
			event = t->addresses[id].event;
			break;
		case TABLE_CPU:
			event = t->cpus[id].event;
			break;
		case TABLE_COUNT:
			break;
		}
		profile_window(b->profile, &t->cells[table].items[id], &samples, &period);
		sums_add(&by[event], samples, period);
	}
}

/* Holds every table against the list. */
static inline void
bench_check(const struct fixture *b)
{
	struct sums want[EVENTS * COMMS] = { 0 }, have[EVENTS * COMMS], total[EVENTS] = { 0 };
	size_t first[EVENTS];

	for (uint32_t e = 0; e < EVENTS; e++)
		first[e] = first_span(b, e);
	for (size_t i = 0; i < b->taken_len; i++) {
		const struct taken *t = &b->taken[i];

		if (!is_seen(b, i, first[t->event]))
			continue;
		sums_add(&want[t->event * COMMS + t->comm], 1, t->period);
		sums_add(&total[t->event], 1, t->period);
	}
	bench_by_comm(b, have);
	assert_sums(have, want, EVENTS * COMMS);
	for (enum table_id t = 0; t < TABLE_COUNT; t++) {
		bench_by_event(b, t, have);
		assert_sums(have, total, EVENTS);
	}
}

#endif
