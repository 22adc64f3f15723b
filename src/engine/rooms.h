/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_ROOMS_H
#define PTOP_ENGINE_ROOMS_H
/*
 * The engine: its leaves, its rooms, and what the loop remembers.  Only the files above the rooms
 * include it: engine.c, loop.c, live.c, playback.c, fleet.c, reports.c, recount.c, commands.c and parts.c.
 * All of it belongs to the engine thread, but for what engine_start() sets up before that begins.
 */
#include "engine/calls/calls.h"
#include "engine/code/code.h"
#include "engine/engine.h"
#include "engine/hits/hits.h"
#include "engine/hosts/hosts.h"
#include "engine/intake/intake.h"
#include "engine/leaf/losses.h"
#include "engine/leaf/sample_ids.h"
#include "engine/names/names.h"
#include "engine/recording/recording.h"
#include "engine/replay/replay.h"
#include "engine/sampling/sampling.h"
#include "engine/viewer/viewer.h"
#include "engine/waits/waits.h"
#include "profile/count/feed.h"
#include "symbol/kernel/kernel_state.h"

#include <pthread.h>

/* What ends the loop's wait: data of its epoll. */
enum { WOKEN_BY_MESSAGE, WOKEN_BY_RING };

/* Where records come from: what the loop steps. */
struct engine_source {
	void (*begin)(struct engine *e);
	/* How long the loop may wait for messages; it is woken by them, and by rings. */
	int (*wait_ms)(struct engine *e);
	/* Takes records, and does what is due.  @is_woken: by a ring. */
	void (*step)(struct engine *e, bool is_woken);
	void (*end_interval)(struct engine *e, uint64_t now_ns); /* what was counted so far is one */
	/* The query or the delay is another one: when intervals end may be, too. */
	void (*plan)(struct engine *e);
	/* An interval ends now, with all that was sampled so far.  NULL: nothing is sampled. */
	void (*cut)(struct engine *e, uint64_t now_ns);
};

extern const struct engine_source live_source;     /* live.c */
extern const struct engine_source playback_source; /* playback.c */
extern const struct engine_source fleet_source;    /* fleet.c */

/* A report that is being made: reports.c. */
struct report_state {
	unsigned step;     /* 0: there is none, else what is waited for */
	bool is_last;      /* nothing is sampled after it */
	uint64_t began_ns; /* the time of the refresh that it is */
	uint64_t until_ns; /* what is waited for has so long */
};

struct engine {
	const struct engine_config *config;
	struct engine_env env;
	struct event_env event_env;
	struct queue *in, *out;
	pthread_t thread;
	const struct engine_source *source;
	int epoll_fd;

	struct agenda agenda;
	struct stream_clock clock;
	struct marks marks;
	int64_t asleep_ns; /* clock_asleep_ns() at the last beat */
	struct own_cost cost;
	struct measured measured;
	struct ends ends;
	struct losses losses;
	struct locations locations;
	struct feed feed;
	struct record_layout layout;
	struct kernel_programs programs; /* as they were while there was the right to ask */

	struct intake *intake;
	struct sampling *sampling;
	struct names *names;
	struct recording *recording;
	struct replay *replay; /* NULL: what runs here is sampled */
	struct hosts *hosts;   /* NULL: no other hosts are asked */
	struct waits *waits;
	struct calls *calls;
	struct hits *hits;
	struct code *code;
	struct viewer *viewer;
	struct engine_parts parts;

	struct engine *then;    /* reads what is compared with; NULL: nothing is */
	struct engine_config then_config;

	struct query first;  /* the query to begin with */
	struct report_state report;
	struct {
		bool is_wanted;
		struct query query;
	} next_report; /* what was asked for while that is made: the newest */
	bool is_stopping;        /* nothing is waited for any more */
	bool is_finishing;       /* a last report is wanted */
	bool holds_reports;      /* there is none before all that has a place is open */
	bool is_command_over;    /* COMMAND has ended, and all that it left has been counted */
	bool is_end_sent;        /* ENGINE_MSG_ENDED has been sent */
	bool is_flooded;         /* a ring has filled faster than it was emptied */
	uint64_t drained_ns;     /* when rings were emptied last, */
	uint64_t ticked_ns;      /* when /proc was asked for more than the hottest, */
	uint64_t shown_ns;       /* and a picture was made */
	uint64_t reported_ns;    /* when the last report began, or what the first has */
	uint64_t next_show_ns;   /* of a recording: the next picture */
	struct {
		struct past_samples *past; /* that are still to be looked at; NULL: none */
		bool is_full, is_by_cpu;
	} recount;
};

/*
 * parts.c, the one file that lists all parts.  Makes those that are not there yet, and wires them.
 * What they need is in e->env; @downloads: see names_new().
 */
void parts_make(struct engine *e, struct host *downloads);

/* Hands a message to the part that it is for, and frees it unless that keeps it. */
void parts_take(struct engine *e, struct msg *m);

void parts_beat(struct engine *e, uint64_t now_ns);
void parts_release(struct engine *e);

/*
 * comparison.c: of the engine of a recording that is compared with, what it is told at its start, and
 * what it is asked where this one is asked @q.  It answers to this engine's own queue.
 */
struct engine_config comparison_config(const struct engine_config *config);
struct query comparison_query(const struct query *q);

/*
 * reports.c.  They wait: for names, for debug files that are being downloaded, for source lines.
 * Meanwhile the loop goes on, and steps the report instead of its source.  The screen never waits.
 *
 * Begins one, for the refresh that was due at @now_ns; @is_last: nothing is sampled after it.
 */
void reports_begin(struct engine *e, bool is_last, uint64_t now_ns);

/* A report of @q, after the one that waits.  It has what was sampled before it begins. */
void reports_ask(struct engine *e, const struct query *q);
void reports_ask_next(struct engine *e); /* begins what was asked for meanwhile */

static inline bool
reports_are_waiting(const struct engine *e)
{
	return e->report.step != 0;
}

/* Goes on with it; true: it has been sent. */
bool reports_step(struct engine *e);

/* A refresh that waits for nothing: the interval ends, and what the query gives is sent. */
void reports_refresh(struct engine *e, uint64_t now_ns);

/* Sends what the query gives now. */
void reports_show(struct engine *e);

/* Sends that nothing more will come, once. */
void reports_end(struct engine *e);

/*
 * recount.c: whose the past samples of a function or a whole source file were that is looked at
 * through a filter.  Asks for it if the snapshot lacks it; goes on, a little; ends.
 */
void recount_ask(struct engine *e, const struct snapshot *s);
void recount_step(struct engine *e);
void recount_stop(struct engine *e);

static inline bool
recount_goes_on(const struct engine *e)
{
	return e->recount.past != NULL;
}

/*
 * commands.c: what the front end asks for, sent from its thread, carried out by the engine's.
 * Whether @m is one; carries it out, and frees it.
 */
bool commands_take(struct engine *e, struct msg *m);

/* Tells the thread to end; any thread. */
void commands_stop(struct engine *e);

/* The engine's thread: it waits, takes what came, steps its source, and answers. */
void *loop_main(void *engine);

#endif
