/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_ENGINE_STATE_H
#define PTOP_ENGINE_ENGINE_STATE_H
/*
 * What the engine is made of, for the engine*.c files alone: see engine_impl.h.  All of it belongs
 * to the engine thread, but for what engine_start() sets up before that begins.
 */
#include <pthread.h>
#include <sys/types.h>

#include "engine/sampling/budget.h"
#include "engine/viewer/counter_list.h"
#include "engine/intake/deferred.h"
#include "engine/engine.h"
#include "engine/viewer/exporter.h"
#include "engine/recording/history.h"
#include "engine/viewer/prober.h"
#include "engine/recording/recorder.h"
#include "engine/journal.h"
#include "engine/losses.h"
#include "engine/other_records.h"
#include "engine/viewer/users.h"
#include "base/file.h"
#include "datafile/datafile.h"
#include "live/count/counting.h"
#include "live/proc/proc_reader.h"
#include "live/session/session.h"
#include "live/sys/tally.h"
#include "profile/count/feed.h"
#include "profile/report/report.h"
#include "record/gains.h"
#include "record/merge.h"
#include "symbol/fetch/fetch.h"
#include "symbol/parser/host.h"
#include "symbol/jit/jit_reader.h"
#include "symbol/kernel/kernel_state.h"
#include "symbol/service/service.h"

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
	uint64_t closed_ns;         /* when it was closed last */
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
	uint64_t ended_ns; /* when its descriptor was closed, 0: it is open */
};

/* What is sampled of all that runs. */
struct engine_target {
	uint32_t number; /* the session's */
	uint32_t task;   /* held */
	bool is_leaving; /* it is being detached */
};

enum { BUSY_HISTORY_LEN = 60, TARGET_NAME_MAX = 32, TARGETS_SHOWN = 2 };

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
	const struct engine_config *config;
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
	char *chosen_spec;     /* the group to show once what it is made of has opened, or NULL */
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
	uint64_t taken_ns;     /* the newest time of a record taken from a ring */
	struct buf mended, aside; /* see engine_shared.c: samples that another program took, too: */
	uint64_t shared_samples, foreign; /* how many; and those that could not be told apart */
	struct losses losses;
	struct deferred *deferred; /* NULL until a chain comes later */
	uint64_t chains_missed;    /* of samples: it never came, or there was no room to wait */
	struct other_records others; /* of the records that are neither samples nor side-band */
	uint64_t cpu_before_ns, cpu_since_ns; /* own CPU time at the last refresh, and when that was */
	struct exporter *exporter; /* NULL: none is at work */
	char *export_path;         /* what is to be written once inlined functions are known, or NULL */
	enum export_format export_format;
	double self_cpu;
	uint64_t self_bytes;
	struct file_kept statm; /* tells that */
	float busy_history[BUSY_HISTORY_LEN];
	struct journal journal; /* for '!' */
};

#endif
