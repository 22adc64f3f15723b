/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/remote.h"
#include "symbol/elf/lines.h"
#include "symbol/image/image.h"
#include "symbol/parser/parser.h"
#include "symbol/parser/parser_listing.h"
#include "symbol/parser/wire.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LOOK_MS = 50,          /* whether ptop wants to end */
	WALL_FACTOR = 3,       /* waiting takes no CPU time, nor does a process that is stopped */
	WANTS_MAX = 64,        /* by one question */
	FAILURES_MAX = 16,     /* in a row; then it rests */
	REST_S = 60,
	BAD_MAX = 64,          /* dsos whose lines are not asked for again */
};

struct remote {
	struct host *host;
	const struct debug_finder *finder;
	const atomic_bool *stop;
	struct wire wire; /* fd -1: no process */
	uint64_t deadline_ns;
	bool is_late;
	unsigned failures;
	uint64_t rest_until_ns;
	uint32_t lines[WIRE_LINES_MAX]; /* dsos whose lines the process has open */
	unsigned lines_len;
	uint32_t code_dso; /* whose file it has open for its code, 0: none */
	bool lists_code; /* the process is one that can, or the next will be */
	uint32_t bad[BAD_MAX]; /* dsos whose lines ended a process, the last of them */
	unsigned bad_count;
};

static void
set_deadline(struct remote *r)
{
	r->deadline_ns = clock_mono_ns() +
			 host_file_seconds(r->host) * WALL_FACTOR * NSEC_PER_SEC;
}

static bool
wait_for(void *arg, int fd, short events)
{
	struct remote *r = arg;
	struct pollfd p = { .fd = fd, .events = events };

	while (!atomic_load(r->stop)) {
		int n = poll(&p, 1, LOOK_MS);

		if (n > 0)
			return true;
		r->is_late = n == 0 && clock_mono_ns() >= r->deadline_ns;
		if (r->is_late || (n < 0 && errno != EINTR))
			return false;
	}
	return false;
}

struct remote *
remote_new(struct host *host, const struct debug_finder *finder, const atomic_bool *stop)
{
	struct remote *r = mem_calloc(1, sizeof(*r));

	*r = (struct remote){ .host = host, .finder = finder, .stop = stop,
			      .wire = { .fd = -1, .wait = wait_for, .arg = r } };
	return r;
}

/* -1: there was none. */
static int
end(struct remote *r)
{
	if (r->wire.fd < 0)
		return -1;
	close(r->wire.fd);
	r->wire.fd = -1;
	r->lines_len = 0;
	r->code_dso = 0;
	return host_end(r->host);
}

void
remote_free(struct remote *r)
{
	if (r == NULL)
		return;
	end(r);
	free(r);
}

bool
remote_is_running(const struct remote *r)
{
	return r->wire.fd >= 0;
}

void
remote_rest(struct remote *r)
{
	end(r);
	r->lists_code = false;
}

static int
start(struct remote *r, struct err *err)
{
	if (r->rest_until_ns > clock_mono_ns()) {
		err_set(err, ERR_BUSY, 0, "%u symbol files in a row ended their parser",
			(unsigned)FAILURES_MAX);
		return err_hint(err, "none is looked into for a minute");
	}
	if (r->wire.fd < 0)
		r->wire.fd = host_start(r->host, r->lists_code ? HOST_DISASSEMBLER : HOST_PARSER,
					 err);
	return r->wire.fd < 0 ? -1 : 0;
}

/* What made the process end, as far as its end tells. */
static void
explain(const struct remote *r, int status, struct err *err)
{
	if (r->is_late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
		err_set(err, ERR_LIMIT, 0, "the symbol file made its parser hang: %u s were not enough",
			host_file_seconds(r->host));
	else if (WIFEXITED(status) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		err_set(err, ERR_LIMIT, 0, "the symbol file made its parser run out of memory");
	else
		err_set(err, ERR_FORMAT, 0, "the symbol file made its parser crash: signal %d",
			WTERMSIG(status));
	err_hint(err, "the file is broken or hostile: install it again from where it came");
}

/* Nothing that a file does stops it. */
static void
explain_stop(struct err *err)
{
	err_set(err, ERR_GONE, 0, "the process that parses symbols was stopped");
	err_hint(err, "start ptop again; other processes of its user, which is 65534 if ptop is "
		      "root's, may have stopped it");
}

static int
fail(struct remote *r, struct err *err)
{
	bool was_stopped = r->is_late && host_parser_is_stopped(r->host);
	int status = end(r);

	if (atomic_load(r->stop))
		return err_set(err, ERR_GONE, 0, "ptop ends");
	if (was_stopped)
		explain_stop(err);
	else if (status == -1 && !r->is_late)
		err_set(err, ERR_GONE, 0, "the process that parses symbols was ended");
	else
		explain(r, status, err);
	r->is_late = false;
	if (++r->failures < FAILURES_MAX)
		return -1;
	r->failures = 0;
	r->rest_until_ns = clock_mono_ns() + REST_S * NSEC_PER_SEC;
	return -1;
}

/* An answer that makes no sense: of whoever has taken over the process. */
static int
refuse(struct remote *r, struct err *err)
{
	end(r);
	err_set(err, ERR_FORMAT, 0, "the symbol file made its parser send broken answers");
	return err_hint(err, "the file is broken or hostile: install it again from where it came");
}

static int
give_wanted(struct remote *r, const struct wire_msg *m)
{
	struct reader reader = wire_reader(m);
	struct debug_ask ask;
	int fd, res;

	if (!wire_get_ask(&reader, &ask))
		return -1;
	fd = r->finder->find(r->finder, &ask);
	set_deadline(r);
	res = wire_send(&r->wire, WIRE_HAVE, NULL, fd);
	if (fd >= 0)
		close(fd);
	return res;
}

/* Fills @answer, which the caller releases also after -1. */
static int
ask(struct remote *r, enum wire_type what, const struct buf *body, int fd,
    struct wire_msg *answer, struct err *err)
{
	unsigned wants = 0;

	*answer = (struct wire_msg){ .fd = -1 };
	if (start(r, err) < 0)
		return -1;
	set_deadline(r);
	if (wire_send(&r->wire, what, body, fd) < 0)
		return fail(r, err);
	while (wire_recv(&r->wire, answer) == 0) {
		if (answer->type == WIRE_DONE) {
			r->failures = 0;
			return 0;
		}
		if (answer->type != WIRE_WANT || ++wants > WANTS_MAX || give_wanted(r, answer) < 0)
			break;
		wire_msg_release(answer);
	}
	return fail(r, err);
}

/* A file of another's, even one that only its owner may change, is no image. */
static bool
is_sealed(int fd)
{
	const int want = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & want) == want;
}

static bool
get_about(struct reader *r, struct parser_file *about, struct err *err)
{
	const uint8_t *id;
	uint32_t len;

	wire_get_err(r, err);
	about->is_elf = reader_u32(r) != 0;
	len = reader_u32(r);
	id = reader_bytes(r, sizeof(about->build_id));
	if (r->failed || len > sizeof(about->build_id))
		return false;
	about->build_id_len = (uint8_t)len;
	memcpy(about->build_id, id, sizeof(about->build_id));
	return true;
}

/* What the parser makes of a file, as a file in memory. */
static int
ask_made(struct remote *r, enum wire_type what, int fd, struct parser_file *about, struct err *err)
{
	struct buf body = { 0 };
	struct wire_msg m;
	int made = -1;

	wire_put_u32(&body, about->is_vmlinux);
	wire_put_u64(&body, about->text);
	if (ask(r, what, &body, fd, &m, err) == 0) {
		struct reader reader = wire_reader(&m);

		if (!get_about(&reader, about, err) || (m.fd >= 0 && !is_sealed(m.fd)) ||
		    (m.fd < 0 && err->code == ERR_NONE)) {
			refuse(r, err);
		} else {
			made = m.fd;
			m.fd = -1;
		}
	}
	wire_msg_release(&m);
	buf_release(&body);
	return made;
}

int
remote_image(struct remote *r, int fd, struct parser_file *about, struct err *err)
{
	return ask_made(r, WIRE_IMAGE, fd, about, err);
}

int
remote_rules(struct remote *r, int fd, struct parser_file *about, struct err *err)
{
	return ask_made(r, WIRE_RULES, fd, about, err);
}

static void
read_names(struct symbol_names_msg *m, struct reader *r)
{
	for (uint32_t i = 0; i < m->count && !r->failed; i++) {
		const char *name;

		if (!image_is_mangled(m->names[i].name))
			continue;
		name = reader_string(r);
		if (r->failed || *name == '\0')
			continue;
		free(m->names[i].name);
		m->names[i].name = mem_strndup(name, strnlen(name, WIRE_STRING_MAX));
	}
}

void
remote_names(struct remote *r, struct symbol_names_msg *m)
{
	struct buf body = { 0 };
	struct wire_msg answer;
	struct err err;

	for (uint32_t i = 0; i < m->count; i++)
		if (image_is_mangled(m->names[i].name))
			wire_put_string(&body, m->names[i].name);
	if (body.len == 0)
		return;
	if (ask(r, WIRE_NAMES, &body, -1, &answer, &err) == 0) {
		struct reader reader = wire_reader(&answer);

		read_names(m, &reader);
	}
	wire_msg_release(&answer);
	buf_release(&body);
}

bool
remote_has_lines(const struct remote *r, uint32_t dso)
{
	for (unsigned i = 0; i < r->lines_len; i++)
		if (r->lines[i] == dso)
			return true;
	return false;
}

bool
remote_is_bad(const struct remote *r, uint32_t dso)
{
	for (unsigned i = 0; i < MIN(r->bad_count, BAD_MAX); i++)
		if (r->bad[i] == dso)
			return true;
	return false;
}

static void
read_open(struct remote *r, struct reader *reader)
{
	uint32_t len = reader_u32(reader);

	r->lines_len = MIN(len, WIRE_LINES_MAX);
	for (unsigned i = 0; i < r->lines_len; i++)
		r->lines[i] = reader_u32(reader);
}

static void
read_lines(struct remote *r, struct reader *reader, struct symbol_lines_msg *m)
{
	const char *before = "";

	read_open(r, reader);
	for (uint32_t i = 0; i < m->count; i++) {
		const char *line = reader_string(reader), *path = reader_string(reader);

		if (*path != '\0')
			before = path;
		if (*line == '\0')
			continue;
		m->lines[i].line = mem_strdup(line);
		m->lines[i].path = mem_strdup(before);
	}
}

void
remote_lines(struct remote *r, int fd, struct symbol_lines_msg *m)
{
	struct buf body = { 0 };
	struct wire_msg answer;
	struct err err;

	wire_put_u32(&body, m->dso);
	for (uint32_t i = 0; i < m->count; i++)
		wire_put_u64(&body, m->lines[i].addr);
	if (ask(r, WIRE_LINES, &body, fd, &answer, &err) == 0) {
		struct reader reader = wire_reader(&answer);

		read_lines(r, &reader, m);
	} else if (!atomic_load(r->stop)) {
		r->bad[r->bad_count++ % BAD_MAX] = m->dso;
	}
	wire_msg_release(&answer);
	buf_release(&body);
}

/* The names of one address, all that follow each other in the message; false: nonsense. */
static bool
read_inlined(struct reader *reader, struct symbol_line *line)
{
	uint32_t count = reader_u32(reader);
	struct buf names = { 0 };

	if (count > INLINES_MAX)
		return false;
	for (uint32_t i = 0; i < count && !reader->failed; i++) {
		const char *name = reader_string(reader);

		if (!reader->failed)
			buf_add(&names, name, strlen(name) + 1);
	}
	line->inlined = names.data;
	line->inlined_count = reader->failed ? 0 : count;
	return !reader->failed;
}

void
remote_inlines(struct remote *r, int fd, struct symbol_lines_msg *m, bool demangles)
{
	struct buf body = { 0 };
	struct wire_msg answer;
	struct err err;

	wire_put_u32(&body, m->dso);
	wire_put_u32(&body, demangles);
	for (uint32_t i = 0; i < m->count; i++)
		wire_put_u64(&body, m->lines[i].addr);
	if (ask(r, WIRE_INLINES, &body, fd, &answer, &err) == 0) {
		struct reader reader = wire_reader(&answer);
		uint32_t done = 0;

		read_open(r, &reader);
		while (done < m->count && read_inlined(&reader, &m->lines[done]))
			done++;
		m->is_lost = done < m->count;
	} else if (!atomic_load(r->stop)) {
		r->bad[r->bad_count++ % BAD_MAX] = m->dso;
	}
	wire_msg_release(&answer);
	buf_release(&body);
}

void
remote_places(struct remote *r, struct job *job)
{
	struct symbol_places_msg *m = job->places->answer;
	struct buf body = { 0 };
	struct wire_msg answer;

	parser_places_put(job, &body);
	if (ask(r, WIRE_PLACES, &body, job->fd, &answer, &m->err) == 0) {
		struct reader reader = wire_reader(&answer);

		if (!parser_places_get(&reader, m))
			refuse(r, &m->err);
	}
	wire_msg_release(&answer);
	buf_release(&body);
}

void
remote_listing(struct remote *r, struct job *job)
{
	struct listing *l = job->listing->listing;
	struct buf body = { 0 };
	struct err err = { 0 };
	struct wire_msg answer;

	if (!r->lists_code)
		end(r);
	r->lists_code = true;
	parser_listing_put(job, &body);
	if (ask(r, WIRE_LISTING, &body, job->fd, &answer, &err) == 0) {
		struct reader reader = wire_reader(&answer);

		if (job->fd >= 0)
			r->code_dso = job->ask.dso;
		if (!parser_listing_get(&reader, l, &job->listing->in_file))
			refuse(r, &err);
	}
	if (err.code != ERR_NONE) {
		l->count = 0;
		l->why = arena_strdup(&l->arena, err.text);
	}
	job_close(job);
	wire_msg_release(&answer);
	buf_release(&body);
}

static void
ask_listing_lines(struct remote *r, struct job *job, const struct buf *body,
		  struct listing_lines *lines)
{
	struct err err = { 0 };
	struct wire_msg answer;

	if (ask(r, WIRE_LISTING_LINES, body, job->fd, &answer, &err) == 0) {
		struct reader reader = wire_reader(&answer);

		read_open(r, &reader);
		if (!parser_lines_get(&reader, job->listing->listing, lines))
			refuse(r, &err);
	} else if (!atomic_load(r->stop)) {
		r->bad[r->bad_count++ % BAD_MAX] = job->ask.dso;
	}
	if (err.code != ERR_NONE) {
		lines->count = 0;
		lines->why = arena_strdup(&lines->arena, err.text);
		lines->remedy = arena_strdup(&lines->arena, err.hint);
	}
	wire_msg_release(&answer);
}

bool
remote_listing_lines(struct remote *r, struct job *job, struct listing_lines *lines)
{
	uint32_t dso = job->ask.dso;
	struct buf body = { 0 };

	if (remote_is_bad(r, dso)) {
		lines->why = "the debug data made its parser end";
		return true;
	}
	if (job->fd < 0 && !remote_has_lines(r, dso) && (r->wire.fd < 0 || r->code_dso != dso))
		return false;
	wire_put_u32(&body, dso);
	parser_lines_put(job->listing->listing, job->listing->in_file, &body);
	ask_listing_lines(r, job, &body, lines);
	job_close(job);
	buf_release(&body);
	return true;
}

void
remote_source(struct remote *r, struct job *job, struct listing_source *source)
{
	struct buf body = { 0 };
	struct err err = { 0 };
	struct wire_msg answer;

	parser_source_put(&job->source->ask, &body);
	if (ask(r, WIRE_SOURCE, &body, job->fd, &answer, &err) == 0) {
		struct reader reader = wire_reader(&answer);

		if (!parser_source_get(&reader, source))
			refuse(r, &err);
	}
	if (err.code != ERR_NONE) {
		source->count = 0;
		source->why = arena_strdup(&source->arena, err.text);
	}
	wire_msg_release(&answer);
	buf_release(&body);
}

void
remote_container(struct remote *r, struct job *job)
{
	struct symbol_container_msg *m = job->container->answer;
	struct buf body = { 0 };
	struct err err = { 0 };
	struct wire_msg answer;

	wire_put_string(&body, job->container->id);
	if (ask(r, WIRE_CONTAINER, &body, job->fd, &answer, &err) == 0) {
		struct reader reader = wire_reader(&answer);
		const char *name = reader_string(&reader), *pod = reader_string(&reader);

		if (reader.failed) {
			refuse(r, &err);
		} else {
			free(m->name);
			free(m->pod);
			m->name = mem_strdup(name);
			m->pod = mem_strdup(pod);
		}
	}
	wire_msg_release(&answer);
	buf_release(&body);
}
