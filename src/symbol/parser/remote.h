/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_REMOTE_H
#define PTOP_SYMBOL_PARSER_REMOTE_H
/*
 * ptop's end of the process that parses symbol files: asks it, opens the debug files that it wants,
 * and checks all that it answers.  If the process crashes, hangs or takes too much, it is ended,
 * and another is started with the next question.  One thread.
 */
#include "symbol/parser/host.h"
#include "symbol/parser/job.h"

#include <stdatomic.h>

struct remote;

/* All are borrowed.  While *@stop is set, calls come back at once and have failed. */
struct remote *remote_new(struct host *host, const struct debug_finder *finder,
			  const atomic_bool *stop);
void remote_free(struct remote *r); /* NULL is allowed */

/*
 * A descriptor for image_open() of the file's image, sealed; -1: there is none.  @err may be set
 * even with an image: what it lacks.  The question in @about stays, the rest of it is filled.
 */
int remote_image(struct remote *r, int fd, struct parser_file *about, struct err *err);

/* The same for unwind_rules_open(): of the file's call frame information. */
int remote_rules(struct remote *r, int fd, struct parser_file *about, struct err *err);

/* Demangles the names that are mangled; those that cannot be stay. */
void remote_names(struct remote *r, struct symbol_names_msg *m);

/* Fills the lines; @fd is not needed where remote_has_lines(). */
void remote_lines(struct remote *r, int fd, struct symbol_lines_msg *m);

/* The same for the functions that are inlined; clears is_lost if there was an answer. */
void remote_inlines(struct remote *r, int fd, struct symbol_lines_msg *m, bool demangles);
bool remote_has_lines(const struct remote *r, uint32_t dso);

/* Whether the lines of this dso ended a process: asking again would end the next. */
bool remote_is_bad(const struct remote *r, uint32_t dso);

/* Fills the listing of @job: its instructions, or why there are none. */
void remote_listing(struct remote *r, struct job *job);

/* Fills where its instructions come from.  false: the job's file is needed first. */
bool remote_listing_lines(struct remote *r, struct job *job, struct listing_lines *lines);

/* Fills the lines of the job's file, or why there are none. */
void remote_source(struct remote *r, struct job *job, struct listing_source *source);
void remote_container(struct remote *r, struct job *job); /* fills in its answer */

/* Fills the places or the error, and the bias. */
void remote_places(struct remote *r, struct job *job);

/* Whether there is a process; and ends it, with all that it remembers, until the next question. */
bool remote_is_running(const struct remote *r);
void remote_rest(struct remote *r);

#endif
