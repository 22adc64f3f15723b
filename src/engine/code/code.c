/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/code/code.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/ask/ask.h"
#include "view/listing.h"
#include "view/snapshot.h"

enum {
	KEPT_MAX = 8,      /* functions that were looked at last */
	FILES_MAX = 256,   /* of one function whose text is asked for */
	LINES_AROUND = 4,  /* before the first instruction's line, and behind the last one's */
};

/* A function: by where it is, as locations may be forgotten. */
struct entry {
	uint32_t dso;
	uint64_t start;
	uint32_t id;       /* of the last question; 0: the entry is free */
	uint64_t used;     /* code.uses when it was shown last */
	uint64_t refresh;  /* for which it was asked for last: snapshot.seq */
	struct listing *listing;
	struct listing_lines *lines;
	struct listing_source **sources; /* by file */
	size_t source_count;
	struct listing_source *whole;    /* of the file @whole_of, all of it; NULL: it is not here */
	uint32_t whole_of;
	bool is_whole_asked;
	size_t awaited;    /* answers on their way */
	bool is_changed;   /* since it was read first */
	uint64_t as_of_ns; /* the end of a past window that it is of, 0: it is of now */
	bool is_of_other_time; /* than what was asked for before: another text is no change */
};

struct code {
	const struct engine_env *env;
	struct names *names;
	struct entry entries[KEPT_MAX];
	uint32_t last_id;
	uint64_t uses;
	/* Up to here lines of addresses of the dso were asked for. */
	struct {
		uint32_t dso, id, epoch;
	} wanted;
};

/* What a file's text is asked for. */
struct span {
	uint32_t first, last;
};

static void
drop_lines(struct entry *e)
{
	for (size_t i = 0; i < e->source_count; i++)
		listing_source_put(e->sources[i]);
	free(e->sources);
	listing_source_put(e->whole);
	listing_lines_put(e->lines);
	e->sources = NULL;
	e->source_count = 0;
	e->lines = NULL;
	e->whole = NULL;
	e->is_whole_asked = false;
}

static void
drop(struct entry *e)
{
	drop_lines(e);
	listing_put(e->listing);
	*e = (struct entry){ 0 };
}

static struct entry *
find(struct code *c, uint32_t dso, uint64_t start)
{
	for (size_t i = 0; i < KEPT_MAX; i++)
		if (c->entries[i].id != 0 && c->entries[i].dso == dso &&
		    c->entries[i].start == start)
			return &c->entries[i];
	return NULL;
}

static struct entry *
find_id(struct code *c, uint32_t id)
{
	for (size_t i = 0; i < KEPT_MAX; i++)
		if (c->entries[i].id == id && id != 0)
			return &c->entries[i];
	return NULL;
}

/* A free one, or the one that was not looked at for the longest time. */
static struct entry *
make_room(struct code *c)
{
	struct entry *oldest = &c->entries[0];

	for (size_t i = 1; i < KEPT_MAX; i++)
		if (c->entries[i].used < oldest->used)
			oldest = &c->entries[i];
	drop(oldest);
	return oldest;
}

static void
ask(struct code *c, struct entry *e, uint32_t location, uint64_t refresh)
{
	e->id = ++c->last_id;
	e->awaited = 2;
	e->refresh = refresh;
	names_ask_listing(c->names, e->id, location, e->as_of_ns);
}

/* Nothing tells that it is not what it was. */
static bool
may_change(const struct code *c, uint32_t dso)
{
	return dsos_get(&c->env->model->dsos, dso)->kind == DSO_ANON &&
	       c->env->policy->has_processes;
}

/* The file that the snapshot would show whole, LISTING_NONE: none, or it is not known yet. */
static uint32_t
whole_file(const struct entry *e, const struct snapshot_code *code)
{
	for (uint32_t i = 0; code->file != NULL && e->lines != NULL && i < e->lines->file_count; i++)
		if (strcmp(e->lines->files[i].path, code->file->path) == 0)
			return i;
	return LISTING_NONE;
}

/* The answer has a number behind those of parts of files. */
static void
ask_whole(struct code *c, struct entry *e, uint32_t file)
{
	if (file == LISTING_NONE || (e->is_whole_asked && e->whole_of == file) || e->awaited > 0)
		return;
	listing_source_put(e->whole);
	e->whole = NULL;
	e->whole_of = file;
	e->is_whole_asked = true;
	if (e->lines->files[file].text != NULL) {
		e->whole = listing_source_get(e->lines->files[file].text);
		return;
	}
	e->awaited++;
	names_ask_source(c->names, e->id, e->dso, (uint32_t)e->source_count, &e->lines->files[file], 1,
			 UINT32_MAX);
}

/* Which samples are of that file tell the lines of all of the dso. */
static void
want_lines(struct code *c, uint32_t dso)
{
	struct profile *p = c->env->profile;
	const struct tables *t = &p->tables;

	if (dsos_get(&c->env->model->dsos, dso)->kind != DSO_FILE)
		return;
	/* A fold gives entries other numbers. */
	if (c->wanted.dso != dso || c->wanted.epoch != p->epoch || c->wanted.id == 0) {
		c->wanted.dso = dso;
		c->wanted.epoch = p->epoch;
		c->wanted.id = 1;
	}
	for (; c->wanted.id < t->cells[TABLE_ADDRESS].len; c->wanted.id++)
		if (t->addresses[c->wanted.id].dso == dso)
			srclines_want(&p->lines, dso, t->addresses[c->wanted.id].offset);
}

/* Of which time the code is to be: only a jitdump knows more than now. */
static uint64_t
as_of(const struct code *c, const struct snapshot *s)
{
	if (s->query.end_ns == 0 || dsos_get(&c->env->model->dsos, s->code->dso_id)->kind != DSO_ANON)
		return 0;
	return c->env->clock->begin_ns + s->query.end_ns;
}

static bool
wants_another_time(struct entry *e, uint64_t as_of_ns)
{
	if (e->as_of_ns == as_of_ns)
		return false;
	e->as_of_ns = as_of_ns;
	e->is_of_other_time = true;
	return true;
}

void
code_ask(struct code *c, const struct snapshot *s)
{
	const struct snapshot_code *code = s->code;
	struct entry *e;

	if (code == NULL || code->location == 0 || code->start == code->end)
		return;
	e = find(c, code->dso_id, code->start);
	if (e == NULL) {
		e = make_room(c);
		*e = (struct entry){ .dso = code->dso_id, .start = code->start,
				     .as_of_ns = as_of(c, s) };
		ask(c, e, code->location, s->seq);
	} else if (e->awaited == 0 && wants_another_time(e, as_of(c, s))) {
		ask(c, e, code->location, s->seq);
	} else if (e->awaited == 0 && e->refresh != s->seq && may_change(c, e->dso)) {
		ask(c, e, code->location, s->seq);
	}
	e->used = ++c->uses;
	if (code->file == NULL)
		return;
	want_lines(c, e->dso);
	ask_whole(c, e, whole_file(e, code));
}

bool
code_awaits(const struct code *c)
{
	for (size_t i = 0; i < KEPT_MAX; i++)
		if (c->entries[i].awaited > 0)
			return true;
	return false;
}

static bool
is_same_code(const struct listing *a, const struct listing *b)
{
	if (a->offset != b->offset || a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->items[i].offset != b->items[i].offset ||
		    a->items[i].len != b->items[i].len ||
		    memcmp(a->items[i].bytes, b->items[i].bytes, a->items[i].len) != 0)
			return false;
	return true;
}

/* Whose answer it is, which is awaited no longer; NULL: nobody's any more. */
static struct entry *
answered(struct code *c, const struct symbol_listing_msg *m)
{
	struct entry *e = find_id(c, m->id);

	if (e != NULL)
		e->awaited--;
	return e;
}

static enum part_reply
take_listing(void *code, struct msg *msg)
{
	struct symbol_listing_msg *m = (struct symbol_listing_msg *)msg;
	struct code *c = code;
	struct entry *e = answered(c, m);

	if (e == NULL)
		return PART_DONE;
	if (e->listing != NULL && is_same_code(e->listing, m->listing)) {
		e->is_of_other_time = false;
		return PART_DONE;
	}
	/* Its memory can be gone by now: then it is shown as it was. */
	if (e->listing != NULL && e->listing->count > 0 && m->listing->count == 0 && !e->is_of_other_time)
		return PART_DONE;
	e->is_changed = e->listing != NULL && !e->is_of_other_time;
	e->is_of_other_time = false;
	drop_lines(e);
	listing_put(e->listing);
	e->listing = m->listing;
	m->listing = NULL;
	agenda_want(c->env->agenda, AGENDA_ANSWER);
	return PART_DONE;
}

static void
widen(struct span *spans, const struct listing_frame *f)
{
	struct span *s = &spans[f->file];

	if (f->line == 0)
		return;
	if (s->last == 0)
		*s = (struct span){ f->line, f->line };
	s->first = MIN(s->first, f->line);
	s->last = MAX(s->last, f->line);
}

/* From the first to the last line of each file that instructions, or calls of them, are of. */
static void
ask_sources(struct code *c, struct entry *e)
{
	const struct listing_lines *l = e->lines;
	struct span *spans = mem_calloc(l->file_count + 1, sizeof(*spans));

	for (uint32_t i = 0; i < l->place_count; i++)
		for (uint32_t f = 0; f < l->places[i].count; f++)
			if (l->places[i].frames[f].file < l->file_count)
				widen(spans, &l->places[i].frames[f]);
	e->source_count = l->file_count;
	e->sources = mem_calloc(l->file_count + 1, sizeof(struct listing_source *));
	for (uint32_t i = 0; i < MIN(l->file_count, (uint32_t)FILES_MAX); i++) {
		struct span *s = &spans[i];

		if (l->files[i].text != NULL)
			e->sources[i] = listing_source_get(l->files[i].text);
		if (l->files[i].text != NULL || s->last == 0)
			continue;
		e->awaited++;
		names_ask_source(c->names, e->id, e->dso, i, &l->files[i],
				 s->first > LINES_AROUND ? s->first - LINES_AROUND : 1,
				 s->last + LINES_AROUND);
	}
	free(spans);
}

static enum part_reply
take_lines(void *code, struct msg *msg)
{
	struct symbol_listing_msg *m = (struct symbol_listing_msg *)msg;
	struct code *c = code;
	struct entry *e = answered(c, m);

	/* Of code that is as it was they are here. */
	if (e == NULL || e->lines != NULL || m->lines == NULL)
		return PART_DONE;
	e->lines = m->lines;
	m->lines = NULL;
	if (e->listing != NULL && e->lines->count == e->listing->count)
		ask_sources(c, e);
	agenda_want(c->env->agenda, AGENDA_ANSWER);
	return PART_DONE;
}

static enum part_reply
take_source(void *code, struct msg *msg)
{
	struct symbol_listing_msg *m = (struct symbol_listing_msg *)msg;
	struct code *c = code;
	struct entry *e = answered(c, m);

	if (e == NULL)
		return PART_DONE;
	if (m->file == e->source_count && e->is_whole_asked && e->whole == NULL) {
		e->whole = m->source;
		m->source = NULL;
	} else if (m->file < e->source_count && e->sources[m->file] == NULL) {
		e->sources[m->file] = m->source;
		m->source = NULL;
	}
	/* One picture for all of them. */
	agenda_want(c->env->agenda, e->awaited == 0 ? AGENDA_ANSWER : AGENDA_SHOW);
	return PART_DONE;
}

/* What is here of the function that the snapshot shows. */
static void
put_head(const void *code, struct snapshot *s)
{
	struct snapshot_code *to = s->code;
	const struct entry *e;

	if (to == NULL || to->location == 0)
		return;
	e = find((struct code *)(uintptr_t)code, to->dso_id, to->start);
	to->is_reading = e == NULL || e->awaited > 0;
	if (e == NULL)
		return;
	to->is_changed = e->is_changed;
	if (e->listing != NULL)
		to->listing = listing_get(e->listing);
	if (e->lines == NULL || e->listing == NULL || e->lines->count != e->listing->count)
		return;
	to->lines = listing_lines_get(e->lines);
	to->sources = arena_alloc(&s->arena,
				  (e->lines->file_count + 1) * sizeof(struct listing_source *));
	if (to->file != NULL && e->whole != NULL && whole_file(e, to) == e->whole_of)
		to->file->text = listing_source_get(e->whole);
	for (size_t i = 0; i < e->source_count; i++)
		to->sources[i] = e->sources[i] != NULL ? listing_source_get(e->sources[i]) : NULL;
}

static size_t
held(const void *code)
{
	const struct code *c = code;
	size_t sum = 0;

	for (size_t i = 0; i < KEPT_MAX; i++) {
		const struct entry *e = &c->entries[i];

		sum += e->listing != NULL ? e->listing->arena.bytes : 0;
		sum += e->lines != NULL ? e->lines->arena.bytes : 0;
		for (size_t f = 0; f < e->source_count; f++)
			sum += e->sources[f] != NULL ? e->sources[f]->arena.bytes : 0;
		sum += e->whole != NULL ? e->whole->arena.bytes : 0;
	}
	return sum;
}

static void *
make(const struct engine_env *env)
{
	struct code *c = mem_calloc(1, sizeof(*c));

	c->env = env;
	return c;
}

void
code_begin(struct code *c, struct names *names)
{
	c->names = names;
}

static void
release(void *code)
{
	struct code *c = code;

	for (size_t i = 0; i < KEPT_MAX; i++)
		drop(&c->entries[i]);
	free(c);
}

static const struct part_message messages[] = {
	{ SYMBOL_MSG_LISTING, take_listing },
	{ SYMBOL_MSG_LISTING_LINES, take_lines },
	{ SYMBOL_MSG_SOURCE, take_source },
};

static const struct part_memory memory[] = {
	{ "code of functions", held, NULL,
	  "of the functions looked at last: those before are read again" },
};

const struct engine_part code_part = {
	.name = "code",
	.make = make,
	.release = release,
	.messages = messages,
	.message_count = ARRAY_SIZE(messages),
	.memory = memory,
	.memory_count = ARRAY_SIZE(memory),
	.put_head = put_head,
};
