/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/fetch/download.h"

#include "base/clock.h"

#include <unistd.h>

#ifdef HAVE_DEBUGINFOD
#include <curl/curl.h>
#include <dlfcn.h>
#endif

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
	LEAST_SPEED = 64, /* bytes a second: less is nothing */
	REDIRECTS_MAX = 5,
	HTTP_OK = 200,
	HTTP_NOT_FOUND = 404,
	HTTP_GONE = 410,
	MB = 1 << 20,
};

/* What is used of the library, by its own types. */
struct curl {
	__typeof__(curl_easy_init) *init;
	__typeof__(curl_easy_setopt) *set;
	__typeof__(curl_easy_perform) *perform;
	__typeof__(curl_easy_getinfo) *get;
	__typeof__(curl_easy_strerror) *text;
	__typeof__(curl_easy_cleanup) *cleanup;
};

struct download {
	const struct curl *curl;
	struct wire wire;
	struct download_ask ask;
	int file;
	uint64_t got;
	bool is_too_large;
	uint64_t sent_ns;
	struct buf why; /* of the server that failed last */
};

static bool
load(struct curl *c)
{
	/* That of each distribution; all have the same interface. */
	static const char *const names[] = { "libcurl-gnutls.so.4", "libcurl.so.4", "libcurl.so" };
	void *lib = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names) && lib == NULL; i++)
		lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL)
		return false;
	*(void **)&c->init = dlsym(lib, "curl_easy_init");
	*(void **)&c->set = dlsym(lib, "curl_easy_setopt");
	*(void **)&c->perform = dlsym(lib, "curl_easy_perform");
	*(void **)&c->get = dlsym(lib, "curl_easy_getinfo");
	*(void **)&c->text = dlsym(lib, "curl_easy_strerror");
	*(void **)&c->cleanup = dlsym(lib, "curl_easy_cleanup");
	return c->init != NULL && c->set != NULL && c->perform != NULL && c->get != NULL &&
	       c->text != NULL && c->cleanup != NULL;
}

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
	const struct curl *c = d->curl;

	c->set(easy, CURLOPT_URL, url);
	c->set(easy, CURLOPT_PATH_AS_IS, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
	c->set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	c->set(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
	c->set(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	c->set(easy, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	c->set(easy, CURLOPT_FOLLOWLOCATION, 1L);
	c->set(easy, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
	c->set(easy, CURLOPT_FAILONERROR, 1L);
	c->set(easy, CURLOPT_NOSIGNAL, 1L);
	c->set(easy, CURLOPT_USERAGENT, "ptop");
	c->set(easy, CURLOPT_CONNECTTIMEOUT, (long)d->ask.connect_s);
	c->set(easy, CURLOPT_LOW_SPEED_LIMIT, (long)LEAST_SPEED);
	c->set(easy, CURLOPT_LOW_SPEED_TIME, (long)d->ask.silent_s);
	c->set(easy, CURLOPT_TIMEOUT, (long)d->ask.whole_s);
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
	struct curl curl;

	if (!load(&curl)) {
		buf_add_str(&d->why, "there is no libcurl here: install libcurl3-gnutls or libcurl4");
		return DOWNLOAD_FAILED;
	}
	d->curl = &curl;
	return ask_servers(d);
}

bool
download_is_there(void)
{
	return true;
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

bool
download_is_there(void)
{
	return false;
}

#endif

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
