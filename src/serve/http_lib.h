/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_HTTP_LIB_H
#define PTOP_SERVE_HTTP_LIB_H
/*
 * libmicrohttpd, which the process that speaks HTTP loads, and nobody else: it brings libraries that
 * take time and memory.
 */
#include <config.h>

#include "base/buf.h"

#ifdef HAVE_MICROHTTPD
#include <microhttpd.h>

/* What is used of it, by its own types. */
struct http_lib {
	__typeof__(MHD_start_daemon) *start;
	__typeof__(MHD_run) *run;
	__typeof__(MHD_get_timeout) *timeout;
	__typeof__(MHD_get_daemon_info) *daemon_info;
	__typeof__(MHD_get_connection_info) *connection_info;
	__typeof__(MHD_get_connection_values_n) *values;
	__typeof__(MHD_lookup_connection_value) *header;
	__typeof__(MHD_suspend_connection) *suspend;
	__typeof__(MHD_resume_connection) *resume;
	__typeof__(MHD_create_response_from_buffer) *from_buffer;
	__typeof__(MHD_create_response_from_fd) *from_fd;
	__typeof__(MHD_add_response_header) *add_header;
	__typeof__(MHD_queue_response) *answer;
	__typeof__(MHD_destroy_response) *drop;
};

/* false: it is not there, see @why. */
bool http_lib_load(struct http_lib *lib, struct buf *why);
#endif

#endif
