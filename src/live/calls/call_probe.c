/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/calls/call_probe.h"

#include "base/clock.h"
#include "live/sys/close_together.h"
#include "live/open/open_impl.h"
#include "live/session/ring.h"
#include "record/layouts.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
	RING_BYTES_OF_TASK = 128 << 10,
	RING_BYTES_OF_CPU = 512 << 10,
};

/* So few samples that there are none: begins are counted alone. */
#define PERIOD_NEVER (UINT64_C(1) << 62)

struct hit {
	uint64_t time_ns, ip, sp;
	uint32_t tid;
	uint32_t point;
	bool stays; /* see call_point_stays() */
};

struct open_place {
	struct call_place place;
	int *fds; /* by point, -1: not open */
	struct ring *ring;
	uint64_t *counted; /* by point, as last read */
	uint64_t *priced;  /* of these: what they cost is in cost_ns */
	uint64_t cost_ns;
};

struct probe_id {
	uint64_t id;
	uint32_t point;
};

struct call_probe {
	const struct sys *sys;
	const struct call_cost *cost;
	const struct event_env *env;
	struct event spec;
	struct call_point *points;
	struct event_site *sites; /* by point; the targets are spec's */
	struct named_probes **named;
	bool is_shared;           /* see call_probe_share(); */
	bool is_refused;          /* it cannot be made in tracefs, and is not tried again */
	struct open_plan *plans; /* by point */
	size_t point_count, begins; /* the begins first */
	struct call_use use;
	struct record_layout layout;
	struct open_place *places;
	size_t place_count, place_cap;
	struct probe_id *ids;
	size_t id_count, id_cap;
	struct index by_id;
	struct hit *hits; /* that wait, by time once sorted */
	size_t hit_count, hit_cap;
	struct call_pairs pairs;
	uint64_t gone_calls; /* of places that are closed */
	uint64_t cost_ns, lost;
	bool is_timing;
};

static void
plan_point(struct call_probe *p, const struct call_probe_spec *spec, size_t i, uint64_t regs)
{
	const struct open_options options = { 0 };
	struct event_attr *attr = &p->plans[i].attr;
	bool is_kernel = spec->event->place == EVENT_PLACE_KPROBE;

	p->sites[i] = (struct event_site){ .at = spec->points[i].offset,
					   .target = p->spec.sites[spec->points[i].site].target };
	open_plan_counting(&p->plans[i], spec->env, &p->spec, &options);
	attr->disabled = 0;
	attr->read_format = 0;
	attr->sample_period = PERIOD_NEVER;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			    PERF_SAMPLE_TIME;
	attr->sample_type |= is_kernel ? PERF_SAMPLE_REGS_INTR : PERF_SAMPLE_REGS_USER;
	attr->sample_regs_intr = is_kernel ? regs : 0;
	attr->sample_regs_user = is_kernel ? 0 : regs;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
}

/* Of a function with these points. */
static struct call_costs
costs_of(const struct call_cost *c, const struct call_point *points, size_t count)
{
	struct call_costs costs = { .gap_ns = c->gap_ns[points[0].is_stepped],
				    .begin_ns = c->sampled_ns[points[0].is_stepped] };

	for (size_t i = 1; i < count; i++)
		costs.end_ns = MAX(costs.end_ns, c->sampled_ns[points[i].is_stepped]);
	return costs;
}

struct call_probe *
call_probe_new(const struct call_probe_spec *spec)
{
	struct call_probe *p = mem_calloc(1, sizeof(*p));
	struct call_costs costs = costs_of(spec->cost, spec->points, spec->count);
	uint64_t regs = call_sp_mask();

	p->sys = spec->sys != NULL ? spec->sys : &sys_kernel;
	p->cost = spec->cost;
	p->env = spec->env;
	p->named = spec->named;
	p->sites = mem_calloc(spec->count, sizeof(*p->sites));
	p->point_count = spec->count;
	p->begins = spec->begins;
	p->use = spec->use;
	p->points = mem_calloc(spec->count, sizeof(*p->points));
	memcpy(p->points, spec->points, spec->count * sizeof(*p->points));
	p->plans = mem_calloc(spec->count, sizeof(*p->plans));
	event_copy(&p->spec, spec->event);
	for (size_t i = 0; i < spec->count; i++)
		regs |= call_point_regs(&spec->points[i]);
	for (size_t i = 0; i < spec->count; i++)
		plan_point(p, spec, i, regs);
	p->layout = record_layout_of(&p->plans[0].attr, false);
	call_pairs_init(&p->pairs, &costs);
	return p;
}

static void
read_place(struct call_probe *p, struct open_place *at)
{
	uint64_t value;

	for (size_t i = 0; i < p->point_count; i++)
		if (at->fds[i] >= 0 && p->sys->read(p->sys, at->fds[i], &value, 1) ==
					       (int)sizeof(value))
			at->counted[i] = value;
}

static uint64_t
cost_of_hit(const struct call_probe *p, const struct call_point *point)
{
	uint64_t counted = p->cost->counted_ns[point->is_stepped];
	uint64_t sampled = MAX(p->cost->sampled_ns[point->is_stepped], counted);

	if (p->is_timing)
		return sampled;
	if (p->use.has_returns)
		counted *= 2;
	return counted + (p->use.is_sampled ? (sampled - counted) / MAX(p->use.period, 1) : 0);
}

/* What its hits since the last look have cost. */
static void
price_place(struct call_probe *p, struct open_place *at)
{
	read_place(p, at);
	for (size_t i = 0; i < p->point_count; i++) {
		uint64_t cost = (at->counted[i] - at->priced[i]) * cost_of_hit(p, &p->points[i]);

		at->priced[i] = at->counted[i];
		at->cost_ns += cost;
		p->cost_ns += cost;
	}
}

static void
price(struct call_probe *p)
{
	for (size_t i = 0; i < p->place_count; i++)
		price_place(p, &p->places[i]);
}

static void
learn_id(struct call_probe *p, int fd, size_t point)
{
	uint64_t id;

	if (p->sys->id(p->sys, fd, &id) != 0)
		return;
	VEC_ADD(p->ids, p->id_count, p->id_cap) =
		(struct probe_id){ .id = id, .point = (uint32_t)point };
	index_add(&p->by_id, hash_mix(id, 0), (uint32_t)p->id_count);
}

void
call_probe_share(struct call_probe *p)
{
	p->is_shared = p->named != NULL && p->spec.place == EVENT_PLACE_UPROBE;
}

/* What is open as that stays so.  Where no new one can be made, each place has its own from now on. */
static void
share_site(struct call_probe *p, struct event_site *site)
{
	struct err why = { 0 };

	if (site->tracepoint != 0 && !named_probes_has_site(*p->named, p->env, site))
		named_probes_forget_site(*p->named, site);
	if (site->tracepoint != 0 || !p->is_shared || p->is_refused)
		return;
	p->is_refused = named_probes_make_site(p->named, p->env, &p->spec, site, &why) < 0;
}

static int
open_point(struct call_probe *p, struct open_place *at, size_t point, struct err *err)
{
	struct open_plan *plan = &p->plans[point];
	struct event_site *site = &p->sites[point];

	share_site(p, site);
	plan->attr.type = p->spec.type;
	plan->attr.config = p->spec.config;
	site_put(&plan->attr, &plan->spec, site);
	at->fds[point] = open_event(p->sys, plan, at->place.tid, at->place.cpu, err);
	if (at->fds[point] < 0)
		return site_explain(err, &plan->spec, site);
	learn_id(p, at->fds[point], point);
	return 0;
}

static int
map_ring(struct open_place *at, struct err *err)
{
	unsigned bytes = at->place.tid >= 0 ? RING_BYTES_OF_TASK : RING_BYTES_OF_CPU;

	if (at->ring == NULL)
		at->ring = ring_new(at->fds[0], bytes / (unsigned)page_size(), err);
	return at->ring != NULL ? 0 : -1;
}

static void
unmap_ring(struct open_place *at)
{
	ring_free(at->ring);
	at->ring = NULL;
}

/* The ends, into the ring of the begin: they may have no more of what samples carry than that has. */
static int
open_ends(struct call_probe *p, struct open_place *at, const struct call_watch *watch,
	  struct err *err)
{
	if (map_ring(at, err) < 0)
		return -1;
	for (size_t i = p->begins; i < p->point_count; i++) {
		if (at->fds[i] >= 0)
			continue;
		p->plans[i].attr.sample_period = 1;
		if (open_point(p, at, i, err) < 0)
			return -1;
		if (p->sys->set_output(p->sys, at->fds[i], at->fds[0]) != 0)
			return err_set(err, ERR_IO, errno, "an end of the function has no ring");
		if (watch != NULL && !watch->goes_on(watch->self))
			return err_set(err, ERR_LIMIT, 0, "it is called too often to be timed");
	}
	return p->sys->set_period(p->sys, at->fds[0], 1) == 0
		       ? 0 : err_set(err, ERR_IO, errno, "begins of the function have no samples");
}

static struct open_place *
new_place(struct call_probe *p, struct call_place place)
{
	struct open_place at = { .place = place };

	at.fds = mem_calloc(p->point_count, sizeof(*at.fds));
	at.counted = mem_calloc(p->point_count, sizeof(*at.counted));
	at.priced = mem_calloc(p->point_count, sizeof(*at.priced));
	for (size_t i = 0; i < p->point_count; i++)
		at.fds[i] = -1;
	VEC_ADD(p->places, p->place_count, p->place_cap) = at;
	return &p->places[p->place_count - 1];
}

static void
free_place(struct open_place *at)
{
	free(at->fds);
	free(at->counted);
	free(at->priced);
}

int
call_probe_add(struct call_probe *p, struct call_place place, const struct call_watch *watch,
	       struct err *err)
{
	struct open_place *at = new_place(p, place);
	int res = 0;

	for (size_t i = 0; i < p->begins && res == 0; i++) {
		if (i > 0 && watch != NULL && !watch->goes_on(watch->self))
			return 0;
		res = open_point(p, at, i, err);
	}
	if (res == 0 && p->is_timing)
		res = open_ends(p, at, NULL, err);
	if (res < 0)
		call_probe_remove(p, place);
	return res;
}

static struct open_place *
find(const struct call_probe *p, struct call_place place)
{
	for (size_t i = 0; i < p->place_count; i++)
		if (p->places[i].place.tid == place.tid && p->places[i].place.cpu == place.cpu)
			return &p->places[i];
	return NULL;
}

bool
call_probe_has(const struct call_probe *p, struct call_place place)
{
	return find(p, place) != NULL;
}

size_t
call_probe_places(const struct call_probe *p)
{
	return p->place_count;
}

static void drain_place(struct call_probe *p, struct open_place *at);

static uint64_t
begins_of(const struct call_probe *p, const struct open_place *at)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->begins; i++)
		sum += at->counted[i];
	return sum;
}

void
call_probe_remove(struct call_probe *p, struct call_place place)
{
	struct open_place *at = find(p, place);

	if (at == NULL)
		return;
	price_place(p, at);
	p->gone_calls += begins_of(p, at);
	drain_place(p, at);
	unmap_ring(at);
	close_together(at->fds, p->point_count);
	free_place(at);
	*at = p->places[--p->place_count];
}

bool
call_probe_is_timing(const struct call_probe *p)
{
	return p->is_timing;
}

int
call_probe_time(struct call_probe *p, const struct call_watch *watch, struct err *err)
{
	price(p);
	p->is_timing = true;
	for (size_t i = 0; i < p->place_count; i++) {
		if (open_ends(p, &p->places[i], watch, err) == 0)
			continue;
		call_probe_stop_timing(p);
		return -1;
	}
	return 0;
}

static void
forget_sites(struct call_probe *p, size_t from)
{
	for (size_t i = from; i < p->point_count && p->named != NULL; i++)
		named_probes_forget_site(*p->named, &p->sites[i]);
}

/* All descriptors but those of begins, which stay in their places. */
static void
close_ends(struct call_probe *p)
{
	int *fds = mem_calloc(p->place_count * p->point_count + 1, sizeof(*fds));
	size_t count = 0;

	for (size_t i = 0; i < p->place_count; i++) {
		struct open_place *at = &p->places[i];

		for (size_t e = p->begins; e < p->point_count; e++) {
			fds[count++] = at->fds[e];
			at->fds[e] = -1;
			at->counted[e] = at->priced[e] = 0;
		}
	}
	close_together(fds, count);
	forget_sites(p, p->begins);
	free(fds);
}

/* Hits from @from_ns on are of a time in which not all ends were looked at. */
static void
end_timing(struct call_probe *p, uint64_t from_ns)
{
	if (p->is_timing)
		call_probe_drain(p, from_ns);
	call_pairs_leave(&p->pairs);
	p->hit_count = 0;
	p->is_timing = false;
}

void
call_probe_stop_timing(struct call_probe *p)
{
	uint64_t begin_ns = clock_mono_ns();

	for (size_t i = 0; i < p->place_count; i++)
		p->sys->set_period(p->sys, p->places[i].fds[0], PERIOD_NEVER);
	price(p);
	close_ends(p);
	end_timing(p, begin_ns);
}

uint64_t
call_probe_close(struct call_probe *p)
{
	uint64_t begin = clock_mono_ns();
	size_t count = 0;
	int *fds = mem_calloc(p->place_count * p->point_count + 1, sizeof(*fds));

	price(p);
	for (size_t i = 0; i < p->place_count; i++) {
		p->gone_calls += begins_of(p, &p->places[i]);
		for (size_t n = 0; n < p->point_count; n++)
			fds[count++] = p->places[i].fds[n];
	}
	end_timing(p, begin);
	/* A ring that is still mapped would keep its event. */
	for (size_t i = 0; i < p->place_count; i++)
		unmap_ring(&p->places[i]);
	close_together(fds, count);
	for (size_t i = 0; i < p->place_count; i++)
		free_place(&p->places[i]);
	p->place_count = 0;
	forget_sites(p, 0);
	free(fds);
	return clock_mono_ns() - begin;
}

void
call_probe_free(struct call_probe *p)
{
	if (p == NULL)
		return;
	call_probe_close(p);
	for (size_t i = 0; i < p->point_count; i++)
		open_plan_release(&p->plans[i]);
	event_release(&p->spec);
	call_pairs_release(&p->pairs);
	index_release(&p->by_id);
	free(p->places);
	free(p->plans);
	free(p->points);
	free(p->sites);
	free(p->hits);
	free(p->ids);
	free(p);
}

/* UINT32_MAX: it is no probe of this function. */
static uint32_t
point_of(const struct call_probe *p, uint64_t id)
{
	uint32_t pos, n;

	for (n = index_first(&p->by_id, hash_mix(id, 0), &pos); n != 0;
	     n = index_next(&p->by_id, hash_mix(id, 0), &pos))
		if (p->ids[n - 1].id == id)
			return p->ids[n - 1].point;
	return UINT32_MAX;
}

static void
take_sample(struct call_probe *p, const struct record *rec)
{
	const struct record_regs *from = p->layout.sample_regs_intr != 0 ? &rec->sample.regs_intr
									  : &rec->sample.regs_user;
	const struct call_regs regs = { .mask = from->words != NULL ? from->mask : 0,
					.words = from->words };
	struct hit h = { .time_ns = rec->id.time_ns, .ip = rec->sample.ip, .tid = rec->id.tid,
			 .point = point_of(p, rec->id.id) };

	if (h.point == UINT32_MAX || !call_regs_sp(&regs, &h.sp))
		return;
	h.stays = call_point_stays(&p->points[h.point], h.ip, &regs);
	VEC_ADD(p->hits, p->hit_count, p->hit_cap) = h;
}

static void
drain_place(struct call_probe *p, struct open_place *at)
{
	struct bytes bytes;
	struct record rec;

	if (at->ring == NULL)
		return;
	ring_refresh(at->ring);
	while (ring_peek(at->ring, &bytes) > 0) {
		if (record_decode(&p->layout, bytes, &rec) == 1) {
			if (rec.type == PERF_RECORD_SAMPLE)
				take_sample(p, &rec);
			else if (rec.type == PERF_RECORD_LOST)
				p->lost += rec.lost.lost;
		}
		ring_advance(at->ring);
	}
	ring_commit(at->ring);
}

static int
compare_times(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static void
pair(struct call_probe *p, const struct hit *h)
{
	if (p->points[h->point].kind == CALL_BEGIN)
		call_pairs_begin(&p->pairs, h->tid, h->sp, h->time_ns);
	else if (!h->stays)
		call_pairs_end(&p->pairs, h->tid, h->sp, h->time_ns);
}

void
call_probe_drain(struct call_probe *p, uint64_t until_ns)
{
	uint64_t lost = p->lost;
	size_t done;

	for (size_t i = 0; i < p->place_count; i++)
		drain_place(p, &p->places[i]);
	if (p->hit_count > 1)
		qsort(p->hits, p->hit_count, sizeof(*p->hits), compare_times);
	for (done = 0; done < p->hit_count && p->hits[done].time_ns < until_ns; done++)
		pair(p, &p->hits[done]);
	if (done > 0)
		memmove(p->hits, p->hits + done, (p->hit_count - done) * sizeof(*p->hits));
	p->hit_count -= done;
	if (p->lost != lost)
		call_pairs_forget(&p->pairs);
}

struct call_counts
call_probe_counts(struct call_probe *p)
{
	struct call_counts c = { .calls = p->gone_calls, .lost = p->lost };

	price(p);
	c.cost_ns = p->cost_ns;
	for (size_t i = 0; i < p->place_count; i++) {
		c.calls += begins_of(p, &p->places[i]);
		c.worst_cost_ns = MAX(c.worst_cost_ns, p->places[i].cost_ns);
	}
	return c;
}

uint64_t
call_probe_timed_call_ns(const struct call_probe *p)
{
	uint64_t end_ns = 0;

	for (size_t i = 1; i < p->point_count; i++)
		end_ns = MAX(end_ns, p->cost->sampled_ns[p->points[i].is_stepped]);
	return p->cost->sampled_ns[p->points[0].is_stepped] + end_ns;
}

const struct call_pairs *
call_probe_pairs(const struct call_probe *p)
{
	return &p->pairs;
}
