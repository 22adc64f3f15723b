# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libserve.a
%C%_libserve_a_CPPFLAGS = $(AM_CPPFLAGS) $(MICROHTTPD_CFLAGS)
%C%_libserve_a_SOURCES = \
	%D%/activation.c \
	%D%/activation.h \
	%D%/address.c \
	%D%/address.h \
	%D%/answer.c \
	%D%/answer.h \
	%D%/asker.c \
	%D%/asker.h \
	%D%/asks.c \
	%D%/asks.h \
	%D%/clients.c \
	%D%/clients.h \
	%D%/http_lib.c \
	%D%/http_lib.h \
	%D%/link.c \
	%D%/link.h \
	%D%/metrics.c \
	%D%/metrics.h \
	%D%/process.c \
	%D%/process.h \
	%D%/pusher.c \
	%D%/pusher.h \
	%D%/record_file.c \
	%D%/record_file.h \
	%D%/request.c \
	%D%/request.h \
	%D%/series.c \
	%D%/series.h \
	%D%/serve.c \
	%D%/serve.h \
	%D%/serve_check.c \
	%D%/server.c \
	%D%/server.h \
	%D%/server_confine.c \
	%D%/server_confine.h \
	%D%/server_start.c \
	%D%/token.c \
	%D%/token.h \
	%D%/turns.c \
	%D%/turns.h
