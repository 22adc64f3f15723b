/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_SAMPLING_SAMPLING_H
#define PTOP_ENGINE_SAMPLING_SAMPLING_H
/*
 * The room that decides what is sampled: which events are open, for whom, how often, and with which
 * call chains.  What blocks is done by the session's threads; their answers come as messages.  Where
 * a recording is read it has no session, and refuses by the policy's words.  Engine thread only.
 *
 * What changes whose samples count must not overtake records that are still in the rings: such
 * changes wait, AGENDA_CATCH_UP is wanted, and sampling_caught_up() carries them out.
 */
#include "engine/intake/intake.h"
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"
#include "engine/names/names.h"

struct sampling;
struct session_config;

/* Who is told of what was opened; before the first record of it comes. */
struct sampling_observer {
	void (*opened)(void *self, uint32_t leader); /* with its group: attributes are known */
	void (*copies)(void *self, uint32_t event);  /* its attributes with copies of stacks are */
};

/*
 * Opens what is to be sampled: rings and side-band, not yet events.  @wants_cgroups: samples tell
 * their cgroup.  @env: what is there by now, without model and tables.  NULL: see @err.
 */
struct sampling *sampling_open(const struct engine_env *env, bool wants_cgroups, struct err *err);
struct sampling *sampling_of_file(void); /* the same, for who samples nothing */
struct session *sampling_session(const struct sampling *sp); /* NULL: of a file */

/* All that @env has is there now. */
void sampling_begin(struct sampling *sp, const struct engine_env *env);
void sampling_observe(struct sampling *sp, const struct sampling_observer *observer, void *self);
/* Rings have come: whoever waits for them to fill has to look at them anew. */
void sampling_set_watch(struct sampling *sp, void (*watch)(void *self), void *self);

void sampling_open_first(struct sampling *sp); /* the events of the configuration */
/* Events with a place are looked for, or about to be open. */
bool sampling_opens_places(const struct sampling *sp);
/* A probe that took too much is being closed: a notice tells so when that is done. */
bool sampling_closes_probes(const struct sampling *sp);
void sampling_caught_up(struct sampling *sp);
/* Rings were emptied: raises or lowers the periods of events that nobody gave one. */
void sampling_pace(struct sampling *sp, uint64_t now_ns);
bool sampling_is_paced(const struct sampling *sp); /* there is such an event: that is to be soon */

/*
 * What the user asks for, from here on to sampling_detach().  What comes of it, or why it is refused,
 * is told as a note.  Not @is_asked: a view needs it, a single one.
 */
void sampling_show(struct sampling *sp, const char *spec, bool is_asked);
void sampling_show_next(struct sampling *sp, int direction);
void sampling_set_filter(struct sampling *sp, const char *filter); /* "": none */
void sampling_step_rate(struct sampling *sp, int direction);
void sampling_toggle_pause(struct sampling *sp); /* of the event shown, with its group */
/* How call chains are taken from now on: all that is open is opened anew, and keeps its counts. */
void sampling_set_call_graph(struct sampling *sp, enum event_call_graph how);
void sampling_attach(struct sampling *sp, int pid, bool descendants);
void sampling_detach(struct sampling *sp, int pid);

/* All events, for good: what they have counted is final.  What is in the rings still counts. */
void sampling_stop(struct sampling *sp);

/* Counts what was lost, if there is news of it or @is_report. */
void sampling_count_lost(struct sampling *sp, uint64_t now_ns, bool is_report);

/* All that could be sampled has ended, and what it had started. */
bool sampling_targets_have_ended(const struct sampling *sp);
/* Samples tell which processes are busy; else one can be without a sample. */
bool sampling_tells_who_is_busy(const struct sampling *sp);

/* COMMAND's end, as waitpid() gives it. */
bool sampling_command_ended(const struct sampling *sp, int *status);

/* How an event would be opened now; borrows from @sp. */
struct session_config sampling_config(const struct sampling *sp);

extern const struct engine_part sampling_part;

#endif
