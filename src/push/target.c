/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push/target.h"

#include "base/text.h"
#include "push/push.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { URL_MAX = 1024, FIRST_PRINTABLE = 0x21, LAST_PRINTABLE = 0x7e, PATH_SHOWN_MAX = 120 };

#define OTLP "otlp+"

/* The part behind @prefix, NULL: it does not begin so. */
static const char *
behind(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) == 0 ? text + len : NULL;
}

static bool
is_printable(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text < FIRST_PRINTABLE || *text > LAST_PRINTABLE)
			return false;
	return true;
}

/* @host: with its port. */
static bool
is_loopback(const char *host, size_t len)
{
	static const char *const own[] = { "localhost", "[::1]", "127." };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		const char *rest = behind(host, own[i]);
		bool is_whole = own[i][strlen(own[i]) - 1] != '.';

		if (rest != NULL && (!is_whole || rest == host + len || *rest == ':'))
			return is_whole || strspn(host, "0123456789.:") == len;
	}
	return false;
}

static int
check(const char *url, const char *host, size_t host_len, struct err *err)
{
	if (strchr(url, '@') != NULL) {
		err_set(err, ERR_USAGE, 0, "--push: a name or password in the address is for all to see");
		return err_hint(err, "--push-token FILE");
	}
	if (host_len == 0 || *host == ':' || !is_printable(url) || strlen(url) > URL_MAX) {
		err_set(err, ERR_USAGE, 0, "--push: '%.120s' names no store", url);
		return err_hint(err, "http://HOST:4040 of Pyroscope, " OTLP "http://HOST:4318 of OTLP; "
				"or https");
	}
	if (host[strcspn(host, "?#")] != '\0')
		return err_set(err, ERR_USAGE, 0, "--push: '%.120s' has a query; ptop adds its own", url);
	return 0;
}

int
push_target_parse(const char *url, struct push_target *t, struct err *err)
{
	const char *plain = behind(url, OTLP), *base = plain != NULL ? plain : url;
	const char *http = behind(base, "http://"), *https = behind(base, "https://");
	const char *host = http != NULL ? http : https != NULL ? https : "";
	size_t host_len = strcspn(host, "/"), len = strlen(base);

	*t = (struct push_target){ .is_otlp = plain != NULL };
	if (check(url, host, host_len, err) < 0)
		return -1;
	while (base[len - 1] == '/')
		len--;
	t->base = mem_strndup(base, len);
	t->is_exposed = http != NULL && !is_loopback(host, host_len);
	return 0;
}

void
push_target_release(struct push_target *t)
{
	free(t->base);
	*t = (struct push_target){ 0 };
}

/* As the value of a label: what divides labels is no part of it. */
static void
put_label(struct buf *b, const char *value)
{
	for (; *value != '\0'; value++)
		buf_add_char(b, isalnum((unsigned char)*value) || strchr("._-", *value) != NULL ? *value
												 : '_');
}

/* All profiles of a fleet are of one application, with the host as a tag. */
static void
put_pyroscope(const char *host, const struct push_about *about, struct buf *b)
{
	buf_add_str(b, "/ingest?name=ptop%7Bhost%3D");
	put_label(b, host);
	buf_addf(b, "%%7D&from=%llu&until=%llu&format=pprof&spyName=ptop",
		 (unsigned long long)(about->from_ns / NSEC_PER_SEC),
		 (unsigned long long)(about->until_ns / NSEC_PER_SEC));
	if (about->rate > 0)
		buf_addf(b, "&sampleRate=%llu", (unsigned long long)about->rate);
}

void
push_target_put(const struct push_target *t, const char *host, const struct push_about *about,
		struct buf *b)
{
	buf_add_str(b, t->base);
	if (t->is_otlp)
		buf_add_str(b, "/v1development/profiles");
	else
		put_pyroscope(host, about, b);
}

const char *
push_target_content(const struct push_target *t)
{
	return t->is_otlp ? "application/x-protobuf" : "application/octet-stream";
}

/* ptop has read it when it began. */
static void
put_token_advice(const char *token_file, struct buf *b)
{
	if (token_file == NULL) {
		buf_add_str(b, "it wants a token, and none is sent: --push-token FILE");
		return;
	}
	buf_add_str(b, "it refuses the token of '");
	text_add_safe(b, token_file, strnlen(token_file, PATH_SHOWN_MAX));
	buf_add_str(b, "' (--push-token): put one there that it takes, and start ptop again");
}

bool
push_target_put_advice(const struct push_target *t, unsigned status, const char *token_file,
		       struct buf *b)
{
	/* Without words: it is of the token. */
	static const struct {
		unsigned first, last;
		const char *pyroscope, *otlp;
	} rows[] = {
		{ 300, 399, "redirects are not followed: name the address that it leads to",
		  "redirects are not followed: name the address that it leads to" },
		{ 401, 403, NULL, NULL },
		{ 404, 405, "is there Pyroscope at that address?",
		  "this receiver takes no OTLP profiles of v1development" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *advice = t->is_otlp ? rows[i].otlp : rows[i].pyroscope;

		if (status < rows[i].first || status > rows[i].last)
			continue;
		if (advice != NULL)
			buf_add_str(b, advice);
		else
			put_token_advice(token_file, b);
		return true;
	}
	return false;
}
