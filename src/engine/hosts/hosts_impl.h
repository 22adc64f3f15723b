/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_HOSTS_HOSTS_IMPL_H
#define PTOP_ENGINE_HOSTS_HOSTS_IMPL_H
/*
 * What the files of this room share; nobody else includes it.  host_command.c is what runs there,
 * host_start.c runs what brings its feed, host_count.c counts it, host_limit.c knows how much that may
 * be, host_state.c says how each host does, host_lacks.c what it cannot sample, hosts.c is all of them.
 */
#include "base/index.h"
#include "engine/hosts/hosts.h"
#include "feed/hostfeed_decode.h"
#include "live/carrier/carrier.h"

enum host_state {
	HOST_STARTING, /* its program runs, and has sent nothing yet */
	HOST_FED,      /* its feed comes */
	HOST_GONE,     /* it has ended: started again at next_try_ns */
	HOST_OTHER,    /* of another version: never started again */
};

/* What a name or a tuple of the feed is here, by its number there. */
struct fed_numbers {
	uint32_t *items; /* 0: not looked for yet */
	size_t len, cap;
};

enum {
	FED_WHY_MAX = 1024, /* the longest that ptop says of itself is an error with what helps: 700 */
	/* Of the hot table. */
	HOST_ENTRY_BYTES = sizeof(struct hot_key) + sizeof(struct cell) + 2 * sizeof(struct index_slot),
};

/* Of a second, by event. */
struct fed_sums {
	uint64_t samples, periods[EVENTS_MAX];
};

/* What a host cannot sample or name, in its words. */
struct fed_lack {
	char *text, *remedy;
};

struct fed_host {
	const char *name;
	uint32_t str; /* the same, of the model */
	enum host_state state;
	struct carrier *carrier;        /* NULL: it does not run */
	struct hostfeed_decoder *feed;
	uint64_t since_ns;            /* it is in this state */
	uint64_t since_real_ns;       /* CLOCK_REALTIME of that */
	uint64_t last_ns;             /* the last second came then; 0: none did */
	uint64_t last_real_ns;
	uint64_t next_try_ns;
	uint64_t begun_ns;            /* its program was started, */
	uint64_t closed_ns;           /* and said all that it had to say; 0: it has not */
	unsigned tries;               /* since the last second that came */
	bool gets_copy;               /* of this ptop, until it has ended */
	bool has_answered;            /* its ptop has: begun a feed, or told why it does not */
	uint64_t copied_ns;           /* the last copy began, and no second has come of it; 0: else */
	int64_t clock_ahead_ns;       /* of its clock, as it is told; 0: it is right */
	uint64_t seconds, bytes, lost;
	uint64_t left_out;            /* rows of the last second that its feed had no room for */
	uint32_t cpus;
	char why[FED_WHY_MAX];        /* it is not fed */
	char ptop[64];                /* which one it has */
	struct fed_lack *lacks;
	size_t lack_count;
	size_t live;                  /* tasks of it that have not ended */
	size_t made;                  /* names of tasks that were new, */
	size_t climbed;               /* callers that were looked for: each less what time allows */
	struct fed_numbers whos, places, events; /* events: plus one */
	/* Since its program was started: */
	uint64_t told_samples, told[EVENTS_MAX]; /* periods, by event */
	uint32_t rest_who;            /* all that is not told apart; 0: nothing yet */
	size_t entries;               /* of the hot table that are its, by hosts.entries_epoch */
	uint64_t crowded_ns;          /* when something new of it had no room last; 0: never */
};

/* A function of any host. */
struct fed_place {
	uint32_t dso, name, location;
	uint32_t reason, remedy; /* strings: why it has no name; 0: it has one */
};

struct hosts {
	const struct engine_config *config;
	const struct engine_env *env; /* NULL until hosts_begin() */
	struct fed_host *items;
	size_t count;
	uint32_t *by_str;    /* by the model's strings: number of the host */
	struct fed_place *places; /* from 0 */
	size_t place_len, place_cap;
	struct index place_index; /* counted from 1 */
	uint64_t sums[EVENTS_MAX]; /* periods of all since the start, by event */
	uint32_t entries_epoch; /* of the profile: entries were counted then */
	size_t names_before; /* bytes of the model's names before the first host */
	uint64_t allowed_ns; /* up to then fed_host.made, .climbed have what time allows */
	char *command;       /* what runs on each host; with --copy it may ask for one */
	char *copying;       /* what takes it; NULL: there is none */
	struct carrier **leaving; /* that are asked to end */
	size_t leaving_len, leaving_cap;
	char *asked;         /* what the user chose last; NULL: nothing */
	bool shows_next;     /* the event that comes next is another one, to be shown */
};

/* host_command.c; @events NULL: the default. */
char *hosts_make_command(const struct engine_config *config, const char *events);
char *hosts_make_copying(const struct engine_config *config, const char *events); /* NULL: no --copy */

/* host_start.c: what runs here to bring it. */
void fed_host_start(struct hosts *hs, struct fed_host *h, uint64_t now_ns);
void fed_host_stop(struct hosts *hs, struct fed_host *h);

/* It has no ptop that is of use: it gets this one.  false: it does not, or has just had it in vain. */
bool fed_host_copy(struct hosts *hs, struct fed_host *h, uint64_t now_ns);
void hosts_reap(struct hosts *hs); /* programs that were asked to end a second ago */
void hosts_end_all(struct hosts *hs);

/* host_count.c */
bool fed_host_count(struct hosts *hs, struct fed_host *h, uint64_t now_ns); /* false: it lies */
void fed_host_forget_numbers(struct fed_host *h);
void hosts_end_quiet(struct hosts *hs, uint64_t now_ns); /* tasks without samples */
size_t hosts_name_bytes(const struct hosts *hs);
size_t hosts_name_bytes_max(const struct hosts *hs);

/* host_limit.c.  false: so much cannot have been counted there. */
bool fed_host_can_have(const struct hosts *hs, struct fed_host *h, const struct fed_sums *sums,
		       uint64_t now_ns);
void hosts_keep_sums(struct hosts *hs, const struct fed_sums *sums); /* full ones begin anew */

/* Whether that can be counted without what would take the others' part of the hot table. */
bool fed_host_has_room(struct hosts *hs, struct fed_host *h, const struct profile_sample *s,
		       uint64_t now_ns);
bool fed_host_is_crowded(const struct fed_host *h, uint64_t now_ns); /* something had no room lately */
size_t hosts_entries_max(const struct hosts *hs);

/* host_lacks.c */
void fed_host_take_lacks(struct fed_host *h, const struct hostfeed_second *s);
void fed_host_forget_lacks(struct fed_host *h);
void fed_host_put_lacks(struct buf *b, const struct fed_host *h); /* for the page of messages */
void hosts_put_lacks(const struct hosts *hs, struct part_notices *n); /* of hosts that are alike once */

/* host_state.c */
void fed_host_note_clock(struct fed_host *h, uint64_t wall_ns);
void fed_host_set_state(struct fed_host *h, enum host_state state, const char *why, uint64_t now_ns);

/*
 * Behind why it has ended, @why "": in order.  Where its feed has not begun, adds what it says in place
 * of one, and what to do if another program has that name.
 */
void fed_host_put_doubt(struct buf *b, const struct fed_host *h, const char *why);

bool fed_host_is_own_reason(const char *why); /* as a ptop tells of itself */

/* Adds what is wrong with it, in words that stay the same while that does.  false: nothing is. */
bool fed_host_put_mark(struct buf *b, const struct fed_host *h, uint64_t now_ns);
void fed_host_put_line(struct buf *b, const struct fed_host *h, uint64_t now_ns); /* for the page of messages */

#endif
