/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_VIEWER_H
#define PTOP_ENGINE_VIEWER_VIEWER_H
/*
 * The room that answers: it holds the front end's query, makes snapshots of what was counted, and
 * the pages of text.  It changes nothing of what is measured.  Engine thread only.
 */
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"
#include "export/format.h"
#include "view/query.h"
#include "view/snapshot.h"

struct viewer;
struct session_config;

/* @front_end: where answers go.  @parts: all that are, which have something to say, too. */
struct viewer *viewer_new(const struct engine_env *env, struct queue *front_end,
			  const struct engine_parts *parts);

/* Another query: what is shown from now on.  A filter that makes no sense is refused. */
void viewer_query(struct viewer *v, const struct query *q);
const struct query *viewer_shows(const struct viewer *v);
/* Whether what @q shows, in reports of @format, has source lines that are to be asked for. */
bool viewer_shows_lines(const struct query *q, enum export_format format);
/* The delay between refreshes, by which trends go. */
void viewer_set_delay(struct viewer *v, uint64_t delay_ns);

/* Marks of what has happened, live or recorded; code without names is told of: once a second. */
void viewer_watch(void *viewer, uint64_t now_ns);

/* The whole of a recording that is compared with has come. */
bool viewer_has_then(const struct viewer *v);

/* What the query gives now, one reference; viewer_send() takes it. */
struct snapshot *viewer_make(struct viewer *v);
void viewer_send(struct viewer *v, struct snapshot *s);
/* The next picture is of another refresh; and that has been sent. */
void viewer_count_refresh(struct viewer *v);
void viewer_end_refresh(struct viewer *v);
uint64_t viewer_refreshes(const struct viewer *v);

/* The process's runtime has named its code: it is asked again when more of it has no name. */
void viewer_name_again(struct viewer *v, int pid, uint64_t now_ns);

void viewer_send_messages(struct viewer *v);
void viewer_send_changes(struct viewer *v); /* what has changed, by itself */
/*
 * The first change that was sent last: when it began, and what it is, for the status line.  Valid until
 * the next is sent; 0: none was.
 */
uint64_t viewer_sent_change(const struct viewer *v, const char **text);
void viewer_send_explanation(struct viewer *v, const struct query *q, uint64_t row_id);
void viewer_send_place(struct viewer *v, uint32_t location, bool is_irq_on); /* likewise */
/* @config: of events as they would be opened; copied. */
void viewer_ask_catalogue(struct viewer *v, const struct session_config *config);

/* Of processes whose first sample came after /proc was read: a report has no later reading. */
void viewer_learn_owners(struct viewer *v);
/* Asks /proc for what the next picture shows, in @budget_us beside the @hot processes. */
void viewer_ask_tick(struct viewer *v, const int *hot, size_t hot_count, unsigned budget_us);
bool viewer_has_all_processes(const struct viewer *v); /* the first reading is complete */

/* The query by which @format is exported; then the export, now or once viewer_export_go() is called. */
struct query viewer_export_query(const struct viewer *v, enum export_format format);
void viewer_export(struct viewer *v, enum export_format format, const char *path, bool waits);
bool viewer_export_waits(const struct viewer *v);
void viewer_export_go(struct viewer *v);
/* At the end of the engine: writes an export to its end.  -1: it is not whole, see @err. */
int viewer_end_export(struct viewer *v, struct err *err);

/* A reading of the counters, for when they are shown. */
void viewer_ask_counters(struct viewer *v);
bool viewer_awaits_counters(const struct viewer *v);

extern const struct engine_part viewer_part;

#endif
