/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs that went off line and came on line, as they are told. */
#include "engine/sampling/sampling_impl.h"

#include "base/clock.h"
#include "live/sys/cpus.h"

static void
note_cpus(struct sampling *sp, const struct cpus *cpus, const char *what)
{
	struct buf b = { 0 };

	if (cpus->len == 0)
		return;
	cpus_put_list(&b, cpus);
	notes_news(sp->notes, "CPU%s %s %s", cpus->len > 1 ? "s" : "", b.data, what);
	marks_add(sp->marks, MARK_CPU, clock_mono_ns(), "CPU%s %s %s", cpus->len > 1 ? "s" : "", b.data,
		  what);
	buf_release(&b);
}

/* Rings that are there besides are larger ones of CPUs that were there, too. */
void
cpu_changes_tell(struct sampling *sp, const struct session_rings_msg *m)
{
	struct cpus gone = { m->gone, m->gone_count }, come = { 0 };

	if (!m->tells_cpus)
		return;
	come.items = mem_calloc(m->added_count + 1, sizeof(*come.items));
	for (size_t i = 0; i < m->added_count; i++) {
		if (!m->added[i].is_sideband)
			come.items[come.len++] = m->added[i].cpu;
	}
	note_cpus(sp, &gone, "went off line: not sampled until back");
	note_cpus(sp, &come, "came on line: sampled from now on");
	/* What happened there before its side-band was open is not known. */
	if (come.len > 0) {
		model_doubt_all(sp->model);
		sp->clock->rings_since_ns = clock_mono_ns();
	}
	cpus_release(&come);
}
