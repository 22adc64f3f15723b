/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/place/place_search.h"

#include "base/text.h"
#include "event/site.h"

#include <ctype.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SITES_MAX = 256, CODE_LEN = sizeof(long), DATA_LEN = 4 };

/* A file that may hold it. */
struct file {
	char *path;
	int pid; /* 0: named by the user */
	uint64_t start, end, pgoff, ino;
	uint32_t maj, min;
	uint64_t far; /* from the dynamic linker: see order_as_loaded() */
	bool is_named; /* known by its path alone: pid tells whose it is to be */
	bool has_it;
};

struct place_search {
	struct event ev;
	struct file *files;
	size_t count, cap, next;
	bool asks_kernel;  /* its answer is the next */
	bool asked_kernel, has_processes;
	bool wants_arguments, asks_arguments; /* its answer is the next */
	size_t found_file; /* the first that has it */
	bool is_refused;
	struct err err; /* the most telling answer of a file; is_refused: what ends the search */
	size_t err_file;
};

static bool
is_kernel(const struct event *ev)
{
	return ev->place == EVENT_PLACE_KPROBE || ev->place == EVENT_PLACE_KRETPROBE;
}

static bool
is_data(const struct event *ev)
{
	return ev->place == EVENT_PLACE_DATA;
}

/* Where no process has such a variable, or function to be watched, the kernel may. */
static bool
may_be_kernels(const struct place_search *s)
{
	bool was_looked_for = s->count > 0 || !s->has_processes;
	bool has_none = s->err.code == ERR_NONE || s->err.code == ERR_GONE;

	return is_kernel(&s->ev) ||
	       (is_data(&s->ev) && s->ev.site_count == 0 && !s->ev.exclude_kernel &&
		was_looked_for && has_none);
}

static bool
is_glob(const struct event *ev)
{
	return ev->symbol != NULL && strchr(ev->symbol, '*') != NULL;
}

/* "libc.so.6": as processes map it, or where such libraries are. */
static bool
is_library(const struct event *ev)
{
	return ev->path != NULL && strchr(ev->path, '/') == NULL;
}

bool
place_search_wants_maps(const struct place_search *s)
{
	return !is_kernel(&s->ev) && (s->ev.path == NULL || is_library(&s->ev));
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Whether the event may be in the file at @path, as it is named. */
static bool
may_be_in(const struct event *ev, const char *path)
{
	return !is_library(ev) || strcmp(base_name(path), ev->path) == 0;
}

static struct file *
add_file(struct place_search *s, const char *path, int pid)
{
	vec_reserve(&s->files, &s->cap, s->count + 1, sizeof(*s->files));
	s->files[s->count] = (struct file){ .path = mem_strdup(path), .pid = pid };
	return &s->files[s->count++];
}

/* From this process's folder, as the user means it. */
static void
add_named_file(struct place_search *s, const char *path)
{
	struct buf b = { 0 };
	char *cwd = path[0] != '/' ? getcwd(NULL, 0) : NULL;

	if (cwd != NULL)
		buf_addf(&b, "%s/", cwd);
	buf_add_str(&b, path);
	add_file(s, b.data, 0);
	buf_release(&b);
	free(cwd);
}

struct place_search *
place_search_new(const struct event *ev)
{
	struct place_search *s = mem_calloc(1, sizeof(*s));

	event_copy(&s->ev, ev);
	event_sites_release(&s->ev);
	if (!is_kernel(ev) && ev->path != NULL && !is_library(ev))
		add_named_file(s, ev->path);
	return s;
}

void
place_search_free(struct place_search *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->count; i++)
		free(s->files[i].path);
	free(s->files);
	event_release(&s->ev);
	free(s);
}

static bool
is_same_file(const struct file *a, const struct file *b)
{
	return a->maj == b->maj && a->min == b->min && a->ino == b->ino &&
	       strcmp(a->path, b->path) == 0;
}

/* Several maps of one file are one file. */
static bool
has_map(const struct place_search *s, const struct file *f)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct file *o = &s->files[i];

		if (o->pid == f->pid &&
		    (o->is_named ? strcmp(o->path, f->path) == 0 : is_same_file(o, f)))
			return true;
	}
	return false;
}

void
place_search_add_file(struct place_search *s, int pid, const char *path)
{
	/* A variable has no address before its library is mapped. */
	if (!is_data(&s->ev) && may_be_in(&s->ev, path))
		add_file(s, path, pid)->is_named = true;
}

/* "ld-linux-x86-64.so.2", "ld-musl-aarch64.so.1", "ld64.so.1", "ld-2.31.so". */
static bool
is_linker(const char *path)
{
	const char *name = base_name(path);

	return strncmp(name, "ld", 2) == 0 && strchr("-.6", name[2]) != NULL && strstr(name, ".so") != NULL;
}

static int
compare_far(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return x->far < y->far ? -1 : x->far > y->far;
}

/*
 * The program itself has the lowest address.  Libraries are mapped one beside the other, away from the
 * dynamic linker, in the order in which it looks for a symbol (ld.so(8)): malloc() is that of a library
 * that was preloaded, not libc's.
 */
static void
order_as_loaded(struct file *files, size_t count)
{
	uint64_t at = 0;

	for (size_t i = 0; i < count; i++)
		if (is_linker(files[i].path))
			at = files[i].start;
	if (at == 0)
		return;
	for (size_t i = 0; i < count; i++)
		files[i].far = is_linker(files[i].path) ? UINT64_MAX
			       : i == 0 ? 0 : MAX(files[i].start, at) - MIN(files[i].start, at);
	qsort(files, count, sizeof(*files), compare_far);
}

void
place_search_add_maps(struct place_search *s, const struct proc_maps_msg *m)
{
	const size_t first = s->count;

	s->has_processes = true;
	if (m->error != 0 && s->err.code == ERR_NONE)
		err_set(&s->err, ERR_GONE, m->error, "cannot read what process %d maps", m->pid);
	for (size_t i = 0; i < m->count && m->error == 0; i++) {
		const struct proc_map *map = &m->maps[i];
		struct file f = { .path = m->names + map->name, .pid = m->pid, .start = map->start,
				  .end = map->end, .pgoff = map->pgoff, .ino = map->ino,
				  .maj = map->maj, .min = map->min };

		if (!(map->prot & PROT_EXEC) || f.path[0] != '/' || f.ino == 0 ||
		    !may_be_in(&s->ev, f.path) || has_map(s, &f))
			continue;
		f.path = add_file(s, f.path, f.pid)->path;
		s->files[s->count - 1] = f;
	}
	if (s->count > first)
		order_as_loaded(s->files + first, s->count - first);
}

/* A process's first file that has it is the one; a pattern may fit in several. */
static bool
is_found_for(const struct place_search *s, int pid)
{
	for (size_t i = 0; i < s->next && !is_glob(&s->ev); i++)
		if (s->files[i].pid == pid && s->files[i].has_it)
			return true;
	return false;
}

/* A probe is in the file, whoever maps it; an address is not. */
static const struct file *
asked_before(const struct place_search *s, const struct file *f)
{
	for (size_t i = 0; i < s->next && !is_data(&s->ev); i++)
		if (is_same_file(&s->files[i], f))
			return &s->files[i];
	return NULL;
}

static bool
next_file(struct place_search *s)
{
	for (; s->next < s->count; s->next++) {
		struct file *f = &s->files[s->next];
		const struct file *same;

		if (is_found_for(s, f->pid))
			continue;
		same = asked_before(s, f);
		if (same == NULL)
			return true;
		f->has_it = same->has_it;
	}
	return false;
}

static bool
next_is_kernel(struct place_search *s, struct symbol_places_ask *ask)
{
	ask->file.kind = SYMBOL_KERNEL;
	s->asks_kernel = !s->asked_kernel && may_be_kernels(s);
	return s->asks_kernel;
}

void
place_search_ask_arguments(struct place_search *s)
{
	s->wants_arguments = s->ev.place == EVENT_PLACE_UPROBE &&
			     (s->ev.symbol == NULL || s->ev.symbol_offset == 0);
}

static struct symbol_ask
file_of(const struct file *f)
{
	return (struct symbol_ask){ .kind = SYMBOL_ELF, .path = f->path,
				    .pid = f->is_named ? 0 : f->pid, .start = f->start,
				    .end = f->end, .maj = f->maj, .min = f->min, .ino = f->ino };
}

/* When all else was asked. */
static bool
next_is_arguments(struct place_search *s, struct symbol_places_ask *ask)
{
	s->asks_arguments = s->wants_arguments && s->ev.site_count == 1;
	s->wants_arguments = false;
	if (!s->asks_arguments)
		return false;
	*ask = (struct symbol_places_ask){ .offset = s->ev.sites[0].at, .arguments = true,
					   .pgoff = s->files[s->found_file].pgoff,
					   .file = file_of(&s->files[s->found_file]) };
	return true;
}

static bool
next_place(struct place_search *s, struct symbol_places_ask *ask)
{
	const struct file *f;

	*ask = (struct symbol_places_ask){ .pattern = s->ev.symbol };
	if (s->ev.symbol == NULL)
		ask->offset = s->ev.symbol_offset;
	ask->data = is_data(&s->ev) && s->ev.bp_type != HW_BREAKPOINT_X;
	if (is_kernel(&s->ev))
		return next_is_kernel(s, ask);
	/* Nobody has it yet: the symbol service knows where libraries are. */
	if (is_library(&s->ev) && s->count == 0)
		add_file(s, s->ev.path, 0);
	if (!next_file(s))
		return next_is_kernel(s, ask);
	f = &s->files[s->next];
	ask->pgoff = f->pgoff;
	ask->file = file_of(f);
	return true;
}

bool
place_search_next(struct place_search *s, struct symbol_places_ask *ask)
{
	return !s->is_refused && (next_place(s, ask) || next_is_arguments(s, ask));
}

static int
check_offset(struct place_search *s, const struct symbol_place *p)
{
	if (s->ev.symbol_offset == 0 || p->size == 0 || s->ev.symbol_offset < p->size)
		return 0;
	err_set(&s->err, ERR_USAGE, 0, "'%.100s' has only %llu bytes: +%llu is beyond it", p->name,
		(unsigned long long)p->size, (unsigned long long)s->ev.symbol_offset);
	return -1;
}

/* A function whose name others have, too, is probed by its address, if that is known. */
static bool
has_namesake(const struct symbol_places_msg *m, size_t i)
{
	for (size_t j = 0; j < m->count; j++)
		if (j != i && strcmp(m->places[i].name, m->places[j].name) == 0)
			return m->places[i].addr != 0;
	return false;
}

static void
take_kernel(struct place_search *s, const struct symbol_places_msg *m, size_t i)
{
	const struct symbol_place *p = &m->places[i];

	if (has_namesake(m, i))
		event_add_site(&s->ev, NULL, p->addr + s->ev.symbol_offset, 0);
	else
		event_add_site(&s->ev, p->name, s->ev.symbol_offset, 0);
}

/* What of the variable is watched, unless the user said it. */
static void
set_length(struct event *ev, uint64_t size)
{
	if (ev->bp_type == HW_BREAKPOINT_X)
		ev->config2 = CODE_LEN;
	else if (ev->config2 == 0)
		ev->config2 = size == 1 || size == 2 || size == 8 ? size : DATA_LEN;
}

/* @f NULL: the kernel's. */
static void
take_data(struct place_search *s, const struct symbol_places_msg *m, const struct file *f)
{
	const struct symbol_place *p = &m->places[0];

	if (m->count > 1) {
		err_set(&s->err, ERR_USAGE, 0, "%zu of that name ('%.100s') are in '%.100s'",
			m->count, p->name, f != NULL ? f->path : "the kernel");
		err_hint(&s->err, "name the one that is meant by its address: mem:ADDRESS");
		s->is_refused = true;
		return;
	}
	set_length(&s->ev, p->size);
	event_add_site(&s->ev, NULL, m->bias + p->addr + s->ev.symbol_offset,
		       f != NULL ? f->pid : 0);
}

/* An offset that stands alone is the place itself. */
static void
take_code(struct place_search *s, const struct symbol_places_msg *m, size_t i)
{
	uint64_t more = s->ev.symbol != NULL ? s->ev.symbol_offset : 0;

	if (s->ev.site_count == 0)
		s->found_file = s->next;
	event_add_site(&s->ev, m->path, m->places[i].offset + more, 0);
}

static void
take_place(struct place_search *s, const struct symbol_places_msg *m, size_t i)
{
	if (s->ev.site_count == SITES_MAX) {
		err_set(&s->err, ERR_LIMIT, 0, "'%.100s' fits more than %d places", s->ev.symbol,
			SITES_MAX);
		err_hint(&s->err, "name fewer of them: each is opened by itself");
		s->is_refused = true;
	} else if (is_kernel(&s->ev)) {
		take_kernel(s, m, i);
	} else if (!is_data(&s->ev)) {
		take_code(s, m, i);
	} else if (i == 0) {
		take_data(s, m, s->asks_kernel ? NULL : &s->files[s->next]);
	}
}

/* The program's own file is asked first: unless another one says more than that it is not there. */
static void
keep_error(struct place_search *s, const struct symbol_places_msg *m)
{
	s->is_refused = m->err.code == ERR_LIMIT;
	if (s->err.code != ERR_NONE && !s->is_refused &&
	    (s->err.code == m->err.code || m->err.code != ERR_UNSUPPORTED))
		return;
	s->err = m->err;
	s->err_file = s->next;
}

void
place_search_answer(struct place_search *s, const struct symbol_places_msg *m)
{
	if (s->asks_arguments) {
		s->asks_arguments = false;
		/* Where none comes nothing is known of them. */
		if (m->count > 0)
			s->ev.arguments = m->places[0].arguments;
		return;
	}
	/* Of a variable that the kernel has not either, processes say more. */
	if (m->count == 0 && (!s->asks_kernel || s->count == 0 || is_kernel(&s->ev)))
		keep_error(s, m);
	for (size_t i = 0; i < m->count && !s->is_refused; i++) {
		if (check_offset(s, &m->places[i]) < 0)
			s->is_refused = true;
		else
			take_place(s, m, i);
	}
	if (s->asks_kernel)
		s->asked_kernel = true;
	else
		s->files[s->next++].has_it = m->count > 0;
	s->asks_kernel = false;
}

static const char *
kind_of(const struct event *ev)
{
	const char *colon = strrchr(ev->symbol, ':');

	if (is_data(ev))
		return "variable";
	return colon != NULL && isdigit((unsigned char)colon[1]) ? "code of line" : "function";
}

/* Several files were looked into: what the first said is not the whole truth. */
static int
not_in_maps(const struct place_search *s, struct err *err)
{
	struct buf b = { 0 };

	text_add_ascii(&b, base_name(s->files[0].path));
	err_set(err, ERR_GONE, 0, "no %s '%.80s' in %.80s nor in any other mapped file",
		kind_of(&s->ev), s->ev.symbol, b.data);
	buf_release(&b);
	if (s->err.hint[0] != '\0' && s->err.code == ERR_GONE)
		return err_hint(err, "%s", s->err.hint);
	return is_data(&s->ev)
		? err_hint(err, "a library that is loaded later has no address yet: ptop -p PID then")
		: err_hint(err, "name the file: uprobe:/path/to/file:%.80s", s->ev.symbol);
}

/* Whose answer the error is, where the event does not say it. */
static void
add_file_name(const struct place_search *s, struct err *err)
{
	struct buf b = { 0 };

	if (!place_search_wants_maps(s) || s->err_file >= s->count)
		return;
	text_add_ascii(&b, base_name(s->files[s->err_file].path));
	err_wrap(err, "%.80s", b.data);
	buf_release(&b);
}

const struct event *
place_search_result(const struct place_search *s, struct err *err)
{
	if (s->ev.site_count > 0 && !s->is_refused)
		return &s->ev;
	if (is_data(&s->ev) && s->asked_kernel && !s->has_processes && !s->is_refused) {
		err_set(err, s->err.code, 0, "%s, and there is no process to look into",
			s->err.text);
		err_hint(err, "name a process (-p) or a command: each has its own addresses%s%s",
			 *s->err.hint != '\0' ? "; " : "", s->err.hint);
	} else if (s->err.code == ERR_NONE && !s->has_processes) {
		err_set(err, ERR_USAGE, 0, "it can be anywhere, and there is no process to look into");
		err_hint(err, is_data(&s->ev)
			? "name a process (-p) or a command: each has its own addresses"
			: "name the file: uprobe:/path/to/file:%.80s, or a process (-p)", s->ev.symbol);
	} else if (s->err.code == ERR_NONE) {
		err_set(err, ERR_GONE, 0, "no file of the processes can be read");
	} else if (s->count > 1 && !s->is_refused && s->err.code == ERR_GONE) {
		not_in_maps(s, err);
	} else {
		*err = s->err;
		add_file_name(s, err);
	}
	err_wrap(err, "event '%.100s'", s->ev.name);
	return NULL;
}
