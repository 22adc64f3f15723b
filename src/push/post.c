/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push/post.h"

#include "base/curl_lib.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void
post_put_ask(struct buf *b, const struct post_ask *ask)
{
	wire_put_u64(b, ask->offset);
	wire_put_u64(b, ask->len);
	wire_put_u32(b, ask->connect_s);
	wire_put_u32(b, ask->silent_s);
	wire_put_u32(b, ask->whole_s);
	wire_put_u32(b, ask->is_packed);
	wire_put_string(b, ask->url);
	wire_put_string(b, ask->content);
	wire_put_string(b, ask->token);
}

bool
post_get_end(const struct wire_msg *m, struct post_end *end)
{
	struct reader r = wire_reader(m);

	*end = (struct post_end){ .status = reader_u32(&r) };
	end->retry_s = reader_u32(&r);
	end->why = reader_string(&r);
	end->answer.len = reader_u32(&r);
	end->answer.data = reader_bytes(&r, end->answer.len);
	return !r.failed && m->type == POST_END && end->answer.len <= POST_ANSWER_MAX;
}

#ifdef HAVE_DEBUGINFOD

static void
put_end(struct buf *b, const struct post_end *end)
{
	wire_put_u32(b, end->status);
	wire_put_u32(b, end->retry_s);
	wire_put_string(b, end->why);
	wire_put_u32(b, (uint32_t)end->answer.len);
	if (end->answer.len > 0)
		buf_add(b, end->answer.data, end->answer.len);
}

enum {
	BODY_MAX = 64 << 10, /* of an answer; more is not waited for */
	HEAD_MAX = 64 << 10,
	FINAL = 200,         /* what is below is said while it waits */
};

struct post {
	const struct curl_lib *curl;
	CURLSH *kept; /* connections; NULL: there is no libcurl */
	CURL *easy;   /* of this post alone: one that is used again follows pointers into the answer
			 before if the next one begins with a header that goes on (libcurl before 8.1.1) */
	struct post_ask ask;
	int file;
	uint64_t sent;      /* of the body, by now */
	size_t head_bytes, body_bytes;
	bool has_head;      /* of the answer */
	struct buf answer;
};

/* The strings are @m's. */
static struct post_ask
get_ask(const struct wire_msg *m, bool *is_well)
{
	struct reader r = wire_reader(m);
	struct post_ask ask = { .offset = reader_u64(&r) };

	ask.len = reader_u64(&r);
	ask.connect_s = reader_u32(&r);
	ask.silent_s = reader_u32(&r);
	ask.whole_s = reader_u32(&r);
	ask.is_packed = reader_u32(&r);
	ask.url = reader_string(&r);
	ask.content = reader_string(&r);
	ask.token = reader_string(&r);
	*is_well = !r.failed && m->type == POST_ASK && m->fd >= 0;
	return ask;
}

static size_t
read_body(char *to, size_t size, size_t count, void *arg)
{
	struct post *p = arg;
	size_t len = (size_t)MIN((uint64_t)size * count, p->ask.len - p->sent);
	ssize_t n;

	do
		n = pread(p->file, to, len, (off_t)(p->ask.offset + p->sent));
	while (n < 0 && errno == EINTR);
	/* A file that has become shorter. */
	if (n < 0 || (n == 0 && len > 0))
		return CURL_READFUNC_ABORT;
	p->sent += (size_t)n;
	return (size_t)n;
}

/* A connection that was kept had ended: all of it once more, by a new one. */
static int
rewind_body(void *arg, curl_off_t offset, int origin)
{
	struct post *p = arg;

	if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > p->ask.len)
		return CURL_SEEKFUNC_FAIL;
	p->sent = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

/* Another count than @count ends the transfer. */
static size_t
take_head(char *data, size_t size, size_t count, void *arg)
{
	struct post *p = arg;
	size_t len = size * count;

	p->head_bytes += len;
	p->has_head |= len <= 2 && (*data == '\r' || *data == '\n');
	return p->head_bytes <= HEAD_MAX ? len : 0;
}

static size_t
take_body(char *data, size_t size, size_t count, void *arg)
{
	struct post *p = arg;
	size_t len = size * count;

	buf_add(&p->answer, data, MIN(len, POST_ANSWER_MAX - p->answer.len));
	p->body_bytes += len;
	return p->body_bytes <= BODY_MAX ? len : 0;
}

static struct curl_slist *
set_headers(struct post *p)
{
	const struct curl_lib *c = p->curl;
	struct curl_slist *list = NULL;
	struct buf b = { 0 };

	buf_addf(&b, "Content-Type: %s", p->ask.content);
	list = c->append(list, buf_str(&b));
	/* Without waiting for leave to send. */
	list = c->append(list, "Expect:");
	if (p->ask.is_packed)
		list = c->append(list, "Content-Encoding: gzip");
	if (*p->ask.token != '\0') {
		buf_reset(&b);
		buf_addf(&b, "Authorization: Bearer %s", p->ask.token);
		list = c->append(list, buf_str(&b));
	}
	buf_release(&b);
	c->set(p->easy, CURLOPT_HTTPHEADER, list);
	return list;
}

static void
set_up(struct post *p)
{
	const struct curl_times times = { p->ask.connect_s, p->ask.silent_s, p->ask.whole_s };
	const struct curl_lib *c = p->curl;
	CURL *easy = p->easy;

	c->set(easy, CURLOPT_SHARE, p->kept);
	curl_lib_set_up(c, easy, p->ask.url, &times);
	c->set(easy, CURLOPT_FOLLOWLOCATION, 0L);
	c->set(easy, CURLOPT_POST, 1L);
	c->set(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->ask.len);
	c->set(easy, CURLOPT_READFUNCTION, read_body);
	c->set(easy, CURLOPT_READDATA, p);
	c->set(easy, CURLOPT_SEEKFUNCTION, rewind_body);
	c->set(easy, CURLOPT_SEEKDATA, p);
	c->set(easy, CURLOPT_HEADERFUNCTION, take_head);
	c->set(easy, CURLOPT_HEADERDATA, p);
	c->set(easy, CURLOPT_WRITEFUNCTION, take_body);
	c->set(easy, CURLOPT_WRITEDATA, p);
}

static uint32_t
retry_seconds(const struct post *p)
{
#if LIBCURL_VERSION_NUM >= 0x074200
	curl_off_t s = 0;

	if (p->curl->get(p->easy, CURLINFO_RETRY_AFTER, &s) == CURLE_OK && s > 0)
		return (uint32_t)MIN(s, (curl_off_t)UINT32_MAX);
#else
	(void)p;
#endif
	return 0;
}

/* Whoever has said that it took the profile has it, however slowly it goes on to speak. */
static void
post(struct post *p, struct buf *out)
{
	struct post_end end = { .why = curl_lib_lacks };
	struct curl_slist *headers;
	long status = 0;
	CURLcode res;

	p->easy = p->kept != NULL ? p->curl->init() : NULL;
	if (p->easy == NULL) {
		put_end(out, &end);
		return;
	}
	set_up(p);
	headers = set_headers(p);
	res = p->curl->perform(p->easy);
	p->curl->get(p->easy, CURLINFO_RESPONSE_CODE, &status);
	if (p->has_head && status >= FINAL) {
		end.why = "";
		end.status = (uint32_t)status;
		end.retry_s = retry_seconds(p);
		end.answer = (struct bytes){ (const uint8_t *)buf_str(&p->answer), p->answer.len };
	} else {
		end.why = res != CURLE_OK ? p->curl->text(res) : "what it answers is no HTTP";
	}
	put_end(out, &end);
	p->curl->cleanup(p->easy);
	p->curl->free_all(headers);
}

static bool
serve(const struct wire *w, struct post *p)
{
	struct wire_msg m;
	struct buf out = { 0 };
	bool is_well = wire_recv(w, &m) == 0;

	if (is_well)
		p->ask = get_ask(&m, &is_well);
	if (is_well) {
		p->file = m.fd;
		p->sent = 0;
		p->head_bytes = p->body_bytes = 0;
		p->has_head = false;
		buf_reset(&p->answer);
		post(p, &out);
		is_well = wire_send(w, (enum wire_type)POST_END, &out, -1) == 0;
	}
	buf_release(&out);
	wire_msg_release(&m);
	return is_well;
}

void
post_run(int socket)
{
	const struct wire wire = { .fd = socket };
	struct curl_lib curl;
	struct post p = { .curl = &curl };

	if (curl_lib_load(&curl)) {
		p.kept = curl.share_init();
		if (p.kept != NULL)
			curl.share_set(p.kept, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
	}
	while (serve(&wire, &p))
		continue;
}

#else

void
post_run(int socket)
{
	(void)socket;
}

#endif
