# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libbase.a
%C%_libbase_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS)
%C%_libbase_a_SOURCES = \
	%D%/arena.c \
	%D%/arena.h \
	%D%/arguments.c \
	%D%/arguments.h \
	%D%/buf.c \
	%D%/buf.h \
	%D%/call_filter.c \
	%D%/call_filter.h \
	%D%/charset.c \
	%D%/charset.h \
	%D%/clock.c \
	%D%/clock.h \
	%D%/cpu_nodes.c \
	%D%/cpu_nodes.h \
	%D%/curl_lib.c \
	%D%/curl_lib.h \
	%D%/deleted_file.c \
	%D%/deleted_file.h \
	%D%/end_signals.c \
	%D%/end_signals.h \
	%D%/err.c \
	%D%/err.h \
	%D%/file.c \
	%D%/file.h \
	%D%/folder_links.c \
	%D%/folder_links.h \
	%D%/histogram.c \
	%D%/histogram.h \
	%D%/index.c \
	%D%/index.h \
	%D%/num.c \
	%D%/num.h \
	%D%/own_file.c \
	%D%/own_file.h \
	%D%/own_folder.c \
	%D%/own_folder.h \
	%D%/own_rights.c \
	%D%/own_rights.h \
	%D%/pages.c \
	%D%/pages.h \
	%D%/process.c \
	%D%/process.h \
	%D%/queue.c \
	%D%/queue.h \
	%D%/reader.h \
	%D%/secret_file.c \
	%D%/secret_file.h \
	%D%/strs.c \
	%D%/strs.h \
	%D%/sudo_caller.c \
	%D%/sudo_caller.h \
	%D%/text.c \
	%D%/text.h \
	%D%/thread.c \
	%D%/thread.h \
	%D%/users.c \
	%D%/users.h \
	%D%/util.c \
	%D%/util.h \
	%D%/wall.c \
	%D%/wall.h \
	%D%/whole_file.c \
	%D%/whole_file.h
