/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_VIEWER_IMPL_H
#define PTOP_ENGINE_VIEWER_VIEWER_IMPL_H
/*
 * What the files of this room share; nobody else includes it.  snapshot.c makes pictures, of which
 * head.c fills the header, processes.c what /proc tells, counter_view.c the counters.  explain.c,
 * page.c and export.c stand on it, viewer.c on all.
 */
#include "engine/leaf/losses.h"
#include "engine/leaf/users.h"
#include "engine/viewer/changes.h"
#include "engine/viewer/counter_list.h"
#include "engine/viewer/exporter.h"
#include "engine/viewer/machine_log.h"
#include "engine/viewer/name_watch.h"
#include "engine/viewer/nameless_notice.h"
#include "engine/viewer/prober.h"
#include "engine/viewer/viewer.h"
#include "live/count/counting.h"
#include "live/proc/proc_reader.h"
#include "profile/report/report.h"

enum { BUSY_MAX = 32 };

/* What was seen at the last beat, for marks: mark_watch.c. */
struct mark_watch {
	uint32_t event; /* the one shown, plus one; 0: none yet */
	uint64_t rate, rate_ns, lost, lost_ns;
	uint64_t seen; /* serial of the interval to come */
	struct busy {
		uint32_t task;
		int pid;
		float share; /* of what is sampled, in the last ten seconds or so; times weight */
		uint64_t exec_ns;
		bool is_told; /* that it has ended */
	} busy[BUSY_MAX];
	size_t busy_len;
	float weight; /* what there was of these seconds: 0 at the beginning, 1 later */
};

/* The view counters: counter_view.c. */
struct counter_view {
	struct counting *thread;   /* NULL until the view is entered first */
	struct counting_finder finder;
	struct counter_list list;
	bool is_on, is_asked;
	uint32_t process, thread_id; /* whose, as the query has it */
	struct counter_target *targets;
	size_t target_count, target_cap;
	struct counter_task *tasks; /* on the screen: all that is sampled */
	size_t task_count, task_cap;
	uint32_t target_changes;   /* measured's, when they were listed, */
	uint64_t listed_ns;        /* which was then, */
	size_t dead_count;         /* when so many were known to have ended */
	uint32_t token;            /* of the targets: older answers are of others */
	struct err err;            /* why there is nothing to count */
	struct counting_msg *first, *before, *now; /* readings; the same one may be two of them */
	struct counter_past past;  /* on the screen, which has one target */
};

/* What the header told when the screen was frozen, of what is not kept by itself: head.c. */
struct frozen_head {
	struct buf change;
	double *rates; /* samples per second, by event */
	size_t event_count;
	double self_cpu;
	uint64_t self_bytes;
	uint64_t losses[LOSS_KINDS], throttled_ns;
};

struct viewer {
	const struct engine_env *env;
	struct queue *front_end;
	const struct engine_parts *parts;

	struct query query;
	struct filter *filter; /* the query's; NULL: none */
	uint32_t held_process, held_thread; /* the tasks that it names */
	uint64_t started_ns;
	uint64_t seq;
	uint64_t reported_ns;  /* the last refresh */
	struct caller_marks caller_marks; /* of reports of callers */
	struct kept_sums *kept; /* of what a screen shows, and compares it with */
	struct row_order order; /* of the list that it shows */

	struct proc_tick_msg *tick; /* the newest; NULL: none came yet */
	struct task_facts *processes, *threads; /* of it */
	struct machine_log *machine; /* what /proc has told of it */
	struct timeline *timeline;   /* as it was last; NULL until it is asked for */
	struct mark_watch marks;
	struct name_watch names;
	struct nameless_notice nameless;

	struct changes *changes;
	struct {
		uint64_t at_ns; /* 0: there was none */
		struct buf text;
	} sent_change;               /* the first on the page, as the user has it */
	struct frozen_head frozen;   /* while the screen is */
	struct snapshot *then;       /* the newest of a recording that is compared with, or NULL */
	bool has_all_then;           /* nothing more of it will come */
	struct counter_view counters;
	struct prober *prober;
	struct catalogue *catalogue; /* NULL until the prober has answered */
	struct exporter *exporter;   /* NULL: none is at work */
	char *export_path;           /* what is to be written once inlined functions are known, or NULL */
	enum export_format export_format;
};

/* timeline.c */
void timeline_fill(struct viewer *v, struct snapshot *s);
size_t timeline_bytes(const struct timeline *t); /* NULL is allowed, here and below */
void timeline_free(struct timeline *t);

/* mark_watch.c */
void marks_fill(const struct viewer *v, struct snapshot *s);
void marks_put(const struct viewer *v, struct buf *b);

/* nameless.c */
void nameless_beat(struct viewer *v, uint64_t now_ns);

/* snapshot.c: of the window alone */
struct snapshot *viewer_picture(struct viewer *v, const struct query *q,
				const struct filter *filter);

/* head.c */
void head_fill(struct viewer *v, struct snapshot *s, uint64_t mono_ns);
void head_freeze(struct viewer *v); /* what it tells now stays */
void head_release(struct viewer *v);
void head_count_losses(const struct viewer *v, uint64_t losses[LOSS_KINDS]); /* since the start, by now */
uint64_t head_known_ns(const struct viewer *v); /* before it nothing is kept, or of the event shown since it was zeroed */
double head_window_s(const struct viewer *v, uint32_t event); /* what its window really holds */
bool head_has_chains(const struct viewer *v, const struct engine_event *ev);

/* unswitched.c: threads that no switch has told of yet; NULL: none */
const char *unswitched_notice(const struct viewer *v, struct arena *arena);

/* processes.c */
enum part_reply processes_on_tick(void *viewer, struct msg *m);
void processes_freeze(struct viewer *v); /* all that were read last are tasks from now on, while they live */
void processes_fill_head(const struct viewer *v, struct snapshot *s);

/* counter_view.c: what is counted while the view counters is shown */
void counter_view_query(struct viewer *v, const struct query *q); /* it has become this */
enum part_reply counter_view_on_reading(void *viewer, struct msg *m);
enum part_reply counter_view_on_limit(void *viewer, struct msg *m);
enum part_reply counter_view_on_stopped(void *viewer, struct msg *m);
void counter_view_fill(struct viewer *v, struct snapshot *s);
void counter_view_put_limits(const struct viewer *v, struct part_notices *n); /* rights that are missing */
void counter_view_release(struct viewer *v);

/* Of the event on the screen; "" before there is one. */
static inline const char *
viewer_event_name(const struct viewer *v)
{
	const struct profile *p = v->env->profile;
	const uint32_t shown = v->env->measured->shown;

	return shown < p->event_count ? p->events[shown].name : "";
}

/* explain.c */
void explain_put_unnamed(struct viewer *v, struct buf *b); /* files by what has no name in them */

/* then.c: the same, joined by what it is compared with, if the query compares */
struct snapshot *viewer_snapshot(struct viewer *v, const struct query *q,
				 const struct filter *filter);
enum part_reply then_on_snapshot(void *viewer, struct msg *m);
enum part_reply then_on_status(void *viewer, struct msg *m);
enum part_reply then_on_end(void *viewer, struct msg *m);

/* export.c */
enum part_reply export_on_end(void *viewer, struct msg *m);

#endif
