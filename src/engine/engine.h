/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_ENGINE_H
#define PTOP_ENGINE_ENGINE_H
/*
 * The engine thread: drains the rings, keeps model and tables, answers queries with snapshots.
 * Commands never block; they are carried out in the order given.  Answers come to the queue given
 * to engine_start().  Called from one thread, the ui or the batch loop.
 */
#include "engine/leaf/engine_config.h"
#include "engine/leaf/engine_msg.h"

struct engine;

/*
 * Opens what is to be sampled and starts the thread with @q as first query; refreshes every
 * config's delay.  NULL: @err.  The config must outlive the engine.
 */
struct engine *engine_start(const struct engine_config *config, const struct query *q,
			    struct queue *answers, struct err *err);

/*
 * Ends the thread and all its helpers, closes everything; a recording and an export are written to
 * their end.  Snapshots borrow names from the engine: put all of them back first.  -1: one of the
 * two is not whole, and why.
 */
int engine_stop(struct engine *e, struct err *err);

/* Replaces the query; answered at once, and anew at each refresh. */
void engine_query(struct engine *e, const struct query *q);

/*
 * Of what is sampled here: a report of @q, with all that was sampled before; it waits for its names.
 * One at a time: what is asked for meanwhile comes next, of several the last.  is_asked alone.
 */
void engine_report(struct engine *e, const struct query *q);

/* An interval ends now: a window of a length may begin here. */
void engine_cut(struct engine *e);

/*
 * Samples @spec from now on, in place of the event shown.  If it was used before, its past is
 * there at once.  Of several, divided by commas, the first is shown and the others are sampled beside
 * it (row.beside).  What is wrong with it comes as ENGINE_MSG_STATUS.
 */
void engine_switch_event(struct engine *e, const char *spec);

/* The same for one that a view needs: the user did not choose it (snapshot_head.event_asked). */
void engine_need_event(struct engine *e, const char *spec);

/* Shows the next (+1) or previous (-1) event of those used so far. */
void engine_step_event(struct engine *e, int direction);

/* One step more (+1) or fewer (-1) samples per second: 1 2 5 10 ... */
void engine_step_freq(struct engine *e, int direction);

/* Stops sampling the event shown, or goes on; the time between is no part of its windows. */
void engine_toggle_pause(struct engine *e);

/*
 * Has the kernel keep only what @filter fits of the event shown, "": all.  What comes of it, or why
 * it is refused, is told as a status.
 */
void engine_filter_event(struct engine *e, const char *filter);

/* How call chains are taken from now on; all counts stay.  What comes of it is told as a status. */
void engine_set_call_graph(struct engine *e, enum event_call_graph how);

void engine_set_delay(struct engine *e, double seconds);
/* Asks for a last report, of what has come so far: it is answered as soon as it has its names. */
void engine_finish(struct engine *e);

void engine_zero(struct engine *e); /* the window starts anew; of the event shown nothing older is kept */

/* Sets a mark of that name, @at_s since the beginning; 0: now. */
void engine_mark(struct engine *e, const char *name, double at_s);

void engine_ask_catalogue(struct engine *e);
void engine_ask_messages(struct engine *e);
void engine_ask_changes(struct engine *e); /* ENGINE_MSG_CHANGES */
void engine_ask_hits(struct engine *e); /* ENGINE_MSG_HITS: the newest samples of the event shown */
void engine_ask_explain(struct engine *e, const struct query *q, uint64_t row_id);
/* The same of a line of a tree: where its code is; @is_irq_on as its snapshot_node. */
void engine_ask_explain_place(struct engine *e, uint32_t location, bool is_irq_on);

/*
 * Writes a perf.data file at @path (not for RECORD_STOP).  What comes of it is told as a status, but
 * of RECORD_OWN.
 */
void engine_record(struct engine *e, enum record_what what, const char *path);

/*
 * Writes what the query shows, as it is now, to the new file @path.  What comes of it is told as a
 * status.
 */
void engine_export(struct engine *e, enum export_format format, const char *path);

/*
 * Samples a process that is running too, with the descendants that it has and will have or without,
 * or no more what was attached or named at the start.  What comes of it, or why it is refused, is
 * told as a status.
 */
void engine_attach(struct engine *e, int pid, bool descendants);
void engine_detach(struct engine *e, int pid);

/*
 * Has the calls of the function at @location (row.location) counted, of @process as in struct query;
 * or not any more, if they are.
 */
void engine_count_calls(struct engine *e, uint32_t location, uint32_t process);
void engine_end_calls(struct engine *e, uint32_t id); /* call_row.id: they are not counted any more */

/*
 * The runtime of @pid has named its code: ENGINE_MSG_NAMELESS says when more of it has no name,
 * each 30 s at most.  With config.name_jit it says that of all processes, from the first time on.
 */
void engine_name_again(struct engine *e, int pid);

/* Stops the download of debug files, or goes on with it.  What comes of it is told as a status. */
void engine_toggle_downloads(struct engine *e);

/* Where COMMAND's output can be read (poll it), -1: none. */
int engine_output_fd(const struct engine *e);

#endif
