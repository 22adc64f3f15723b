/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/fetch/fetch.h"

#include "symbol/file/build_id.h"
#include "symbol/file/cache_dir.h"
#include "symbol/fetch/download.h"
#include "symbol/parser/host.h"
#include "base/thread.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	CONNECT_S = 10,
	SILENT_S = 30,
	WHOLE_S = 900,
	LOOK_MS = 50,      /* whether it was given up */
	PATIENCE_S = 10,   /* beyond the time that the process should take */
	CPU_S = 600,
	MEMORY_MB = 512,
	FILE_MB = 1024,
	KEPT_MB = 2048,
};

struct fetch {
	struct fetch_config config;
	struct worker worker;
	uint64_t last_asked;
	atomic_ullong stopped; /* all up to this ask */
};

struct fetch_ask {
	struct msg msg;
	uint64_t number;
	uint32_t dso;
	enum build_store_want want;
	uint8_t build_id[BUILD_ID_BYTES];
	size_t build_id_len;
};

/* What servers call it, and where it is kept. */
static const struct fetched {
	const char *name, *prefix;
} fetched[] = {
	[BUILD_STORE_FILE] = { "executable", BUILD_STORE_KEPT_FILE },
	[BUILD_STORE_DEBUG] = { "debuginfo", BUILD_STORE_KEPT_PREFIX },
};

/* One that is under way. */
struct going {
	struct fetch *f;
	const struct fetch_ask *ask;
	struct wire wire;
	uint64_t deadline_ns;
	int file;
	struct fetch_msg last; /* what is sent next */
};

struct host *
fetch_host_new(uint64_t bytes_max)
{
	const struct host_config config = {
		.fetch = download_run,
		.limits = { .cpu_s = CPU_S, .memory = (uint64_t)MEMORY_MB << 20,
			    .file = bytes_max > 0 ? bytes_max : (uint64_t)FILE_MB << 20 },
	};

	return host_new(&config);
}

static bool
is_stopped(const struct going *g)
{
	return atomic_load(&g->f->stopped) >= g->ask->number;
}

static bool
wait_for(void *arg, int fd, short events)
{
	const struct going *g = arg;
	struct pollfd p = { .fd = fd, .events = events };

	while (!is_stopped(g) && clock_mono_ns() < g->deadline_ns) {
		int n = poll(&p, 1, LOOK_MS);

		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
	}
	return false;
}

static void
tell(struct going *g, enum fetch_state state)
{
	struct fetch_msg *m = mem_calloc(1, sizeof(*m));

	g->last.state = state;
	*m = g->last;
	m->msg = (struct msg){ .type = SYMBOL_MSG_FETCH };
	m->dso = g->ask->dso;
	queue_send(g->f->config.answers, &m->msg);
}

static void
put_hex(const struct fetch_ask *ask, struct buf *b)
{
	for (size_t i = 0; i < ask->build_id_len; i++)
		buf_addf(b, "%02x", ask->build_id[i]);
}

/* -1: the process cannot be asked. */
static int
send_ask(struct going *g)
{
	const struct fetch_config *c = &g->f->config;
	struct download_ask ask = { .bytes_max = host_file_bytes(c->host), .urls = c->urls,
				    .connect_s = c->connect_s, .silent_s = c->silent_s,
				    .whole_s = c->whole_s };
	struct buf id = { 0 }, body = { 0 };
	int res;

	put_hex(g->ask, &id);
	ask.build_id = buf_str(&id);
	ask.what = fetched[g->ask->want].name;
	download_put_ask(&body, &ask);
	res = wire_send(&g->wire, (enum wire_type)DOWNLOAD_ASK, &body, g->file);
	buf_release(&id);
	buf_release(&body);
	return res;
}

static void
read_progress(struct going *g, struct reader *r)
{
	g->last.got = reader_u64(r);
	g->last.total = reader_u64(r);
	tell(g, FETCH_GOING);
}

static enum fetch_state
fail(struct going *g)
{
	if (is_stopped(g))
		return FETCH_STOPPED;
	if (clock_mono_ns() >= g->deadline_ns)
		err_set(&g->last.err, ERR_BUSY, 0, "it took too long");
	else
		err_set(&g->last.err, ERR_GONE, 0, "the process that downloads has ended");
	return FETCH_FAILED;
}

static enum fetch_state
read_end(struct going *g, struct reader *r)
{
	/* Nothing that the process says is believed; but what else should it be? */
	static const enum fetch_state states[DOWNLOAD_OUTCOMES] = {
		[DOWNLOAD_FOUND] = FETCH_DONE,
		[DOWNLOAD_NOT_FOUND] = FETCH_NOT_FOUND,
		[DOWNLOAD_FAILED] = FETCH_FAILED,
	};
	uint32_t outcome = reader_u32(r);
	const char *why = reader_string(r);

	if (r->failed || outcome >= DOWNLOAD_OUTCOMES)
		return fail(g);
	err_set(&g->last.err, ERR_IO, 0, "%.200s", why);
	return states[outcome];
}

static enum fetch_state
download(struct going *g)
{
	enum fetch_state state = FETCH_GOING;

	if (send_ask(g) < 0)
		return fail(g);
	while (state == FETCH_GOING) {
		struct wire_msg m;
		bool got = wire_recv(&g->wire, &m) == 0;
		struct reader r = wire_reader(&m);

		if (got && m.type == DOWNLOAD_PROGRESS)
			read_progress(g, &r);
		else
			state = got && m.type == DOWNLOAD_END ? read_end(g, &r) : fail(g);
		wire_msg_release(&m);
	}
	return state;
}

/* The file may be anything; it is kept if it has the build-id that it was asked for by. */
static enum fetch_state
keep(struct going *g, int dir)
{
	const struct fetch_ask *ask = g->ask;
	uint8_t id[BUILD_ID_BYTES];
	int len = build_id_read(g->file, id);
	struct buf name = { 0 };
	bool kept;

	if (len < 0) {
		err_set(&g->last.err, ERR_FORMAT, 0, "what was sent is no ELF file");
		return FETCH_FAILED;
	}
	if ((size_t)len != ask->build_id_len || memcmp(id, ask->build_id, (size_t)len) != 0) {
		err_set(&g->last.err, ERR_FORMAT, 0, "what was sent has another build-id");
		return FETCH_FAILED;
	}
	buf_add_str(&name, fetched[ask->want].prefix);
	put_hex(ask, &name);
	cache_dir_trim(dir, BUILD_STORE_KEPT_PREFIX, NULL, (uint64_t)(KEPT_MB - FILE_MB) << 20);
	kept = cache_dir_save(dir, buf_str(&name), g->file);
	buf_release(&name);
	if (!kept)
		err_set(&g->last.err, ERR_IO, 0, "cannot keep it in '%.100s'", g->f->config.dir);
	return kept ? FETCH_DONE : FETCH_FAILED;
}

/* A file without a name, on the disk: it may be large. */
static int
open_file(struct going *g, int dir)
{
	if (dir < 0)
		return err_set(&g->last.err, ERR_IO, 0, "cannot keep it: '%.100s' is no folder of "
			       "this user alone", g->f->config.dir != NULL ? g->f->config.dir : "");
	g->file = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (g->file < 0)
		return err_set(&g->last.err, ERR_IO, errno, "cannot make a file in '%.100s'",
			       g->f->config.dir);
	return 0;
}

static enum fetch_state
run(struct going *g, int dir)
{
	struct host *host = g->f->config.host;
	enum fetch_state state;

	if (is_stopped(g))
		return FETCH_STOPPED;
	if (open_file(g, dir) < 0)
		return FETCH_FAILED;
	g->wire.fd = host_start(host, &g->last.err);
	if (g->wire.fd < 0)
		return is_stopped(g) ? FETCH_STOPPED : FETCH_FAILED;
	state = download(g);
	close(g->wire.fd);
	/* From here on nobody writes to the file. */
	host_end(host);
	return state == FETCH_DONE ? keep(g, dir) : state;
}

static void
serve(void *self, struct msg *asked)
{
	struct fetch *f = self;
	const struct fetch_ask *ask = (const struct fetch_ask *)asked;
	const struct fetch_config *c = &f->config;
	int dir = c->dir != NULL ? cache_dir_open(c->dir) : -1;
	struct going g = { .f = f, .ask = ask, .file = -1, .wire = { .fd = -1, .wait = wait_for } };

	g.wire.arg = &g;
	g.deadline_ns = clock_mono_ns() + (c->whole_s + PATIENCE_S) * NSEC_PER_SEC;
	tell(&g, run(&g, dir));
	if (g.file >= 0)
		close(g.file);
	if (dir >= 0)
		close(dir);
}

struct fetch *
fetch_new(const struct fetch_config *config)
{
	struct fetch *f = mem_calloc(1, sizeof(*f));

	f->config = *config;
	f->config.urls = mem_strdup(config->urls);
	f->config.dir = config->dir != NULL ? mem_strdup(config->dir) : NULL;
	if (f->config.connect_s == 0)
		f->config.connect_s = CONNECT_S;
	if (f->config.silent_s == 0)
		f->config.silent_s = SILENT_S;
	if (f->config.whole_s == 0)
		f->config.whole_s = WHOLE_S;
	worker_start(&f->worker, "ptop-download", serve, f);
	return f;
}

void
fetch_free(struct fetch *f)
{
	if (f == NULL)
		return;
	atomic_store(&f->stopped, UINT64_MAX);
	host_give_up(f->config.host);
	worker_end(&f->worker);
	host_free(f->config.host);
	free((char *)(uintptr_t)f->config.urls);
	free((char *)(uintptr_t)f->config.dir);
	free(f);
}

void
fetch_ask(struct fetch *f, uint32_t dso, enum build_store_want want, const uint8_t *build_id,
	  size_t len)
{
	struct fetch_ask *ask = mem_calloc(1, sizeof(*ask));

	ask->number = ++f->last_asked;
	ask->dso = dso;
	ask->want = want;
	ask->build_id_len = MIN(len, sizeof(ask->build_id));
	memcpy(ask->build_id, build_id, ask->build_id_len);
	worker_ask(&f->worker, &ask->msg);
}

uint64_t
fetch_cpu_ns(const struct fetch *f)
{
	return f != NULL ? host_cpu_ns(f->config.host) : 0;
}

void
fetch_stop(struct fetch *f)
{
	atomic_store(&f->stopped, f->last_asked);
}
