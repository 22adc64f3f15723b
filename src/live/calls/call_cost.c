/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/calls/call_cost.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/histogram.h"
#include "event/event.h"
#include "event/site.h"
#include "live/sys/close_together.h"
#include "live/calls/call_probe.h"
#include "live/sys/procfs.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { CALLS = 128, SELF = 0, ANY_CPU = -1, MAPS_BYTES_MAX = 1 << 20 };

/* Where it cannot be measured: what a slow virtual machine was seen to need. */
static const struct call_cost assumed = {
	.counted_ns = { 2000, 20000 }, .sampled_ns = { 3000, 21000 }, .gap_ns = { 0, 0 },
};

#if defined(__x86_64__)
/* An instruction that is emulated, one that is stepped, and the return of each. */
__asm__(".text\n"
	"call_cost_emulated: nop\n"
	"call_cost_emulated_end: ret\n"
	"call_cost_stepped: xorl %eax, %eax\n"
	"call_cost_stepped_end: ret\n");
void call_cost_emulated(void);
void call_cost_stepped(void);
static const uint64_t end_behind[2] = { 1, 2 };
static void (*const nothing[2])(void) = { call_cost_emulated, call_cost_stepped };
#endif

/* The offset in its file of the code at @address of this process; 0: it is not known. */
static uint64_t
file_offset(uintptr_t address)
{
	struct buf maps = { 0 };
	uint64_t offset = 0;
	const char *line;

	file_read("/proc/self/maps", &maps, MAPS_BYTES_MAX);
	for (line = buf_str(&maps); *line != '\0' && offset == 0; line += *line == '\n') {
		size_t len = strcspn(line, "\n");
		struct procfs_map map;

		if (procfs_map(line, len, &map) && address >= map.start && address < map.end)
			offset = address - map.start + map.pgoff;
		line += len;
	}
	buf_release(&maps);
	return offset;
}

#if defined(__x86_64__)
/* Half of the calls take no longer: others may have had the CPU meanwhile. */
static uint64_t
time_of_call(void (*function)(void))
{
	struct histogram *times = mem_calloc(1, sizeof(*times));
	uint64_t half;

	for (int i = 0; i < CALLS; i++) {
		uint64_t begin = clock_mono_ns();

		function();
		histogram_add(times, clock_mono_ns() - begin);
	}
	half = histogram_quantile(times, 0.5);
	free(times);
	return half;
}

/* false: it cannot be measured. */
static bool
measure(struct call_cost *c, const struct call_probe_spec *spec, bool is_stepped)
{
	struct call_probe *p = call_probe_new(spec);
	struct err err = { 0 };
	uint64_t both = 0;
	bool res = call_probe_add(p, (struct call_place){ SELF, ANY_CPU }, NULL, &err) == 0;

	if (res) {
		c->counted_ns[is_stepped] = time_of_call(nothing[is_stepped]);
		res = call_probe_time(p, NULL, &err) == 0;
	}
	if (res) {
		both = time_of_call(nothing[is_stepped]);
		call_probe_drain(p, UINT64_MAX);
		res = call_probe_pairs(p)->times.count > 0;
	}
	if (res) {
		c->gap_ns[is_stepped] = histogram_quantile(&call_probe_pairs(p)->times, 0.5);
		c->sampled_ns[is_stepped] = both;
	}
	call_probe_free(p);
	return res;
}

/* Of both together, the begin and an end that is stepped, to the one and the other. */
static void
divide(struct call_cost *c)
{
	uint64_t both[2] = { c->sampled_ns[0], c->sampled_ns[1] };
	uint64_t counted = c->counted_ns[0] + c->counted_ns[1];
	uint64_t sample = both[0] > counted ? (both[0] - counted) / 2 : 0;

	c->sampled_ns[0] = c->counted_ns[0] + sample;
	c->sampled_ns[1] = MAX(c->counted_ns[1] + sample, both[1] / 2);
}

static bool
measure_all(struct call_cost *c, const struct sys *sys, const struct event_env *env,
	    const struct event *ev)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = file_offset((uintptr_t)nothing[i]);
		const struct call_point points[2] = {
			{ .kind = CALL_BEGIN, .offset = at, .is_stepped = i },
			{ .kind = CALL_RETURN, .offset = at + end_behind[i], .is_stepped = true },
		};
		const struct call_probe_spec spec = {
			.sys = sys, .env = env, .event = ev, .points = points, .count = 2,
			.begins = 1, .cost = c,
		};

		if (at == 0 || !measure(c, &spec, i))
			return false;
	}
	divide(c);
	return true;
}
#else
static bool
measure_all(struct call_cost *c, const struct sys *sys, const struct event_env *env,
	    const struct event *ev)
{
	(void)c, (void)sys, (void)env, (void)ev;
	return false;
}
#endif

void
call_cost_measure(struct call_cost *c, const struct sys *sys, const struct event_env *env)
{
	struct event_list list = { 0 };
	struct err err = { 0 };
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	*c = (struct call_cost){ 0 };
	if (n > 0 && event_parse(env, "uprobe:/proc/self/exe:0x0", &list, &err) == 0) {
		path[n] = '\0';
		event_add_site(&list.items[0], path, 0, 0);
		c->is_measured = measure_all(c, sys, env, &list.items[0]);
	}
	event_list_release(&list);
	if (!c->is_measured)
		*c = assumed;
}
