/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/fetch/download.h"

#include "base/clock.h"
#include "base/curl_lib.h"

#include <unistd.h>

void
download_put_ask(struct buf *b, const struct download_ask *ask)
{
	wire_put_u64(b, ask->bytes_max);
	wire_put_u32(b, ask->connect_s);
	wire_put_u32(b, ask->silent_s);
	wire_put_u32(b, ask->whole_s);
	wire_put_string(b, ask->build_id);
	wire_put_string(b, ask->what);
	wire_put_string(b, ask->urls);
}

/* What was put; the strings are @m's. */
static struct download_ask
get_ask(const struct wire_msg *m)
{
	struct reader r = wire_reader(m);
	struct download_ask ask = { .bytes_max = reader_u64(&r) };

	ask.connect_s = reader_u32(&r);
	ask.silent_s = reader_u32(&r);
	ask.whole_s = reader_u32(&r);
	ask.build_id = reader_string(&r);
	ask.what = reader_string(&r);
	ask.urls = reader_string(&r);
	return ask;
}

#ifdef HAVE_DEBUGINFOD

enum {
	SEND_MS = 250,    /* between two messages about progress */
	REDIRECTS_MAX = 5,
	HTTP_OK = 200,
	HTTP_NOT_FOUND = 404,
	HTTP_GONE = 410,
	MB = 1 << 20,
};

struct download {
	const struct curl_lib *curl;
	struct wire wire;
	struct download_ask ask;
	int file;
	uint64_t got;
	bool is_too_large;
	uint64_t sent_ns;
	struct buf why; /* of the server that failed last */
};

/* Another count than @count ends the transfer. */
static size_t
write_bytes(char *data, size_t size, size_t count, void *arg)
{
	struct download *d = arg;
	size_t len = size * count, done = 0;

	d->is_too_large = len > d->ask.bytes_max - d->got;
	while (!d->is_too_large && done < len) {
		ssize_t n = write(d->file, data + done, len - done);

		if (n <= 0)
			return 0;
		done += (size_t)n;
	}
	d->got += done;
	return done;
}

/* Not 0 ends the transfer: then nobody waits for it any more. */
static int
tell_progress(void *arg, curl_off_t total, curl_off_t got, curl_off_t up_total, curl_off_t up)
{
	struct download *d = arg;
	struct buf b = { 0 };
	uint64_t now = clock_mono_ns();
	int res;

	(void)up_total;
	(void)up;
	if (now - d->sent_ns < SEND_MS * NSEC_PER_MSEC)
		return 0;
	d->sent_ns = now;
	wire_put_u64(&b, (uint64_t)MAX(got, 0));
	wire_put_u64(&b, (uint64_t)MAX(total, 0));
	res = wire_send(&d->wire, (enum wire_type)DOWNLOAD_PROGRESS, &b, -1);
	buf_release(&b);
	return res;
}

static void
set_up(struct download *d, CURL *easy, const char *url)
{
	const struct curl_times times = { d->ask.connect_s, d->ask.silent_s, d->ask.whole_s };
	const struct curl_lib *c = d->curl;

	curl_lib_set_up(c, easy, url, &times);
	c->set(easy, CURLOPT_FOLLOWLOCATION, 1L);
	c->set(easy, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
	c->set(easy, CURLOPT_FAILONERROR, 1L);
	c->set(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)d->ask.bytes_max);
	c->set(easy, CURLOPT_WRITEFUNCTION, write_bytes);
	c->set(easy, CURLOPT_WRITEDATA, d);
	c->set(easy, CURLOPT_XFERINFOFUNCTION, tell_progress);
	c->set(easy, CURLOPT_XFERINFODATA, d);
	c->set(easy, CURLOPT_NOPROGRESS, 0L);
}

/* The address without what a user may have put before its host. */
static void
put_server(struct buf *b, const char *url, size_t len)
{
	const char *slashes = strstr(url, "//"), *at;
	size_t skip = slashes != NULL && (size_t)(slashes - url) < len ? (size_t)(slashes - url) + 2
								      : 0;

	len = skip + MIN(strcspn(url + skip, "/ "), len - skip);
	at = memrchr(url + skip, '@', len - skip);
	if (at != NULL)
		skip = (size_t)(at - url) + 1;
	buf_add(b, url + skip, len - skip);
}

static enum download_outcome
judge(struct download *d, CURL *easy, CURLcode res, const char *url, size_t url_len)
{
	long status = 0;

	d->curl->get(easy, CURLINFO_RESPONSE_CODE, &status);
	if (res == CURLE_OK && status == HTTP_OK)
		return DOWNLOAD_FOUND;
	if (status == HTTP_NOT_FOUND || status == HTTP_GONE)
		return DOWNLOAD_NOT_FOUND;
	buf_reset(&d->why);
	put_server(&d->why, url, url_len);
	if (d->is_too_large || res == CURLE_FILESIZE_EXCEEDED)
		buf_addf(&d->why, ": the file is larger than %llu MiB",
			 (unsigned long long)(d->ask.bytes_max / MB));
	else if (res == CURLE_HTTP_RETURNED_ERROR || res == CURLE_OK)
		buf_addf(&d->why, ": HTTP status %ld", status);
	else
		buf_addf(&d->why, ": %s", d->curl->text(res));
	return DOWNLOAD_FAILED;
}

static enum download_outcome
ask_server(struct download *d, const char *url, size_t len)
{
	CURL *easy = d->curl->init();
	enum download_outcome outcome = DOWNLOAD_FAILED;
	struct buf whole = { 0 };

	if (easy == NULL)
		return outcome;
	d->got = 0;
	d->is_too_large = false;
	if (ftruncate(d->file, 0) == 0 && lseek(d->file, 0, SEEK_SET) == 0) {
		buf_add(&whole, url, len);
		buf_addf(&whole, "%sbuildid/%s/%s", url[len - 1] != '/' ? "/" : "",
			 d->ask.build_id, d->ask.what);
		set_up(d, easy, buf_str(&whole));
		outcome = judge(d, easy, d->curl->perform(easy), url, len);
	}
	d->curl->cleanup(easy);
	buf_release(&whole);
	return outcome;
}

/* One failure is worth more than that the others do not have it. */
static enum download_outcome
ask_servers(struct download *d)
{
	enum download_outcome sum = DOWNLOAD_NOT_FOUND;
	const char *url = d->ask.urls;

	for (;;) {
		enum download_outcome one;
		size_t len;

		url += strspn(url, " \t\n");
		len = strcspn(url, " \t\n");
		if (len == 0)
			return sum;
		one = ask_server(d, url, len);
		if (one == DOWNLOAD_FOUND)
			return one;
		if (one == DOWNLOAD_FAILED)
			sum = one;
		url += len;
	}
}

static enum download_outcome
download(struct download *d)
{
	struct curl_lib curl;

	if (!curl_lib_load(&curl)) {
		buf_add_str(&d->why, curl_lib_lacks);
		return DOWNLOAD_FAILED;
	}
	d->curl = &curl;
	return ask_servers(d);
}

#else

struct download {
	struct wire wire;
	struct download_ask ask;
	int file;
	struct buf why;
};

static enum download_outcome
download(struct download *d)
{
	buf_add_str(&d->why, "ptop was built without it");
	return DOWNLOAD_FAILED;
}

#endif

bool
download_is_there(void)
{
	return curl_lib_is_built();
}

void
download_run(int socket)
{
	struct download d = { .wire = { .fd = socket } };
	struct buf out = { 0 };
	struct wire_msg m;

	if (wire_recv(&d.wire, &m) == 0 && m.type == DOWNLOAD_ASK && m.fd >= 0) {
		d.ask = get_ask(&m);
		d.file = m.fd;
		wire_put_u32(&out, download(&d));
		wire_put_string(&out, buf_str(&d.why));
		wire_send(&d.wire, (enum wire_type)DOWNLOAD_END, &out, -1);
	}
	buf_release(&out);
	buf_release(&d.why);
	wire_msg_release(&m);
}
