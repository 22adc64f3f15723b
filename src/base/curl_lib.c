/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/curl_lib.h"

#ifdef HAVE_DEBUGINFOD

#include <dlfcn.h>
#include <stddef.h>

enum { LEAST_SPEED = 64 }; /* bytes a second: less is nothing */

const char curl_lib_lacks[] = "there is no libcurl here: install libcurl3-gnutls or libcurl4";

bool
curl_lib_load(struct curl_lib *c)
{
	/* That of each distribution; all have the same interface. */
	static const char *const names[] = { "libcurl-gnutls.so.4", "libcurl.so.4", "libcurl.so" };
	static const struct {
		const char *name;
		size_t offset;
	} functions[] = {
		{ "curl_easy_init", offsetof(struct curl_lib, init) },
		{ "curl_easy_setopt", offsetof(struct curl_lib, set) },
		{ "curl_easy_perform", offsetof(struct curl_lib, perform) },
		{ "curl_easy_getinfo", offsetof(struct curl_lib, get) },
		{ "curl_easy_strerror", offsetof(struct curl_lib, text) },
		{ "curl_easy_cleanup", offsetof(struct curl_lib, cleanup) },
		{ "curl_slist_append", offsetof(struct curl_lib, append) },
		{ "curl_slist_free_all", offsetof(struct curl_lib, free_all) },
		{ "curl_share_init", offsetof(struct curl_lib, share_init) },
		{ "curl_share_setopt", offsetof(struct curl_lib, share_set) },
	};
	void *lib = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names) && lib == NULL; i++)
		lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; i < ARRAY_SIZE(functions) && lib != NULL; i++) {
		void *function = dlsym(lib, functions[i].name);

		*(void **)(void *)((char *)c + functions[i].offset) = function;
		if (function == NULL)
			lib = NULL;
	}
	return lib != NULL;
}

void
curl_lib_set_up(const struct curl_lib *c, CURL *easy, const char *url,
		const struct curl_times *times)
{
	c->set(easy, CURLOPT_URL, url);
	c->set(easy, CURLOPT_PATH_AS_IS, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
	c->set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	c->set(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
	c->set(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	c->set(easy, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	c->set(easy, CURLOPT_NOSIGNAL, 1L);
	c->set(easy, CURLOPT_USERAGENT, "ptop");
	c->set(easy, CURLOPT_CONNECTTIMEOUT, (long)times->connect_s);
	c->set(easy, CURLOPT_LOW_SPEED_LIMIT, (long)LEAST_SPEED);
	c->set(easy, CURLOPT_LOW_SPEED_TIME, (long)times->silent_s);
	c->set(easy, CURLOPT_TIMEOUT, (long)times->whole_s);
}

bool
curl_lib_is_built(void)
{
	return true;
}

#else

bool
curl_lib_is_built(void)
{
	return false;
}

#endif
