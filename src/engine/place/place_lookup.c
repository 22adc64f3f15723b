/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/place/place_lookup.h"

#include "engine/place/place_search.h"
#include "live/proc/libraries.h"

#include <stdlib.h>

enum { ANSWER_MS = 30000 };

/* One lookup: who is asked, and what waits for the answers. */
struct lookup {
	struct queue *answers;
	struct proc_reader *proc;
	struct symbol_service *symbols;
	const struct place_processes *processes;
};

static void
begin(struct lookup *l, const struct place_processes *processes)
{
	const struct symbol_config config = {
		.kallsyms = "/proc/kallsyms", .proc = "/proc", .debug_dir = "/usr/lib/debug",
		.demangle = true,
	};

	*l = (struct lookup){ .answers = queue_new(), .processes = processes };
	/* This one first: it forks, which is for a process with one thread. */
	l->symbols = symbol_service_new(&config, l->answers);
	l->proc = proc_reader_new("/proc", l->answers);
}

static void
finish(struct lookup *l)
{
	proc_reader_free(l->proc);
	symbol_service_free(l->symbols);
	queue_free(l->answers); /* with what came too late */
}

/* The answer, which is the only one that is waited for; NULL: it does not come. */
static struct msg *
answer(const struct lookup *l, struct err *err)
{
	struct msg *m = queue_wait(l->answers, ANSWER_MS);

	if (m == NULL) {
		err_set(err, ERR_IO, 0, "a file or /proc does not answer");
		err_hint(err, "name a file that is not on a network");
	}
	return m;
}

static void
add_libraries(struct place_search *s, int pid)
{
	char *files[LIBRARIES_MAX];
	size_t count = libraries_list(pid, files);

	for (size_t i = 0; i < count; i++) {
		place_search_add_file(s, pid, files[i]);
		free(files[i]);
	}
}

static int
add_maps(const struct lookup *l, struct place_search *s, struct err *err)
{
	const struct place_processes *p = l->processes;

	if (p->at_exec && p->count > 0)
		add_libraries(s, p->pids[0]);
	for (size_t i = 0; i < p->count; i++) {
		struct msg *m;

		proc_reader_ask_maps(l->proc, p->pids[i], (uint32_t)i + 1);
		m = answer(l, err);
		if (m == NULL)
			return -1;
		place_search_add_maps(s, (struct proc_maps_msg *)m);
		msg_free(m);
	}
	return 0;
}

static int
ask_files(const struct lookup *l, struct place_search *s, struct err *err)
{
	struct symbol_places_ask ask;

	while (place_search_next(s, &ask)) {
		struct msg *m;

		symbol_service_ask_places(l->symbols, &ask);
		m = answer(l, err);
		if (m == NULL)
			return -1;
		place_search_answer(s, (struct symbol_places_msg *)m);
		msg_free(m);
	}
	return 0;
}

static int
find(const struct lookup *l, struct event *ev, struct err *err)
{
	struct place_search *s = place_search_new(ev);
	const struct event *found = NULL;

	if ((!place_search_wants_maps(s) || add_maps(l, s, err) == 0) && ask_files(l, s, err) == 0)
		found = place_search_result(s, err);
	if (found != NULL) {
		struct event copy;

		event_copy(&copy, found);
		event_release(ev);
		*ev = copy;
	}
	place_search_free(s);
	return found != NULL ? 0 : -1;
}

bool
place_is_wanted(const struct event_list *list)
{
	for (size_t i = 0; i < list->len; i++)
		if (list->items[i].place != EVENT_PLACE_NONE)
			return true;
	return false;
}

int
place_lookup(struct event_list *list, const struct place_processes *processes, struct err *err)
{
	struct lookup l;
	int res = 0;

	if (!place_is_wanted(list))
		return 0;
	begin(&l, processes);
	for (size_t i = 0; i < list->len && res == 0; i++)
		if (list->items[i].place != EVENT_PLACE_NONE)
			res = find(&l, &list->items[i], err);
	finish(&l);
	return res;
}

/* The code is all that is wanted: where it comes from in the source is not waited for. */
static int
read_code(const struct lookup *l, const struct event_site *site, const char *name,
	  const struct place_reader *reader, struct err *err)
{
	struct symbol_listing_ask ask = {
		.file = { .kind = SYMBOL_ELF, .path = site->target }, .id = 1,
		.function = name, .offset = site->at, .no_lines = true,
	};

	while (ask.offset != 0) {
		struct msg *m;

		symbol_service_ask_listing(l->symbols, &ask);
		m = answer(l, err);
		if (m == NULL)
			return -1;
		ask.offset = reader->read(reader->self, ((struct symbol_listing_msg *)m)->listing);
		msg_free(m);
		m = answer(l, err); /* SYMBOL_MSG_LISTING_LINES */
		if (m == NULL)
			return -1;
		msg_free(m);
	}
	return 0;
}

/* Where no answer comes nothing is known of them. */
static void
count_copies(const struct lookup *l, const struct event_site *site,
	     const struct place_reader *reader)
{
	const struct symbol_places_ask ask = {
		.file = { .kind = SYMBOL_ELF, .path = site->target }, .offset = site->at,
		.copies = true,
	};
	const struct symbol_places_msg *m;
	struct err err = { 0 };
	struct msg *msg;

	symbol_service_ask_places(l->symbols, &ask);
	msg = answer(l, &err);
	if (msg == NULL)
		return;
	m = (const struct symbol_places_msg *)msg;
	if (m->count > 0)
		reader->copies(reader->self, m->places[0].copies, m->places[0].has_more_copies);
	msg_free(msg);
}

int
place_lookup_code(struct event *ev, const struct place_processes *processes,
		  const struct place_reader *reader, struct err *err)
{
	struct lookup l;
	int res;

	begin(&l, processes);
	res = find(&l, ev, err);
	if (res == 0 && reader->choose != NULL)
		reader->choose(reader->self, ev);
	if (res == 0 && ev->place == EVENT_PLACE_UPROBE)
		res = read_code(&l, &ev->sites[0], ev->symbol != NULL ? ev->symbol : ev->name,
				reader, err);
	if (res == 0 && ev->place == EVENT_PLACE_UPROBE && reader->copies != NULL)
		count_copies(&l, &ev->sites[0], reader);
	finish(&l);
	return res;
}
