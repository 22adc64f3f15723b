/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_TERM_H
#define PTOP_EVENT_TERM_H
/* The terms between an event's slashes: "/period=1000,call-graph=fp/". */
#include "event/event.h"
#include "event/pmu.h"

/*
 * Parses the terms into @ev.  @at is the first slash; *@rest becomes what is behind the second.
 * @pmu: whose fields and events are terms too, NULL: none.  0, or -1: see the spec's err.
 */
int terms_parse(const struct spec *s, const char *at, const struct pmu *pmu, struct event *ev,
		const char **rest);

/* The same of a PMU's own event, whose @text is sysfs's; @at is where it is named. */
int terms_parse_alias(const struct spec *s, const char *at, const char *text,
		      const struct pmu *pmu, struct event *ev);

/* The terms that every event has, in perf's spelling.  Constant. */
enum term_kind {
	TERM_TAKES_NUMBER,
	TERM_TAKES_FLAG, /* 0 or 1; alone it is 1 */
	TERM_TAKES_NOT,  /* the same, stored inverted */
	TERM_TAKES_WORD, /* one of words */
	TERM_TAKES_WORDS, /* several, with commas: in quotes */
	TERM_TAKES_TEXT,
	TERM_TAKES_NAMES, /* text as well, plain words with commas: in quotes; alone it is "" */
	TERM_TAKES_ANY,  /* not kept */
};

struct term_word {
	const char *word;
	uint64_t value;
};

struct term_row {
	const char *name;
	const char *help; /* one line: what it sets */
	enum term_kind kind;
	enum event_term term;
	size_t offset, size; /* in struct event, where the number goes */
	uint64_t min, max;
	const struct term_word *words; /* ends with a NULL */
	bool is_config;      /* not for events whose config is taken: by a place, by the kernel */
};

const struct term_row *term_table(size_t *count);

/* NULL: none of that name. */
const struct term_row *term_table_find(const char *name, size_t len);

#endif
