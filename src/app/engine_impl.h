/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_ENGINE_IMPL_H
#define PTOP_APP_ENGINE_IMPL_H
/*
 * The engine's inside, shared by the engine*.c files alone.  All of it belongs to the engine
 * thread, but for what engine_start() sets up before that begins.
 */
#include <pthread.h>
#include <sys/types.h>

#include "app/budget.h"
#include "app/counter_list.h"
#include "app/deferred.h"
#include "app/engine.h"
#include "app/exporter.h"
#include "app/history.h"
#include "app/prober.h"
#include "app/recorder.h"
#include "app/journal.h"
#include "app/losses.h"
#include "app/told.h"
#include "app/users.h"
#include "datafile/datafile.h"
#include "live/counting.h"
#include "live/proc_reader.h"
#include "live/session.h"
#include "live/tally.h"
#include "profile/feed.h"
#include "profile/report.h"
#include "record/gains.h"
#include "record/merge.h"
#include "symbol/fetch.h"
#include "symbol/host.h"
#include "symbol/jit_reader.h"
#include "symbol/kernel_state.h"
#include "symbol/service.h"

/* One event of those used so far; its number is also its profile event and its token. */
struct engine_event {
	struct event spec;
	struct session_event *live; /* NULL: not open */
	uint32_t leader;            /* of its group; itself: it leads one, or is alone */
	bool opening;
	bool is_kept;               /* named by -e: stays open when another one is shown */
	bool is_freq;
	uint64_t rate;              /* Hz or period, that it was told to be sampled at */
	uint64_t asked_hz;          /* if is_freq: the user's; the budget may leave less */
	struct event_attr attr;     /* as the kernel took it when it was opened last */
	uint32_t layout;            /* of its samples: its place in layouts */
	struct event_attr stacks_attr; /* as the kernel took it with copies of stacks; size 0: never */
	struct tallies closed;      /* what earlier openings counted and lost */
	uint64_t lost_now;          /* of this one, when it was last read */
	uint64_t throttled;         /* how often */
	uint64_t twice;             /* samples that came by two descriptors, left out once */
	char *notices[SESSION_NOTICES_MAX];
	size_t notice_count;
};

/* From an event's id in the stream to its number. */
struct engine_id {
	uint64_t id;
	uint32_t event;
	int tid; /* the task whose descriptor it is of, 0: all of a CPU */
	uint32_t stacks; /* which of engine_auto.h's it is of, 0: none */
};

/* What is sampled of all that runs. */
struct engine_target {
	uint32_t number; /* the session's */
	uint32_t task;   /* held */
	bool is_leaving; /* it is being detached */
};

enum { STRIP_LEN = 60, TARGET_NAME_MAX = 32, TARGETS_SHOWN = 2 };

/* The state of reading a recording.  Times are the recording's own. */
struct replay {
	uint32_t *events;        /* by event of the file: its number here */
	size_t event_len, event_cap;
	uint64_t first_ns, now_ns, next_beat_ns; /* first_ns: the first record that tells a time */
	uint64_t next_due_ns;    /* the next beat, or change of what is at an address */
	uint64_t next_sweep_ns;  /* not each beat */
	uint64_t until_real_ns;  /* CLOCK_REALTIME: it was written no later */
	bool has_new;            /* a record was taken that may want files */
	bool has_samples;        /* one at least */
	bool is_read;            /* to its end; samples may still wait for unwind rules */
	bool is_done;
	bool is_told_to_end;     /* a report of what is read so far is wanted */
	bool is_this_host;       /* names may be taken from here */
	bool kernel_looked_at;   /* whether it is the one that runs here: */
	bool is_this_kernel;
	struct buf symfs_path;
	uint64_t kernel_text;    /* where it began; 0: no map of it came */
};

enum { RECORDERS_MAX = 4 };

/* What is kept and written of the raw records; see engine_record.c. */
struct recording {
	struct history *history;   /* NULL: records are not kept */
	struct recorder *active;   /* takes all that comes; NULL: none */
	struct recorder *all[RECORDERS_MAX]; /* whose end was not told yet, the active one too */
	size_t count;
	uint64_t round_since_ns;   /* how long the round waits for what /proc has to tell, 0: not */
	bool is_kernel_told;       /* its maps, to the active one */
	struct build_id {
		uint8_t id[20], len;
	} *build_ids;              /* by dso */
	size_t build_id_cap;
	struct err err;            /* the first, for the end */
	bool is_told;              /* what to do about it, when it came */
	char *failed_path;         /* of the file that ended too early; NULL: none */
	uint64_t written, missing; /* its samples, and those since then that are not in it */
};

/* The view counters; see engine_counters.c. */
struct counter_view {
	struct counting *thread;   /* NULL until the view is entered first */
	struct counter_list list;
	bool is_on, is_asked;
	uint32_t process, thread_id; /* whose, as the query has it */
	uint32_t token;            /* of the target: older answers are of others */
	struct err err;            /* why there is nothing to count */
	struct counting_msg *first, *before, *now; /* readings; the same one may be two of them */
};
struct engine_search;

/* Where the kernel's names come from; see engine_kernel.c. */
struct kernel_names {
	uint64_t state;     /* of the list that was read last, 0: none */
	uint64_t asked_ns;  /* the last time */
	uint64_t again_ns;  /* how long after that it may be asked for once more */
	uint32_t asked_at;  /* model.kernel_generation then */
	bool is_asked;
	bool files_refused; /* those that the user named are of no use */
};

struct no_image {
	const char *reason, *remedy;
};

/* The CPU budget; see engine_rate.c. */
struct engine_rate {
	struct budget budget;
	uint64_t asked_hz;    /* of events that do not have their own */
	uint64_t most_hz;     /* that any event is sampled at, UINT64_MAX: what is asked */
	uint64_t drain_ns;    /* own CPU time in drains, of samples and */
	uint64_t sideband;    /* of so many other records */
	struct rate_seen {
		uint64_t time_ns, own_ns, drain_ns, sideband, lost, throttled;
	} seen;               /* at the last look */
	bool is_told;
};

/* Debug files that are not here; see engine_fetch.c. */
struct engine_downloads {
	struct host *host;   /* until fetch takes it */
	struct fetch *fetch; /* NULL: without --debuginfod */
	struct wanted_file *items;
	size_t len, cap;
	unsigned asked;
	uint64_t next_look_ns;
	bool is_stopped;     /* by the user */
};

/* Code that processes make as they run; see engine_jit.c. */
struct engine_jits {
	struct jit_reader *reader; /* NULL until there is some */
	struct engine_jit *items;  /* of processes that live, or just ended */
	size_t len, cap;
	size_t queued;             /* changes that wait for their time */
	uint64_t looked_for_ns;    /* the drain for which jitdumps were read on */
	uint32_t ended[64];        /* dsos of those that ended last, a ring: older ones were merged */
	size_t ended_len;
};

struct engine {
	const struct config *config;
	struct event_env env;
	struct queue *in, *out;
	pthread_t thread;

	struct session *session;
	struct proc_reader *proc;
	struct kernel_programs programs; /* when ptop had the right to ask */
	struct host *symbol_host; /* until the service takes it */
	struct symbol_service *symbols;
	struct users *users;
	struct datafile *file;  /* what is read instead of sampling; NULL: live */
	struct replay replay;
	struct kernel_names kernel;
	struct recording record;
	struct counter_view counters;
	struct engine_jits jits;
	struct engine_downloads downloads;
	struct engine_rate rate;
	struct prober *prober;
	struct engine_auto *autos; /* NULL: chains are not chosen by process */

	struct model *model;
	struct locations locations;
	struct profile *profile;
	struct feed feed;
	struct merge *merge;
	struct merge_stream *streams;
	size_t stream_cap;
	struct record_layout layout;   /* of live records, but of samples of some events: */
	struct record_layouts layouts; /* it, and then theirs */
	struct gains gains;            /* of counters whose values samples carry */

	struct engine_event events[EVENTS_MAX];
	uint32_t event_count;
	uint32_t shown;        /* UINT32_MAX: none */
	uint32_t shown_before; /* to go back to if it cannot be opened; UINT32_MAX: nothing */
	uint32_t first;        /* the default event's number, once it is open */
	struct event *candidates; /* the default events, tried in order */
	size_t candidate_count;
	struct engine_id *ids; /* by id */
	size_t id_len, id_cap;
	struct engine_search **searches; /* for the places of events, under way */
	size_t search_count, search_cap;
	uint32_t search_id;
	struct index own_tasks;   /* (event, tid) that have a descriptor of their own */

	struct engine_target *targets;
	size_t target_len, target_cap;
	uint32_t last_given_target; /* those up to this number were named at the start */

	struct query query;
	uint32_t held_process, held_thread; /* the tasks that it names */
	struct filter *filter;
	struct proc_tick_msg *tick;  /* the newest */
	struct task_facts *processes, *threads; /* of the tick */
	struct proc_maps_msg **maps; /* answers that wait for older records */
	size_t maps_len, maps_cap;
	uint32_t *watched;   /* tasks whose end is told: targets, and who is looked at */
	size_t watched_len, watched_cap;
	size_t asked_images, asked_names, asked_comms, asked_lines, asked_rules; /* not answered yet */
	struct image_ask *files; /* by dso: how its file was found, for asking for lines */
	size_t file_cap;
	struct catalogue *catalogue; /* NULL until the prober has answered */

	int epoll_fd;
	uint64_t reported_ns; /* the last refresh */
	bool has_first_names; /* of all files that were asked for first */
	uint64_t started_ns, next_drain_ns, next_refresh_ns, next_tick_ns, next_hurry_ns, next_beat_ns;
	uint64_t next_cut_ns;        /* an interval ends, for a window to begin; UINT64_MAX: none */
	uint64_t drain_ns;           /* between drains: shorter when rings fill */
	uint64_t delay_ns;
	uint64_t drained_to_ns;
	uint64_t ring_since_ns; /* the newest ring is drained; what it had before is no loss of order */
	uint64_t seq;
	bool changed;                /* there is something new to show before the next refresh */
	uint64_t fresh_since_ns;     /* the start, or when another event was shown */
	bool stands_still;           /* all targets have ended: the window waits */
	bool is_settling;            /* a report waits for names */
	bool is_ending;              /* the batch loop wants its last report */
	uint64_t stopped_ns;         /* of a batch: all events were stopped for the last report, then */
	bool stopping, is_told_to_stop, command_started, command_ended;
	int command_status;
	struct err end_err;

	/* the header's numbers */
	uint64_t lost_hint_counted, lost_counted_ns; /* when the kernel's counts were last read */
	uint64_t throttled, late, unknown, broken, lost_sideband, lost_hint;
	struct losses losses;
	struct deferred *deferred; /* NULL until a chain comes later */
	uint64_t chains_missed;    /* of samples: it never came, or there was no room to wait */
	struct told told; /* of the records that are neither samples nor side-band */
	uint64_t cpu_before_ns, cpu_since_ns; /* own CPU time at the last refresh, and when that was */
	struct exporter *exporter; /* NULL: none is at work */
	char *export_path;         /* what is to be written once inlined functions are known, or NULL */
	enum export_format export_format;
	double self_cpu;
	uint64_t self_bytes;
	float strip[STRIP_LEN];
	struct journal journal; /* for '!' */
};

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
void engine_record_id(struct engine *e, uint32_t event, uint64_t id);
void engine_record_stacks(struct engine *e, uint32_t event); /* its stacks_attr is known */
void engine_record_stacks_id(struct engine *e, uint32_t event, uint64_t id);
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
 * cannot be, and why.  One alone that is open in a group stays there.
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
void engine_learn_sideband_id(struct engine *e, uint64_t id); /* of a record that is no sample */
bool engine_is_twice(const struct engine *e, uint64_t id, int tid);
uint64_t engine_event_lost(const struct engine *e, uint32_t event); /* as last read */
uint64_t engine_lost(const struct engine *e);                       /* of all, side-band too */
uint64_t engine_window_lost(const struct engine *e, uint64_t now_ns);

/* What samples of these attributes carry: its place in layouts. */
uint32_t engine_layout_of(struct engine *e, const struct event_attr *attr);
void engine_add_stacks_id(struct engine *e, const struct engine_id *id, uint32_t layout);
const struct engine_id *engine_find_stacks_id(const struct engine *e, uint64_t id);
void engine_forget_id(struct engine *e, uint64_t id); /* nothing comes with it any more */

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
