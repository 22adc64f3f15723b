/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/fetch/fetch.h"

#include "symbol/file/build_id.h"
#include "symbol/file/cache_dir.h"
#include "symbol/fetch/download.h"
#include "symbol/parser/host.h"
#include "base/thread.h"

#include "base/clock.h"
#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
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
	PATH_BYTES = NAME_MAX + 1, /* longer ones have no name where files are kept */
	UNUSED_S = 7 * 24 * 3600, /* what nobody has read for so long is forgotten */
};

struct fetch {
	struct fetch_config config;
	struct buf dir; /* where files are kept; empty: nowhere, and none is fetched */
	struct worker worker;
	uint64_t last_asked;
	atomic_ullong stopped; /* all up to this ask */
};

struct fetch_ask {
	struct msg msg;
	uint64_t number;
	uint32_t dso;
	enum build_store_want want;
	uint32_t source; /* 0: it is no source file that is wanted, but @want */
	char path[PATH_BYTES]; /* of that */
	uint8_t build_id[BUILD_ID_BYTES];
	size_t build_id_len;
};

/* What servers and their clients call it. */
static const char *const names[] = {
	[BUILD_STORE_FILE] = "executable",
	[BUILD_STORE_DEBUG] = "debuginfo",
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
		.work = CONFINE_FETCH, .fetch = download_run,
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
	m->source = g->ask->source;
	queue_send(g->f->config.answers, &m->msg);
}

static void
put_hex(const struct fetch_ask *ask, struct buf *b)
{
	for (size_t i = 0; i < ask->build_id_len; i++)
		buf_addf(b, "%02x", ask->build_id[i]);
}

/* As a part of an address: all but what needs no escape, so that no path is more than a path. */
static void
put_what(const struct fetch_ask *ask, struct buf *b)
{
	static const char plain[] = "/-_.~";

	if (ask->source == 0) {
		buf_add_str(b, names[ask->want]);
		return;
	}
	buf_add_str(b, BUILD_STORE_SOURCE);
	for (const char *p = ask->path; *p != '\0'; p++) {
		if (isalnum((unsigned char)*p) || strchr(plain, *p) != NULL)
			buf_add_char(b, *p);
		else
			buf_addf(b, "%%%02X", (unsigned char)*p);
	}
}

/* -1: the process cannot be asked. */
static int
send_ask(struct going *g)
{
	const struct fetch_config *c = &g->f->config;
	struct download_ask ask = { .bytes_max = host_file_bytes(c->host), .urls = c->urls,
				    .connect_s = c->connect_s, .silent_s = c->silent_s,
				    .whole_s = c->whole_s };
	struct buf id = { 0 }, what = { 0 }, body = { 0 };
	int res;

	put_hex(g->ask, &id);
	ask.build_id = buf_str(&id);
	put_what(g->ask, &what);
	ask.what = buf_str(&what);
	download_put_ask(&body, &ask);
	res = wire_send(&g->wire, (enum wire_type)DOWNLOAD_ASK, &body, g->file);
	buf_release(&id);
	buf_release(&what);
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

static bool
is_kept_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return strncmp(name, BUILD_STORE_SOURCE, strlen(BUILD_STORE_SOURCE)) == 0;
}

/* A folder of one build.  All that is in it is called as @names, or is a source. */
static void
forget_unused_of(int dir, const char *build, int64_t before_s)
{
	int fd = openat(dir, build, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	bool has_gone = false;
	struct dirent *e;
	struct stat st;

	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL)
		if (is_kept_name(e->d_name) &&
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		    st.st_atime < before_s)
			has_gone |= unlinkat(fd, e->d_name, 0) == 0;
	closedir(d);
	if (has_gone)
		unlinkat(dir, build, AT_REMOVEDIR);
}

/* As other clients do, unless the user says otherwise in the file that they read, too. */
static void
forget_unused(const struct fetch *f, int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct buf path = { 0 };
	struct dirent *e;
	int64_t age_s;

	if (d == NULL)
		return;
	buf_addf(&path, "%s/max_unused_age_s", f->dir.data);
	age_s = file_number(path.data, UNUSED_S);
	while ((e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			forget_unused_of(dir, e->d_name, time(NULL) - age_s);
	closedir(d);
	buf_release(&path);
}

/* The file may be anything: it has to have the build-id that it was asked for by. */
static int
check_build(struct going *g)
{
	uint8_t id[BUILD_ID_BYTES];
	int len = build_id_read(g->file, id);

	if (len < 0)
		return err_set(&g->last.err, ERR_FORMAT, 0, "what was sent is no ELF file");
	if ((size_t)len != g->ask->build_id_len || memcmp(id, g->ask->build_id, (size_t)len) != 0)
		return err_set(&g->last.err, ERR_FORMAT, 0, "what was sent has another build-id");
	return 0;
}

/* A source is text, of which nothing tells whose it is; who reads it compares sums if there are any. */
static enum fetch_state
keep(struct going *g, int dir)
{
	const struct fetch_ask *ask = g->ask;
	struct buf build = { 0 }, name = { 0 };
	bool is_kept = false;
	int folder;

	if (ask->source == 0 && check_build(g) < 0)
		return FETCH_FAILED;
	forget_unused(g->f, dir);
	put_hex(ask, &build);
	folder = cache_dir_open_shared(dir, buf_str(&build));
	if (ask->source == 0)
		buf_add_str(&name, names[ask->want]);
	if (folder >= 0) {
		is_kept = (ask->source == 0 || build_store_source_name(ask->path, &name)) &&
			  cache_dir_save(folder, buf_str(&name), g->file);
		close(folder);
	}
	buf_release(&build);
	buf_release(&name);
	if (!is_kept)
		err_set(&g->last.err, ERR_IO, 0, "cannot keep it in '%.100s'", buf_str(&g->f->dir));
	return is_kept ? FETCH_DONE : FETCH_FAILED;
}

/* A file without a name, on the disk: it may be large. */
static int
open_file(struct going *g, int dir)
{
	if (dir < 0)
		return err_set(&g->last.err, ERR_IO, 0, "cannot keep it: '%.100s' is no folder of "
			       "this user, or others may write there", buf_str(&g->f->dir));
	g->file = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (g->file < 0)
		return err_set(&g->last.err, ERR_IO, errno, "cannot make a file in '%.100s'",
			       buf_str(&g->f->dir));
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
	g->wire.fd = host_start(host, HOST_PARSER, &g->last.err);
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
	int dir = f->dir.len > 0 ? cache_dir_open_shared(AT_FDCWD, buf_str(&f->dir)) : -1;
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
	build_store_client_dir(&f->dir);
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
	buf_release(&f->dir);
	free(f);
}

static struct fetch_ask *
new_ask(struct fetch *f, uint32_t dso, const uint8_t *build_id, size_t len)
{
	struct fetch_ask *ask = mem_calloc(1, sizeof(*ask));

	ask->number = ++f->last_asked;
	ask->dso = dso;
	ask->build_id_len = MIN(len, sizeof(ask->build_id));
	memcpy(ask->build_id, build_id, ask->build_id_len);
	return ask;
}

void
fetch_ask(struct fetch *f, uint32_t dso, enum build_store_want want, const uint8_t *build_id,
	  size_t len)
{
	struct fetch_ask *ask = new_ask(f, dso, build_id, len);

	ask->want = want;
	worker_ask(&f->worker, &ask->msg);
}

void
fetch_ask_source(struct fetch *f, uint32_t dso, uint32_t source, const char *path,
		 const uint8_t *build_id, size_t len)
{
	struct fetch_ask *ask = new_ask(f, dso, build_id, len);

	ask->source = source;
	snprintf(ask->path, sizeof(ask->path), "%s", path);
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
