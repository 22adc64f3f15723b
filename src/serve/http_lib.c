/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/http_lib.h"

#ifdef HAVE_MICROHTTPD

#include <dlfcn.h>
#include <stddef.h>

#define LIBRARY "libmicrohttpd.so.12"

bool
http_lib_load(struct http_lib *lib, struct buf *why)
{
	static const struct {
		const char *name;
		size_t offset;
	} functions[] = {
		{ "MHD_start_daemon", offsetof(struct http_lib, start) },
		{ "MHD_run", offsetof(struct http_lib, run) },
		{ "MHD_get_timeout", offsetof(struct http_lib, timeout) },
		{ "MHD_get_daemon_info", offsetof(struct http_lib, daemon_info) },
		{ "MHD_get_connection_info", offsetof(struct http_lib, connection_info) },
		{ "MHD_get_connection_values_n", offsetof(struct http_lib, values) },
		{ "MHD_lookup_connection_value", offsetof(struct http_lib, header) },
		{ "MHD_suspend_connection", offsetof(struct http_lib, suspend) },
		{ "MHD_resume_connection", offsetof(struct http_lib, resume) },
		{ "MHD_create_response_from_buffer", offsetof(struct http_lib, from_buffer) },
		{ "MHD_create_response_from_fd", offsetof(struct http_lib, from_fd) },
		{ "MHD_add_response_header", offsetof(struct http_lib, add_header) },
		{ "MHD_queue_response", offsetof(struct http_lib, answer) },
		{ "MHD_destroy_response", offsetof(struct http_lib, drop) },
	};
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; i < ARRAY_SIZE(functions) && handle != NULL; i++) {
		void *function = dlsym(handle, functions[i].name);

		*(void **)(void *)((char *)lib + functions[i].offset) = function;
		if (function == NULL)
			handle = NULL;
	}
	if (handle == NULL)
		buf_add_str(why, "--serve: there is no " LIBRARY " here, or it is too old: install "
			    "libmicrohttpd12, or libmicrohttpd");
	return handle != NULL;
}

#endif
