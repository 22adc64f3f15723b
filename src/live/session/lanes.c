/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/lanes.h"

#include "live/open/open.h"
#include "live/open/open_error.h"
#include "live/session/past_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAGES_MIN = 4, OWN_TASK = 0 };

static int
open_ring(const struct sys *sys, struct open_plan *owner, unsigned cpu, unsigned pages,
	  struct session_ring *out, struct err *err)
{
	owner->attr.wakeup_watermark = (uint32_t)(pages * page_size() / 2);
	out->cpu = cpu;
	out->poll_fd = open_event(sys, owner, OWN_TASK, (int)cpu, err);
	if (out->poll_fd < 0)
		return -1;
	out->ring = ring_new(out->poll_fd, pages, err);
	if (out->ring == NULL) {
		close(out->poll_fd);
		return -1;
	}
	return 0;
}

/* Beside the ring of samples; its owner is never read, so nothing wakes. */
static int
open_past(const struct sys *sys, struct open_plan *owner, unsigned pages, struct session_ring *out,
	  struct err *err)
{
	owner->attr.write_backward = 1;
	out->past_fd = open_event(sys, owner, OWN_TASK, (int)out->cpu, err);
	if (out->past_fd >= 0 && !owner->attr.write_backward)
		err_set(err, ERR_UNSUPPORTED, 0, "--overwrite needs kernel 4.7");
	else if (out->past_fd >= 0)
		out->past = past_ring_new(out->past_fd, pages, err);
	owner->attr.write_backward = 0;
	if (out->past != NULL)
		return 0;
	if (out->past_fd >= 0)
		close(out->past_fd);
	return -1;
}

static int
open_lane(const struct sys *sys, struct open_plan *owner, unsigned cpu,
	  const struct lane_pages *pages, struct session_ring out[2], struct err *err)
{
	out[0] = (struct session_ring){ .is_sideband = true };
	out[1] = (struct session_ring){ 0 };
	if (open_ring(sys, owner, cpu, pages->sideband, &out[0], err) < 0)
		return -1;
	if (open_ring(sys, owner, cpu, pages->sample, &out[1], err) < 0) {
		session_ring_close(&out[0]);
		return -1;
	}
	if (pages->past == 0 || open_past(sys, owner, pages->past, &out[1], err) == 0)
		return 0;
	session_ring_close(&out[0]);
	session_ring_close(&out[1]);
	return -1;
}

static int
open_all(const struct sys *sys, struct open_plan *owner, const struct cpus *cpus,
	 const struct lane_pages *pages, struct session_ring *rings, struct err *err)
{
	for (size_t i = 0; i < cpus->len; i++) {
		if (open_lane(sys, owner, cpus->items[i], pages, &rings[2 * i], err) == 0)
			continue;
		for (size_t j = 0; j < 2 * i; j++)
			session_ring_close(&rings[j]);
		return -1;
	}
	return 0;
}

/* EPERM from mmap() is the locked-memory limit. */
static bool
is_memory_limit(const struct err *err)
{
	return err->code == ERR_LIMIT && (err->sys == EPERM || err->sys == ENOMEM);
}

/* Whether rings can be smaller. */
static bool
shrink(struct lane_pages *pages)
{
	if (pages->past > pages->sample)
		pages->past /= 2;
	else if (pages->sample > pages->sideband)
		pages->sample /= 2;
	else if (pages->sideband > PAGES_MIN)
		pages->sideband /= 2;
	else if (pages->sample > PAGES_MIN)
		pages->sample /= 2;
	else
		return false;
	return true;
}

size_t
lane_pages_bytes(const struct lane_pages *pages)
{
	return (pages->sideband + pages->sample + 2 + (pages->past > 0 ? pages->past + 1 : 0)) *
	       page_size();
}

void
lane_pages_raise(struct lane_pages *pages, size_t bytes, size_t cpus)
{
	while (pages->sample * page_size() < bytes &&
	       2 * lane_pages_bytes(pages) * cpus <= LANES_BURST_MAX)
		pages->sample *= 2;
}

void
lane_pages_bound(struct lane_pages *pages, size_t cpus)
{
	while (lane_pages_bytes(pages) * cpus > LANES_BYTES_MAX && shrink(pages))
		;
}

int
lanes_open(struct lanes *lanes, const struct sys *sys, const struct event_env *env,
	   const struct cpus *cpus, struct lane_pages *pages, struct session_ring **rings,
	   size_t *ring_count, struct err *err)
{
	struct session_ring *opened = mem_calloc(2 * cpus->len, sizeof(*opened));
	struct open_plan owner;
	struct err why = { 0 };
	int res;

	open_plan_owner(&owner, env, lanes->clock);
	while ((res = open_all(sys, &owner, cpus, pages, opened, &why)) < 0)
		if (!is_memory_limit(&why) || !shrink(pages))
			break;
	open_plan_release(&owner);
	if (res < 0) {
		free(opened);
		if (is_memory_limit(&why))
			open_error_ring(&why, env,
					lane_pages_bytes(pages), cpus->len, why.sys);
		if (err != NULL)
			*err = why;
		return -1;
	}
	*rings = mem_realloc(*rings, *ring_count + 2 * cpus->len, sizeof(**rings));
	for (size_t i = 0; i < cpus->len; i++) {
		VEC_ADD(lanes->items, lanes->len, lanes->cap) = (struct lane){
			.cpu = cpus->items[i],
			.sideband_fd = opened[2 * i].poll_fd,
			.sample_fd = opened[2 * i + 1].poll_fd,
			.aux_at = (pages->sample + 1) * page_size(),
			.past_fd = opened[2 * i + 1].past != NULL ? opened[2 * i + 1].past_fd : -1,
		};
		(*rings)[(*ring_count)++] = opened[2 * i];
		(*rings)[(*ring_count)++] = opened[2 * i + 1];
	}
	free(opened);
	return 0;
}

int
lanes_grow(struct lanes *lanes, const struct sys *sys, const struct event_env *env,
	   unsigned sample_pages, struct session_ring **rings, size_t *ring_count)
{
	struct session_ring *opened = mem_calloc(lanes->len, sizeof(*opened));
	struct open_plan owner;
	size_t n;

	open_plan_owner(&owner, env, lanes->clock);
	for (n = 0; n < lanes->len; n++)
		if (open_ring(sys, &owner, lanes->items[n].cpu, sample_pages, &opened[n], NULL) < 0)
			break;
	open_plan_release(&owner);
	if (n < lanes->len) {
		while (n-- > 0)
			session_ring_close(&opened[n]);
		free(opened);
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		lanes->items[i].sample_fd = opened[i].poll_fd;
		lanes->items[i].aux_at = (sample_pages + 1) * page_size();
	}
	free(*rings);
	*rings = opened;
	*ring_count = n;
	return 0;
}

void
lanes_remove(struct lanes *lanes, unsigned cpu)
{
	size_t kept = 0;

	for (size_t i = 0; i < lanes->len; i++) {
		if (lanes->items[i].cpu != cpu)
			lanes->items[kept++] = lanes->items[i];
	}
	lanes->len = kept;
}

bool
lanes_has(const struct lanes *lanes, unsigned cpu)
{
	for (size_t i = 0; i < lanes->len; i++) {
		if (lanes->items[i].cpu == cpu)
			return true;
	}
	return false;
}

void
lanes_release(struct lanes *lanes)
{
	free(lanes->items);
	*lanes = (struct lanes){ 0 };
}

void
session_ring_close(struct session_ring *ring)
{
	ring_free(ring->ring);
	close(ring->poll_fd);
	if (ring->past == NULL)
		return;
	past_ring_free(ring->past);
	close(ring->past_fd);
}
