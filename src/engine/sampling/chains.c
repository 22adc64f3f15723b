/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How call chains are taken, and how that is changed while events are open. */
#include "engine/sampling/sampling_impl.h"

static const char *const names[] = {
	[CALL_GRAPH_FP] = "by frame pointers",
	[CALL_GRAPH_DWARF] = "from copies of stacks",
	[CALL_GRAPH_LBR] = "by the branch recorder",
	[CALL_GRAPH_NONE] = "no more",
	[CALL_GRAPH_AUTO] = "by what each process needs",
};

void
chains_opened(struct sampling *sp, uint32_t leader)
{
	struct engine_event *ev = &sp->measured->events[leader];

	if (ev->live == NULL || ev->chains == sp->chains)
		return;
	ev->chains = sp->chains;
	session_set_call_graph(sp->session, ev->live, sp->chains, sp->config->stack_bytes);
}

void
sampling_set_call_graph(struct sampling *sp, enum event_call_graph how)
{
	const struct measured *m = sp->measured;

	if (session_scope(sp->session) == SESSION_NONE) {
		notes_refuse(sp->notes, "no event can be opened here: ! shows why");
		return;
	}
	if (sp->config->overwrite && (how == CALL_GRAPH_AUTO || how == CALL_GRAPH_DWARF)) {
		notes_refuse(sp->notes, "the rings of --overwrite have no room for copies of "
			     "stacks");
		return;
	}
	if (how != sp->chains) {
		sp->chains = how;
		session_set_call_graph(sp->session, NULL, how, sp->config->stack_bytes);
		stack_choice_end_all(sp);
	}
	for (uint32_t n = 0; n < m->event_count; n++)
		if (m->events[n].leader == n)
			chains_opened(sp, n);
	notes_say(sp->notes, "call chains are taken %s", names[how]);
	agenda_want(sp->agenda, AGENDA_ANSWER);
}
