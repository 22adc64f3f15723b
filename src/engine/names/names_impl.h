/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_NAMES_NAMES_IMPL_H
#define PTOP_ENGINE_NAMES_NAMES_IMPL_H
/*
 * What the files of this room share; nobody else includes it.  files.c is the lowest: how a file is
 * asked for.  kernel.c, jit.c, rules.c, lines.c, inlines.c and downloads.c stand on it, names.c on all.
 */
#include "engine/names/held_images.h"
#include "engine/names/names.h"
#include "engine/names/unread_files.h"
#include "live/proc/proc_reader.h"
#include "profile/count/feed.h"
#include "profile/place/jit.h"
#include "symbol/fetch/fetch.h"
#include "symbol/jit/jit_reader.h"
#include "symbol/service/service.h"
#include "view/snapshot.h"

struct no_image {
	const char *reason, *remedy;
};

/* Where the kernel's names come from: kernel.c. */
struct kernel_names {
	uint64_t first_ns;  /* when it is asked for first: names of programs come before */
	uint64_t state, programs; /* of the list that was read last, 0: none */
	uint64_t asked_ns;  /* the last time */
	uint64_t again_ns;  /* how long after that it may be asked for once more */
	uint32_t asked_at;  /* model.kernel_generation then */
	bool is_asked;
	bool files_refused; /* those that the user named are of no use */
};

/* Debug files that are not here: downloads.c. */
struct downloads {
	struct fetch *fetch; /* NULL: nothing is downloaded */
	struct wanted_file *items;
	size_t len, cap;
	unsigned asked;
	uint64_t next_look_ns;
	bool is_stopped;     /* by the user */
};

/* Sources that are not here: sources.c. */
struct sources {
	struct source_question *items;
	size_t len, cap;
	struct strs fetched; /* that were asked for; its numbers are those of the downloads */
};

/* Code that processes make as they run: jit.c. */
struct jits {
	struct jit_reader *reader; /* NULL until there is some */
	struct jit_process *items; /* of processes that live, or just ended */
	size_t len, cap;
	size_t queued;             /* changes that wait for their time */
	uint64_t looked_for_ns;    /* the drain for which jitdumps were read on */
	uint32_t ended[64];        /* dsos of those that ended last, a ring: older ones were merged */
	size_t ended_len;
	bool has_left_out;         /* processes for which there was no place */
	uint32_t full;             /* string: what was said first of names that were not kept, 0: nothing */
};

/* Names of variables: variables.c. */
struct variable_names {
	struct variable_file *files;
	size_t file_len, file_cap;
	size_t asked; /* not answered yet */
};

enum {
	NAMES_OBSERVERS_MAX = 4,
	NAMES_PENDING_ENOUGH = 8192, /* so many places that wait are left to images that do come */
};

struct names {
	const struct engine_env *env;

	struct {
		const struct names_observer *ops;
		void *self;
	} observers[NAMES_OBSERVERS_MAX];
	size_t observer_count;

	struct proc_maps_msg **maps; /* answers that wait for older records */
	size_t maps_len, maps_cap;
	/* Not answered yet. */
	size_t asked_images, asked_names, asked_comms, asked_lines, asked_rules, asked_instructions, asked_containers;
	uint64_t comms_ns;       /* when this second of names of threads began, */
	unsigned comms_left;     /* and how many it has left: see names_ask_comms() */
	size_t comms_kept;       /* of feed.comms: these wait for the next */
	struct image_ask *files; /* by dso: how its file was found, for asking for lines */
	size_t file_cap;
	bool has_image;       /* some file has told its names */
	unsigned hurries;     /* pictures that first names were worth */
	bool is_hurried;      /* a report waits */
	bool shows_trees;     /* what was asked for last shows what is inlined, */
	bool shows_lines;     /* and source lines */
	struct held_images held; /* what waits while there is little time for it */
	struct unread_files unread;

	struct kernel_names kernel;
	struct jits jits;
	struct downloads downloads;
	struct sources sources;
	struct variable_names variables;
};

/* files.c */
/* How the file of a dso is asked for; NULL: @a says it; else why there is none. */
const struct no_image *files_ask(struct names *nm, const struct image_ask *ask,
				 struct symbol_ask *a);
void files_learn_none(struct names *nm, uint32_t dso, const struct no_image *why);
/* The symbols that come with the records, if any.  false: there are none. */
bool files_learn_recorded(struct names *nm, uint32_t dso);
/* Remembers how a file was found, and asks for its image; again if it was asked for before. */
void files_ask_image(struct names *nm, const struct image_ask *ask, const struct symbol_ask *a);
void files_ask_image_again(struct names *nm, uint32_t dso);
void files_ask_rules(struct names *nm, const struct symbol_ask *a);
/* An image has come and is about to be learned, or rules: those of files that were not read are noted. */
void files_note_image(struct names *nm, const struct symbol_image_msg *m);
void files_note_rules(struct names *nm, const struct symbol_rules_msg *m);
void files_ask_unread(struct names *nm, uint64_t now_ns); /* asks for those, now and then */
void files_end_waiting(struct names *nm); /* places in them have waited enough */
/* Source lines, or what is inlined.  false: how the file is found is not known. */
bool files_ask_lines(struct names *nm, uint32_t dso, const uint64_t *addrs, uint32_t count,
		     bool of_inlines);
bool files_are_known(const struct names *nm, uint32_t dso);

/* What can wait is to wait: ptop is thrifty, and no report waits. */
static inline bool
names_are_spared(const struct names *nm)
{
	return nm->env->cost->is_thrifty && !nm->is_hurried;
}

/* kernel.c */
void kernel_names_begin(struct names *nm);
void kernel_names_step(struct names *nm); /* asks, if they are wanted or may have changed */
void kernel_names_learn(struct names *nm, struct symbol_image_msg *m);
/* false: they are there, or no sample wants any, in a recording few. */
bool kernel_names_limit(const struct names *nm, struct arena *arena, struct snapshot_limit *limit);

/* unnamed_files.c: false: neither a recording nor a report, or all names of files are there but few. */
bool unnamed_files_limit(const struct names *nm, struct arena *arena, struct snapshot_limit *limit);

/*
 * jit_full.c: that names of that code are not kept, and whose processes have too many; the same for who
 * sees no news, NULL: all were kept.
 */
void jit_tell_full(struct names *nm, uint32_t dso, enum jit_learned whose);
const char *jit_notice(const struct names *nm);

/* names_said.c: of the part, by its operations. */
enum { NAMES_MEMORIES = 5 };
extern const struct part_memory names_memory[NAMES_MEMORIES];
void names_put_head(const void *names, struct snapshot *s);
void names_put_notices(const void *names, struct part_notices *n);

/* jit.c */
void jit_ask(struct names *nm, const struct image_ask *ask); /* of a dso first hit */
void jit_poll(struct names *nm, uint64_t now_ns); /* reads on what is due; UINT64_MAX: all is */
bool jit_is_settled(const struct names *nm);      /* nothing is being read */
enum part_reply jit_on_file(void *names, struct msg *msg);
void jit_beat(struct names *nm, uint64_t now_ns);
void jit_free_all(struct names *nm);
/* The jitdump of that code, as it is asked for.  false: it is not read. */
bool jit_dump_of(const struct names *nm, uint32_t dso, struct symbol_ask *a);
/* A process that has the code in its memory, 0: none is known. */
int jit_pid_of(const struct names *nm, uint32_t dso);

/* rules.c: rules for unwinding */
void rules_step(struct names *nm);
enum part_reply rules_on_rules(void *names, struct msg *msg);
bool rules_are_here(const struct names *nm); /* none are on their way */
/*
 * First names need not wait for the next step, though others are on their way: @are_there: rows have
 * them now.  A few times, as a frame is dear.
 */
void rules_hurry_first(struct names *nm, bool are_there);
void rules_put(const struct names *nm, struct buf *b);
const char *rules_notice(const struct names *nm, struct arena *arena); /* NULL: nothing to say */

/* lines.c */
void lines_step(struct names *nm); /* asks for those that samples are grouped by */
enum part_reply lines_learn(void *names, struct msg *msg);

/* inlines.c */
void inlines_learn(struct names *nm, const struct symbol_lines_msg *m);
const char *inlines_notice(const struct names *nm, struct arena *arena); /* NULL: nothing to say */

/* instructions.c */
/* An answer to names_ask_instructions(); false: it is one to somebody else. */
bool instructions_learn(struct names *nm, const struct symbol_listing_msg *m);

/* listings.c */
/* As names_ask_listing(), maybe without its lines. */
void listings_ask(struct names *nm, uint32_t id, uint32_t location, uint64_t as_of_ns,
		  bool no_lines);
void listings_name_targets(const struct names *nm, const struct symbol_listing_msg *m);

/* sources.c */
enum part_reply sources_on_source(void *names, struct msg *msg);
void sources_on_file(struct names *nm, const struct fetch_msg *m); /* of one that was asked for */
void sources_free(struct names *nm);

/* downloads.c */
void downloads_begin(struct names *nm, struct host *host);
/*
 * An image has come and is about to be learned; of a dso whose debug file is not here it is noted.
 * false: it is of no use, the one that there is stays.
 */
bool downloads_note_image(struct names *nm, struct symbol_image_msg *m);
void downloads_noted_image(struct names *nm, uint32_t dso, bool lacks_debug_file); /* after that */
enum part_reply downloads_on_file(void *names, struct msg *msg);
void downloads_free(struct names *nm);

/* containers.c */
void containers_step(struct names *nm); /* has those looked for that are wanted */
bool containers_are_here(const struct names *nm);
enum part_reply containers_on_name(void *names, struct msg *msg);

/* variables.c */
void variables_step(struct names *nm); /* has those looked for that are wanted */
bool variables_are_here(const struct names *nm);
enum part_reply variables_on_places(void *names, struct msg *msg);
void variables_free(struct names *nm);

/* names.c: asks for names of processes and threads that have none yet. */
void names_ask_comms(struct names *nm);

/* processes.c */
enum part_reply processes_learn(void *names, struct msg *msg);
/* false: no maps are missing but of processes that ended. */
bool processes_limit(const struct names *nm, struct arena *arena, struct snapshot_limit *limit);

#endif
