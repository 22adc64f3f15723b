# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libpush.a
%C%_libpush_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS)
%C%_libpush_a_SOURCES = \
	%D%/fate.c \
	%D%/otlp_answer.c \
	%D%/otlp_answer.h \
	%D%/post.c \
	%D%/post.h \
	%D%/push.c \
	%D%/push.h \
	%D%/push_impl.h \
	%D%/run.c \
	%D%/spool.c \
	%D%/spool.h \
	%D%/target.c \
	%D%/target.h
