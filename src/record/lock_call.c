/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/lock_call.h"

#include <string.h>

#define NO_WORD " has no owner word"

const struct lock_call_def lock_call_defs[LOCK_CALLS] = {
	[LOCK_CALL_UNKNOWN] = { "futex", false, "its stack names no lock that has an owner word" },
	[LOCK_CALL_MUTEX] = { "mutex", true, "it changed hands while it was looked at" },
	[LOCK_CALL_RWLOCK] = { "rwlock", true, "readers hold it, or it changed hands" },
	[LOCK_CALL_MALLOC] = { "malloc", false, "malloc's own lock" NO_WORD },
	[LOCK_CALL_STDIO] = { "stdio", false, "a stdio lock" NO_WORD },
	[LOCK_CALL_LIBC] = { "libc", false, "libc's own lock" NO_WORD },
	[LOCK_CALL_RUST] = { "rust", false, "a lock of Rust" NO_WORD },
	[LOCK_CALL_GO] = { "go", false, "a lock of the Go runtime" NO_WORD },
	[LOCK_CALL_CONDITION] = { NULL, false, "" },
	[LOCK_CALL_SEMAPHORE] = { NULL, false, "" },
	[LOCK_CALL_OTHER] = { NULL, false, "" },
};

/* How a name is looked for. */
enum match { IS, BEGINS, HAS };

/*
 * Names without what libc puts before and behind them: "__GI___lll_lock_wait" is lll_lock_wait.
 * The first that fits counts.  What waits for libc's lll_lock is said by who called that, if it is
 * somebody of this table.
 */
static const struct {
	enum match match;
	const char *name;
	enum lock_call call;
	bool is_general; /* who called it may know better */
} names_of[] = {
	{ BEGINS, "lll_lock_wait_private", LOCK_CALL_LIBC, true },
	{ BEGINS, "lll_", LOCK_CALL_MUTEX, true },
	{ BEGINS, "pthread_mutex_lock", LOCK_CALL_MUTEX },
	{ BEGINS, "pthread_mutex_cond_lock", LOCK_CALL_MUTEX },
	{ BEGINS, "pthread_mutex_timedlock", LOCK_CALL_MUTEX }, /* in musl of every lock */
	{ BEGINS, "pthread_mutex_clocklock", LOCK_CALL_MUTEX },
	{ BEGINS, "mtx_", LOCK_CALL_MUTEX },
	{ BEGINS, "pthread_rwlock_", LOCK_CALL_RWLOCK },
	{ BEGINS, "pthread_cond_", LOCK_CALL_CONDITION },
	{ BEGINS, "cnd_", LOCK_CALL_CONDITION },
	{ BEGINS, "pthread_barrier_", LOCK_CALL_OTHER },
	{ BEGINS, "pthread_join", LOCK_CALL_OTHER },
	{ BEGINS, "pthread_timedjoin", LOCK_CALL_OTHER },
	{ BEGINS, "pthread_clockjoin", LOCK_CALL_OTHER },
	{ BEGINS, "pthread_once", LOCK_CALL_OTHER },
	{ BEGINS, "sem_", LOCK_CALL_SEMAPHORE },
	{ BEGINS, "new_sem_", LOCK_CALL_SEMAPHORE },
	{ BEGINS, "cxa_guard_acquire", LOCK_CALL_OTHER },
	{ IS, "malloc", LOCK_CALL_MALLOC },
	{ IS, "calloc", LOCK_CALL_MALLOC },
	{ IS, "realloc", LOCK_CALL_MALLOC },
	{ IS, "free", LOCK_CALL_MALLOC },
	{ IS, "cfree", LOCK_CALL_MALLOC },
	{ IS, "memalign", LOCK_CALL_MALLOC },
	{ IS, "posix_memalign", LOCK_CALL_MALLOC },
	{ IS, "aligned_alloc", LOCK_CALL_MALLOC },
	{ IS, "valloc", LOCK_CALL_MALLOC },
	{ IS, "pvalloc", LOCK_CALL_MALLOC },
	{ BEGINS, "libc_malloc", LOCK_CALL_MALLOC },
	{ BEGINS, "libc_calloc", LOCK_CALL_MALLOC },
	{ BEGINS, "libc_realloc", LOCK_CALL_MALLOC },
	{ BEGINS, "libc_free", LOCK_CALL_MALLOC },
	{ BEGINS, "int_malloc", LOCK_CALL_MALLOC },
	{ BEGINS, "int_free", LOCK_CALL_MALLOC },
	{ BEGINS, "int_realloc", LOCK_CALL_MALLOC },
	{ BEGINS, "int_memalign", LOCK_CALL_MALLOC },
	{ BEGINS, "arena_get", LOCK_CALL_MALLOC },
	{ IS, "tcache_init", LOCK_CALL_MALLOC },
	{ IS, "malloc_trim", LOCK_CALL_MALLOC },
	{ BEGINS, "mallinfo", LOCK_CALL_MALLOC },
	{ BEGINS, "IO_", LOCK_CALL_STDIO },
	{ BEGINS, "flockfile", LOCK_CALL_STDIO },
	{ BEGINS, "lockfile", LOCK_CALL_STDIO },
	{ BEGINS, "puts", LOCK_CALL_STDIO },
	{ BEGINS, "fputs", LOCK_CALL_STDIO },
	{ BEGINS, "putc", LOCK_CALL_STDIO },
	{ BEGINS, "fputc", LOCK_CALL_STDIO },
	{ BEGINS, "getc", LOCK_CALL_STDIO },
	{ BEGINS, "fgetc", LOCK_CALL_STDIO },
	{ BEGINS, "fgets", LOCK_CALL_STDIO },
	{ BEGINS, "getdelim", LOCK_CALL_STDIO },
	{ BEGINS, "fwrite", LOCK_CALL_STDIO },
	{ BEGINS, "fread", LOCK_CALL_STDIO },
	{ BEGINS, "fflush", LOCK_CALL_STDIO },
	{ BEGINS, "fclose", LOCK_CALL_STDIO },
	{ BEGINS, "vfprintf", LOCK_CALL_STDIO },
	{ BEGINS, "vfwprintf", LOCK_CALL_STDIO },
	{ BEGINS, "fprintf", LOCK_CALL_STDIO },
	{ BEGINS, "printf", LOCK_CALL_STDIO },
	{ BEGINS, "vprintf", LOCK_CALL_STDIO },
	/* Demangled, and not yet. */
	{ HAS, "mutex::futex::Mutex", LOCK_CALL_RUST },
	{ HAS, "mutex5futex5Mutex", LOCK_CALL_RUST },
	{ HAS, "futex_mutex::Mutex", LOCK_CALL_RUST },
	{ HAS, "11futex_mutex5Mutex", LOCK_CALL_RUST },
	{ HAS, "rwlock::futex::RwLock", LOCK_CALL_RUST },
	{ HAS, "rwlock5futex6RwLock", LOCK_CALL_RUST },
	{ HAS, "futex_rwlock::RwLock", LOCK_CALL_RUST },
	{ HAS, "12futex_rwlock6RwLock", LOCK_CALL_RUST },
	{ HAS, "condvar::futex::Condvar", LOCK_CALL_CONDITION },
	{ HAS, "condvar5futex7Condvar", LOCK_CALL_CONDITION },
	{ HAS, "futex_condvar::Condvar", LOCK_CALL_CONDITION },
	{ HAS, "thread_parking::futex", LOCK_CALL_OTHER },
	{ HAS, "14thread_parking5futex", LOCK_CALL_OTHER },
	{ HAS, "raw_mutex::RawMutex", LOCK_CALL_RUST },
	{ HAS, "raw_rwlock::RawRwLock", LOCK_CALL_RUST },
	{ BEGINS, "runtime.lock2", LOCK_CALL_GO },
	{ IS, "runtime.lock", LOCK_CALL_GO },
	{ BEGINS, "runtime.notesleep", LOCK_CALL_OTHER },
	{ BEGINS, "runtime.notetsleep", LOCK_CALL_OTHER },
};

/* "__GI___pthread_mutex_lock" begins, for whoever looks for it, with "pthread". */
static const char *
without_prefix(const char *name)
{
	static const char internal[] = "GI_";

	name += strspn(name, "_");
	if (strncmp(name, internal, sizeof(internal) - 1) == 0)
		name += strspn(name + sizeof(internal) - 1, "_") + sizeof(internal) - 1;
	return name;
}

/* Behind it may be "@@GLIBC_2.34", ".part.0". */
static bool
fits(enum match match, const char *want, const char *name)
{
	const size_t len = strlen(want);
	const char *bare = without_prefix(name);

	switch (match) {
	case IS:
		return strncmp(bare, want, len) == 0 && strchr("@.", bare[len]) != NULL;
	case BEGINS:
		return strncmp(bare, want, len) == 0;
	case HAS:
		return strstr(name, want) != NULL;
	}
	return false;
}

/* The row of a function's name; ARRAY_SIZE(names_of): there is none. */
static size_t
row_of(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(names_of) && !fits(names_of[i].match, names_of[i].name, name))
		i++;
	return i;
}

/*
 * A condition variable takes its mutex again when its own wait is over.  It has a lock of its own,
 * too: for that it waits itself, with a word that may be any.
 */
static enum lock_call
in_condition(size_t frame, enum wait_kind by_call)
{
	return by_call == WAIT_LOCK && frame > 0 ? LOCK_CALL_MUTEX : LOCK_CALL_CONDITION;
}

enum lock_call
lock_call_find(const char *const names[], size_t len, enum wait_kind by_call)
{
	enum lock_call general = LOCK_CALL_UNKNOWN;

	for (size_t i = 0; i < len; i++) {
		size_t row = names[i] != NULL ? row_of(names[i]) : ARRAY_SIZE(names_of);

		if (row == ARRAY_SIZE(names_of))
			continue;
		if (names_of[row].is_general)
			general = names_of[row].call;
		else if (names_of[row].call == LOCK_CALL_CONDITION)
			return in_condition(i, by_call);
		else
			return names_of[row].call;
	}
	return general;
}

enum wait_kind
lock_call_kind(enum lock_call call, enum wait_kind by_call)
{
	if (call == LOCK_CALL_UNKNOWN)
		return by_call;
	if (call == LOCK_CALL_CONDITION)
		return WAIT_CONDITION;
	if (call == LOCK_CALL_SEMAPHORE)
		return WAIT_SEMAPHORE;
	if (call == LOCK_CALL_OTHER)
		return WAIT_FUTEX;
	return WAIT_LOCK;
}

enum lock_call
lock_call_of(const char *text)
{
	for (enum lock_call c = 0; c < LOCK_CALLS; c++) {
		const char *word = lock_call_defs[c].word;

		if (word != NULL && strncmp(text, word, strlen(word)) == 0 &&
		    strncmp(text + strlen(word), " 0x", 3) == 0)
			return c;
	}
	return LOCK_CALLS;
}
