/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that speaks HTTP.  One thread: the library is run when one of its sockets, or ptop, has
 * something to say.  A request that needs ptop is suspended until the answer is there.
 */
#include "serve/http_lib.h"
#include "serve/server.h"

#ifdef HAVE_MICROHTTPD

#include "base/clock.h"
#include "serve/address.h"
#include "serve/asker.h"
#include "serve/clients.h"
#include "serve/request.h"
#include "serve/server_confine.h"
#include "serve/token.h"
#include "symbol/parser/confine.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LOOK_MS = 1000, /* whether those who wait for ptop are still there */
	STRETCHES_MAX = SERVE_ASKS_MAX / 2, /* of asks, that wait for their seconds: others pass */
	HEADERS_MAX = 16 << 10, /* bytes of one request, with what is written for it */
	HELD_MAX = 512 << 20, /* bytes of answers that are being sent: that may take a minute */
	OK = 200, BAD_REQUEST = 400, UNAUTHORIZED = 401, FORBIDDEN = 403, NOT_FOUND = 404,
	METHOD_NOT_ALLOWED = 405, BUSY = 503,
};

/* One request, from its first line to the end of its answer. */
struct request {
	struct MHD_Connection *connection;
	const struct request_path *path;
	struct serve_ask ask;
	bool is_asked;   /* ptop has it */
	bool is_answered;
	struct serve_answer answer;
	int fd;          /* of the answer, -1: none */
	uint64_t held;   /* bytes of the file that is being sent */
};

struct http {
	struct http_lib lib;
	struct MHD_Daemon *daemon;
	struct serve_setup setup;
	struct clients clients;
	struct request *asked[SERVE_ASKS_MAX]; /* NULL: free */
	uint64_t last_id, looked_ns;
	uint64_t held; /* bytes of all files that are being sent */
	int link;
	int epoll;
	int sockets; /* tells who is at the other end, -1: there is none */
	bool is_over;
};

static struct client *
client_of(const struct http *h, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		h->lib.connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info != NULL ? info->socket_context : NULL;
}

static const char *
header(const struct http *h, struct MHD_Connection *c, const char *name)
{
	return h->lib.header(c, MHD_HEADER_KIND, name);
}

static void
add_headers(const struct http *h, struct MHD_Response *r, unsigned status)
{
	static const char *const always[][2] = {
		{ "X-Content-Type-Options", "nosniff" },
		{ "Cache-Control", "no-store" },
		{ "Content-Security-Policy",
		  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		h->lib.add_header(r, always[i][0], always[i][1]);
	if (status == METHOD_NOT_ALLOWED)
		h->lib.add_header(r, "Allow", "GET, HEAD");
	if (status == UNAUTHORIZED)
		h->lib.add_header(r, "WWW-Authenticate", "Bearer");
}

static enum MHD_Result
finish(struct http *h, struct MHD_Connection *c, unsigned status, struct MHD_Response *r)
{
	struct client *client = client_of(h, c);
	enum MHD_Result res;

	if (r == NULL)
		return MHD_NO;
	add_headers(h, r, status);
	if (client != NULL)
		client_takes(client, clock_mono_ns());
	res = h->lib.answer(c, status, r);
	h->lib.drop(r);
	return res;
}

static enum MHD_Result
say(struct http *h, struct MHD_Connection *c, unsigned status, const char *text)
{
	struct MHD_Response *r = h->lib.from_buffer(strlen(text), (void *)(uintptr_t)text,
						    MHD_RESPMEM_MUST_COPY);

	if (r != NULL)
		h->lib.add_header(r, "Content-Type", "text/plain; charset=utf-8");
	return finish(h, c, status, r);
}

/* One is sent however large it is. */
static bool
may_hold(const struct http *h, const struct request *q, uint64_t bytes)
{
	uint64_t own = clients_held(&h->clients, &q->ask.asker);

	return (h->held == 0 || h->held + bytes <= HELD_MAX) &&
	       (own == 0 || own + bytes <= HELD_MAX / ASKER_PART);
}

/* The file is the response's from here on. */
static enum MHD_Result
hand_over(struct http *h, struct request *q)
{
	struct client *client = client_of(h, q->connection);
	const char *file = q->path->file;
	struct MHD_Response *r = NULL;
	char line[64];
	struct stat st;
	int fd = q->fd;

	if (fd >= 0 && fstat(fd, &st) == 0 && may_hold(h, q, (uint64_t)st.st_size)) {
		q->held = (uint64_t)st.st_size;
		h->held += q->held;
		if (client != NULL)
			client->held = q->held;
		r = h->lib.from_fd((size_t)st.st_size, fd);
	}
	if (r == NULL)
		return say(h, q->connection, BUSY, "ptop has no memory for the answer: ask again.\n");
	q->fd = -1;
	h->lib.add_header(r, "Content-Type", request_content(q->path, &q->ask));
	if (file != NULL) {
		snprintf(line, sizeof(line), "attachment; filename=\"%s\"", file);
		h->lib.add_header(r, "Content-Disposition", line);
	}
	return finish(h, q->connection, OK, r);
}

/*
 * A browser says whether a page of another site makes it ask: such a page cannot read an answer, but
 * could have seconds sampled for nobody until others find no room.
 */
static bool
is_of_another_site(const struct http *h, struct MHD_Connection *c)
{
	const char *site = header(h, c, "Sec-Fetch-Site");

	return site != NULL && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
}

static enum MHD_Result
count_host(void *arg, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
	   size_t value_len)
{
	size_t *hosts = arg;

	(void)kind;
	(void)name_len;
	(void)value;
	(void)value_len;
	*hosts += strcasecmp(name, "Host") == 0;
	return MHD_YES;
}

/* RFC 9112, 3.2: what is in front of ptop could look at another one. */
static bool
has_wrong_hosts(const struct http *h, struct MHD_Connection *c, const char *version)
{
	size_t hosts = 0;

	h->lib.values(c, MHD_HEADER_KIND, count_host, &hosts);
	return hosts > 1 || (hosts == 0 && strcmp(version, "HTTP/1.0") != 0);
}

/* Who may not ask at all.  OK, or the status, and why. */
static unsigned
check_sender(const struct http *h, struct MHD_Connection *c, const char **why)
{
	const char *host = header(h, c, "Host");

	if (h->setup.token_len > 0 && !token_fits(&h->setup, header(h, c, "Authorization"))) {
		*why = "A token is wanted, and this is none, or another one.\n"
		       "Send the header Authorization: Bearer TOKEN, of the file of --serve-token.\n";
		return UNAUTHORIZED;
	}
	if (h->setup.is_tcp && h->setup.token_len == 0 && (host == NULL || !address_is_own_host(host))) {
		*why = "The header Host names another host than this one, as pages of the web do that "
		       "would read what is here.\nAsk localhost or 127.0.0.1; other names need "
		       "--serve-token.\n";
		return FORBIDDEN;
	}
	if (is_of_another_site(h, c)) {
		*why = "A page of another site asks, by the header Sec-Fetch-Site.\n"
		       "Type or paste the address instead of following a link.\n";
		return FORBIDDEN;
	}
	return OK;
}

struct reading {
	struct request *q;
	struct buf *why;
	bool is_wrong;
};

static enum MHD_Result
read_param(void *arg, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
	   size_t value_len)
{
	struct reading *r = arg;
	bool has_nul = strlen(name) != name_len || (value != NULL && strlen(value) != value_len);

	(void)kind;
	if (has_nul)
		buf_add_str(r->why, "A parameter has a zero byte: leave it out.\n");
	r->is_wrong = has_nul || !request_set(r->q->path, &r->q->ask, name, value, r->why);
	return r->is_wrong ? MHD_NO : MHD_YES;
}

static enum MHD_Result
put_page(struct http *h, struct request *q)
{
	struct buf b = { 0 };
	enum MHD_Result res;

	request_put_page(q->path, &b);
	res = say(h, q->connection, OK, buf_str(&b));
	buf_release(&b);
	return res;
}

/* Room for one more, SERVE_ASKS_MAX: there is none. */
static size_t
find_room(const struct http *h, const struct serve_ask *ask)
{
	size_t own = 0, stretches = 0, own_stretches = 0, room = SERVE_ASKS_MAX;

	for (size_t i = 0; i < SERVE_ASKS_MAX; i++) {
		const struct request *q = h->asked[i];
		bool is_own = q != NULL && asker_is(&q->ask.asker, &ask->asker);
		bool waits = q != NULL && serve_ask_waits(&q->ask);

		if (q == NULL)
			room = i;
		own += is_own;
		stretches += waits;
		own_stretches += is_own && waits;
	}
	if (own >= SERVE_ASKS_MAX / ASKER_PART)
		return SERVE_ASKS_MAX;
	if (serve_ask_waits(ask) &&
	    (stretches >= STRETCHES_MAX || own_stretches >= STRETCHES_MAX / ASKER_PART))
		return SERVE_ASKS_MAX;
	return room;
}

static enum MHD_Result
ask_ptop(struct http *h, struct request *q)
{
	struct client *client = client_of(h, q->connection);
	struct serve_msg m = { .type = SERVE_MSG_ASK };
	size_t i;

	if (client != NULL)
		q->ask.asker = client->asker;
	i = find_room(h, &q->ask);
	q->ask.id = ++h->last_id;
	q->ask.cpu_ns = clock_process_cpu_ns();
	m.ask = q->ask;
	if (i == SERVE_ASKS_MAX || link_send(h->link, &m, -1) < 0)
		return say(h, q->connection, BUSY, "Too many requests wait for ptop, of all or of yours: "
			   "ask again later.\n");
	h->asked[i] = q;
	q->is_asked = true;
	if (client != NULL)
		client_waits(client);
	h->lib.suspend(q->connection);
	return MHD_YES;
}

static enum MHD_Result
begin(struct http *h, struct request *q, const char *url, const char *method, const char *version)
{
	const char *why = "", *accept = header(h, q->connection, "Accept");
	struct buf b = { 0 };
	struct reading r = { .q = q, .why = &b };
	unsigned status = check_sender(h, q->connection, &why);
	enum MHD_Result res;

	if (has_wrong_hosts(h, q->connection, version))
		return say(h, q->connection, BAD_REQUEST, "The header Host must be there, and once.\n");
	if (status != OK)
		return say(h, q->connection, status, why);
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return say(h, q->connection, METHOD_NOT_ALLOWED, "ptop is read alone: use GET or HEAD.\n");
	q->path = request_find(url);
	if (q->path == NULL)
		return say(h, q->connection, NOT_FOUND, "There is no such path: / lists those that are.\n");
	if (q->path->is_confidential && h->setup.is_tcp && h->setup.token_len == 0)
		return say(h, q->connection, FORBIDDEN,
			   "A recording has the addresses of all processes and of the kernel, which not "
			   "every user here is to know.\n"
			   "Start ptop with --serve=unix:PATH, or with --serve-token FILE.\n");
	request_begin(q->path, &q->ask);
	h->lib.values(q->connection, MHD_GET_ARGUMENT_KIND, read_param, &r);
	if (r.is_wrong) {
		res = say(h, q->connection, BAD_REQUEST, buf_str(&b));
		buf_release(&b);
		return res;
	}
	buf_release(&b);
	if (q->path->is_page)
		return put_page(h, q);
	q->ask.is_open_metrics = q->path->what == SERVE_METRICS && accept != NULL &&
				 strstr(accept, "application/openmetrics-text") != NULL;
	return ask_ptop(h, q);
}

/* Called when the header is there, when the request is, and when its answer is. */
static enum MHD_Result
handle(void *arg, struct MHD_Connection *c, const char *url, const char *method, const char *version,
       const char *upload, size_t *upload_len, void **own)
{
	struct http *h = arg;
	struct request *q = *own;

	(void)upload;
	if (q == NULL) {
		q = *own = mem_calloc(1, sizeof(*q));
		q->connection = c;
		q->fd = -1;
		return MHD_YES;
	}
	if (*upload_len > 0) {
		*upload_len = 0; /* nobody wants it */
		return MHD_YES;
	}
	if (q->is_answered && q->answer.status == OK)
		return hand_over(h, q);
	if (q->is_answered)
		return say(h, c, q->answer.status, q->answer.text);
	return q->is_asked ? MHD_YES : begin(h, q, url, method, version);
}

static void
end_request(void *arg, struct MHD_Connection *c, void **own, enum MHD_RequestTerminationCode code)
{
	struct http *h = arg;
	struct request *q = *own;
	struct client *client = client_of(h, c);

	(void)code;
	if (client != NULL) {
		client_rests(client, clock_mono_ns());
		client->held = 0;
	}
	if (q == NULL)
		return;
	for (size_t i = 0; i < SERVE_ASKS_MAX; i++)
		if (h->asked[i] == q)
			h->asked[i] = NULL;
	if (q->fd >= 0)
		close(q->fd);
	h->held -= q->held;
	free(q);
	*own = NULL;
}

static void
note_connection(void *arg, struct MHD_Connection *c, void **own,
		enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info;
	struct http *h = arg;
	struct asker asker;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*own != NULL)
			clients_remove(&h->clients, *own);
		*own = NULL;
		return;
	}
	info = h->lib.connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	if (info == NULL)
		return;
	asker = asker_of(info->connect_fd, h->sockets);
	*own = clients_add(&h->clients, info->connect_fd, &asker, clock_mono_ns());
}

static void
take_answer(struct http *h, const struct serve_answer *a, int fd)
{
	for (size_t i = 0; i < SERVE_ASKS_MAX; i++) {
		struct request *q = h->asked[i];

		if (q == NULL || q->ask.id != a->id)
			continue;
		h->asked[i] = NULL;
		q->answer = *a;
		q->fd = fd;
		q->is_answered = true;
		h->lib.resume(q->connection);
		return;
	}
	if (fd >= 0)
		close(fd);
}

static void
take_messages(struct http *h)
{
	struct serve_msg m;
	int fd, res;

	while ((res = link_recv(h->link, &m, &fd)) > 0) {
		if (m.type == SERVE_MSG_ANSWER)
			take_answer(h, &m.answer, fd);
		else if (fd >= 0)
			close(fd);
	}
	h->is_over = res < 0;
}

/* The library does not look at connections that wait for an answer. */
static bool
is_gone(const struct http *h, const struct request *q)
{
	const union MHD_ConnectionInfo *info =
		h->lib.connection_info(q->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	char c;

	return info != NULL && recv(info->connect_fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void
cancel_gone(struct http *h)
{
	for (size_t i = 0; i < SERVE_ASKS_MAX; i++) {
		struct request *q = h->asked[i];
		struct serve_msg m = { .type = SERVE_MSG_CANCEL };

		if (q == NULL || !is_gone(h, q))
			continue;
		m.ask.id = q->ask.id;
		link_send(h->link, &m, -1);
		h->asked[i] = NULL;
		q->answer.status = BUSY;
		q->is_answered = true;
		h->lib.resume(q->connection);
	}
}

static void
look(struct http *h)
{
	uint64_t now_ns = clock_mono_ns();

	if (now_ns - h->looked_ns < LOOK_MS * NSEC_PER_MSEC)
		return;
	h->looked_ns = now_ns;
	cancel_gone(h);
}

static bool
has_asked(const struct http *h)
{
	for (size_t i = 0; i < SERVE_ASKS_MAX; i++)
		if (h->asked[i] != NULL)
			return true;
	return false;
}

/* Without clients nothing wakes it but a new one. */
static int
wait_ms(struct http *h)
{
	uint64_t now_ns = clock_mono_ns(), next_ns = clients_expire(&h->clients, now_ns);
	MHD_UNSIGNED_LONG_LONG lib_ms;
	uint64_t ms = UINT64_MAX;

	if (next_ns != UINT64_MAX)
		ms = (next_ns - now_ns) / NSEC_PER_MSEC + 1;
	if (has_asked(h))
		ms = MIN(ms, LOOK_MS);
	if (h->lib.timeout(h->daemon, &lib_ms) == MHD_YES)
		ms = MIN(ms, (uint64_t)lib_ms);
	return ms == UINT64_MAX ? -1 : (int)MIN(ms, 3600 * 1000u);
}

static void
run(struct http *h)
{
	struct pollfd fds[] = {
		{ .fd = h->epoll, .events = POLLIN },
		{ .fd = h->link, .events = POLLIN },
	};

	while (!h->is_over) {
		int n = poll(fds, ARRAY_SIZE(fds), wait_ms(h));

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0 && fds[1].revents != 0)
			take_messages(h);
		look(h);
		if (h->lib.run(h->daemon) != MHD_YES)
			return;
	}
}

static bool
listen_at(struct http *h, int fd)
{
	const union MHD_DaemonInfo *info;

	h->daemon = h->lib.start(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, h,
		MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CLIENTS_MAX,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_MAX,
		MHD_OPTION_NOTIFY_COMPLETED, end_request, h,
		MHD_OPTION_NOTIFY_CONNECTION, note_connection, h,
		MHD_OPTION_END);
	info = h->daemon != NULL ? h->lib.daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (info == NULL)
		return false;
	h->epoll = info->epoll_fd;
	return true;
}

static void
tell(int link, enum serve_msg_type type, const char *text)
{
	struct serve_msg m = { .type = type, .answer.status = OK };

	snprintf(m.answer.text, sizeof(m.answer.text), "%s", text);
	link_send(link, &m, -1);
}

/* The socket to listen at comes with it; it was sent before this process had begun. */
static int
take_setup(struct http *h)
{
	struct pollfd p = { .fd = h->link, .events = POLLIN };
	struct serve_msg m;
	int fd;

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		continue;
	if (link_recv(h->link, &m, &fd) <= 0 || m.type != SERVE_MSG_SETUP)
		return -1;
	h->setup = m.setup;
	return fd;
}

/* The rest of its rights; adds what could not be given up. */
static void
give_up_rest(int lacks, struct buf *lack)
{
	const bool has_filter = server_confine();
	const int why = errno;

	if (lacks & CONFINE_SAME_USER)
		buf_add_str(lack, "HTTP is spoken as this user namespace's root: it has no user "
			    "65534");
	else if (lacks & CONFINE_KEPT_ROOT)
		buf_add_str(lack, "HTTP is spoken as root: CAP_SETUID and CAP_SETGID are missing");
	else if (!has_filter)
		buf_addf(lack, "HTTP is spoken without a filter of system calls: this kernel takes "
			 "none (%s)", strerror(why));
}

void
server_run(int link, int parent)
{
	const struct confine_limits limits = { .file = 0 };
	struct http h = { .link = STDIN_FILENO };
	struct buf why = { 0 };
	int lacks, fd;

	if (!http_lib_load(&h.lib, &why)) {
		tell(link, SERVE_MSG_FAILED, buf_str(&why));
		return;
	}
	lacks = confine_host(link, parent, &limits, CONFINE_SERVE);
	h.sockets = asker_open();
	fd = lacks >= 0 ? take_setup(&h) : -1;
	if (fd < 0 || !listen_at(&h, fd)) {
		tell(h.link, SERVE_MSG_FAILED, "--serve: the process that speaks HTTP cannot give up its "
		     "rights, or has no memory");
		return;
	}
	buf_reset(&why);
	give_up_rest(lacks, &why);
	tell(h.link, SERVE_MSG_READY, buf_str(&why));
	buf_release(&why);
	run(&h);
}

#else

void
server_run(int link, int parent)
{
	(void)link;
	(void)parent;
}

#endif
