/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_SESSION_H
#define PTOP_LIVE_SESSION_SESSION_H
/*
 * Live sampling: per CPU a side-band event with a ring of its own that stays open, and a second
 * ring into which sampling events are switched as they come and go.
 *
 * The engine thread owns the session and drains its rings.  What blocks (opening and closing
 * events, waiting for a child, looking for CPUs) is done by the session's opener thread, which
 * answers through the queue given to session_new().
 */
#include "base/queue.h"
#include "event/event.h"
#include "live/session/ring.h"
#include "record/abi.h"

struct sys;
struct capability_needs;

enum session_msg_type {
	SESSION_MSG_OPENED = 100, /* struct session_opened_msg */
	SESSION_MSG_RINGS,        /* struct session_rings_msg: CPUs or tasks came or went */
	SESSION_MSG_EXITED,       /* struct session_exited_msg: COMMAND has ended */
	SESSION_MSG_ATTACHED,     /* struct session_attached_msg: the answer to session_attach() */
	SESSION_MSG_DETACHED,     /* struct session_detached_msg: the answer to session_detach() */
	SESSION_MSG_STOPPED,      /* struct session_stopped_msg: COMMAND is at its exec */
	SESSION_MSG_FILTERED,     /* struct session_filtered_msg: answers session_set_filter() */
	SESSION_MSG_JOINED,       /* struct session_joined_msg: the answer to session_add_sites() */
	SESSION_MSG_CGROUPS,      /* struct cgroup_list_msg: those there are, once, if wanted */
	SESSION_MSG_STACKS,       /* struct session_stacks_msg: answers session_open_stacks() */
	SESSION_MSG_CLOSED,       /* struct session_closed_msg: after session_close() of a probe */
};

enum { SESSION_NOTICES_MAX = 40 };

/* Events of a period up to this follow what a program does, not the time: their rings are larger. */
enum { SESSION_BURST_PERIOD_MAX = 100 };

/* What is paced has powers of it as its periods: see session_set_period(). */
enum { SESSION_PERIOD_STEP = 4 };

/* What is sampled, decided once from rights and targets. */
enum session_scope {
	SESSION_SYSTEM,    /* every CPU; if there are targets, the engine drops other tasks */
	SESSION_TASKS,     /* one event per (thread, CPU) */
	SESSION_NONE,      /* nothing may be opened: only /proc is shown */
};

struct session_config {
	struct event_env env;
	const struct sys *sys; /* NULL: the real kernel */
	const unsigned *cpus;  /* -C; NULL: all that are on line */
	size_t cpu_count;
	const int *pids, *tids; /* -p, -t */
	size_t pid_count, tid_count;
	const uint32_t *uids;   /* -u: whoever takes the samples picks theirs */
	size_t uid_count;
	char *const *command;   /* argv of COMMAND, NULL: none */
	char *const *command_env; /* its environment, NULL: that of ptop */
	bool capture_output;    /* COMMAND reads /dev/null and writes to session_output_fd() */
	bool inherit;
	bool call_chains;
	bool idle;              /* count the idle loop too */
	bool cgroups;           /* samples tell their cgroup */
	int cgroup_fd;          /* lives as long as the session: see open_options.cgroup_fd */
	bool for_file;          /* with the records that only readers of a recording can use */
	bool wants_fields;      /* of tracepoints: the user may have them with perfmon rights alone */
	bool for_stacks;        /* with those that other readers need to unwind copies of stacks */
	uint64_t freq;          /* Hz, UINT64_MAX for the kernel's limit; 0: use period */
	uint64_t period;
	bool rate_given;        /* by the user: see open_options.is_rate_given */
	enum event_call_graph call_graph; /* with call_chains; 0: frame pointers */
	uint32_t stack_bytes;   /* of CALL_GRAPH_DWARF and _AUTO, 0: the default */
	bool defer_chains;      /* of CALL_GRAPH_FP: user space's come as records of their own */
	const char *attrs;      /* for attr_assign(); lives as long as the session; NULL: none */
	const struct clock_def *clock; /* of records, NULL: CLOCK_MONOTONIC */
	/*
	 * What events that are no groups have sampled last is kept by the kernel, too, in so many
	 * bytes of rings that nobody reads until session_copy_past(); 0: it is not.
	 */
	size_t past_bytes;
	unsigned ring_pages;    /* of the sampling ring, a power of two */
	bool ring_pages_given;  /* by the user: holds for any number of CPUs */
	bool only_looks;        /* no event samples: targets need no events of their own */
	bool without_events;    /* SESSION_NONE, whatever may be opened: for COMMAND alone */
	bool has_bursts;        /* each event is a sample: rings are larger, where memory may be locked */
	/* What this process keeps of its capabilities once COMMAND is forked; NULL: all. */
	const struct capability_needs *reduce;
};

/* One ring as the engine drains it. */
struct session_ring {
	struct ring *ring;
	unsigned cpu;
	bool is_sideband;
	bool is_closing; /* its CPU is gone: drain it to the end, then it is freed */
	int poll_fd;     /* readable when half full */
	struct past_ring *past; /* of a sampling ring, where the kernel keeps the past; else NULL */
	int past_fd;
};

struct session;
struct buf;
struct tallies;
struct session_event; /* an open event: its descriptors on all CPUs or tasks */

/*
 * The answer to session_open().  event is NULL if it could not be opened, and err says why.
 * Notices are sentences on what was left out to open it ("kernel samples are off: ...").
 */
struct session_opened_msg {
	struct msg msg;
	uint32_t token;
	struct session_event *event;
	struct event spec;       /* what was opened in the end: fallbacks change name and bits */
	uint64_t *ids;           /* PERF_EVENT_IOC_ID of each descriptor */
	int *tids;               /* the task each was opened for, 0: all.  A sample of another task
				    was inherited; if that task has an id of its own, it is a
				    duplicate: the task began while the list was read */
	size_t id_count;
	struct event_attr attr;  /* as the kernel took it */
	bool is_freq;
	bool is_paced;           /* see session_set_period() */
	uint64_t rate;           /* Hz if is_freq, else the period */
	uint64_t hit_ns;         /* what each takes of who is watched; 0: little, or not known */
	bool user_only;          /* kernel samples are off */
	bool begins;             /* with session_begin() */
	struct payload_formats *formats; /* of a tracepoint whose samples carry fields; NULL: none */
	char *notices[SESSION_NOTICES_MAX];
	size_t notice_count;
	struct err err;
	struct session_opened_msg *next; /* the others of its group, freed with it; NULL: none */
};

/* A probe is gone from where it was: closing its descriptors has taken so long. */
struct session_closed_msg {
	struct msg msg;
	uint32_t token;
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
};

struct session_rings_msg {
	struct msg msg;
	struct session_ring *added; /* taken over by session_adopt_rings() */
	size_t added_count;
	uint64_t *ids;              /* that events have got: on new CPUs, for new tasks, or by
				       being opened anew.  With their token, and task as above */
	uint32_t *tokens;
	int *tids;
	size_t id_count;
	struct session_renewed {    /* events that were opened anew, and as what */
		uint32_t token;
		struct event_attr attr; /* as the kernel took it */
	} *renewed;
	size_t renewed_count;
	struct err err;             /* what could not be opened anew as it was asked to, and why */
	unsigned *gone;             /* CPUs that went */
	size_t gone_count;
	bool tells_cpus;            /* all of these: */
	unsigned cpus_known;        /* see session_cpus_known() */
	char *missing, *remedy;     /* which CPUs are not sampled and why; NULL: none */
	uint32_t detached;          /* the target whose descriptors go, 0: none */
	uint64_t *closed;           /* filled by session_adopt_rings(): the ids that it had */
	size_t closed_count;
};

/* If err is set, nothing has changed, and it says what was refused. */
struct session_attached_msg {
	struct msg msg;
	int pid;
	bool descendants;
	uint32_t target;  /* its number from now on */
	char comm[16];    /* the process's, "": it could not be read */
	int *pids;        /* the process itself, and its descendants if they are wanted */
	size_t pid_count;
	struct err err;
};

struct session_detached_msg {
	struct msg msg;
	uint32_t target;
	struct err err; /* there was no such target */
};

/* If err is set, the event goes on with the filter that it had. */
struct session_filtered_msg {
	struct msg msg;
	uint32_t token; /* the event's */
	char *filter;   /* what was asked for, NULL: none */
	struct err err;
};

/* If err is set, the event is open where it was before. */
struct session_joined_msg {
	struct msg msg;
	uint32_t token; /* the event's */
	bool is_late;   /* not asked for: tasks of the targets began before their probes, the first */
	struct err err;
};

struct session_exited_msg {
	struct msg msg;
	int status; /* as waitpid() gives it */
	struct err err; /* code is not ERR_NONE: COMMAND could not be executed */
};

/* The answer to session_stop_at_exec(): COMMAND's maps can be read now, or why not. */
struct session_stopped_msg {
	struct msg msg;
	char **files;   /* the program and the libraries that it will map */
	size_t file_count;
	struct err err; /* code is not ERR_NONE: it runs already, or could not be stopped */
};

struct session_stacks; /* events that are open for one process alone, with copies of its stacks */

/* If stacks is NULL nothing was opened, and err says why. */
struct session_stacks_msg {
	struct msg msg;
	uint32_t token;                /* as asked with */
	struct session_stacks *stacks; /* the receiver's */
	struct session_stacks_event {
		uint32_t token;        /* of the event that is open for all */
		struct event_attr attr; /* as the kernel took it for the process */
	} *events;
	size_t event_count;
	struct session_stacks_id {
		uint64_t id;
		uint32_t event;        /* its token */
		int tid;               /* as in session_opened_msg */
	} *ids;
	size_t id_count;
	size_t needed;                 /* descriptors; 0: it was refused for another reason than their number */
	struct err err;
};

/*
 * Opens side-band events and rings: sampling can begin.  Falls back to less as rights demand; what
 * was left out is in session_notice().  Never NULL for want of rights: then session_scope() is
 * SESSION_NONE.  NULL, with the reason, if a target does not exist or COMMAND cannot be started.
 */
struct session *session_new(const struct session_config *config, struct queue *answers,
			    struct err *err);
void session_free(struct session *s); /* closes all, ends the thread; COMMAND is not killed */

enum session_scope session_scope(const struct session *s);

/*
 * The i-th sentence on what is left out, NULL after the last; session_remedy() what grants it.
 * They change as CPUs go and come: see session_adopt_rings().  @s NULL, where nothing is sampled:
 * there are no sentences and no rings.
 */
const char *session_notice(const struct session *s, size_t i);
const char *session_remedy(const struct session *s, size_t i);

/* How many CPUs have been there to be sampled since the start, off line or not. */
unsigned session_cpus_known(const struct session *s);

/* The rings; the array is valid until the next session_adopt_rings() or session_drop_ring(). */
struct session_ring *session_rings(struct session *s, size_t *count);
void session_adopt_rings(struct session *s, struct session_rings_msg *m);
void session_drop_ring(struct session *s, size_t i); /* one that is_closing and empty */

/*
 * Adds the records that the kernel keeps of the past to @out: those of each CPU in their order, one
 * CPU after the other.  Meanwhile none is added.
 */
void session_copy_past(const struct session *s, struct buf *out);
size_t session_past_bytes(const struct session *s); /* of its rings, 0: there are none */

/*
 * Opens an event everywhere and switches it into the sampling rings, by the opener.  Answered with
 * @token: sampling begins with session_begin().  @candidates are tried in order until one opens
 * ("cycles:P", "cycles", "cpu-clock"); the list is copied.
 */
void session_open(struct session *s, uint32_t token, const struct event *candidates, size_t count);

/*
 * Opens @events as one group: the first leads, and all count while it does.  One answer, with the
 * leader's token and the others behind it, for all or none: err is of the one that was refused.  Of
 * a group that is_weak each is opened alone if it cannot be one.  To be closed leader last.
 */
void session_open_group(struct session *s, const uint32_t *tokens, const struct event *events,
			size_t count);

/*
 * Begins to sample what @m, an event or a group, has opened.  Call it when its ids are known to
 * whoever reads the rings: else a sample might come that belongs to no event.
 */
void session_begin(struct session *s, const struct session_opened_msg *m);

/*
 * Stops it for good: what it has sampled is in the rings, what it counted and lost is final.
 * @exact: all that it counted is sampled or lost; the calling thread visits every CPU for that.
 */
void session_stop(struct session *s, struct session_event *ev, bool exact);

/*
 * Stops @ev, and with it the group that it leads, or lets it go on.  While it is stopped nothing
 * that is opened of it, on more CPUs, for more tasks or with another rate, begins.
 */
void session_pause(struct session *s, struct session_event *ev, bool is_paused);

/* Stops it at once; its descriptors are closed later by the opener.  What is in the rings stays. */
void session_close(struct session *s, struct session_event *ev);

/*
 * Changes the frequency, live where the kernel can, else by opening anew: that is done when its
 * SESSION_MSG_RINGS has been adopted.  The rate that it will be.
 */
uint64_t session_set_freq(struct session *s, struct session_event *ev, uint64_t hz);

/*
 * Of an event whose period nobody gave (session_opened_msg.is_paced): opens it anew, with its group.
 * What it samples until its SESSION_MSG_RINGS has been adopted has the period before.
 */
void session_set_period(struct session *s, struct session_event *ev, uint64_t period);

/* Tasks that begin have copies of it, whose periods begin anew. */
bool session_inherits(const struct session_event *ev);

uint64_t session_rate(const struct session_event *ev); /* Hz or period, that it is sampled at now */

/*
 * How call chains are taken: of events that are opened from now on, and, by opening it anew, of @ev
 * with its group, NULL: of none that is open.  @bytes of the stack, 0: the default.  By the opener:
 * it is done when its SESSION_MSG_RINGS has been adopted.
 */
void session_set_call_graph(struct session *s, struct session_event *ev, enum event_call_graph how,
			    uint32_t bytes);

/*
 * Has the kernel keep of @ev, an open tracepoint or probe, only what @filter fits; NULL: all.  By
 * the opener: a descriptor takes one filter in its life, so all are opened anew, and the new ones
 * begin when session_adopt_rings() gets them, before the answer.
 */
void session_set_filter(struct session *s, struct session_event *ev, const char *filter);

/*
 * Targets have numbers: those of the config count from 1, pids before tids before COMMAND, and
 * each that is attached has the next one.
 *
 * Adds a process that is running, by the opener: with the descendants that it has and will have, or
 * with its threads alone.  In SESSION_SYSTEM everything is sampled as it is: the target only gets
 * its number, and whose samples are wanted is the engine's to know.  In SESSION_TASKS its events
 * are opened, and begin when session_adopt_rings() gets them, after the answer.
 */
void session_attach(struct session *s, int pid, bool descendants);

/*
 * Opens @ev, an open event with a place, at those of the sites of @found where it is not: those
 * that were found in what was attached as @target.  By the opener; @found is copied.  Sampling
 * begins when session_adopt_rings() gets them, before the answer.
 */
void session_add_sites(struct session *s, struct session_event *ev, const struct event *found,
		       uint32_t target);

/*
 * Takes a target out, with the descendants that came with it.  In SESSION_TASKS nothing of it gets
 * into the rings after session_adopt_rings(), which comes before the answer.
 */
void session_detach(struct session *s, uint32_t target);

/*
 * Opens @events, which are open for all, once more for the threads of process @pid that run and
 * will run, with registers and @bytes of the stack in each sample; at most @descriptors_max of
 * them, or nothing.  By the opener; answered with @token.  Nothing is sampled before
 * session_begin_stacks().
 */
void session_open_stacks(struct session *s, uint32_t token, int pid, uint32_t bytes,
			 size_t descriptors_max, struct session_event *const *events, size_t count);

void session_begin_stacks(struct session *s, const struct session_stacks *stacks);

/* For good: nothing of it gets into the rings any more, what it lost is final. */
void session_stop_stacks(struct session *s, const struct session_stacks *stacks);

/* Frees it; its descriptors are closed later by the closer. */
void session_close_stacks(struct session *s, struct session_stacks *stacks);

/* Its samples of the event with that token that were lost in full rings. */
uint64_t session_stacks_lost(struct session *s, const struct session_stacks *stacks,
			     uint32_t event);

void session_stacks_free(struct session_stacks *stacks); /* of a message; may block */

/* Samples lost in full rings, from FORMAT_LOST; 0 before kernel 6.0. */
uint64_t session_lost(struct session *s, const struct session_event *ev);
bool session_knows_lost(const struct session_event *ev);

/* Adds what it counted and lost on each CPU, since it was opened, to @sum. */
void session_tally(struct session *s, const struct session_event *ev, struct tallies *sum);

/*
 * Whether any event of this kind can be opened, tried once on one CPU and closed at once.  Blocks:
 * called by the thread that fills the catalogue.  0, or -1 with the reason.
 */
int session_probe(const struct session_config *config, const struct event *ev, struct err *err);

/*
 * How events of a session like this are opened, before its scope is known.
 */
struct open_options;
void session_open_options(const struct session_config *config, struct open_options *options);

/* As open_period(): one sample each so many events, 0 by frequency. */
uint64_t session_period(const struct session_config *config, const struct event *ev);

/*
 * Lets COMMAND go as far as its exec, where nothing of it has run and its addresses are known.
 * What is opened then is of the program itself.  session_start_command() lets it run.
 */
void session_stop_at_exec(struct session *s);

/* COMMAND: starts it (after the first event is open); its pid; its output, -1 if not captured. */
void session_start_command(struct session *s);
int session_command_pid(const struct session *s);
int session_output_fd(const struct session *s);

/* The clock of its records. */
int32_t session_clock(const struct session *s);

/* The attributes of the side-band's events. */
const struct event_attr *session_sideband_attr(const struct session *s);

/*
 * The sample_type of sampling events, and of the sample_id of all records; an event whose terms say
 * otherwise has its own in session_opened_msg.attr, but the same before its time and in sample_ids.
 */
uint64_t session_sample_type(const struct session *s);

/* One that says nothing yet: answers are freed with msg_free(). */
struct session_opened_msg *session_opened_msg_new(uint32_t token);

#endif
