/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_CURL_LIB_H
#define PTOP_BASE_CURL_LIB_H
/*
 * libcurl, which processes without rights load, and nobody else: it brings libraries that take time
 * and memory, and speaks with machines that are not trusted.  A process with one thread.
 */
#include <config.h>

#include "base/util.h"

#ifdef HAVE_DEBUGINFOD
#include <curl/curl.h>

/* What is used of it, by its own types. */
struct curl_lib {
	__typeof__(curl_easy_init) *init;
	__typeof__(curl_easy_setopt) *set;
	__typeof__(curl_easy_perform) *perform;
	__typeof__(curl_easy_getinfo) *get;
	__typeof__(curl_easy_strerror) *text;
	__typeof__(curl_easy_cleanup) *cleanup;
	__typeof__(curl_slist_append) *append;
	__typeof__(curl_slist_free_all) *free_all;
	__typeof__(curl_share_init) *share_init;
	__typeof__(curl_share_setopt) *share_set;
};

/* How long a transfer may take. */
struct curl_times {
	uint32_t connect_s;
	uint32_t silent_s; /* in which next to nothing comes */
	uint32_t whole_s;
};

extern const char curl_lib_lacks[]; /* what to install if it cannot be loaded */

bool curl_lib_load(struct curl_lib *c); /* false: it is not there */

/* HTTP and HTTPS alone, no signals, in that time. */
void curl_lib_set_up(const struct curl_lib *c, CURL *easy, const char *url,
		     const struct curl_times *times);
#endif

bool curl_lib_is_built(void); /* whether ptop was built with its headers */

#endif
