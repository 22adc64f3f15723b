/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_ENGINE_IMPL_H
#define PTOP_ENGINE_ENGINE_IMPL_H
/*
 * What the engine*.c files do for each other, and what comes through the engine's queue; nobody
 * else includes it.  Engine thread, but for what says otherwise.
 */
#include "engine/engine_state.h"

/* A command of the ui: what engine.h's calls put into the engine's queue. */
enum engine_cmd_type {
	CMD_QUERY = 400,
	CMD_SWITCH,
	CMD_STEP_EVENT,
	CMD_STEP_FREQ,
	CMD_FILTER_EVENT,
	CMD_DELAY,
	CMD_ZERO,
	CMD_CATALOGUE,
	CMD_MESSAGES,
	CMD_EXPLAIN,
	CMD_RECORD,
	CMD_EXPORT,
	CMD_ATTACH,
	CMD_DETACH,
	CMD_DOWNLOADS,
	CMD_STOP,
};

struct engine_cmd {
	struct msg msg;
	struct query query;
	uint64_t row_id;
	int direction;
	double seconds;
	enum record_what what;
	enum export_format format;
	char *text;
	int pid;
	bool descendants;
};

/* engine.c */
struct session_config engine_session_config(const struct engine *e);
void engine_choose_step(struct engine *e); /* of trends, by the delay */
void engine_init_tables(struct engine *e);

/* engine_loop.c: the thread and its clock */
void *engine_main(void *engine);

/* engine_inbox.c: the engine's queue */
void engine_send_ended(struct engine *e);
void engine_settle(struct engine *e); /* waits until names are there, or it takes too long */
void engine_set_query(struct engine *e, const struct query *q);
void engine_take_messages(struct engine *e);             /* all that wait */
void engine_wait_message(struct engine *e, int timeout_ms); /* one */
void engine_free_msg(struct msg *m); /* any message of the engine's queue */

void engine_watch_task(struct engine *e, uint32_t task);
void engine_plan_cut(struct engine *e); /* the window, the delay or the next refresh is another */

/* When what is shown began: the sampling, or the recording. */
static inline uint64_t
engine_begin_ns(const struct engine *e)
{
	return e->file != NULL ? e->replay.first_ns : e->started_ns;
}

/* engine_drain.c: from rings to counts */
void engine_drain(struct engine *e, uint64_t limit_ns); /* what was written before @limit_ns */
bool engine_is_pressed(struct engine *e); /* whether a ring is so full that it should be emptied now */
void engine_take_sideband(struct engine *e, const struct record *rec); /* all but samples */

/* engine_answers.c: what is asked about them, and what comes back */
void engine_learn_answers(struct engine *e); /* maps whose time has come, images, names asked */
void engine_take_image(struct engine *e, struct symbol_image_msg *m);
void engine_take_names(struct engine *e, struct symbol_names_msg *m);
void engine_take_lines(struct engine *e, struct symbol_lines_msg *m);
void engine_ask_lines(struct engine *e, const struct snapshot *s); /* of the rows it shows */
bool engine_shows_lines(const struct engine *e);
void engine_settle_lines(struct engine *e); /* of a report, once its rows are those it will have */
bool engine_ask_inlines_of(struct engine *e, uint32_t dso, const uint64_t *addrs,
			   uint32_t count); /* false: how its file is found is not known */
bool engine_is_settled(const struct engine *e); /* nothing is on its way */
void engine_ask_image_again(struct engine *e, uint32_t dso); /* of a file, asked for before */
void engine_learn_no_image(struct engine *e, uint32_t dso, const struct no_image *why);

/* How the file of a dso is asked for; NULL: @a says it; else why there is none. */
const struct no_image *engine_file_ask(struct engine *e, const struct image_ask *ask,
				       struct symbol_ask *a);

/* engine_unwind.c: call chains from copies of stacks */
void engine_ask_rules(struct engine *e); /* of files that were met for the first time */
void engine_take_rules(struct engine *e, struct symbol_rules_msg *m);
bool engine_has_rules(const struct engine *e); /* none are on their way */
void engine_put_chains(const struct engine *e, struct buf *b); /* what is to be said of them */
/* engine_inlines.c */
void engine_want_inlines(struct engine *e); /* before the first sample: if the options ask for them */
bool engine_ask_inlines(struct engine *e, const struct query *q); /* false: nothing new for @q */
bool engine_awaits_inlines(struct engine *e, const struct query *q); /* asks for what is new, too */
void engine_take_inlines(struct engine *e, const struct symbol_lines_msg *m);
const char *engine_inlines_notice(const struct engine *e, struct arena *arena); /* NULL: nothing */

const char *engine_chains_notice(const struct engine *e, struct arena *arena); /* NULL: nothing */

/* engine_kernel.c: the kernel's names */
void engine_ask_kernel(struct engine *e); /* if they are wanted, or may have changed */
void engine_take_kernel(struct engine *e, struct symbol_image_msg *m);
/* What names code of the kernel that is in no list of its symbols. */
void engine_put_kernel_record(const struct engine *e, const struct location *loc, struct buf *b);

/* engine_fetch.c: debug files from servers, if --debuginfod is given */
void engine_fetch_begin(struct engine *e, const char *dir); /* before the thread; they are kept there */
/*
 * An image has come and is about to be learned; of a dso whose debug file is not here it is noted.
 * false: it is of no use, the one that there is stays.
 */
bool engine_fetch_takes_image(struct engine *e, struct symbol_image_msg *m);
void engine_fetch_took_image(struct engine *e, uint32_t dso, bool lacks_debug_file); /* after that */
void engine_fetch_beat(struct engine *e); /* each second */
void engine_fetch_all(struct engine *e);  /* before a last report: waits for what is to come */
void engine_fetch_take(struct engine *e, const struct fetch_msg *m);
void engine_fetch_toggle(struct engine *e); /* stops what is on its way, or goes on */
void engine_fetch_release(struct engine *e);

/* engine_deferred.c: samples whose call chains come later */
/* false: it is not one of them, or cannot wait: it is to be counted as it is. */
#define DEFERRED_PATIENCE_NS NSEC_PER_SEC
bool engine_defer_sample(struct engine *e, uint32_t event, uint32_t layout, const struct record *rec,
			 struct bytes bytes);
void engine_take_deferred(struct engine *e, const struct record *rec); /* a chain */
void engine_expire_deferred(struct engine *e, uint64_t before_ns); /* those that wait since before */

/* engine_values.c: samples that carry the values of counters */
typedef bool (*engine_value_fn)(struct engine *e, uint64_t id, const struct record *rec,
				struct bytes bytes);
/*
 * Hands @rec to @take for the event of each counter that gained something, with that as its period.
 * If @take was true for any, the record is kept; in a recording it is already.
 */
void engine_take_values(struct engine *e, const struct record_layout *layout, struct record *rec,
			struct bytes bytes, engine_value_fn take);
void engine_replay_values(struct engine *e, const struct record_layout *layout, struct record *rec,
			  struct bytes bytes, engine_value_fn take);

/* engine_replay.c: a recording in place of sampling */
int engine_replay_open(struct engine *e, struct err *err);
void *engine_replay_main(void *engine); /* the thread */
/* Takes the symbols that the recording itself has of @dso; false: it has none. */
bool engine_replay_symbols(struct engine *e, uint32_t dso);
/* Which file is meant; the path is valid until the next call. */
void engine_replay_identity(struct engine *e, struct symbol_ask *ask);
void engine_replay_head(const struct engine *e, struct snapshot *s);
void engine_replay_release(struct engine *e);

/* engine_export.c: what is shown, as a file */
void engine_export_command(struct engine *e, enum export_format format, const char *path);
void engine_export_waited(struct engine *e); /* an answer has come, which an export may wait for */
void engine_take_export_ended(struct engine *e, struct exporter_ended_msg *m);

/* engine_record.c: raw records, kept and written */
int engine_record_begin(struct engine *e, struct err *err); /* before the thread is there */
void engine_record_add(struct engine *e, const struct record *rec, struct bytes bytes);
void engine_record_new_sample(struct engine *e, const struct record *rec, struct bytes bytes,
			      uint64_t tag);
void engine_record_sample(struct engine *e, struct bytes bytes, uint64_t tag, uint64_t time_ns);
void engine_record_drained(struct engine *e); /* a drain is over */
void engine_record_command(struct engine *e, enum record_what what, const char *path);
void engine_take_recorder_ended(struct engine *e, struct recorder_ended_msg *m);
void engine_record_end(struct engine *e); /* of the active one */
void engine_record_head(const struct engine *e, struct snapshot *s);
int engine_record_finish(struct engine *e, struct err *err); /* after the thread has ended */

/*
 * engine_record_state.c: what a recording has beside the records of the rings.  Names and maps are
 * put as they were at @since_ns, 0: as they are now: what changed after that is told by the records
 * themselves, or was not known before.
 */
void engine_record_put_state(const struct engine *e, struct recorder *r, uint64_t since_ns);
/* The kernel's code and modules as soon as they are known; @is_last: nothing more will be. */
bool engine_record_put_kernel(struct engine *e, struct recorder *r, bool is_last);
void engine_record_put_events(const struct engine *e, struct recorder *r);
void engine_record_put_build_ids(const struct engine *e, struct recorder *r);
void engine_record_add_learned(struct engine *e); /* what /proc has told since the last time */
/* What a process that ends had, which may not be among the records that are still held. */
void engine_record_add_leaving(struct engine *e, const struct record *rec);
void engine_record_opened(struct engine *e, uint32_t leader); /* with its group */
void engine_record_stacks(struct engine *e, uint32_t event); /* its stacks_attr is known */
/* The recorder's key of the event that records with @id are of; for history_new(). */
uint32_t engine_record_event_of(const void *engine, uint64_t id);
void engine_record_build_id(struct engine *e, uint32_t dso, const uint8_t *id, size_t len);

/* engine_jit.c: names of what JIT compilers make, while they do */
void engine_jit_ask(struct engine *e, const struct image_ask *ask); /* of a dso first hit */
void engine_jit_poll(struct engine *e, uint64_t now_ns); /* reads on what is due */
uint64_t engine_jit_due_ns(const struct engine *e);      /* when jitdumps are, before a drain */
void engine_jit_hurry(struct engine *e);                 /* all is due now */
bool engine_jit_is_settled(const struct engine *e);      /* nothing is being read */
bool engine_jit_has_times(const struct engine *e);       /* what is where changes with time */
void engine_jit_take(struct engine *e, struct jit_file *f); /* takes it over */
/* When what is at an address is another thing next, before @limit_ns; else @limit_ns. */
uint64_t engine_jit_next_ns(const struct engine *e, uint64_t limit_ns);
void engine_jit_apply(struct engine *e, uint64_t until_ns); /* what changed up to then */
void engine_jit_replay(struct engine *e, uint64_t now_ns);  /* the recording has come so far */
void engine_jit_replayed(struct engine *e);                 /* to its end */
void engine_jit_beat(struct engine *e, uint64_t now_ns);    /* each second */
void engine_jit_release(struct engine *e);

/* engine_counters.c: what is counted while the view counters is shown */
void engine_counters_query(struct engine *e, const struct query *q); /* it has become this */
void engine_counters_ask(struct engine *e);  /* for a reading */
void engine_counters_take(struct engine *e, struct counting_msg *m); /* takes it over */
void engine_counters_fill(struct engine *e, struct snapshot *s);
void engine_counters_release(struct engine *e);

/* engine_groups.c: events that are opened and closed as one */
/*
 * Adds the events of @specs, which are one group, or one alone.  The first's number; UINT32_MAX: they
 * cannot be, and why; ERR_BUSY: not before one of them has opened.  One alone that is open in a group stays
 * there.
 */
uint32_t engine_add_group(struct engine *e, const struct event *specs, size_t count,
			  struct err *err);
/* The event after @n in its group, the leader being the first; UINT32_MAX: there is none. */
uint32_t engine_next_member(const struct engine *e, uint32_t n);

void engine_end_group(struct engine *e, uint32_t n); /* which @n is in: each is alone then */

/* engine_events.c: opening, switching, closing */
void engine_close_event(struct engine *e, uint32_t n); /* with its group, unless -e named it */
void engine_open_first(struct engine *e);
void engine_take_opened(struct engine *e, struct session_opened_msg *m);
void engine_take_rings(struct engine *e, struct session_rings_msg *m);
/* Notes which CPUs go and come by @m, before it is adopted. */
void engine_tell_cpus(struct engine *e, const struct session_rings_msg *m);
uint32_t engine_add_event(struct engine *e, const struct event *spec); /* UINT32_MAX: too many */
void engine_show_spec(struct engine *e, const char *spec);
void engine_show_step(struct engine *e, int direction);
void engine_change_filter(struct engine *e, const char *filter); /* of the event shown */
void engine_take_filtered(struct engine *e, struct session_filtered_msg *m);
uint32_t engine_event_of(const struct engine *e, uint64_t id); /* UINT32_MAX: unknown */
bool engine_is_twice(const struct engine *e, uint64_t id, int tid);
uint64_t engine_event_lost(const struct engine *e, uint32_t event); /* as last read */
uint64_t engine_lost(const struct engine *e);                       /* of all, side-band too */
uint64_t engine_window_lost(const struct engine *e, uint64_t now_ns);

/* What samples of these attributes carry: its place in layouts. */
uint32_t engine_layout_of(struct engine *e, const struct event_attr *attr);
void engine_add_stacks_id(struct engine *e, const struct engine_id *id, uint32_t layout);
const struct engine_id *engine_find_stacks_id(const struct engine *e, uint64_t id);
/* Its descriptor is closed; it is known until nothing can come with it any more. */
void engine_end_id(struct engine *e, uint64_t id);
void engine_forget_ids(struct engine *e); /* those for which that holds; each second */

/* engine_shared.c: samples that another program takes, too */
bool engine_may_share(const struct event *spec); /* its samples may be such */
bool engine_has_own_time(const struct engine *e, uint64_t time_ns); /* of a live sample */
enum sample_fate {
	SAMPLE_AS_IT_IS,  /* nothing is wrong with it, or it cannot be told which event's it is */
	SAMPLE_MENDED,    /* a copy now, valid until the next call */
	SAMPLE_PUT_ASIDE, /* until engine_next_aside() gives it */
};
enum { ASIDE_BYTES_MAX = 4 << 20 }; /* what comes beyond that is not put aside */
/* Gives a live sample, which tells @time_ns, an id and a time of ptop's own. */
enum sample_fate engine_own_sample(struct engine *e, struct bytes *bytes, uint64_t time_ns);
/* The next of those aside between the bytes *@at and @len; false: there is none. */
bool engine_next_aside(struct engine *e, size_t *at, size_t len, struct bytes *out);

/* engine_auto*.c: -g auto; all but the first do nothing without it */
void engine_auto_begin(struct engine *e);
void engine_auto_release(struct engine *e);
/*
 * Whether the sample counts: with copies of stacks or without, as its process has it at that time.
 * Only if there are autos.  Sets @tag to 0 if others like it may not count.
 */
bool engine_auto_wants(struct engine *e, const struct record *rec, uint64_t *tag);
void engine_auto_sampled(struct engine *e, const struct record *rec); /* it was, and is filed */
void engine_auto_beat(struct engine *e, uint64_t now_ns);
void engine_auto_take(struct engine *e, struct session_stacks_msg *m);
void engine_auto_learned(struct engine *e); /* rules have come */
void engine_auto_exec(struct engine *e, const struct record *rec);
void engine_auto_end_event(struct engine *e, uint32_t event); /* it is about to be closed */
void engine_auto_end_all(struct engine *e);
void engine_auto_count_lost(struct engine *e);
uint64_t engine_auto_lost(const struct engine *e, uint32_t event); /* when last counted */
const char *engine_auto_head(const struct engine *e, struct arena *arena); /* NULL: nothing to say */
const char *engine_auto_notice(const struct engine *e); /* why some have none; NULL: all have */
void engine_auto_put(const struct engine *e, struct buf *b);

/* engine_memory.c: lines of what is held and how that is bounded */
void engine_put_memory(const struct engine *e, struct buf *b);

/* engine_tally.c: the kernel's own counts beside the samples */
void engine_stop_events(struct engine *e); /* all of them, for good, and empties the rings */
void engine_tally_fill(struct engine *e, struct snapshot *s); /* when they are stopped */
void engine_count_lost(struct engine *e, uint64_t now_ns);
void engine_watch_rings(struct engine *e);

/* engine_rate.c: how often is sampled */
void engine_rate_begin(struct engine *e); /* before the thread */
void engine_rate_opened(struct engine *e, struct engine_event *ev); /* just now, at ev->rate */
void engine_rate_beat(struct engine *e, uint64_t now_ns);
uint64_t engine_rate_now(const struct engine_event *ev); /* what is in force, Hz or period */
void engine_change_freq(struct engine *e, int direction);
void engine_put_lowered(const struct engine *e, struct buf *b); /* why it is less than asked */
void engine_put_cost(const struct engine *e, struct buf *b);

/* engine_targets.c: what is sampled, while sampling goes on */
void engine_mark_targets(struct engine *e); /* of the config */
bool engine_has_targets(const struct engine *e); /* or had: not all is sampled */
void engine_judge_target(struct engine *e, uint32_t task, const struct proc_info *p);
void engine_attach_target(struct engine *e, int pid, bool descendants);
void engine_detach_target(struct engine *e, int pid);
void engine_take_attached(struct engine *e, const struct session_attached_msg *m);
void engine_take_detached(struct engine *e, const struct session_detached_msg *m);
bool engine_targets_have_ended(const struct engine *e); /* all of them, and what they started */
void engine_forget_ended_targets(struct engine *e); /* of those that were attached */
void engine_put_targets(const struct engine *e, struct buf *b); /* as the head of the crumbs */

/* engine_places.c: events that are looked for before they are opened */
void engine_find_place(struct engine *e, uint32_t event); /* then opens it */
void engine_take_stopped(struct engine *e, const struct session_stopped_msg *m);
bool engine_take_place_maps(struct engine *e, const struct proc_maps_msg *m); /* false: not for it */
void engine_take_places(struct engine *e, const struct symbol_places_msg *m);
bool engine_is_finding(const struct engine *e); /* an event waits for that to be opened */
void engine_join_places(struct engine *e, const struct session_attached_msg *m); /* in new targets */
void engine_begin_joining(struct engine *e, uint32_t event); /* it is open now */
void engine_end_joining(struct engine *e, uint32_t event);   /* it is not any more */
void engine_take_joined(struct engine *e, const struct session_joined_msg *m);
void engine_places_release(struct engine *e);

/* engine_report.c: snapshots, messages */
void engine_send_snapshot(struct engine *e);
void engine_send_messages(struct engine *e);
/* What @q gives now, one reference; @filter is its own, parsed. */
struct snapshot *engine_make_snapshot(struct engine *e, const struct query *q,
				      const struct filter *filter);
void engine_send_text(struct engine *e, enum engine_msg_type type, bool is_error, const char *text);
/* For the status line, and kept for '!' with the time of day. */
void engine_note(struct engine *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
void engine_send_status(struct engine *e, bool is_error, const char *fmt, ...) PRINTF_LIKE(3, 4);
void engine_send_catalogue(struct engine *e);
void engine_take_tick(struct engine *e, struct proc_tick_msg *m);
/* Of processes whose first sample came after the tick: a report has no later one. */
void engine_learn_owners(struct engine *e);
uint64_t engine_own_cpu_ns(const struct engine *e); /* of ptop and its services, since the start */
void engine_measure_memory(struct engine *e);
void engine_measure_self(struct engine *e, uint64_t now_ns); /* CPU since the last time, and memory */

/* engine_explain.c: where names come from, and why there are none */
void engine_send_explain(struct engine *e, const struct query *q, uint64_t row_id);
void engine_put_unnamed(struct engine *e, struct buf *b); /* files by what has no name in them */

#endif
