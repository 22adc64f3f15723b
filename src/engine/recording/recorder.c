/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/recording/recorder.h"

#include <config.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"
#include "datafile/datafile.h"
#include "datafile/writer.h"
#include "event/pair.h"
#include "event/tracepoint.h"
#include "record/encode.h"

enum { WAITING_MAX = 16 << 20 }; /* bytes of chunks that wait for the disk */

enum request_type {
	REQ_EVENT, REQ_GROUP, REQ_CHUNK, REQ_RECORDS, REQ_ROUND, REQ_BUILD_ID, REQ_CLOSE
};

struct request {
	struct msg msg;
	uint32_t key;
	char *format; /* of a tracepoint, NULL: tracefs is asked */
	struct event_attr attr;
	struct history_chunk *chunk;
	bool is_kernel;
	uint8_t build_id[20];
	size_t build_id_len;
	size_t len;  /* of data */
	char data[]; /* records; or a name, NUL-terminated */
};

struct recorder {
	const struct record_layout *layout;
	const struct event_env *env;
	struct queue *requests, *answers;
	pthread_t thread;
	bool has_ended;
	char *path;
	unsigned how;
	atomic_size_t waiting; /* bytes of chunks in the queue */
	atomic_ullong written;
	/* the engine's, until it closes */
	uint64_t lost; /* samples of chunks that did not fit in the queue, not told yet */
	uint64_t lost_all, given; /* samples: of all such chunks, and of those that did fit */
	/* the thread's */
	struct writer *writer;
	struct known_event {
		uint32_t key, number;
	} *events;
	size_t event_len, event_cap;
	struct traced *tracepoints; /* whose texts are its own */
	size_t tracepoint_len, tracepoint_cap;
	bool has_new_tracepoints; /* whose formats the file has not got yet */
	uint64_t samples; /* in the file, when it is closed */
	uint64_t first_ns, last_ns;
	bool has_clock;
	int32_t clock; /* of its records */
	struct utsname uts; /* where it is made */
	struct buf expanded;
	struct err err; /* the first; nothing is written after it */
	bool is_closed, is_made;
};

static struct request *
request_new(enum request_type type, const void *data, size_t len)
{
	struct request *r = mem_calloc(1, sizeof(*r) + len + 1);

	r->msg.type = type;
	r->len = len;
	if (len > 0)
		memcpy(r->data, data, len);
	return r;
}

static const struct known_event *
find_event(const struct recorder *r, uint32_t key)
{
	for (size_t i = 0; i < r->event_len; i++)
		if (r->events[i].key == key)
			return &r->events[i];
	return NULL;
}

static void
add_tracepoint(struct recorder *r, const char *name, const char *format)
{
	VEC_ADD(r->tracepoints, r->tracepoint_len, r->tracepoint_cap) = (struct traced){
		mem_strdup(name), format != NULL ? mem_strdup(format) : NULL
	};
	r->has_new_tracepoints = true;
}

/* Without their formats perf does not read the file; ptop does. */
static void
tell_formats(struct recorder *r)
{
	struct buf b = { 0 };

	if (!r->has_new_tracepoints)
		return;
	r->has_new_tracepoints = false;
	if (tracing_data_build(r->env, r->tracepoints, r->tracepoint_len, &b, NULL) == 0)
		writer_tracing_data(r->writer, b.data, b.len);
	buf_release(&b);
}

static void
take_event(struct recorder *r, struct request *q)
{
	const struct event_pair *pair = event_pair_find(q->data, strcspn(q->data, ":/"));

	/* Opened once more, it is the same one with other ids. */
	if (find_event(r, q->key) != NULL)
		return;
	VEC_ADD(r->events, r->event_len, r->event_cap) = (struct known_event){
		q->key, writer_event(r->writer, q->data, &q->attr)
	};
	r->has_clock = q->attr.use_clockid;
	r->clock = q->attr.clockid;
	if (q->attr.type == PERF_TYPE_TRACEPOINT)
		add_tracepoint(r, pair != NULL ? pair->begin : q->data, q->format);
}

/* Not told if another event is among them: it was known before as one alone. */
static void
take_group(struct recorder *r, struct request *q)
{
	uint32_t key, first = 0, len = (uint32_t)(q->len / sizeof(key));

	for (uint32_t i = 0; i < len; i++) {
		const struct known_event *ev;

		memcpy(&key, q->data + i * sizeof(key), sizeof(key));
		ev = find_event(r, key);
		if (ev == NULL || (i > 0 && ev->number != first + i))
			return;
		first = ev->number - i;
	}
	writer_group(r->writer, first, len);
}

/* Where and when it is made. */
static struct writer_info
origin(const struct recorder *r)
{
	return (struct writer_info){
		.hostname = r->uts.nodename, .osrelease = r->uts.release, .arch = r->uts.machine,
		.clock = r->clock,
		.clock_resolution_ns = r->has_clock ? clock_resolution_ns(r->clock) : 0,
		.clock_ns = clock_of_ns(r->clock), .wall_ns = clock_real_ns(),
	};
}

/* From the first record on there is a file to be read, however soon the disk is full. */
static void
begin(struct recorder *r)
{
	const struct writer_info info = origin(r);

	writer_origin(r->writer, &info);
	writer_round(r->writer, &r->err);
}

static void
put(struct recorder *r, const void *data, size_t len)
{
	tell_formats(r);
	if (len > 0 && writer_bytes(r->writer) == 0)
		begin(r);
	if (len > 0)
		writer_put(r->writer, data, len, &r->err);
	atomic_store(&r->written, writer_bytes(r->writer));
}

/* Whatever its records carry is in the tables before they are. */
static void
put_ids(struct recorder *r, const struct history_chunk *c)
{
	for (size_t i = 0; i < c->id_len; i++) {
		const struct known_event *ev = find_event(r, c->ids[i].event);

		if (ev != NULL)
			writer_id(r->writer, ev->number, c->ids[i].id);
	}
}

static void
take_chunk(struct recorder *r, struct request *q)
{
	const struct history_chunk *c = q->chunk;

	put_ids(r, c);
	buf_reset(&r->expanded);
	history_chunk_expand(c, r->layout, &r->expanded);
	put(r, r->expanded.data, r->expanded.len);
	if (c->samples > 0 && r->first_ns == 0)
		r->first_ns = c->first_ns - (uint64_t)c->clock_ahead_ns;
	if (c->samples > 0)
		r->last_ns = c->last_ns - (uint64_t)c->clock_ahead_ns;
	atomic_fetch_sub(&r->waiting, c->len);
}

static void
take_records(struct recorder *r, struct request *q)
{
	put(r, q->data, q->len);
}

static void
take_round(struct recorder *r, struct request *q)
{
	(void)q;
	writer_round(r->writer, &r->err);
}

static void
take_build_id(struct recorder *r, struct request *q)
{
	uint16_t misc = q->is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	writer_build_id(r->writer, misc, -1, q->data, q->build_id, q->build_id_len);
}

/* "model name : ..." of /proc/cpuinfo, wherever there is such a line. */
static char *
cpu_description(void)
{
	static const char name[] = "model name";
	struct buf b = { 0 };
	char *res = NULL;
	const char *at, *end;

	/* The first CPU's part is all that is needed: it may be cut. */
	file_read("/proc/cpuinfo", &b, 8192);
	at = strstr(buf_str(&b), name);
	at = at != NULL ? strchr(at, ':') : NULL;
	if (at != NULL) {
		at += 1 + strspn(at + 1, " \t");
		end = strchrnul(at, '\n');
		res = mem_strndup(at, (size_t)(end - at));
	}
	buf_release(&b);
	return res;
}

/* The words of ptop's own command line; the array and, in *@text, what it points into. */
static char **
own_command_line(struct buf *text)
{
	size_t n = 0;
	char **words;

	file_read("/proc/self/cmdline", text, 64 << 10);
	buf_add_char(text, '\0');
	words = mem_calloc(text->len + 1, sizeof(*words));
	for (size_t at = 0; at + 1 < text->len; at += strlen(text->data + at) + 1)
		words[n++] = text->data + at;
	return words;
}

static void
close_file(struct recorder *r)
{
	struct buf text = { 0 };
	char **words = own_command_line(&text), *cpu = cpu_description();
	struct writer_info info = origin(r);

	info.version = RECORDING_BY_PTOP PACKAGE_VERSION;
	info.cpudesc = cpu;
	info.cmdline = words;
	info.nr_cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	info.nr_cpus_available = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	info.total_mem_kib = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_size() / 1024;
	tell_formats(r);
	writer_round(r->writer, r->err.code == ERR_NONE ? &r->err : NULL);
	r->samples = writer_samples(r->writer);
	writer_close(r->writer, &info, r->first_ns, r->last_ns,
			      r->err.code == ERR_NONE ? &r->err : NULL);
	r->writer = NULL;
	free(cpu);
	free(words);
	buf_release(&text);
}

static void
take_close(struct recorder *r, struct request *q)
{
	(void)q;
	r->is_closed = true;
}

static void (*const takers[])(struct recorder *r, struct request *q) = {
	[REQ_EVENT] = take_event,       [REQ_GROUP] = take_group,
	[REQ_CHUNK] = take_chunk,       [REQ_RECORDS] = take_records,
	[REQ_ROUND] = take_round,       [REQ_BUILD_ID] = take_build_id,
	[REQ_CLOSE] = take_close,
};

static void
request_free(struct request *q)
{
	history_chunk_put(q->chunk);
	free(q->format);
	free(q);
}

static void
free_ended(struct msg *msg)
{
	struct recorder_ended_msg *m = (struct recorder_ended_msg *)msg;

	free(m->path);
	free(m);
}

static void
send_ended(struct recorder *r)
{
	struct recorder_ended_msg *m = msg_new(sizeof(*m), RECORDER_MSG_ENDED, free_ended);

	m->recorder = r;
	m->how = r->how;
	m->path = r->how & RECORDER_OWN ? mem_strdup(r->path) : file_whole_path(r->path);
	m->bytes = atomic_load(&r->written);
	m->is_made = r->is_made;
	m->samples = r->samples;
	m->lost = r->lost_all;
	m->err = r->err;
	queue_send(r->answers, &m->msg);
}

static struct writer *
open_file(const char *path, unsigned how, struct err *err)
{
	struct writer *w = how & RECORDER_OWN ? writer_new_own(path, err)
					      : writer_new(path, how & RECORDER_OVERWRITES, err);

	if (w != NULL && (how & RECORDER_COMPRESSES))
		writer_compress(w);
	return w;
}

static void *
run(void *arg)
{
	struct recorder *r = arg;

	uname(&r->uts);
	if (r->writer == NULL)
		r->writer = open_file(r->path, r->how, &r->err);
	r->is_made = r->writer != NULL;
	while (!r->is_closed && r->err.code == ERR_NONE) {
		struct request *q = (struct request *)queue_wait(r->requests, -1);

		if (q == NULL)
			continue;
		takers[q->msg.type](r, q);
		request_free(q);
	}
	if (r->writer != NULL)
		close_file(r);
	send_ended(r);
	return NULL;
}

struct recorder *
recorder_new(const char *path, unsigned how, const struct record_layout *layout,
	     const struct event_env *env, struct queue *answers, struct err *err)
{
	struct writer *writer = NULL;
	struct recorder *r;

	if (how & RECORDER_NOW) {
		writer = open_file(path, how, err);
		if (writer == NULL)
			return NULL;
	}
	r = mem_calloc(1, sizeof(*r));
	r->writer = writer;
	r->path = mem_strdup(path);
	r->how = how;
	r->layout = layout;
	r->env = env;
	r->answers = answers;
	r->requests = queue_new();
	thread_start_or_die(&r->thread, "ptop-record", run, r);
	return r;
}

void
recorder_event(struct recorder *r, uint32_t key, const char *name, const char *format,
	       const struct event_attr *attr)
{
	struct request *q = request_new(REQ_EVENT, name, strlen(name));

	q->key = key;
	q->format = format != NULL ? mem_strdup(format) : NULL;
	q->attr = *attr;
	queue_send(r->requests, &q->msg);
}

void
recorder_group(struct recorder *r, const uint32_t *keys, size_t len)
{
	queue_send(r->requests, &request_new(REQ_GROUP, keys, len * sizeof(*keys))->msg);
}

/* perf counts them, too, when it reads the file. */
static void
tell_lost(struct recorder *r)
{
	struct buf b = { 0 };

	record_encode_lost(&b, r->layout, 0, r->lost);
	recorder_records(r, b.data, b.len);
	buf_release(&b);
	r->lost_all += r->lost;
	r->lost = 0;
}

void
recorder_chunk(struct recorder *r, struct history_chunk *c)
{
	struct request *q;

	if (!(r->how & RECORDER_WHOLE) && atomic_load(&r->waiting) + c->len > WAITING_MAX) {
		r->lost += MAX(c->samples, 1);
		return;
	}
	if (r->lost > 0)
		tell_lost(r);
	r->given += c->samples;
	q = request_new(REQ_CHUNK, NULL, 0);
	q->chunk = history_chunk_get(c);
	atomic_fetch_add(&r->waiting, c->len);
	queue_send(r->requests, &q->msg);
}

void
recorder_take_chunk(void *recorder, struct history_chunk *c)
{
	recorder_chunk(recorder, c);
}

void
recorder_records(struct recorder *r, const void *data, size_t len)
{
	queue_send(r->requests, &request_new(REQ_RECORDS, data, len)->msg);
}

void
recorder_round(struct recorder *r)
{
	queue_send(r->requests, &request_new(REQ_ROUND, NULL, 0)->msg);
}

void
recorder_build_id(struct recorder *r, bool is_kernel, const char *path, const uint8_t *id,
		  size_t len)
{
	struct request *q = request_new(REQ_BUILD_ID, path, strlen(path));

	q->is_kernel = is_kernel;
	q->build_id_len = MIN(len, sizeof(q->build_id));
	memcpy(q->build_id, id, q->build_id_len);
	queue_send(r->requests, &q->msg);
}

void
recorder_close(struct recorder *r)
{
	if (r->lost > 0)
		tell_lost(r);
	recorder_round(r);
	queue_send(r->requests, &request_new(REQ_CLOSE, NULL, 0)->msg);
}

void
recorder_wait(struct recorder *r)
{
	if (!r->has_ended)
		pthread_join(r->thread, NULL);
	r->has_ended = true;
}

void
recorder_free(struct recorder *r)
{
	struct msg *m;

	if (r == NULL)
		return;
	recorder_wait(r);
	while ((m = queue_take(r->requests)) != NULL)
		request_free((struct request *)m);
	queue_free(r->requests);
	buf_release(&r->expanded);
	for (size_t i = 0; i < r->tracepoint_len; i++) {
		free(r->tracepoints[i].name);
		free(r->tracepoints[i].format);
	}
	free(r->tracepoints);
	free(r->events);
	free(r->path);
	free(r);
}

uint64_t
recorder_missing(const struct recorder_ended_msg *m)
{
	return m->recorder->given - MIN(m->samples, m->recorder->given);
}

uint64_t
recorder_bytes(const struct recorder *r)
{
	return atomic_load(&r->written);
}
