/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_NAMES_NAMES_H
#define PTOP_ENGINE_NAMES_NAMES_H
/*
 * The room that has everything named: it carries the questions that samples raise (maps of
 * processes, symbols of files, source lines, rules for unwinding) to those who may block, and
 * learns their answers.  Samples never wait for it.  Engine thread only.
 */
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"

struct names;
struct proc_maps_msg;
struct arena;
struct listing_file;
struct query;
struct snapshot;

/* Who is told of what was learned; any member may be NULL. */
struct names_observer {
	void (*build_id)(void *self, uint32_t dso, const uint8_t *id, size_t len);
	void (*maps)(void *self, const struct proc_maps_msg *m); /* without an error */
	void (*kernel)(void *self); /* its list of functions is another one */
};

/* @downloads: of processes that download, taken; NULL: none is to. */
struct names *names_new(const struct engine_env *env, struct host *downloads);
/* Before the first record comes, and after it is known whether call chains are kept. */
void names_begin(struct names *nm);
void names_observe(struct names *nm, const struct names_observer *observer, void *self);

/* Asks for what is wanted by now, and learns the maps whose time has come. */
void names_step(struct names *nm);

/* Nothing that a report would show is on its way. */
bool names_are_settled(const struct names *nm);
/* While a report waits: what is asked for seldom otherwise is asked for at once. */
void names_set_hurried(struct names *nm, bool is_hurried);

/* Files are on their way that make a difference to how samples are counted. */
bool names_await_files(const void *names);
/* Records that a recorder should have before a round: maps and names are still asked for. */
bool names_await_processes(const void *names);

/*
 * Code of JIT compilers.  When what is at an address is something else next, before @limit_ns, else
 * @limit_ns; and applying what changed up to then.
 */
uint64_t names_horizon_ns(const void *names, uint64_t limit_ns);
void names_apply(void *names, uint64_t until_ns);
uint64_t names_due_ns(const struct names *nm); /* when jitdumps are to be read, ahead of a drain */
bool names_change_by_time(const void *names); /* what is at an address may do so */
void names_go_on(void *names, uint64_t now_ns); /* records have come so far: of a recording */
void names_end_recording(void *names);          /* and no more will come */

/* The process has just written its perf map: it is not read only when its turn comes. */
void names_look_for_map(struct names *nm, int pid);

/* Asks for the source line of each shown function's hottest instruction, when that has changed. */
void names_ask_lines(struct names *nm, const struct snapshot *s);
bool names_await_lines(const struct names *nm); /* those, or what is inlined */

/* Asks for what is inlined in the trees that @q shows.  false: nothing new is asked for. */
bool names_ask_inlines(struct names *nm, const struct query *q);
bool names_await_inlines(struct names *nm, const struct query *q); /* asks for what is new, too */

/*
 * Asks for the code of the function, or of what else is at a location, wherever its bytes are.
 * Each ask gets exactly one SYMBOL_MSG_LISTING, at once or when the bytes are here, and after it
 * exactly one SYMBOL_MSG_LISTING_LINES; both have @id and never lack their listing.  @as_of_ns: of
 * code that is made anew, as it was at that time, where a jitdump has it; 0: as it is.
 */
void names_ask_listing(struct names *nm, uint32_t id, uint32_t location, uint64_t as_of_ns);

/*
 * Asks for the code of the functions whose instructions samples are grouped by; those that became
 * wanted meanwhile have to wait until all answers are here.
 */
void names_ask_instructions(struct names *nm);
bool names_await_instructions(const struct names *nm);

/*
 * Asks for lines @first to @last of file number @file of what was answered to @id; more may come.
 * Each ask gets exactly one SYMBOL_MSG_SOURCE.
 */
void names_ask_source(struct names *nm, uint32_t id, uint32_t dso, uint32_t file,
		      const struct listing_file *about, uint32_t first, uint32_t last);

/* Asks for the next debug file that is wanted; whether one is on its way. */
bool names_download_next(struct names *nm);
void names_beat_downloads(struct names *nm); /* looks for it, now and then */
/* What waits for one, or for a file that could not be read, has waited enough. */
void names_end_downloads(struct names *nm);
void names_toggle_downloads(struct names *nm); /* stops what is on its way, or goes on */

uint64_t names_cpu_ns(const void *names); /* of the processes that parse and download */

extern const struct engine_part names_part;

#endif
