/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a look waits for.  The call alone does not tell a mutex from malloc's own lock, nor a rwlock
 * from a condition variable: the functions on the stack do, and whether there is an owner to be
 * believed in.
 */
#include "profile/count/feed_impl.h"

#include "record/abi.h"
#include "record/look.h"

#include <inttypes.h>
#include <string.h>
#include <sys/syscall.h>

enum { PROGRAM_FRAMES = 32 }; /* so many may be of a library before there is one of the program */

/* The innermost frames of a look, each where the code to be named is. */
struct look_frames {
	uint64_t addrs[PROGRAM_FRAMES];
	size_t len;
};

static void
add_frame(struct look_frames *l, uint64_t addr)
{
	if (l->len < PROGRAM_FRAMES)
		l->addrs[l->len++] = addr;
}

/* Unwound just now, or before it was recorded; without chains there is but where the call is. */
static struct look_frames
frames_of(const struct feed *f, const struct record *rec)
{
	const struct record_sample *s = &rec->sample;
	struct look_frames l = { .len = 0 };
	uint64_t context = 0;

	for (size_t i = 0; f->is_unwound && i < f->unwinder.len; i++)
		add_frame(&l, f->unwinder.addrs[i]);
	for (uint64_t i = 0; l.len < PROGRAM_FRAMES && !f->is_unwound && i < s->chain_len; i++) {
		if (s->chain[i] >= (uint64_t)PERF_CONTEXT_MAX)
			context = s->chain[i];
		else if (context == (uint64_t)PERF_CONTEXT_USER)
			add_frame(&l, l.len == 0 ? s->chain[i] : s->chain[i] - 1);
	}
	if (l.len == 0 && s->ip != 0)
		add_frame(&l, s->ip);
	return l;
}

static bool
is_in_futex(const struct record_sample *s)
{
	uint64_t args[RECORD_LOOK_ARGS];

	return record_is_look(s) && record_look_call(s, args) == SYS_futex &&
	       !wait_kind_could_run(record_look_kind(s));
}

/* The functions of one file that the call was made in: NULL for those without a name. */
struct look_names {
	const char *names[LOCK_CALL_FRAMES];
	size_t len;
	bool is_awaited; /* names are on their way */
};

static const char *
name_at(const struct feed *f, const struct code_at *at)
{
	const struct location *loc =
		&f->locations->items[locations_resolve(f->locations, at->location)];

	return location_is_named(loc) ? strs_get(&f->model->strs, loc->name) : NULL;
}

/* Others than libc make the call by its function syscall(): then it is their file. */
static struct look_names
names_of(struct feed *f, const struct look_frames *l, struct space *space, int pid)
{
	struct look_names n = { .len = 0 };
	uint32_t home = 0;

	for (size_t i = 0; i < l->len && n.len < LOCK_CALL_FRAMES; i++) {
		struct code_at at = feed_place_user(f, space, pid, l->addrs[i]);
		bool is_call = i == 1 && n.names[0] != NULL &&
			       strncmp(n.names[0], "syscall", strlen("syscall")) == 0;

		if (i == 0 || is_call)
			home = at.dso;
		if (at.dso != home)
			break;
		n.names[n.len++] = name_at(f, &at);
		if (locations_symbols(f->locations, at.dso)->state == SYMBOLS_ASKED)
			n.is_awaited = true;
	}
	return n;
}

struct feed_wait
feed_wait_of(struct feed *f, const struct record *rec, struct space *space, int pid)
{
	struct feed_wait w = { record_look_kind(&rec->sample), LOCK_CALL_UNKNOWN, false };
	struct look_frames l;
	struct look_names n;

	if (space == NULL || !is_in_futex(&rec->sample))
		return w;
	l = frames_of(f, rec);
	n = names_of(f, &l, space, pid);
	w.call = lock_call_find(n.names, n.len, w.kind);
	w.kind = lock_call_kind(w.call, w.kind);
	w.is_nameless = n.is_awaited && w.call == LOCK_CALL_UNKNOWN;
	return w;
}

struct code_at
feed_place_wait(const struct feed_wait *w)
{
	return (struct code_at){ LOCATION_WAITING + w->kind, DSO_ID_WAITING, w->kind };
}

/* The length of a lock's text but for who holds it. */
static size_t
without_holder(struct bytes file)
{
	const uint8_t *by = memmem(file.data, file.len, RECORD_LOOK_HELD_BY,
				   strlen(RECORD_LOOK_HELD_BY));

	return by != NULL ? (size_t)(by - file.data) : file.len;
}

/* What the looker has read is right if it took the lock for what it is. */
static void
put_lock(struct buf *b, const struct feed_wait *w, const struct record_sample *s)
{
	const struct lock_call_def *def = &lock_call_defs[w->call];
	struct bytes file = record_look_file(s);
	size_t len = strlen(def->word);
	uint64_t args[RECORD_LOOK_ARGS] = { 0 };

	record_look_call(s, args);
	if (w->is_nameless && file.len > 0) {
		buf_add(b, file.data, without_holder(file));
		return;
	}
	if (def->has_owner && file.len > len && memcmp(file.data, def->word, len) == 0)
		buf_add(b, file.data, file.len);
	else
		buf_addf(b, "%s 0x%" PRIx64, def->word,
			 wait_lock_address(w->call == LOCK_CALL_RWLOCK ? WAIT_LOCK_RWLOCK
								       : WAIT_LOCK_MUTEX, args));
}

uint64_t
feed_trusted_lock(const struct feed_wait *w, const struct record_sample *s)
{
	uint64_t args[RECORD_LOOK_ARGS];

	if (!lock_call_defs[w->call].has_owner || record_look_call(s, args) != SYS_futex)
		return 0;
	return args[0];
}

void
feed_put_wait(struct buf *b, const struct feed_wait *w, const struct record_sample *s)
{
	uint64_t args[RECORD_LOOK_ARGS];

	if (wait_kind_could_run(w->kind))
		return;
	if (w->kind == WAIT_LOCK)
		put_lock(b, w, s);
	else if (w->call == LOCK_CALL_CONDITION && record_look_call(s, args) == SYS_futex)
		buf_addf(b, RECORD_LOOK_CONDITION "%" PRIx64, args[0]);
	else if (!is_in_futex(s))
		buf_add(b, record_look_file(s).data, record_look_file(s).len);
}

uint32_t
feed_wait_at(struct feed *f, const struct record *rec, struct space *space, int pid)
{
	struct look_frames l = frames_of(f, rec);
	struct code_at first, at;

	if (space == NULL || l.len == 0)
		return 0;
	first = at = feed_place_user(f, space, pid, l.addrs[0]);
	for (size_t i = 1; i < l.len && at.dso == first.dso; i++)
		at = feed_place_user(f, space, pid, l.addrs[i]);
	/* All of it is one file: who made the call. */
	if (at.dso == first.dso && l.len > 1)
		at = feed_place_user(f, space, pid, l.addrs[1]);
	return locations_resolve(f->locations, at.location);
}
